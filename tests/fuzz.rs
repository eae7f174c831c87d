//! The targets of `fuzz/` without a fuzzer: seeds, and changes of them that are the same in every run. One test per
//! target. `FUZZ_RUNS` is the number of changes. `FUZZ_LAST` names a file to which each input is written before it
//! runs.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::panic::{AssertUnwindSafe, catch_unwind};

use fuzz::{TARGETS, Target};
use libtest_mimic::{Arguments, Failed, Trial};

/// Changes that a commit can wait for.
const RUNS: usize = 200;

fn main() {
    let trials = TARGETS.iter().map(|target| Trial::test(target.name, move || check(target))).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn check(target: &Target) -> Result<(), Failed> {
    let runs = std::env::var("FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty());
    // Any number: runs are to be alike.
    let mut rng = fastrand::Rng::with_seed(7);
    let changed = (0..runs).map(|_| fuzz::mutate::mutated(&mut rng, &seeds, target.words));
    for data in seeds.iter().cloned().chain(changed) {
        if let Ok(file) = std::env::var("FUZZ_LAST") {
            // After a crash of the process, only this file shows which input caused it.
            std::fs::write(file, &data)?;
        }
        catch_unwind(AssertUnwindSafe(|| (target.run)(&data))).map_err(|_| {
            let shown = String::from_utf8_lossy(&data);
            format!("{}: {}", target.about, shown.escape_debug())
        })?;
    }
    Ok(())
}
