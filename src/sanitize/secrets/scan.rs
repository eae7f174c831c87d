//! The engine: one pass over the text for all keywords, then each rule near its own.
//!
//! Work is bounded by the bytes, not by the number of keywords: a run or a window that a rule has looked at
//! is not looked at again. It decides nothing about values; `judge` does.

use super::hidden::{columns, near};
use super::judge::{self, is_word};
use super::table::{Form, Rule, Table, compile};
use super::{PLACEHOLDER, cloud, named, pem, shapes, terraform};
use crate::stop;
use std::ops::Range;

/// How often one rule judges values that end together: bounds the work on a text of nothing but keywords.
pub(super) const NESTED: usize = 8;

/// Shorter tokens are not put together from pieces.
const SHORT_TOKEN: usize = 11;
/// Bytes that one rule may read beside its keywords for each byte of the text, all keywords together.
const WORK: usize = 4;
/// The same for short texts, in bytes.
const LEAST_WORK: usize = 16 << 10;

/// Rules for which there is room at once.
const PLACES: usize = 512;

/// Bytes behind a keyword that are enough, and those for rules that read many lines.
const NARROW: usize = 256;
const WIDE: usize = 64 << 10;

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
    open: Vec<u16>,
    /// What `named` remembers between keywords.
    pub(super) bare: named::Cache,
}

/// Runs every rule over `text`.
pub(super) fn scan<'t>(table: &'static Table, text: &'t [u8]) -> Scan<'t> {
    let mut scan = Scan::new(text);
    table.keywords.for_each(text, |keyword, start| {
        stop::tick();
        if keyword == table.placeholder {
            scan.add_placeholder(table, start);
        } else if scan.placeholders.last().is_none_or(|p| p.end <= start) {
            let end = start + table.keywords.word(keyword).len();
            if table.names[keyword] {
                scan.cut.push(start);
                if columns::is_cell(text, &(start..end)) {
                    scan.heads.push(start);
                }
            }
            let is_near = scan.is_near(start..end, table.wide[keyword])
                || table.named[keyword] && !near::names(text, &(start..end));
            for &rule in &table.users[keyword] {
                if !is_near {
                    scan.add_near(&table.rules[rule as usize].form, start..end);
                }
                scan.look(&table.rules[rule as usize], rule, start..end);
            }
        }
    });
    for index in std::mem::take(&mut scan.open) {
        stop::check();
        scan.run_pattern(&table.rules[usize::from(index)], index);
    }
    scan
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
            bare: named::Cache::default(),
        }
    }

    /// What is remembered of a rule.
    pub(super) fn state(&mut self, rule: u16) -> &mut State {
        let rule = usize::from(rule);
        if self.places.len() <= rule {
            self.places.resize((rule + 1).next_multiple_of(PLACES), 0);
        }
        if self.places[rule] == 0 {
            self.states.push(State::default());
            self.places[rule] = self.states.len() as u16;
        }
        &mut self.states[usize::from(self.places[rule]) - 1]
    }

    /// Remembers a placeholder of ours, so that no rule reads its insides as a name or a value.
    fn add_placeholder(&mut self, table: &Table, start: usize) {
        let rest = &self.text[start + PLACEHOLDER.len()..];
        let Some(len) = rest.iter().take(64).position(|&b| b == b']') else { return };
        let known = &self.text[start..start + PLACEHOLDER.len()] == PLACEHOLDER.as_bytes()
            && table.infos.iter().any(|info| info.id.as_bytes() == &rest[..len]);
        if known {
            self.placeholders.push(start..start + PLACEHOLDER.len() + len + 1);
        }
    }

    /// Whether the last stretch reaches far enough beyond a keyword, so that this one tells little more.
    fn is_near(&self, hit: Range<usize>, is_wide: bool) -> bool {
        let behind = if is_wide { WIDE } else { NARROW };
        self.near.last().is_some_and(|last| last.start <= hit.start && hit.end + behind <= last.end)
    }

    /// Remembers what a rule may read near a keyword.
    fn add_near(&mut self, form: &Form, hit: Range<usize>) {
        let Some(stretch) = near::stretch(self.text, &hit, form) else { return };
        match self.near.last_mut() {
            Some(last) if (last.start..=last.end).contains(&stretch.start) => {
                last.end = last.end.max(stretch.end)
            }
            _ => self.near.push(stretch),
        }
    }

    /// Lets one rule look at the text near one of its keywords.
    pub(super) fn look(&mut self, rule: &Rule, index: u16, hit: Range<usize>) {
        match &rule.form {
            Form::Token { prefix, set, min, max, inside_words, dots } => {
                let at = hit.start;
                let Some(prefix) = prefix.iter().find(|p| self.text[at..].starts_with(p.as_bytes())) else {
                    return;
                };
                if !*inside_words && !starts_word(self.text, at) {
                    return;
                }
                let body = at + prefix.len();
                let Some(end) = self.run(index, *set, body) else { return };
                let end = body + without_dots(&self.text[body..end]);
                if end - body < *min && *min > SHORT_TOKEN {
                    self.cut.push(at);
                }
                let dotted = *dots == 0 || memchr::memchr_iter(b'.', &self.text[at..end]).count() >= *dots;
                if dotted
                    && (*min..=*max).contains(&(end - body))
                    && self.text.get(end).is_none_or(|&b| !is_word(b))
                {
                    self.claim(rule, index, at..end);
                }
            }
            Form::Assigned { set, min, max } => {
                let Some(from) = shapes::assigned_value(self.text, hit) else { return };
                let Some(end) = self.run(index, *set, from) else { return };
                let ends = self.text.get(end).is_none_or(|&b| !is_word(b) && !b"-+/=".contains(&b));
                if ends && (*min..=*max).contains(&(end - from)) {
                    self.claim(rule, index, from..end);
                }
            }
            Form::Pattern { before, after, .. } => {
                let window = hit.start.saturating_sub(*before)..(hit.end + after).min(self.text.len());
                let seen = &mut self.state(index).seen;
                if seen.start < seen.end && window.start <= seen.end {
                    seen.end = window.end;
                } else {
                    if seen.start == seen.end {
                        self.open.push(index);
                    }
                    self.run_pattern(rule, index);
                    self.state(index).seen = window;
                }
            }
            Form::PrivateKey => pem::find(self, rule, index, hit),
            Form::UrlPassword => shapes::url_password(self, rule, index, hit),
            Form::Cookie => shapes::cookie(self, rule, index, hit),
            Form::KubernetesSecret => cloud::kubernetes(self, rule, index, hit),
            Form::SecretString => cloud::secret_string(self, rule, index, hit),
            Form::TerraformRandom => terraform::random(self, rule, index, hit),
            Form::TerraformAttributes => terraform::attributes(self, rule, index, hit),
            Form::Named { password } => named::find(self, rule, index, hit, *password),
        }
    }

    /// The end of the run of `set` at `from`; a run that this rule has been through is not read again, and
    /// after a few keywords in one run there is none.
    fn run(&mut self, index: u16, set: judge::ByteSet, from: usize) -> Option<usize> {
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
        let most = LEAST_WORK.max(self.text.len().saturating_mul(WORK));
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

    /// Runs a regex over the window that hits have put together, and empties the window.
    fn run_pattern(&mut self, rule: &Rule, index: u16) {
        let Form::Pattern { regex, compiled, .. } = &rule.form else { return };
        let window = std::mem::take(&mut self.state(index).seen);
        if window.start >= window.end {
            return;
        }
        let Some(regex) = compiled.get_or_init(|| compile(regex).ok()) else {
            // A test compiles every regex; should one fail all the same, nothing near its keyword goes out.
            self.claims.push(Claim { start: window.start, end: window.end, rule: index });
            return;
        };
        let text = &self.text[..window.end];
        let mut at = window.start;
        while let Some(found) = regex.captures_at(text, at) {
            let (Some(whole), Some(value)) = (found.get(0), found.get(1).or(found.get(0))) else { break };
            stop::tick();
            self.claim(rule, index, value.range());
            at = whole.end().max(at + 1);
            if at > text.len() {
                break;
            }
        }
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

/// Whether a token may begin at `at`: not in mid-word, where an escape (`\n`, `%3D`, a colour) is no word.
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    let Some(&last) = text[..at].last() else { return true };
    let before = |n: usize| at.checked_sub(n).map(|i| text[i]);
    !is_word(last)
        || (matches!(last, b'n' | b't' | b'r') && before(2) == Some(b'\\'))
        || (last.is_ascii_hexdigit() && before(3) == Some(b'%'))
        || (last.is_ascii_hexdigit() && before(6) == Some(b'\\') && before(5) == Some(b'u'))
        || (last == b'm'
            && text[at.saturating_sub(16)..at].windows(2).any(|w| w == b"\x1b[" || w == b"b[" || w == b"3["))
}

/// Length of `body` without the dots of a sentence at its end.
fn without_dots(body: &[u8]) -> usize {
    body.iter().rposition(|&b| b != b'.').map_or(0, |n| n + 1)
}
