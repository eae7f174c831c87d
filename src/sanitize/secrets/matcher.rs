//! Finds all keywords in one pass, then runs each rule near its keywords.

use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use super::hidden::{columns, fields, near};
use super::judge::{ByteSet, is_word, skip, skip_back};
use super::names::is_public;
use super::scan::{Claim, Scan};
use super::shapes::starts_word;
use super::table::{Form, Place, Rule, Table, compile};
use super::{cloud, extent, named, pem, shapes, terraform, vault};
use crate::stop;

/// If a value has at least this many bytes and letters follow it, its regex did not read it to the end, so the rest
/// is removed too. A choice: no key of a fixed length is longer and is followed by letters.
const LONG_BYTES: usize = 100;
pub(super) const LONG_VALUE: ByteSet = ByteSet::parse("a-zA-Z0-9+/=_.~%-");
/// Bytes of the name of an XML element, including its prefix.
const ELEMENT: ByteSet = ByteSet::parse("a-zA-Z0-9_.:-");
/// Shorter tokens are not joined from pieces.
const MAX_SHORT_TOKEN_BYTES: usize = 11;

/// Runs every rule over `text`.
pub(super) fn scan<'t>(table: &'static Table, text: &'t [u8]) -> Scan<'t> {
    let mut scan = Scan::new(text);
    let mut field = fields::Judged::default();
    table.keywords.for_each(text, |keyword, start| {
        stop::check_sometimes();
        if keyword == table.placeholder {
            scan.add_placeholder(table, start);
        } else if scan.placeholders.last().is_none_or(|p| p.end <= start) {
            let end = start + table.keywords.word(keyword).len();
            if table.names[keyword] {
                scan.cut.push(start);
                if columns::is_cell(text, &(start..end)) {
                    scan.heads.push(start);
                    scan.add_row(start..end);
                }
                if fields::is_field(text, &(start..end), &mut field) {
                    scan.fields.push(start);
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
    /// Records a table row with the name of a secret in a cell.
    fn add_row(&mut self, hit: Range<usize>) {
        let end = self.rows.last().map_or(0, |last| last.end);
        if end <= hit.start
            && let Some(row) = columns::barred(self.text, &hit)
        {
            self.rows.push(row.start.max(end)..row.end);
        }
    }

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
            Form::Token { .. } => self.look_for_token(rule, index, &hit),
            Form::Assigned { set, min, max } => {
                let Some(from) = shapes::assigned_value(self.text, hit) else { return };
                let Some(end) = self.run(index, *set, from) else { return };
                let ends = self.text.get(end).is_none_or(|&b| !is_word(b) && !b"-+/=".contains(&b));
                if ends && (*min..=*max).contains(&(end - from)) {
                    self.claim(rule, index, from..end);
                }
            }
            Form::Pattern { before, after, place, .. } => {
                let (start, end) =
                    (hit.start.saturating_sub(*before), (hit.end + after).min(self.text.len()));
                match *place {
                    Place::Near => self.add_window(rule, index, start..end),
                    Place::NearWord if ends_word(self.text, hit.end) => {
                        self.add_window(rule, index, start..end)
                    }
                    Place::NearWord => {}
                    Place::Assigned(set, bytes) if self.may_be_assigned(hit.end, set, bytes) => {
                        self.run_pattern_at(rule, index, start..hit.start + 1, end);
                    }
                    Place::Assigned(..) => {}
                    Place::Opening(byte) => {
                        let name = skip_back(self.text, hit.start, ELEMENT, hit.start - start);
                        if name > start && self.text[name - 1] == byte {
                            self.run_pattern_at(rule, index, name - 1..name, end);
                        }
                    }
                }
            }
            Form::PrivateKey => pem::find(self, rule, index, hit),
            Form::UrlPassword => shapes::url_password(self, rule, index, hit),
            Form::Cookie => shapes::cookie(self, rule, index, hit),
            Form::KubernetesSecret => cloud::kubernetes(self, rule, index, hit),
            Form::SecretString => cloud::secret_string(self, rule, index, hit),
            Form::TerraformRandom => terraform::random(self, rule, index, hit),
            Form::TerraformAttributes => terraform::attributes(self, rule, index, hit),
            Form::VaultData => vault::data(self, rule, index, hit),
            Form::Named { password } => named::find(self, rule, index, hit, *password),
        }
    }

    /// Runs a rule for tokens, which begin with a keyword.
    fn look_for_token(&mut self, rule: &Rule, index: u16, hit: &Range<usize>) {
        let Form::Token { prefix, set, min, max, inside_words, dots } = &rule.form else { return };
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
        if dotted && (*min..=*max).contains(&(end - body)) && self.text.get(end).is_none_or(|&b| !is_word(b))
        {
            self.claim(rule, index, at..end);
        }
    }

    /// Extends the window of a rule, or runs its regex over the last window and begins a new one.
    fn add_window(&mut self, rule: &Rule, index: u16, window: Range<usize>) {
        let seen = &mut self.state(index).seen;
        if seen.start < seen.end && window.start <= seen.end {
            seen.end = window.end;
            return;
        }
        if seen.start == seen.end {
            self.open.push(index);
        }
        self.run_pattern(rule, index);
        self.state(index).seen = window;
    }

    /// Runs a regex over the window that several hits share, and clears the window.
    fn run_pattern(&mut self, rule: &Rule, index: u16) {
        let window = std::mem::take(&mut self.state(index).seen);
        if window.start >= window.end {
            return;
        }
        let Some(regex) = self.regex(rule, index, &window) else { return };
        let text = &self.text[..window.end];
        let mut at = window.start;
        while let Some(whole) = regex.search(&Input::new(text).range(at..)) {
            stop::check_sometimes();
            self.claim_match(rule, index, regex, text, whole.range());
            at = whole.end().max(at + 1);
            if at > text.len() {
                break;
            }
        }
    }

    /// Runs a regex at each of a few places, up to its first match. It reads up to `end` and reads no match twice.
    fn run_pattern_at(&mut self, rule: &Rule, index: u16, starts: Range<usize>, end: usize) {
        let Some(regex) = self.regex(rule, index, &(starts.start..end)) else { return };
        let text = &self.text[..end];
        let first = starts.start.max(self.state(index).seen.end);
        for at in first..starts.end {
            stop::check_sometimes();
            let Some(whole) = regex.search(&Input::new(text).range(at..).anchored(Anchored::Yes)) else {
                continue;
            };
            self.claim_match(rule, index, regex, text, whole.range());
            self.state(index).seen = whole.range();
            break;
        }
    }

    /// The regex of a rule. A test compiles all of them; if one fails anyway, the whole window is redacted.
    fn regex<'r>(&mut self, rule: &'r Rule, index: u16, window: &Range<usize>) -> Option<&'r Regex> {
        let Form::Pattern { regex, compiled, .. } = &rule.form else { return None };
        let regex = compiled.get_or_init(|| compile(regex).ok()).as_ref();
        if regex.is_none() {
            self.claims.push(Claim { start: window.start, end: window.end, rule: index });
        }
        regex
    }

    /// Claims the value of a match in `text`. `text` ends where the rule may read no further.
    fn claim_match(&mut self, rule: &Rule, index: u16, regex: &Regex, text: &[u8], whole: Range<usize>) {
        let value = self.matches.value(text, index, whole.clone()).unwrap_or_else(|| {
            let groups = self.groups.of(index, regex);
            let input = Input::new(text).range(whole.clone()).anchored(Anchored::Yes);
            regex.search_captures(&input, groups);
            let mut all = (1..groups.group_len()).filter_map(|group| groups.get_group(group));
            let value = all.next().map_or(whole.clone(), |group| group.range());
            self.matches.add(text, index, whole, &value);
            value
        });
        // A value that reaches the end of the window may continue, and so may one as long as its regex reads, so the whole
        // value is removed.
        let goes_on = value.end == text.len() || goes_on(self.text, &value);
        let whole_end = if goes_on { self.end_of_value(value.end) } else { value.end };
        let is_harmless = rule.random && is_public(&self.text[..value.start])
            || shapes::is_word_behind_basic(self.text, &value);
        if !is_harmless {
            let all = value.start..whole_end;
            let (known, end) = (self.claims.len(), extent::end_of_string(self.text, &all));
            // What its regex read is judged, not the rest: many values may go on in the same run, up to the end of the text.
            self.claim(rule, index, value);
            if let Some(claim) = self.claims.get_mut(known) {
                claim.end = whole_end;
            }
            // If the match is not a secret by itself, it is not one with the rest of its string either.
            if let (Some(claim), Some(end), true) = (self.claims.get_mut(known), end, rule.form.is_free()) {
                claim.end = end;
            }
        }
    }

    /// Whether a value that begins with this many bytes of a set may be assigned to the name in which a keyword ends.
    fn may_be_assigned(&self, end: usize, set: ByteSet, bytes: usize) -> bool {
        shapes::value_behind(self.text, end).is_some_and(|at| skip(self.text, at, set, bytes) == at + bytes)
    }
}

impl Scan<'_> {
    /// The end of the value at `at` that is longer than its rule reads. It does not read a run twice.
    fn end_of_value(&mut self, at: usize) -> usize {
        if !self.beyond.contains(&at) {
            self.beyond = at..LONG_VALUE.run(self.text, at);
        }
        self.beyond.end
    }
}

/// Whether a long value ends inside a word, so that its regex has not read all of it.
pub(super) fn goes_on(text: &[u8], value: &Range<usize>) -> bool {
    let around = text.get(value.end.saturating_sub(1)..value.end + 1).unwrap_or_default();
    value.len() >= LONG_BYTES && matches!(around, [last, next] if is_word(*last) && is_word(*next))
}

/// Whether a word, or something else, ends at `end`.
fn ends_word(text: &[u8], end: usize) -> bool {
    !is_word(text[end - 1]) || text.get(end).is_none_or(|byte| !is_word(*byte))
}

/// Length of `body` without full stops at its end.
fn without_dots(body: &[u8]) -> usize {
    body.iter().rposition(|&b| b != b'.').map_or(0, |n| n + 1)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::goes;

    /// Forms of rules whose values are found only whole: cut in pieces, nothing would show that the pieces are secret.
    #[test]
    fn forms_that_are_found_whole() {
        let password = ["xK9u$", "mQ2v", "!Lp"].concat();
        for (text, value) in [
            ("Authorization: Basic\n *\n", "Ym9iOnhLOXVoZkpYJG1RMnYhTHA="),
            ("default login a password *\n", "h7!Rk;sE8J&Qz3(x"),
            ("curl -x h -U bob:* https://h\n", "tE4km08h9m"),
            ("the db password is * for staging.\n", &password),
            ("AUTH default *\nOK\n", &password),
            ("USER j\n+OK\nPASS *\n", "stSp$mQ2v!Lp"),
            ("db.password *\n", "xK9uhfJX$mQ2v!Lp"),
            ("npmAuthIdent: \"ci:*\"\n", "Zor$mQ2v!Lp"),
            ("Map(host -> db, dbPassword -> *)\n", &password),
        ] {
            goes(text, value);
        }
    }
}
