//! Encoders: lossless steps that do not depend on the meaning of an output. Each is used only if it saves tokens.
//!
//! Each works on the lines that the reducer kept and returns spans, like a reducer.

mod data;
pub mod dictionary;
mod fold;
mod json;
mod numbers;
mod table;
mod whitespace;
mod xml;

pub(crate) use json::{end_of_broken, indentation, stands_alone};
pub(crate) use table::squeezed;

pub use json::minified;

pub use json::table as json_table;

use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;

/// A lossless way to write the same content shorter.
pub trait Encoder: Sync {
    /// Name in the evidence.
    fn id(&self) -> &'static str;

    /// The spans for the kept lines, or the stable reason for doing nothing.
    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason>;
}

/// Encoders of the `standard` mode, in the order in which they run.
///
/// The order makes a second run change nothing. Later encoders do not touch what an earlier one rewrote, but
/// a second run over the output sees plain lines. So each must leave text in which no encoder finds something
/// new:
/// - JSON first: its white space may look like columns, and a document has to be whole to be read.
///   It leaves no line that the table encoder takes for a row. XML as well, then TOML, YAML and JSON5.
/// - Tables next, while trailing blanks still show the width; their rows are never JSON.
/// - Trailing white space and the padding of line numbers next; removing them changes nothing that the other
///   encoders read.
/// - Repetition last, on lines that no encoder rewrote. In a second run it would also find lines that became equal
///   only by being rewritten, so the encoders that rewrite lines leave such lines unchanged
///   (`fold::spare_repeats`). If the output would still change in a second run, the pipeline makes it again without
///   these encoders. A folded text has a marker, and a text with a marker is never run again.
pub static ENCODERS: &[&dyn Encoder] = &[
    &json::table::JsonTable,
    &json::JsonMinify,
    &xml::XmlWhitespace,
    &data::DataWhitespace,
    &table::TableWhitespace,
    &whitespace::TrailingWhitespace,
    &numbers::NumberPadding,
    &fold::RepeatedLines,
];

/// Encoders that rewrite lines.
pub static REWRITERS: &[&str] =
    &["json_table", "json_minify", "xml_whitespace", "data_whitespace", "table_whitespace"];

/// The encoder that writes data in another format; its output must be searched for failure lines.
pub const TABLES: &str = "json_table";

/// The encoder that leaves lines out.
pub const REPEATS: &str = "repeated_lines";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::stop;
    use crate::text::call::ToolCall;
    use crate::text::source::Source;

    fn encoded(text: &str) -> String {
        let policy = Policy { min_bytes: 0, ..Policy::default() };
        let call = ToolCall::default();
        compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    }

    /// Pieces that encoders may rewrite, few enough that they often repeat and combine.
    fn piece() -> impl Strategy<Value = String> {
        let table = "USER         PID  COMMAND\nroot           1  init\nada        23192  ls  -l\n";
        prop_oneof![
            Just("{\n  \"a\": 1,\n  \"b\": [ 1, 2 ]\n}\n".to_owned()),
            Just("{\"a\": 1, \"b\": [1, 2]}\n".to_owned()),
            Just("{\"a\":1,\"b\":[1,2]}\n".to_owned()),
            Just("[\n 1\n]\n".to_owned()),
            Just("{\n  a: [\n  ]\n}\n".to_owned()),
            Just("  {\n    \"a\":   \"x    y\"\n  }  \n".to_owned()),
            Just(table.to_owned()),
            Just(table.replace("  ", " ")),
            Just(
                "+-----+-------+\n| a   | bc    |\n+-----+-------+\n| 1   |       |\n+-----+-------+\n"
                    .to_owned()
            ),
            Just("+---+---+\n| a | bc |\n+---+---+\n| 1 | |\n+---+---+\n".to_owned()),
            Just("\n".to_owned()),
            Just("a line that says something long enough to be folded, with care   \n".to_owned()),
            Just("a line that says something long enough to be folded, with care\n".to_owned()),
            Just("HTTP/1.1 200 OK\n".to_owned()),
            "[ |{}a:,\"\\[\\]-]{0,12}\n",
        ]
    }

    /// Steps that reading a whole text counts: at least this many for each line.
    fn steps_per_line(encoder: &dyn Encoder, text: &str) -> usize {
        let source = Source::new(text);
        source.view();
        let (call, detection, policy, relevance) = Default::default();
        let input = Input {
            source: &source,
            call: &call,
            detection: &detection,
            policy: &policy,
            relevance: &relevance,
        };
        let before = stop::steps();
        let written = encoder.encode(&input, &Ledger::new(&source));
        let steps = stop::steps() - before;
        assert!(written.is_ok(), "{} does nothing with {:?}", encoder.id(), &text[..80]);
        (steps + source.len() / 2) / source.len()
    }

    /// Work that reports no steps cannot be stopped. The reported steps are counted, so that a pass over all lines
    /// that reports none is found.
    #[test]
    fn encoders_tell_of_every_pass_over_the_lines() {
        let lines = |line: &dyn Fn(usize) -> String| -> String { (0..2000).map(line).collect() };
        let pods = lines(&|i| {
            format!("pod-{i:06}      Running      {}      {:02}d      node-{}\n", i % 3, i % 90, i % 7)
        });
        let same = format!(
            "NAME         STATUS    AGE   NODE  \n{}",
            lines(&|i| format!("pod-{i:06}   Running   {:02}d   node-1\n", i % 90))
        );
        let grid = format!(
            "| a        | b      |\n|----------|--------|\n{}",
            lines(&|i| format!("| {i:<8} | {:<6} |\n", i % 7))
        );
        let records = lines(&|i| {
            format!("-[ RECORD {i} ]---+------\nid              | {i}\ndescription     | text {i}\n")
        });
        let boxes = format!(
            "{}\n|{:^40}|\n+{}+\n{}+{}+",
            "-".repeat(42),
            "Things",
            "-".repeat(40),
            lines(&|i| format!("|  Id {i:06}                             |\n")),
            "-".repeat(40)
        );
        let xml = format!("<a>\n{}</a>\n", lines(&|i| format!("    <b id=\"{i}\">text {i}</b>\n")));
        let blank = lines(&|i| format!("line {i}\n")) + "end  ";
        let block = lines(&|i| format!("the same line that is long enough {}\n", i % 2));
        let cases: [(&dyn Encoder, &str, usize); 8] = [
            (&table::TableWhitespace, &pods, 48),
            (&table::TableWhitespace, &same, 30),
            (&table::TableWhitespace, &grid, 15),
            (&table::TableWhitespace, &records, 9),
            (&table::TableWhitespace, &boxes, 9),
            (&xml::XmlWhitespace, &xml, 7),
            (&whitespace::TrailingWhitespace, &blank, 1),
            (&fold::RepeatedLines, &block, 3),
        ];
        for (encoder, text, least) in cases {
            let steps = steps_per_line(encoder, text);
            assert!(steps >= least, "{steps} steps for a line, {}: {}", encoder.id(), &text[..80]);
        }
    }

    proptest! {
        #[test]
        fn a_second_run_changes_nothing(pieces in proptest::collection::vec((piece(), 1usize..5), 1..9)) {
            let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
            let once = encoded(&text);
            prop_assert_eq!(encoded(&once), once, "{}", text);
        }
    }
}
