//! Values that are beside the name of a secret without the operator of a setting: another member of the object that
//! the name is in, an attribute of the same tag, an argument, the line below, the rest of a pipe.
//!
//! Each reader gets a name and reads a few hundred bytes around it. It does not decide what is a secret: `fields`
//! writes the pair, and the rules judge it.

use super::strings::{line, string};
use crate::sanitize::secrets::extent::is_strong;
use crate::sanitize::secrets::judge::{self, ByteSet, Doubt, is_word, skip, skip_back};
use std::ops::Range;

/// Bytes of an object or a tag that are read on either side of the member that names another. A choice.
const MAX_OBJECT_BYTES: usize = 320;
/// Longest path whose last part is a name, in bytes.
const MAX_PATH_BYTES: usize = 96;
/// Longest line with a name whose value may be in the line below. A choice.
const MAX_LINE_BYTES: usize = 256;
/// Longest value that fills a line of its own, in bytes.
const MAX_ALONE_BYTES: usize = 512;
/// Longest type, class or tag between a name and its value, in bytes.
const MAX_NOTE_BYTES: usize = 80;

const NAME: ByteSet = ByteSet::parse("a-zA-Z0-9_.-");
const PATH: ByteSet = ByteSet::parse("a-zA-Z0-9_./:-");
const BLANK: ByteSet = ByteSet::parse(" \t");
const SPACE: ByteSet = ByteSet::parse(" \t\r\n");
const CLOSES: ByteSet = ByteSet::parse("\"'`])");

/// Members whose value is the name of another value.
const NAMING: &[&[u8]] = &[
    b"name",
    b"key",
    b"id",
    b"label",
    b"property",
    b"field",
    b"variable",
    b"parameterkey",
    b"parametername",
    b"secretname",
    b"optionname",
    b"variablename",
];
/// Members that hold the value for that name.
const VALUES: &[&[u8]] = &[b"value", b"val", b"parametervalue", b"secretvalue", b"stringvalue"];
/// Members that hold the value in an object that is itself the value of a name.
const INNER_VALUES: &[&[u8]] =
    &[b"value", b"val", b"s", b"stringvalue", b"plaintext", b"default", b"defaultvalue", b"string"];

/// The value beside the name in `name`, whose quotation marks end at `closed`.
pub(super) fn value_of(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    let start = skip_back(text, name.start, PATH, MAX_PATH_BYTES);
    member(text, start, name.end)
        .or_else(|| object(text, closed))
        .or_else(|| changed(text, closed))
        .or_else(|| argument(text, name))
        .or_else(|| asserted(text, name))
        .or_else(|| listed(text, name, closed))
        .or_else(|| ordered(text, start, name, closed))
        .or_else(|| alternative(text, closed))
        .or_else(|| serialized(text, name.end))
        .or_else(|| default(text, name, closed))
        .or_else(|| part(text, name, closed))
        .or_else(|| output(text, name))
        .or_else(|| led(text, name.end))
        .or_else(|| told(text, name))
        .or_else(|| counted(text, name.end))
        .or_else(|| below_mark(text, name, closed))
        .or_else(|| below(text, start, name, closed))
        .or_else(|| piped(text, name))
}

/// The new value that replaces the value at `value`: `"old" -> "new"` of Terraform, `[-old-]{+new+}` of a diff of
/// words.
pub(super) fn replacing(text: &[u8], value: &Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(value.end..)?;
    if rest.starts_with(b"-]{+") {
        return marked(text, value.end + 4, b"+}");
    }
    let arrow = skip(text, value.end + 1, BLANK, 2);
    let is_arrow =
        [&b"-> "[..], b"=> "].iter().any(|sign| text.get(arrow..).is_some_and(|rest| rest.starts_with(sign)));
    is_arrow.then(|| string(text, arrow + 3))?
}

/// The text from `from` up to `mark` in the same line.
fn marked(text: &[u8], from: usize, mark: &[u8]) -> Option<Range<usize>> {
    let near = &text[from..text.len().min(from + MAX_ALONE_BYTES)];
    let len = memchr::memmem::find(near, mark)?;
    (len > 0 && !near[..len].contains(&b'\n')).then_some(from..from + len)
}

/// The value beside the member whose own value is the name: `{"name": "DB_PASSWORD", "type": "plain", "value": "…"}`, also in
/// YAML, in plans of Terraform and among the attributes of a tag, in either order.
fn member(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let quoted = start.checked_sub(1).is_some_and(|at| b"\"'".contains(&text[at]));
    let operator = skip_back(text, start - usize::from(quoted), BLANK, 8);
    let is_tag = quoted && operator == start - 1;
    let operator = operator.checked_sub(1).filter(|at| b":=".contains(&text[*at]))?;
    let key_end = skip_back(text, operator, const { ByteSet::parse(" \t\"'") }, 24);
    let key = skip_back(text, key_end, NAME, MAX_PATH_BYTES);
    let is_naming = NAMING.iter().any(|naming| text[key..key_end].eq_ignore_ascii_case(naming));
    if !is_naming {
        return None;
    }
    let end = end + usize::from(quoted);
    let limit = text.len().min(end + MAX_OBJECT_BYTES);
    let is_value = |word: &[u8]| {
        VALUES.iter().any(|value| word.eq_ignore_ascii_case(value)) || is_tag && word == b"content"
    };
    let key_word = &text[key..key_end];
    held(text, end..limit, key_word, is_value).or_else(|| {
        let near = &text[key.saturating_sub(MAX_OBJECT_BYTES)..key];
        let open = near.iter().rposition(|b| matches!(b, b'{' | b'<'))?;
        held(text, key - near.len() + open + 1..key, b"", is_value)
    })
}

/// The value of the first member for which `is_value` is true, up to the end of the object or another member called
/// `key`.
fn held(
    text: &[u8],
    range: Range<usize>,
    key: &[u8],
    is_value: impl Fn(&[u8]) -> bool,
) -> Option<Range<usize>> {
    let mut at = range.start;
    while at < range.end {
        match text[at] {
            b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'(' | b')' | b';' => return None,
            b if is_word(b) => {
                let word = at..skip(text, at, NAME, MAX_NOTE_BYTES);
                let closed = skip(text, word.end, const { ByteSet::parse("\"' \t") }, 24);
                at = word.end;
                if !matches!(text.get(closed), Some(b':' | b'=')) {
                    continue;
                }
                if !key.is_empty() && &text[word.clone()] == key {
                    return None;
                }
                at = skip(text, closed + 1, BLANK, 8);
                let string = string(text, at);
                if is_value(&text[word]) {
                    return string.or_else(|| line(text, at));
                }
                at = string.map_or(at, |string| string.end + 1);
            }
            _ => at += 1,
        }
    }
    None
}

/// `"password": {"S": "…"}`, `"password": {"type": "string", "value": "…"}`: the string of an object that is the value.
fn object(text: &[u8], closed: usize) -> Option<Range<usize>> {
    let at = skip(text, closed, BLANK, 4);
    matches!(text.get(at), Some(b':' | b'=')).then_some(())?;
    let at = skip(text, at + 1, BLANK, 4);
    (text.get(at) == Some(&b'{')).then_some(())?;
    let is_value = |word: &[u8]| INNER_VALUES.iter().any(|value| word.eq_ignore_ascii_case(value));
    held(text, at + 1..text.len().min(at + MAX_OBJECT_BYTES), b"", is_value)
}

/// `password = "old" -> "new"` and `password=[-old-]{+new+}`: the new value, and the old one of a diff of words.
fn changed(text: &[u8], closed: usize) -> Option<Range<usize>> {
    let at = skip(text, closed, BLANK, 24);
    matches!(text.get(at), Some(b':' | b'=')).then_some(())?;
    let at = skip(text, at + 1, BLANK, 4);
    let open = skip(text, at, const { ByteSet::parse("\"'") }, 1);
    let rest = text.get(open..)?;
    if rest.starts_with(b"[-") {
        return marked(text, open + 2, b"-]");
    }
    if rest.starts_with(b"{+") {
        return marked(text, open + 2, b"+}");
    }
    (open > at).then(|| replacing(text, &string(text, at)?))?
}

/// `setPassword("…")` and `.password("…")` in a chain of calls.
fn argument(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    (text.get(name.end) == Some(&b'(')).then_some(())?;
    let whole = &text[name.clone()];
    let last = whole.iter().rposition(|b| *b == b'.').map_or(0, |dot| dot + 1);
    let is_setter = ["set", "with"].iter().any(|word| {
        let rest = whole[last..].strip_prefix(word.as_bytes());
        rest.is_some_and(|rest| rest.first().is_some_and(|b| b.is_ascii_uppercase() || *b == b'_'))
    });
    (is_setter || last == 1).then_some(())?;
    let value = string(text, skip(text, name.end + 1, SPACE, 16))?;
    let end = skip(text, value.end, const { ByteSet::parse(" \t\r\n\\\"'") }, 16);
    (text.get(end) == Some(&b')')).then_some(value)
}

/// `{password, "…"}` and `{password, <<"…">>}` of Erlang, `("password" . "…")` of Lisp, `:password "…"` of Clojure, and
/// `$password⏎[1] "…"` of R.
fn listed(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    let before = name.start.checked_sub(1).map(|at| text[at])?;
    let rest = text.get(name.end..)?;
    if rest.starts_with(b"{") {
        // `std::string token{"…"}`
        return string(text, name.end + 1);
    }
    match before {
        b'{' if rest.starts_with(b",") => {
            let at = skip(text, name.end + 1, BLANK, 4);
            string(text, at + 2 * usize::from(text[at..].starts_with(b"<<")))
        }
        b':' if rest.starts_with(b" ") => {
            let is_first = name.start.checked_sub(2).is_none_or(|at| b" \t\r\n{(,".contains(&text[at]));
            let pair = rest.strip_prefix(b" . ").map_or(1, |_| 3);
            is_first.then(|| string(text, name.end + pair))?
        }
        b'$' => {
            let at = skip(text, name.end, const { ByteSet::parse("\r\n") }, 2);
            (at > name.end && text[at..].starts_with(b"[1] ")).then(|| string(text, at + 4))?
        }
        b'"' | b'(' | b'\'' => text[closed..].starts_with(b" . ").then(|| string(text, closed + 3))?,
        _ => None,
    }
}

/// `"HSET" "app" "password" "…"` and `SET app:password "…"` of Redis.
fn ordered(text: &[u8], start: usize, name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    (text.get(closed) == Some(&b' ')).then_some(())?;
    let near = &text[start.saturating_sub(MAX_NOTE_BYTES)..start];
    let near = &near[memchr::memrchr(b'\n', near).map_or(0, |at| at + 1)..];
    let is_quoted = closed > name.end && near.ends_with(b"\" \"");
    let is_command = closed == name.end && memchr::memmem::find(near, b"SET ").is_some();
    (is_quoted || is_command).then(|| string(text, closed + 1))?
}

/// `process.env.TOKEN || "…"`, `?? "…"`, `os.environ.get("TOKEN") or "…"`: the value that is used if the variable is
/// not set.
fn alternative(text: &[u8], closed: usize) -> Option<Range<usize>> {
    let closed = skip(text, closed, CLOSES, 3);
    let at = skip(text, closed, SPACE, 16);
    let word = [&b"|| "[..], b"?? ", b"or ", b"?: "].into_iter().find(|word| text[at..].starts_with(word))?;
    (at > closed).then(|| string(text, skip(text, at + word.len(), SPACE, 16)))?
}

/// `s:8:"password";s:14:"…";` of PHP.
fn serialized(text: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = text.get(end..)?.strip_prefix(b"\";s:")?;
    let digits = rest.iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    rest[digits..].starts_with(b":\"").then(|| string(text, end + 4 + digits + 1))?
}

/// `variable "db_password" { default = "…" }` of Terraform.
fn default(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    text[..name.start].ends_with(b"variable \"").then_some(())?;
    let at = skip(text, closed, BLANK, 4);
    (text.get(at) == Some(&b'{')).then_some(())?;
    held(text, at + 1..text.len().min(at + MAX_OBJECT_BYTES), b"", |word| word == b"default")
}

/// `form-data; name="password"`, a blank line and the value.
fn part(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    text[..name.start].ends_with(b"form-data; name=\"").then_some(())?;
    let (first, behind) = line_behind(text, closed)?;
    first.is_empty().then_some(())?;
    let (second, behind) = line_behind(text, behind)?;
    // A header of the part may be between the name and the value.
    let behind = if second.is_empty() {
        behind
    } else {
        let (third, behind) = line_behind(text, behind)?;
        third.is_empty().then_some(behind)?
    };
    line(text, behind)
}

/// The rest of the line at `at` without blanks around it, and the start of the next line.
fn line_behind(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let near = text.get(at..text.len().min(at + MAX_ALONE_BYTES))?;
    let len = memchr::memchr(b'\n', near)?;
    let from = skip(text, at, BLANK, len);
    let end = at + near[..len].trim_ascii_end().len();
    Some((from..end.max(from), at + len + 1))
}

/// `::set-output name=token::…`, a command to a runner.
fn output(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let is_output = text[..name.start].ends_with(b" name=") && text[name.end..].starts_with(b"::");
    is_output.then(|| line(text, name.end + 2))?
}

/// `password ......... value`.
fn led(text: &[u8], end: usize) -> Option<Range<usize>> {
    let dots = skip(text, end, BLANK, 2);
    let at = skip(text, dots, const { ByteSet::parse(".") }, MAX_NOTE_BYTES);
    (at >= dots + 3 && text.get(at) == Some(&b' ')).then(|| line(text, skip(text, at, BLANK, 4)))?
}

/// `using the signing secret 8f…`, `Your API key is 8f….`: a key after a name in a sentence. A value of forty digits
/// may be a commit.
fn told(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    const DIGITS_OF_COMMIT: usize = 40;
    (text.get(name.end) == Some(&b' ') && text[name.clone()].is_ascii()).then_some(())?;
    let is = [&b" is: "[..], b" is ", b" was ", b" to "].into_iter();
    let is = is.into_iter().find(|word| text[name.end..].starts_with(word));
    let from = name.end + is.map_or(1, <[u8]>::len);
    let start = skip(text, from, const { ByteSet::parse("\"'`") }, usize::from(is.is_some()));
    let stop = skip(text, start, const { ByteSet::parse("a-zA-Z0-9_+/=-") }, MAX_ALONE_BYTES);
    let value = &text[start..stop];
    let is_apart = match start > from {
        true => text.get(stop) == text.get(from),
        // A sentence may end there.
        false => text[skip(text, stop, const { ByteSet::parse(".,;") }, 1)..]
            .first()
            .is_none_or(u8::is_ascii_whitespace),
    };
    let is_commit = value.len() == DIGITS_OF_COMMIT && value.iter().all(u8::is_ascii_hexdigit);
    // A value that begins like a UUID is an id.
    let is_id = value.get(..36).is_some_and(judge::is_uuid);
    let is_key =
        is_apart && !is_commit && !is_id && value.len() >= 24 && judge::is_random(value, Doubt::Strong);
    is_key.then_some(start..stop)
}

/// `expect(cfg.password).toBe("…")`, `assertEqual(cfg.password, "…")`: the value that a test expects.
pub(super) fn asserted(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    const EXPECTS: &[&[u8]] = &[
        b").toBe(",
        b").toEqual(",
        b").toStrictEqual(",
        b").to.equal(",
        b").to.be.equal(",
        b").to.eq(",
        b").isEqualTo(",
    ];
    const ASSERTS: &[&[u8]] = &[b"assert", b"Assert", b"require.", b"Equal"];
    let rest = text.get(name.end..)?;
    let from = match rest.first()? {
        b')' => name.end + EXPECTS.iter().find(|expects| rest.starts_with(expects))?.len(),
        b',' => {
            let start = skip_back(text, name.start, PATH, MAX_PATH_BYTES);
            let near = &text[start.saturating_sub(MAX_NOTE_BYTES)..start];
            let near = &near[memchr::memrchr(b'\n', near).map_or(0, |at| at + 1)..];
            let is_open = near.ends_with(b"(") || near.ends_with(b"(t, ");
            let is_assertion = ASSERTS.iter().any(|word| memchr::memmem::find(near, word).is_some());
            (is_open && is_assertion).then_some(name.end + 1)?
        }
        _ => return None,
    };
    let value = string(text, skip(text, from, SPACE, 16))?;
    let bytes = &text[value.clone()];
    let is_value =
        is_strong(bytes) || judge::is_signed_password(bytes) || judge::is_random(bytes, Doubt::Some);
    is_value.then_some(value)
}

/// `K 8`, `password`, `V 16` and the value, each on a line, as Subversion stores them.
fn counted(text: &[u8], end: usize) -> Option<Range<usize>> {
    let count = text.get(end..)?.strip_prefix(b"\nV ")?;
    let digits = count.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    (digits > 0 && count.get(digits) == Some(&b'\n')).then(|| line(text, end + 3 + digits + 1))?
}

/// `? name` above `: value`, the long form of a pair of YAML.
fn below_mark(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    let before = &text[..name.start];
    let before = before.strip_suffix(b"\"").filter(|_| closed > name.end).unwrap_or(before);
    before.ends_with(b"? ").then_some(())?;
    let (rest, next) = line_behind(text, closed)?;
    let value = skip(text, next, BLANK, MAX_NOTE_BYTES);
    let is_pair = rest.is_empty() && text.get(value..)?.starts_with(b": ");
    is_pair.then(|| string(text, value + 2).or_else(|| line(text, value + 2)))?
}

/// The value in the line below a name that ends its line: a heading, a key of a store, the argument of a command that
/// prints a value.
fn below(text: &[u8], start: usize, name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    const PROMPTS: &[&[u8]] =
        &[b"$ ", b"> ", b">>> ", b"(Pdb)", b"(gdb)", b"ipdb>", b"% ", b"PS ", b"irb", b"In [", b"127.0.0.1:"];
    let closed = skip(text, closed, CLOSES, 2);
    let colon = closed + usize::from(text.get(closed) == Some(&b':'));
    let (rest, mut at) = line_behind(text, colon)?;
    rest.is_empty().then_some(())?;
    if colon == closed {
        let near = &text[name.start.saturating_sub(MAX_LINE_BYTES)..start.min(name.start)];
        // The line may begin with a string that an earlier layer has opened.
        let before = near[memchr::memrchr2(b'\n', b'"', near).map_or(0, |at| at + 1)..].trim_ascii_start();
        let is_asked = before.is_empty() || PROMPTS.iter().any(|prompt| before.starts_with(prompt));
        is_asked.then_some(())?;
    } else if let Some((blank, next)) = line_behind(text, at).filter(|(line, _)| line.is_empty()) {
        let _ = blank;
        at = next;
    }
    let near = text.get(at..text.len().min(at + MAX_ALONE_BYTES))?;
    let len = memchr::memchr(b'\n', near).unwrap_or(near.len());
    (len < MAX_ALONE_BYTES).then_some(())?;
    let from = skip(text, at, BLANK, len);
    let end = at + near[..len].trim_ascii_end().len();
    if let Some(string) = string(text, from) {
        return (string.end + 1 == end).then_some(string);
    }
    let is_alone = from < end && is_alone(&text[from..end]);
    is_alone.then_some(from..end)
}

/// Whether a line of one word is a value, and not a name, number or path.
fn is_alone(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    let is_signed = word.iter().any(|b| b"!@#$%^&*~+=?".contains(b));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    let is_one = (8..MAX_ALONE_BYTES).contains(&word.len())
        && word.iter().all(|b| b.is_ascii_graphic() && !b"\"'`(){}[]<>,;|\\".contains(b))
        && !word.ends_with(b":")
        && word[0] != b'-'
        && memchr::memchr(b':', word).is_none_or(|at| at > 0 && word.get(at + 1) != Some(&b'/'));
    let is_path = memchr::memchr_iter(b'/', word).count() > 1 && !judge::is_random(word, Doubt::Strong);
    is_one
        && !is_path
        && (is_mixed && (is_signed || judge::oddity(word) > 0)
            || judge::is_uuid(word)
            || judge::is_random(word, Doubt::Some))
}

/// `echo "…" | wrangler secret put NAME`: a text that is piped into a command which stores it under the name.
fn piped(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    const KEEPS: &[&[u8]] = &[b" put ", b" add ", b" set ", b" create "];
    let near = &text[name.start.saturating_sub(MAX_LINE_BYTES)..name.start];
    KEEPS.iter().any(|word| near.ends_with(word)).then_some(())?;
    let start = name.start - near.len() + memchr::memrchr(b'\n', near).map_or(0, |at| at + 1);
    let before = &text[start..name.start];
    let bar = start + memchr::memrchr(b'|', before)?;
    let command = [&b"echo "[..], b"printf "].into_iter().find_map(|command| {
        memchr::memmem::rfind(&text[start..bar], command).map(|at| start + at + command.len())
    })?;
    let mut at = skip(text, command, BLANK, 4);
    while text[at..].starts_with(b"-") && at < bar {
        at = skip(text, skip(text, at, NAME, 8), BLANK, 4);
    }
    let value = string(text, at).or_else(|| {
        let end = at + text[at..bar].iter().position(|b| b.is_ascii_whitespace())?;
        (end > at).then_some(at..end)
    });
    value.filter(|value| value.end < bar)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::{goes, redact};

    #[test]
    fn a_value_beside_its_name_goes() {
        for text in [
            "expect(cfg.apiKey).toBe(\"*\");\n",
            "self.assertEqual(cfg.password, \"*\")\n",
            "assert_eq!(config.password, \"*\");\n",
            "Your API key is *.\n",
            "the client secret is `*`\n",
            "set the API key to \"*\" in staging\n",
            "K 8\npassword\nV 24\n*\nK 8\nusername\nV 3\nbob\nEND\n",
            "(:password . \"*\")\n",
            "  ~ dbPassword: \"old\" => \"*\"\n",
            "Cfg[dbPassword=Optional[*]]\n",
        ] {
            goes(text, "xK9uhfJX7mQ2vWLp4tR8nB3r");
        }
    }

    #[test]
    fn expected_words_and_sentences_stay() {
        for text in [
            "expect(res.body.token).toBe('expired');\nexpect(user.password).toBeUndefined();\n",
            "self.assertEqual(form.password, \"password2\")\n",
            "print(cfg.password, \"Zq7pLm2Xw9kT\")\n",
            "the API key is required for staging.\nthe secret is in the vault.\n",
            "the secret is 8b1118b376c313ed420e5133ba91307817ed52c2.\n",
            "    password: Optional[Base64Str2]\n",
            "  ~ password_hash_algo: \"md5\" => \"argon2id\"\n",
            "K 8\npassword\nV 2\nno\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }
}
