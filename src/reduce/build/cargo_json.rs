//! Cargo's JSON messages: artifacts and build scripts that went well go; every diagnostic, what tests and
//! programs print and the end of the build stay, each line as it was.
//!
//! One JSON object a line, told by its `reason`. Lines are hidden whole and never rewritten: who asked for
//! data gets data.

use crate::pipeline::reason::Reason;
use crate::reduce::Meta;
use crate::reduce::format::Fate::{Goes, Shows};
use crate::reduce::format::Format;

/// See the module.
pub static CARGO_JSON: Format = Format::new(
    Meta {
        id: "cargo_json",
        family: "build",
        reads: "`cargo build`, `check`, `clippy`, `test` with `--message-format json`",
        keeps: "every `compiler-message`, `build-finished`, cargo's own words that are errors or warnings",
        folds: "`compiler-artifact` and `build-script-executed` messages, build progress",
        anchors: &["{\"reason\":\"compiler-", "{\"reason\":\"build-"],
    },
    &["cargo build", "cargo check", "cargo clippy", "cargo test", "cargo rustc", "cargo doc", "cargo bench"],
    1,
    &[
        (r#"\{"reason":"compiler-artifact",.*"#, Goes(Reason::Progress)),
        (r#"\{"reason":"build-script-executed",.*"#, Goes(Reason::Progress)),
        (r#"\{"reason":"compiler-message",.*"#, Shows),
        (r#"\{"reason":"build-finished",.*"#, Shows),
    ],
);
