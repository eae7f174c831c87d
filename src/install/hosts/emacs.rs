//! Emacs: a package as `package.el` installs it. No file of the user is edited.

use std::path::PathBuf;

use super::{Row, USER};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "emacs",
    title: "Emacs with gptel",
    programs: &["emacs"],
    scopes: USER,
    changes,
    folders: |place| vec![folder(place)],
    then: |_| "If `package-enable-at-startup` is nil, add the folder to `load-path` and call `(tersed-gptel-mode 1)`.",
};

const PACKAGE: &str = include_str!("../../../editors/emacs/tersed.el");
const ABOUT: &str = concat!(
    ";; Written by `tersed install emacs`.  -*- no-byte-compile: t -*-\n",
    "(define-package \"tersed\" \"",
    env!("CARGO_PKG_VERSION"),
    "\" \"Makes tool results cheaper for gptel\" '((emacs \"28.1\")))\n"
);
const START: &str = ";;; tersed-autoloads.el --- Starts tersed with gptel  -*- lexical-binding: t; no-byte-compile: t -*-
;; Written by `tersed install emacs`.
(add-to-list 'load-path (file-name-directory (or load-file-name buffer-file-name)))
(defvar tersed-command (list (or (getenv \"TERSED_BIN\") \"tersed\")))
(autoload 'tersed-gptel-mode \"tersed\" \"Give results of gptel's tools to tersed before the model sees them.\" t)
(with-eval-after-load 'gptel (tersed-gptel-mode 1))
;;; tersed-autoloads.el ends here
";
/// The text around the program's name in that file.
const PROGRAM: (&str, &str) = ("(getenv \"TERSED_BIN\") ", ")))");

/// The folder of the user's Emacs settings.
fn folder(place: &Place) -> PathBuf {
    let (old, new) = (place.home.join(".emacs.d"), place.folder("XDG_CONFIG_HOME", ".config").join("emacs"));
    let is_new = !old.exists() && !place.home.join(".emacs").exists() && new.is_dir();
    if is_new { new } else { old }
}

fn changes(place: &Place) -> Vec<Change> {
    let folder = folder(place).join("elpa").join(concat!("tersed-", env!("CARGO_PKG_VERSION")));
    vec![
        Change::file(folder.join("tersed.el"), PACKAGE),
        Change::file(folder.join("tersed-pkg.el"), ABOUT),
        Change::file_with(folder.join("tersed-autoloads.el"), START, PROGRAM, &place.program),
    ]
}
