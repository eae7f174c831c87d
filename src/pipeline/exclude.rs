//! Finds what a policy excludes, by call, by kind of output, and by step.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::INPUT_LIMIT;
use crate::config::{Category, Policy};
use crate::detect;
use crate::detect::command::{CommandLine, Simple};
use crate::detect::sections;
use crate::input::Input;
use crate::reduce;
use crate::sanitize::Sanitized;
use crate::text::call::ToolCall;
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::source::Source;

/// Most stretches of a text whose kind is determined. Bounds the work.
const MAX_STRETCHES: usize = 24;

/// The rule about the call that keeps its result exact, if one does.
pub(super) fn by_call(call: &ToolCall, policy: &Policy) -> Option<Reason> {
    if !policy.exclude_tool_substrings.is_empty() {
        let tool = call.tool.to_lowercase();
        if policy.exclude_tool_substrings.iter().any(|part| tool.contains(part.as_str())) {
            return Some(Reason::ExcludedToolSubstring);
        }
    }
    let command = call.command.as_deref()?;
    if policy.exclude_categories.contains(&Category::Command) {
        return Some(Reason::ExcludedCategory);
    }
    if policy.exclude_commands.is_empty() && policy.exclude_flags.is_empty() {
        return None;
    }
    let line = detect::read_command(call, command);
    if runs_one_of(&line, &policy.exclude_commands) {
        return Some(Reason::ExcludedCommand);
    }
    let flags: Vec<&str> = policy.exclude_flags.iter().map(String::as_str).collect();
    let mut shown = line.pipelines.iter().filter(|pipeline| pipeline.is_shown()).flatten();
    let has_flag = !flags.is_empty() && shown.any(|simple| simple.has_flag(&flags));
    has_flag.then_some(Reason::ExcludedFlag)
}

/// Whether the lines of the result have to be shown as they are, where they are shown.
pub(super) fn is_verbatim(call: &ToolCall, policy: &Policy) -> bool {
    let command = call.command.as_deref().filter(|_| !policy.verbatim_commands.is_empty());
    command
        .is_some_and(|command| runs_one_of(&detect::read_command(call, command), &policy.verbatim_commands))
}

/// Whether one of the commands is the start of a program call in `line` whose output is shown.
fn runs_one_of(line: &CommandLine, commands: &[String]) -> bool {
    commands.iter().any(|command| {
        let wanted = CommandLine::parse(command);
        let Some(wanted) = wanted.pipelines.first().and_then(|pipeline| pipeline.first()) else {
            return false;
        };
        let wanted = words(wanted);
        line.producers().any(|(simple, _)| {
            let words = words(simple);
            words.len() >= wanted.len() && words.iter().zip(&wanted).all(|(a, b)| a == b)
        })
    })
}

/// The words of a command; for git without the options before its subcommand, as in `git -C web diff`.
fn words(simple: &Simple) -> Vec<&str> {
    let words: Vec<&str> = simple.argv.iter().map(String::as_str).collect();
    let Some(of_git) = simple.git_subcommand() else { return words };
    let at = words.iter().position(|word| *word == of_git).unwrap_or(1);
    std::iter::once("git").chain(words[at..].iter().copied()).collect()
}

/// Whether the policy excludes the category of the texts, which follows from the call or from their grammar.
pub(super) fn by_category(call: &ToolCall, policy: &Policy, parts: &[Sanitized]) -> bool {
    let excluded = &policy.exclude_categories;
    if excluded.is_empty() {
        return false;
    }
    let is_one = |family: &str| excluded.iter().any(|category| category.name() == family);
    let relevance = Relevance::new(None, &[], &[]);
    parts.iter().filter(|part| part.binary.is_none()).any(|part| {
        let source = Source::new(&part.text);
        let whole = detect::detect(call, &source);
        if whole.shape.family().is_some_and(is_one) {
            return true;
        }
        if part.text.len() > INPUT_LIMIT {
            return false;
        }
        sections::sections(&whole.command, &source).into_iter().take(MAX_STRETCHES).any(|section| {
            let lines = source.part_of(section.lines.clone());
            let detection = detect::of_command(call, section.command, &lines);
            let input = Input { source: &lines, call, detection: &detection, policy, relevance: &relevance };
            let chosen = catch_unwind(AssertUnwindSafe(|| reduce::choose(&input))).unwrap_or_default();
            chosen.is_some_and(|reducer| is_one(reducer.meta().family))
                || detection.shape.family().is_some_and(is_one)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::methods;
    use crate::{elide, encode};

    #[test]
    fn every_family_is_a_category() {
        for reducer in reduce::all() {
            let name = serde_json::Value::from(reducer.meta().family);
            let category: Category = serde_json::from_value(name).unwrap();
            assert_eq!(category.name(), reducer.meta().family);
        }
    }

    /// Settings and rules have a list of the names of methods, which must be complete.
    #[test]
    fn the_names_of_methods_are_those_of_the_methods() {
        let reducers: Vec<_> =
            reduce::all().map(|reducer| (reducer.meta().id, reducer.meta().family)).collect();
        assert_eq!(reducers, methods::REDUCERS);
        let encoders: Vec<_> = encode::ENCODERS.iter().map(|encoder| encoder.id()).collect();
        assert_eq!(encoders, methods::ENCODERS);
        assert!(methods::STEPS.contains(&elide::ID));
    }
}
