//! Finds what each line of a record is about (its key, or its first word that is not a number) and where records start.

use crate::pipeline::limit::columns;
use crate::pipeline::limit::unit::digest;
use crate::pipeline::limit::values::MIN_ROWS_FOR_EXCEPTION;
use crate::text::judge::{self, EXCEPTION_ONE_IN, number};
use crate::text::lines::is_blank;
use crate::text::maps::{Map, Set};
use crate::text::source::Source;

/// The form of a line without text.
pub(super) const BLANK_FORM: u64 = 0;
/// Bytes at the start of a line that are read.
const MAX_BYTES: usize = 256;
/// The longest key, in bytes.
const MAX_KEY_BYTES: usize = 48;
/// The most words that are searched for the one that a line is about.
const MAX_WORDS: usize = 4;
/// The most lines of one form in one record that are distinguished.
const MAX_NTH: u32 = 64;

/// How many lines a record has on average. With one line, the records are rows of a table; longer blocks are
/// sections of a document.
pub(super) const RECORD_LINES: std::ops::RangeInclusive<usize> = 2..=400;
/// At least this many quarters of the text must be records, and of the distances between records be regular.
const MOST_QUARTERS: usize = 3;
/// No record may be longer than this many mean records.
const MAX_MEAN_RECORDS: usize = 8;
/// The most forms that are tried as the first line of a record.
const MAX_TRIED: usize = 8;
/// The most forms and slots that are counted separately; bounds the memory for a hostile text.
pub(super) const MAX_FORMS: usize = 4096;
/// The shortest word that names a record, in bytes.
const MIN_TITLE_BYTES: usize = 3;
/// At most 1 record in this many has another number of lines above, or no title of its own.
const OUTLIER_ONE_IN: usize = EXCEPTION_ONE_IN;

/// The form of a line, and its position among the lines of this form in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    form: u64,
    nth: u32,
}

impl Slot {
    pub(super) fn is_blank(self) -> bool {
        self.form == BLANK_FORM
    }
}

/// The slots of all lines from the first record on. A line with only numbers is about the same as the line above it.
pub(super) fn numbered(source: &Source<'_>, forms: &[u64], starts: &[usize]) -> Vec<Slot> {
    let mut seen: Map<u64, u32> = Map::default();
    let mut next = starts.iter().peekable();
    let mut above = BLANK_FORM;
    let mut out = Vec::new();
    for (line, &form) in forms.iter().enumerate().skip(starts[0]) {
        crate::stop::check_sometimes();
        if next.next_if_eq(&&line).is_some() {
            seen.clear();
        }
        let is_numbers = form != BLANK_FORM && only_numbers(source.line(line));
        let form = if is_numbers { digest(&above.to_le_bytes(), 1) } else { form };
        above = form;
        let nth = seen.entry(form).or_default();
        out.push(Slot { form, nth: *nth });
        *nth = (*nth + 1).min(MAX_NTH);
    }
    out
}

/// A digest of the indentation of a line and what it is about, without digits and ids.
pub(super) fn form(line: &str) -> u64 {
    form_without(line, "")
}

/// The form of a line of a record, without the name of its record.
pub(super) fn form_without(line: &str, name: &str) -> u64 {
    let text = start(line);
    if text.is_empty() {
        return BLANK_FORM;
    }
    let about = match key(text) {
        Some(key) => key,
        None => word(text, name),
    };
    let is_word = |at: &usize| {
        let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = about.as_bytes();
        !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && !is_part(bytes.get(at + name.len()))
    };
    let found =
        if name.is_empty() { None } else { about.match_indices(name).map(|(at, _)| at).find(is_word) };
    let (before, behind) = found.map_or((about, ""), |at| (&about[..at], &about[at + name.len()..]));
    let mut kept = [0; MAX_BYTES];
    let mut len = 0;
    for part in [before, behind] {
        for run in part.as_bytes().chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric()) {
            if judge::is_id(run) {
                continue;
            }
            for byte in run.iter().filter(|b| !b.is_ascii_digit()) {
                kept[len] = *byte;
                len += 1;
            }
        }
    }
    // Never 0, which is the form of a blank line.
    digest(&kept[..len], indent(line)).max(1)
}

/// The number of a task whose lines are interleaved with those of others, at the start of a line: `#17` of `#17 DONE 0.3s`.
pub(super) fn tag(line: &str) -> Option<&str> {
    let tag = line.split_once(' ')?.0;
    let digits = tag.strip_prefix('#')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(tag)
}

/// A line without its tag.
pub(super) fn untagged(line: &str) -> &str {
    tag(line).map_or(line, |tag| &line[tag.len() + 1..])
}

/// Whether a line is a comment without text, as above and below a title: it does not start a record.
pub(super) fn is_empty_comment(line: &str) -> bool {
    matches!(line.trim(), "--" | "#" | "//" | "*" | ";" | "##")
}

/// Whether a line is a branch of a drawn tree: it belongs to a line above.
fn is_branch(line: &str) -> bool {
    const BRANCHES: &[&str] = &["|-- ", "`-- ", "+-- ", "+- ", "\\- "];
    let line = line.trim_start();
    line.starts_with(['\u{2502}', '\u{251c}', '\u{2514}', '\u{2570}'])
        || BRANCHES.iter().any(|drawn| line.starts_with(drawn))
}

/// The first word of a line that is not a number.
pub(super) fn title(line: &str) -> &str {
    word(start(line), "")
}

/// Whether a line has a key: `Exit Code:  137`.
pub(super) fn has_key(line: &str) -> bool {
    key(start(line)).is_some()
}

/// Whether a line may be the heading of columns: two words or more, and no digits.
pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.split_ascii_whitespace().nth(1).is_some() && !line.bytes().any(|b| b.is_ascii_digit())
}

/// Whether a line ends with something other than a number: if all lines of a slot differ, they name their records.
pub(super) fn is_name(line: &str) -> bool {
    let last = start(line).split_ascii_whitespace().next_back().unwrap_or_default();
    number(last.as_bytes()).is_none()
}

/// A line without the number of the process before it, as Valgrind writes it: `==99== 8 bytes in 1 blocks`.
fn bare(line: &str) -> &str {
    let number = line.strip_prefix("==").and_then(|rest| rest.split_once("=="));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    number
        .filter(|(number, _)| is_number(number))
        .map_or(line, |(_, rest)| rest.strip_prefix(' ').unwrap_or(rest))
}

/// The number of blanks and tabs before a line.
pub(super) fn indent(line: &str) -> usize {
    bare(line).bytes().take(MAX_BYTES).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The part of a line that is read.
fn start(line: &str) -> &str {
    let line = bare(line);
    line[..line.floor_char_boundary(MAX_BYTES)].trim()
}

/// The text before a colon that is followed by a blank or by nothing, or before the only equals sign: `Restart=no`.
fn key(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let start = &bytes[..bytes.len().min(MAX_KEY_BYTES)];
    let is_end = |at: &usize| bytes.get(at + 1).is_none_or(|b| matches!(b, b' ' | b'\t'));
    let colon = memchr::memchr_iter(b':', start).find(is_end);
    let equals = || {
        let at = memchr::memchr(b'=', start)?;
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        let is_only = memchr::memchr(b'=', &bytes[at + 1..]).is_none();
        (is_only && at > 0 && bytes[..at].iter().all(is_name)).then_some(at)
    };
    Some(&text[..colon.or_else(equals)?])
}

/// The first word with a letter, other than `name`; but the first word if it has neither a letter nor a leading digit,
/// as `#3` or `->`.
fn word<'a>(text: &'a str, name: &str) -> &'a str {
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    if !first.bytes().any(|b| b.is_ascii_alphabetic()) && !first.starts_with(|c: char| c.is_ascii_digit()) {
        return first;
    }
    // A level in brackets is at the start of many lines: `[INFO]`.
    let is_level = |word: &str| word.starts_with('[') && word.ends_with(']');
    let skipped = usize::from(is_level(first));
    let words = text.split_ascii_whitespace().skip(skipped).take(MAX_WORDS);
    let is_word = |word: &&str| number(word.as_bytes()).is_none() && (name.is_empty() || *word != name);
    words
        .filter(is_word)
        .find(|word| word.bytes().any(|b| b.is_ascii_alphabetic()) || !word.is_ascii())
        .unwrap_or_default()
}

fn only_numbers(line: &str) -> bool {
    start(line).split_ascii_whitespace().all(|word| number(word.as_bytes()).is_some())
}

/// The first lines of the records of a text, and the forms of all lines.
pub(super) fn starts_and_forms(source: &Source<'_>) -> Option<(Vec<usize>, Vec<u64>)> {
    if let Some(starts) = turns(source) {
        return Some((starts, forms_of(source, untagged)));
    }
    let found = by_form(source);
    match pairs(source) {
        // The first lines of the pairs have no common form, or the records start with second lines.
        Some(starts) if found.as_ref().is_none_or(|(found, _)| starts.binary_search(&found[0]).is_err()) => {
            let by_indent = |line: usize| digest(&[], indent(source.line(line))).max(1);
            Some((starts, (0..source.len()).map(by_indent).collect()))
        }
        _ => found,
    }
}

/// The first lines of records of two lines of which the second is indented further, as of `readelf -S`: nearly all lines are in
/// such a pair.
fn pairs(source: &Source<'_>) -> Option<Vec<usize>> {
    let mut first: Map<(usize, usize), Vec<usize>> = Map::default();
    for line in 1..source.len() {
        crate::stop::check_sometimes();
        let (above, below) = (source.line(line - 1), source.line(line));
        let indents = (indent(above), indent(below));
        if indents.0 < indents.1 && indents.0 < MAX_BYTES && !is_blank(above) && !is_blank(below) {
            first.entry(indents).or_default().push(line - 1);
        }
    }
    let starts = first.into_values().max_by_key(|starts| (starts.len(), std::cmp::Reverse(starts[0])))?;
    let lines = 2 * starts.len();
    (starts.len() >= MIN_ROWS_FOR_EXCEPTION
        && lines * 4 >= source.len() * MOST_QUARTERS
        && are_pairs(source, &starts))
    .then_some(starts)
}

/// Whether nearly all records are two lines of which the second is indented further.
pub(super) fn are_pairs(source: &Source<'_>, starts: &[usize]) -> bool {
    let is_pair = |pair: &&[usize]| {
        pair[1] - pair[0] == 2 && indent(source.line(pair[0])) < indent(source.line(pair[0] + 1))
    };
    let pairs = starts.windows(2).filter(is_pair).count();
    starts.len() > 1 && pairs * OUTLIER_ONE_IN >= (starts.len() - 1) * (OUTLIER_ONE_IN - 1)
}

fn forms_of(source: &Source<'_>, part: fn(&str) -> &str) -> Vec<u64> {
    (0..source.len()).map(|line| form(part(source.line(line)))).collect()
}

/// The first lines of runs of lines of one task, if most lines start with the number of their task: `#17 [3/9] RUN npm ci`, and
/// below it `#17 DONE 0.3s`. Frames of a stack have numbers too, but no two lines have the same one.
fn turns(source: &Source<'_>) -> Option<Vec<usize>> {
    let (mut lines, mut tagged, mut starts) = (0, 0, Vec::new());
    let mut last = None;
    for line in 0..source.len() {
        crate::stop::check_sometimes();
        let text = source.line(line);
        if is_blank(text) {
            continue;
        }
        lines += 1;
        let Some(tag) = tag(text) else { continue };
        tagged += 1;
        if last.replace(tag) != Some(tag) {
            starts.push(line);
        }
    }
    let are_turns = tagged * 4 >= lines * MOST_QUARTERS && tagged >= starts.len() * RECORD_LINES.start();
    (are_turns && starts.len() >= MIN_ROWS_FOR_EXCEPTION).then_some(starts)
}

/// The first lines of records, by a form that is repeated, and the forms of all lines.
fn by_form(source: &Source<'_>) -> Option<(Vec<usize>, Vec<u64>)> {
    let mut forms = forms_of(source, |line| line);
    // Rows of a table are compared as rows. But a line above each of several tables can start a record.
    let words = columns::table_words(source);
    let may_not_start = |line: usize| {
        let text = source.line(line);
        words.is_some_and(|words| text.split_ascii_whitespace().count() == words) || is_empty_comment(text)
    };
    let mut starts = starts(&forms, &may_not_start)?;
    move_to_roots(source, &mut starts);
    move_to_blocks(source, &mut starts);
    if move_to_parents(source, &mut starts) || move_to_titles(source, &mut starts) {
        let ends = starts.iter().skip(1).copied().chain([source.len()]);
        for (start, end) in starts.iter().zip(ends) {
            let name = Some(title(source.line(*start)));
            let name = name.filter(|name| name.len() >= MIN_TITLE_BYTES).unwrap_or_default();
            for (line, form) in forms.iter_mut().enumerate().take(end).skip(*start) {
                *form = form_without(source.line(line), name);
            }
        }
    }
    Some((starts, forms))
}

/// Moves the first lines of records that are branches of drawn trees to the roots of these.
fn move_to_roots(source: &Source<'_>, starts: &mut Vec<usize>) {
    /// The most lines above a branch that are searched for its root.
    const MOST: usize = 64;
    let branch = |line: usize| is_branch(source.line(line));
    if !branch(starts[0]) {
        return;
    }
    for start in starts.iter_mut() {
        crate::stop::check_sometimes();
        let root = (start.saturating_sub(MOST)..*start).rev().find(|line| !branch(*line));
        *start = root.filter(|root| !is_blank(source.line(*root))).unwrap_or(*start);
    }
    starts.dedup();
}

/// Moves the first lines of records to those of their blocks, if blank lines divide the text and nearly all records have the
/// same number of lines above: `[[package]]` and a name above the first form that the head of the file has too.
fn move_to_blocks(source: &Source<'_>, starts: &mut [usize]) {
    const MOST: usize = 4;
    let is_blank = |line: &usize| is_blank(source.line(*line));
    let above = |start: usize| {
        (start.saturating_sub(MOST + 1)..start).rev().take_while(|line| !is_blank(line)).count()
    };
    let counts: Vec<usize> = starts.iter().map(|start| above(*start)).collect();
    let mut of_counts = [0; MOST + 1];
    counts.iter().filter(|count| (2..=MOST).contains(count)).for_each(|count| of_counts[*count] += 1);
    let Some(usual) = (2..=MOST).max_by_key(|count| of_counts[*count]) else { return };
    if of_counts[usual] * OUTLIER_ONE_IN >= starts.len() * (OUTLIER_ONE_IN - 1) {
        let of_block = starts.iter_mut().zip(counts).filter(|(_, count)| *count == usual);
        of_block.for_each(|(start, _)| *start -= usual);
    }
}

/// Moves the first lines of records to the less indented lines that they are below, if nearly all have one of their own: the
/// names of network interfaces have several forms, the `Flags:` or `media:` below them have one. Returns whether it did.
fn move_to_parents(source: &Source<'_>, starts: &mut [usize]) -> bool {
    let parent = |above: usize, start: usize| {
        let own = indent(source.line(start));
        let is_parent =
            |line: &usize| indent(source.line(*line)) < own && !source.line(*line).trim().is_empty();
        (above..start).rev().find(is_parent)
    };
    let above = std::iter::once(0).chain(starts.iter().map(|start| start + 1));
    let parents: Vec<Option<usize>> =
        above.zip(&*starts).map(|(above, start)| parent(above, *start)).collect();
    if parents.iter().flatten().count() * OUTLIER_ONE_IN < starts.len() * (OUTLIER_ONE_IN - 1) {
        return false;
    }
    for (start, parent) in starts.iter_mut().zip(parents) {
        *start = parent.unwrap_or(*start);
    }
    true
}

/// Moves the first lines of records to the names above them, if these are all different and below a blank line, as in
/// the reports of `npm audit`: `tarpit  <2.4.1` above `Severity: critical`; or if they can only be headings, as `web-7 |
/// CHANGED | rc=0 >>`. Returns whether it did.
fn move_to_titles(source: &Source<'_>, starts: &mut Vec<usize>) -> bool {
    let is_blank = |line: usize| is_blank(source.line(line));
    if has_headings(source, starts) {
        starts.iter_mut().for_each(|start| *start -= 1);
        return true;
    }
    // The start of the text divides as a blank line does.
    let has_title =
        |start: &usize| *start >= 1 && !is_blank(start - 1) && start.checked_sub(2).is_none_or(is_blank);
    let titled = || starts.iter().filter(|start| has_title(start)).map(|start| title(source.line(start - 1)));
    let different: Set<&str> = titled().filter(|title| title.len() >= MIN_TITLE_BYTES).collect();
    if different.len() * OUTLIER_ONE_IN < starts.len() * (OUTLIER_ONE_IN - 1) {
        return false;
    }
    for start in starts.iter_mut() {
        *start -= usize::from(has_title(start));
    }
    starts.dedup();
    true
}

/// Whether the line above each record is its heading: nearly all differ, no form of them is common, and the last record has
/// no such line at its end, so that they do not belong to the record above.
fn has_headings(source: &Source<'_>, starts: &[usize]) -> bool {
    /// At most 1 in this many headings has the form of another one: `web-1` and `web-2`.
    const ALIKE_ONE_IN: usize = 4;
    if starts.iter().any(|start| *start == 0 || is_blank(source.line(start - 1))) {
        return false;
    }
    let heading = |start: &usize| source.line(start - 1).trim();
    let different: Set<&str> = starts.iter().map(heading).collect();
    let mut forms: Map<u64, usize> = Map::default();
    starts.iter().for_each(|start| *forms.entry(form(heading(start))).or_default() += 1);
    let most = forms.values().max().copied().unwrap_or(0);
    if different.len() * OUTLIER_ONE_IN < starts.len() * (OUTLIER_ONE_IN - 1)
        || most * ALIKE_ONE_IN > starts.len()
    {
        return false;
    }
    let mut lengths: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    lengths.sort_unstable();
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    let is_blank = |line: &usize| is_blank(source.line(*line));
    let end = (starts[starts.len() - 1]..source.len()).rev().find(|line| !is_blank(line));
    let last = end.map_or(0, |end| end + 1 - starts[starts.len() - 1]);
    // The part below the last record, if the text has one, says nothing.
    last + 1 == usual || starts[0] == 1 && last > usual
}

/// The first lines of records: all lines with the first form that is repeated at regular distances.
fn starts(forms: &[u64], may_not_start: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
    // For each form how often it occurs, and its first and last line.
    let mut known: Map<u64, (usize, usize, usize)> = Map::default();
    let may_start = |(line, form): &(usize, &u64)| **form != BLANK_FORM && !may_not_start(*line);
    for (line, &form) in forms.iter().enumerate().filter(may_start) {
        crate::stop::check_sometimes();
        if known.len() < MAX_FORMS || known.contains_key(&form) {
            let entry = known.entry(form).or_insert((0, line, line));
            (entry.0, entry.2) = (entry.0 + 1, line);
        }
    }
    let mut heads: Vec<(usize, u64, usize)> = Vec::new();
    for (form, (count, first, last)) in known {
        if count < MIN_ROWS_FOR_EXCEPTION {
            continue;
        }
        let mean = (last - first) / (count - 1);
        if RECORD_LINES.contains(&mean) && (last - first + mean) * 4 >= forms.len() * MOST_QUARTERS {
            heads.push((first, form, mean));
        }
    }
    heads.sort_unstable();
    heads.into_iter().take(MAX_TRIED).find_map(|(_, form, mean)| {
        crate::stop::check();
        let starts: Vec<usize> = (0..forms.len()).filter(|line| forms[*line] == form).collect();
        let is_even = |pair: &&[usize]| (pair[1] - pair[0]).abs_diff(mean) <= mean / 2;
        let even = starts.windows(2).filter(is_even).count();
        // A text with a long gap between records has other content there.
        let has_gap = starts.windows(2).any(|pair| pair[1] - pair[0] > mean * MAX_MEAN_RECORDS);
        (even * 4 >= (starts.len() - 1) * MOST_QUARTERS && !has_gap).then_some(starts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lines_are_about() {
        let same = |a: &str, b: &str| form(a) == form(b);
        for (a, b) in [
            ("2: eth0: <UP>", "13: veth1@if2: <DOWN>"),
            ("  5 Reallocated_Sector_Ct 0x33 200", "  5 Reallocated_Sector_Ct 0x33 1"),
            ("    Exit Code:    137", "    Exit Code:    0"),
            ("#0  0x7f in a ()", "#3  wait (b=1)"),
            ("   ->  Index Scan using a", "   ->  Seq Scan on b"),
            ("Thread 1 (Thread 0x7f6e1c00c35d (LWP 4001)):", "Thread 14 (Thread 0x7f0d238fd486 (LWP 4014)):"),
            ("rx_queue_3_bytes: 1", "rx_queue_21_bytes: 0"),
            ("[INFO] |  \\- com.x:core:jar:2.15.3", "[INFO] |  \\- com.x:core:jar:2.15.0"),
            ("Restart=no", "Restart=on failure"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("Name: a", "  Name: a"),
            ("Status: up", "State: up"),
            ("12 a", "12 b"),
            ("[INFO] a b", "[INFO] b b"),
            ("", "a"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
        // The name of the record is left out as a word, not as a part of one.
        assert!(form_without("tar is slow", "tar") == form_without("qs is slow", "qs"));
        assert!(form_without("Starting: 1", "tar") == form("Starting: 1"));
        assert!(has_key("Exit Code: 1") && !has_key("at 12:00 a") && only_numbers(" 1 2.5 0"));
        assert!(is_name("Serial: A12") && !is_name("Hours: 812") && is_heading("RX: bytes packets"));
    }
}
