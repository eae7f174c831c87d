//! Shortens structured data: JSON and similar formats, XML, HTML, YAML, CSV and tables.
//!
//! Omissions are marked, and the output stays valid in its format. Keys, numbers and other scalars that stay are exact and
//! in order. `plan` chooses the items of a series that stay; each format has a file that reads and writes it. This step runs
//! only in `aggressive`, or if a limit would otherwise cut the text without regard to its format. Files that were requested
//! by range are never changed.

mod diagnostics;
mod exact;
mod fields;
mod find;
mod html;
mod json;
mod largest_parts;
mod members;
pub mod plan;
mod rows;
mod strings;
mod tape;
#[cfg(test)]
mod tests;
pub mod xml;
mod yaml;

use std::collections::HashSet;
use std::ops::Range;

use crate::config::{FileDetail, Mode, Policy, Structured};
use crate::detect::Shape;
use crate::input::Input;
use crate::text::ledger::{Action, Ledger, Reduction};
use crate::text::marker::{Marker, OPEN};
use crate::text::reason::Reason;

/// The step's name in the evidence.
pub const ID: &str = "structured_data";

/// Why parts of a document are not shown.
pub const REASONS: &[Reason] = &[
    Reason::ArrayItems,
    Reason::ObjectMembers,
    Reason::DeepValue,
    Reason::EmptyMembers,
    Reason::LongString,
    Reason::EncodedString,
    Reason::Siblings,
    Reason::PageCode,
    Reason::TableRows,
];

/// Limits for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Items of an array.
    pub items: Option<usize>,
    /// Characters of a string.
    pub string: Option<usize>,
    /// Levels.
    pub depth: usize,
    /// How often the limits were halved.
    pub halvings: u32,
}

/// Most halvings, starting from the limits of `aggressive`.
const MAX_HALVINGS: u32 = 10;
/// A document that is only cut to fit starts with this many items of an array and characters of a string, and is halved
/// from there. A choice: hardly any document has more.
const INITIAL_ITEMS: usize = 1 << 14;
const INITIAL_CHARS: usize = 1 << 18;
/// After this many consecutive halvings with little effect, no more are tried.
const MAX_IDLE_HALVINGS: usize = 3;
/// Target for the size of a document between two halvings, in bytes: a cut should not remove far more than needed, and need
/// not fill a large space either.
const TARGET_STEP_BYTES: usize = 16 << 10;
/// Levels that are shown, by the number of halvings.
const DEPTHS: &[usize] = &[64, 32, 10, 8, 6, 5, 4, 3, 2];

impl Limits {
    /// The limits of a policy.
    fn of(policy: &Policy) -> Self {
        let data = policy.data_limits();
        let halvings = u32::from(policy.squeeze);
        Self { items: data.items, string: data.string, depth: depth(halvings), halvings }
    }

    /// The limits, halved some more times.
    fn halved(self, times: u32) -> Self {
        if times == 0 {
            return self;
        }
        let halve = |limit: usize| (limit >> times.min(31)).max(1);
        let is_open = self.items.is_none() && self.string.is_none();
        let (items, string) = match is_open {
            true => (halve(INITIAL_ITEMS), halve(INITIAL_CHARS).max(64)),
            false => (
                halve(self.items.unwrap_or(INITIAL_ITEMS)),
                halve(self.string.unwrap_or(INITIAL_CHARS)).max(32),
            ),
        };
        // Without limits of its own, it first gets those of `aggressive`, before levels are removed.
        let halvings = self.halvings + if is_open { times.saturating_sub(9) } else { times };
        Self { items: Some(items), string: Some(string), depth: depth(halvings), halvings }
    }

    /// Limits between the last that is too large and the next, which would remove too much, in the order in which they are
    /// tried. Levels come last, because removing them loses most.
    fn between(self, next: Self) -> impl Iterator<Item = Self> {
        let mid = |a: Option<usize>, b: Option<usize>| a.zip(b).map(|(a, b)| usize::midpoint(a, b)).or(b);
        let middle =
            Self { items: mid(self.items, next.items), string: mid(self.string, next.string), ..next };
        let depth = usize::midpoint(self.depth, next.depth);
        [
            Self { depth: self.depth, ..middle },
            Self { depth: self.depth, ..next },
            Self { depth, ..middle },
            Self { depth, ..next },
            Self { depth: next.depth, halvings: next.halvings, ..self },
            middle,
        ]
        .into_iter()
    }

    /// Most members of an object at some depth. Keys are more useful than items, and top-level keys are the most
    /// useful.
    fn members(self, level: usize) -> Option<usize> {
        self.items.map(|items| if level == 0 { (items * 4).max(48) } else { (items * 2).max(4) })
    }
}

fn depth(halvings: u32) -> usize {
    DEPTHS.get(halvings as usize).copied().unwrap_or(1)
}

/// Removes lists of names from markers that repeat the list of an earlier marker: the omissions in similar items would all
/// name the same keys. Returns whether there were any.
pub fn drop_repeated_names(ledger: &mut Ledger) -> bool {
    let mut listed: HashSet<String> = HashSet::new();
    let mut is_changed = false;
    for span in ledger.spans_mut() {
        let Action::Replace { text, .. } = &mut span.action else { continue };
        if let Some(shorter) = names_once(text, &mut listed) {
            *text = shorter;
            is_changed = true;
        }
    }
    is_changed
}

fn names_once(text: &str, listed: &mut HashSet<String>) -> Option<String> {
    let (mut out, mut copied) = (String::new(), 0);
    for at in memchr::memmem::find_iter(text.as_bytes(), OPEN) {
        crate::stop::check_sometimes();
        let Some((marker @ Marker::Parts { names: Some(_), .. }, len)) = Marker::parse(&text[at..]) else {
            continue;
        };
        let Marker::Parts { count, of, unit, reason, names: Some(names) } = marker else { continue };
        if at >= copied && !listed.insert(names) {
            out.push_str(&text[copied..at]);
            out.push_str(&Marker::Parts { count, of, unit, reason, names: None }.write());
            copied = at + len;
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Whether a key or word can be in a marker without being mistaken for a part of it, in every format.
fn is_plain_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'@' | b'$' | b'-');
    (1..=48).contains(&name.len()) && name.bytes().all(plain) && !name.contains("--")
}

/// A document in a text: its lines, and how to write it under some limits.
struct Found<'a> {
    lines: Range<usize>,
    write: Box<dyn FnMut(Limits) -> Option<Shown> + 'a>,
}

/// The document as shown, without a final line end.
struct Shown {
    text: String,
    omitted: usize,
    reason: Reason,
}

/// What to leave out of the structured data in a text. `room` is the number of bytes that a later cut would keep of it, if
/// there is one.
pub fn reduce(
    input: &Input<'_>,
    ledger: &Ledger,
    signals: &[usize],
    room: Option<usize>,
) -> Result<Reduction, Reason> {
    let size = ledger.size(input.source, None);
    let room = room.filter(|room| size > *room);
    if !is_wanted(input, room.is_some()) {
        let is_kept = input.policy.drop_empty && holds_members(input.source.text());
        return Err(if is_kept { Reason::EmptyKept } else { Reason::NothingToDo });
    }
    // In form `plain`, only empty members are removed here; a cut by lines does the rest.
    let is_plain = input.policy.structured_form() == Structured::Plain;
    let room = room.filter(|_| !is_plain);
    let limits = Limits::of(input.policy);
    // From requested lines no more is removed than a cut would remove.
    let is_open = is_plain || is_asked(input) || is_full(input);
    let limits = if is_open { Limits { items: None, string: None, ..limits } } else { limits };
    let has_limits = limits.items.is_some() || limits.string.is_some() || input.policy.drop_empty;
    if !has_limits && room.is_none() {
        return Err(Reason::NothingToDo);
    }
    let is_set = input.policy.array_max_items.is_some() || input.policy.string_max_length.is_some();
    let has_limits_of_mode = input.policy.mode == Mode::Aggressive && !is_set;
    let mut found = find::documents(input, ledger, signals, room.is_some());
    let mut step = Reduction::default();
    // Other text needs space too; the rest is divided by size.
    let of_all: usize = found.iter().map(|f| input.source.byte_range(f.lines.clone()).len()).sum();
    let others = size.saturating_sub(of_all);
    for document in &mut found {
        let before = input.source.slice(document.lines.clone()).trim_end_matches(['\n', '\r']).len();
        let share = room.map(|room| {
            let left = room.saturating_sub(others.min(room / 2));
            (left as u128 * before as u128 / of_all.max(1) as u128) as usize
        });
        let mut best = fitted(document, limits, has_limits, share);
        // The limits of `aggressive` may keep more of a document than a cut alone, as `standard` makes it.
        if share.is_some() && !is_open && has_limits_of_mode {
            let open = fitted(document, Limits { items: None, string: None, ..limits }, false, share);
            let size = |shown: &Shown| if shown.omitted > 0 { shown.text.len() } else { usize::MAX };
            best = best.into_iter().chain(open).min_by_key(size);
        }
        if let Some(Shown { text, omitted, reason }) = best.filter(|s| s.omitted > 0 && s.text.len() < before)
        {
            step.push(document.lines.clone(), Action::Replace { text, reason, omitted_bytes: omitted });
        }
    }
    if step.is_empty() { Err(Reason::NothingToDo) } else { Ok(step) }
}

/// A document under the largest limits with which it takes at most `share` bytes, from `limits` on.
fn fitted(document: &mut Found<'_>, limits: Limits, has_limits: bool, share: Option<usize>) -> Option<Shown> {
    let first = u32::from(!has_limits);
    let mut best: Option<Shown> = None;
    // The previous limits, under which it was too long.
    let mut wider: Option<Limits> = None;
    // If only parts that must stay are left, smaller limits change nothing.
    let mut idle = 0;
    for times in first..=first + MAX_HALVINGS + if has_limits { 0 } else { 9 } {
        let here = limits.halved(times);
        let Some(shown) = (document.write)(here) else { break };
        let fits = share.is_none_or(|share| shown.text.len() <= share);
        let size = best.as_ref().map_or(usize::MAX, |best| best.text.len());
        idle = if shown.omitted > 0 && shown.text.len() > size - size / 32 { idle + 1 } else { 0 };
        let length = shown.text.len();
        if length < size {
            best = Some(shown);
        }
        let aim = share.map(|share| share.min(TARGET_STEP_BYTES)).filter(|aim| length * 2 < *aim);
        if let (true, Some(wider), Some(aim)) = (fits, wider, aim) {
            let mut tried = wider.between(here).filter_map(|limits| (document.write)(limits));
            best = tried.find(|shown| (length..=aim).contains(&shown.text.len())).or(best);
        }
        if fits || idle == MAX_IDLE_HALVINGS {
            break;
        }
        wider = Some(here);
    }
    best
}

/// Whether parts of such a text may be left out. A JSON or YAML file that a limit would cut stays valid JSON or YAML.
fn is_wanted(input: &Input<'_>, is_over: bool) -> bool {
    let detection = input.detection;
    let is_aggressive = input.policy.mode == Mode::Aggressive;
    input.policy.mode >= Mode::Standard
        && (input.policy.structured_form() != Structured::Plain || input.policy.drop_empty)
        // JSON over a limit stays JSON, however it was printed.
        && (!is_asked(input) || is_over && !detection.is_exact_range() && holds_members(input.source.text()))
        && !detection.is_window
        && match detection.shape {
            Shape::Other => true,
            Shape::File => {
                let first = || input.source.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                let is_data = || holds_members(input.source.text()) || find::is_yaml(input, first());
                is_aggressive && !is_full(input) || (is_over || input.policy.drop_empty) && is_data()
            }
            _ => false,
        }
}

/// Whether a text begins like JSON.
pub fn holds_members(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Whether the text is a file of which the policy wants all to be shown.
fn is_full(input: &Input<'_>) -> bool {
    input.detection.shape == Shape::File && input.policy.file_detail == FileDetail::Full
}

/// Whether the lines of the text were requested one by one. The selection of a tool that reads the format itself is a
/// document again, and a service's limit or offset is not a range of lines.
fn is_asked(input: &Input<'_>) -> bool {
    const READERS: &[&str] = &["jq", "yq", "gojq", "xq", "xmllint", "python", "python3", "node", "mlr", "fx"];
    const CHOOSERS: &[&str] = &[
        "head", "tail", "sed", "awk", "gawk", "mawk", "grep", "egrep", "fgrep", "rg", "ag", "ack", "cut",
        "less", "more", "bat", "batcat", "nl",
    ];
    let detection = input.detection;
    if !detection.is_range {
        return false;
    }
    if input.call.command.is_none() {
        return detection.shape == Shape::File || input.call.path.is_some();
    }
    let programs = || detection.command.pipelines.iter().flatten().map(|simple| simple.program());
    !programs().any(|program| READERS.contains(&program)) || programs().any(|p| CHOOSERS.contains(&p))
}
