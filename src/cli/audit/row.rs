//! A row of the page: a name, a bar of what remains and what is saved, and the figures.

use std::io::{self, Write};

use super::chart::bar;
use super::text::{percent, size};
use crate::cli::explain::words::number;

/// What the colours of a bar mean.
pub(super) const LEGEND: &str =
    "<p class=\"legend\"><span class=\"a\">remains</span> <span class=\"s\">saved</span></p>";

/// Writes a row. The bar is in proportion to `whole`; `name` and `note` are markup.
pub(super) fn row(
    name: &str,
    before: u64,
    after: u64,
    whole: u64,
    note: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let saved = before.saturating_sub(after);
    writeln!(
        out,
        "<div class=\"row\"><span class=\"name\">{name}</span>{}<span class=\"figures\"><b>{}</b> {} → {}{note}</span></div>",
        bar(after.min(before), saved, whole),
        percent(saved, before),
        number(size(before)),
        number(size(after)),
    )
}
