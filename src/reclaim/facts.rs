//! What is to be known about a result to say whether it may go.

use super::Words;
use crate::detect::{detect, viewed};
use crate::pipeline::Outcome;
use crate::pipeline::evidence::Status;
use crate::text::call::ToolCall;
use crate::text::marker::{self, Marker};
use crate::text::signals;
use crate::text::source::Source;

/// Results of fewer tokens stay: what stands in their place would cost half of it.
const MIN_TOKENS: usize = 80;
/// Fewest lines with numbers that make a result a view of these lines.
const MIN_NUMBERS: usize = 3;
/// Longest line that stays in the place of a result, in bytes.
const MAX_LINE: usize = 160;
/// What a marker in the place of a result costs, in tokens. It is measured: 22 to 31 with a path of usual length.
const MARKER_TOKENS: usize = 30;
/// Bytes of a token, where a text is not counted.
pub(super) const BYTES_OF_TOKEN: usize = 4;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The call.
    pub call: String,
    /// Tokens of the text that the model sees.
    pub tokens: usize,
    /// Lines of the original.
    pub lines: usize,
    /// What the call was about, or its tool, as a marker names it.
    pub of: String,
    /// The lines that stay in its place: of a command that failed, and of a run of tests or of a build, its failure and its
    /// last line.
    pub rest: String,
    /// What an answer cites it by.
    pub(super) words: Words,
    /// The lines of a file that it shows.
    pub(super) view: Option<View>,
    /// Whether it is of a run of tests or of a build.
    pub(super) is_run: bool,
    /// Digest of the call.
    pub(super) asked: Option<[u8; 16]>,
    /// Whether it reports a failure.
    pub(super) has_failed: bool,
    /// Results that its text points to.
    pub(super) refers_to: Vec<String>,
    /// Whether its text points to earlier results that are not among these: it was worked on before it came.
    pub(super) refers_to_others: bool,
    /// Whether a text could stand in its place.
    pub may_go: bool,
}

/// Numbered lines of a file.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The name of the file, without its folder.
    pub(super) file: String,
    /// The numbers, in ranges from first to last.
    numbers: Box<[(u32, u32)]>,
}

impl Facts {
    /// The facts of a result. `asked` is a digest of its call, `label` what that is about.
    pub fn of(call: &ToolCall, outcome: &Outcome, asked: Option<[u8; 16]>, label: Option<&str>) -> Self {
        let evidence = &outcome.evidence;
        let of = label.or(Some(call.tool.as_str()).filter(|tool| !tool.is_empty() && marker::is_name(tool)));
        let mut facts = Self {
            call: call.id.clone().unwrap_or_default(),
            tokens: evidence.tokens.after,
            lines: evidence.lines.before,
            of: of.unwrap_or("a call").to_owned(),
            asked,
            is_run: outcome.is_run(),
            ..Self::default()
        };
        let [text] = &outcome.texts[..] else { return facts };
        let shown = evidence.omissions.iter().filter_map(|o| o.shown_by.as_ref());
        let shown = shown.map(|shown| &shown.tool_call_id).chain(&evidence.duplicate_of);
        let shown: Vec<&String> = shown.collect();
        facts.refers_to_others = references(text) > shown.len();
        facts.refers_to = shown.into_iter().filter(|id| **id != facts.call).cloned().collect();
        facts.refers_to.sort_unstable();
        facts.refers_to.dedup();
        let numbers = numbers(text);
        // Empty where the call names none.
        let looked_at = viewed::file(call);
        let is_view = looked_at.is_some() || call.path.is_some();
        let file = looked_at.filter(|file| !file.is_empty()).or_else(|| call.path.clone());
        facts.view = file
            .or_else(|| heading(text).map(str::to_owned))
            .filter(|_| !numbers.is_empty())
            .map(|file| View { file: viewed::name(&file).to_owned(), numbers });
        facts.has_failed = match call.succeeded() {
            Some(succeeded) => !succeeded,
            None => evidence.guard.signals > 0 && detect(call, &Source::new(text)).reports_failures(),
        };
        // What a rule keeps exact stays, and what was read back because it was needed.
        let is_exact = matches!(evidence.status, Status::Suppressed | Status::Bypassed);
        if facts.tokens < MIN_TOKENS || is_exact {
            return facts;
        }
        facts.may_go = true;
        if (facts.has_failed || facts.is_run) && facts.view.is_none() && !is_view {
            facts.rest = rest(text);
        }
        let asked = call.texts();
        facts.words = Words::of([text.as_str()].into_iter().chain(asked).chain(call.path.as_deref()));
        facts
    }

    /// The same of a result that the model sees only in part: it stays, and stands for no other one.
    #[must_use]
    pub fn in_part(self) -> Self {
        Self { may_go: false, view: None, asked: None, ..self }
    }

    /// Of something else that the context holds, of so many tokens.
    pub fn of_tokens(tokens: usize) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// Results that its text points to.
    pub fn refers_to(&self) -> &[String] {
        &self.refers_to
    }

    /// Tokens that stand in its place once it is gone, about.
    pub fn tokens_in_its_place(&self) -> usize {
        MARKER_TOKENS + self.rest.len().div_ceil(BYTES_OF_TOKEN)
    }

    /// Whether another result shows nearly all lines of the file that this one shows. A tenth may be missing: lines that were
    /// added since move the numbers of the rest.
    pub(super) fn is_shown_by(&self, other: &Self) -> bool {
        let (Some(one), Some(other)) = (&self.view, &other.view) else { return false };
        let lines: u64 = one.numbers.iter().map(|(first, last)| u64::from(last - first) + 1).sum();
        one.file == other.file && lines * 9 <= common(&one.numbers, &other.numbers) * 10
    }

    /// Whether it can stand for an earlier result of the same call: a run, or a text with at least half of the earlier one's words.
    pub(super) fn is_like(&self, earlier: &Self) -> bool {
        self.is_run && earlier.is_run || earlier.words.common(&self.words) * 2 >= earlier.words.hashes().len()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.call.capacity()
            + self.of.capacity()
            + self.rest.capacity()
            + self.words.bytes()
            + self.view.as_ref().map_or(0, |view| view.file.capacity() + size_of_val(&*view.numbers))
            + self.refers_to.iter().map(|id| size_of::<String>() + id.capacity()).sum::<usize>()
    }
}

/// Markers in a text that point to earlier results. Output that only looks like them is escaped before, and counts as well: then
/// more results stay than have to.
fn references(text: &str) -> usize {
    let points = |line: &&str| {
        let start = line.find("[tersed").or_else(|| line.find("[Duplicate of "));
        let marker = start.and_then(|start| Marker::parse(&line[start..]));
        matches!(
            marker,
            Some((
                Marker::Shown { .. } | Marker::There { .. } | Marker::Same { .. } | Marker::Duplicate { .. },
                _
            ))
        )
    };
    text.lines().filter(|line| marker::may_hold(line)).filter(points).count()
}

/// How many numbers two lists of ranges have in common.
fn common(one: &[(u32, u32)], other: &[(u32, u32)]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some((a, b)), Some((c, d))) = (one.get(i), other.get(j)) {
        let (from, to) = (a.max(c), b.min(d));
        if from <= to {
            count += u64::from(to - from) + 1;
        }
        if b < d { i += 1 } else { j += 1 }
    }
    count
}

/// The numbers that lines carry, as ranges in order; none where few lines do.
fn numbers(text: &str) -> Box<[(u32, u32)]> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut count = 0;
    for n in text.lines().filter_map(number) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            Some((_, last)) if *last >= n => continue,
            _ => ranges.push((n, n)),
        }
        count += 1;
    }
    if count < MIN_NUMBERS { Box::default() } else { ranges.into() }
}

/// The number in front of a line, as `12:`, `12→`, `12|` or `12` and a tab.
fn number(line: &str) -> Option<u32> {
    let line = line.trim_start_matches(' ');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at_checked(digits)?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let is_numbered = digits > 0 && digits < 9 && rest.starts_with([':', '→', '|', '\t']);
    number.parse().ok().filter(|n| is_numbered && *n < u32::MAX)
}

/// The file that a view names in its own first lines, as SWE-agent writes it: `[File: PATH (N lines total)]`.
fn heading(text: &str) -> Option<&str> {
    const OPEN: &str = "[File: ";
    /// In front of it stands at most a note on the edit that was made.
    const WITHIN: usize = 8;
    let line = text.lines().take(WITHIN).find_map(|line| line.strip_prefix(OPEN))?;
    line.split_once(" (").map(|(path, _)| path).filter(|path| !path.is_empty())
}

/// The first line of a failure, and the last line.
fn rest(text: &str) -> String {
    let says = |line: &&str| !line.trim().is_empty() && line.len() <= MAX_LINE && !line.starts_with('[');
    let failure = signals::first_failure(text).and_then(|at| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        text[start..].lines().next().filter(says)
    });
    let last = text.lines().rev().find(says).filter(|last| Some(*last) != failure);
    failure.into_iter().chain(last).map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::origin::Origin;

    fn facts(call: &ToolCall, text: &str) -> Facts {
        let outcome = compress(call, &[Raw::Text(text)], &Policy::default(), false, &NoHistory).unwrap();
        Facts::of(call, &outcome, Some([1; 16]), None)
    }

    fn view(from: u32, to: u32) -> Facts {
        let text: String = (from..=to).map(|n| format!("{n}\tlet value_{n} = compute({n});\n")).collect();
        facts(
            &ToolCall { tool: "Read".into(), path: Some("/w/src/a.rs".into()), ..ToolCall::default() },
            &text,
        )
    }

    #[test]
    fn a_view_is_shown_by_one_of_the_same_lines() {
        let (small, large) = (view(20, 39), view(1, 60));
        assert!(small.is_shown_by(&large) && !large.is_shown_by(&small));
        // Of twenty lines two may be missing.
        assert!(small.is_shown_by(&view(22, 60)) && !small.is_shown_by(&view(23, 60)));
        let mut other = view(1, 60);
        other.view.as_mut().unwrap().file = "b.rs".into();
        assert!(!small.is_shown_by(&other));
        assert!(small.may_go && !small.has_failed && small.rest.is_empty());
    }

    #[test]
    fn numbers_are_those_in_front_of_lines() {
        assert_eq!(&*numbers("  1\ta\n2: b\n\n3 | c\n 9→d\n10:e\n2024-01-01 x\n"), [(1, 3), (9, 10)]);
        assert!(numbers("1: a\n2: b\n").is_empty());
        assert_eq!(number("99999999999: x"), None);
        assert_eq!(heading("[File: /w/a.py (10 lines total)]\n1:x"), Some("/w/a.py"));
    }

    #[test]
    fn references_of_another_process_are_seen() {
        let origin = Origin { call: String::new(), tool: "bash".into(), argument: None, label: None };
        let marker = Marker::Shown { first: 2, last: 9, there: None, origin, ago: Some(2) }.write();
        let call = ToolCall { tool: "bash".into(), command: Some("cat a".into()), ..ToolCall::default() };
        let text: String = (0..90).map(|n| format!("line {n} of it\n")).collect();
        assert!(facts(&call, &format!("{text}{marker}\nend\n")).refers_to_others);
        assert!(!facts(&call, &text).refers_to_others);
    }

    #[test]
    fn what_failed_leaves_its_failure_and_its_last_line() {
        let log: String = (0..200).map(|n| format!("step {n} of the long build went by\n")).collect();
        let call = ToolCall { tool: "bash".into(), command: Some("make all".into()), ..ToolCall::default() };
        let failed = facts(&call, &format!("{log}error: no such file a.c\n{log}make: *** [all] Error 2\n"));
        assert!(failed.has_failed && failed.rest.contains("error: no such file a.c"), "{failed:?}");
        assert!(failed.rest.ends_with("make: *** [all] Error 2"), "{}", failed.rest);
        let passed = facts(&call, &format!("{log}done\n"));
        assert_eq!((passed.has_failed, &*passed.rest), (false, ""));
        assert!(!facts(&call, "short\n").may_go);
    }
}
