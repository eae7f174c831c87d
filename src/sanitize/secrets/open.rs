//! Finds secrets that end elsewhere. The end of a text that is still arriving may be the start of a secret, and is
//! held back until the rest arrives. A value may also begin in one part of a result and continue in the next.

use super::hidden::strings::is_mixed;
use super::hidden::wrapped::is_end;
use super::judge::{Doubt, is_random};
use super::scan::Claim;
use super::table::{Form, Table, table};
use super::{hidden, pem};
use crate::stop;
use std::ops::Range;

/// Longest last line that waits as a whole, in bytes. A choice.
const MAX_LINE_BYTES: usize = 64 << 10;
/// Lines before the last one, without empty ones, whose keywords are considered too: a value may be below its name. A
/// choice.
const LINES_BEFORE: usize = 2;

/// The position from which the end of a text may be a part of a secret: the start of an incomplete last line, if that
/// line or the lines before it have a keyword of a rule, or the start of a key block without its END line. `None` if
/// the whole text can be judged.
pub fn open(text: &[u8]) -> Option<usize> {
    let block = pem::open(text);
    let from = text.len().saturating_sub(MAX_LINE_BYTES);
    let near = text.get(from..).unwrap_or_default();
    let line = match memchr::memrchr2(b'\n', b'\r', near).map(|at| at + 1) {
        Some(line) => line,
        None if from == 0 => 0,
        // If the line is too long, only its last word is held back.
        None => near.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1),
    };
    if line == near.len() || is_prompt(near.get(line..).unwrap_or_default()) {
        return block;
    }
    let mut read = line;
    for _ in 0..LINES_BEFORE {
        let before = near.get(..read).unwrap_or_default().trim_ascii_end();
        // A line with a name whose value follows on a later line ends with an operator or a bracket.
        if before.last().is_none_or(u8::is_ascii_alphanumeric) {
            break;
        }
        read = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    }
    let mut may_begin = table().is_none();
    if let Some(table) = table() {
        table.keywords.for_each(near.get(read..).unwrap_or_default(), |_, _| may_begin = true);
    }
    let line = may_begin.then_some(from + line);
    block.into_iter().chain(line).min()
}

/// Like [`open`], for a text that is only previewed and will be sent again. Also holds back a last word that may be
/// the start of a token or of an encoded text, with the lines before it that belong to such a text.
pub fn open_to_look_at(text: &[u8]) -> Option<usize> {
    let from = text.len().saturating_sub(MAX_LINE_BYTES);
    let code = text.get(from..).and_then(open_code).map(|at| from + at);
    open(text).into_iter().chain(code).min()
}

/// Shortest last word, and shortest word at the end of a complete line, that may be a part of an encoded text, in
/// bytes. A choice.
const CODE_BYTES: (usize, usize) = (8, 40);

/// The start of an encoded text that the end of the text may have cut. Lines of only hexadecimal digits are digests.
fn open_code(text: &[u8]) -> Option<usize> {
    const BETWEEN: &[u8] = b" \t\r\n\"'`,<>(){}[]|";
    let word_of = |end: usize| text[..end].iter().rposition(|b| BETWEEN.contains(b)).map_or(0, |at| at + 1);
    let is_mixed = |word: &[u8]| {
        let has = |is: fn(&u8) -> bool| usize::from(word.iter().any(is));
        has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit)
    };
    let mut start = word_of(text.len());
    let last = &text[start..];
    let mut is_open = last.len() >= CODE_BYTES.0 && is_mixed(last) >= 2;
    // Adds the lines before it, up to one with other text before the code.
    while start > 0 && text[start - 1] == b'\n' {
        stop::check_sometimes();
        let end = start - 1 - usize::from(text[..start - 1].ends_with(b"\r"));
        let word = word_of(end);
        let line = &text[word..end];
        let is_code = line.iter().all(|b| b.is_ascii_alphanumeric() || b"+/".contains(b));
        if !is_code || line.len() < CODE_BYTES.1 || is_mixed(line) < 3 {
            break;
        }
        (start, is_open) = (word, true);
    }
    is_open.then_some(start)
}

/// Longest line that is treated as a prompt, in bytes. A choice.
const MAX_PROMPT_BYTES: usize = 200;

/// Whether an incomplete line is a prompt without a value: `user@host's password: `. The user must see it at once; a
/// value that follows is still found.
fn is_prompt(line: &[u8]) -> bool {
    let Some((b':' | b'?', asks)) = line.trim_ascii_end().split_last() else { return false };
    let has_value = asks.iter().enumerate().any(|(at, byte)| match byte {
        b'=' => true,
        b':' => !asks.get(at + 1..).is_some_and(|rest| rest.starts_with(b"//")),
        _ => false,
    });
    asks.len() <= MAX_PROMPT_BYTES && !has_value
}

/// Bytes on both sides of the end of a part that are searched together. A choice.
const REACH_BYTES: usize = 4 << 10;

/// Bytes before a value in which its name is searched. A choice.
const NAME_BYTES: usize = 256;

/// A secret that is divided among several parts of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divided {
    /// Name of the rule.
    pub rule: &'static str,
    /// The value.
    pub value: Vec<u8>,
    /// The numbers of the parts, and the piece in each.
    pub pieces: Vec<(usize, Range<usize>)>,
}

/// The secrets that begin in one part and end in another, in order, without overlap.
pub fn divided(parts: &[&[u8]]) -> Vec<Divided> {
    let Some(table) = table().filter(|_| parts.len() > 1) else { return Vec::new() };
    let joined = Parts::of(parts);
    let claims = hidden::claims(table, &joined.text);
    let crossing = claims.into_iter().filter(|claim| joined.is_divided(table, claim));
    crossing
        .map(|claim| Divided {
            rule: table.infos[usize::from(claim.rule)].id,
            value: joined.text[claim.start..claim.end].to_vec(),
            pieces: joined.pieces(&(claim.start..claim.end)),
        })
        .collect()
}

/// The text around the ends of parts, without anything between them.
#[derive(Default)]
struct Parts {
    text: Vec<u8>,
    /// For each piece of a part: its range in the joined text, the number of the part, and its start in the part.
    stretches: Vec<(Range<usize>, usize, usize)>,
    /// Where parts end.
    ends: Vec<usize>,
}

impl Parts {
    fn of(parts: &[&[u8]]) -> Parts {
        let mut joined = Parts::default();
        for (number, part) in parts.iter().enumerate() {
            stop::check_sometimes();
            let (is_first, is_last) = (number == 0, number + 1 == parts.len());
            let head = if is_first { 0 } else { part.len().min(REACH_BYTES) };
            let tail = if is_last { part.len() } else { part.len().saturating_sub(REACH_BYTES) };
            if tail <= head {
                joined.add(part, number, 0..part.len());
            } else {
                joined.add(part, number, 0..head);
                joined.text.extend_from_slice(b"\n\n");
                joined.add(part, number, tail..part.len());
            }
            joined.ends.push(joined.text.len());
        }
        joined.ends.pop();
        joined
    }

    fn add(&mut self, part: &[u8], number: usize, range: Range<usize>) {
        let at = self.text.len();
        self.stretches.push((at..at + range.len(), number, range.start));
        self.text.extend_from_slice(&part[range]);
    }

    fn pieces(&self, range: &Range<usize>) -> Vec<(usize, Range<usize>)> {
        let first = self.stretches.partition_point(|(place, ..)| place.end <= range.start);
        let here = self.stretches[first..].iter().take_while(|(place, ..)| place.start < range.end);
        here.map(|(place, number, from)| {
            let (start, end) = (range.start.max(place.start), range.end.min(place.end));
            (*number, from + start - place.start..from + end - place.start)
        })
        .filter(|(_, piece)| !piece.is_empty())
        .collect()
    }

    /// Whether a claimed value begins in one part and ends in another. Words at the start of a part do not belong to a
    /// value before them.
    fn is_divided(&self, table: &'static Table, claim: &Claim) -> bool {
        let next = self.ends.partition_point(|end| *end < claim.start);
        let Some(&end) = self.ends.get(next).filter(|end| **end < claim.end) else { return false };
        let behind = &self.text[end..claim.end];
        let form = &table.rules[usize::from(claim.rule)].form;
        if end == claim.start {
            // Only the name is in the part before.
            return is_random(behind, Doubt::Some);
        }
        if matches!(form, Form::PrivateKey) {
            return true;
        }
        // A few bytes before the value are enough for its name; more would be searched again for each value.
        let from = claim.start.saturating_sub(NAME_BYTES);
        let alone = hidden::claims(table, &self.text[from..end]);
        let is_complete = alone.last().is_some_and(|claim| from + claim.end == end);
        if is_complete {
            return is_random(behind, Doubt::Some) || is_end(behind) || is_signed(behind);
        }
        is_mixed(behind) || matches!(form, Form::Token { .. }) || form.has_one_length()
    }
}

/// Whether a special character that passwords have is between two letters or digits.
fn is_signed(piece: &[u8]) -> bool {
    piece.windows(3).any(|three| {
        b"!$%^&*~#@".contains(&three[1])
            && three[0].is_ascii_alphanumeric()
            && three[2].is_ascii_alphanumeric()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_two_parts_is_divided() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        for cut in [1, 4, 20, 38] {
            let (first, second) = token.split_at(cut);
            let parts = [format!("see {first}"), format!("{second} there\n")];
            let divided = divided(&[parts[0].as_bytes(), parts[1].as_bytes()]);
            let [only] = &divided[..] else { panic!("{cut} {divided:?}") };
            assert_eq!((only.rule, &only.value[..]), ("github-pat", token.as_bytes()));
            assert_eq!(only.pieces, [(0, 4..4 + cut), (1, 0..second.len())]);
        }
        let long = "x ".repeat(REACH_BYTES);
        let parts =
            [format!("{long}{}", &token[..9]), token[9..15].to_owned(), format!("{}\n{long}", &token[15..])];
        let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
        let pieces = [(0, long.len()..long.len() + 9), (1, 0..6), (2, 0..token.len() - 15)];
        assert_eq!(divided(&parts).first().map(|divided| &divided.pieces[..]), Some(&pieces[..]));
        for parts in
            [["DB_PASSWORD=xK9u", "hfJX$mQ2v!Lp\n"], ["{\"api_key\": \"Kx9mQ2vLw7z", "Ab4tR8nB3rY6c\"}"]]
        {
            assert_eq!(divided(&parts.map(str::as_bytes)).len(), 1, "{parts:?}");
        }
        let parts = [&format!("see {token}")[..], "and the next block of text", ""];
        assert_eq!(divided(&parts.map(str::as_bytes)), []);
        for parts in
            [["Password: ", "Login failed for user2"], ["DB_PASSWORD=Tr0ubPvdR9x", "done"], ["a", "b"]]
        {
            assert_eq!(divided(&parts.map(str::as_bytes)), [], "{parts:?}");
        }
    }

    #[test]
    fn a_word_to_look_at_that_may_be_a_code_is_open() {
        for (text, expected) in [
            ("a\ndata: Zmlyc3QgbGlu", Some(8)),
            ("a\ndata: Zmlyc3QgbGluZSBoZXJlCmp3dCBleUpoYkdjaU9pSklVekkx\nMU", Some(8)),
            ("a\nZmlyc3QgbGluZSBoZXJlCmp3dCBleUpoYkdjaU9pSklVekkx\nMUxyc3Qg", Some(2)),
            ("a\nZmlyc3QgbGluZSBoZXJlCmp3dCBleUpoYkdjaU9pSklVekkx\n", Some(2)),
            ("a 66:69:72:73:74:20:6c", Some(2)),
            ("a {\"value\":\"HFNtk2D1THJ", Some(12)),
            ("x%22value%22%3A%22correc", Some(0)),
            ("x \\u0067\\u0068\\u0070", Some(2)),
            ("commit 19b8f89a50f8a8e9bb8bdb5eba456bf92d5d9806\n", None),
            ("integrity sha512-Zmlyc3QgbGluZSBoZXJlCmp3dCBleUpoYkdjaU9pSkl==\n", None),
            ("a long_name_of_a_test", None),
            ("downloading 4500000000", None),
        ] {
            assert_eq!(open_to_look_at(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_line_or_a_block_that_may_hold_a_secret_is_open_until_its_end() {
        for (text, expected) in [
            ("", None),
            ("a\nContinue? [y/N] ", None),
            ("a\n[sudo] password for dev: ", None),
            ("Enter passphrase for key '/home/dev/.ssh/id_ed25519': ", None),
            ("Password for 'https://dev@example.com': ", None),
            ("a\npassword: Kx9m: ", Some(2)),
            ("a\nDB_PASSWORD=Kx9m:", Some(2)),
            ("a\npassword: Kx9m", Some(2)),
            ("a\nDB_PASSWORD=\"Kx9m ", Some(2)),
            ("a\nDB_PASSWORD=\"Kx9m Q2\"\n", None),
            ("seed phrase:\n\nribbon cactus ", Some(14)),
            ("passwords\r\nribbon cactus ", None),
            ("password: x\nribbon cactus ", None),
            ("password: (\r\n\"Kx9m ", Some(13)),
        ] {
            assert_eq!(open(text.as_bytes()), expected, "{text}");
        }
        let begin = ["-----BEGIN OpenVPN Sta", "tic key V1-----\n"].concat();
        let block = format!("a\n{begin}0123456789abcdef0123456789abcdef\n");
        assert_eq!(open(block.as_bytes()), Some(2));
        assert_eq!(open(format!("{block}-----END OpenVPN Static key V1-----\n").as_bytes()), None);
        assert_eq!(open(format!("{block}if x {{\n").as_bytes()), None);
        assert_eq!(open(format!("a {begin}some text of a log, and more\n").as_bytes()), None);
    }
}
