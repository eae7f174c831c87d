//! Regular expressions of rules. They come from an operator, so their cost is limited twice: the engine is linear in the
//! text for every pattern, and the compiled size is limited.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::config::rules::RuleError;

/// Most bytes that a pattern, or a list of patterns, may compile to.
pub const MAX_COMPILED_BYTES: usize = 1 << 20;
/// Longest pattern.
pub const MAX_PATTERN_BYTES: usize = 2048;
/// Deepest nesting of groups.
const MAX_GROUP_DEPTH: u32 = 50;
/// Most patterns in a list.
pub const MAX_PATTERNS: usize = 64;
/// Shortest literal that is worth searching.
const MIN_LITERAL_BYTES: usize = 3;
/// Most alternative literals of a pattern.
const MAX_ALTERNATIVES: usize = 16;

/// Compiles a pattern for a whole text: `^` and `$` match at line ends.
pub(super) fn in_text(field: &str, pattern: &str) -> Result<Regex, RuleError> {
    parsed(field, pattern, true)?;
    let mut builder = RegexBuilder::new(pattern);
    builder.multi_line(true).crlf(true).size_limit(MAX_COMPILED_BYTES).nest_limit(MAX_GROUP_DEPTH);
    builder.build().map_err(|error| bad(field, pattern, &error))
}

/// Compiles a pattern for single lines.
pub(super) fn in_line(field: &str, pattern: &str) -> Result<Regex, RuleError> {
    parsed(field, pattern, false)?;
    let mut builder = RegexBuilder::new(pattern);
    builder
        .size_limit(MAX_COMPILED_BYTES)
        .nest_limit(MAX_GROUP_DEPTH)
        .build()
        .map_err(|error| bad(field, pattern, &error))
}

/// Compiles patterns that are searched together in each line.
pub(super) fn lines(field: &str, patterns: &[String]) -> Result<RegexSet, RuleError> {
    if patterns.len() > MAX_PATTERNS {
        let reason = format!("has {} patterns, allowed are 1 to {MAX_PATTERNS}", patterns.len());
        return Err(RuleError::new(field, reason));
    }
    for (i, pattern) in patterns.iter().enumerate() {
        parsed(&format!("{field}[{i}]"), pattern, false)?;
    }
    let mut builder = RegexSetBuilder::new(patterns);
    let set = builder.size_limit(MAX_COMPILED_BYTES).nest_limit(MAX_GROUP_DEPTH).build();
    set.map_err(|error| bad(field, &patterns.join("`, `"), &error))
}

/// Whether a pattern can match the empty text.
pub(super) fn matches_nothing(field: &str, pattern: &str) -> Result<bool, RuleError> {
    Ok(parsed(field, pattern, false)?.properties().minimum_len().unwrap_or(0) == 0)
}

fn parsed(field: &str, pattern: &str, multi_line: bool) -> Result<Hir, RuleError> {
    if pattern.is_empty() || pattern.len() > MAX_PATTERN_BYTES {
        let reason = format!("has {} bytes, allowed are 1 to {MAX_PATTERN_BYTES}", pattern.len());
        return Err(RuleError::new(field, reason));
    }
    let mut builder = regex_syntax::ParserBuilder::new();
    builder.nest_limit(MAX_GROUP_DEPTH).multi_line(multi_line).crlf(multi_line);
    builder.build().parse(pattern).map_err(|error| {
        let (what, span) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(*error.span())),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(*error.span())),
            other => (other.to_string(), None),
        };
        let at = span.map_or(String::new(), |span| format!(" at character {}", span.start.offset + 1));
        RuleError::new(field, format!("`{pattern}` is not a regular expression: {what}{at}"))
    })
}

fn bad(field: &str, pattern: &str, error: &regex::Error) -> RuleError {
    let reason = match error {
        regex::Error::CompiledTooBig(limit) => format!("`{pattern}` compiles to more than {limit} bytes"),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("`{pattern}` is not a regular expression: {last}")
        }
    };
    RuleError::new(field, reason)
}

/// Literals, in lower case, of which every match contains at least one; `None` if there is no such list or a literal is too
/// short.
pub(super) fn literals(pattern: &str) -> Option<Vec<String>> {
    let mut builder = regex_syntax::ParserBuilder::new();
    let hir = builder.nest_limit(MAX_GROUP_DEPTH).multi_line(true).crlf(true).build().parse(pattern).ok()?;
    required(&hir).filter(|all| all.iter().all(|text| text.len() >= MIN_LITERAL_BYTES))
}

fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => single_literal(std::str::from_utf8(&literal.0).ok()?.to_owned()),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Alternation(all) if all.len() <= MAX_ALTERNATIVES => {
            let mut out = Vec::new();
            for hir in all {
                out.extend(required(hir)?);
            }
            (out.len() <= MAX_ALTERNATIVES).then_some(out)
        }
        HirKind::Concat(parts) => of_parts(parts),
        _ => None,
    }
}

/// The most selective list of a sequence. A run of letters in either case counts as one literal.
fn of_parts(parts: &[Hir]) -> Option<Vec<String>> {
    let mut best: Option<Vec<String>> = None;
    let mut take = |found: Option<Vec<String>>| {
        let shortest = |all: &Vec<String>| all.iter().map(String::len).min().unwrap_or(0);
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| shortest(&found) > shortest(best))
        {
            best = Some(found);
        }
    };
    let mut run = String::new();
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => run.push_str(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(class) if caseless(class).is_some() => run.extend(caseless(class)),
            _ => {
                take(single_literal(std::mem::take(&mut run)));
                take(required(part));
            }
        }
    }
    take(single_literal(run));
    best
}

fn single_literal(text: String) -> Option<Vec<String>> {
    // The search folds only ASCII case.
    (!text.is_empty() && text.is_ascii()).then(|| vec![text.to_ascii_lowercase()])
}

/// The letter of a class that holds one letter in both cases.
fn caseless(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let mut letters =
        class.iter().flat_map(|range| [range.start(), range.end()]).filter(char::is_ascii_alphabetic);
    let is_single = class.iter().all(|range| range.start() == range.end() && range.start().is_ascii());
    let first = letters.next().filter(|_| is_single)?.to_ascii_lowercase();
    letters.all(|c| c.to_ascii_lowercase() == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_needs_is_found() {
        let of = |pattern: &str| literals(pattern).map(|all| all.join("|"));
        assert_eq!(of(r"^Status: \w+").as_deref(), Some("status: "));
        assert_eq!(of(r"(?:Downloaded|Pulled) \d+").as_deref(), Some("downloaded|pulled"));
        assert_eq!(of(r"\d+ (?i)warning").as_deref(), Some(" warning"));
        assert_eq!(of(r"(a|bcd)+").as_deref(), None);
        assert_eq!(of(r"(hello)?"), None);
        assert_eq!(of(r"\w+"), None);
    }

    #[test]
    fn errors_say_what_and_where() {
        let text = |pattern: &str| in_line("stages.stripLines[0]", pattern).unwrap_err().reason;
        assert_eq!(text("a(b"), "`a(b` is not a regular expression: unclosed group at character 2");
        assert!(
            text(r"\w{500}{50}").contains("compiles to more than 1048576 bytes"),
            "{}",
            text(r"\w{500}{50}")
        );
        assert!(text(r"(?=a)").contains("look-around"), "{}", text("(?=a)"));
        assert!(text(&"a".repeat(3000)).contains("3000 bytes, allowed are 1 to 2048"));
    }
}
