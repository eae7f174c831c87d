//! How the time to compress texts of triggers grows when they get four times as long.
//!
//! Some steps run only on larger texts, and valgrind would take an hour for them. So this test measures
//! the processor time of its thread, never elapsed time, and checks only its growth: linear work takes four times as
//! long, quadratic work sixteen times. If a time seems to grow too much, it is measured again, and the smallest one
//! counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tersed::config::{Mode, Policy};
use tersed::text::call::ToolCall;

use crate::search::{self, call, run, time};
use crate::shapes;
use crate::texts::{self, repeated};

/// Bytes of the smaller text, and how much longer the other is.
const SMALL: usize = 40 << 10;
const TIMES: usize = 4;
/// How much more the longer one may take: between linear and quadratic.
const GROWTH: f64 = 8.5;
/// Tries before growth counts.
const TRIES: usize = 4;
/// Growth is not checked if the longer text takes less than this, in milliseconds.
const LEAST: f64 = 40.0;

/// How the time grows, and how long the longer text takes.
fn growth(call: &ToolCall, policy: &Policy, text: &dyn Fn(usize) -> String) -> (f64, f64) {
    let took = |bytes: usize| {
        let text = text(bytes);
        time(|| run(call, policy, &text))
    };
    let mut growth = (0.0, 0.0);
    // A limit that only a longer text exceeds may make the small one cheap, so growth must continue with longer texts.
    for bytes in [SMALL, SMALL * TIMES] {
        let (mut small, mut large) = (f64::MAX, f64::MAX);
        for _ in 0..TRIES {
            (small, large) = (small.min(took(bytes)), large.min(took(bytes * TIMES)));
            if large < LEAST || large / small <= GROWTH {
                return (large / small, large);
            }
        }
        growth = (large / small, large);
    }
    growth
}

#[test]
#[ignore = "takes minutes"]
fn growth_of_hostile_texts_is_linear() {
    let none = call(None, None);
    let of = |mode| (none.clone(), Policy { mode, ..Policy::default() });
    let mut cases: Vec<(String, (ToolCall, Policy), String)> = Vec::new();
    for opening in texts::OPENINGS {
        cases.push((format!("opening {opening:?}"), of(Mode::Aggressive), (*opening).to_owned()));
    }
    let mut bad = Vec::new();
    let mut check = |name: &str, (call, policy): &(ToolCall, Policy), text: &dyn Fn(usize) -> String| {
        let (growth, large) = growth(call, policy, text);
        if large >= LEAST && growth > GROWTH {
            bad.push(format!("{growth:6.1} {large:8.0} ms {} {name}", policy.mode.name()));
        }
    };
    for shape in shapes::TEXTS {
        let named = call(shape.path, shape.command);
        check(shape.name, &of(Mode::Safe), &shape.text);
        check(shape.name, &(named, Policy { mode: Mode::Aggressive, ..Policy::default() }), &shape.text);
    }
    let mut reducers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for trigger in texts::of_reducers() {
        reducers.entry(trigger.from).or_default().push(trigger.text);
    }
    for (reducer, anchors) in reducers {
        cases.push((reducer, of(Mode::Standard), anchors.join("\n") + "\n"));
    }
    // For each reader, one text that it reads, repeated.
    let mut readers: BTreeSet<PathBuf> = BTreeSet::new();
    for (case, text) in texts::of_fixtures() {
        if case.parent().is_some_and(|reader| readers.insert(reader.to_owned())) {
            let text = String::from_utf8_lossy(&text).into_owned();
            cases.push((case.display().to_string(), search::fixture(&case, Mode::Standard), text));
        }
    }
    for (name, of, piece) in cases {
        check(&name, &of, &|bytes| repeated(&piece, "{}", bytes));
    }
    assert!(bad.is_empty(), "growth by {TIMES}, time:\n{}", bad.join("\n"));
}
