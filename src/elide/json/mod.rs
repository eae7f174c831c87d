//! JSON documents, also as Python and JavaScript print them: long arrays, long strings, wide and deep objects. Keys and
//! scalars that stay are exact.
//!
//! A document is parsed once into a list of nodes (`tape`), and written once for each set of limits. `fields` reads the
//! items of an array, `strings` cuts a string; this file combines them.
//!
//! It is longer than most because document and writer share one grammar.

mod parts;

use std::collections::HashMap;
use std::ops::Range;

use super::largest_parts::LargestParts;
use super::members::{self, is_empty};
use super::plan::Ranking;
use super::strings::{self, Escapes};
use super::tape::{Kind, Node};
use super::{Limits, exact, fields, is_plain_name};
use crate::text::marker::{Marker, Unit};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use parts::{gaps, least, parts};

/// Fewest bytes that an omission must save. A choice: about what its marker takes.
const MIN_SAVED_BYTES: usize = 80;
/// Most bytes of keys that a marker lists.
const MAX_NAMES_BYTES: usize = 240;
/// Members that are kept of an item beyond the limit, in addition to those that must be kept. A choice: they identify
/// it.
const KEPT_MEMBERS: usize = 3;
/// An outlier item is shown whole up to this many bytes. A choice: a marker in it would take a third of them.
const MAX_WHOLE_ITEM_BYTES: usize = 240;

/// A parsed document.
pub struct Document<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    /// Ranges that must stay, including white space, in order.
    exact: Vec<Range<usize>>,
    about: &'a Relevance,
    /// Whether white space between tokens stays.
    pretty: bool,
    drop_empty: bool,
    rankings: HashMap<u32, Ranking>,
    /// The document without omissions, once it was written.
    whole: Option<Written>,
    largest: Option<LargestParts>,
}

/// The text of a document as it will be shown, and what was left out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Bytes of the source that are left out.
    pub omitted: usize,
    /// Reason of the first omission.
    pub reason: Reason,
}

/// How much of an item is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemDetail {
    No,
    /// Beyond the limit: only what must stay, and the first scalars.
    Sparse,
    Yes,
}

impl<'a> Document<'a> {
    /// `nodes` belong to `text`; `exact` are ranges of it that must stay, in order.
    pub fn new(
        text: &'a str,
        mut nodes: Vec<Node>,
        exact: Vec<Range<usize>>,
        about: &'a Relevance,
        pretty: bool,
        drop_empty: bool,
    ) -> Self {
        exact::mark(&mut nodes, &exact);
        Self {
            text,
            nodes,
            exact,
            about,
            pretty,
            drop_empty,
            rankings: HashMap::new(),
            whole: None,
            largest: None,
        }
    }

    /// The bytes that the document takes.
    pub fn range(&self) -> Range<usize> {
        self.nodes.first().map_or(0..0, |root| root.start as usize..root.end as usize)
    }

    /// Marks a node, and all its containers, as parts that must stay.
    fn hold(&mut self, node: u32) {
        let mut at = node;
        while let Some(node) = self.nodes.get_mut(at as usize)
            && !std::mem::replace(&mut node.must, true)
        {
            at = node.parent;
        }
    }

    /// Writes the document under some limits.
    pub fn write(&mut self, limits: Limits) -> Written {
        let touches = self.largest.get_or_insert_with(|| LargestParts::of(&self.nodes)).exceeds(limits);
        if let Some(whole) = self.whole.as_ref().filter(|_| !touches) {
            return whole.clone();
        }
        let mut writer = Writer::new(self, limits);
        writer.value(0, 0);
        let out = writer.out;
        if !touches {
            self.whole = Some(out.clone());
        }
        out
    }

    /// Writes the items of the outermost array as one document per line.
    pub fn write_series(&mut self, limits: Limits) -> Written {
        let mut writer = Writer::new(self, limits);
        let parts = writer.parts(0);
        let keep = writer.chosen(0, &parts);
        let mut marker = writer.names(0, &parts, &keep);
        for (part, kept) in parts.iter().zip(keep) {
            if kept == ItemDetail::No {
                writer.leave(part, Reason::ArrayItems);
                let Some(marker) = marker.take() else { continue };
                writer.out.text.push_str(&format!("\"{}\"", marker.write()));
            } else {
                writer.is_sparse = kept == ItemDetail::Sparse;
                writer.value(part.value, 1);
                writer.is_sparse = false;
            }
            writer.out.text.push('\n');
        }
        writer.out.text.pop();
        writer.out
    }
}

/// The state of writing a document.
struct Writer<'d, 'a> {
    document: &'d mut Document<'a>,
    limits: Limits,
    out: Written,
    /// Position of the first null or empty member, and the number of all.
    empty: (usize, usize),
    /// Index of the first range of `exact` that was not passed.
    exact: usize,
    /// Whether the current item is beyond a limit, so that only what must stay is written.
    is_sparse: bool,
}

/// A part of a container: its first byte, its value, and where it ends.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    value: u32,
    end: usize,
}

impl<'d, 'a> Writer<'d, 'a> {
    fn new(document: &'d mut Document<'a>, limits: Limits) -> Self {
        let out = Written { text: String::new(), omitted: 0, reason: Reason::NothingToDo };
        Self { document, limits, out, empty: (0, 0), exact: 0, is_sparse: false }
    }

    /// Records that a part is not shown.
    fn leave(&mut self, part: &Part, reason: Reason) {
        self.leave_bytes(part.end - part.start, reason);
    }

    fn leave_bytes(&mut self, bytes: usize, reason: Reason) {
        if self.out.omitted == 0 {
            self.out.reason = reason;
        }
        self.out.omitted += bytes;
    }

    fn node(&self, i: u32) -> Node {
        self.document.nodes[i as usize]
    }

    fn text(&self, range: Range<usize>) -> &str {
        self.document.text.get(range).unwrap_or_default()
    }

    fn copy(&mut self, range: Range<usize>) {
        self.out.text.push_str(self.document.text.get(range).unwrap_or_default());
    }

    fn value(&mut self, i: u32, depth: usize) {
        crate::stop::check_sometimes();
        let node = self.node(i);
        match node.kind {
            Kind::Object | Kind::Array if node.children > 0 => self.container(i, depth),
            Kind::String => self.string(node),
            _ => self.copy(node.start as usize..node.end as usize),
        }
    }

    fn string(&mut self, node: Node) {
        let range = node.start as usize + 1..node.end as usize - 1;
        let limit = match self.limits.string {
            Some(limit) if range.len() > limit => limit,
            _ => return self.copy(node.start as usize..node.end as usize),
        };
        let fixed: Vec<Range<usize>> = if node.must { self.fixed_in(&range) } else { Vec::new() };
        let about = self.document.about;
        match strings::cut(&self.document.text[range.clone()], limit, &fixed, about, Escapes::Backslash) {
            None => self.copy(range.start - 1..range.end + 1),
            Some(cut) => {
                self.copy(range.start - 1..range.start);
                self.out.text.push_str(&cut.text);
                self.copy(range.end..range.end + 1);
                self.leave_bytes(cut.omitted, Reason::LongString);
            }
        }
    }

    /// The ranges of a string that must stay, as offsets in the string.
    fn fixed_in(&self, string: &Range<usize>) -> Vec<Range<usize>> {
        let exact = &self.document.exact;
        let first = exact.partition_point(|range| range.end <= string.start);
        let inside = exact[first..].iter().take_while(|range| range.start < string.end);
        inside
            .map(|r| {
                r.start.max(string.start) - string.start
                    ..r.end.min(string.end).max(string.start) - string.start
            })
            .collect()
    }

    fn container(&mut self, i: u32, depth: usize) {
        let node = self.node(i);
        let size = (node.end - node.start) as usize;
        if depth >= self.limits.depth && !node.must && size > MIN_SAVED_BYTES && self.deep(i, depth) {
            return;
        }
        let parts = self.parts(i);
        let mut keep = self.chosen_at(i, &parts, depth);
        let gone = parts.iter().zip(&keep).filter(|(_, keep)| **keep == ItemDetail::No);
        let gone = gone.map(|(part, _)| part.end - part.start).sum::<usize>();
        let mut marker = self.names(i, &parts, &keep);
        if marker.as_ref().is_some_and(|marker| gone < least(marker)) {
            keep.iter_mut().filter(|keep| **keep == ItemDetail::No).for_each(|keep| *keep = ItemDetail::Yes);
            marker = None;
        }
        if self.document.drop_empty {
            self.drop_empty(i, &parts, &mut keep);
        }
        self.parts_of(i, depth, &parts, &keep, marker);
    }

    /// Writes the kept parts of a container, with a marker at the first missing part.
    fn parts_of(
        &mut self,
        i: u32,
        depth: usize,
        parts: &[Part],
        keep: &[ItemDetail],
        mut marker: Option<Marker>,
    ) {
        let node = self.node(i);
        self.copy(node.start as usize..node.start as usize + 1);
        let reason = if node.kind == Kind::Object { Reason::ObjectMembers } else { Reason::ArrayItems };
        let was_sparse = self.is_sparse;
        // If the end is missing, the marker is there: the part before it is followed by a comma.
        let at_end = keep.iter().rposition(|keep| *keep != ItemDetail::No).map_or(0, |last| last + 1);
        let place = if at_end < keep.len() { at_end } else { 0 };
        let mut before = node.start as usize + 1;
        let (mut is_first, mut is_next) = (true, true);
        for (p, (part, kept)) in parts.iter().zip(keep).enumerate() {
            let is_kept = *kept != ItemDetail::No;
            let marker = if is_kept || p < place { None } else { marker.take() };
            if is_kept || marker.is_some() {
                self.between(before..part.start, is_first, is_next);
                match &marker {
                    Some(marker) => self.marker(node, marker),
                    None => {
                        self.is_sparse |= *kept == ItemDetail::Sparse;
                        self.part(part, depth);
                        self.is_sparse = was_sparse;
                    }
                }
                is_first = false;
            }
            if !is_kept {
                let is_empty = self.document.drop_empty && node.kind == Kind::Object && self.is_nothing(part);
                self.leave(part, if is_empty { Reason::EmptyMembers } else { reason });
            }
            is_next = is_kept;
            before = part.end;
        }
        let close = node.end as usize - 1;
        if depth == 0 && self.empty.0 > 0 {
            // A count at each place would cost more than it saves: one marker counts those of the whole document.
            let (count, reason) = (self.empty.0, Reason::EmptyMembers.code().to_owned());
            let marker = Marker::Parts { count, of: self.empty.1, unit: Unit::Members, reason, names: None };
            let last = parts.last().map_or(close..close, |part| part.start..part.start);
            self.between(last, is_first, false);
            self.marker(node, &marker);
        }
        // A trailing comma is only allowed in the loose grammar.
        if is_next {
            self.space(before..close);
        } else if self.document.pretty {
            let space = self.text(before..close);
            let space = &space[space.trim_end().len()..];
            let space = space.to_owned();
            self.out.text.push_str(&space);
        }
        self.copy(close..close + 1);
    }

    fn part(&mut self, part: &Part, depth: usize) {
        let value = self.node(part.value);
        if part.start < value.start as usize {
            let key_end = self.node(part.value - 1).end as usize;
            self.copy(part.start..key_end);
            self.space(key_end..value.start as usize);
        }
        self.value(part.value, depth + 1);
    }

    /// The separator between two parts: a comma, and white space if it stays.
    fn between(&mut self, range: Range<usize>, is_first: bool, is_next: bool) {
        if is_next {
            return self.space(range);
        }
        if !is_first {
            self.out.text.push(',');
        }
        if self.document.pretty {
            let text = self.text(range);
            let space = text[text.trim_end().len()..].to_owned();
            self.out.text.push_str(&space);
        }
    }

    /// The separator between two tokens, without white space unless it must stay.
    fn space(&mut self, range: Range<usize>) {
        let text = self.document.text.get(range.clone()).unwrap_or_default();
        let exact = &self.document.exact;
        while exact.get(self.exact).is_some_and(|e| e.end <= range.start) {
            self.exact += 1;
        }
        let is_exact = exact.get(self.exact).is_some_and(|e| e.start < range.end && range.start < e.end);
        let is_one_line = || memchr::memchr(b'\n', text.as_bytes()).is_none();
        if self.document.pretty || text.bytes().any(|b| b == b'/') || (is_exact && is_one_line()) {
            self.out.text.push_str(text);
        } else if is_exact {
            // The line that must stay ends or starts here; its indentation is not part of it.
            self.out.text.push_str(text.trim());
        } else {
            // In most cases a comma or a colon, and blanks after it.
            let sign = text.bytes().take_while(|b| !b.is_ascii_whitespace()).count();
            let (sign, rest) = text.split_at(sign);
            self.out.text.push_str(sign);
            if !rest.bytes().all(|b| b.is_ascii_whitespace()) {
                rest.split_ascii_whitespace().for_each(|run| self.out.text.push_str(run));
            }
        }
    }

    fn marker(&mut self, node: Node, marker: &Marker) {
        let space = if self.document.pretty { " " } else { "" };
        let text = marker.write();
        match node.kind {
            Kind::Object => self.out.text.push_str(&format!("\"{text}\":{space}\"\"")),
            _ => self.out.text.push_str(&format!("\"{text}\"")),
        }
    }

    /// A container of which only the size is shown, and what identifies it. Returns false if the marker would cost
    /// about as much.
    fn deep(&mut self, i: u32, depth: usize) -> bool {
        let node = self.node(i);
        let parts = self.parts(i);
        let mut keep = vec![ItemDetail::No; parts.len()];
        if node.kind == Kind::Object {
            let ranges: Vec<_> = parts.iter().map(|part| (part.start..part.end, part.value)).collect();
            for at in members::identity(self.document.text, &self.document.nodes, &ranges) {
                keep[at] = ItemDetail::Yes;
            }
        }
        let marker = self.names(i, &parts, &keep).map(|marker| match marker {
            Marker::Parts { count, of, unit, names, .. } => {
                Marker::Parts { count, of, unit, reason: Reason::DeepValue.code().to_owned(), names }
            }
            other => other,
        });
        let gone = parts.iter().zip(&keep).filter(|(_, keep)| **keep == ItemDetail::No);
        let gone: usize = gone.map(|(part, _)| part.end - part.start).sum();
        if marker.as_ref().is_none_or(|marker| gone < least(marker)) {
            return false;
        }
        if self.out.omitted == 0 {
            self.out.reason = Reason::DeepValue;
        }
        self.parts_of(i, depth, &parts, &keep, marker);
        true
    }

    fn parts(&self, i: u32) -> Vec<Part> {
        parts(&self.document.nodes, i)
    }

    fn chosen(&mut self, i: u32, parts: &[Part]) -> Vec<ItemDetail> {
        self.chosen_at(i, parts, 0)
    }

    /// Which parts stay: all, unless there are too many.
    fn chosen_at(&mut self, i: u32, parts: &[Part], depth: usize) -> Vec<ItemDetail> {
        let node = self.node(i);
        let is_object = node.kind == Kind::Object;
        let limit = if is_object { self.limits.members(depth) } else { self.limits.items };
        let limit = limit.unwrap_or(usize::MAX);
        if parts.len() <= limit && !self.is_sparse {
            return vec![ItemDetail::Yes; parts.len()];
        }
        let document = &mut *self.document;
        let chosen = match self.is_sparse {
            // The first scalars usually identify the item.
            true => {
                let is_scalar = |part: &Part| document.nodes[part.value as usize].children == 0;
                let names = if is_object { KEPT_MEMBERS } else { 0 };
                parts.iter().enumerate().map(|(p, part)| p < names && is_scalar(part)).collect()
            }
            false => {
                let ranking = document.rankings.entry(i).or_insert_with(|| {
                    let values: Vec<_> = parts.iter().map(|p| (p.start..p.end, p.value)).collect();
                    match is_object
                        .then(|| members::rank(document.text, &document.nodes, &values, document.about))
                    {
                        Some(Some(ranking)) => ranking,
                        _ => fields::rank(document.text, &document.nodes, &values, document.about),
                    }
                });
                let mut keep = ranking.chosen(limit);
                // An outlier stays wherever it is, together with the members that identify its item.
                let unlike = ranking.outliers().to_vec();
                for (item, at) in unlike {
                    let part = parts[item as usize];
                    keep[item as usize] |= part.end - part.start <= MAX_WHOLE_ITEM_BYTES;
                    document.hold(at);
                    let name = fields::identity(document.text, &document.nodes, part.value);
                    name.into_iter().for_each(|name| document.hold(name));
                }
                keep
            }
        };
        let kept = |(part, chosen): (&Part, bool)| {
            let first = part.value - u32::from(is_object);
            match document.nodes[first as usize].must || document.nodes[part.value as usize].must {
                _ if chosen => ItemDetail::Yes,
                // The value of a key that reports a failure describes the failure.
                true if document.nodes[part.value as usize].must && !is_object => ItemDetail::Sparse,
                true => ItemDetail::Yes,
                false => ItemDetail::No,
            }
        };
        parts.iter().zip(chosen).map(kept).collect()
    }

    /// Removes null and empty members.
    fn drop_empty(&mut self, i: u32, parts: &[Part], keep: &mut [ItemDetail]) {
        if self.node(i).kind != Kind::Object {
            return;
        }
        self.empty.1 += parts.len();
        for (part, keep) in parts.iter().zip(keep) {
            if self.is_nothing(part) && !self.node(part.value).must && *keep != ItemDetail::No {
                *keep = ItemDetail::No;
                self.empty.0 += 1;
            }
        }
    }

    /// Whether the value of a part is null or empty.
    fn is_nothing(&self, part: &Part) -> bool {
        let node = self.node(part.value);
        is_empty(self.text(node.start as usize..node.end as usize))
    }

    /// The marker for omitted parts.
    fn names(&self, i: u32, parts: &[Part], keep: &[ItemDetail]) -> Option<Marker> {
        let gone: Vec<Part> =
            parts.iter().zip(keep).filter(|(_, keep)| **keep == ItemDetail::No).map(|(p, _)| *p).collect();
        if gone.is_empty() {
            return None;
        }
        let is_object = self.node(i).kind == Kind::Object;
        let names = match is_object {
            true => self.keys(&gone),
            false => {
                let values: Vec<u32> = gone.iter().map(|part| part.value).collect();
                let kinds = fields::kinds(self.document.text, &self.document.nodes, &values);
                // One marker covers all gaps; if there are several, it lists their places.
                let names = [gaps(keep), kinds].into_iter().flatten().collect::<Vec<_>>().join(", ");
                Some(names).filter(|names| !names.is_empty())
            }
        };
        let (unit, reason) = match is_object {
            true => (Unit::Members, Reason::ObjectMembers),
            false => (Unit::Items, Reason::ArrayItems),
        };
        let reason = reason.code().to_owned();
        Some(Marker::Parts { count: gone.len(), of: parts.len(), unit, reason, names })
    }

    /// Keys that a marker may list.
    fn keys(&self, gone: &[Part]) -> Option<String> {
        let size: usize = gone.iter().map(|part| part.end - part.start).sum();
        let mut names = String::new();
        let mut is_all = true;
        for part in gone {
            let key = self.node(part.value - 1);
            let key = self.text(key.start as usize..key.end as usize).trim_matches(['"', '\'']);
            // A listed name means that a value exists.
            let value = self.node(part.value);
            let is_nothing = is_empty(self.text(value.start as usize..value.end as usize));
            if !is_plain_name(key) || is_nothing {
                is_all = false;
                continue;
            }
            if names.len() + key.len() > MAX_NAMES_BYTES.min(size / 3) {
                is_all = false;
                break;
            }
            if !names.is_empty() {
                names.push_str(", ");
            }
            names.push_str(key);
        }
        if !is_all && !names.is_empty() {
            names.push_str(", ...");
        }
        Some(names).filter(|names| !names.is_empty())
    }
}
