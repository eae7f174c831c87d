//! YAML in block style, as programs write it: long lists, wide maps, long blocks of text. Lines that stay are exact. Markers
//! are comments; inside a block of text they are lines of it.
//!
//! Only indentation is parsed: a block is a line and the deeper lines after it. Text that is not known to be YAML is
//! declined.

mod grammar;

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;

use super::Limits;
use super::json::Written;
use super::plan::{Item, Series, Value};
use crate::text::judge::{form, number, unit};
use crate::text::marker::{Marker, Unit};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::signals;
use crate::text::source::Source;
use grammar::blocks;
pub use grammar::is_certain;

/// Fewest bytes that an omission must save. A choice: about what its marker takes.
const MIN_SAVED_BYTES: usize = 80;
/// Deepest nesting that is read.
const MAX_DEPTH: usize = 64;
/// Most bytes of keys that a marker lists.
const MAX_NAMES_BYTES: usize = 240;
/// Fewest items of a series that is searched for outliers, and levels that are searched for series. A choice.
const MIN_SERIES: usize = 6;
const MAX_SERIES_DEPTH: usize = 4;

/// A line and the deeper lines after it.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// First line, from 0 in the source.
    start: usize,
    /// One past its last line.
    end: usize,
    /// Index of the first block after this one and everything inside it.
    next: usize,
    indent: usize,
    /// Position of its key, after the signs of list items.
    key: usize,
    is_item: bool,
    /// Whether its content is text, not blocks.
    is_text: bool,
    /// Whether it only separates documents.
    is_rule: bool,
}

/// A parsed document.
pub struct Document<'a> {
    source: &'a Source<'a>,
    blocks: Vec<Block>,
    /// Lines that must stay, in order.
    must: Vec<usize>,
    about: &'a Relevance,
    lines: Range<usize>,
    /// Whether null and empty members are removed.
    drop_empty: bool,
}

impl<'a> Document<'a> {
    /// Parses some lines as a document.
    pub fn read(
        source: &'a Source<'a>,
        lines: Range<usize>,
        must: Vec<usize>,
        about: &'a Relevance,
    ) -> Option<Self> {
        let blocks = blocks(source, lines.clone())?;
        let mut document = Self { source, blocks, must, about, lines, drop_empty: false };
        let unlike = document.outlier_lines();
        document.must.extend(unlike);
        document.must.sort_unstable();
        Some(document)
    }

    /// Lines with an outlier value in the outermost series, or in a series directly inside it.
    fn outlier_lines(&self) -> Vec<usize> {
        let documents = self.documents();
        let lines = |range: &Range<usize>| self.blocks[range.start].start..self.blocks[range.end - 1].end;
        if documents.len() >= MIN_SERIES {
            let series = self.series(&documents.iter().map(lines).collect::<Vec<_>>());
            return series.outliers().into_iter().map(|(_, line)| line as usize).collect();
        }
        let mut out = Vec::new();
        let mut ranges: Vec<(Range<usize>, usize)> = documents.into_iter().map(|range| (range, 0)).collect();
        while let Some((range, depth)) = ranges.pop() {
            crate::stop::check();
            let mut siblings = Vec::new();
            let mut at = range.start;
            while at < range.end {
                siblings.push(at);
                at = self.blocks[at].next;
            }
            let holds_more = siblings.iter().filter(|at| self.blocks[**at].next > **at + 1).count();
            if siblings.len() >= MIN_SERIES && holds_more * 4 >= siblings.len() * 3 {
                let items: Vec<Range<usize>> =
                    siblings.iter().map(|at| self.blocks[*at].start..self.blocks[*at].end).collect();
                out.extend(self.series(&items).outliers().into_iter().map(|(_, line)| line as usize));
            } else if depth < MAX_SERIES_DEPTH {
                let inside = siblings.iter().map(|at| (*at + 1..self.blocks[*at].next, depth + 1));
                ranges.extend(inside.filter(|(range, _)| !range.is_empty()));
            }
        }
        out
    }

    /// The document without its null and empty members, if `drop_empty`.
    pub fn sparse(self, drop_empty: bool) -> Self {
        Self { drop_empty, ..self }
    }

    /// Whether a block is a member that is null or empty.
    fn is_empty(&self, i: usize) -> bool {
        let block = self.blocks[i];
        let line = self.source.line(block.start).trim();
        let Some(value) = line.strip_suffix(':').map(|_| "").or_else(|| Some(line.split_once(": ")?.1))
        else {
            return false;
        };
        !block.is_item
            && !block.is_rule
            && block.next == i + 1
            && (block.start + 1..block.end).all(|i| self.source.line(i).trim().is_empty())
            && matches!(value.trim(), "" | "null" | "~" | "\"\"" | "''" | "[]" | "{}")
            && !self.must(block.start..block.end)
    }

    /// Writes the document under some limits.
    pub fn write(&self, limits: Limits) -> Written {
        let out = Written { text: String::new(), omitted: 0, reason: Reason::NothingToDo };
        let mut writer = Writer { document: self, limits, out, empty: (0, 0) };
        let first = self.blocks.first().map_or(self.lines.end, |block| block.start);
        writer.copy(self.lines.start..first);
        writer.documents();
        let (count, of) = writer.empty;
        if count > 0 {
            let reason = Reason::EmptyMembers.code().to_owned();
            writer.marker(0, "# ", &Marker::Parts { count, of, unit: Unit::Members, reason, names: None });
        }
        writer.out.text.pop();
        writer.out
    }

    /// The blocks of each document: `---` starts one.
    fn documents(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < self.blocks.len() {
            if self.blocks[at].is_rule && at > start {
                out.push(start..at);
                start = at;
            }
            at = self.blocks[at].next;
        }
        out.push(start..self.blocks.len());
        out
    }

    /// Items, or members, with their values.
    fn series(&self, siblings: &[Range<usize>]) -> Series {
        let texts: Vec<&str> = siblings.iter().map(|lines| self.source.slice(lines.clone())).collect();
        let scores = self.about.scores_of(&texts);
        let mut series = Series::default();
        for (place, lines) in siblings.iter().enumerate() {
            let mut shape = 0u64;
            let mut fails = false;
            // A key that occurs several times in an item is a separate field each time: limits and requests of
            // memory.
            let mut keys: Vec<(u64, u32)> = Vec::new();
            // The last key, and how many plain items each list has, by the key above it.
            let mut above = 0_u64;
            let mut lists: Vec<(u64, u32)> = Vec::new();
            for i in lines.clone() {
                let line = self.source.line(i).trim_start();
                if let Some(item) = line.strip_prefix("- ").filter(|item| is_plain(item)) {
                    let name = above.rotate_left(9);
                    self.add_scalar(&mut series, name, item.trim(), i);
                    match lists.iter().position(|(key, _)| *key == name) {
                        Some(known) => lists[known].1 += 1,
                        None if lists.len() < MAX_KEYS => lists.push((name, 1)),
                        None => {}
                    }
                    continue;
                }
                // The name of the member itself is not part of its shape.
                let is_name = i == lines.start && !line.starts_with("- ");
                let line = line.trim_start_matches("- ");
                fails |= signals::is_failure(line);
                let is_flow = line.starts_with('{');
                let pairs = if is_flow { line.trim_matches(['{', '}', ' ']) } else { line };
                for pair in pairs.split(", ").take(if is_flow { MAX_KEYS } else { 1 }) {
                    let pair = if is_flow { pair } else { line };
                    let Some((key, value)) = pair.split_once(':') else { continue };
                    let name = digest(key);
                    if !is_name {
                        shape = shape.rotate_left(5) ^ name;
                    }
                    let value = value.trim();
                    above = name;
                    let nth = match keys.iter().position(|(key, _)| *key == name) {
                        Some(known) => {
                            keys[known].1 += 1;
                            keys[known].1
                        }
                        None if keys.len() == MAX_KEYS => continue,
                        None => {
                            keys.push((name, 0));
                            0
                        }
                    };
                    self.add_scalar(&mut series, name.rotate_left(nth), value, i);
                }
            }
            for (name, count) in lists {
                series.field(name.rotate_left(17), Value::Number(f64::from(count)));
            }
            series.push(Item { shape, fails, score: scores[place] });
        }
        series
    }

    /// Adds a scalar of line `i` to the field `name`, and its form to another one.
    fn add_scalar(&self, series: &mut Series, name: u64, value: &str, i: usize) {
        let word = || Value::Word(digest(value));
        series.field_at(name, number(value.as_bytes()).map_or_else(word, Value::Number), i as u32);
        series.field_at(name.rotate_left(31), Value::Form(form(value.as_bytes())), i as u32);
        if let Some(unit) = unit(value.as_bytes()) {
            series.field_at(name.rotate_left(43), Value::Form(digest(unit)), i as u32);
        }
        series.text_at(name, value.trim_matches(['"', '\'']), i as u32);
    }

    fn must(&self, lines: Range<usize>) -> bool {
        let first = self.must.partition_point(|line| *line < lines.start);
        self.must.get(first).is_some_and(|line| *line < lines.end)
    }
}

struct Writer<'d, 'a> {
    document: &'d Document<'a>,
    limits: Limits,
    out: Written,
    /// The number of removed empty members, and of all members.
    empty: (usize, usize),
}

impl Writer<'_, '_> {
    fn copy(&mut self, lines: Range<usize>) {
        for i in lines {
            self.out.text.push_str(self.document.source.line(i));
            self.out.text.push('\n');
        }
    }

    fn leave(&mut self, lines: Range<usize>, reason: Reason) {
        if self.out.omitted == 0 {
            self.out.reason = reason;
        }
        self.out.omitted += self.document.source.byte_range(lines).len();
    }

    fn marker(&mut self, indent: usize, sign: &str, marker: &Marker) {
        self.out.text.push_str(&" ".repeat(indent));
        self.out.text.push_str(sign);
        self.out.text.push_str(&marker.write());
        self.out.text.push('\n');
    }

    /// Writes all documents, or as many as the limit allows.
    fn documents(&mut self) {
        let all = self.document.documents();
        let blocks = &self.document.blocks;
        let lines = |range: &Range<usize>| blocks[range.start].start..blocks[range.end - 1].end;
        let limit = self.limits.items.unwrap_or(usize::MAX);
        let mut keep = vec![true; all.len()];
        if all.len() > limit {
            keep = self.rank(&all.iter().map(lines).collect::<Vec<_>>()).keep(limit);
            for (range, keep) in all.iter().zip(&mut keep) {
                *keep |= self.document.must(lines(range));
            }
        }
        let count = keep.iter().filter(|keep| !**keep).count();
        let reason = Reason::ArrayItems.code().to_owned();
        let mut marker = Some(Marker::Parts { count, of: all.len(), unit: Unit::Items, reason, names: None });
        for (range, keep) in all.iter().zip(keep) {
            if !keep {
                if let Some(marker) = marker.take() {
                    self.marker(0, "# ", &marker);
                }
                self.leave(lines(range), Reason::ArrayItems);
                continue;
            }
            let rest = match blocks[range.start].is_rule {
                true => {
                    self.copy(blocks[range.start].start..blocks[range.start].end);
                    range.start + 1..range.end
                }
                false => range.clone(),
            };
            self.blocks(rest, 0);
        }
    }

    /// Writes sibling blocks.
    fn blocks(&mut self, range: Range<usize>, depth: usize) {
        let all = &self.document.blocks;
        let mut siblings = Vec::new();
        let mut at = range.start;
        while at < range.end {
            siblings.push(at);
            at = all[at].next;
        }
        let Some(first) = siblings.first().map(|&first| all[first]) else { return };
        let is_list = siblings.iter().all(|&s| all[s].is_item);
        let limit = if is_list { self.limits.items } else { self.limits.members(depth) };
        let limit = limit.unwrap_or(usize::MAX);
        let mut keep = vec![true; siblings.len()];
        if siblings.len() > limit {
            let lines: Vec<Range<usize>> = siblings.iter().map(|&s| all[s].start..all[s].end).collect();
            keep = self.rank(&lines).keep(limit);
            for (&sibling, keep) in siblings.iter().zip(&mut keep) {
                *keep |= self.document.must(all[sibling].start..all[sibling].end);
            }
        }
        let gone: Vec<Block> =
            siblings.iter().zip(&keep).filter(|(_, keep)| !**keep).map(|(&s, _)| all[s]).collect();
        let bytes: usize = gone.iter().map(|b| self.document.source.byte_range(b.start..b.end).len()).sum();
        let (unit, reason) = match is_list {
            true => (Unit::Items, Reason::ArrayItems),
            false => (Unit::Members, Reason::ObjectMembers),
        };
        let mut marker = (bytes >= MIN_SAVED_BYTES).then(|| {
            let names = if is_list { None } else { self.keys(&gone, bytes) };
            let reason = reason.code().to_owned();
            Marker::Parts { count: gone.len(), of: siblings.len(), unit, reason, names }
        });
        let is_cut = marker.is_some();
        for (&sibling, keep) in siblings.iter().zip(keep) {
            let block = all[sibling];
            self.empty.1 += usize::from(!is_list);
            if self.document.drop_empty && (keep || !is_cut) && self.document.is_empty(sibling) {
                self.empty.0 += 1;
                self.leave(block.start..block.end, Reason::EmptyMembers);
                continue;
            }
            if keep || !is_cut {
                self.block(sibling, depth);
                continue;
            }
            if let Some(marker) = marker.take() {
                self.marker(first.indent, "# ", &marker);
            }
            self.leave(block.start..block.end, reason);
        }
    }

    fn block(&mut self, i: usize, depth: usize) {
        let block = self.document.blocks[i];
        self.copy(block.start..block.start + 1);
        let inside = block.start + 1..block.end;
        let bytes = self.document.source.byte_range(inside.clone()).len();
        if inside.is_empty() {
            return;
        }
        if block.is_text {
            return self.text(block, inside);
        }
        let has_blocks = block.next > i + 1;
        if depth >= self.limits.depth
            && has_blocks
            && bytes > MIN_SAVED_BYTES
            && !self.document.must(inside.clone())
        {
            let mut count = 0;
            let mut at = i + 1;
            let is_list = self.document.blocks[at].is_item;
            while at < block.next {
                count += 1;
                at = self.document.blocks[at].next;
            }
            let unit = if is_list { Unit::Items } else { Unit::Members };
            let reason = Reason::DeepValue.code().to_owned();
            let marker = Marker::Parts { count, of: count, unit, reason, names: None };
            self.marker(block.indent + 2, "# ", &marker);
            return self.leave(inside, Reason::DeepValue);
        }
        if !has_blocks {
            return self.copy(inside);
        }
        self.copy(block.start + 1..self.document.blocks[i + 1].start);
        self.blocks(i + 1..block.next, depth + 1);
    }

    /// Writes a block of text: its first and last lines, and those that must stay.
    fn text(&mut self, block: Block, lines: Range<usize>) {
        let source = self.document.source;
        let limit = self.limits.string.unwrap_or(usize::MAX);
        let size = source.byte_range(lines.clone()).len();
        if size <= limit.max(MIN_SAVED_BYTES * 2) {
            return self.copy(lines);
        }
        let indent = source.line(lines.start).len() - source.line(lines.start).trim_start().len();
        let mut keep = vec![false; lines.len()];
        let mut fill = |order: &mut dyn Iterator<Item = usize>, mut left: usize| {
            for i in order {
                let bytes = source.raw(i).len();
                if bytes > left {
                    break;
                }
                left -= bytes;
                keep[i - lines.start] = true;
            }
        };
        fill(&mut lines.clone(), limit / 2);
        fill(&mut lines.clone().rev(), limit / 4);
        for i in lines.clone() {
            keep[i - lines.start] |= self.document.must(i..i + 1);
        }
        let total: usize = lines.clone().map(|i| source.line(i).trim().chars().count()).sum();
        let mut at = lines.start;
        while at < lines.end {
            let run = lines.end.min(at + keep[at - lines.start..].iter().take_while(|k| !**k).count());
            if run > at && source.byte_range(at..run).len() >= MIN_SAVED_BYTES {
                let count = (at..run).map(|i| source.line(i).trim().chars().count()).sum();
                let reason = Reason::LongString.code().to_owned();
                let marker = Marker::Parts { count, of: total, unit: Unit::Characters, reason, names: None };
                self.marker(indent.max(block.indent + 1), "", &marker);
                self.leave(at..run, Reason::LongString);
            } else {
                self.copy(at..run);
            }
            at = run;
            if at < lines.end {
                self.copy(at..at + 1);
                at += 1;
            }
        }
    }

    fn rank(&self, siblings: &[Range<usize>]) -> super::plan::Ranking {
        self.document.series(siblings).rank()
    }

    fn keys(&self, gone: &[Block], bytes: usize) -> Option<String> {
        let mut names = String::new();
        for block in gone {
            let key = self.document.source.line(block.start).trim().split(':').next().unwrap_or_default();
            let key = key.trim_matches(['"', '\'']);
            if !super::is_plain_name(key) || names.len() + key.len() > MAX_NAMES_BYTES.min(bytes / 3) {
                if !names.is_empty() {
                    names.push_str(", ...");
                }
                break;
            }
            if !names.is_empty() {
                names.push_str(", ");
            }
            names.push_str(key);
        }
        Some(names).filter(|names| !names.is_empty())
    }
}

/// Most keys of an item that are distinguished. Bounds the work.
const MAX_KEYS: usize = 64;

/// Whether an item of a list is a scalar, not a member or a list.
fn is_plain(item: &str) -> bool {
    let is_member = |item: &str| item.ends_with(':') || item.contains(": ");
    !item.starts_with(['-', '{', '[', '|', '>']) && !is_member(item)
        || item.starts_with("--") && !is_member(item)
}

fn digest(text: impl AsRef<[u8]>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(text.as_ref());
    hasher.finish()
}
