//! `tersed compress`: one result through the pure core, for trying things out and for scripts.

use std::io::{Read, Write};

use crate::config::{Mode, Policy};
use crate::pipeline::call::ToolCall;
use crate::pipeline::dedup::NoHistory;
use crate::pipeline::evidence::Evidence;
use crate::pipeline::{Raw, compress};
use crate::tokens::Tokenizer;

/// Arguments of `compress`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    git diff | tersed compress --command 'git diff'\n  \
    pytest 2>&1 | tersed compress --command pytest --exit-code ${PIPESTATUS[0]} --evidence short")]
pub struct Args {
    /// Name of the tool that wrote the text.
    #[arg(long, default_value = "bash")]
    tool: String,
    /// Command line that wrote the text.
    #[arg(long)]
    command: Option<String>,
    /// Exit code of the command.
    #[arg(long, allow_negative_numbers = true)]
    exit_code: Option<i64>,
    /// How far the text may be changed: disabled, safe, standard, aggressive.
    #[arg(long, default_value = "standard", value_parser = mode)]
    mode: Mode,
    /// Token counter: o200k, cl100k, heuristic.
    #[arg(long, default_value = "o200k", value_parser = tokenizer)]
    tokenizer: Tokenizer,
    /// Byte cap of the result, 1 to 1048576.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    max_output_bytes: Option<u64>,
    /// Print the evidence on standard error: json, or short for one line.
    #[arg(long, value_parser = ["json", "short"])]
    evidence: Option<String>,
}

/// Reads a mode by its name on the wire.
pub fn mode(name: &str) -> Result<Mode, String> {
    named(name)
}

/// Reads a token counter by its name on the wire.
pub fn tokenizer(name: &str) -> Result<Tokenizer, String> {
    named(name)
}

fn named<T: serde::de::DeserializeOwned>(name: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).map_err(|e| e.to_string())
}

/// Standard input to standard output.
pub fn run(args: &Args) -> Result<(), String> {
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input).map_err(|e| format!("standard input: {e}"))?;
    let call = ToolCall {
        tool: args.tool.clone(),
        command: args.command.clone(),
        exit_code: args.exit_code,
        ..ToolCall::default()
    };
    let mut policy = Policy { mode: args.mode, tokenizer: args.tokenizer, ..Policy::default() };
    if let Some(bytes) = args.max_output_bytes {
        policy.max_output_bytes = bytes as usize;
        policy.strict_cap = true;
    }
    let raw = std::str::from_utf8(&input).map_or(Raw::Bytes(&input), Raw::Text);
    let outcome = compress(&call, &[raw], &policy, false, &NoHistory)
        .map_err(|_| "the text could not be redacted, so nothing is printed".to_owned())?;
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
