//! Finds texts of an agent that may refer to a result: paths, names, quotes and values, without a model.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// Types that a single word does not satisfy: the agent must have read the whole text in one place.
pub(super) const WHOLE: &[&str] = &["pathline", "quote", "value"];

/// Types of references, in the order in which they are tried; a text gets the first type that matches.
static FORMS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let ending = "(?:py|jsx?|tsx?|mjs|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|sh|md|rst|txt|jsonl?|ya?ml|toml|ini|cfg\
        |conf|xml|html|css|sql|lock|log|csv|tsv|proto|gradle|properties|patch|diff|ipynb|pyi|out|svg|png|db|mk|lua|tf|env)";
    let forms = [
        ("pathline", format!(r"[\w.@~+/-]*\w\.{ending}:\d+(?::\d+)?\b")),
        ("path", r"(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*\w".to_owned()),
        ("path", format!(r"\w[\w.@+-]*\.{ending}\b")),
        ("ident", r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+".to_owned()),
        ("ident", r"[A-Za-z_$][\w$]{5,}".to_owned()),
        ("hash", r"\b[0-9a-f]{7,64}\b".to_owned()),
        ("version", r"v?\d+\.\d+\.\d+(?:[-+.]?[A-Za-z0-9]+)*\b".to_owned()),
        ("id", r"(?:[A-Z]{2,10}-\d+|#\d{2,}|\d{5,})\b".to_owned()),
        ("value", r"\d+\.\d{2,}\b".to_owned()),
        ("quote", r#""[^"\n]{8,160}"|`[^`\n]{8,160}`|'[^'\n]{8,160}'"#.to_owned()),
    ];
    forms.into_iter().filter_map(|(kind, form)| Some((kind, Regex::new(&form).ok()?))).collect()
});

/// The texts that may be references, each with its type.
pub(super) fn candidates(text: &str) -> HashMap<&str, &'static str> {
    let mut out = HashMap::new();
    for (kind, form) in FORMS.iter() {
        for found in form.find_iter(text) {
            let before = text[..found.start()].chars().next_back();
            let glued = before.is_some_and(|c| c.is_alphanumeric() || "_.".contains(c));
            let candidate = match *kind {
                "quote" => found.as_str().trim_matches(['"', '`', '\'']).trim(),
                _ => found.as_str().trim_end_matches('.'),
            };
            if !glued && is_telling(kind, candidate) {
                out.entry(candidate).or_insert(*kind);
            }
        }
    }
    out
}

/// Whether a candidate must come from a result: short names and plain words may be known without one.
fn is_telling(kind: &str, candidate: &str) -> bool {
    let has = |test: fn(char) -> bool| candidate.chars().any(test);
    match kind {
        "ident" => {
            let humps = candidate
                .as_bytes()
                .windows(2)
                .any(|w| !w[0].is_ascii_uppercase() && w[1].is_ascii_uppercase());
            candidate.len() >= 6
                && (candidate.trim_matches('_').contains('_')
                    || candidate.contains('.')
                    || candidate.contains("::")
                    || humps
                    || has(|c| c.is_ascii_digit()))
        }
        "path" => candidate.len() >= 4 && has(char::is_alphabetic),
        "value" => candidate.len() >= 4,
        "hash" => has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_lowercase()),
        "quote" => candidate.len() >= 8 && candidate.contains(' ') && !candidate.contains("\\n"),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_have_the_type_of_what_they_are() {
        let text = "Look at src/a/b.rs:12 where `no route to host` comes from parse_frame, took 0.734 s, see ERR-4411 and deadbeef1";
        let found = candidates(text);
        for (candidate, kind) in [
            ("src/a/b.rs:12", "pathline"),
            ("no route to host", "quote"),
            ("parse_frame", "ident"),
            ("0.734", "value"),
            ("ERR-4411", "id"),
        ] {
            assert_eq!(found.get(candidate), Some(&kind), "{candidate}: {found:?}");
        }
        assert!(!found.contains_key("comes"), "a plain word");
    }
}
