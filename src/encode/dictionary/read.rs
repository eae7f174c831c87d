//! Decoding: reads the legend of a dictionary and replaces the references in the text by their phrases.

use std::borrow::Cow;

use super::Method;

/// How every header starts.
const START: &str = "[Forge ";

/// A text with its dictionaries filled in; `None` when it has none.
///
/// A dictionary applies from its legend to the end of the text, or to the next legend.
pub fn expand(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some((before, method, legend, body)) = dictionary(rest) {
        // No dictionary applies to the text before the first legend.
        out.push_str(before);
        let end = dictionary(body).map_or(body.len(), |(before, ..)| before.len());
        fill(&body[..end], method, &legend, &mut out);
        rest = &body[end..];
        found = true;
    }
    out.push_str(rest);
    found.then_some(out)
}

/// Whether the text starts with a dictionary and uses it.
pub fn is_own(text: &str) -> bool {
    // Only the start of the text is checked, so that the whole is not searched.
    if !text.starts_with(START) {
        return false;
    }
    let Some(("", method, legend, body)) = dictionary(text) else { return false };
    let uses = |n: usize| memchr::memmem::find_iter(body.as_bytes(), &method.reference(n)).count();
    dictionary(body).is_none() && (1..=legend.len()).all(|n| uses(n) >= super::MIN_PLACES)
}

/// The first dictionary of a text: the text before it, its method, its phrases, the text after it.
fn dictionary(text: &str) -> Option<(&str, Method, Vec<Cow<'_, str>>, &str)> {
    let mut from = 0;
    while let Some(hit) = memchr::memmem::find(text.as_bytes().get(from..)?, START.as_bytes()) {
        let at = from + hit;
        from = at + 1;
        if at > 0 && text.as_bytes()[at - 1] != b'\n' {
            continue;
        }
        let rest = &text[at..];
        let Some((method, body)) = Method::ALL
            .into_iter()
            .find_map(|method| Some((method, rest.strip_prefix(method.header())?.strip_prefix('\n')?)))
        else {
            continue;
        };
        let (legend, body) = legend(body, method);
        if !legend.is_empty() {
            return Some((&text[..at], method, legend, body));
        }
    }
    None
}

/// The phrases of a legend, and the text after it.
fn legend(text: &str, method: Method) -> (Vec<Cow<'_, str>>, &str) {
    let mut legend = Vec::new();
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once('\n') {
        let phrase = line
            .strip_prefix(method.reference(legend.len() + 1).as_str())
            .and_then(|line| line.strip_prefix(" = \"")?.strip_suffix('"'))
            .and_then(unescape);
        let Some(phrase) = phrase else { break };
        legend.push(phrase);
        rest = behind;
    }
    (legend, rest)
}

/// Puts the phrases in place of the references to them.
fn fill(text: &str, method: Method, legend: &[Cow<'_, str>], out: &mut String) {
    let open = method.open();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), open.as_bytes()) {
        let number = &rest[at + open.len()..];
        let digits = number.bytes().take(3).take_while(u8::is_ascii_digit).count();
        let phrase = number[..digits]
            .parse::<usize>()
            .ok()
            .filter(|_| !number.starts_with('0') && number[digits..].starts_with(">>"))
            .and_then(|n| legend.get(n.checked_sub(1)?));
        match phrase {
            Some(phrase) => {
                out.push_str(&rest[..at]);
                out.push_str(phrase);
                rest = &number[digits + 2..];
            }
            // A reference without an entry is text.
            None => {
                out.push_str(&rest[..at + open.len()]);
                rest = number;
            }
        }
    }
    out.push_str(rest);
}

/// Writes a phrase as it is written in a legend.
pub fn escape(phrase: &str, out: &mut String) {
    for c in phrase.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
}

fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['\\', '"']) {
        return Some(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next()? {
                c @ ('"' | '\\') => c,
                'n' => '\n',
                _ => return None,
            },
            '"' => return None,
            c => c,
        });
    }
    Some(out.into())
}
