//! What texts made of triggers cost, against ordinary text of the same size: see `fuzz/steps`.
//!
//! Fails when one costs more than eight times as much, or when its cost grows faster than its size. The texts are made of
//! the tables of the program itself, so that a new rule, marker or reducer is covered as soon as it is there.

mod hostile;

use std::collections::BTreeMap;
use std::process::ExitCode;

use tersed::config::{Mode, Policy};
use tersed::pipeline::call::ToolCall;
use tersed::pipeline::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use hostile::Text;

/// How many times the steps of ordinary text a text may cost.
const MOST: f64 = 8.0;
/// Bytes of a text, where `--bytes` says nothing else; growth is measured from a quarter of it.
const BYTES: usize = 64 << 10;
/// How much more than four times the steps four times the size may cost.
const GROWTH: f64 = 1.6;

mod counter {
    //! The count of calls that the compiler put into the program.

    use std::arch::global_asm;

    #[unsafe(no_mangle)]
    static mut TERSED_STEPS: u64 = 0;

    #[cfg(target_arch = "x86_64")]
    global_asm!(
        ".globl __sanitizer_cov_trace_pc",
        "__sanitizer_cov_trace_pc:",
        "inc qword ptr [rip + TERSED_STEPS]",
        "ret",
    );

    #[cfg(target_arch = "aarch64")]
    global_asm!(
        ".globl __sanitizer_cov_trace_pc",
        "__sanitizer_cov_trace_pc:",
        "adrp x16, TERSED_STEPS",
        "ldr x17, [x16, :lo12:TERSED_STEPS]",
        "add x17, x17, #1",
        "str x17, [x16, :lo12:TERSED_STEPS]",
        "ret",
    );

    /// Steps so far. Only the main thread runs.
    pub fn now() -> u64 {
        // SAFETY: nothing else runs, and the assembly above writes it in calls from this thread alone.
        unsafe { std::ptr::read_volatile(&raw const TERSED_STEPS) }
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut bytes, mut only) = (BYTES, String::new());
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_default();
        match name.as_str() {
            "--bytes" => bytes = value.parse().unwrap_or(BYTES),
            "--only" => only = value,
            _ => {
                eprintln!("steps: {name} is not known, allowed are --bytes N and --only WORD");
                return ExitCode::from(2);
            }
        }
    }
    let texts: Vec<Text> = hostile::texts().into_iter().filter(|text| text.name.contains(&only)).collect();
    let mut rows = Vec::new();
    for mode in [Mode::Disabled, Mode::Safe, Mode::Standard, Mode::Aggressive] {
        // What is made once, such as tables of rules, is nobody's cost.
        steps(&hostile::ordinary(bytes), mode, "");
        let usual = steps(&hostile::ordinary(bytes), mode, "").max(1);
        println!("{mode:?}: {:.1} steps a byte of ordinary text", usual as f64 / bytes as f64);
        for text in &texts {
            let (small, whole) = (steps(&text.of(bytes / 4), mode, &text.command), steps(&text.of(bytes), mode, &text.command));
            let times = whole as f64 / usual as f64;
            let growth = whole as f64 / (4 * small.max(1)) as f64;
            rows.push((times, growth, format!("{mode:?}"), text.name.clone()));
        }
    }
    report(rows)
}

/// Prints the dearest texts, and all that cost too much.
fn report(mut rows: Vec<(f64, f64, String, String)>) -> ExitCode {
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Growth counts where there is something to lose: what is cheap may grow until it is not.
    let is_bad = |row: &&(f64, f64, String, String)| row.0 > MOST || row.1 > GROWTH && row.0 > MOST / 4.0;
    println!("texts {}, dearest:", rows.len());
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for (times, growth, mode, name) in &rows {
        let count = shown.entry(mode).or_default();
        *count += 1;
        if *count <= 12 {
            println!("{times:8.2} times, growth {growth:.2}, {mode}: {name}");
        }
    }
    let bad: Vec<_> = rows.iter().filter(is_bad).collect();
    for (times, growth, mode, name) in &bad {
        println!("TOO DEAR {times:8.2} times, growth {growth:.2}, {mode}: {name}");
    }
    println!("{} passed, {} failed", rows.len() - bad.len(), bad.len());
    if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Steps of one run.
fn steps(text: &str, mode: Mode, command: &str) -> u64 {
    let policy = Policy { mode, ..Policy::default() };
    let call = ToolCall {
        tool: "bash".to_owned(),
        command: (!command.is_empty()).then(|| command.to_owned()),
        ..ToolCall::default()
    };
    let before = counter::now();
    let outcome = compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory);
    let after = counter::now();
    assert!(outcome.is_ok(), "redaction did not run");
    after - before
}
