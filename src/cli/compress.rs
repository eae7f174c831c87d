//! `tersed compress`: compresses one result with the pure core, for trials and scripts.

use std::path::PathBuf;

use super::call::{self, CallArgs, PolicyArgs};
use super::{Failure, out};
use crate::config::Policy;
use crate::engine::seal_key;
use crate::pipeline::compress;
use crate::pipeline::evidence::Evidence;
use crate::pipeline::repeat::dedup::NoHistory;

/// Arguments of `compress`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    git diff | tersed compress --command 'git diff'\n  \
    tersed compress build.log --command make\n  \
    pytest > out.txt 2>&1; tersed compress --command pytest --exit-code $? --evidence short out.txt")]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    /// Print the evidence on standard error: json, or short for one line.
    #[arg(long, value_parser = ["json", "short"])]
    evidence: Option<String>,
    /// Files that each hold the output of such a call, instead of standard input; - for standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    // Last, because arguments after it would stand under its heading in the help.
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Files, or standard input, to standard output.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut policy = args.policy.config()?.policy;
    // Without the key file, a key of this process is used.
    let _ = seal_key::ensure(&mut policy);
    if args.files.is_empty() {
        return one(args, &policy, &call::input(None)?, true);
    }
    for (at, file) in args.files.iter().enumerate() {
        let is_last = at + 1 == args.files.len();
        one(args, &policy, &call::input(Some(file))?, is_last)?;
    }
    Ok(())
}

/// Compresses one text. If other texts follow, the output ends with a newline, so that the next one starts on its own
/// line.
fn one(args: &Args, policy: &Policy, input: &[u8], is_last: bool) -> Result<(), Failure> {
    let outcome = compress(&args.call.call(), &[call::raw(input)], policy, false, &NoHistory)
        .map_err(|_| call::NOT_REDACTED.to_owned())?;
    let mut text = outcome.texts.concat();
    if !is_last && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    out::print(text)?;
    match args.evidence.as_deref() {
        Some("json") => {
            out::note(&serde_json::to_string_pretty(&outcome.evidence).map_err(|e| e.to_string())?)
        }
        Some(_) => out::note(&short(&outcome.evidence)),
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
