//! Removes secrets from the strings of a JSON text, each in its place, and escapes look-alikes of markers: the text
//! stays JSON, and every other string stays byte for byte.
//!
//! The text is searched twice: as it is written, since the name of a member shows the kind of its value; and with all
//! strings decoded, one below the other. Base64 that encodes text is searched as that text. Excluded places are never
//! read. The walk does not recurse, so that its cost is linear in the bytes at any depth.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use serde_json::value::RawValue;

use super::skim::{Edits, Json};
use crate::pipeline::RedactionFailed;
use crate::sanitize::Counts;
use crate::sanitize::secrets;
use crate::sanitize::secrets::Finding;
use crate::sanitize::spare::Spare;
use crate::text::marker;
use crate::text::marker::SealKey;

mod bytes;
mod leaves;

use leaves::{Kind, Leaf, Leaves};

/// Members in blocks of a provider that the provider reads itself: names, and signed values.
const OF_PROVIDER: &[&str] = &[
    "type",
    "tool_use_id",
    "file_id",
    "media_type",
    "mime_type",
    "mimeType",
    "ttl",
    "encrypted_content",
    "encrypted_index",
    "encrypted_stdout",
    "signature",
    "thoughtSignature",
    "thought_signature",
];
/// Bytes of decoded strings that are searched together.
const MAX_TOGETHER_BYTES: usize = 256 << 10;
/// Strings of fewer bytes are not searched on their own.
const MIN_STRING_BYTES: usize = 6;

/// A value whose strings are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its place.
    pub range: Range<usize>,
    /// Whether every member is searched; otherwise the provider's own members are skipped.
    pub is_free: bool,
}

/// A string that is JSON text itself, of which some texts are excluded.
#[derive(Debug, Clone)]
pub struct Inside {
    /// The place of the string.
    pub range: Range<usize>,
    /// The JSON text.
    pub text: Rc<str>,
    /// The excluded places in it, in order.
    pub but: Vec<Range<usize>>,
}

/// What is searched, and what is excluded.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Values that are searched, without overlap.
    pub regions: Vec<Region>,
    /// Values that are excluded, in order.
    pub but: Vec<Range<usize>>,
    /// If look-alikes of markers are escaped: the key that seals real markers, which stay.
    pub escapes: Option<SealKey>,
}

impl Plan {
    /// All of a value except these places, which are in order.
    pub fn whole(json: Json<'_>, but: Vec<Range<usize>>, escapes: Option<SealKey>) -> Self {
        Self { regions: vec![Region { range: json.range(), is_free: true }], but, escapes }
    }

    fn leaves_alone(&self, range: &Range<usize>) -> bool {
        let behind = self.but.partition_point(|but| but.start <= range.start);
        behind > 0 && range.end <= self.but[behind - 1].end
    }
}

/// The edits that remove the secrets from a text; `counts` counts them by rule.
///
/// # Errors
/// The rules failed: no part of the text may be used.
pub fn edits(
    text: &str,
    plan: &Plan,
    spare: &Spare<'_>,
    counts: &mut Counts,
) -> Result<Edits, RedactionFailed> {
    if secrets::rules().is_empty() {
        return Err(RedactionFailed);
    }
    let run = || {
        let mut work = Work { text, plan, spare, counts, edits: Edits::default() };
        plan.regions.iter().for_each(|region| work.region(region));
        work.edits
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| RedactionFailed)
}

/// As [`edits`], for a string that is itself JSON text; no edits if it is not.
///
/// # Errors
/// As for [`edits`].
pub fn edits_inside(
    inside: &Inside,
    escapes: Option<SealKey>,
    spare: &Spare<'_>,
    counts: &mut Counts,
) -> Result<Edits, RedactionFailed> {
    let Ok(raw) = serde_json::from_str::<&RawValue>(&inside.text) else { return Ok(Edits::default()) };
    edits(raw.get(), &Plan::whole(Json::of(raw), inside.but.clone(), escapes), spare, counts)
}

/// A whole JSON text without its secrets, except in the places `but`; `None` if nothing changed. With a key,
/// look-alikes of markers are escaped.
///
/// # Errors
/// As for [`edits`].
pub fn redacted(
    raw: &RawValue,
    but: Vec<Range<usize>>,
    escapes: Option<SealKey>,
    spare: &Spare<'_>,
    counts: &mut Counts,
) -> Result<Option<String>, RedactionFailed> {
    let edits = edits(raw.get(), &Plan::whole(Json::of(raw), but, escapes), spare, counts)?;
    Ok((!edits.is_empty()).then(|| edits.apply(raw.get())))
}

/// The work on one text.
struct Work<'a> {
    text: &'a str,
    plan: &'a Plan,
    spare: &'a Spare<'a>,
    counts: &'a mut Counts,
    edits: Edits,
}

/// A string that waits to be searched with others.
struct Waiting<'a> {
    range: Range<usize>,
    is_name: bool,
    value: Cow<'a, str>,
    /// Where its text begins in the joined strings.
    at: usize,
    /// Findings in the text as it is written, as ranges of the decoded value.
    found: Vec<(Range<usize>, &'static str)>,
}

impl<'a> Work<'a> {
    fn region(&mut self, region: &Region) {
        let text = self.text;
        let Some(whole) = text.get(region.range.clone()) else { return };
        let start = region.range.start;
        let mut written = self.find(whole);
        written.iter_mut().for_each(|f| (f.start, f.end) = (f.start + start, f.end + start));
        let mut written = &written[..];
        let (mut joined, mut waiting) = (String::new(), Vec::new());
        for leaf in Leaves::new(text, region.range.clone()) {
            let gone = written.iter().take_while(|f| f.end <= leaf.range.start).count();
            written = &written[gone..];
            let is_own = !region.is_free && OF_PROVIDER.contains(&leaf.name);
            if is_own || self.plan.leaves_alone(&leaf.range) {
                continue;
            }
            // A finding that extends beyond a name is about the text around it: the name itself stays.
            let is_whole = |f: &&Finding| {
                leaf.kind != Kind::Name || (leaf.range.start <= f.start && f.end <= leaf.range.end)
            };
            let over = written.iter().take_while(|f| f.start < leaf.range.end).filter(is_whole);
            if leaf.kind == Kind::Number {
                if let Some(finding) = over.last() {
                    self.count(finding.rule);
                    self.edits.replace_string(leaf.range, &placeholder(finding.rule));
                }
                continue;
            }
            if self.bytes(&leaf) {
                continue;
            }
            let over: Vec<&Finding> = over.collect();
            if over.is_empty() && leaf.range.len() < MIN_STRING_BYTES + 2 {
                continue;
            }
            let (value, found) = leaves::value(text, &leaf.range, &over);
            let at = joined.len();
            joined.push_str(&value);
            // An empty line between: no secret continues in the next string.
            joined.push_str("\n\n");
            let is_name = leaf.kind == Kind::Name;
            waiting.push(Waiting { range: leaf.range, is_name, value, at, found });
            if joined.len() > MAX_TOGETHER_BYTES {
                self.read(&joined, &mut waiting);
                joined.clear();
            }
        }
        self.read(&joined, &mut waiting);
    }

    /// Handles base64; returns true if the string needs no other search.
    fn bytes(&mut self, leaf: &Leaf<'_>) -> bool {
        if leaf.kind == Kind::Name || !bytes::may_be(leaf.name) {
            return false;
        }
        match bytes::read(&self.text[leaf.range.start + 1..leaf.range.end - 1]) {
            bytes::Bytes::Text(coded) => {
                let (keeps, counts) = (self.spare, &mut *self.counts);
                let redacted =
                    secrets::redact_bytes_but(&coded.text, &mut |rule, value| keeps.keeps(rule, value));
                let safe = redacted.map(|(new, hits)| {
                    hits.into_iter().for_each(|(rule, count)| add(counts, rule, count));
                    new
                });
                // Hosts show such text decoded.
                let text = str::from_utf8(safe.as_deref().unwrap_or(&coded.text)).ok();
                let new =
                    text.and_then(|text| self.without_look_alikes(text)).map(String::into_bytes).or(safe);
                let Some(new) = new else { return false };
                self.edits.replace_string(leaf.range.clone(), &coded.written(&new));
                true
            }
            bytes::Bytes::Other => true,
            bytes::Bytes::None => false,
        }
    }

    /// Searches the joined strings.
    fn read(&mut self, joined: &str, waiting: &mut Vec<Waiting<'a>>) {
        let findings = self.find(joined);
        let mut findings = &findings[..];
        let may_escape = self.plan.escapes.is_some() && escaped(joined).is_some();
        for one in waiting.drain(..) {
            let gone = findings.iter().take_while(|f| f.end <= one.at).count();
            findings = &findings[gone..];
            let end = one.at + one.value.len();
            let mut ranges = one.found;
            for finding in findings.iter().take_while(|f| f.start < end) {
                if one.is_name && (finding.start < one.at || finding.end > end) {
                    continue;
                }
                let range = finding.start.max(one.at) - one.at..finding.end.min(end) - one.at;
                ranges.push((range, finding.rule));
            }
            let ranges = joined_up(ranges);
            ranges.iter().for_each(|(_, rule)| self.count(rule));
            let safe = match ranges.is_empty() {
                true => None,
                false => Some(replaced(&one.value, ranges)),
            };
            let text = safe.as_deref().unwrap_or(&one.value);
            let new = if may_escape { self.without_look_alikes(text) } else { None }.or(safe);
            if let Some(new) = new {
                self.edits.replace_string(one.range, &new);
            }
        }
    }

    /// A text with look-alikes of markers escaped; `None` if it has none, is one of ours, or none are escaped.
    fn without_look_alikes(&self, text: &str) -> Option<String> {
        let key = self.plan.escapes.as_ref()?;
        if marker::is_sealed(text, key) { None } else { escaped(text) }
    }

    /// The secrets of a text, except those that are allowed.
    fn find(&self, text: &str) -> Vec<Finding> {
        let mut findings = secrets::find(text.as_bytes());
        findings.retain(|f| !self.spare.keeps(f.rule, &text.as_bytes()[f.start..f.end]));
        findings
    }

    fn count(&mut self, rule: &'static str) {
        add(self.counts, rule, 1);
    }
}

/// A text with look-alikes of markers escaped; `None` if it has none.
fn escaped(text: &str) -> Option<String> {
    marker::escape(text, |_| false, |_| false).map(|(escaped, _)| escaped)
}

fn add(counts: &mut Counts, rule: &'static str, more: usize) {
    match counts.iter_mut().find(|(known, _)| *known == rule) {
        Some((_, count)) => *count += more,
        None => counts.push((rule, more)),
    }
}

fn placeholder(rule: &str) -> String {
    format!("[REDACTED:{rule}]")
}

/// Ranges in order; ranges that touch are joined under the rule of the first.
fn joined_up(mut ranges: Vec<(Range<usize>, &'static str)>) -> Vec<(Range<usize>, &'static str)> {
    ranges.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out: Vec<(Range<usize>, &'static str)> = Vec::with_capacity(ranges.len());
    for (range, rule) in ranges {
        match out.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.push((range, rule)),
        }
    }
    out
}

/// A text with placeholders in the places of secrets.
fn replaced(text: &str, ranges: Vec<(Range<usize>, &'static str)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, rule) in ranges {
        let start = text.floor_char_boundary(range.start).max(at);
        out.push_str(&text[at..start]);
        out.push_str(&placeholder(rule));
        at = text.ceil_char_boundary(range.end).max(start);
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests;
