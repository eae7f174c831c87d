//! What is remembered during one search: claims, and what each rule has looked at.
//!
//! Work is bounded by the bytes, not by the number of keywords: a run or a window that a rule has looked at
//! is not looked at again. It decides nothing about values; `judge` does.

use super::PLACEHOLDER;
use super::judge;
use super::names::Names;
use super::table::{Rule, Table};
use crate::stop;
use std::ops::Range;

/// How often one rule judges values that end together: bounds the work on a text of nothing but keywords.
pub(super) const NESTED: usize = 8;

/// Bytes that one rule may read beside its keywords for each byte of the text, all keywords together.
const WORK_PER_BYTE: usize = 4;
/// The same for short texts, in bytes.
const MIN_WORK_BYTES: usize = 16 << 10;

/// Rules for which there is room at once.
const PLACES_STEP: usize = 512;

/// Bytes behind a keyword that are enough, and those for rules that read many lines.
const NARROW_BYTES: usize = 256;
const WIDE_BYTES: usize = 64 << 10;

/// A value that a rule claims. `rule` is its index in the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: u16,
}

/// What is remembered of one rule. Few rules find a keyword in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// The byte run, the window or the name last looked at.
    pub(super) seen: Range<usize>,
    /// How often that run was judged.
    uses: usize,
    /// Bytes that the rule read around its keywords; `usize::MAX` when it may read no more.
    read: usize,
}

/// The run of a bare value that was read last, so that a long one is read once, and judged a few times.
#[derive(Debug, Default)]
pub(super) struct BareRun {
    pub(super) run: Range<usize>,
    pub(super) uses: usize,
}

/// Matches that are remembered at once.
const MATCHES: usize = 16;

/// Where the value stood in matches of regexes: lines that repeat need not be taken apart again.
#[derive(Debug, Default)]
pub(super) struct Matches([Option<Match>; MATCHES]);

#[derive(Debug)]
struct Match {
    rule: u16,
    whole: Range<usize>,
    /// Bytes of the match before the value, and of the value.
    value: (usize, usize),
}

impl Matches {
    /// Where the value stands in a match of the same bytes, between the same two: nothing else decides on that.
    pub(super) fn value(&self, text: &[u8], rule: u16, whole: Range<usize>) -> Option<Range<usize>> {
        let known = self.0[Self::place(text, &whole)].as_ref()?;
        let same = known.rule == rule
            && known.whole.len() == whole.len()
            && text[known.whole.clone()] == text[whole.clone()]
            && around(text, &known.whole) == around(text, &whole);
        let (before, len) = known.value;
        let start = whole.start + before;
        same.then_some(start..start + len)
    }

    pub(super) fn add(&mut self, text: &[u8], rule: u16, whole: Range<usize>, value: &Range<usize>) {
        let place = Self::place(text, &whole);
        let value = (value.start - whole.start, value.len());
        self.0[place] = Some(Match { rule, whole, value });
    }

    /// By the last bytes and the length.
    fn place(text: &[u8], whole: &Range<usize>) -> usize {
        let last = text[whole.clone()].last_chunk().map_or(0, |last| u32::from_le_bytes(*last));
        let hash = (last ^ whole.len() as u32).wrapping_mul(0x9E37_79B1);
        hash as usize / (1 << 28) % MATCHES
    }
}

/// The bytes before and behind a range.
fn around(text: &[u8], range: &Range<usize>) -> [Option<u8>; 2] {
    [range.start.checked_sub(1).map(|before| text[before]), text.get(range.end).copied()]
}

/// Everything the rules may look at and add to during one scan.
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    pub(super) claims: Vec<Claim>,
    /// Per rule where its state is, behind 0 for none; empty until a keyword is found.
    places: Vec<u16>,
    states: Vec<State>,
    pub(super) placeholders: Vec<Range<usize>>,
    /// Where telling words stand that may be the heads of columns.
    pub(super) heads: Vec<usize>,
    /// Where tokens begin that are too short for their rule, and telling names.
    pub(super) cut: Vec<usize>,
    /// What may read otherwise for a rule, around its keywords.
    pub(super) near: Vec<Range<usize>>,
    /// Rules with a window that their regex has not been run over.
    pub(super) open: Vec<u16>,
    /// The run behind a window that was read last to find the end of a value.
    pub(super) beyond: Range<usize>,
    /// The name around the last keyword.
    pub(super) names: Names,
    /// Matches of regexes.
    pub(super) matches: Matches,
    /// What `named` remembers between keywords.
    pub(super) bare: BareRun,
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
            cut: Vec::new(),
            near: Vec::new(),
            open: Vec::new(),
            beyond: 0..0,
            names: Names::default(),
            matches: Matches::default(),
            bare: BareRun::default(),
        }
    }

    /// What is remembered of a rule.
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

    /// Remembers a placeholder of ours, so that no rule reads its insides as a name or a value.
    pub(super) fn add_placeholder(&mut self, table: &Table, start: usize) {
        let rest = &self.text[start + PLACEHOLDER.len()..];
        let Some(len) = rest.iter().take(64).position(|&b| b == b']') else { return };
        let known = &self.text[start..start + PLACEHOLDER.len()] == PLACEHOLDER.as_bytes()
            && table.ids.binary_search_by(|id| id.as_bytes().cmp(&rest[..len])).is_ok();
        if known {
            self.placeholders.push(start..start + PLACEHOLDER.len() + len + 1);
        }
    }

    /// Whether the last stretch reaches far enough beyond a keyword, so that this one tells little more.
    pub(super) fn is_near(&self, hit: Range<usize>, is_wide: bool) -> bool {
        let behind = if is_wide { WIDE_BYTES } else { NARROW_BYTES };
        self.near.last().is_some_and(|last| last.start <= hit.start && hit.end + behind <= last.end)
    }

    /// The end of the run of `set` at `from`; a run that this rule has been through is not read again, and
    /// after a few keywords in one run there is none.
    pub(super) fn run(&mut self, index: u16, set: judge::ByteSet, from: usize) -> Option<usize> {
        let text = self.text;
        let state = self.state(index);
        if !state.seen.contains(&from) {
            (state.seen, state.uses) = (from..set.run(text, from), 0);
        }
        state.uses += 1;
        (state.uses <= NESTED).then_some(state.seen.end)
    }

    /// Counts bytes that a rule read around a keyword, which overlap with those around others.
    pub(super) fn add_read(&mut self, index: u16, bytes: usize) {
        let read = &mut self.state(index).read;
        *read = read.saturating_add(bytes);
    }

    /// Whether a rule may read around the keyword that ends at `end`. Only a text that is made to cost reads its bytes
    /// again and again; there everything behind goes, since nobody looks at it.
    pub(super) fn may_read(&mut self, index: u16, end: usize) -> bool {
        let most = MIN_WORK_BYTES.max(self.text.len().saturating_mul(WORK_PER_BYTE));
        let read = &mut self.state(index).read;
        if *read <= most {
            return true;
        }
        if *read != usize::MAX {
            *read = usize::MAX;
            self.claims.push(Claim { start: end, end: self.text.len(), rule: index });
        }
        false
    }

    /// Takes the value into the claims unless it is a template, too regular, or on the rule's allow list.
    pub(super) fn claim(&mut self, rule: &Rule, index: u16, value: Range<usize>) {
        let bytes = &self.text[value.clone()];
        let spared = bytes.is_empty()
            || judge::is_template(bytes)
            || (rule.random && !judge::is_random(bytes, judge::Doubt::Little))
            || (rule.entropy > 0.0 && judge::entropy(bytes) < rule.entropy)
            || rule.allow.iter().any(|word| judge::contains(bytes, word));
        if !spared {
            self.claims.push(Claim { start: value.start, end: value.end, rule: index });
        }
    }

    /// Puts overlapping claims together under the rule that stands first, and leaves placeholders out of them.
    pub(super) fn into_claims(mut self) -> Vec<Claim> {
        self.claims.sort_unstable();
        let mut joined: Vec<Claim> = Vec::new();
        for claim in std::mem::take(&mut self.claims) {
            stop::tick();
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
            stop::tick();
            let mut at = claim.start;
            while at < claim.end {
                while placeholders.next_if(|p| p.end <= at).is_some() {}
                let next = placeholders.peek().filter(|p| p.start < claim.end);
                let end = next.map_or(claim.end, |p| p.start);
                // A placeholder may begin before the claim does; then nothing stands in front of it.
                let piece = self.text.get(at..end).unwrap_or_default();
                let start = at + piece.len() - piece.trim_ascii_start().len();
                let len = piece.trim_ascii().len();
                if len > 0 {
                    claims.push(Claim { start, end: start + len, rule: claim.rule });
                }
                at = next.map_or(claim.end, |p| p.end);
            }
        }
        claims
    }
}
