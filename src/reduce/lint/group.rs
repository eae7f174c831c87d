//! The engine of this family: diagnostics as blocks of lines, and one line for many of the same rule.
//!
//! The first diagnostic of a group becomes the message with every place, the others are left out under one marker:
//! the list of places shows where each of them was. A diagnostic with a line that reports a failure is never part of
//! a group.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::template;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::text::judge::{Counted, EXCEPTION_ONE_IN, RARE_ONE_IN, is_few};
use crate::text::ledger::Reduction;
use crate::text::maps::{Map, Set};
use crate::text::marker;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// One diagnostic.
#[derive(Debug)]
pub struct Block<'a> {
    /// Its lines; the first is its headline, the others are its body.
    pub lines: Range<usize>,
    /// The file.
    pub path: &'a str,
    /// Line and column, as the tool writes them.
    pub place: Cow<'a, str>,
    /// The message, without path and place.
    pub message: Cow<'a, str>,
    /// How it can be written together with others.
    pub layout: Layout,
}

/// How diagnostics are written together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The message, and below it each path with its places.
    ByRule,
    /// Below the heading that names the file: the places before the message. The number identifies the heading.
    Below(usize),
    /// It is not written together with others. Only its body may be left out, except lines that start with this
    /// text.
    Alone(&'static str),
}

/// Findings of a group that are shown with their bodies. A choice: the second shows what differs.
const SHOWN_WHOLE: usize = 2;
/// If a group has diagnostics of more lines than this, only one is shown with its body. A choice.
const LONG_DIAGNOSTIC_LINES: usize = 10;
/// Fewest bytes that a group saves, and all groups together. A choice: less does not pay for reading a list.
const MIN_SAVED_BYTES: usize = 24;
const MIN_SAVED_TOGETHER_BYTES: usize = 160;
/// Approximate length of the longest line of a list of places, in bytes. A choice: a later cut can keep a part of
/// the list.
const MAX_LIST_LINE_BYTES: usize = 1200;
/// In `aggressive`, this many places of one file in a group are shown if the file has more than twice as many. A
/// choice.
const SHOWN_PLACES: usize = 3;

/// What compilers and linters write between a place and a note, and at the start of a line with a note.
const NOTE_MARKS: &[&str] = &[": note: ", ": help: ", ": hint: ", ": info: "];
const NOTE_STARTS: &[&str] =
    &["note: ", "help: ", "hint: ", "Note: ", "Help: ", "Hint: ", "caused by", "Caused by"];

/// What to do with each line.
pub struct Plan<'a> {
    source: &'a Source<'a>,
    actions: LineActions<'a>,
    /// Lines that report a failure, in order.
    failures: Vec<usize>,
    is_aggressive: bool,
}

impl<'a> Plan<'a> {
    /// A plan that changes nothing yet.
    pub fn new(source: &'a Source<'a>, is_aggressive: bool) -> Self {
        Self::with_failures(source, is_aggressive, signals::failure_lines(source))
    }

    /// A group whose failure lines are given by the caller.
    pub fn with_failures(source: &'a Source<'a>, is_aggressive: bool, failures: Vec<usize>) -> Self {
        Self { source, actions: LineActions::new(source), failures, is_aggressive }
    }

    /// Whether a line reports a failure.
    pub fn has_failure(&self, lines: &Range<usize>) -> bool {
        let next = self.failures.partition_point(|&line| line < lines.start);
        self.failures.get(next).is_some_and(|&line| line < lines.end)
    }

    /// Hides lines that report no failure; all of one reason share a marker.
    pub fn omit(&mut self, lines: Range<usize>, reason: Reason) {
        for i in lines {
            if !self.has_failure(&(i..i + 1)) {
                self.actions.omit(i..i + 1, reason, 1);
            }
        }
    }

    /// Whether a line is not shown.
    pub fn is_hidden(&self, line: usize) -> bool {
        self.actions.is_omitted(line)
    }

    /// Whether a line is not shown as it is.
    pub fn is_changed(&self, line: usize) -> bool {
        !self.actions.is_kept(line)
    }

    /// Shows a note on the lists in place of the last of these lines that is not shown.
    pub fn note(&mut self, lines: impl DoubleEndedIterator<Item = usize>, text: Option<String>) {
        let last = lines.rev().find(|line| self.is_hidden(*line));
        if let (Some(last), Some(text)) = (last, text) {
            self.actions.replace(last, text, Reason::SharedMessage);
        }
    }

    /// Writes diagnostics together where that is possible.
    pub fn group(&mut self, blocks: &[Block<'a>]) {
        let mut groups: Vec<Vec<Member>> = Vec::new();
        let mut index: HashMap<(String, usize), usize> = HashMap::new();
        for (i, block) in blocks.iter().enumerate() {
            if self.has_failure(&block.lines) {
                continue;
            }
            let template::Template { key, gaps } = template::split(&block.message);
            let scope = match block.layout {
                Layout::ByRule => 0,
                Layout::Below(heading) => heading + 2,
                Layout::Alone(_) => 1,
            };
            let next = groups.len();
            let at = *index.entry((key, scope)).or_insert(next);
            if at == next {
                groups.push(Vec::new());
            }
            groups[at].push(Member { block: i, gaps });
        }
        let mut keys: Vec<(usize, String)> = index.into_iter().map(|((key, _), at)| (at, key)).collect();
        keys.sort_unstable();
        let mut written = Vec::new();
        for (members, (_, key)) in groups.iter().zip(&keys) {
            let Some(first) = members.first().map(|m| &blocks[m.block]) else { continue };
            let rest = self.without_new_notes(members, self.whole(first), blocks);
            match first.layout {
                Layout::Alone(keeps) => rest.iter().for_each(|m| self.omit_body(&blocks[m.block], keeps)),
                _ if rest.len() < 2 => {}
                layout => {
                    let text = self.text(key, &rest, blocks, layout);
                    let bytes = |m: &&Member| self.source.byte_range(blocks[m.block].lines.clone()).len();
                    let saved = rest.iter().map(bytes).sum::<usize>().saturating_sub(text.len());
                    if saved >= MIN_SAVED_BYTES {
                        written.push((saved, rest, text));
                    }
                }
            }
        }
        if written.iter().map(|(saved, ..)| saved).sum::<usize>() < MIN_SAVED_TOGETHER_BYTES {
            return;
        }
        for (_, members, text) in written {
            for (i, member) in members.iter().enumerate() {
                let Range { start, end } = blocks[member.block].lines;
                self.omit(start..start + 1, Reason::SharedMessage);
                // The list of places shows nothing of the lines below.
                self.omit(start + 1..end, Reason::DiagnosticExcerpt);
                if i == 0 {
                    self.actions.replace(start, text.clone(), Reason::SharedMessage);
                }
            }
        }
    }

    /// The members after the first `whole`, except those with a note that no earlier member has. Such a note may explain
    /// the finding, so these members stay unchanged.
    fn without_new_notes<'m>(
        &self,
        members: &'m [Member],
        whole: usize,
        blocks: &[Block<'a>],
    ) -> Vec<&'m Member> {
        let mut known = Set::default();
        let mut rest = Vec::new();
        for (i, member) in members.iter().enumerate() {
            let mut is_new = false;
            self.notes(&blocks[member.block], |note| is_new |= known.insert(note));
            if i >= whole && !is_new {
                rest.push(member);
            }
        }
        rest
    }

    /// Hashes of the notes below a headline, without their places and what may differ in a message.
    fn notes(&self, block: &Block<'_>, mut note: impl FnMut(u64)) {
        for line in (block.lines.start + 1..block.lines.end).map(|i| self.source.line(i)) {
            let behind_place = NOTE_MARKS.iter().find_map(|mark| Some(line.split_once(mark)?.1));
            let said = line.trim().trim_start_matches(['=', '-', '>', ' ']);
            let marked = || NOTE_STARTS.iter().any(|start| said.starts_with(start)).then_some(said);
            if let Some(text) = behind_place.or_else(marked) {
                note(below(ROOT, &template::split(text).key));
            }
        }
    }

    /// How many diagnostics of a group are kept unchanged, as examples of their bodies.
    fn whole(&self, first: &Block<'_>) -> usize {
        match first.lines.len() {
            _ if matches!(first.layout, Layout::Below(_)) => 0,
            1 => 0,
            lines if self.is_aggressive || lines > LONG_DIAGNOSTIC_LINES => 1,
            _ => SHOWN_WHOLE,
        }
    }

    /// Hides the body of a diagnostic that belongs to no group.
    fn omit_body(&mut self, block: &Block<'_>, keeps: &str) {
        for i in block.lines.start + 1..block.lines.end {
            if !self.source.line(i).starts_with(keeps) {
                self.omit(i..i + 1, Reason::DiagnosticExcerpt);
            }
        }
    }

    fn text(&self, key: &str, members: &[&Member], blocks: &[Block<'a>], layout: Layout) -> String {
        let gap = |m: &&Member, i: usize| blocks[m.block].message.get(m.gaps[i].clone()).unwrap_or_default();
        let count = members.first().map_or(0, |m| m.gaps.len());
        let common = |i: usize| {
            let first = members.first().map(|m| gap(m, i))?;
            members.iter().all(|m| gap(m, i) == first).then(|| first.to_owned())
        };
        let common: Vec<Option<String>> = (0..count).map(common).collect();
        let filled: Vec<Option<&str>> = common.iter().map(Option::as_deref).collect();
        let message = template::fill(key, &filled);
        let column = match layout {
            Layout::ByRule => shared_column(members.iter().map(|m| &*blocks[m.block].place)),
            _ => None,
        };
        let place = |m: &&Member| {
            let own: Vec<&str> = (0..count).filter(|i| common[*i].is_none()).map(|i| gap(m, i)).collect();
            let place = &*blocks[m.block].place;
            let place = column.and_then(|_| place.split(':').next()).unwrap_or(place);
            match own.is_empty() {
                true => place.to_owned(),
                false => format!("{place} ({})", own.join(", ")),
            }
        };
        if let Layout::Below(_) = layout {
            let places: Vec<String> = members.iter().map(place).collect();
            return format!("  {}  {message}", self.list(&places, "\n  "));
        }
        let mut text = message;
        if let Some(column) = column {
            let _ = write!(text, " (column {column})");
        }
        let mut files: Vec<(&str, Vec<String>)> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        for m in members {
            let path = blocks[m.block].path;
            let at = *index.entry(path).or_insert(files.len());
            if at == files.len() {
                files.push((path, Vec::new()));
            }
            files[at].1.push(place(m));
        }
        for (path, places) in files {
            let start = format!("\n  {path}: ");
            let _ = write!(text, "{start}{}", self.list(&places, &start));
        }
        text
    }

    /// Places with commas between; a long list continues after `next`.
    fn list(&self, places: &[String], next: &str) -> String {
        let shown = match self.is_aggressive && places.len() > 2 * SHOWN_PLACES {
            true => SHOWN_PLACES,
            false => places.len(),
        };
        let mut out = String::new();
        let mut line = 0;
        for (i, place) in places[..shown].iter().enumerate() {
            if out.len() - line > MAX_LIST_LINE_BYTES {
                line = out.len();
                out.push_str(next);
            } else if i > 0 {
                out.push_str(", ");
            }
            out.push_str(place);
        }
        if shown < places.len() {
            let _ = write!(out, ", {} more", places.len() - shown);
        }
        out
    }

    /// The spans, or the reason why there are none.
    pub fn finish(self) -> Result<Reduction, Reason> {
        self.actions.finish(Blanks::Keep)
    }
}

/// A rule with at least this many findings has them compared only with each other; those of other rules are compared
/// with all findings of the report. A choice.
const MIN_OF_RULE: usize = 10;
/// Most members that are compared; bounds the memory for a hostile text.
const MAX_COMPARED: usize = 4096;
/// Most members that are named as missing in a list. A choice.
const MAX_NAMED: usize = 12;

/// The members of findings in JSON that a list of places does not have: a fix, an end, a place elsewhere.
///
/// A finding with a member or a value that hardly any other has is kept as it is; the names of the
/// members of the others are written below the list.
#[derive(Default)]
pub struct Unlisted {
    fields: Map<(u64, u64), Field>,
    /// How many findings each rule has.
    rules: Map<u64, usize>,
    /// The rule of each finding, and the members that it has by their place in `names`.
    findings: Vec<(u64, Vec<usize>)>,
    names: Vec<String>,
}

/// One member among the findings of a rule, or of all rules.
#[derive(Default)]
struct Field {
    /// How many findings have it, and the first two of them.
    findings: usize,
    places: [usize; 2],
    last: Option<usize>,
    values: Counted<u64>,
}

/// What a list of places shows of a finding: the paths of members, and their values.
struct Listed {
    paths: Set<u64>,
    above: Set<u64>,
    values: Vec<Value>,
}

/// Parts of keys whose values are line numbers, and parts of keys whose values are numbers that differ in most
/// findings.
const ROWS: &[&str] = &["line", "row"];
const OFFSETS: &[&str] = &["col", "character", "byte", "offset", "start", "index", "length"];

/// The path of the root.
const ROOT: u64 = 0;
/// The key in a path for all elements of a list but the one that a list of places shows.
const OTHERS: &str = "+";

fn below(path: u64, key: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(key.as_bytes(), path.wrapping_add(1))
}

impl Listed {
    /// Paths are dotted; a number selects an element of a list.
    fn of(value: &Value, paths: &[&str]) -> Self {
        let mut listed = Self { paths: Set::default(), above: Set::default(), values: Vec::new() };
        for path in paths.iter().filter(|path| !path.is_empty()) {
            let (mut at, mut value) = (ROOT, Some(value));
            listed.above.insert(at);
            for key in path.split('.') {
                at = below(at, key);
                listed.above.insert(at);
                value = value.and_then(|value| match value {
                    Value::Array(list) => list.get(key.parse::<usize>().ok()?),
                    value => value.get(key),
                });
            }
            listed.paths.insert(at);
            listed.values.extend(value.filter(|value| value.is_number()).cloned());
        }
        listed
    }
}

impl Unlisted {
    /// Adds a finding, of which a list shows the members at these paths.
    pub fn add(&mut self, rule: &str, value: &Value, listed: &[&str]) {
        let rule = below(ROOT, rule);
        *self.rules.entry(rule).or_default() += 1;
        self.findings.push((rule, Vec::new()));
        let listed = Listed::of(value, listed);
        self.compare(value, ROOT, false, "", &listed);
    }

    /// Compares a member and those inside it. `is_named`: a member that holds it is named already.
    fn compare(&mut self, value: &Value, path: u64, is_named: bool, key: &str, listed: &Listed) {
        crate::stop::check_sometimes();
        if listed.paths.contains(&path) && !value.is_object() && !value.is_array() {
            return;
        }
        let is_part = listed.above.contains(&path);
        // If the list shows a part of a member, its other parts are named.
        let is_named = !is_part && (is_named || self.name(key, value));
        let has = |part: &&str| key.to_ascii_lowercase().contains(*part);
        let class = match value {
            Value::Object(_) => 1,
            Value::Array(_) => 2,
            // Most findings end on the line where they start. Columns and offsets vary by chance.
            Value::Number(_) if listed.values.contains(value) && ROWS.iter().any(has) => 3,
            Value::Number(_) if OFFSETS.iter().any(has) => 4,
            value => below(5, &value.to_string()),
        };
        self.count(path, class);
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    self.compare(value, below(path, key), is_named, key, listed);
                }
            }
            Value::Array(list) => {
                for (i, value) in list.iter().enumerate() {
                    let own = below(path, &i.to_string());
                    let path = if is_part && listed.above.contains(&own) { own } else { below(path, OTHERS) };
                    self.compare(value, path, is_named, key, listed);
                }
            }
            _ => {}
        }
    }

    /// Records the name of a member of the last finding, unless it is null or empty. The text comes from outside: a key
    /// that could be read as something else, such as one with a line end in it, counts but is not written.
    fn name(&mut self, key: &str, value: &Value) -> bool {
        let is_nothing = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        let Some((_, members)) = self.findings.last_mut().filter(|_| !is_nothing) else { return false };
        let known = self.names.iter().position(|name| name == key);
        let is_name = !key.is_empty() && marker::is_name(key);
        let at = if is_name { known.unwrap_or(self.names.len()).min(MAX_NAMED) } else { MAX_NAMED };
        if at == self.names.len() && at < MAX_NAMED {
            self.names.push(key.to_owned());
        }
        if !members.contains(&at) {
            members.push(at);
        }
        true
    }

    /// Counts a value of the last finding, for its rule and for all.
    fn count(&mut self, path: u64, class: u64) {
        let Some(finding) = self.findings.len().checked_sub(1) else { return };
        for scope in [self.findings[finding].0, ROOT] {
            if self.fields.len() == MAX_COMPARED && !self.fields.contains_key(&(scope, path)) {
                continue;
            }
            let field = self.fields.entry((scope, path)).or_default();
            field.values.add(class, finding);
            if field.last.replace(finding) != Some(finding) {
                if let Some(free) = field.places.get_mut(field.findings) {
                    *free = finding;
                }
                field.findings += 1;
            }
        }
    }

    /// Which findings have a member or a value that hardly any other has.
    pub fn outliers(&self) -> Vec<bool> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let of_rule = |rule: &u64| self.rules.get(rule).copied().filter(|count| *count >= MIN_OF_RULE);
        for ((scope, _), field) in &self.fields {
            crate::stop::check_sometimes();
            let all = if *scope == ROOT { Some(self.findings.len()) } else { of_rule(scope) };
            let Some(all) = all.filter(|all| *all >= MIN_OF_RULE) else { continue };
            let mut places = field.values.rare();
            let is_rare = field.findings <= field.places.len() && is_few(field.findings, all, RARE_ONE_IN);
            if is_rare && field.findings < all {
                places.extend(&field.places[..field.findings]);
            }
            places.sort_unstable();
            places.dedup();
            // A value that is rare among all findings may be usual for its rule.
            places.retain(|place| *scope != ROOT || of_rule(&self.findings[*place].0).is_none());
            let count = places.len();
            if *scope != ROOT || count == 1 {
                found.extend(places.into_iter().map(|place| (count, place)));
            }
        }
        found.sort_unstable();
        let mut odd = vec![false; self.findings.len()];
        let mut left = (self.findings.len() / EXCEPTION_ONE_IN).max(2);
        for (_, place) in found {
            if left > 0 && !std::mem::replace(&mut odd[place], true) {
                left -= 1;
            }
        }
        odd
    }

    /// The line that names the members which a list of these findings does not have; `None` if there are none.
    pub fn missing(&self, is_listed: impl Fn(usize) -> bool) -> Option<String> {
        let mut has = [false; MAX_NAMED + 1];
        let findings = self.findings.iter().enumerate().filter(|(i, _)| is_listed(*i));
        findings.flat_map(|(_, (_, members))| members).for_each(|at| has[*at] = true);
        let named = self.names.iter().zip(has).filter(|(_, has)| *has);
        let mut names: Vec<&str> = named.map(|(name, _)| name.as_str()).collect();
        if has[MAX_NAMED] {
            names.push("...");
        }
        (!names.is_empty()).then(|| format!("(not in the lists: {})", names.join(", ")))
    }
}

/// The column that many places have in common.
fn shared_column<'p>(mut places: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    const MANY: usize = 5;
    let (_, column) = places.next()?.split_once(':').filter(|(_, column)| !column.contains([':', '-']))?;
    let mut count = 1;
    let same = places.all(|place| {
        count += 1;
        place.split_once(':').is_some_and(|(_, other)| other == column)
    });
    (same && count >= MANY).then_some(column)
}

/// A diagnostic of a group.
struct Member {
    block: usize,
    gaps: Vec<Range<usize>>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::config::{Mode, Policy};
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    const PATHS: [&str; 3] = ["src/a.py", "lib/b c.py", "C:\\x\\d.py"];
    const MESSAGES: [&str; 4] = [
        "E501 line too long (# > 79 characters)",
        "F401 'name#' imported but unused",
        "W291 trailing whitespace",
        "W605 invalid escape sequence 'a, (#'",
    ];

    fn compressed(text: &str, mode: Mode) -> String {
        compressed_by("flake8 .", text, mode)
    }

    fn compressed_by(command: &str, text: &str, mode: Mode) -> String {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        let policy = Policy { min_bytes: 0, mode, ..Policy::default() };
        compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    }

    /// The findings of an output: path, row, column, message with its gaps filled.
    fn findings(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let mut head = String::new();
        for line in text.lines() {
            let grouped = line.strip_prefix("  ").and_then(|l| l.split_once(": "));
            if let Some((path, places)) = grouped {
                let (message, column) = match head.rsplit_once(" (column ") {
                    Some((message, column)) => {
                        (message.to_owned(), Some(column.trim_end_matches(')').to_owned()))
                    }
                    None => (head.clone(), None),
                };
                for place in places.split(", ") {
                    let (place, gap) =
                        place.split_once(" (").map_or((place, ""), |(p, g)| (p, g.trim_end_matches(')')));
                    let place = column.as_ref().map_or(place.to_owned(), |c| format!("{place}:{c}"));
                    out.push(format!("{path}:{place}: {}", message.replace('…', gap)));
                }
            } else if PATHS.iter().any(|p| line.starts_with(p)) {
                out.push(line.to_owned());
            } else {
                head = line.to_owned();
            }
        }
        out.sort();
        out
    }

    proptest! {
        #[test]
        fn every_finding_can_be_read_off(
            rows in proptest::collection::vec((0usize..3, 0usize..4, 1u32..500, 1u32..4, 80u32..90), 1..80),
        ) {
            let line = |&(p, m, row, col, n): &(usize, usize, u32, u32, u32)| {
                let message = MESSAGES[m].replace('#', &n.to_string());
                format!("{}:{row}:{col}: {message}\n", PATHS[p])
            };
            let text: String = rows.iter().map(line).collect();
            let out = compressed(&text, Mode::Standard);
            // A line that is repeated at once is counted, not listed.
            prop_assume!(!out.contains("repeats"));
            let shown: String = out.lines().filter(|l| !l.starts_with("[tersed")).map(|l| format!("{l}\n")).collect();
            prop_assert_eq!(findings(&shown), findings(&text), "{}\n{}", text, out);
        }
    }

    #[test]
    fn a_note_that_no_other_finding_has_keeps_its_finding() {
        let finding = |i: usize| {
            let note = if i == 33 { "Assuming 'count' is < 0" } else { "expanded from macro 'CLEAR'" };
            format!(
                "src/a{i}.cc:{}:9: warning: use nullptr [modernize-use-nullptr]\n    a = NULL;\n        ^\nsrc/a{i}.cc:{i}:3: note: {note}\n",
                i + 1
            )
        };
        let text: String = (1..41).map(finding).collect();
        for mode in [Mode::Standard, Mode::Aggressive] {
            let out = compressed_by("clang-tidy -p build src/*.cc", &text, mode);
            assert!(out.contains(&finding(33)), "{out}");
            assert_eq!(out.matches("note: ").count(), if mode == Mode::Standard { 3 } else { 2 }, "{out}");
            // What stands below the headlines is not in the list of places.
            assert!(out.contains(", diagnostic_excerpt]"), "{out}");
        }
    }

    #[test]
    fn a_finding_with_a_member_or_value_of_its_own_is_odd() {
        let odd = |i: usize, member: &str| {
            let own = if i == 33 { member } else { "" };
            format!(
                "{{\"rule\":\"a\",\"at\":{{\"line\":{i},\"end_line\":{i}}},\"fix\":null,\"state\":\"old\"{own}}}"
            )
        };
        for (member, is_odd) in [
            ("", false),
            (",\"state\":\"new\"", true),
            (",\"fix\":{\"text\":\"b\"}", true),
            (",\"at\":{\"line\":33,\"end_line\":912}", true),
            (",\"at\":{\"line\":4,\"end_line\":4}", false),
            (",\"more\":[1]", true),
        ] {
            let mut all = super::Unlisted::default();
            for i in 0..60 {
                let value = serde_json::from_str(&odd(i, member)).unwrap();
                all.add("a", &value, &["rule", "at.line"]);
            }
            let found: Vec<usize> = (0..60).filter(|i| all.outliers()[*i]).collect();
            assert_eq!(found, if is_odd { vec![33] } else { vec![] }, "{member}");
            assert_eq!(all.missing(|i| i != 33).as_deref(), Some("(not in the lists: end_line, state)"));
            assert_eq!(all.missing(|_| false), None);
        }
    }

    #[test]
    fn a_key_that_is_no_name_is_not_written() {
        let mut all = super::Unlisted::default();
        for key in
            ["fix", "a\nerror: all failed", "x] [tersed: exit status 1", "", "two words", &"k".repeat(500)]
        {
            let value = serde_json::json!({ "rule": "a", key: 1 });
            all.add("a", &value, &["rule"]);
        }
        assert_eq!(all.missing(|_| true).as_deref(), Some("(not in the lists: fix, ...)"));
    }

    #[test]
    fn aggressive_counts_what_it_does_not_list() {
        let text: String =
            (1..90).map(|row| format!("src/a.py:{row}:80: W291 trailing whitespace\n")).collect();
        let out = compressed(&text, Mode::Aggressive);
        assert!(
            out.starts_with("W291 trailing whitespace (column 80)\n  src/a.py: 1, 2, 3, 86 more\n"),
            "{out}"
        );
    }
}
