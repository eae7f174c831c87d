//! `tersed doctor`: checks the installation, and says how to fix faults.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::cli::Failure;
use crate::cli::out::print;
use crate::doctor::{Finding, State, examine};

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed doctor\n  \
    tersed doctor --json\n\n\
    Checks the program, the settings, the folders, the hosts and the last failures, compresses a sample, and changes nothing.\n\n\
    Exit status 1 means a fault that has to be fixed.")]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The project's folder; by default the working directory.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Runs the checks and prints the findings.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let findings = examine(args.dir.as_deref())?;
    let faults = findings.iter().filter(|finding| finding.state == State::Fault).count();
    let text = match args.json {
        true => {
            let whole =
                json!({ "version": env!("CARGO_PKG_VERSION"), "isWell": faults == 0, "findings": findings });
            serde_json::to_string_pretty(&whole).map_err(|e| e.to_string())? + "\n"
        }
        false => report(&findings, faults),
    };
    print(&text)?;
    Ok(ExitCode::from(u8::from(faults > 0)))
}

fn report(findings: &[Finding], faults: usize) -> String {
    let mut out = String::new();
    let mut area = "";
    for finding in findings {
        if finding.area != area {
            area = finding.area;
            let _ = writeln!(out, "{area}");
        }
        let mark = match finding.state {
            State::Ok => "ok   ",
            State::Note => "note ",
            State::Fault => "FAULT",
        };
        let _ = writeln!(out, "  {mark}  {}", finding.text);
        if let Some(fix) = &finding.fix {
            let _ = writeln!(out, "         -> {fix}");
        }
    }
    let _ = match faults {
        0 => writeln!(out, "All is well."),
        1 => writeln!(out, "1 thing must be fixed."),
        many => writeln!(out, "{many} things must be fixed."),
    };
    out
}
