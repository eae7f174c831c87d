//! The curve: savings and what is still visible, for different limits, compared with cutting each result.
//!
//! One row for each combination of `mode`, `dedup` and `fileOutlineBytes`, and for each length of a cut, over the same records. Other
//! settings of `--policy` apply to every row of tersed.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::child::{Answer, Child};
use super::edits::Edits;
use super::record::Session;
use super::report::Report;
use crate::cli::Failure;
use crate::cli::out::print;
use crate::tokens::{Tokenizer, counter};

/// Mode, whether references across results are used, and bytes above which files are outlined (0 for never).
const SETTINGS: &[(&str, bool, u64)] = &[
    ("safe", false, 0),
    ("standard", false, 0),
    ("standard", true, 0),
    ("standard", true, 49_152),
    ("standard", true, 24_576),
    ("standard", true, 12_288),
    ("standard", true, 8_192),
    ("standard", true, 6_144),
    ("aggressive", true, 24_576),
    ("aggressive", true, 12_288),
    ("aggressive", true, 8_192),
    ("aggressive", true, 4_096),
    ("aggressive", true, 2_048),
];
/// The lengths to which each result is cut, in characters.
const CUTS: &[usize] = &[30_000, 16_000, 8_000, 4_000, 2_000];

/// What the columns count.
const COLUMN_HELP: &str = "
In words
  outlines    Bytes above which a file is shown as its outline; default 12288 in standard, 4096 in aggressive.
  shown       References that stand outside of markers; quotes, lines (numbers of lines) and values are some of them.
  whole       Quotes, places and values that were used at any distance; of whole sessions alone.
  edits       Edits of which all replaced lines had been visible.
";

/// A row of the curve.
pub(super) struct Point {
    /// The name at the start of the row.
    pub name: String,
    /// How results are shortened.
    pub method: Method,
}

/// How results are shortened.
pub(super) enum Method {
    /// By tersed, with this policy.
    Policy(Map<String, Value>),
    /// By cutting the middle out of results with more than this many characters.
    Cut(usize),
}

/// All rows, in order. `given` are the settings of `--policy`.
pub(super) fn points(given: &Map<String, Value>) -> Vec<Point> {
    let of_setting = |(mode, dedup, outline): &(&str, bool, u64)| {
        let mut policy = given.clone();
        policy.insert("mode".to_owned(), json!(mode));
        policy.insert("dedup".to_owned(), json!(dedup));
        policy.insert("fileOutlineBytes".to_owned(), json!(outline));
        let outlines = if *outline == 0 { "never".to_owned() } else { outline.to_string() };
        let references = if *dedup { "" } else { ", no references" };
        Point { name: format!("{mode}{references}, outlines {outlines}"), method: Method::Policy(policy) }
    };
    let of_cut = |chars: &usize| Point { name: format!("cut at {chars}"), method: Method::Cut(*chars) };
    SETTINGS.iter().map(of_setting).chain(CUTS.iter().map(of_cut)).collect()
}

/// Plays all sessions once for each row.
pub(super) fn run(
    sessions: &[Session],
    given: &Map<String, Value>,
    settings: &[String],
) -> Result<(), Failure> {
    print(format!("{:<42} {}\n", "", Report::heading_of_points()))?;
    for Point { name, method } in points(given) {
        let mut report = Report::default();
        match method {
            Method::Policy(policy) => {
                let policy = Value::Object(policy);
                let mut child = Child::spawn(settings)?;
                for session in sessions {
                    let bar = indicatif::ProgressBar::hidden();
                    super::play(session, &policy, &mut child, &mut report, false, &bar)?;
                }
                child.end()?;
            }
            Method::Cut(chars) => {
                sessions.iter().for_each(|session| cut_session(session, chars, &mut report))
            }
        }
        print(format!("{name:<42} {}\n", report.point()))?;
    }
    print(COLUMN_HELP)
}

/// A session whose results are cut.
fn cut_session(session: &Session, chars: usize, report: &mut Report) {
    let counter = counter(Tokenizer::default());
    let mut edits = Edits::default();
    let mut answers = Vec::new();
    for record in &session.records {
        let content = cut(&record.output, chars);
        let tokens = json!({ "before": counter.count(&record.output), "after": counter.count(&content) });
        let evidence =
            json!({ "tokens": tokens, "bytes": { "before": record.output.len(), "after": content.len() } });
        let answer = Answer { content, evidence, refers_to: BTreeSet::new() };
        report.add(record, &answer, "", &mut edits, Duration::ZERO);
        answers.push(Some(answer));
    }
    report.add_needs(session, &answers);
}

/// A text with its middle cut out.
pub(super) fn cut(text: &str, chars: usize) -> String {
    let count = text.chars().count();
    if count <= chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars / 2).collect();
    let tail: String = text.chars().skip(count - chars / 2).collect();
    format!("{head}\n[...]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_both_ends() {
        let text: String = (0..9000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
        let short = cut(&text, 8000);
        assert!(short.starts_with(&text[..4000]) && short.ends_with(&text[5000..]), "{}", short.len());
        assert_eq!(cut(&text[..8000], 8000), &text[..8000]);
    }
}
