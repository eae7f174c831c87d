//! `tersed compress`: compresses one result with the pure core, for trials and scripts.

use std::io::Write;

use super::Failure;
use super::call::{self, CallArgs, PolicyArgs};
use crate::engine::seal_key;
use crate::pipeline::compress;
use crate::pipeline::evidence::Evidence;
use crate::pipeline::repeat::dedup::NoHistory;

/// Arguments of `compress`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    git diff | tersed compress --command 'git diff'\n  \
    pytest 2>&1 | tersed compress --command pytest --exit-code ${PIPESTATUS[0]} --evidence short")]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Print the evidence on standard error: json, or short for one line.
    #[arg(long, value_parser = ["json", "short"])]
    evidence: Option<String>,
}

/// Standard input to standard output.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut policy = args.policy.config()?.policy;
    // Without the key file, a key of this process is used.
    let _ = seal_key::ensure(&mut policy);
    let input = call::standard_input()?;
    let outcome = compress(&args.call.call(), &[call::raw(&input)], &policy, false, &NoHistory)
        .map_err(|_| call::NOT_REDACTED.to_owned())?;
    for text in &outcome.texts {
        std::io::stdout().lock().write_all(text.as_bytes()).map_err(|e| format!("standard output: {e}"))?;
    }
    match args.evidence.as_deref() {
        Some("json") => {
            let json = serde_json::to_string_pretty(&outcome.evidence).map_err(|e| e.to_string())?;
            eprintln!("{json}");
        }
        Some(_) => eprintln!("{}", short(&outcome.evidence)),
        None => {}
    }
    Ok(())
}

/// The evidence in one line.
fn short(evidence: &Evidence) -> String {
    let hidden: usize = evidence.omissions.iter().map(|o| o.count).sum();
    let by = evidence.reducer.as_deref().or(evidence.bypass.map(|r| r.code())).unwrap_or("-");
    let redacted: usize = evidence.redactions.iter().map(|r| r.count).sum();
    format!(
        "{} by {by}: {} -> {} tokens ({}), {} -> {} bytes, {hidden} lines not shown, {redacted} secrets removed, \
         {} of {} failure lines visible",
        evidence.status.name(),
        evidence.tokens.before,
        evidence.tokens.after,
        evidence.tokens.counter,
        evidence.bytes.before,
        evidence.bytes.after,
        evidence.guard.kept,
        evidence.guard.signals,
    )
}
