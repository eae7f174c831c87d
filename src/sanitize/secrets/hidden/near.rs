//! The stretches of a text in which something may hide: around the keywords of rules, as far as a rule reads.
//!
//! Most of a text is near no keyword, or near one that names nothing, as in `tokenize(`. No layer reads that again.

use crate::sanitize::secrets::judge::{ByteSet, skip};
use crate::sanitize::secrets::names::{MAX_NAME_BYTES, Tail, is_about, is_verdict, stands_alone, tail};
use crate::sanitize::secrets::shapes::{operator, starts_word};
use crate::sanitize::secrets::table::Form;
use std::ops::Range;

/// Bytes in which a value may stand that is written otherwise, before and behind its name or its own beginning.
const VALUE_BYTES: (usize, usize) = (64, 512);
/// How much longer what a regex reads may be when it is coded.
const CODED_FACTOR: usize = 3;
/// Bytes around the keywords of rules that read many lines.
const LINES_BYTES: usize = 256 << 10;
/// Bytes behind `://` in which the sign before the host is looked for.
const ADDRESS_BYTES: usize = 256;

const WORD: ByteSet = ByteSet::parse("a-zA-Z_");
const CLOSES: ByteSet = ByteSet::parse("\"'`])");
const BLANK: ByteSet = ByteSet::parse(" ");
/// Bytes that may be an operator, or with which a coding or a cut may begin.
const GOES_ON: ByteSet = ByteSet::parse(":=>|\\%&<;\t\r\x1b\x08");

/// What a rule may read otherwise near one of its keywords; `None` where it would find nothing however that reads.
pub(in crate::sanitize::secrets) fn stretch(
    text: &[u8],
    hit: &Range<usize>,
    form: &Form,
) -> Option<Range<usize>> {
    let (before, behind) = match form {
        Form::Token { prefix, .. } => {
            let is_prefix = |prefix: &String| text[hit.start..].starts_with(prefix.as_bytes());
            prefix.iter().any(is_prefix).then_some(VALUE_BYTES)?
        }
        Form::Assigned { .. } | Form::Named { .. } => VALUE_BYTES,
        Form::UrlPassword => has_user(&text[hit.end..]).then_some(VALUE_BYTES)?,
        Form::Pattern { before, after, .. } => {
            (before + VALUE_BYTES.0, VALUE_BYTES.1.max(after * CODED_FACTOR))
        }
        Form::Cookie => (VALUE_BYTES.0, 8 * VALUE_BYTES.1),
        Form::PrivateKey
        | Form::KubernetesSecret
        | Form::SecretString
        | Form::TerraformRandom
        | Form::TerraformAttributes => (LINES_BYTES, LINES_BYTES),
    };
    Some(hit.start.saturating_sub(before)..text.len().min(hit.end.saturating_add(behind)))
}

/// Whether the name around a telling word is one to which something may be given.
pub(in crate::sanitize::secrets) fn names(text: &[u8], name: Range<usize>, hit: &Range<usize>) -> bool {
    let Range { start, end } = name;
    if !stands_alone(text, hit) && !starts_word(text, hit.start)
        || matches!(tail(&text[hit.end..end], text[hit.end - 1]), Tail::About)
        || is_about(&text[start..hit.start])
        || is_verdict(text, start..end, hit)
    {
        return false;
    }
    let closed = skip(text, end, CLOSES, 4);
    let at = skip(text, closed, BLANK, 4);
    // `--token abc`, `setenv("TOKEN", "abc")`
    let is_argument = text[start] == b'-' || closed > end && text.get(at) == Some(&b',');
    is_argument || text.get(at).is_none_or(|b| *b >= 0x80 || GOES_ON.has(*b)) && !is_given_a_name(text, at)
}

/// Whether what is given at `at` is a name of program code, as in `token := next(`: a word of letters in front of what no
/// value has and no coding begins with.
fn is_given_a_name(text: &[u8], at: usize) -> bool {
    let Some(from) = operator(text, at) else { return false };
    let from = skip(text, from, BLANK, 2);
    let end = skip(text, from, WORD, MAX_NAME_BYTES);
    end > from && text.get(end).is_some_and(|b| b" (),;[]{}".contains(b))
}

/// Whether an address may have a user, in whatever coding or over however many pieces.
fn has_user(behind: &[u8]) -> bool {
    let near = &behind[..behind.len().min(ADDRESS_BYTES)];
    let stop =
        near.iter().position(|b| *b >= 0x80 || !(b.is_ascii_alphanumeric() || b"-._~:/?#+,;".contains(b)));
    stop.map_or(near.len() == ADDRESS_BYTES, |at| match near[at] {
        b'"' | b'\'' => near.get(at + 1).is_some_and(|b| b" \t\r\n+.&~|\\".contains(b)),
        b' ' | b'\t' | b'`' | b')' | b'>' | b']' | b'}' => false,
        _ => true,
    })
}

/// Stretches in order, apart from one another.
#[derive(Debug, Default)]
pub(super) struct Near(Vec<Range<usize>>);

impl Near {
    /// Puts stretches in order and together.
    pub(super) fn of(mut stretches: Vec<Range<usize>>) -> Near {
        stretches.sort_unstable_by_key(|stretch| stretch.start);
        let mut near: Vec<Range<usize>> = Vec::new();
        for stretch in stretches {
            crate::stop::tick();
            match near.last_mut() {
                Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
                _ => near.push(stretch),
            }
        }
        Near(near)
    }

    /// The same with others.
    pub(super) fn and(self, others: impl Iterator<Item = Range<usize>>) -> Near {
        let mut all = self.0;
        let len = all.len();
        all.extend(others);
        if all.len() == len { Near(all) } else { Near::of(all) }
    }

    /// The stretches.
    pub(super) fn stretches(&self) -> &[Range<usize>] {
        &self.0
    }
}
