//! Chooses which lines of an outlined file may be left out, and which stay because they matter now.

use std::sync::Arc;

use super::Lines;
use crate::config::FileDetail;
use crate::detect::edit;
use crate::outline::{Item, Kind, MAX_STATEMENT_LINES};
use crate::text::headings::{self, Heads};
use crate::text::ledger::Ledger;
use crate::text::relevance::Relevance;
use crate::text::source::Source;

/// Lines kept at the start of a file: its purpose and its imports.
const HEAD_LINES: usize = 20;
/// Fewest lines of a gap.
const MIN_GAP_LINES: usize = 4;
/// Lines that are ranked together as a block. A choice.
const BLOCK_LINES: usize = 12;
/// Percentage of the removable lines that is kept for the topic of the session, and the same for a query. A choice.
const SESSION_PERCENT: usize = 5;
const QUERY_PERCENT: usize = 25;
/// Most titles of sections where only signatures are shown, and their deepest level. A choice: a page of contents.
const MAX_TITLES: usize = 48;
const MAX_TITLE_DEPTH: u8 = 4;
/// A value, such as a table, has a body if it takes more lines than this.
const MIN_BODY_LINES: usize = 12;

/// Shortest text of an edit that is searched for, in bytes, and the most places where it may occur. A choice: other
/// texts do not identify a place.
const MIN_EDIT_BYTES: usize = 4;
const MAX_EDIT_PLACES: usize = 8;
/// Lines of the longest declaration that stays whole around such a place, and lines on each side of it in a longer one.
const MAX_EDITED_ITEM: usize = 60;
const CONTEXT_LINES: usize = 5;
/// Most lines that stay because recent results point at them. A choice.
const MAX_POINTED_LINES: usize = 160;

/// The lines of the conflicts of a merge: whole if they are short, or else those around their marks. A view may begin or end
/// inside a conflict.
pub fn conflicts(lines: &[&str]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut add = |first: usize, end: usize| {
        if end - first <= MAX_CONFLICT_LINES {
            out.extend(first..end);
        } else {
            let marks = (first..end).filter(|i| is_conflict_mark(lines[*i]));
            out.extend(marks.flat_map(|mark| mark.saturating_sub(1)..(mark + 2).min(lines.len())));
        }
    };
    // The first line of the open conflict. The view may begin inside a conflict, so one may be open at its first
    // line.
    let mut open = Some(0);
    let mut is_certain = false;
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("<<<<<<< ") {
            (open, is_certain) = (Some(at), true);
        } else if line.starts_with(">>>>>>> ")
            && let Some(first) = open.take()
        {
            add(first, at + 1);
            is_certain = false;
        }
    }
    if let Some(first) = open.filter(|_| is_certain) {
        add(first, lines.len());
    }
    out.dedup();
    out
}

/// Most lines of a conflict of a merge that is shown whole. A choice.
const MAX_CONFLICT_LINES: usize = 41;

/// `=======` and its kind.
fn is_conflict_mark(line: &str) -> bool {
    ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark)) || line == "======="
}

/// Most lines that the first sentence of a comment may take. A choice.
const MAX_SENTENCE_LINES: usize = 4;

/// Kept lines and the heads of their blocks may take at most 1/N of the bytes of a body. If they take more, outer
/// heads are not added, and single lines are left out. A choice.
const HEADS_ONE_IN: usize = 2;
/// Most lines of a run that is left out if it would need too many heads. A choice: longer runs were chosen as blocks.
const MAX_SINGLE_LINES: usize = 2;
/// A body with at most this many lines keeps its single lines: little would be saved. A choice.
const MAX_SHORT_BODY: usize = 8;
/// Approximate bytes of the marker of one more gap.
const GAP_BYTES: usize = 48;
/// Most bytes of a gap below a head that is not worth its marker and names. A choice.
const SMALL_GAP_BYTES: usize = 3 * GAP_BYTES;
/// Most heads that are added above a line. Bounds the work.
const MAX_HEADS: usize = 12;

/// For each line, whether it may be left out.
pub(super) struct Plan {
    may_go: Vec<bool>,
    /// The line after those that are kept at the start.
    head: usize,
    /// Lines that stay whatever they cost.
    must_stay: Vec<bool>,
    /// Lines in bodies and comments, which may go unless there is a special reason.
    in_body: Vec<bool>,
}

impl Plan {
    /// `with_values` says whether tables of values may be left out too.
    pub(super) fn new(lines: &[&str], items: &[Item<'_>], level: FileDetail, with_values: bool) -> Self {
        let mut may_go = vec![false; lines.len()];
        let deepest = deepest_titles(items);
        let is_title = |item: &Item<'_>| deepest.is_some_and(|depth| item.depth <= depth);
        for item in items {
            let is_shown = level != FileDetail::Signatures
                || matches!(item.kind, Kind::Function | Kind::Type)
                || is_title(item);
            match item.kind {
                _ if !is_shown => may_go[item.lines.clone()].fill(true),
                Kind::Function | Kind::Section => may_go[item.body.clone()].fill(true),
                Kind::Value | Kind::Import if with_values && item.body.len() > MIN_BODY_LINES => {
                    may_go[item.body.clone()].fill(true);
                }
                // Members of a type are items of their own, or fields, which stay.
                Kind::Type if level == FileDetail::Signatures => may_go[item.body.clone()].fill(true),
                Kind::Type | Kind::Value | Kind::Import => {}
            }
            // The first sentence of a comment above a declaration stays.
            may_go[item.lines.start..item.signature.start].fill(true);
        }
        for item in items {
            let is_shown = level != FileDetail::Signatures
                || matches!(item.kind, Kind::Function | Kind::Type)
                || is_title(item);
            if is_shown {
                may_go[item.signature.clone()].fill(false);
                if let Some(doc) = item.doc {
                    let end = if doc < item.signature.start { item.signature.start } else { item.body.end };
                    // A part of a sentence may have another meaning than the whole.
                    if let Some(sentence) = first_sentence(lines, doc..end) {
                        may_go[sentence].fill(false);
                    }
                }
            }
        }
        let head = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
        let head = (head + HEAD_LINES).min(lines.len());
        may_go[..head].fill(false);
        Self { head, in_body: may_go.clone(), must_stay: vec![false; lines.len()], may_go }
    }

    /// Leaves out the blank lines between lines that are left out: many small sections are one gap.
    pub(super) fn join_over_blank_lines(&mut self, lines: &[&str]) {
        let mut at = 0;
        while at < lines.len() {
            let end = (at..lines.len()).find(|&i| !lines[i].trim().is_empty()).unwrap_or(lines.len());
            if end > at && at > 0 && end < lines.len() && self.may_go[at - 1] && self.may_go[end] {
                self.may_go[at..end].fill(true);
            }
            at = end + 1;
        }
    }

    /// Keeps these lines.
    pub(super) fn keep(&mut self, lines: &[usize]) {
        lines.iter().for_each(|line| self.may_go[*line] = false);
    }

    /// Keeps these lines whatever they cost.
    pub(super) fn hold(&mut self, lines: impl IntoIterator<Item = usize>) {
        for line in lines {
            self.may_go[line] = false;
            self.must_stay[line] = true;
        }
    }

    /// Keeps the code around a text that the agent wrote into the file: the innermost function or type if it is
    /// short, or else the lines around. A text that occurs in many places is ignored.
    pub(super) fn keep_edited(&mut self, source: &Source<'_>, items: &[Item<'_>], edited: &[Arc<str>]) {
        for text in edited.iter().filter(|text| text.trim().len() >= MIN_EDIT_BYTES) {
            let found = edit::places(text, source);
            if found.len() > MAX_EDIT_PLACES {
                continue;
            }
            for place in found {
                self.hold(around(items, place, self.may_go.len()));
            }
        }
    }

    /// Keeps the code around lines that recent results point at, the newest first: the innermost declaration if it is
    /// short, or else the lines around.
    pub(super) fn keep_pointed(&mut self, source: &Source<'_>, items: &[Item<'_>], pointed: &[u32]) {
        let view = source.view();
        let is_numbered = view.numbered() > 0;
        let mut left = MAX_POINTED_LINES;
        for &number in pointed {
            let at = match is_numbered {
                true => {
                    (0..source.len()).find(|i| view.number(*i).is_some_and(|n| n as u64 == u64::from(number)))
                }
                false => (number as usize).checked_sub(source.number(0)).filter(|at| *at < source.len()),
            };
            let Some(at) = at else { continue };
            let lines = around(items, at..at + 1, self.may_go.len());
            let new = self.may_go[lines.clone()].iter().filter(|may_go| **may_go).count();
            let Some(rest) = left.checked_sub(new) else { continue };
            left = rest;
            self.hold(lines);
        }
    }

    /// Keeps the blocks with the best scores.
    pub(super) fn keep_relevant(&mut self, source: &Source<'_>, relevance: &Relevance, by_query: bool) {
        if relevance.is_empty() {
            return;
        }
        let mut blocks: Vec<Lines> = Vec::new();
        for (i, _) in self.may_go.iter().enumerate().filter(|(_, may_go)| **may_go) {
            match blocks.last_mut().filter(|block| block.end == i && block.len() < BLOCK_LINES) {
                Some(block) => block.end = i + 1,
                None => blocks.push(i..i + 1),
            }
        }
        let scores = relevance.scores(source, &blocks);
        let mut order: Vec<usize> = (0..blocks.len()).filter(|&i| scores[i] > 0).collect();
        order.sort_unstable_by_key(|&i| (std::cmp::Reverse(scores[i]), i));
        let all = self.may_go.iter().filter(|may_go| **may_go).count();
        let mut left = all * if by_query { QUERY_PERCENT } else { SESSION_PERCENT } / 100;
        for i in order {
            let Some(rest) = left.checked_sub(blocks[i].len()) else { break };
            left = rest;
            self.may_go[blocks[i].clone()].fill(false);
        }
    }

    /// Completes what stays of bodies of code: statements are whole, or left out if they are long, and below the heads of
    /// the blocks around them. A line whose heads cost more than leaving out its body saves goes with the body. `starts`
    /// are the lines at which statements start.
    pub(super) fn complete(&mut self, lines: &[&str], starts: &[bool]) {
        let heads = headings::heads(lines, starts);
        if self.head < lines.len() && !starts[self.head] {
            // The last statement of the lines at the start goes on.
            let rest = statement(self.head, &(self.head..lines.len()), starts);
            if rest.len() < MAX_STATEMENT_LINES {
                self.may_go[rest].fill(false);
            }
        }
        let mut at = 0;
        while at < lines.len() {
            let body = at..(at..lines.len()).find(|i| !self.in_body[*i]).unwrap_or(lines.len());
            at = body.end + 1;
            let all = bytes(lines, body.clone());
            let mut shown = 0;
            let mut next = body.start;
            while let Some(first) = (next..body.end).find(|i| !self.may_go[*i]) {
                let end = (first..body.end).find(|i| self.may_go[*i]).unwrap_or(body.end);
                let run = self.whole(first..end, &body, lines, starts);
                next = end.max(run.end);
                if run.is_empty() {
                    continue;
                }
                shown += bytes(lines, run.clone());
                let is_single = end - first <= MAX_SINGLE_LINES
                    && body.len() > MAX_SHORT_BODY
                    && !self.must_stay[run.clone()].contains(&true);
                let needed = self.heads_of(run.clone(), &body, &heads, starts);
                let mut has_nearest = needed.is_empty();
                let mut below = run.start;
                for (head, is_beside) in needed {
                    let gap = bytes(lines, head.end.min(below)..below);
                    // A small gap saves hardly more than its marker.
                    let is_joined = gap <= SMALL_GAP_BYTES;
                    let cost = bytes(lines, head.clone()) + if is_joined { gap } else { GAP_BYTES };
                    let is_paying = (shown + cost) * HEADS_ONE_IN <= all;
                    // Without its `if`, a branch would seem to be one of another `if`.
                    let is_needed = has_nearest && is_beside;
                    if !is_paying && !is_needed && (has_nearest || is_single) {
                        break;
                    }
                    let end = if is_joined { head.end.max(below) } else { head.end };
                    self.may_go[head.start..end].fill(false);
                    shown += cost;
                    below = head.start;
                    has_nearest = true;
                }
                if !has_nearest {
                    self.may_go[run.clone()].fill(true);
                    shown -= bytes(lines, run);
                }
            }
        }
    }

    /// A run of kept lines in a body, extended to whole statements or cut to them. It is empty if nothing is left of it.
    fn whole(&mut self, run: Lines, body: &Lines, lines: &[&str], starts: &[bool]) -> Lines {
        let must_stay = |lines: Lines| self.must_stay[lines].contains(&true);
        let mut out = run.clone();
        let first = statement(run.start, body, starts);
        let last = statement(run.end - 1, body, starts);
        if first.len() <= MAX_STATEMENT_LINES {
            out.start = first.start;
        } else {
            // A part of a long statement, unless it was chosen as a block or must stay.
            let next = (run.start..run.end).find(|i| starts[*i]).unwrap_or(run.end);
            let is_chosen = next == run.end && run.len() > MAX_SINGLE_LINES;
            out.start = if is_chosen || must_stay(run.start..next) { run.start } else { next };
        }
        if last.len() <= MAX_STATEMENT_LINES {
            out.end = last.end;
        } else if last.end > run.end {
            let start = (out.start..run.end).rev().find(|i| starts[*i]).unwrap_or(run.start);
            out.end = if start == out.start || must_stay(start..run.end) { run.end } else { start };
        }
        // A long statement would go on after its last line.
        let goes_on = |line: usize| lines[line].trim_end().ends_with(['(', '[', ',']);
        if out.end > out.start && goes_on(out.end - 1) && !self.must_stay[out.end - 1] {
            let start = (out.start..out.end).rev().find(|i| starts[*i]).unwrap_or(out.start);
            let is_single = out.len() <= MAX_SINGLE_LINES;
            out.end =
                if is_single || start > out.start && !must_stay(start..out.end) { start } else { out.end };
        }
        // The end of a block that is not shown says nothing.
        let says_nothing =
            |line: usize| !lines[line].contains(char::is_alphanumeric) && !self.must_stay[line];
        while out.start < out.end && says_nothing(out.start) {
            out.start += 1;
        }
        out.end = out.end.max(out.start);
        self.may_go[run].fill(true);
        self.may_go[out.clone()].fill(false);
        out
    }

    /// The heads of the blocks around a run that are not shown yet, in its body, the innermost first, each with whether it is
    /// another branch of the one before.
    fn heads_of(&self, run: Lines, body: &Lines, heads: &[Heads], starts: &[bool]) -> Vec<(Lines, bool)> {
        let mut out = Vec::new();
        let mut at = run.start;
        for _ in 0..MAX_HEADS {
            let beside = heads[at].beside.filter(|line| body.contains(line));
            let Some(line) = beside.or(heads[at].above).filter(|line| body.contains(line)) else { break };
            let mut head = statement(line, body, starts);
            if head.len() > MAX_STATEMENT_LINES {
                head = line..line + 1;
            }
            if self.may_go[head.clone()].contains(&true) {
                out.push((head.clone(), beside.is_some()));
            }
            at = head.start;
        }
        out
    }

    /// Runs of lines to leave out; no step changed any of them.
    pub(super) fn gaps(&self, source: &Source<'_>, ledger: &Ledger) -> Vec<Lines> {
        let mut gaps: Vec<Lines> = Vec::new();
        for kept in ledger.kept() {
            let mut start = kept.start;
            for i in kept.clone() {
                if !self.may_go[i] {
                    push(&mut gaps, source, start..i);
                    start = i + 1;
                } else if i > start && jumps(source, i) {
                    push(&mut gaps, source, start..i);
                    start = i;
                }
            }
            push(&mut gaps, source, start..kept.end);
        }
        gaps
    }
}

/// The lines of the statement to which a line belongs, as far as they are in a body. At most [`MAX_STATEMENT_LINES`]
/// lines before and after that line are searched, so a result with more lines than that is a part of a statement that
/// is too long, or all of it.
fn statement(line: usize, body: &Lines, starts: &[bool]) -> Lines {
    let first = body.start.max(line.saturating_sub(MAX_STATEMENT_LINES));
    let end = body.end.min(line + 1 + MAX_STATEMENT_LINES);
    let start = (first..=line).rev().find(|i| starts[*i]).unwrap_or(first);
    start..(line + 1..end).find(|i| starts[*i]).unwrap_or(end)
}

/// Bytes of lines.
fn bytes(lines: &[&str], of: Lines) -> usize {
    lines[of].iter().map(|line| line.len() + 1).sum()
}

/// The deepest level of sections whose titles are all shown where only signatures are; `None` for code.
fn deepest_titles(items: &[Item<'_>]) -> Option<u8> {
    if items.iter().any(|item| item.kind != Kind::Section) {
        return None;
    }
    let titles = |depth: u8| items.iter().filter(|item| item.depth <= depth).count();
    Some((1..=MAX_TITLE_DEPTH).take_while(|depth| titles(*depth) <= MAX_TITLES).last().unwrap_or(0))
}

/// The innermost declaration around some lines if it is short, or else the lines with some more on each side, of `len` lines.
fn around(items: &[Item<'_>], place: Lines, len: usize) -> Lines {
    let holds = |item: &&Item<'_>| {
        item.lines.start <= place.start && place.end <= item.lines.end && item.lines.len() <= MAX_EDITED_ITEM
    };
    let innermost = items.iter().filter(holds).min_by_key(|item| item.lines.len());
    let wide = place.start.saturating_sub(CONTEXT_LINES)..(place.end + CONTEXT_LINES).min(len);
    innermost.map_or(wide, |item| item.lines.clone())
}

/// The lines of the first sentence of the comment that starts at `comment.start` and lies within these lines; none if it is long.
/// A comment whose first paragraph has no full stop ends with that paragraph.
fn first_sentence(lines: &[&str], comment: Lines) -> Option<Lines> {
    let most = comment.end.min(comment.start + MAX_SENTENCE_LINES);
    for i in comment.start..most {
        let line = lines.get(i)?.trim();
        let quotes = |line: &str| line.matches("\"\"\"").count() + line.matches("'''").count();
        let body = line.trim_end_matches(['*', '/', '"', '\'', ' ']);
        let is_closed = line.ends_with("*/")
            || quotes(line) > usize::from(i == comment.start && line.starts_with(['"', '\'', 'r']));
        if is_closed || ends_sentence(body) {
            return Some(comment.start..i + 1);
        }
        // A line without a word, or the first one of the code.
        let is_last = i + 1 >= comment.end
            || lines
                .get(i + 1)
                .is_none_or(|next| !next.bytes().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii()));
        if is_last {
            return Some(comment.start..i + 1);
        }
    }
    None
}

/// Whether a sentence ends in a line, or at its end.
fn ends_sentence(line: &str) -> bool {
    let is_short_form =
        |head: &str| ["e.g", "i.e", "etc", "cf", "vs"].iter().any(|short| head.ends_with(short));
    if let Some(head) = line.strip_suffix(['.', '!', '?']) {
        return !is_short_form(head);
    }
    line.match_indices(". ")
        .any(|(at, _)| line[at + 2..].starts_with(|c: char| c.is_uppercase()) && !is_short_form(&line[..at]))
}

/// Whether the number of line `i` does not follow that of the line before. A gap across it could not be named by visible
/// numbers.
fn jumps(source: &Source<'_>, i: usize) -> bool {
    let view = source.view();
    view.number(i) != view.number(i - 1).map(|n| n + 1)
        && (view.number(i).is_some() || view.number(i - 1).is_some())
}

/// Adds a gap if it is long enough, without empty lines at its ends.
fn push(gaps: &mut Vec<Lines>, source: &Source<'_>, mut gap: Lines) {
    let is_empty = |i: usize| source.view().text(source.raw(i), i).trim().is_empty();
    while !gap.is_empty() && is_empty(gap.end - 1) {
        gap.end -= 1;
    }
    while !gap.is_empty() && is_empty(gap.start) {
        gap.start += 1;
    }
    // The head of a block stays with the lines of the block that stay.
    let head = headings::first(source, gap.clone(), source.len());
    gap.end = head.filter(|head| *head >= gap.start + MIN_GAP_LINES).unwrap_or(gap.end);
    if gap.len() >= MIN_GAP_LINES {
        gaps.push(gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{Language, outline, statements};

    #[test]
    fn the_first_sentence_of_a_comment_is_kept_whole_or_not_at_all() {
        let sentence = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            first_sentence(&lines, 0..lines.len())
        };
        for (text, expected) in [
            ("/// Reads the rows\n/// of a file, e.g. a table. Fails\n/// on others.", Some(0..2)),
            ("/// Reads rows.\n/// More.", Some(0..1)),
            ("\"\"\"Reads rows\n    from a file\n\n    Args:", Some(0..2)),
            ("\"\"\"Reads rows\"\"\"\nreturn read(path)", Some(0..1)),
            ("Reads rows\n\"\"\"\nreturn read(path)", Some(0..1)),
            ("/* Reads rows\n   of files */\n int a;", Some(0..2)),
            ("# Reads rows", Some(0..1)),
            ("# a\n# b, e.g.\n# c\n# d\n# e.", None),
        ] {
            assert_eq!(sentence(text), expected, "{text}");
        }
    }

    #[test]
    fn conflicts_of_a_merge_stay() {
        let long = "x\n".repeat(90);
        let text = format!(
            "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> dev\n{long}<<<<<<< HEAD\n{long}=======\nd\n>>>>>>> dev\n"
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(conflicts(&lines), [1, 2, 3, 4, 5, 95, 96, 97, 186, 187, 188, 189]);
        // A view of a part of them.
        let ends = ["a", "=======", "b", ">>>>>>> dev", "c", "<<<<<<< HEAD", "d"];
        assert_eq!(conflicts(&ends), [0, 1, 2, 3, 5, 6]);
        assert_eq!(conflicts(&["a", "=======", "b"]), [0; 0]);
    }

    #[test]
    fn titles_of_a_page_are_its_contents() {
        let section = |depth| Item {
            kind: Kind::Section,
            lines: 0..9,
            body: 1..9,
            signature: 0..1,
            doc: None,
            depth,
            name: "",
        };
        let page = |deep: usize| {
            let mut items: Vec<Item<'_>> = (0..9).map(|_| section(0)).collect();
            items.extend((0..deep).map(|_| section(1)));
            items
        };
        assert_eq!(deepest_titles(&page(30)), Some(MAX_TITLE_DEPTH));
        assert_eq!(deepest_titles(&page(300)), Some(0));
        let mut code = page(3);
        code[0].kind = Kind::Function;
        assert_eq!(deepest_titles(&code), None);
    }

    /// What stays of a file if the lines that contain one of `kept` do; `...` for a gap.
    fn completed(path: &str, text: &str, kept: &[&str]) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let language = Language::of(Some(path), "").unwrap();
        let items = outline(language, &lines).unwrap();
        let mut plan = Plan::new(&lines, &items, FileDetail::Structure, false);
        let has = |line: &&str| kept.iter().any(|kept| line.contains(kept));
        let failing: Vec<usize> = (HEAD_LINES..lines.len()).filter(|i| has(&lines[*i])).collect();
        plan.keep(&failing);
        plan.complete(&lines, &statements(language, &lines));
        let source = Source::new(text);
        let gaps = plan.gaps(&source, &Ledger::new(&source));
        let mut out: Vec<&str> = Vec::new();
        for (i, line) in lines.iter().enumerate().skip(HEAD_LINES) {
            match gaps.iter().find(|gap| gap.contains(&i)) {
                Some(gap) if gap.start == i => out.push("..."),
                Some(_) => {}
                None => out.push(line.trim()),
            }
        }
        out.join("\n")
    }

    /// A file with an empty head of that many lines, then a body.
    fn file(comment: &str, body: &str) -> String {
        format!("{}{body}", format!("{comment}\n").repeat(HEAD_LINES))
    }

    #[test]
    fn kept_lines_have_their_heads_and_whole_statements() {
        let filler = |indent: &str, line: &str| format!("{indent}{line}\n").repeat(12);
        let script = file(
            "//",
            &format!(
                "function f(a) {{\n{0}  for (const b of a) {{\n{1}    if (b.size > 4) {{\n{2}      throw new Error(\n        \
                 `too long: ${{b}}`,\n      );\n    }}\n{1}  }}\n{0}}}\n",
                filler("  ", "step(a, one, two, three);"),
                filler("    ", "step(b, one, two, three);"),
                filler("      ", "step(b, one, two, three);"),
            ),
        );
        assert_eq!(
            completed("a.ts", &script, &["new Error"]),
            "function f(a) {\n...\nfor (const b of a) {\n...\nif (b.size > 4) {\n...\nthrow new Error(\n`too long: ${b}`,\n);\n...\n}"
        );
        let python = file(
            "#",
            &format!(
                "def f(a):\n{0}    with a as b:\n        try:\n{1}        except KeyError:\n            raise Error(\n                \
                 'no such key')\n{0}",
                filler("    ", "step(a, one, two, three)"),
                filler("            ", "step(b, one, two, three)"),
            ),
        );
        assert_eq!(
            completed("a.py", &python, &["raise"]),
            "def f(a):\n...\nwith a as b:\n...\nexcept KeyError:\nraise Error(\n'no such key')\n..."
        );
        let go = file(
            "//",
            &format!(
                "func f(a int) error {{\n{0}\tswitch a {{\n\tcase 1:\n{1}\tcase 2:\n\t\treturn errors.New(\"two\")\n\t}}\n{0}}}\n",
                filler("\t", "step(a, one, two, three)"),
                filler("\t\t", "step(a, one, two, three)"),
            ),
        );
        assert_eq!(
            completed("a.go", &go, &["errors.New"]),
            "func f(a int) error {\n...\nswitch a {\n...\ncase 2:\nreturn errors.New(\"two\")\n...\n}"
        );
        // The end of an `else` with its `if`, without the `}` above.
        let java = file(
            "//",
            &format!(
                "class A {{\n  void f(int a) {{\n{0}    if (a > 4) {{\n{1}    }} else {{\n      throw new E(\"four\");\n    }}\n{0}  }}\n}}\n",
                filler("    ", "step(a, one, two, three);"),
                filler("      ", "step(a, one, two, three);"),
            ),
        );
        assert_eq!(
            completed("A.java", &java, &["throw"]),
            "class A {\nvoid f(int a) {\n...\nif (a > 4) {\n...\n} else {\nthrow new E(\"four\");\n...\n}\n}"
        );
    }

    #[test]
    fn lines_that_would_cost_too_much_go_with_their_body() {
        // The heads are as long as the rest of the body.
        let head = format!("    if ({}) {{", "a_long_condition && ".repeat(8));
        let body =
            format!("fn f() {{\n{}{head}\n        panic!(\"x\");\n    }}\n}}\n", "    s();\n".repeat(8));
        assert_eq!(completed("a.rs", &file("//", &body), &["panic"]), "fn f() {\n...\n}");
        // A short body is shown as before.
        let body = "fn f() {\n    if a {\n        panic!(\"x\");\n    }\n    g();\n}\n";
        assert!(completed("a.rs", &file("//", body), &["panic"]).contains("if a {\npanic!"));
        // The statement at the end of the lines that are kept at the start.
        let start = format!(
            "{}fn f() {{\n    g(\n        1,\n        2,\n    );\n{}}}\n",
            "//\n".repeat(HEAD_LINES - 3),
            "    h();\n".repeat(9)
        );
        assert_eq!(completed("a.rs", &start, &[]), "2,\n);\n...\n}");
        // A part of a long statement.
        let call =
            format!("fn f() {{\n    panic!(\n{}    );\n}}\n", "        \"one of many lines, \"\n".repeat(12));
        assert_eq!(completed("a.rs", &file("//", &call), &["panic"]), "fn f() {\n...\n}");
    }
}
