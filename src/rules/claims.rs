//! Decides whether a rule's own words claim success, and whether a result proves it.
//!
//! No word list covers every language, so any letter outside ASCII counts as a claim too.

use crate::text::call::ToolCall;
use crate::text::source::Source;

/// Words that claim success or that there is nothing.
const CLAIM_WORDS: &[&str] = &[
    "0",
    "accepted",
    "built",
    "clean",
    "compiled",
    "compiles",
    "complete",
    "completed",
    "correct",
    "current",
    "deployed",
    "done",
    "duplicate",
    "empty",
    "equal",
    "excellent",
    "fine",
    "finished",
    "fixed",
    "free",
    "good",
    "great",
    "green",
    "healthy",
    "identical",
    "installed",
    "intact",
    "latest",
    "no",
    "none",
    "nothing",
    "nominal",
    "normal",
    "ok",
    "okay",
    "pass",
    "passed",
    "passes",
    "passing",
    "perfect",
    "present",
    "published",
    "ready",
    "resolved",
    "right",
    "running",
    "same",
    "satisfied",
    "stable",
    "succeeded",
    "succeeds",
    "success",
    "successes",
    "successful",
    "successfully",
    "synced",
    "unchanged",
    "unmodified",
    "valid",
    "verified",
    "well",
    "without",
    "worked",
    "works",
    "zero",
];

/// Negative words.
const DENIALS: &[&str] = &[
    "abort",
    "aborted",
    "bad",
    "broken",
    "cannot",
    "crash",
    "crashed",
    "critical",
    "denied",
    "err",
    "errors",
    "error",
    "exception",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "fatal",
    "incomplete",
    "incorrect",
    "invalid",
    "missing",
    "never",
    "nok",
    "no",
    "non",
    "not",
    "panic",
    "panicked",
    "refused",
    "rejected",
    "timeout",
    "unable",
    "unsuccessful",
    "vulnerable",
    "warn",
    "warning",
    "warnings",
    "wrong",
];

/// Words that claim that there is nothing.
const NOTHING: &[&str] = &["0", "clean", "empty", "free", "no", "none", "nothing", "without", "zero"];
/// Words of lines that report something, though nothing failed.
const WARNINGS: &[&str] =
    &["warn", "warning", "warnings", "denied", "vulnerable", "vulnerability", "vulnerabilities"];

fn has_word(text: &str, of: &[&str]) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| of.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// Whether a rule's words say that there is nothing, though a line of the text warns of something.
pub(super) fn denies_warnings(words: &str, text: &str) -> bool {
    has_word(words, NOTHING) && text.lines().any(|line| has_word(line, WARNINGS) && !has_word(line, NOTHING))
}

/// Number of negative words in a line, including `n't`.
pub(super) fn denials(line: &str) -> usize {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    let is_denial = |word: &&str| DENIALS.iter().any(|denial| denial.eq_ignore_ascii_case(word));
    words.filter(is_denial).count() + line.matches("n't").count()
}

/// The word of a text that claims success, if there is one.
pub fn claim(text: &str) -> Option<&str> {
    if let Some(at) = text.find(|c: char| !c.is_ascii()) {
        return Some(&text[at..]);
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_claim = |word: &&str| CLAIM_WORDS.iter().any(|claim| claim.eq_ignore_ascii_case(word));
    let lower = text.to_ascii_lowercase();
    let is_current = ["up to date", "up-to-date"].iter().find_map(|s| Some((lower.find(s)?, s.len())));
    words.find(is_claim).or_else(|| is_current.map(|(at, len)| &text[at..at + len]))
}

/// The literal text of a replacement, without its groups.
pub(super) fn literal(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.as_bytes().first() {
            Some(b'$') => rest = &rest[1..],
            Some(b'{') => rest = rest.find('}').map_or("", |end| &rest[end + 1..]),
            _ => rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        }
        out.push(' ');
    }
    out.push_str(rest);
    out
}

/// How a command ended, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitFacts {
    /// Something shows that it failed, or may have failed.
    pub is_bad: bool,
    /// Its status is known to be 0 and covers the whole command.
    pub is_good: bool,
}

impl ExitFacts {
    /// The proof that a call and its text give.
    pub fn of(call: &ToolCall, source: &Source<'_>) -> Self {
        let is_bad =
            call.succeeded() == Some(false) || call.is_error == Some(true) || !source.failures().is_empty();
        // A pipe or chain has the status of its last part.
        let is_masked = call.command.as_deref().is_some_and(|command| {
            command.trim().contains(['|', ';', '\n'])
                || command.replace("&&", "").replace(">&", "").contains('&')
        });
        Self { is_bad, is_good: !is_bad && call.exit_code == Some(0) && !is_masked }
    }

    /// Whether a rule may use its own words.
    pub fn allows(self, claims: bool) -> bool {
        if claims { self.is_good } else { !self.is_bad }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_told_in_many_words() {
        for text in [
            "ok",
            "All OK!",
            "3 passed",
            "no changes",
            "0 errors",
            "Up to date",
            "up-to-date",
            "fertig ✓",
            "geprüft",
        ] {
            assert!(claim(text).is_some(), "{text}");
        }
        for text in ["layers pulled", "see the log for details", "token", "passwords", "noise"] {
            assert_eq!(claim(text), None, "{text}");
        }
        assert_eq!(claim(&literal("$1 of ${done}: $$x")), None);
        assert_eq!(claim(&literal("${1} ok")), Some("ok"));
    }

    #[test]
    fn words_that_deny_are_counted() {
        for (line, count) in [
            ("all checks did not pass", 1),
            ("it doesn't build, no tests FAILED", 3),
            ("notes on cannonballs", 0),
            ("", 0),
        ] {
            assert_eq!(denials(line), count, "{line}");
        }
    }

    #[test]
    fn warnings_are_not_nothing() {
        let text = "scanned a\nWARNING: b is old\n";
        assert!(denies_warnings("nothing to report", text) && denies_warnings("0 vulnerabilities", text));
        assert!(!denies_warnings("all scanned", text));
        assert!(!denies_warnings("nothing to report", "scanned a\n0 warnings, no vulnerabilities\n"));
    }

    #[test]
    fn only_a_status_of_the_whole_proves() {
        let proof = |command: &str, exit_code, text: &str| {
            let call = ToolCall { command: Some(command.into()), exit_code, ..ToolCall::default() };
            let proof = ExitFacts::of(&call, &Source::new(text));
            (proof.allows(true), proof.allows(false))
        };
        assert_eq!(proof("make", Some(0), "x"), (true, true));
        assert_eq!(proof("cd a && make 2>&1", Some(0), "x"), (true, true));
        for masked in ["make | tail", "make; true", "make || true", "make &", "make\ntrue"] {
            assert_eq!(proof(masked, Some(0), "x"), (false, true), "{masked}");
        }
        assert_eq!(proof("make", None, "x"), (false, true));
        assert_eq!(proof("make", Some(2), "x"), (false, false));
        assert_eq!(proof("make", Some(0), "error: x"), (false, false));
    }
}
