//! `tersed rules`: checks files of rules, explains their effect on a result, and lists methods and stages.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::Failure;
use super::call::{self, CallArgs, PolicyArgs};
use super::out::{self, counted};
use crate::config::Policy;
use crate::config::rules::RuleSet;
use crate::engine::rule_check;
use crate::layers::rule_file;

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check files of rules and run their tests; with --sample, explain which rule is used on a result and why.
    #[command(after_help = "Examples:\n  \
        tersed rules check protocol/rules/*.yaml\n  \
        cargo build 2>&1 | tersed rules check my.yaml --sample - --command 'cargo build' --exit-code 0")]
    Check(Box<CheckArgs>),
    /// List the methods and stages that a rule may name.
    Methods,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Files of rules: YAML, TOML or JSON.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A result to explain; - for standard input.
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    #[command(flatten)]
    call: CallArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Runs the subcommand.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let (text, failed) = match &args.command {
        Command::Methods => (crate::pipeline::rule_methods::page(), 0),
        Command::Check(args) => checked(args)?,
    };
    out::print(&text)?;
    match failed {
        0 => Ok(()),
        n => Err(format!("{} failed", counted(n, "test")).into()),
    }
}

/// The rules of several files; later files override earlier ones.
pub(super) fn load_all(files: &[PathBuf]) -> Result<RuleSet, Failure> {
    let mut all = RuleSet::default();
    for file in files {
        let rules = rule_file::read_untrusted(file).map_err(|e| match e.is_missing_file {
            true => e.to_string().into(),
            false => Failure::value(e.to_string()),
        })?;
        for warning in crate::rules::warnings(&rules) {
            out::print_message(&format!("{}: warning: {warning}", file.display()));
        }
        all = all.with(&rules);
    }
    Ok(all)
}

fn checked(args: &CheckArgs) -> Result<(String, usize), Failure> {
    let rules = load_all(&args.files)?;
    let policy = args.policy.config()?.policy;
    let reports = rule_check::run_tests(&Policy { rules: rules.clone(), ..policy.clone() });
    let mut out = String::new();
    let mut failed = 0;
    // Writing into a String cannot fail.
    for report in &reports {
        let is_good = report.problems.is_empty();
        failed += usize::from(!is_good);
        let _ = writeln!(out, "{} {}: {}", if is_good { "ok  " } else { "FAIL" }, report.rule, report.test);
        for problem in &report.problems {
            let _ = writeln!(out, "     {problem}");
        }
        if !is_good {
            for line in report.output.lines() {
                let _ = writeln!(out, "     | {line}");
            }
        }
    }
    let untested = rules.iter().filter(|rule| rule.tests.is_empty()).count();
    let _ = writeln!(
        out,
        "{}, {untested} without a test; {}, {failed} failed",
        counted(rules.iter().count(), "rule"),
        counted(reports.len(), "test")
    );
    if let Some(sample) = &args.sample {
        let input = match sample.as_os_str() == "-" {
            true => call::standard_input()?,
            false => std::fs::read(sample).map_err(|e| format!("{}: {e}", sample.display()))?,
        };
        let policy = Policy { rules: policy.rules.with(&rules), ..policy };
        explain(args, &String::from_utf8_lossy(&input), &policy, &mut out)?;
    }
    Ok((out, failed))
}

fn explain(args: &CheckArgs, text: &str, policy: &Policy, out: &mut String) -> Result<(), String> {
    let explanation =
        rule_check::explain(&args.call.call(), text, policy).map_err(|_| call::NOT_REDACTED.to_owned())?;
    let _ = writeln!(out, "\nrules, in the order in which they are tried");
    for asked in &explanation.rules {
        let word = match (asked.is_used, asked.fits) {
            (true, _) => "used",
            (false, true) => "matches, but an earlier rule is used",
            (false, false) => "does not fit",
        };
        let _ = writeln!(out, "  {} (priority {}): {word}", asked.name, asked.priority);
        for verdict in &asked.conditions {
            let mark = if verdict.holds { "+" } else { "-" };
            let _ = writeln!(out, "    {mark} {}: {}", verdict.condition, shown(&verdict.why));
        }
    }
    if !explanation.line_outcomes.is_empty() {
        let _ = writeln!(out, "\nlines");
    }
    for ((number, line), outcome) in explanation.text.lines().enumerate().zip(&explanation.line_outcomes) {
        let by = match outcome.stage() {
            Some((stage, Some(pattern))) => format!("{} {stage}[{pattern}]", outcome.name()),
            Some((stage, None)) => format!("{} {stage}", outcome.name()),
            None => outcome.name().to_owned(),
        };
        let _ = writeln!(out, "{:>6} {by:<26} {}", number + 1, shown(line));
    }
    let _ = writeln!(out, "\nsteps");
    for step in &explanation.outcome.evidence.steps {
        let _ = writeln!(
            out,
            "  {}: {}, {} -> {} bytes",
            step.id,
            step.reason.code(),
            step.bytes_before,
            step.bytes_after
        );
    }
    let _ = write!(out, "\noutput\n{}", explanation.outcome.texts.concat());
    if !out.ends_with('\n') {
        out.push('\n');
    }
    Ok(())
}

/// A text on one line, without control characters, shortened to the width of a page.
fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 160;
    let mut out: String =
        text.chars().take(MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if out.len() < text.len() && text.chars().nth(MAX_CHARS).is_some() {
        out.push_str(" ...");
    }
    out
}
