//! Cargo's JSON messages: artifacts and build scripts without a problem are left out. Errors, what tests and programs
//! print and the end of the build are kept unchanged. Warnings are kept too, except that mode `aggressive` writes the
//! warnings of one lint together.
//!
//! One JSON object a line, recognised by its field `reason`. In `standard`, lines are hidden whole and never
//! rewritten: a caller that asks for JSON gets JSON.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::input::{Claim, Input};
use crate::reduce::format::FormAction::{Hide, Shows};
use crate::reduce::format::Format;
use crate::reduce::lint::group::{Block, Layout, Plan, Unlisted};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct CargoJson;

static LINES: Format = Format::new(
    Meta {
        id: "cargo_json",
        family: "build",
        reads: "`cargo build`, `check`, `clippy`, `test` with `--message-format json`",
        keeps: "errors whole with their rendered text, `build-finished`, cargo's own errors and warnings; every \
                warning, in `aggressive` its lint, message and place, and whole if it has a member of its own",
        omits: "`compiler-artifact` and `build-script-executed` messages, build progress; in `aggressive` warnings of one lint \
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
        let mut unlisted = Unlisted::default();
        for (i, found) in &warnings {
            found.add_to(&mut unlisted, source.line(*i));
        }
        let mut kept = signals::failure_lines(source);
        let odd = warnings.iter().zip(unlisted.outliers()).filter(|(_, odd)| *odd);
        kept.extend(odd.map(|((i, _), _)| *i));
        kept.sort_unstable();
        let mut plan = Plan::with_failures(source, true, kept);
        plan.group(&blocks);
        let missing = unlisted.missing(|at| plan.is_changed(warnings[at].0));
        plan.note(warnings.iter().map(|(i, _)| *i), missing);
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
    rule: String,
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
    let rule = code.to_owned();
    (message.level == "warning").then_some(Warning { rule, text, message, place })
}

/// Members of a message that say where it comes from, or again what its place says.
const REPEATED_MEMBERS: &[&str] = &["reason", "package_id", "manifest_path"];
/// The end of the note on why a lint is on, which only its first warning has.
const BY_DEFAULT: &str = " on by default";

impl Warning<'_> {
    /// Adds it to the messages that are compared.
    fn add_to(&self, all: &mut Unlisted, line: &str) {
        let mut value: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(members) = value.as_object_mut() {
            REPEATED_MEMBERS.iter().for_each(|key| drop(members.remove(*key)));
        }
        if let Some(children) = value.pointer_mut("/message/children").and_then(Value::as_array_mut) {
            let says =
                |child: &Value| child.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            children.retain(|child| !says(child).ends_with(BY_DEFAULT));
        }
        let span = |key: &str| format!("message.spans.{}.{key}", self.place);
        let own = ["file_name", "line_start", "column_start", "is_primary"].map(span);
        let mut listed = vec!["message.level", "message.message", "message.code.code"];
        listed.extend(own.iter().map(String::as_str));
        all.add(&self.rule, &value, &listed);
    }

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
