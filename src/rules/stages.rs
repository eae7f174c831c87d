//! The line stages of a rule: what happens to each line of a text.
//!
//! They compute outcomes, not text; the reduction and the explanation are both made from outcomes. No stage changes a failure
//! line.
//!
//! This file is longer than most because each stage needs its parser, its check and its effect together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::{Regex, RegexSet};

use super::claims::{self, ExitFacts};
use super::regexes;
use crate::config::rules::RuleError;
use crate::config::rules::StagesSpec;
use crate::text::ledger::{Ledger, MARKER_COST, Reduction};
use crate::text::marker;
use crate::text::marker::Marker;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Most replacements of one pattern in one line.
const MAX_IN_LINE: usize = 64;
/// Longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 200;
/// Fewest characters that a truncated line keeps.
const MIN_KEPT_CHARS: u64 = 20;

/// A rule's own words, and whether they claim success.
#[derive(Debug, Clone)]
struct Words {
    text: String,
    claims: bool,
}

/// The stages of one rule.
#[derive(Debug, Clone, Default)]
pub(super) struct Stages {
    replace: Vec<(Regex, Words)>,
    tell: Vec<(Regex, Option<Regex>, Words)>,
    strip: Option<RegexSet>,
    keep: Option<RegexSet>,
    width: Option<usize>,
    head: Option<usize>,
    tail: Option<usize>,
    max: Option<usize>,
    empty: Option<Words>,
}

/// The outcome of one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LineOutcome {
    /// Shown unchanged.
    #[default]
    Kept,
    /// Shown because it reports a failure.
    Failure,
    /// Handled by an earlier step.
    Taken,
    /// Rewritten by a replacement; the index of the first.
    Rewritten(usize),
    /// Truncated by this many bytes.
    Truncated(usize),
    /// Left out with the whole text, by a `matchOutput`.
    Matched(usize),
    /// Left out by a pattern of `stripLines`.
    Stripped(usize),
    /// Left out because no pattern of `keepLines` matches.
    NotKept,
    /// Left out between head and tail.
    BetweenEnds,
    /// Left out by `maxLines`.
    OverMost,
}

impl LineOutcome {
    /// Whether at least a part of the line is visible.
    pub fn is_shown(self) -> bool {
        matches!(self, Self::Kept | Self::Failure | Self::Taken | Self::Rewritten(_) | Self::Truncated(_))
    }

    /// The stage, and the index of the pattern in its list.
    pub fn stage(self) -> Option<(&'static str, Option<usize>)> {
        match self {
            Self::Kept | Self::Failure | Self::Taken => None,
            Self::Rewritten(i) => Some(("replace", Some(i))),
            Self::Truncated(_) => Some(("truncateLinesAt", None)),
            Self::Matched(i) => Some(("matchOutput", Some(i))),
            Self::Stripped(i) => Some(("stripLines", Some(i))),
            Self::NotKept => Some(("keepLines", None)),
            Self::BetweenEnds => Some(("headLines", None)),
            Self::OverMost => Some(("maxLines", None)),
        }
    }

    /// One word for the outcome.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Failure => "kept_failure",
            Self::Taken => "taken",
            Self::Rewritten(_) => "rewritten",
            Self::Truncated(_) => "truncated",
            _ => "dropped",
        }
    }
}

/// The result of the stages.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) outcomes: Vec<LineOutcome>,
    /// Changed lines, with the removed bytes and the reason.
    texts: BTreeMap<usize, (String, usize, Reason)>,
    /// The message that replaces the whole text.
    pub(super) message: Option<String>,
    /// Whether words of the rule were left out because nothing proves them.
    pub(super) unproven: bool,
}

impl Stages {
    pub(super) fn new(spec: &StagesSpec) -> Result<Self, RuleError> {
        let mut out = Self::default();
        if spec.strip_ansi == Some(false) {
            let reason = "`false` is not possible: the safe stage always does it, allowed is `true`";
            return Err(RuleError::new("stages.stripAnsi", reason));
        }
        for (list, len) in [("replace", spec.replace.len()), ("matchOutput", spec.match_output.len())] {
            if len > regexes::MAX_PATTERNS {
                let reason = format!("has {len} entries, allowed are 1 to {}", regexes::MAX_PATTERNS);
                return Err(RuleError::new(format!("stages.{list}"), reason));
            }
        }
        for (i, replace) in spec.replace.iter().enumerate() {
            let field = format!("stages.replace[{i}].pattern");
            let regex = regexes::in_line(&field, &replace.pattern)?;
            if regexes::matches_nothing(&field, &replace.pattern)? {
                let reason = format!(
                    "`{}` matches the empty text, allowed is what matches something",
                    replace.pattern
                );
                return Err(RuleError::new(field, reason));
            }
            let field = format!("stages.replace[{i}].with");
            check_template(&field, &replace.with, &regex)?;
            let claims = claims::claim(&claims::literal(&replace.with)).is_some();
            out.replace.push((regex, Words { text: replace.with.clone(), claims }));
        }
        for (i, tell) in spec.match_output.iter().enumerate() {
            let field = |name: &str| format!("stages.matchOutput[{i}].{name}");
            let regex = regexes::in_text(&field("pattern"), &tell.pattern)?;
            let unless = tell.unless.as_deref().map(|p| regexes::in_text(&field("unless"), p)).transpose()?;
            out.tell.push((regex, unless, words(&field("message"), &tell.message)?));
        }
        if !spec.strip_lines.is_empty() && !spec.keep_lines.is_empty() {
            let reason = "stands beside `stripLines`, allowed is one of the two";
            return Err(RuleError::new("stages.keepLines", reason));
        }
        let set = |field: &str, list: &crate::config::rules::List| match list.is_empty() {
            true => Ok(None),
            false => regexes::lines(field, &list.0).map(Some),
        };
        out.strip = set("stages.stripLines", &spec.strip_lines)?;
        out.keep = set("stages.keepLines", &spec.keep_lines)?;
        let limit = |name: &str, given: Option<u64>, least: u64| match given {
            Some(n) if n < least || n > u64::from(u32::MAX) => {
                let reason = format!("{n} is out of range, allowed is {least} to {}", u32::MAX);
                Err(RuleError::new(format!("stages.{name}"), reason))
            }
            given => Ok(given.map(|n| n as usize)),
        };
        out.width = limit("truncateLinesAt", spec.truncate_lines_at, MIN_KEPT_CHARS)?;
        out.head = limit("headLines", spec.head_lines, 0)?;
        out.tail = limit("tailLines", spec.tail_lines, 0)?;
        out.max = limit("maxLines", spec.max_lines, 1)?;
        out.empty = spec.on_empty.as_deref().map(|text| words("stages.onEmpty", text)).transpose()?;
        if *spec == (StagesSpec { strip_ansi: spec.strip_ansi, ..StagesSpec::default() })
            && spec.strip_ansi.is_none()
        {
            return Err(RuleError::new("stages", "is empty, allowed is at least one stage"));
        }
        Ok(out)
    }

    /// Words of the rule that claim success, with their fields.
    pub(super) fn claims(&self) -> impl Iterator<Item = (String, &str)> {
        let replace = self
            .replace
            .iter()
            .enumerate()
            .map(|(i, (_, words))| (format!("stages.replace[{i}].with"), words));
        let tell = self
            .tell
            .iter()
            .enumerate()
            .map(|(i, (_, _, words))| (format!("stages.matchOutput[{i}].message"), words));
        let empty = self.empty.iter().map(|words| ("stages.onEmpty".to_owned(), words));
        replace
            .chain(tell)
            .chain(empty)
            .filter(|(_, words)| words.claims)
            .map(|(field, words)| (field, words.text.as_str()))
    }

    /// The outcomes of the kept lines of a text; `failures` are not changed.
    pub(super) fn run(
        &self,
        source: &Source<'_>,
        ledger: &Ledger,
        failures: &[usize],
        proof: ExitFacts,
    ) -> Staged {
        let mut staged = Staged { outcomes: vec![LineOutcome::Taken; source.len()], ..Staged::default() };
        for lines in ledger.kept() {
            staged.outcomes[lines].fill(LineOutcome::Kept);
        }
        for &line in failures {
            staged.outcomes[line] = LineOutcome::Failure;
        }
        self.rewrite(source, proof, &mut staged);
        if self.put_message(source, proof, &mut staged) {
            return staged;
        }
        if let Some(set) = self.strip.as_ref().or(self.keep.as_ref()) {
            for i in 0..source.len() {
                if !matches!(staged.outcomes[i], LineOutcome::Kept | LineOutcome::Rewritten(_)) {
                    continue;
                }
                let line = staged.line(source, i);
                let outcome = match self.strip.is_some() {
                    true if set.is_match(&line) => {
                        Some(LineOutcome::Stripped(set.matches(&line).iter().next().unwrap_or(0)))
                    }
                    false if !set.is_match(&line) => Some(LineOutcome::NotKept),
                    _ => None,
                };
                if let Some(outcome) = outcome {
                    staged.drop_line(i, outcome);
                }
            }
        }
        self.truncate(source, &mut staged);
        self.limit(&mut staged);
        self.on_empty(source, proof, &mut staged);
        staged
    }

    fn rewrite(&self, source: &Source<'_>, proof: ExitFacts, staged: &mut Staged) {
        for (n, (regex, with)) in self.replace.iter().enumerate() {
            for i in 0..source.len() {
                if !matches!(staged.outcomes[i], LineOutcome::Kept | LineOutcome::Rewritten(_)) {
                    continue;
                }
                let line = staged.line(source, i);
                // An escaped look-alike of a marker must stay escaped.
                if marker::may_hold(&line) {
                    continue;
                }
                // Each search may read the whole line, so their number is limited.
                let Cow::Owned(new) = regex.replacen(&line, MAX_IN_LINE, with.text.as_str()) else {
                    continue;
                };
                if new == line || marker::may_hold(&new) {
                    continue;
                }
                // Removing the statement that something failed claims success.
                let claims = with.claims || claims::denials(&new) < claims::denials(&line);
                if claims && !proof.allows(true) {
                    staged.unproven = true;
                    if with.claims {
                        break;
                    }
                    continue;
                }
                let went: usize = regex.find_iter(&line).take(MAX_IN_LINE).map(|hit| hit.len()).sum();
                let before = staged.texts.get(&i).map_or(0, |(_, bytes, _)| *bytes);
                // A line stays one line.
                let new = new.replace(['\n', '\r'], " ");
                staged.texts.insert(i, (new, before + went, Reason::RuleRewrite));
                if staged.outcomes[i] == LineOutcome::Kept {
                    staged.outcomes[i] = LineOutcome::Rewritten(n);
                }
            }
        }
    }

    fn put_message(&self, source: &Source<'_>, proof: ExitFacts, staged: &mut Staged) -> bool {
        if self.tell.is_empty() {
            return false;
        }
        let text: Cow<'_, str> = match staged.texts.is_empty() {
            true => Cow::Borrowed(source.text()),
            false => {
                let lines = (0..source.len()).map(|i| staged.line(source, i).into_owned());
                Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
            }
        };
        for (n, (regex, unless, message)) in self.tell.iter().enumerate() {
            if !regex.is_match(&text) || unless.as_ref().is_some_and(|unless| unless.is_match(&text)) {
                continue;
            }
            if !proof.allows(message.claims) || claims::denies_warnings(&message.text, source.text()) {
                staged.unproven = true;
                return false;
            }
            staged.outcomes.fill(LineOutcome::Matched(n));
            staged.texts.clear();
            staged.message = Some(message.text.clone());
            return true;
        }
        false
    }

    fn truncate(&self, source: &Source<'_>, staged: &mut Staged) {
        let Some(width) = self.width else { return };
        for i in 0..source.len() {
            if !matches!(staged.outcomes[i], LineOutcome::Kept | LineOutcome::Rewritten(_)) {
                continue;
            }
            let line = staged.line(source, i);
            // A character has at least one byte.
            if line.len() <= width {
                continue;
            }
            let Some((at, _)) = line.char_indices().nth(width) else { continue };
            let count = line.len() - at;
            if count <= 2 * MARKER_COST {
                continue;
            }
            let reason = Reason::RuleCut.code().to_owned();
            let marker = Marker::Bytes { count, line: source.number(i), reason, id: None };
            let text = format!("{}{}", &line[..at], marker.write());
            let (before, reason) =
                staged.texts.get(&i).map_or((0, Reason::RuleCut), |(_, n, why)| (*n, *why));
            staged.texts.insert(i, (text, before + count, reason));
            if staged.outcomes[i] == LineOutcome::Kept {
                staged.outcomes[i] = LineOutcome::Truncated(count);
            }
        }
    }

    fn limit(&self, staged: &mut Staged) {
        let left = |staged: &Staged| {
            let all = staged.outcomes.iter().enumerate();
            all.filter(|(_, outcome)| outcome.is_shown()).map(|(i, _)| i).collect::<Vec<_>>()
        };
        if self.head.is_some() || self.tail.is_some() {
            let lines = left(staged);
            let head = self.head.unwrap_or(0).min(lines.len());
            let tail = self.tail.unwrap_or(0).min(lines.len() - head);
            for &i in &lines[head..lines.len() - tail] {
                staged.drop_line(i, LineOutcome::BetweenEnds);
            }
        }
        if let Some(max) = self.max {
            for &i in left(staged).iter().skip(max) {
                staged.drop_line(i, LineOutcome::OverMost);
            }
        }
    }

    fn on_empty(&self, source: &Source<'_>, proof: ExitFacts, staged: &mut Staged) {
        let Some(words) = &self.empty else { return };
        let is_left = |(i, outcome): (usize, &LineOutcome)| {
            *outcome == LineOutcome::Taken
                || (outcome.is_shown() && !staged.line(source, i).trim().is_empty())
        };
        if source.is_empty() || staged.outcomes.iter().enumerate().any(is_left) {
            return;
        }
        match proof.allows(words.claims) && !claims::denies_warnings(&words.text, source.text()) {
            true => staged.message = Some(words.text.clone()),
            false => staged.unproven = true,
        }
    }
}

impl Staged {
    /// A line in its current state.
    fn line<'a>(&'a self, source: &Source<'a>, i: usize) -> Cow<'a, str> {
        match self.texts.get(&i) {
            Some((text, ..)) => Cow::Owned(text.clone()),
            None => Cow::Borrowed(source.line(i)),
        }
    }

    fn drop_line(&mut self, i: usize, outcome: LineOutcome) {
        if !matches!(self.outcomes[i], LineOutcome::Failure | LineOutcome::Taken) {
            self.outcomes[i] = outcome;
            self.texts.remove(&i);
        }
    }

    /// The spans, with the rule's name in their markers.
    pub(super) fn reduction(&self, source: &Source<'_>, rule: &str) -> Result<Reduction, Reason> {
        let mut out = Reduction::default();
        if let Some(words) = &self.message {
            let is_whole = matches!(self.outcomes.first(), Some(LineOutcome::Matched(_)));
            let reason = if is_whole { Reason::RuleMatch } else { Reason::RuleLines };
            out.omit_named(0..source.len(), reason, 0, &format!("{rule}: {words}"));
            return Ok(out);
        }
        let mut i = 0;
        while i < self.outcomes.len() {
            let outcome = self.outcomes[i];
            let same = |f: &LineOutcome| match (outcome, f) {
                (
                    LineOutcome::Stripped(_) | LineOutcome::NotKept,
                    LineOutcome::Stripped(_) | LineOutcome::NotKept,
                ) => true,
                (
                    LineOutcome::BetweenEnds | LineOutcome::OverMost,
                    LineOutcome::BetweenEnds | LineOutcome::OverMost,
                ) => true,
                (a, b) => a == *b,
            };
            let end = match outcome {
                LineOutcome::Rewritten(_) | LineOutcome::Truncated(_) => i + 1,
                _ => i + self.outcomes[i..].iter().take_while(|f| same(f)).count(),
            };
            match outcome {
                LineOutcome::Kept | LineOutcome::Failure | LineOutcome::Taken => {}
                LineOutcome::Rewritten(_) | LineOutcome::Truncated(_) => self.write(rule, i, &mut out),
                LineOutcome::Stripped(_) | LineOutcome::NotKept => {
                    out.omit_named(i..end, Reason::RuleLines, 1, rule)
                }
                LineOutcome::BetweenEnds | LineOutcome::OverMost => {
                    out.omit_named(i..end, Reason::RuleLimit, 2, rule)
                }
                LineOutcome::Matched(_) => out.omit_named(i..end, Reason::RuleMatch, 0, rule),
            }
            i = end;
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }

    /// Writes a changed line. If it contains words of the rule, it ends with a marker that names the rule, so that a
    /// quotation of the line shows this too.
    fn write(&self, rule: &str, i: usize, out: &mut Reduction) {
        let Some((text, bytes, reason)) = self.texts.get(&i) else { return };
        let mut text = text.clone();
        if *reason == Reason::RuleRewrite {
            let blank = if text.is_empty() || text.ends_with([' ', '\t']) { "" } else { " " };
            text.push_str(blank);
            text.push_str(&Marker::ByRule { rule: rule.to_owned() }.write());
        }
        out.cut_into(i..i + 1, text, *reason, *bytes);
    }
}

fn words(field: &str, text: &str) -> Result<Words, RuleError> {
    let reason = match () {
        () if text.trim().is_empty() || text.len() > MAX_MESSAGE_BYTES => {
            format!("has {} bytes, allowed are 1 to {MAX_MESSAGE_BYTES}", text.len())
        }
        () if text.chars().any(|c| c.is_control() || matches!(c, '[' | ']')) => {
            format!(
                "`{}` holds a control character, `[` or `]`, which a marker cannot hold",
                text.escape_debug()
            )
        }
        () => return Ok(Words { text: text.trim().to_owned(), claims: claims::claim(text).is_some() }),
    };
    Err(RuleError::new(field, reason))
}

/// A replacement may only name existing groups, and must not look like a marker.
fn check_template(field: &str, template: &str, regex: &Regex) -> Result<(), RuleError> {
    if template.chars().any(char::is_control) {
        return Err(RuleError::new(
            field,
            format!("`{}` holds a control character", template.escape_debug()),
        ));
    }
    let is_open = ["[tersed", "[Duplicate of", "[EXTERNALIZED"].iter().any(|open| template.contains(open));
    if is_open || marker::escape(template, |_| false, |_| false).is_some() {
        return Err(RuleError::new(field, format!("`{template}` looks like a marker")));
    }
    let names: Vec<&str> = regex.capture_names().flatten().collect();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            rest = after;
            continue;
        }
        let name = match rest.strip_prefix('{') {
            Some(braced) => braced.split('}').next().unwrap_or_default(),
            None => {
                let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                &rest[..len]
            }
        };
        let is_known = match name.parse::<usize>() {
            Ok(n) => n < regex.captures_len(),
            Err(_) => names.contains(&name),
        };
        if !is_known && !name.is_empty() {
            let reason = format!(
                "`${name}` is not a group of the pattern, which has {}; write `${{1}}x` for `$1` before letters",
                regex.captures_len() - 1
            );
            return Err(RuleError::new(field, reason));
        }
    }
    Ok(())
}
