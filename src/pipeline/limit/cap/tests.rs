//! Tests of `cap`.

use super::*;
use crate::text::marker::Marker;

fn capped(text: &str, signals: &[usize], bytes: usize, strict: bool) -> (String, usize) {
    let source = Source::new(text);
    let cap =
        Cap { bytes, strict, reason: Reason::OutputCap, samples: false, outliers: false, names: usize::MAX };
    let ledger = apply(&source, &Ledger::new(&source), signals, cap).unwrap();
    let out = ledger.render(&source, None);
    let markers = out.matches("[tersed").count();
    (out, markers)
}

fn log(lines: usize, failures: &[usize]) -> (String, Vec<usize>) {
    let line = |i: usize| {
        if failures.contains(&i) {
            format!("error: number {i} is bad\n")
        } else {
            format!("line {i} is fine\n")
        }
    };
    ((0..lines).map(line).collect(), failures.to_vec())
}

#[test]
fn head_tail_and_failures_stay() {
    let (text, signals) = log(5000, &[2000, 2001, 3000, 3500]);
    let (out, markers) = capped(&text, &signals, 4000, true);
    assert!(out.len() <= 4000 && markers <= 2, "{} {markers}", out.len());
    for i in [2000, 2001, 3000, 3500] {
        assert!(out.contains(&format!("number {i} ")), "{out}");
    }
    assert!(out.starts_with("line 0 ") && out.ends_with("line 4999 is fine\n"));
}

#[test]
fn the_default_cap_gives_way_to_failures() {
    let all: Vec<usize> = (0..5000).filter(|i| i % 3 == 0).collect();
    let (text, signals) = log(5000, &all);
    let (strict, markers) = capped(&text, &signals, 4000, true);
    assert!(strict.len() <= 4000 && markers <= 2, "{} {markers}", strict.len());
    let (soft, markers) = capped(&text, &signals, 4000, false);
    assert!(markers <= 2 && all.iter().all(|i| soft.contains(&format!("number {i} "))));
}

#[test]
fn failures_that_say_something_new_have_context() {
    let line = |i: usize| match i {
        2000 | 2001 | 3000 => format!("error: number {i} is bad\n"),
        3500 => "fatal: the disk is full\n".to_owned(),
        _ => format!("line {i} is fine\n"),
    };
    let text: String = (0..5000).map(line).collect();
    let (out, markers) = capped(&text, &[2000, 2001, 3000, 3500], 6000, true);
    assert!(out.len() <= 6000 && markers <= 2, "{} {markers}", out.len());
    for around in [1998, 1999, 3498, 3499, 3501, 3502] {
        assert!(out.contains(&format!("line {around} is")), "{around}\n{out}");
    }
    // The same failure a third time.
    assert!(!out.contains("line 2999 is") && !out.contains("line 3001 is"), "{out}");
}

#[test]
fn samples_are_spread_and_new() {
    // Words without digits, so that no two lines are alike but every tenth.
    let word = |mut i: usize| {
        let mut word = String::new();
        while i > 0 {
            word.push(char::from(b'a' + (i % 26) as u8));
            i /= 26;
        }
        word
    };
    let line = |i: usize| {
        if i.is_multiple_of(10) { "the same\n".to_owned() } else { format!("says {}\n", word(i + 30)) }
    };
    let text: String = (0..5000).map(line).collect();
    let source = Source::new(&text);
    let cap =
        Cap { bytes: 4000, strict: false, reason: Reason::HeadTail, samples: true, outliers: true, names: 0 };
    let ledger = apply(&source, &Ledger::new(&source), &[], cap).unwrap();
    let out = ledger.render(&source, None);
    assert!(out.len() <= 4000 && out.matches("[tersed").count() == 1, "{out}");
    let middle: Vec<usize> = ledger.kept().filter(|kept| kept.len() == 1).map(|kept| kept.start).collect();
    assert!(middle.len() >= MAX_SAMPLES - 1, "{middle:?}");
    assert!(middle.windows(2).all(|w| (200..800).contains(&(w[1] - w[0]))), "{middle:?}");
    assert!(middle.iter().all(|&i| source.line(i) != "the same"));
}

#[test]
fn names_have_a_limit_that_shows() {
    let line = |i: usize| match i % 20 {
        0 => format!("let field_{i}_x = open_{i}_y();\n"),
        _ => "words that name nothing at all\n".to_owned(),
    };
    let text: String = (0..3000).map(line).collect();
    let source = Source::new(&text);
    let named = |names: usize| {
        let cap = Cap {
            bytes: 4000,
            strict: false,
            reason: Reason::HeadTail,
            samples: false,
            outliers: false,
            names,
        };
        apply(&source, &Ledger::new(&source), &[], cap).unwrap().render(&source, None)
    };
    assert!(named(usize::MAX).len() > 6000);
    let some = named(500);
    assert!(some.contains(" ...]") && some.len() < 4600, "{}", some.len());
    assert!(named(0).contains("head_tail]"));
}

#[test]
fn two_caps_keep_their_markers_apart() {
    let all: Vec<usize> = (0..5000).filter(|i| i % 3 == 0).collect();
    let (text, signals) = log(5000, &all);
    let source = Source::new(&text);
    let mut ledger = Ledger::new(&source);
    for (bytes, reason) in [(9000, Reason::HeadTail), (4000, Reason::OutputCap)] {
        ledger = apply(
            &source,
            &ledger,
            &signals,
            Cap { bytes, strict: false, reason, samples: false, outliers: false, names: usize::MAX },
        )
        .unwrap();
    }
    let out = ledger.render(&source, None);
    let marked: usize = out
        .lines()
        .filter_map(|l| match Marker::parse(l) {
            Some((Marker::Lines { count, .. }, _)) => Some(count),
            _ => None,
        })
        .sum();
    assert_eq!(marked, ledger.gaps(&source).iter().map(|g| g.count).sum::<usize>());
}

#[test]
fn one_long_line_is_cut_around_its_failure() {
    let text = format!("{} error: here{}", "a".repeat(100_000), "b".repeat(100_000));
    let (out, markers) = capped(&text, &[0], 5000, true);
    assert!(out.len() <= 5000 && out.contains("error: here") && markers == 2, "{}", out.len());
    let (plain, markers) = capped(&"x".repeat(100_000), &[], 5000, true);
    assert!(plain.len() <= 5000 && markers == 1, "{}", plain.len());
}
