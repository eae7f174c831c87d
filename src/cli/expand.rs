//! `tersed expand`: expands the dictionaries and tables of `aggressive` to plain text.

use std::path::PathBuf;

use super::Failure;
use super::call;
use super::out::print;
use crate::encode::{dictionary, json_table};

/// Arguments of `expand`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed compress --mode aggressive < report.txt | tersed expand\n  \
    tersed expand transcript.txt\n\n\
    First phrases of dictionaries are filled in, then every table becomes the minified JSON that it was made of. Text without \
    either is unchanged. Gaps are not filled: `artifact/read` returns the lines that a marker says are omitted, referred to \
    or shown elsewhere. White space that an encoder removed and lines that were rewritten are not restored.")]
pub struct Args {
    /// File to expand, instead of standard input; - for standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Expands a file, or standard input, to standard output.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let input = call::input(args.file.as_deref())?;
    // Binary data holds no dictionaries or tables.
    let output = match std::str::from_utf8(&input) {
        Ok(text) => expand(text).into_bytes(),
        Err(_) => input,
    };
    print(&output)
}

/// A text with its dictionaries and tables expanded.
fn expand(text: &str) -> String {
    let text = dictionary::expand(text).unwrap_or_else(|| text.to_owned());
    json_table::expand(&text).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DictionaryMethod, Mode, Policy};
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;
    use proptest::prelude::*;

    fn compressed(text: &str, dictionary: DictionaryMethod) -> String {
        let policy = Policy {
            mode: Mode::Aggressive,
            min_bytes: 0,
            head_tail_bytes: Some(0),
            array_max_items: Some(0),
            dictionary,
            ..Policy::default()
        };
        compress(&ToolCall::default(), &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    }

    #[test]
    fn tables_under_a_dictionary_come_back() {
        let row = |i: usize| {
            format!(
                "{{\"id\":{i},\"note\":\"the usual words, which stand in most of the rows\",\"place\":\"src/{i}.rs\"}}"
            )
        };
        let json = format!("[{}]\n", (0..60).map(row).collect::<Vec<_>>().join(","));
        let out = compressed(&json, DictionaryMethod::Auto);
        assert!(out.starts_with("[Forge ") && out.contains("{id:int,note:string,place:string}"), "{out}");
        assert_eq!(expand(&out), json);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn what_a_dictionary_holds_comes_back(
            lines in proptest::collection::vec((0usize..6, "[a-z0-9]{1,8}"), 20..80),
            repair in any::<bool>(),
        ) {
            let words = ["the member was resolved from the local registry as", "finished without anything to report for", "in"];
            let text: String = lines.iter().enumerate().map(|(n, (i, word))| format!("{} {word}-{n}{}", words[i % 3], if *i < 3 { "\n" } else { ";" })).collect();
            let method = if repair { DictionaryMethod::Repair } else { DictionaryMethod::Lzw };
            let out = compressed(&text, method);
            prop_assert_eq!(expand(&out), text);
            prop_assert_eq!(compressed(&out, method), out);
        }
    }

    #[test]
    fn other_text_passes() {
        for text in ["", "plain\n", "[3]{id:int}\n", "[Forge LZW Dictionary]\n", "<<F1:1>>"] {
            assert_eq!(expand(text), text);
        }
    }
}
