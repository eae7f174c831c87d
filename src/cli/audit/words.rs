//! Names that an agent can learn from a text and use later: paths, places in files, identifiers, hashes, long numbers.

/// A kind of name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// `src/a.rs`
    Path,
    /// `src/a.rs:12`
    PathLine,
    /// `half_sum`, `halfSum`, `case17`
    Name,
    /// Five digits or more.
    Number,
}

impl Kind {
    /// Its name in reports and in the measurement of survival.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::PathLine => "pathline",
            Self::Name => "ident",
            Self::Number => "number",
        }
    }
}

/// Longest name that is considered, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Calls `each` for every name in a text, in order. A place in a file also yields the file; a path also yields its last
/// part.
pub(super) fn words<'a>(text: &'a str, each: &mut dyn FnMut(&'a str, Kind)) {
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        let run =
            run.trim_matches(|c: char| matches!(c, '.' | ':' | '/' | '-' | '+' | '@' | '~') && c != '/');
        let run = run.trim_end_matches(['/', '.', ':']);
        if run.len() >= 4 && run.len() <= MAX_NAME_BYTES {
            of_run(run, each);
        }
    }
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '-' | '@' | '+' | '~')
}

fn of_run<'a>(run: &'a str, each: &mut dyn FnMut(&'a str, Kind)) {
    let (path, line) = split_line(run);
    if is_path(path) {
        if let Some(line) = line {
            each(&run[..path.len() + 1 + line.len()], Kind::PathLine);
        }
        each(path, Kind::Path);
        if let Some((_, last)) =
            path.rsplit_once('/').filter(|(_, last)| last.contains('.') && last.len() >= 4)
        {
            each(last, Kind::Path);
        }
    }
    for word in run.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        if let Some(kind) = of_word(word) {
            each(word, kind);
        }
    }
}

/// Splits a path from the line number after it.
fn split_line(run: &str) -> (&str, Option<&str>) {
    let Some((path, rest)) = run.split_once(':') else { return (run, None) };
    let line = rest.split(':').next().unwrap_or_default();
    let is_line = !line.is_empty() && line.len() <= 7 && line.bytes().all(|b| b.is_ascii_digit());
    (path, is_line.then_some(line))
}

fn is_path(text: &str) -> bool {
    let last = text.rsplit('/').next().unwrap_or_default();
    let extension = last.rsplit_once('.').filter(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
            && end.bytes().any(|b| b.is_ascii_alphabetic())
            && stem.bytes().any(|b| b.is_ascii_alphabetic())
    });
    let folders = text.split('/').filter(|part| !part.is_empty()).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    letters >= 3 && (extension.is_some() || folders >= 3) && !text.contains("://") && !text.starts_with("//")
}

/// The kind of a word, if it is not an ordinary word.
fn of_word(word: &str) -> Option<Kind> {
    if word.len() < 5 {
        return None;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == word.len() {
        return Some(Kind::Number);
    }
    let inner = word.trim_matches('_');
    let mixed = inner.as_bytes().windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
    let letters = inner.bytes().any(|b| b.is_ascii_alphabetic());
    // `24T10` is part of a date, `1f9d55a` of a hash.
    let is_name = !word.starts_with(|c: char| c.is_ascii_digit())
        || (word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit()));
    (letters && is_name && (inner.contains('_') || mixed || digits > 0)).then_some(Kind::Name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(&str, &str)> {
        let mut out = Vec::new();
        words(text, &mut |word, kind| out.push((word, kind.name())));
        out
    }

    #[test]
    fn names_are_found() {
        assert_eq!(
            all("panicked at src/lib.rs:9:5: half_sum(left, 3)"),
            [("src/lib.rs:9", "pathline"), ("src/lib.rs", "path"), ("lib.rs", "path"), ("half_sum", "ident")]
        );
        assert_eq!(
            all("commit 4a5375607b35 of 20480, see halfSum."),
            [("4a5375607b35", "ident"), ("20480", "number"), ("halfSum", "ident")]
        );
        assert!(all("nothing here, only plain words (and 12), 2026-01-24T10.").is_empty());
    }
}
