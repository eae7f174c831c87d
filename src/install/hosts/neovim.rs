//! Neovim: a package that it finds by itself. No file of the user is edited.

use super::{Row, USER};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "neovim",
    title: "Neovim with codecompanion.nvim",
    programs: &["nvim"],
    scopes: USER,
    changes,
    folders: |place| vec![place.folder("XDG_CONFIG_HOME", ".config").join(app(place))],
    then: |_| "Settings: `require('tersed').setup({...})` in your init.lua replaces the package's own call.",
};

const CLIENT: &str = include_str!("../../../editors/neovim/lua/tersed/init.lua");
const COMPANION: &str = include_str!("../../../editors/neovim/lua/tersed/codecompanion.lua");
const START: &str =
    "-- Starts tersed for codecompanion.nvim, unless init.lua did. Written by `tersed install neovim`.
if not (package.loaded['tersed'] or vim.g.tersed_no_setup) then
  require('tersed').setup({ cmd = { vim.env.TERSED_BIN or \"tersed\" } })
end
";
/// The text around the program's name in that file.
const PROGRAM: (&str, &str) = ("vim.env.TERSED_BIN or ", " } })");

fn app(place: &Place) -> String {
    let name = place.text("NVIM_APPNAME").filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "nvim".to_owned())
}

fn changes(place: &Place) -> Vec<Change> {
    let data = place.folder("XDG_DATA_HOME", ".local/share").join(app(place));
    let folder = data.join("site/pack/tersed/start/tersed");
    vec![
        Change::file(folder.join("lua/tersed/init.lua"), CLIENT),
        Change::file(folder.join("lua/tersed/codecompanion.lua"), COMPANION),
        Change::file_with(folder.join("plugin/tersed.lua"), START, PROGRAM, &place.program),
    ]
}
