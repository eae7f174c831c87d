//! The entry point for libFuzzer: runs the target that `FUZZ_TARGET` names. Without one it lists them; with
//! `FUZZ_SEEDS` it writes the target's seeds into that folder.

#![no_main]

use std::sync::OnceLock;

use tersed_fuzz::{TARGETS, Target};

static CHOSEN: OnceLock<&Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(init: choose(), |data: &[u8]| {
    if let Some(target) = CHOSEN.get() {
        (target.run)(data);
    }
});

fn choose() {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        for target in TARGETS {
            println!("{:24} {}", target.name, target.about);
        }
        std::process::exit(if name.is_empty() { 0 } else { 2 });
    };
    if let Ok(folder) = std::env::var("FUZZ_SEEDS") {
        for (i, seed) in (target.seeds)().iter().enumerate() {
            if let Err(error) = std::fs::write(format!("{folder}/seed-{i:04}"), seed) {
                eprintln!("{folder}: {error}");
                std::process::exit(1);
            }
        }
        std::process::exit(0);
    }
    let _ = CHOSEN.set(target);
}

