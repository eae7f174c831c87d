//! Cargo's JSON messages: artifacts and build scripts without a problem are left out. Errors, what tests and programs
//! print and the end of the build are kept unchanged. Warnings are kept too, except that mode `aggressive` writes the
//! warnings of one lint together.
//!
//! One JSON object a line, recognised by its field `reason`. In `standard`, lines are hidden whole and never
//! rewritten: a caller that asks for JSON gets JSON.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use crate::input::{Claim, Input};
use crate::reduce::format::FormAction::{Hide, Shows};
use crate::reduce::format::Format;
use crate::reduce::lint::group::{Block, Layout, Plan};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct CargoJson;

static LINES: Format = Format::new(
    Meta {
        id: "cargo_json",
        family: "build",
        reads: "`cargo build`, `check`, `clippy`, `test` with `--message-format json`",
        keeps: "errors whole with their rendered text, `build-finished`, cargo's own errors and warnings; every \
                warning, in `aggressive` its lint, message and place",
        folds: "`compiler-artifact` and `build-script-executed` messages, build progress; in `aggressive` warnings of one lint \
                into one line with all places",
        anchors: &["{\"reason\":\"compiler-", "{\"reason\":\"build-"],
    },
    &["cargo build", "cargo check", "cargo clippy", "cargo test", "cargo rustc", "cargo doc", "cargo bench"],
    1,
    &[
        (r#"\{"reason":"compiler-artifact",.*"#, Hide(Reason::Progress)),
        (r#"\{"reason":"build-script-executed",.*"#, Hide(Reason::Progress)),
        (r#"\{"reason":"compiler-message",.*"#, Shows),
        (r#"\{"reason":"build-finished",.*"#, Shows),
    ],
);

impl Reducer for CargoJson {
    fn meta(&self) -> &Meta {
        LINES.meta()
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        LINES.claim(input)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        if !input.policy.rewrites_documents() {
            return LINES.reduce(input);
        }
        let source = input.source;
        let warnings: Vec<(usize, Warning<'_>)> =
            (0..source.len()).filter_map(|i| warning(source.line(i)).map(|found| (i, found))).collect();
        let blocks: Vec<Block<'_>> = warnings.iter().map(|(i, found)| found.block(*i)).collect();
        let mut plan = Plan::new(source, true);
        plan.group(&blocks);
        for i in 0..source.len() {
            let line = source.line(i);
            if line.starts_with(ARTIFACT) || line.starts_with(SCRIPT) {
                plan.omit(i..i + 1, Reason::Progress);
            }
        }
        plan.finish()
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        LINES.extent(input)
    }
}

const ARTIFACT: &str = r#"{"reason":"compiler-artifact","#;
const SCRIPT: &str = r#"{"reason":"build-script-executed","#;
const MESSAGE: &str = r#"{"reason":"compiler-message","#;

/// A message of the compiler.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Message<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    level: Cow<'a, str>,
    message: Cow<'a, str>,
    code: Option<Code>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    column_start: usize,
    is_primary: bool,
}

/// A warning that has a place.
struct Warning<'a> {
    text: String,
    message: Message<'a>,
    place: usize,
}

/// The warning in a line, if the line is one.
fn warning(line: &str) -> Option<Warning<'_>> {
    if !line.starts_with(MESSAGE) {
        return None;
    }
    let Line { message } = serde_json::from_str(line).ok()?;
    let place = message.spans.iter().position(|span| span.is_primary)?;
    let code = message.code.as_ref().map(|code| code.code.as_str())?;
    let text = format!("{} {code}: {}", message.level, message.message.replace('\n', "\\n"));
    (message.level == "warning").then_some(Warning { text, message, place })
}

impl Warning<'_> {
    fn block(&self, line: usize) -> Block<'_> {
        let span = &self.message.spans[self.place];
        Block {
            lines: line..line + 1,
            path: &span.file_name,
            place: Cow::Owned(format!("{}:{}", span.line_start, span.column_start)),
            message: Cow::Borrowed(&self.text),
            layout: Layout::ByRule,
        }
    }
}
