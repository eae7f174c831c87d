//! Records of fields, one after the other (`show interface transceiver`, `lsusb -v`, `dpkg -s`, `systemctl show`): a
//! line that is in every record is shown only in the first. Lines that differ between two records are kept in all of
//! them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Records;

static META: Meta = Meta {
    id: "records",
    family: "system",
    reads: "records of fields: `show …` and `display …` of network gear, `lsusb -v`, `lspci -v`, `dpkg -s`, `apt show`, \
            `pip show`, `dmidecode`, `nmcli`, `zipinfo -v`, `sensors`",
    keeps: "every field that is not the same in all records",
    omits: "lines that all records have, after the first record",
    // The only common text is a sign between names and values, which nearly every text has. So there is no anchor,
    // and the command is checked instead.
    anchors: &[],
};

/// Programs that write records.
const PROGRAMS: &[&str] = &[
    "apt",
    "apt-cache",
    "az",
    "biosdecode",
    "display",
    "dmidecode",
    "dpkg",
    "dpkg-query",
    "ethtool",
    "gcloud",
    "get",
    "hwinfo",
    "iw",
    "iwlist",
    "lshw",
    "lspci",
    "lsusb",
    "mdadm",
    "nmcli",
    "nvidia-smi",
    "ovs-vsctl",
    "pip",
    "pip3",
    "rpm",
    "sensors",
    "show",
    "smartctl",
    "systemctl",
    "udevadm",
    "virsh",
    "xl",
    "zipinfo",
];
/// Fewer records are not a series. A choice.
const MIN_RECORDS: usize = 4;
/// Lines are only left out if that saves at least the bytes of the text divided by this. A choice: the rest is
/// harder to read without them.
const MIN_SAVED_ONE_IN: usize = 6;

/// The words of the marker before the names of the fields.
const AS_IN_FIRST_RECORD: &str = "as in the first record";
/// The longest name of a field in a marker, and all of them together, in bytes. Choices: the start of a name is
/// enough to find the field in the first record.
const MAX_FIELD_NAME: usize = 32;
const MAX_FIELD_NAMES: usize = 160;

impl Reducer for Records {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let is_ours = input.detection.command.runs(|s| PROGRAMS.contains(&s.program()));
        FormatProof::full_if(is_ours && records(input.source).len() >= MIN_RECORDS)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let records = records(source);
        // The number of consecutive records, from the first on, in which a line occurs exactly once.
        let mut seen: HashMap<&str, Option<usize>> = HashMap::new();
        for (n, record) in records.iter().enumerate() {
            for i in record.clone() {
                let count = seen.entry(source.line(i)).or_insert(Some(0));
                *count = count.filter(|count| *count == n).map(|count| count + 1);
            }
        }
        let everywhere = |line: &str| seen.get(line).is_some_and(|count| *count == Some(records.len()));
        let mut out = Reduction::default();
        let mut bytes = 0;
        let gone: Vec<usize> =
            records.iter().skip(1).flat_map(|record| left_out(source, record, everywhere)).collect();
        // Written once, in the first marker.
        let names = format!("{}{}", AS_IN_FIRST_RECORD, fields(source, &gone));
        for i in gone {
            bytes += source.line(i).len();
            let names = if out.spans.is_empty() { &names } else { "" };
            out.omit_named(i..i + 1, Reason::CommonFields, 1, names);
        }
        if bytes * MIN_SAVED_ONE_IN < source.text().len() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

/// The lines of a record that are left out: those that occur in every record, except titles of lines that stay.
fn left_out(source: &Source<'_>, record: &Range<usize>, everywhere: impl Fn(&str) -> bool) -> Vec<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut out = Vec::new();
    // The indentation of the last line that stays: lines above it with less indentation are its titles.
    let mut untitled = None;
    for i in record.clone().rev() {
        let line = source.line(i);
        if line.trim().is_empty() {
            continue;
        }
        let margin = indent(line);
        let is_title = untitled.is_some_and(|lines| margin < lines);
        if everywhere(line) && !is_title && !signals::is_failure(line) {
            out.push(i);
        } else {
            untitled = Some(margin);
        }
    }
    out.reverse();
    out
}

/// The names of the fields in some lines, each once.
fn fields(source: &Source<'_>, lines: &[usize]) -> String {
    let mut seen = HashSet::new();
    let mut names = String::new();
    for field in lines.iter().map(|i| field(source.line(*i))).filter(|field| seen.insert(*field)) {
        if names.len() + field.len() > MAX_FIELD_NAMES {
            names.push_str(", …");
            break;
        }
        names.push_str(if names.is_empty() { ": " } else { ", " });
        names.push_str(field);
    }
    names
}

/// The name of the field of a line: what is before a colon, an equals sign or two blanks; otherwise the start of the line.
fn field(line: &str) -> &str {
    let line = line.trim();
    let is_end = |at: &usize| {
        let rest = &line[*at..];
        rest.starts_with("  ") || rest.starts_with('\t') || rest.starts_with(" = ") || {
            let after = rest.strip_prefix([':', '=']);
            after.is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t']))
        }
    };
    let end = memchr::memchr3_iter(b':', b'=', b' ', line.as_bytes())
        .chain(memchr::memchr_iter(b'\t', line.as_bytes()).take(1))
        .find(is_end);
    let name = &line[..end.unwrap_or(line.len())];
    &name[..name.floor_char_boundary(MAX_FIELD_NAME)]
}

/// The records of a text: paragraphs, or lines at the margin with the indented lines below them.
fn records(source: &Source<'_>) -> Vec<Range<usize>> {
    let blank = |i: usize| source.line(i).trim().is_empty();
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for i in (0..source.len()).filter(|&i| !blank(i)) {
        match paragraphs.last_mut() {
            Some(last) if last.end == i => last.end += 1,
            _ => paragraphs.push(i..i + 1),
        }
        match blocks.last_mut() {
            Some(last) if source.line(i).starts_with([' ', '\t']) => last.end = i + 1,
            _ => blocks.push(i..i + 1),
        }
    }
    let long = |mut runs: Vec<Range<usize>>| {
        runs.retain(|run| run.len() > 2);
        runs
    };
    let (paragraphs, blocks) = (long(paragraphs), long(blocks));
    if paragraphs.len() >= MIN_RECORDS && paragraphs.len() >= blocks.len() { paragraphs } else { blocks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_or_blocks() {
        let paragraphs = "a\n b\n c\n\nd\n b\n c\n\ne\n b\n c\n\nf\n b\n c\n\nthe end\n";
        assert_eq!(records(&Source::new(paragraphs)), [0..3, 4..7, 8..11, 12..15]);
        let blocks = "a\n b\n c\nd\n b\n c\n";
        assert_eq!(records(&Source::new(blocks)), [0..3, 3..6]);
    }

    #[test]
    fn a_field_has_a_name() {
        for (line, name) in [
            ("IP4.DNS[1]:      192.168.1.1", "IP4.DNS[1]"),
            ("  Version table:", "Version table"),
            ("P: /devices/a:b", "P"),
            ("MTU = 1500", "MTU"),
            ("Speed  10 Gb", "Speed"),
            ("        100 /var/lib/dpkg/status", "100 /var/lib/dpkg/status"),
            ("E\tx", "E"),
        ] {
            assert_eq!(field(line), name, "{line}");
        }
        let text =
            format!("a: 1\nb: 2\na: 3\n{}", (0..40).map(|i| format!("name{i}: 1\n")).collect::<String>());
        let names = fields(&Source::new(&text), &(0..43).collect::<Vec<_>>());
        assert!(
            names.starts_with(": a, b, name0, ") && names.ends_with(", …") && names.len() < 180,
            "{names}"
        );
    }

    #[test]
    fn titles_stay_above_what_stays() {
        let text =
            "GPU 1\n ECC\n  Now\n   RAM: 0\n   ROM: 0\n  Ever\n   RAM: 0\n   ROM: 7\n Power\n  Cap: 1\n";
        let everywhere = |line: &str| !line.ends_with('7') && !line.starts_with('G');
        assert_eq!(left_out(&Source::new(text), &(0..10), everywhere), [2, 3, 4, 6, 8, 9]);
    }
}
