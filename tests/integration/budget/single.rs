//! One result under a budget.

use tersed::config::{Budget, DictionaryMethod, Mode, Policy, Structured};
use tersed::pipeline::evidence::BudgetUse;
use tersed::pipeline::evidence::Rung;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::marker::Marker;
use tersed::text::reason::Reason;
use tersed::tokens::{self, Tokenizer};

use super::common::{Dice, Sample, numbered, samples};

fn policy(per_result: usize) -> Policy {
    Policy {
        min_bytes: 0,
        budget: Budget { per_result: Some(per_result), ..Budget::NONE },
        ..Policy::default()
    }
}

fn run(call: &ToolCall, text: &str, policy: &Policy) -> Outcome {
    compress(call, &[Raw::Text(text)], policy, false, &NoHistory).unwrap()
}

fn count(text: &str) -> usize {
    tokens::counter(Tokenizer::O200k).count(text)
}

fn used(outcome: &Outcome) -> &BudgetUse {
    outcome.evidence.budget.as_ref().unwrap()
}

/// Markers in a text for lines that are left out for a budget.
fn cuts(text: &str) -> usize {
    text.lines()
        .filter(|line| {
            matches!(Marker::parse(line), Some((Marker::Lines { reason: Some(reason), .. }, _)) if reason == "budget")
        })
        .count()
}

/// Markers that follow each other directly, which a reader would take for two gaps.
fn stacked(text: &str) -> bool {
    let is_gap = |line: &&str| matches!(Marker::parse(line), Some((Marker::Lines { .. }, _)));
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).any(|pair| pair.iter().all(is_gap) && pair.iter().any(|l| l.contains(", budget")))
}

#[test]
fn every_sample_lands_under_every_budget() {
    let mut dice = Dice(11);
    let mut cut = 0;
    for sample in samples().iter().filter(|s| count(&s.text) > 200) {
        let Sample { name, text, .. } = sample;
        let call = sample.call();
        let all = count(text);
        {
            let budget = 60 + dice.below(all);
            let outcome = run(&call, text, &policy(budget));
            let out = outcome.texts.concat();
            assert_eq!(outcome.evidence.tokens.after, count(&out), "{name} {budget}");
            assert!(count(&out) <= budget, "{name}: {} over {budget}\n{out}", count(&out));
            assert!(used(&outcome).met && used(&outcome).why.is_none());
            assert!(cuts(&out) <= 1, "{name} {budget}\n{out}");
            assert!(!stacked(&out), "{name} {budget}\n{out}");
            // Look-alikes of markers are escaped, with one byte each, which may make the text longer.
            let escapes = out.matches("\\[").count().saturating_sub(text.matches("\\[").count());
            assert!(out.len() <= text.len() + escapes, "{name} {budget}");
            cut += usize::from(used(&outcome).rung.cut);
            // A second pass with the same budget changes nothing. A text without a marker is too small to be
            // examined.
            let min_bytes = if out.ends_with("[...truncated]") { 1024 } else { 0 };
            let again = run(&call, &out, &Policy { min_bytes, ..policy(budget) });
            assert_eq!(again.texts.concat(), out, "{name} {budget}");
        }
    }
    assert!(cut > 200, "{cut}");
}

#[test]
fn failures_come_first_then_totals_then_the_ends() {
    let text = numbered(4000, |i| match i {
        1700 => "error: the disk at /dev/sda1 is full".to_owned(),
        1701 => "  expected: 12 blocks".to_owned(),
        1702 => "  actual: 0 blocks".to_owned(),
        3100 => "12 passed, 1 failed in 3.2s".to_owned(),
        _ => format!("step {i} of the work went on as it should, nothing to say"),
    });
    let call = ToolCall { tool: "bash".into(), exit_code: Some(3), ..ToolCall::default() };
    for budget in [110, 200, 1000] {
        // The ends are looked for as they were written.
        let policy = Policy { dictionary: DictionaryMethod::None, ..policy(budget) };
        let outcome = run(&call, &text, &policy);
        let out = outcome.texts.concat();
        for line in
            ["error: the disk at /dev/sda1 is full", "12 passed, 1 failed in 3.2s", "  expected: 12 blocks"]
        {
            assert!(out.contains(line), "{budget}\n{out}");
        }
        assert!(out.contains("[tersed: exit status 3]"), "{out}");
        assert_eq!(cuts(&out), 1, "{out}");
        assert!(out.starts_with("step 1 of") || out.starts_with("[tersed#"), "{out}");
        assert!(count(&out) <= budget && count(&out) * 10 >= budget * 7, "{} of {budget}", count(&out));
    }
}

#[test]
fn every_failure_line_that_fits_is_kept() {
    let text = numbered(3000, |i| match i % 100 {
        50 => format!("src/file{i}.rs:{i}:7: error: name_{i} is not known here"),
        _ => format!("compiled part {i} of three thousand without a word"),
    });
    let failures: Vec<&str> = text.lines().filter(|line| line.contains("error:")).collect();
    let need = count(&(failures.join("\n") + "\n"));
    for budget in [need + 60, need * 2] {
        let out = run(&ToolCall::default(), &text, &policy(budget)).texts.concat();
        assert!(failures.iter().all(|line| out.contains(line)), "{budget}\n{out}");
    }
    // Where not all fit, nearly all of the budget is theirs.
    let out = run(&ToolCall::default(), &text, &policy(need / 2)).texts.concat();
    let kept = failures.iter().filter(|line| out.contains(*line)).count();
    assert!(kept * 2 >= failures.len() - 8, "{kept} of {}", failures.len());
}

#[test]
fn what_fits_is_left_to_the_mode() {
    let text = numbered(40, |i| format!("line {i} is short"));
    let outcome = run(&ToolCall::default(), &text, &policy(count(&text)));
    assert_eq!(outcome.texts.concat(), text);
    let expected = Rung { mode: Mode::Standard, ..Rung::default() };
    let all = count(&text);
    let expected = BudgetUse { tokens: all, met: true, rung: expected, ..BudgetUse::default() };
    assert_eq!(used(&outcome), &expected);
}

#[test]
fn the_highest_mode_is_a_limit_of_its_own() {
    let text = numbered(900, |i| format!("line {i} says something of its own: {}", i * 7919 % 1009));
    for max_mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
        let policy = Policy { mode: Mode::Safe, max_mode, ..policy(300) };
        let outcome = run(&ToolCall::default(), &text, &policy);
        assert!(used(&outcome).met && used(&outcome).rung.mode <= max_mode, "{:?}", used(&outcome));
        assert!(outcome.evidence.mode <= max_mode);
    }
    // A mode above `max_mode` applies if the caller chose it.
    let policy = Policy { mode: Mode::Aggressive, max_mode: Mode::Safe, ..policy(300) };
    assert_eq!(used(&run(&ToolCall::default(), &text, &policy)).rung.mode, Mode::Aggressive);
}

#[test]
fn what_stays_exact_says_why_it_is_over() {
    let text = numbered(300, |i| format!("line {i}"));
    let disabled = Policy { mode: Mode::Disabled, ..policy(50) };
    let excluded = Policy { exclude_tools: vec!["read".into()], ..policy(50) };
    let call = ToolCall { tool: "read".into(), ..ToolCall::default() };
    for (policy, full, why) in [
        (&disabled, false, Reason::ModeDisabled),
        (&excluded, false, Reason::ExcludedTool),
        (&policy(50), true, Reason::FullOutput),
    ] {
        let outcome = compress(&call, &[Raw::Text(&text)], policy, full, &NoHistory).unwrap();
        assert_eq!(outcome.texts.concat(), text);
        assert!(!used(&outcome).met);
        assert_eq!(used(&outcome).why, Some(why));
    }
}

#[test]
fn where_not_even_a_marker_fits_the_text_is_cut_inside() {
    let text = numbered(200, |i| format!("line {i} is short"));
    for budget in [6, 10, 20] {
        let outcome = run(&ToolCall::default(), &text, &policy(budget));
        let out = outcome.texts.concat();
        assert!(
            out.ends_with(" [...truncated]") && text.starts_with(out.trim_end_matches(" [...truncated]")),
            "{out}"
        );
        assert!(count(&out) <= budget, "{} {out}", count(&out));
        let hidden: usize = outcome.evidence.omissions.iter().map(|o| o.count).sum();
        let shown = out.trim_end_matches(" [...truncated]").lines().count();
        assert_eq!(hidden + shown, 200, "{:?}", outcome.evidence.omissions);
        assert!(used(&outcome).met);
    }
    let outcome = run(&ToolCall::default(), &text, &policy(1));
    assert_eq!(outcome.texts.concat(), "[...truncated]");
    assert_eq!((used(&outcome).met, used(&outcome).why), (false, Some(Reason::BudgetTooSmall)));
    // A stub shows the first failure.
    let text = text.replace("line 120 is short", "error: no space");
    let out = run(&ToolCall::default(), &text, &policy(12)).texts.concat();
    assert!(out.starts_with("error: no space"), "{out}");
    // Wide characters are never cut inside.
    let wide = "日本語のテキスト、".repeat(200);
    let out = run(&ToolCall::default(), &wide, &policy(15)).texts.concat();
    assert!(count(&out) <= 15 && out.ends_with(" [...truncated]"), "{out}");
}

#[test]
fn one_long_line_is_cut_around_its_failure() {
    let words: String = (0..4000).map(|i| format!("w{} ", i * 31 % 997)).collect();
    let text = format!("{words}error: the pipe broke at 77 {words}");
    let outcome = run(&ToolCall::default(), &text, &policy(200));
    let out = outcome.texts.concat();
    assert!(out.contains("error: the pipe broke at 77") && out.starts_with("w0 w31"), "{out}");
    assert!(count(&out) <= 200 && out.contains("bytes of line 1, budget]"), "{out}");
    assert!(outcome.evidence.omissions.iter().all(|o| o.reason == Reason::Budget && o.bytes > 0));
}

#[test]
fn json_stays_json_unless_it_may_be_plain() {
    let items: Vec<String> = (0..600)
        .map(|i| match i {
            311 => "  {\"id\": 311, \"error\": \"timeout after 30 s\"}".to_owned(),
            _ => format!("  {{\"id\": {i}, \"name\": \"item number {}\"}}", i * 7919 % 1009),
        })
        .collect();
    let text = format!("[\n{}\n]\n", items.join(",\n"));
    for budget in [30, 120, 900] {
        let parseable = Policy { structured: Structured::Parseable, ..policy(budget) };
        let outcome = run(&ToolCall::default(), &text, &parseable);
        let out = outcome.texts.concat();
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{budget} {out}");
        assert!(count(&out) <= budget && used(&outcome).met, "{budget}");
        if budget > 100 {
            assert!(out.contains("timeout after 30 s"), "{budget} {out}");
        }
        let again = run(&ToolCall::default(), &out, &parseable).texts.concat();
        assert_eq!(again, out);
        let plain = Policy { structured: Structured::Plain, ..policy(budget) };
        let out = run(&ToolCall::default(), &text, &plain).texts.concat();
        assert!(count(&out) <= budget, "{budget} {out}");
    }
}

#[test]
fn what_was_cut_and_is_cut_again_has_one_marker() {
    let text = numbered(5000, |i| match i {
        2500 => "error: number 2500 is bad".to_owned(),
        _ => format!("line {i} has words of its own {}", i * 7919 % 1009),
    });
    let once = run(&ToolCall::default(), &text, &policy(1000)).texts.concat();
    let twice = run(&ToolCall::default(), &once, &policy(400)).texts.concat();
    assert_eq!((cuts(&once), cuts(&twice)), (1, 1), "{twice}");
    assert_eq!(twice.matches("[tersed").count(), 1, "{twice}");
    assert!(twice.contains("error: number 2500 is bad") && count(&twice) <= 400, "{twice}");
    // A byte cap before it, and the cut by tokens: one marker for both.
    let capped = Policy { max_output_bytes: 20_000, strict_cap: true, ..policy(300) };
    let out = run(&ToolCall::default(), &text, &capped).texts.concat();
    assert_eq!(out.matches("[tersed").count(), 1, "{out}");
}

#[test]
fn parts_share_the_budget() {
    let big = numbered(900, |i| format!("out {i} has words of its own {}", i * 7919 % 1009));
    let small = "warning: one thing\nerror: another thing\n";
    let parts = [Raw::Text(&big), Raw::Text(small)];
    let outcome = compress(&ToolCall::default(), &parts, &policy(200), false, &NoHistory).unwrap();
    assert_eq!(outcome.texts[1], small);
    let sum: usize = outcome.texts.iter().map(|text| count(text)).sum();
    assert!(sum <= 200 && sum == outcome.evidence.tokens.after, "{sum}");
    assert!(outcome.texts[0].contains(", budget]"));
}

#[test]
fn a_failure_inside_a_repeated_block_is_kept_where_the_block_is_too_long() {
    let block: String = (0..9)
        .map(|i| match i {
            4 => "Retrying since the service said InternalServerError: overloaded\n".to_owned(),
            _ => {
                format!(
                    "step {i} of the loop says many words that nobody has to read again, such as these: {}\n",
                    "more of it ".repeat(4)
                )
            }
        })
        .collect();
    let text = format!("Starting the loop\n{}The loop goes on\n", block.repeat(3));
    let line = "Retrying since the service said InternalServerError: overloaded";
    for budget in [80, 120, 250] {
        for mode in [Mode::Standard, Mode::Aggressive] {
            let outcome = run(&ToolCall::default(), &text, &Policy { mode, ..policy(budget) });
            let out = outcome.texts.concat();
            assert!(out.contains(line), "{budget}\n{out}");
            assert!(count(&out) <= budget, "{budget}\n{out}");
            assert_eq!(outcome.evidence.guard.kept, outcome.evidence.guard.signals);
        }
    }
}
