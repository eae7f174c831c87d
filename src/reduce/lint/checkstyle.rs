//! Checkstyle's XML report, as Checkstyle, phpcs, ktlint, detekt and others write it: files without findings are left
//! out. Findings are kept unchanged.

use std::ops::Range;

use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub static CHECKSTYLE_XML: Linter = Linter {
    meta: Meta {
        id: "checkstyle_xml",
        family: "build",
        reads: "the XML format of Checkstyle, which phpcs, ktlint, detekt, golangci-lint and others write too",
        keeps: "every finding as it is, with its file",
        omits: "files without a finding",
        anchors: &["<checkstyle"],
    },
    commands: &["checkstyle", "phpcs", "ktlint", "detekt", "eslint"],
    content: 1,
    read,
};

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::default();
    let mut open: Option<usize> = None;
    for i in lines {
        let line = source.line(i).trim();
        if line.is_empty() {
            continue;
        }
        out.all += 1;
        let is_file = line.starts_with("<file ");
        if is_file && line.ends_with("/>")
            || is_file && line.ends_with("</file>") && !line.contains("<error ")
        {
            out.gone.push((i..i + 1, Reason::Clean));
        } else if line == "</file>" && open == Some(i.wrapping_sub(1)) {
            out.gone.push((i - 1..i + 1, Reason::Clean));
        }
        open = (is_file && !line.contains("</file>")).then_some(i);
        out.own += usize::from(line.starts_with("<checkstyle"));
        if ["<file ", "</file>", "<error ", "<checkstyle", "</checkstyle>", "<?xml "]
            .iter()
            .any(|s| line.starts_with(s))
        {
            out.knows(source, i..i + 1);
        }
    }
    out
}
