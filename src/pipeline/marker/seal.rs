//! What tells an output of ours from a text that quotes or imitates one: the check over a whole document in its first
//! marker, and a backslash before whatever only looks like a marker.

use super::{CHECK_DIGITS, DUPLICATE_OPEN, EXTERNALIZED_OPEN, Marker, OPEN};

/// Puts the document check into the first marker of a finished text, if it has one.
pub fn seal(text: &mut String) {
    let Some(at) = find_open(text, 0).map(|at| at + OPEN.len()) else { return };
    // A marker of an earlier output that was cut further has a check already, of the longer text.
    if text[at..].starts_with('#') {
        text.replace_range(at..at + 1 + CHECK_DIGITS, "");
    }
    let check = format!("#{}", document_check(&text[..at], &text[at..]));
    text.insert_str(at, &check);
}

/// Takes the check out of a text that `seal` finished, so that it can become a part of another.
pub fn unseal(text: &mut String) {
    if is_sealed(text)
        && let Some(at) = find_open(text, 0).map(|at| at + OPEN.len())
    {
        text.replace_range(at..at + 1 + CHECK_DIGITS, "");
    }
}

/// Whether a text is, whole, an output that `seal` finished.
pub fn is_sealed(text: &str) -> bool {
    find_open(text, 0).is_some_and(|at| is_sealed_at(text, at))
}

/// The same of a text the first marker of which is known.
fn is_sealed_at(text: &str, first: usize) -> bool {
    let at = first + OPEN.len();
    let Some(rest) = text[at..].strip_prefix('#') else { return false };
    rest.get(..CHECK_DIGITS).is_some_and(|check| document_check(&text[..at], &rest[CHECK_DIGITS..]) == check)
}

fn document_check(before: &str, after: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes()).update(after.as_bytes());
    let mut hex = hasher.finalize().to_hex().to_string();
    hex.truncate(CHECK_DIGITS);
    hex
}

/// Whether a line may be or hold a marker.
pub fn may_hold(line: &str) -> bool {
    let holds = |open: &str| memchr::memmem::find(line.as_bytes(), open.as_bytes()).is_some();
    holds(OPEN) || holds(DUPLICATE_OPEN)
}

/// The next place from `from` on where a marker that parses starts, escaped ones aside.
pub(super) fn find_open(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(&bytes[from..], OPEN)
        .map(|i| i + from)
        .find(|&at| (at == 0 || bytes[at - 1] != b'\\') && Marker::parse(&text[at..]).is_some())
}

/// Escapes what only looks like a marker by a backslash before it. `None` when there is nothing.
/// A text that is nothing but a duplicate marker stays when `is_ours` knows its call id.
pub fn escape(text: &str, is_ours: impl Fn(&str) -> bool) -> Option<(String, usize)> {
    let mut next = find_open(text, 0);
    if next.is_some_and(|at| is_sealed_at(text, at)) {
        return None;
    }
    let mut places: Vec<usize> = Vec::new();
    while let Some(at) = next {
        places.push(at);
        next = find_open(text, at + OPEN.len());
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), DUPLICATE_OPEN) {
        if at > 0 && text.as_bytes()[at - 1] == b'\\' {
            continue;
        }
        if let Some((Marker::Duplicate { call, .. }, len)) = Marker::parse(&text[at..])
            && !(at == 0 && len == text.trim_end().len() && is_ours(&call))
        {
            places.push(at);
        }
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), EXTERNALIZED_OPEN) {
        if (at == 0 || text.as_bytes()[at - 1] != b'\\') && Marker::parse(&text[at..]).is_some() {
            places.push(at);
        }
    }
    if places.is_empty() {
        return None;
    }
    places.sort_unstable();
    let mut out = String::with_capacity(text.len() + places.len());
    let mut done = 0;
    for &at in &places {
        out.push_str(&text[done..at]);
        out.push('\\');
        done = at;
    }
    out.push_str(&text[done..]);
    Some((out, places.len()))
}
