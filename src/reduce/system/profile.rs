//! `perf report --stdio`: symbols with a share below one in two hundred are counted; call chains below them are left
//! out with them only if they are rows of their own. `perf stat` is kept unchanged.

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PROFILE: Rows = Rows {
    meta: Meta {
        id: "perf",
        family: "system",
        reads: "`perf report --stdio`",
        keeps: "the header with events and samples, symbols from 0.5 % on, call chains",
        omits: "symbols below 0.5 %",
        anchors: &["# Overhead", "# Children"],
    },
    commands: &["perf report"],
    unless: &["--percent-limit"],
    asks: never,
    content: 1,
    read,
};

/// Share in percent below which a symbol is left out.
const MIN_SHARE_PERCENT: f32 = 0.5;

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    if line.starts_with("# Overhead ") || line.starts_with("# Children ") {
        return Row::Header;
    }
    if line.starts_with("# ") {
        return Row::Keep;
    }
    // A line with only `#` follows the header.
    let _ = at;
    let first = line.split_whitespace().next().unwrap_or_default();
    match first.strip_suffix('%').and_then(|share| share.parse::<f32>().ok()) {
        Some(share) if share < MIN_SHARE_PERCENT && line.starts_with(' ') && line.contains('[') => {
            Row::Hide(Reason::SmallShares, "".into())
        }
        Some(_) => Row::Keep,
        None => Row::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    #[test]
    fn shares() {
        let of = |line| read(Place { header: "", mode: Mode::Standard }, line);
        assert_eq!(of("     0.31%  sh  libc.so.6  [.] malloc"), Row::Hide(Reason::SmallShares, "".into()));
        assert_eq!(of("    12.31%  sh  libc.so.6  [.] malloc"), Row::Keep);
        assert_eq!(of("   0.31% of all"), Row::Keep);
    }
}
