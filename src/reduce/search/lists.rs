//! The names of files that a search found, with or without counts: a folder that several consecutive names share is
//! written once, in full, on a line of its own; its names follow, indented.

use std::ops::Range;

use crate::reduce::lines::is_number;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Fewest bytes that a group must save. A choice.
const MIN_SAVED_BYTES: usize = 8;

/// Whether most lines are names of files in folders. Lines that the reducer itself wrote are read in the same way:
/// indented names as names; folders and paths above other lines are ignored.
pub(super) fn is_list(source: &Source<'_>, names_only: bool) -> bool {
    let (mut all, mut names, mut in_folder) = (0, 0, false);
    let lines: Vec<&str> = source.lines().filter(|line| !line.trim().is_empty()).collect();
    for (i, line) in lines.iter().enumerate() {
        let is_entry = folder(line, names_only).is_some();
        let above = |next: &&str| next.starts_with(|c: char| c.is_ascii_digit() || c == ':' || c == '-');
        let is_own = in_folder && line.starts_with("  ");
        in_folder = line.ends_with('/') || is_own;
        if line.ends_with('/') || (is_entry && lines.get(i + 1).is_some_and(above)) {
            continue;
        }
        all += 1;
        names += usize::from(is_entry || is_own);
    }
    names >= 2 && names * 5 >= all * 3
}

/// Groups the names; the lines in `left_alone`, which are in order, are unchanged.
pub(super) fn reduce(source: &Source<'_>, names_only: bool, left_alone: &[usize], out: &mut Reduction) {
    let mut run: Option<(&str, Range<usize>)> = None;
    for i in 0..source.len() {
        let here = folder(source.line(i), names_only).filter(|_| left_alone.binary_search(&i).is_err());
        match (&mut run, here) {
            (Some((folder, lines)), Some(same)) if *folder == same => lines.end = i + 1,
            _ => {
                write(source, run.take(), out);
                run = here.map(|folder| (folder, i..i + 1));
            }
        }
    }
    write(source, run, out);
}

fn write(source: &Source<'_>, run: Option<(&str, Range<usize>)>, out: &mut Reduction) {
    let Some((folder, lines)) = run else { return };
    // A line end and an indent of two replace each folder.
    let saved = (lines.len() - 1) * folder.len();
    if saved < MIN_SAVED_BYTES + 1 + 2 * lines.len() {
        return;
    }
    let mut text = folder.to_owned();
    for i in lines.clone() {
        let raw = source.raw(i);
        let raw = raw.strip_suffix('\n').unwrap_or(raw);
        text.push_str("\n  ");
        text.push_str(&raw[folder.len()..]);
    }
    out.replace(lines, text, Reason::SharedFolder);
}

/// The folder of an entry, with its slash: `a/b/c.rs`, `a/b/c.rs:12`, `a/b/c.rs (3 matches)`.
fn folder(line: &str, names_only: bool) -> Option<&str> {
    let path = line.strip_suffix(" matches)").or_else(|| line.strip_suffix(" match)"));
    let path = match path {
        Some(counted) => counted.rsplit_once(" (").filter(|(_, n)| is_number(n))?.0,
        None => line.rsplit_once(':').filter(|(_, n)| is_number(n)).map_or(line, |(path, _)| path),
    };
    let slash = path.rfind('/')?;
    let has_blank = path.contains(char::is_whitespace);
    let is_name = slash > 0 && slash + 1 < path.len() && !path.starts_with(char::is_whitespace);
    let is_plain = !path.bytes().any(|b| b"\"<>|;\t".contains(&b))
        && !path.starts_with('-')
        && !path.contains(['=', ',', '\''])
        && !path.contains("://");
    // A name with blanks may be prose, unless the call asked for names.
    let is_name_with_blanks = names_only && !path.contains("  ") && !path.contains(": ");
    (is_name && is_plain && (is_name_with_blanks || !has_blank)).then(|| &path[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_entries() {
        assert_eq!(folder("a/b/c.rs", false), Some("a/b/"));
        assert_eq!(folder("./Makefile:0", false), Some("./"));
        assert_eq!(folder("/a/b (c)/d.py (13 matches)", true), Some("/a/b (c)/"));
        assert_eq!(folder("a b/c d.txt", true), Some("a b/"));
        for line in
            ["a b/c d.txt", "Found 3 files", "http://a/b", "a/b/", "c.rs", "  a/b", "x = a/b", "/root"]
        {
            assert_eq!(folder(line, false), None, "{line}");
        }
    }
}
