//! Chooses which lines of an outlined file may be left out, and which stay because they matter now.

use std::sync::Arc;

use super::Lines;
use crate::config::FileDetail;
use crate::detect::edit;
use crate::outline::{Item, Kind};
use crate::text::headings;
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

/// For each line, whether it may be left out.
pub(super) struct Plan {
    may_go: Vec<bool>,
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
        may_go[..(head + HEAD_LINES).min(lines.len())].fill(false);
        Self { may_go }
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

    /// Keeps the code around a text that the agent wrote into the file: the innermost function or type if it is
    /// short, or else the lines around. A text that occurs in many places is ignored.
    pub(super) fn keep_edited(&mut self, source: &Source<'_>, items: &[Item<'_>], edited: &[Arc<str>]) {
        for text in edited.iter().filter(|text| text.trim().len() >= MIN_EDIT_BYTES) {
            let found = edit::places(text, source);
            if found.len() > MAX_EDIT_PLACES {
                continue;
            }
            for place in found {
                let lines = around(items, place, self.may_go.len());
                self.may_go[lines].fill(false);
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
            self.may_go[lines].fill(false);
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
}
