//! One result under a budget.

use tersed::config::{Budget, Mode, Policy, Structured};
use tersed::pipeline::budget::Rung;
use tersed::pipeline::call::ToolCall;
use tersed::pipeline::dedup::NoHistory;
use tersed::pipeline::evidence::BudgetUse;
use tersed::pipeline::marker::Marker;
use tersed::pipeline::reason::Reason;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::tokens::{self, Tokenizer};

use crate::common::{Dice, Sample, numbered, samples};

fn policy(per_result: usize) -> Policy {
    Policy {
        min_bytes: 0,
        budget: Budget { per_result: Some(per_result), total: None },
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

/// Markers of a text that say that lines are left out for a budget.
fn cuts(text: &str) -> usize {
    text.lines()
        .filter(|line| {
            matches!(Marker::parse(line), Some((Marker::Lines { reason, .. }, _)) if reason == "budget")
        })
        .count()
}

/// Markers that follow each other directly, which a reader would take for two gaps.
fn stacked(text: &str) -> bool {
    let is_gap = |line: &&str| matches!(Marker::parse(line), Some((Marker::Lines { .. }, _)));
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).any(|pair| pair.iter().all(|line| is_gap(line)) && pair.iter().any(|l| l.contains(", budget")))
}

#[test]
fn every_sample_lands_under_every_budget() {
    let mut dice = Dice(11);
    let mut cut = 0;
    for sample in samples().iter().filter(|s| count(&s.text) > 200) {
        let Sample { name, text, .. } = sample;
        let call = sample.call();
        let all = count(text);
        for _ in 0..2 {
            let budget = 60 + dice.below(all);
            let outcome = run(&call, text, &policy(budget));
            let out = outcome.texts.concat();
            assert_eq!(outcome.evidence.tokens.after, count(&out), "{name} {budget}");
            assert!(count(&out) <= budget, "{name}: {} over {budget}\n{out}", count(&out));
            assert!(used(&outcome).met && used(&outcome).why.is_none());
            assert!(cuts(&out) <= 1, "{name} {budget}\n{out}");
            assert!(!stacked(&out), "{name} {budget}\n{out}");
            assert!(out.len() <= text.len(), "{name} {budget}");
            cut += usize::from(used(&outcome).rung.cut);
            // Again with the same budget, nothing happens.
            let again = run(&call, &out, &policy(budget));
            assert_eq!(again.texts.concat(), out, "{name} {budget}");
        }
    }
    assert!(cut > 200, "{cut}");
}
