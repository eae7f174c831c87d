//! Values of names that mean a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`.
//!
//! Most text that it reads is program code: types, calls, variables, messages. Values there are not secrets. A secret
//! must be a literal, and must look chosen (passwords) or random (other names).

use super::environment::{
    MAX_LINE_BYTES, behind_accessors, behind_arrow, behind_brackets, behind_default, behind_properties,
    behind_type, behind_type_of_cache, declared, element, inside_bracket, is_container_variable, is_given,
    is_pair, is_setting, is_tag, of_attribute, setting_before, setting_behind,
};
use super::judge::{self, ByteSet, Doubt, is_password, is_random, is_reference, is_word, skip};
use super::names::{
    MAX_NAME_BYTES, Tail, goes_on, is_about, is_name_of_key, is_name_of_service, is_verdict, stands_alone,
    tail,
};
use super::scan::{BareRun, Claim, NESTED, Scan};
use super::shapes::{is_name_of_file, operator, value_field};
use super::table::Rule;
use super::{below, extent, in_line, words};
use std::ops::Range;

/// Shorter values, in bytes, are never secrets.
const MIN_BYTES: usize = 6;
/// Longest quoted value.
const MAX_QUOTED_BYTES: usize = 8 << 10;
/// Longest bare value.
const MAX_BARE_BYTES: usize = 4 << 10;

const BLANK: ByteSet = ByteSet::parse(" \t");
const QUOTE: ByteSet = ByteSet::parse("\"'`");
const BARE_END: ByteSet = ByteSet::parse(" \t\r\n\"'`,;&<>(){}[]|\\");

/// A value and how it is written.
struct Value {
    range: Range<usize>,
    quoted: bool,
    /// Whether the name starts the line and only a line end follows the value.
    whole_line: bool,
    /// Whether the value follows a `--flag` or is in an element.
    marked: bool,
    /// `KEY=value` with a name in capitals, as shells and containers write it.
    environment: bool,
    /// Whether the value is in a field of its own: `name: DB_PASSWORD`, then `value: …`.
    is_field: bool,
}

impl Value {
    /// A value in quotation marks that starts at `at`; its end is not known yet.
    fn quoted(at: usize) -> Self {
        Self::of(at..at)
    }

    /// A value in quotation marks.
    fn of(range: Range<usize>) -> Self {
        Self { range, quoted: true, whole_line: false, marked: false, environment: false, is_field: false }
    }

    /// Whether the value is one sign and letters. Outside of quotation marks and environments, the sign may be an
    /// operator of code, and letters that form a word may be a selector.
    fn is_beside_sign(&self, bytes: &[u8]) -> bool {
        let is_line = self.environment && self.whole_line;
        let is_string = self.quoted && bytes[bytes.len() - 1].is_ascii_alphabetic();
        (self.quoted || self.environment) && words::is_mixed_beside_sign(bytes)
            || (is_line || is_string) && words::is_word_with_sign(bytes) && !words::describes(bytes)
    }

    /// Whether the value belongs to a listed environment: `NAME=value` is the whole line, and so are the lines before and
    /// after it.
    fn environment_line(&self, text: &[u8], name: usize) -> bool {
        if !self.environment {
            return false;
        }
        let near = &text[name.saturating_sub(MAX_LINE_BYTES)..name];
        let start = memchr::memrchr(b'\n', near).map_or(0, |at| name - near.len() + at + 1);
        let far = &text[self.range.end..text.len().min(self.range.end + 2)];
        let quotes = far.iter().take_while(|&&b| QUOTE.has(b)).count();
        let end = self.range.end + quotes;
        let whole = is_setting(&text[start..]) && text.get(end).is_none_or(|&b| b == b'\n');
        if !whole {
            return is_container_variable(text, name, self.range.end);
        }
        let before = setting_before(text, start);
        let behind = setting_behind(text, end);
        before != Some(false) && behind != Some(false) && (before.is_some() || behind.is_some())
    }
}

/// Examines one keyword in a name, and claims the value that belongs to it.
pub(super) fn find(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>, password: bool) {
    let text = scan.text;
    if goes_on(&text[hit.end..], text[hit.end - 1]) {
        return;
    }
    let Range { start, end } = scan.names.around(text, &hit);
    if hit.start - start == MAX_NAME_BYTES || end - hit.end == MAX_NAME_BYTES || !stands_alone(text, &hit) {
        return;
    }
    // The user in an address, `https://x-access-token:…@github.com`, but not a Git setting for an address.
    if text[..start].ends_with(b"://") && text.get(end) != Some(&b'=') {
        return;
    }
    // `checksum/secret`, which Helm writes: the digest of a manifest.
    if text[..start].ends_with(b"checksum/") {
        return;
    }
    // Another keyword in the same name, whose value is already claimed.
    if scan.state(index).seen == (start..end) {
        return;
    }
    let tail = tail(&text[hit.end..end], text[hit.end - 1]);
    if matches!(tail, Tail::About) || is_about(&text[start..hit.start]) {
        return;
    }
    let Some(value) = value(text, start..end, &mut scan.bare) else { return };
    let bytes = first_string(&text[value.range.clone()]);
    if bytes.len() < MIN_BYTES || is_head_beside(&text[start..end], bytes) {
        return;
    }
    let is_literal = value.quoted && is_literal(text, end, &value.range);
    let is_reference = || {
        let is_chosen =
            || value.is_beside_sign(bytes) || words::is_behind_hash(text, &(start..end), &value.range);
        is_reference(bytes) && !(password && is_chosen())
    };
    if !is_literal && (scan.is_template(&value.range) || is_reference() || judge::is_variable(bytes)) {
        return;
    }
    let found = Found { text, name: start..end, hit, value: &value, bytes, password };
    if found.is_no_secret() {
        return;
    }
    let plain = matches!(tail, Tail::Plain);
    if found.is_secret(plain) || is_literal && plain {
        scan.state(index).seen = start..end;
        match is_literal {
            true => scan.claims.push(Claim { start: value.range.start, end: value.range.end, rule: index }),
            false => scan.claim(rule, index, value.range),
        }
    }
}

/// A name with its value.
struct Found<'a> {
    text: &'a [u8],
    name: Range<usize>,
    /// The keyword in the name.
    hit: Range<usize>,
    value: &'a Value,
    bytes: &'a [u8],
    /// Whether the name is that of a password.
    password: bool,
}

impl Found<'_> {
    /// The text between the name and the value.
    fn between(&self) -> &[u8] {
        &self.text[self.name.end..self.value.range.start]
    }

    /// Whether the value is code, a verdict, a type, a count, a default, or the id of something public.
    fn is_no_secret(&self) -> bool {
        let Self { text, value, bytes, password, .. } = *self;
        let (between, name) = (self.between(), &text[self.name.clone()]);
        let is_code = || {
            compares(between)
                || bytes.windows(2).any(|w| w == b"::")
                || is_verdict(text, self.name.clone(), &self.hit) && !is_setting_of_pass(value, name, bytes)
        };
        if !value.quoted && is_code() {
            return true;
        }
        // Two strings of a list look like the arguments of `setenv`.
        let is_defined = password && words::is_defined(text, self.name.start);
        if between.contains(&b',') && !value.is_field && !is_defined && is_plain(bytes, name) {
            return true;
        }
        if !value.quoted && judge::is_address(bytes) && text[value.range.end..].starts_with(b" \"") {
            return true;
        }
        let is_constant = !value.quoted && judge::is_address(bytes);
        is_type(bytes)
            || password && (is_constant || words::is_version(bytes) || words::is_name_of_class(bytes))
            || password && in_line::is_title(&text[value.range.end..])
            || !password && is_name_of_file(bytes)
            || password && !value.quoted && is_count(name, bytes)
            || is_of_service(name, bytes)
            || password && is_variable_of_object(name, bytes)
            || !password && words::is_name_of_resource(text, self.name.start, bytes)
    }

    /// Whether the value looks chosen or random enough for its name and its place. `plain` says that the name ends with the
    /// keyword.
    fn is_secret(&self, plain: bool) -> bool {
        let Self { text, ref name, value, bytes, password, .. } = *self;
        let listed = plain && value.environment_line(text, name.start);
        match password {
            _ if listed && is_given(bytes, password) => true,
            true if plain => {
                is_chosen(bytes, value)
                    || is_password(bytes)
                        && !judge::contains(bytes, "required")
                        && words::is_data(text, name, &value.range, value.is_field)
                    || judge::is_uuid(bytes) && self.hit.len() > "pass".len()
                    || words::is_password(text, name, &value.range, value.is_field)
                    || !value.quoted && in_line::is_password(text, name, &value.range)
                    || self.is_random_text()
            }
            _ if judge::is_uuid(bytes) => {
                let word = self.hit.start - name.start..self.hit.end - name.start;
                // A value that is alone after a colon at the start of a line may be an id that a program reports.
                let is_set = value.quoted
                    || value.whole_line && (self.between().contains(&b'=') || is_indented(text, name.start));
                let name = &text[name.clone()];
                plain
                    && (is_name_of_key(name)
                        || is_name_of_service(name, word.clone())
                        || is_set && word.len() == name.len())
            }
            _ => {
                is_random(bytes, if plain { Doubt::Some } else { Doubt::Strong })
                    && (value.quoted || !is_dotted(bytes))
                    || plain && judge::is_signed_password(bytes)
                    || plain && self.is_random_text()
            }
        }
    }

    /// Whether the letters of the value look random, unlike those of any language, at a place where values occur.
    fn is_random_text(&self) -> bool {
        let Self { text, value, bytes, .. } = *self;
        // In code, the colon after the name of a password is followed by a type, which is a word. So random letters there are
        // a value.
        let is_told = self.password && self.between().trim_ascii_start().first() == Some(&b':');
        let is_data = value.quoted || value.environment || value.marked && !value.whole_line || is_told;
        judge::is_gibberish(bytes)
            && !is_dotted(bytes)
            && !begins_with_user(bytes)
            && (is_data || words::is_data(text, &self.name, &value.range, value.is_field))
    }
}

/// Whether blanks are before a name.
fn is_indented(text: &[u8], name: usize) -> bool {
    name > 0 && b" \t".contains(&text[name - 1])
}

/// `Password   Password2`: whether a value is the name again with a number, as in the headings of columns.
fn is_head_beside(name: &[u8], value: &[u8]) -> bool {
    value.split_at_checked(name.len()).is_some_and(|(head, number)| {
        head.eq_ignore_ascii_case(name) && number.len() <= 2 && number.iter().all(u8::is_ascii_digit)
    })
}

/// The first of several strings on separate lines that form one value.
fn first_string(value: &[u8]) -> &[u8] {
    let line = memchr::memchr(b'\n', value).and_then(|end| value.get(..end));
    let line = line.map(|line| line.trim_ascii_end());
    line.and_then(|line| line.get(..line.len().saturating_sub(1))).unwrap_or(value)
}

/// `'$Kx9mQ2vLw7z'`: a value that begins like a variable, in quotation marks in which variables are not expanded:
/// single ones, or those of JSON. Names are not written this way.
fn is_literal(text: &[u8], name_end: usize, value: &Range<usize>) -> bool {
    let quote = value.start.checked_sub(1).and_then(|before| text.get(before));
    let is_exact = match quote {
        Some(b'\'') => true,
        Some(b'"') => text.get(name_end) == Some(&b'"'),
        _ => false,
    };
    let word = text.get(value.clone()).and_then(|value| value.strip_prefix(b"$")).unwrap_or_default();
    is_exact
        && word.len() >= MIN_BYTES
        && word.iter().all(|b| is_word(*b))
        && extent::is_strong(word)
        && is_random(word, Doubt::Some)
}

/// Whether a string in a list beside a name is just another name: without special characters of passwords, and not
/// random.
fn is_plain(bytes: &[u8], name: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| bytes.iter().any(is);
    let is_variable = name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) || is_variable;
    let is_signed = bytes.iter().any(|b| !is_word(*b) && *b != b'-');
    !has(u8::is_ascii_digit) || !(is_mixed || is_signed || is_random(bytes, Doubt::Some))
}

/// `varchar(255)`: whether a value is the type of a column of that name.
fn is_type(bytes: &[u8]) -> bool {
    let name = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let open = name + usize::from(bytes.get(name) == Some(&b'2'));
    name >= 3
        && bytes.get(open) == Some(&b'(')
        && bytes.ends_with(b")")
        && bytes[open + 1..bytes.len() - 1].iter().all(|b| b.is_ascii_digit() || b", ".contains(b))
}

/// `pass=120 fail=0`: whether a value is the number of passed tests.
fn is_count(name: &[u8], bytes: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"pass") && bytes.iter().all(u8::is_ascii_digit)
}

/// `self.password = password2` and `password: 'hashed_password_123'`: whether a value is the name of a variable, or
/// of a value that a test hashed.
fn is_variable_of_object(name: &[u8], bytes: &[u8]) -> bool {
    let is_of_object = [&b"self."[..], b"this."].iter().any(|owner| name.starts_with(owner));
    let is_name = bytes.iter().all(|b| is_word(*b)) && bytes[0].is_ascii_lowercase();
    let is_hashed = ["hashed_", "encrypted_"].iter().any(|start| bytes.starts_with(start.as_bytes()));
    is_name && (is_of_object && judge::contains(bytes, "pass") || is_hashed)
}

/// `POSTGRES_PASSWORD=postgres`: whether a value is the default password of the service of that name.
fn is_of_service(name: &[u8], bytes: &[u8]) -> bool {
    let service = name.split(|b| *b == b'_').next().unwrap_or_default();
    service.len() >= 4
        && bytes.get(..service.len()).is_some_and(|start| start.eq_ignore_ascii_case(service))
        && judge::is_default(service, bytes)
}

/// Whether an operator is a comparison: `password1 != password2`.
fn compares(operator: &[u8]) -> bool {
    operator.windows(2).any(|w| w == b"==" || w == b"!=")
}

/// Finds the value of the name at `name`.
fn value(text: &[u8], name: Range<usize>, cache: &mut BareRun) -> Option<Value> {
    // After a letter of another script, `-` is a dash and not the start of a flag.
    let flag = text[name.start] == b'-' && (name.start == 0 || text[name.start - 1].is_ascii());
    // `**NAME**: …` of Markdown.
    let bold = text[name.end..].starts_with(b"**") && text[..name.start].ends_with(b"**");
    let closed = name.end + 2 * usize::from(bold);
    let closed = skip(text, closed, const { ByteSet::parse("\\\"'`])") }, 5);
    // `$ENV{NAME}` of Perl.
    let before = text[..name.start].strip_suffix(&text[name.end..closed]).unwrap_or(&text[..name.start]);
    let closed = closed + usize::from(text.get(closed) == Some(&b'}') && before.ends_with(b"ENV{"));
    let quoted_name = text[name.end..closed].iter().any(|&b| QUOTE.has(b));
    let mut at = skip(text, closed, BLANK, 32);
    let (mut marked, spaced, mut is_field) = (flag, at > closed, false);
    if let Some(end) = behind_default(text, &name) {
        (at, marked) = (end, true);
    } else if let Some(end) = operator(text, at) {
        at = behind_type_of_cache(text, end);
    } else if quoted_name && text.get(at) == Some(&b',') && !follows_value(text, at + 1) {
        // The arguments of a command may be on lines of their own, and so may the names and values of headers.
        let is_header = text[name.clone()].starts_with(b"X-") || text[name.clone()].starts_with(b"x-");
        let blanks = if flag || is_header { const { ByteSet::parse(" \t\r\n") } } else { BLANK };
        at = skip(text, at + 1, blanks, 64);
        if !text.get(at).is_some_and(|&b| QUOTE.has(b)) {
            return None;
        }
    } else if text[..name.start].last().is_some_and(|b| matches!(b, b'<' | b':')) && is_tag(text, &name) {
        return Some(Value { marked: true, is_field: true, ..Value::of(element(text, name.end)?) });
    } else if let Some(end) = value_field(text, name.end) {
        at = end;
        (marked, is_field) = (true, true);
    } else if let Some(from) = declared(text, &name, closed) {
        (at, marked) = (from, true);
    } else if let Some(inside) = of_attribute(text, &name, closed) {
        return Some(Value { marked: true, is_field: true, ..Value::of(inside) });
    } else if let Some(end) = behind_arrow(text, &name, quoted_name, at) {
        (at, marked) = (end, true);
    } else if let Some(end) = behind_brackets(text, at).or_else(|| behind_accessors(text, at)) {
        at = end;
    } else if !(flag && spaced) {
        return None;
    }
    let tight = !spaced && text.get(at).is_some_and(|&b| !BLANK.has(b)) && text[at - 1] == b'=';
    // `**NAME:** …`
    if text[at..].starts_with(b"**") && text[..name.start].ends_with(b"**") {
        at += 2;
    }
    at = behind_properties(text, skip(text, at, BLANK, 32));
    let capitals = !text[name.clone()].iter().any(u8::is_ascii_lowercase);
    let from = behind_type(text, at).or_else(|| inside_bracket(text, at)).unwrap_or(at);
    let is_bracketed = from == at + 1 && text[at] == b'[';
    let mut value = match below::value(text, from) {
        Some(range) => Value::of(range),
        // A here-document that has more than the value.
        None if text[from..].starts_with(b"<<") => return None,
        None => read(text, from, cache)?,
    };
    let is_first = begins_line(text, name.start);
    if !value.quoted {
        let is_environment =
            tight && is_first && (capitals || name.start == 0 || text[name.start - 1] == b'\n');
        let in_string =
            || extent::end_in_string(text, name.start, &value.range).filter(|_| tight && capitals);
        match extent::end(text, &value.range, is_first, is_environment, capitals).or_else(in_string) {
            Some(end) => value.range.end = end,
            // The end tag of an XML element follows.
            None if text[value.range.end..].starts_with(b"</") => {}
            None if text.get(value.range.end).is_some_and(|b| b"([{<".contains(b)) => return None,
            None => {}
        }
        value.range = in_line::inside(text, &name, value.range)?;
    }
    value.whole_line = is_first && ends_line(text, value.range.end);
    value.marked = marked || is_bracketed || (tight && is_pair(text, &name, value.range.end));
    value.environment = tight && capitals;
    value.is_field = is_field;
    Some(value)
}

/// Parses a quoted or a bare value at `at`.
fn read(text: &[u8], at: usize, cache: &mut BareRun) -> Option<Value> {
    let mut value = Value::quoted(at);
    let prefix = skip(text, at, const { ByteSet::parse("bBrRuUN@&$") }, 2);
    let open = skip(text, prefix, const { ByteSet::parse("\\") }, 3);
    if let Some(&quote) = text.get(open).filter(|&&b| QUOTE.has(b)) {
        // reStructuredText uses two backticks.
        let open = open + usize::from(quote == b'`' && text.get(open + 1) == Some(&b'`'));
        let start = skip_scheme(text, open + 1);
        let is_escaped = open > prefix;
        let mut end = quoted_end(text, start, quote, is_escaped)?;
        for _ in 0..MAX_JOINED {
            let Some(from) = rejoined(text, end, quote).filter(|_| !is_escaped && end > start) else { break };
            let Some(next) = quoted_end(text, from, quote, false) else { break };
            end = next;
        }
        value.range = start..end;
        return Some(value);
    }
    let at = skip_scheme(text, at);
    if !cache.run.contains(&at) {
        let len = text[at..].iter().position(|&b| BARE_END.has(b)).unwrap_or(text.len() - at);
        (cache.run, cache.uses) = (at..at + len, 0);
    }
    cache.uses += 1;
    let end = cache.run.end;
    if cache.uses > NESTED || end - at > MAX_BARE_BYTES {
        return None;
    }
    value.range = at..end;
    value.quoted = false;
    Some(value)
}

/// Most quotation marks inside a value. A choice.
const MAX_JOINED: usize = 4;

/// The position at which a string continues if the quotation mark at `at` is an escaped one: `'it'\''s'` of shells,
/// `'it''s'` of SQL and YAML.
fn rejoined(text: &[u8], at: usize, quote: u8) -> Option<usize> {
    let rest = &text[at..text.len().min(at + 8)];
    let shell = quote == b'\'' && rest.starts_with(b"'\\''");
    let doubled = quote != b'`' && rest.get(1) == Some(&quote);
    let from = at + if shell { 4 } else { 2 };
    // If nothing follows the two marks, they are the end of the string.
    let goes_on = text.get(from).is_some_and(|b| b.is_ascii_graphic() && !b")]},;:\"'".contains(b));
    ((shell || doubled) && goes_on).then_some(from)
}

fn quoted_end(text: &[u8], from: usize, quote: u8, escaped: bool) -> Option<usize> {
    let limit = text.len().min(from + MAX_QUOTED_BYTES);
    let mut at = from;
    while at < limit {
        match text[at] {
            b if b == quote => {
                let inside = &text[from..at];
                let slashes = inside.iter().rev().take_while(|&&b| b == b'\\' && escaped).count();
                return Some(at - slashes);
            }
            b'\\' if !escaped => at += 2,
            b'\n' => return None,
            _ => at += 1,
        }
    }
    // A value that is cut off by the end of the text still counts.
    (limit == text.len()).then_some(limit)
}

/// `Bearer`, `Basic`, `Token` and YAML's `!!binary` before a value are not part of it.
fn skip_scheme(text: &[u8], at: usize) -> usize {
    let rest = &text[at..text.len().min(at + 9)];
    let scheme = [&b"bearer "[..], b"basic ", b"token ", b"!!binary "];
    at + scheme
        .iter()
        .find(|s| rest.len() >= s.len() && rest[..s.len()].eq_ignore_ascii_case(s))
        .map_or(0, |s| s.len())
}

fn follows_value(text: &[u8], from: usize) -> bool {
    value_field(text, from - 1).is_some()
}

fn begins_line(text: &[u8], start: usize) -> bool {
    let near = &text[start.saturating_sub(32)..start];
    let before = near[memchr::memrchr(b'\n', near).map_or(0, |at| at + 1)..].trim_ascii();
    before.ends_with(b"export")
        || before.ends_with(b"ENV")
        || !before.iter().any(|b| b.is_ascii_alphabetic() || b"({=\"'`".contains(b))
}

fn ends_line(text: &[u8], end: usize) -> bool {
    let at = skip(text, end, BLANK, 8);
    let is_comment = at > end && text[at..].starts_with(b"; ");
    is_comment || text.get(at).is_none_or(|b| b"\r\n#".contains(b)) || text[at..].starts_with(b"\\n")
}

/// Whether the value of a password name looks like a chosen password, given how it is written.
fn is_chosen(bytes: &[u8], value: &Value) -> bool {
    const WORDS: &[&str] = &["password", "passwd", "secret", "example", "required"];
    if value.environment && value.whole_line && bytes.len() >= 8 && bytes.iter().all(u8::is_ascii_lowercase) {
        return !WORDS.iter().any(|word| judge::contains(bytes, word));
    }
    if value.quoted && bytes.contains(&b' ') {
        return extent::is_phrase(bytes);
    }
    if !is_password(bytes) {
        let is_set = value.quoted || value.marked || value.whole_line || value.environment;
        return is_set && words::is_mixed(bytes) || value.is_beside_sign(bytes);
    }
    // A validation rule of a web form: `required|min:8`.
    if judge::contains(bytes, "required") {
        return false;
    }
    value.quoted
        || value.marked
        || value.whole_line
        || value.environment
        || !bytes.iter().all(|&b| is_word(b) || b == b'.')
        || bytes[0].is_ascii_digit()
}

/// `pass: …` as a line of its own, in small letters and with a random value: whether it is a setting and not the
/// verdict of a test.
fn is_setting_of_pass(value: &Value, name: &[u8], bytes: &[u8]) -> bool {
    value.whole_line
        && name.iter().all(u8::is_ascii_lowercase)
        && (is_random(bytes, Doubt::Some) || judge::is_gibberish(bytes))
}

/// `ada/…`: whether a value begins with a user or another plain word before a slash.
fn begins_with_user(bytes: &[u8]) -> bool {
    let slash = memchr::memchr(b'/', bytes).filter(|at| (2..12).contains(at));
    slash.is_some_and(|at| bytes[..at].iter().all(u8::is_ascii_lowercase))
}

/// `self.token2.value`: whether a value consists of names with dots between.
fn is_dotted(bytes: &[u8]) -> bool {
    bytes.contains(&b'.')
        && bytes.split(|&b| b == b'.').all(|part| {
            part.first().is_some_and(|&b| b == b'_' || b.is_ascii_alphabetic())
                && part.iter().all(|&b| is_word(b))
                && part.len() < 20
        })
}
