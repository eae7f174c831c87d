//! Finds all keywords in one pass, then runs each rule near its keywords.

use std::ops::Range;

use regex_automata::{Anchored, Input};

use super::hidden::{columns, near};
use super::judge::{ByteSet, is_word};
use super::scan::{Claim, Scan};
use super::shapes::starts_word;
use super::table::{Form, Rule, Table, compile};
use super::{cloud, named, pem, shapes, terraform};
use crate::stop;

/// Bytes that continue a value beyond the window of its rule.
const LONG_VALUE: ByteSet = ByteSet::parse("a-zA-Z0-9+/=_.~%-");
/// Shorter tokens are not joined from pieces.
const MAX_SHORT_TOKEN_BYTES: usize = 11;

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
                || table.named[keyword] && {
                    let name = scan.names.around(text, &(start..end));
                    !near::names(text, name, &(start..end))
                };
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

impl Scan<'_> {
    /// Records what a rule may read near a keyword.
    fn add_near(&mut self, form: &Form, hit: Range<usize>) {
        let Some(stretch) = near::stretch(self.text, &hit, form) else { return };
        match self.near.last_mut() {
            Some(last) if (last.start..=last.end).contains(&stretch.start) => {
                last.end = last.end.max(stretch.end)
            }
            _ => self.near.push(stretch),
        }
    }

    /// Runs one rule on the text near one of its keywords.
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
                if end - body < *min && *min > MAX_SHORT_TOKEN_BYTES {
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

    /// Runs a regex over the window that several hits share, and clears the window.
    fn run_pattern(&mut self, rule: &Rule, index: u16) {
        let Form::Pattern { regex, compiled, .. } = &rule.form else { return };
        let window = std::mem::take(&mut self.state(index).seen);
        if window.start >= window.end {
            return;
        }
        let Some(regex) = compiled.get_or_init(|| compile(regex).ok()) else {
            // A test compiles every regex. If one fails anyway, the whole window is redacted.
            self.claims.push(Claim { start: window.start, end: window.end, rule: index });
            return;
        };
        let text = &self.text[..window.end];
        let mut at = window.start;
        let mut groups = None;
        while let Some(whole) = regex.search(&Input::new(text).range(at..)) {
            stop::tick();
            let mut value = self.matches.value(text, index, whole.range()).unwrap_or_else(|| {
                let groups = groups.get_or_insert_with(|| regex.create_captures());
                let input = Input::new(text).range(whole.range()).anchored(Anchored::Yes);
                regex.search_captures(&input, groups);
                let value = groups.get_group(1).map_or(whole.range(), |group| group.range());
                self.matches.add(text, index, whole.range(), &value);
                value
            });
            // A value that reaches the end of the window may continue, so the whole value is removed.
            if value.end == text.len() {
                value.end = self.end_of_value(value.end);
            }
            self.claim(rule, index, value);
            at = whole.end().max(at + 1);
            if at > text.len() {
                break;
            }
        }
    }
}

impl Scan<'_> {
    /// The end of the value at `at` that is longer than its rule reads. No run is read twice.
    fn end_of_value(&mut self, at: usize) -> usize {
        if !self.beyond.contains(&at) {
            self.beyond = at..LONG_VALUE.run(self.text, at);
        }
        self.beyond.end
    }
}

/// Length of `body` without full stops at its end.
fn without_dots(body: &[u8]) -> usize {
    body.iter().rposition(|&b| b != b'.').map_or(0, |n| n + 1)
}
