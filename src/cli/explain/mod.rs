//! `tersed explain`: shows the original of one result beside its output, and every gap with its reason and step. Changes
//! nothing, sends nothing, and shows no secret.

mod facts;
mod html;
mod input;
mod model;
mod pager;
mod screen;
mod text;
pub(in crate::cli) mod words;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use clap::ColorChoice;

use super::call::{self, CallArgs, PolicyArgs};
use super::out::NewFile;
use super::{Failure, out, pointed};
use crate::pipeline::explain::explain;
use crate::pipeline::repeat::dedup::NoHistory;
use crate::sanitize::redact_only;
use crate::text::call::ToolCall;
#[cfg(feature = "audit")]
pub(in crate::cli) use html::escaped;
pub use html::write as write_html;
pub use model::Page;
pub use screen::Screen;
#[cfg(feature = "audit")]
pub(in crate::cli) use screen::stand_in;
pub use text::write as write_text;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo test 2>&1 | tersed explain --command 'cargo test'\n  \
    tersed explain --command make build.log --html page.html\n  \
    ls -R | tersed explain --command 'ls -R' --width 200 --color always | less -R\n  \
    tersed explain --record session.jsonl --index 7 --html page.html\n\n\
    From 120 columns on, original and output are side by side, otherwise one below the other. A record is the parameters \
    of `toolResult/compress`, or a line of a recorded session as for `replay`; earlier results of its session are \
    played first.\n\n\
    On a terminal a page that does not fit is shown with PAGER, or less; PAGER=cat prints it.\n\n\
    Signs: - left out, ~ written anew, = shown by an earlier result, + only in the output, ! reports a failure.")]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    /// Explain a result of this file instead of standard input: JSON, `.jsonl` or `.jsonl.zst`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "command", "path", "exit_code", "query"])]
    record: Option<PathBuf>,
    /// Which result of the file, from 1.
    #[arg(long, value_name = "N", requires = "record", conflicts_with = "file")]
    index: Option<usize>,
    /// Write an HTML page to this file, or to standard output. An existing file is overwritten only if it is a page of tersed.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    html: Option<PathBuf>,
    /// File that holds the result, instead of standard input; - for standard input.
    #[arg(value_name = "FILE", conflicts_with = "record")]
    file: Option<PathBuf>,
    /// Whether to use colour.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Width in columns; by default that of the terminal.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..=1000))]
    width: Option<u16>,
    // Last, because arguments after it would stand under its heading in the help.
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Width if there is no terminal.
const COLUMNS: u16 = 80;

/// Explains one result.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut config = args.policy.config()?;
    let inputs: Vec<PathBuf> = args.record.iter().chain(&args.file).cloned().collect();
    // A file that cannot be written is reported before the work.
    let html = args.html.as_ref().filter(|file| file.as_os_str() != "-");
    let html = html.map(|file| NewFile::open(file, &inputs)).transpose()?;
    let _ = crate::engine::seal_key::ensure(&mut config.policy);
    let (call, explained) = match &args.record {
        Some(file) => input::explained(file, args.index, &args.policy.patch()?, &config)
            .map_err(|failure| pointed(failure, file))?,
        None => {
            let call = args.call.call();
            let input = call::input(args.file.as_deref())?;
            let explained = explain(&call, &[call::raw(&input)], &config.policy, false, &NoHistory)
                .map_err(|_| call::NOT_REDACTED.to_owned())?;
            (call, explained)
        }
    };
    let call = if config.policy.redact_secrets { without_secrets(call)? } else { call };
    let page = Page::new(&call, &explained);
    let (place, result) = match (html, &args.html) {
        (Some(mut file), Some(name)) => {
            let result = html::write(&page, &mut file).and_then(|()| file.end());
            (name.display().to_string(), result)
        }
        (_, html) => {
            let result = match html {
                Some(_) => finish(BufWriter::new(io::stdout().lock()), |out| html::write(&page, out)),
                None => pager::paged(|out| text::write(&page, args.screen(), out)),
            };
            ("standard output".to_owned(), result)
        }
    };
    out::written(&place, result)
}

/// The call with secrets removed, because pages are shared.
fn without_secrets(call: ToolCall) -> Result<ToolCall, Failure> {
    let safe =
        |text: String| redact_only(&text).map(|(text, _)| text).map_err(|_| call::NOT_REDACTED.to_owned());
    let maybe = |text: Option<String>| text.map(safe).transpose();
    Ok(ToolCall {
        tool: safe(call.tool)?,
        command: maybe(call.command)?,
        path: maybe(call.path)?,
        query: maybe(call.query)?,
        id: maybe(call.id)?,
        ..call
    })
}

fn finish<W: Write>(mut out: W, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    work(&mut out)?;
    out.flush()
}

impl Args {
    fn screen(&self) -> Screen {
        let stdout = io::stdout();
        let colour = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                !matches!(anstream::AutoStream::choice(&stdout), anstream::ColorChoice::Never)
            }
        };
        let of_terminal = || terminal_size::terminal_size_of(&stdout).map(|(width, _)| width.0);
        let width = self.width.or_else(|| of_terminal().filter(|_| stdout.is_terminal())).unwrap_or(COLUMNS);
        Screen { width: usize::from(width.max(40)), colour }
    }
}
