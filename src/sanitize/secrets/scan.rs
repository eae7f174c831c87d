//! The state of one search: claims, and what each rule has already read.
//!
//! Work is limited by the number of bytes, not of keywords: no rule reads a run or window twice. This file does not judge
//! values; `judge` does.

use super::PLACEHOLDER;
use super::extent::Around;
use super::judge;
use super::names::Names;
use super::table::{Rule, Table};
use crate::stop;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use std::ops::Range;

/// Most judgements of one rule on values with the same end; limits the work on a text full of keywords.
pub(super) const NESTED: usize = 8;

/// Bytes that one rule may read near all its keywords, for each byte of the text.
const WORK_PER_BYTE: usize = 4;
/// The limit for short texts, in bytes.
const MIN_WORK_BYTES: usize = 16 << 10;

/// The state table grows in steps of this many rules.
const PLACES_STEP: usize = 512;

/// Bytes after a keyword that are enough for most rules, and for rules that read many lines.
const NARROW_BYTES: usize = 256;
const WIDE_BYTES: usize = 64 << 10;

/// A value that a rule claims. `rule` is its index in the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: u16,
}

/// The state of one rule. Few rules find a keyword in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// The run, window or name that was read last.
    pub(super) seen: Range<usize>,
    /// How often that run was judged.
    uses: usize,
    /// Bytes that the rule read around its keywords; `usize::MAX` if it may read no more.
    read: usize,
}

/// The run of a bare value that was read last, so that a long one is read once, and judged a few times.
#[derive(Debug, Default)]
pub(super) struct BareRun {
    pub(super) run: Range<usize>,
    pub(super) uses: usize,
}

/// Most remembered matches; a power of two.
const MAX_REMEMBERED_MATCHES: usize = 64;

/// Positions of values in matches of regexes, so that repeated lines need not be parsed again. Empty until the first match.
#[derive(Debug, Default)]
pub(super) struct Matches(Vec<Option<Match>>);

#[derive(Debug, Clone)]
struct Match {
    rule: u16,
    whole: Range<usize>,
    /// Bytes of the match before the value, and of the value.
    value: (usize, usize),
}

impl Matches {
    /// The position of the value in a match of the same bytes with the same neighbours: nothing else affects it.
    pub(super) fn value(&self, text: &[u8], rule: u16, whole: Range<usize>) -> Option<Range<usize>> {
        let known = self.0.get(Self::place(text, rule, &whole))?.as_ref()?;
        let same = known.rule == rule
            && known.whole.len() == whole.len()
            && text[known.whole.clone()] == text[whole.clone()]
            && around(text, &known.whole) == around(text, &whole);
        let (before, len) = known.value;
        let start = whole.start + before;
        same.then_some(start..start + len)
    }

    pub(super) fn add(&mut self, text: &[u8], rule: u16, whole: Range<usize>, value: &Range<usize>) {
        let place = Self::place(text, rule, &whole);
        self.0.resize(MAX_REMEMBERED_MATCHES, None);
        let value = (value.start - whole.start, value.len());
        self.0[place] = Some(Match { rule, whole, value });
    }

    /// Indexed by the rule, the first and the last bytes, the neighbours and the length.
    fn place(text: &[u8], rule: u16, whole: &Range<usize>) -> usize {
        let four = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let bytes = &text[whole.clone()];
        let [before, behind] = around(text, whole).map(|byte| u32::from(byte.unwrap_or_default()));
        let more = (u32::from(rule) << 16) ^ bytes.len() as u32 ^ (before << 24) ^ (behind << 8);
        let hash = (four(bytes.first_chunk()).wrapping_mul(0x85EB_CA6B) ^ four(bytes.last_chunk()) ^ more)
            .wrapping_mul(0x9E37_79B1);
        (hash >> (32 - MAX_REMEMBERED_MATCHES.ilog2())) as usize
    }
}

/// Reusable memory for the groups of a match, of the rule that matched last.
#[derive(Debug, Default)]
pub(super) struct Groups(Option<(u16, Captures)>);

impl Groups {
    /// The memory for a rule with this regex.
    pub(super) fn of(&mut self, rule: u16, regex: &Regex) -> &mut Captures {
        if self.0.as_ref().is_some_and(|(of, _)| *of != rule) {
            self.0 = None;
        }
        &mut self.0.get_or_insert_with(|| (rule, regex.create_captures())).1
    }
}

/// The bytes before and after a range.
fn around(text: &[u8], range: &Range<usize>) -> [Option<u8>; 2] {
    [range.start.checked_sub(1).map(|before| text[before]), text.get(range.end).copied()]
}

/// Everything that rules may read and add to during one search.
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    pub(super) claims: Vec<Claim>,
    /// For each rule the index of its state plus one, 0 for none; empty until a keyword is found.
    places: Vec<u16>,
    states: Vec<State>,
    pub(super) placeholders: Vec<Range<usize>>,
    /// Positions of secret names that may be column heads.
    pub(super) heads: Vec<usize>,
    /// Rows of tables with a secret name in a cell between two others; in order, without overlap.
    pub(super) rows: Vec<Range<usize>>,
    /// Positions of secret names that may have a field of their own.
    pub(super) fields: Vec<usize>,
    /// Starts of tokens that are too short for their rule, and secret names.
    pub(super) cut: Vec<usize>,
    /// Ranges around keywords that may be disguised.
    pub(super) near: Vec<Range<usize>>,
    /// Rules with a window that was not searched yet.
    pub(super) open: Vec<u16>,
    /// The last run that was read beyond a window to find the end of a value.
    pub(super) beyond: Range<usize>,
    /// The name around the last keyword.
    pub(super) names: Names,
    /// Matches of regexes.
    pub(super) matches: Matches,
    /// The value that was last tested for being a template, and the result.
    judged: (Range<usize>, bool),
    /// Groups of the last match.
    pub(super) groups: Groups,
    /// State of `named` between keywords.
    pub(super) bare: BareRun,
    /// Whether a rule claimed the rest of the text because it had read too much.
    is_hostile: bool,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Scan<'t> {
        Scan {
            text,
            claims: Vec::new(),
            places: Vec::new(),
            states: Vec::new(),
            placeholders: Vec::new(),
            heads: Vec::new(),
            rows: Vec::new(),
            fields: Vec::new(),
            cut: Vec::new(),
            near: Vec::new(),
            open: Vec::new(),
            beyond: 0..0,
            names: Names::default(),
            matches: Matches::default(),
            judged: (0..0, true),
            groups: Groups::default(),
            bare: BareRun::default(),
            is_hostile: false,
        }
    }

    /// The state of a rule.
    pub(super) fn state(&mut self, rule: u16) -> &mut State {
        let rule = usize::from(rule);
        if self.places.len() <= rule {
            self.places.resize((rule + 1).next_multiple_of(PLACES_STEP), 0);
        }
        if self.places[rule] == 0 {
            self.states.push(State::default());
            self.places[rule] = self.states.len() as u16;
        }
        &mut self.states[usize::from(self.places[rule]) - 1]
    }

    /// Records one of our placeholders, so that no rule reads its inside as a name or a value.
    pub(super) fn add_placeholder(&mut self, table: &Table, start: usize) {
        let rest = &self.text[start + PLACEHOLDER.len()..];
        let Some(len) = rest.iter().take(64).position(|&b| b == b']') else { return };
        let known = &self.text[start..start + PLACEHOLDER.len()] == PLACEHOLDER.as_bytes()
            && table.ids.binary_search_by(|id| id.as_bytes().cmp(&rest[..len])).is_ok();
        if known {
            self.placeholders.push(start..start + PLACEHOLDER.len() + len + 1);
        }
    }

    /// Whether the last range reaches far enough beyond a keyword that this one adds little.
    pub(super) fn is_near(&self, hit: Range<usize>, is_wide: bool) -> bool {
        let behind = if is_wide { WIDE_BYTES } else { NARROW_BYTES };
        self.near.last().is_some_and(|last| last.start <= hit.start && hit.end + behind <= last.end)
    }

    /// The end of the run of `set` at `from`. Returns nothing for a run that this rule has already read, or for a run
    /// with too many keywords.
    pub(super) fn run(&mut self, index: u16, set: judge::ByteSet, from: usize) -> Option<usize> {
        let text = self.text;
        let state = self.state(index);
        if !state.seen.contains(&from) {
            (state.seen, state.uses) = (from..set.run(text, from), 0);
        }
        state.uses += 1;
        (state.uses <= NESTED).then_some(state.seen.end)
    }

    /// Counts bytes that a rule read around a keyword; they may overlap.
    pub(super) fn add_read(&mut self, index: u16, bytes: usize) {
        let read = &mut self.state(index).read;
        *read = read.saturating_add(bytes);
    }

    /// Whether a rule may read around the keyword that ends at `end`. Only hostile text exceeds the limit; then everything
    /// after the keyword is redacted, because nobody examines it.
    pub(super) fn may_read(&mut self, index: u16, end: usize) -> bool {
        let most = MIN_WORK_BYTES.max(self.text.len().saturating_mul(WORK_PER_BYTE));
        let read = &mut self.state(index).read;
        if *read <= most {
            return true;
        }
        if *read != usize::MAX {
            *read = usize::MAX;
            self.is_hostile = true;
            self.claims.push(Claim { start: end, end: self.text.len(), rule: index });
        }
        false
    }

    /// Whether a value is a template. The last result is remembered, because several rules test the same value one
    /// after the other.
    pub(super) fn is_template(&mut self, value: &Range<usize>) -> bool {
        if self.judged.0 != *value {
            let bytes = &self.text[value.clone()];
            let is_template = judge::is_template(bytes) || is_encrypted(bytes) || is_named_token(bytes);
            self.judged = (value.clone(), is_template);
        }
        self.judged.1
    }

    /// Claims a value unless it is a template, too regular, or on the rule's allow list.
    pub(super) fn claim(&mut self, rule: &Rule, index: u16, value: Range<usize>) {
        let text = self.text;
        let bytes = &text[value.clone()];
        let spared = bytes.is_empty()
            || self.is_template(&value)
            || (rule.random && !judge::is_random(bytes, judge::Doubt::Little))
            || (rule.entropy > 0.0 && judge::entropy(bytes) < rule.entropy)
            || rule.allow.iter().any(|word| judge::contains(bytes, word));
        if !spared {
            self.claims.push(Claim { start: value.start, end: value.end, rule: index });
        }
    }

    /// Merges overlapping claims under the rule that is first in the table, and excludes placeholders and text around
    /// values.
    pub(super) fn into_claims(mut self) -> Vec<Claim> {
        self.claims.sort_unstable();
        let mut around = Around::of(self.text);
        // A rule that read too much claimed the rest of the text without examining it, so no claim is made smaller.
        let is_hostile = self.is_hostile;
        self.claims.retain_mut(|claim| {
            stop::check_sometimes();
            if is_hostile {
                return true;
            }
            let value = around.removed(claim.start..claim.end);
            (claim.start, claim.end) = (value.start, value.end);
            claim.start < claim.end
        });
        self.claims.sort_unstable();
        let mut joined: Vec<Claim> = Vec::new();
        for claim in std::mem::take(&mut self.claims) {
            stop::check_sometimes();
            match joined.last_mut() {
                Some(last) if claim.start < last.end => {
                    last.end = last.end.max(claim.end);
                    last.rule = last.rule.min(claim.rule);
                }
                _ => joined.push(claim),
            }
        }
        let mut claims = Vec::with_capacity(joined.len());
        let mut placeholders = self.placeholders.iter().peekable();
        for claim in joined {
            stop::check_sometimes();
            let mut at = claim.start;
            while at < claim.end {
                while placeholders.next_if(|p| p.end <= at).is_some() {}
                let next = placeholders.peek().filter(|p| p.start < claim.end);
                let end = next.map_or(claim.end, |p| p.start);
                // A placeholder may start before the claim; then nothing precedes it.
                let piece = self.text.get(at..end).unwrap_or_default();
                let start = at + piece.len() - piece.trim_ascii_start().len();
                let end = start + piece.trim_ascii().len();
                let before = claims.last().map_or(0, |claim: &Claim| claim.end);
                let start = outside_escape(self.text, start).max(before);
                if start < end {
                    claims.push(Claim { start, end, rule: claim.rule });
                }
                at = next.map_or(claim.end, |p| p.end);
            }
        }
        claims
    }
}

/// `ENC[AES256_GCM,…]`: a value that SOPS has encrypted, or eyaml.
fn is_encrypted(value: &[u8]) -> bool {
    value.starts_with(b"ENC[")
}

/// `access-token`, `a-token-string`: small words that describe a value instead of being one.
fn is_named_token(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
        && value.contains(&b'-')
        && value.split(|b| *b == b'-').any(|word| word == b"token")
}

/// Most backslashes in a row that are counted.
const MAX_SLASHES: usize = 16;

/// The start of a value, moved so that no escape is split: an escaped line end or tab is excluded, `\\u0041`
/// is included.
fn outside_escape(text: &[u8], start: usize) -> usize {
    let slashes = text[..start].iter().rev().take(MAX_SLASHES).take_while(|b| **b == b'\\').count();
    match text.get(start) {
        Some(b'n' | b'r' | b't') if slashes % 2 == 1 => start + 1,
        Some(b'u') if slashes % 2 == 1 => start - 1,
        _ => start,
    }
}
