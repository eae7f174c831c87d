//! The parts of a text in which a disguised secret may be: around keywords of rules, as far as a rule reads.
//!
//! Most text is not near a keyword, or only near one that does not name a value, as in `tokenize(`. No layer reads
//! that text again.

use crate::sanitize::secrets::PLACEHOLDER;
use crate::sanitize::secrets::judge::{ByteSet, skip};
use crate::sanitize::secrets::names::{MAX_NAME_BYTES, Tail, is_about, is_verdict, stands_alone, tail};
use crate::sanitize::secrets::shapes::{operator, starts_word};
use crate::sanitize::secrets::table::Form;
use std::ops::Range;

/// Bytes before and after a name, or after the start of a value, that may contain a disguised value.
const VALUE_BYTES: (usize, usize) = (64, 512);
/// How much longer the reach of a regex is for encoded text.
const CODED_FACTOR: usize = 3;
/// Bytes around the keywords of rules that read many lines.
const LINES_BYTES: usize = 256 << 10;
/// Bytes after `://` in which the `@` before the host is searched.
const ADDRESS_BYTES: usize = 256;

/// Most blanks before the text of a cell.
const MAX_PADDING_BYTES: usize = 64;

const WORD: ByteSet = ByteSet::parse("a-zA-Z_");
const CLOSES: ByteSet = ByteSet::parse("\"'`])");
const OPENS: ByteSet = ByteSet::parse("\\\"'`");
const BLANK: ByteSet = ByteSet::parse(" ");
/// Bytes that may be an operator, or that may start an encoding or a cut.
const GOES_ON: ByteSet = ByteSet::parse(":=>|\\%&<;\t\r\x0b\x7f\x00-\x08\x0e-\x1f");

/// The range that a rule may read around a keyword; `None` if it would find nothing in any encoding.
pub(in crate::sanitize::secrets) fn stretch(
    text: &[u8],
    hit: &Range<usize>,
    form: &Form,
) -> Option<Range<usize>> {
    let (before, behind) = match form {
        Form::Token { prefix, inside_words, set, .. } => {
            let is_prefix = |prefix: &&String| text[hit.start..].starts_with(prefix.as_bytes());
            let prefix = prefix.iter().find(is_prefix)?;
            let begins =
                *inside_words || starts_word(text, hit.start) || is_behind_quoted_printable(text, hit.start);
            (begins && !is_whole_word(text, hit.start + prefix.len(), *set)).then_some(VALUE_BYTES)?
        }
        Form::Assigned { .. } | Form::Named { .. } => VALUE_BYTES,
        Form::UrlPassword => has_user(&text[hit.end..]).then_some(VALUE_BYTES)?,
        Form::Pattern { before, after, .. } => {
            (before + VALUE_BYTES.0, VALUE_BYTES.1.max(after * CODED_FACTOR))
        }
        Form::Cookie => may_have_cookies(text, hit).then_some((VALUE_BYTES.0, 8 * VALUE_BYTES.1))?,
        Form::VaultData => (VALUE_BYTES.0, 8 * VALUE_BYTES.1),
        Form::PrivateKey
        | Form::KubernetesSecret
        | Form::SecretString
        | Form::TerraformRandom
        | Form::TerraformAttributes => (LINES_BYTES, LINES_BYTES),
    };
    Some(hit.start.saturating_sub(before)..text.len().min(hit.end.saturating_add(behind)))
}

/// Whether `at` is right after the last digit of a quoted-printable `=3D`.
fn is_behind_quoted_printable(text: &[u8], at: usize) -> bool {
    at.checked_sub(3).is_some_and(|from| text[from] == b'=' && text[at - 1].is_ascii_hexdigit())
}

/// `path(`, `pattern `: whether the word at whose start a token prefix was found (it ends at `body`) is a whole word,
/// and not the first piece of a token that consists of bytes of `set`. The sign after it shows that: no layer joins
/// text across such a sign.
fn is_whole_word(text: &[u8], body: usize, set: ByteSet) -> bool {
    /// Longest word, in bytes. A choice: the first piece of a token may be longer.
    const MAX_WORD_BYTES: usize = 24;
    let end = skip(text, body, set, MAX_WORD_BYTES);
    let word = &text[body..end];
    match text.get(end) {
        Some(sign @ (b'(' | b')' | b'[' | b']' | b':' | b';' | b'/' | b',')) => !set.has(*sign),
        Some(b' ' | b'.' | b'_') => {
            !word.is_empty() && word.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'_'))
        }
        _ => false,
    }
}

/// Whether values of cookies may follow the word, in any encoding: most often, it is in a name.
fn may_have_cookies(text: &[u8], hit: &Range<usize>) -> bool {
    if !text[hit.end - 1].eq_ignore_ascii_case(&b'e') {
        return true;
    }
    let plural = hit.end + usize::from(text.get(hit.end).is_some_and(|b| b.eq_ignore_ascii_case(&b's')));
    let is_flag = text[..hit.start].ends_with(b"-");
    is_flag || may_have_value(text, hit.start, plural)
}

/// Whether the name around a keyword can have a value.
pub(in crate::sanitize::secrets) fn names(text: &[u8], name: Range<usize>, hit: &Range<usize>) -> bool {
    let Range { start, end } = name;
    if !stands_alone(text, hit) && !starts_word(text, hit.start)
        || matches!(tail(&text[hit.end..end], text[hit.end - 1]), Tail::About)
        || is_about(&text[start..hit.start])
        || is_verdict(text, start..end, hit)
    {
        return false;
    }
    let at = skip(text, skip(text, end, CLOSES, 4), BLANK, 4);
    !is_removed(text, at)
        && may_have_value(text, start, end)
        && (is_argument(text, start, end)
            || is_before_encoded_string(text, end)
            || !is_given_a_name(text, at))
}

/// Whether something that can be before a value follows a name, in any encoding.
fn may_have_value(text: &[u8], start: usize, end: usize) -> bool {
    let at = skip(text, skip(text, end, CLOSES, 4), BLANK, 4);
    is_argument(text, start, end)
        || is_before_encoded_string(text, end)
        || text.get(at).is_none_or(|b| *b >= 0x80 || GOES_ON.has(*b))
}

/// `--token abc`, `setenv("TOKEN", "abc")`
fn is_argument(text: &[u8], start: usize, end: usize) -> bool {
    let closed = skip(text, end, CLOSES, 4);
    let at = skip(text, closed, BLANK, 4);
    text[start] == b'-' || closed > end && text.get(at) == Some(&b',')
}

/// `password(&quot;…`, `password ""…`: whether a string whose quotation mark is encoded or doubled follows a name, perhaps as an
/// argument.
fn is_before_encoded_string(text: &[u8], end: usize) -> bool {
    const MARKS: &[&[u8]] = &[b"&quot;", b"&#34;", b"&#39;", b"&#x27;", b"&#x22;", b"&apos;", b"\"\""];
    let from = skip(text, end, const { ByteSet::parse(" ,(") }, 4);
    from > end && MARKS.iter().any(|mark| text[from..].starts_with(mark))
}

/// Whether the value at `at` was removed already, so that nothing hides it.
fn is_removed(text: &[u8], at: usize) -> bool {
    // The placeholder may also be in the next cell of the row.
    let is_cell = text.get(at) == Some(&b'|');
    let from = match operator(text, at) {
        Some(from) => skip(text, from, BLANK, 2),
        None if is_cell => skip(text, at + 1, BLANK, MAX_PADDING_BYTES),
        None => return false,
    };
    text[skip(text, from, OPENS, 2)..].starts_with(PLACEHOLDER.as_bytes())
}

/// Whether the value at `at` is a name in program code, as in `token := next(`: a word followed by a character that neither
/// a value nor an encoding has.
fn is_given_a_name(text: &[u8], at: usize) -> bool {
    let Some(from) = operator(text, at) else { return false };
    let from = skip(text, from, BLANK, 2);
    let end = skip(text, from, WORD, MAX_NAME_BYTES);
    end > from && text.get(end).is_some_and(|b| b" (),;[]{}".contains(b))
}

/// Whether an address may contain a user, in any encoding and any number of pieces.
fn has_user(behind: &[u8]) -> bool {
    let near = &behind[..behind.len().min(ADDRESS_BYTES)];
    let stop =
        near.iter().position(|b| *b >= 0x80 || !(b.is_ascii_alphanumeric() || b"-._~:/?#+,;".contains(b)));
    stop.map_or(near.len() == ADDRESS_BYTES, |at| match near[at] {
        b'"' | b'\'' => near.get(at + 1).is_some_and(|b| b" \t\r\n+.&~|\\,".contains(b)),
        b' ' | b'\t' | b'`' | b')' | b'>' | b']' | b'}' => false,
        _ => true,
    })
}

/// Ranges in order, without overlap.
#[derive(Debug, Default, Clone)]
pub(super) struct Near(Vec<Range<usize>>);

impl Near {
    /// Sorts and merges ranges.
    pub(super) fn of(mut stretches: Vec<Range<usize>>) -> Near {
        stretches.sort_unstable_by_key(|stretch| stretch.start);
        let mut near: Vec<Range<usize>> = Vec::new();
        for stretch in stretches {
            crate::stop::check_sometimes();
            match near.last_mut() {
                Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
                _ => near.push(stretch),
            }
        }
        Near(near)
    }

    /// These ranges together with others.
    pub(super) fn and(self, others: impl Iterator<Item = Range<usize>>) -> Near {
        let mut all = self.0;
        let len = all.len();
        all.extend(others);
        if all.len() == len { Near(all) } else { Near::of(all) }
    }

    /// These ranges without the parts inside `others`, which are in order, without overlap.
    pub(super) fn except(self, others: &[Range<usize>]) -> Near {
        let mut near = Vec::new();
        let mut others = others.iter().peekable();
        for Range { mut start, end } in self.0 {
            crate::stop::check_sometimes();
            while others.next_if(|other| other.end <= start).is_some() {}
            while let Some(other) = others.peek().filter(|other| other.start < end) {
                if start < other.start {
                    near.push(start..other.start);
                }
                start = other.end;
                // A range in `others` that continues after this stretch may also cover a part of the next one.
                if others.next_if(|other| other.end <= end).is_none() {
                    break;
                }
            }
            if start < end {
                near.push(start..end);
            }
        }
        Near(near)
    }

    /// The stretches.
    pub(super) fn stretches(&self) -> &[Range<usize>] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges() -> impl Strategy<Value = Vec<Range<usize>>> {
        proptest::collection::vec((0usize..6, 1usize..6), 0..8).prop_map(|steps| {
            let mut at = 0;
            let next = |(gap, len)| {
                let start = at + gap;
                at = start + len;
                start..at
            };
            steps.into_iter().map(next).collect()
        })
    }

    proptest! {
        #[test]
        fn except_removes_what_others_hold(all in ranges(), others in ranges()) {
            let has = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
            let left = Near::of(all.clone()).except(&others);
            prop_assert!(left.0.iter().all(|range| range.start < range.end));
            for at in 0..100 {
                prop_assert_eq!(has(&left.0, at), has(&all, at) && !has(&others, at));
            }
        }
    }
}
