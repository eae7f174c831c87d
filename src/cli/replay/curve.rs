//! The curve: savings against what is still visible, for different limits.
//!
//! One row for each combination of `mode`, `dedup`, `fileOutlineBytes` and `headTailBytes`, over the same records. Other
//! settings of `--policy` apply to every row.

use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use super::child::Child;
use super::record::Session;
use super::report::Report;
use crate::cli::Failure;
use crate::cli::out::print;

/// Mode, whether references across results are used, and bytes above which files and reports are cut (0 for never).
const SETTINGS: &[(&str, bool, u64, u64)] = &[
    ("safe", false, 0, 0),
    ("standard", false, 0, 0),
    ("standard", true, 0, 0),
    ("standard", true, 49_152, 49_152),
    ("standard", true, 24_576, 24_576),
    ("standard", true, 12_288, 12_288),
    ("standard", true, 8_192, 8_192),
    ("aggressive", true, 12_288, 12_288),
    ("aggressive", true, 6_144, 6_144),
    ("aggressive", true, 4_096, 6_144),
    ("aggressive", true, 2_048, 4_096),
    ("aggressive", true, 1_024, 2_048),
];

/// Plays all sessions once for each setting.
pub(super) fn run(
    sessions: &[Session],
    given: &Map<String, Value>,
    settings: &[String],
) -> Result<(), Failure> {
    print(format!(
        "{:<11} {:>6} {:>9} {:>9} {:>7} {:>20} {:>20}\n",
        "mode", "dedup", "outline", "head/tail", "saved", "references seen", "failures seen"
    ))?;
    for (mode, dedup, outline, head_tail) in SETTINGS {
        let mut policy = given.clone();
        policy.insert("mode".to_owned(), json!(mode));
        policy.insert("dedup".to_owned(), json!(dedup));
        policy.insert("fileOutlineBytes".to_owned(), json!(outline));
        policy.insert("headTailBytes".to_owned(), json!(head_tail));
        let mut child = Child::spawn(settings)?;
        let mut report = Report::default();
        for session in sessions {
            super::play(session, &json!(policy), &mut child, &mut report, false, &ProgressBar::hidden())?;
        }
        child.end()?;
        print(format!("{mode:<11} {dedup:>6} {outline:>9} {head_tail:>9} {}\n", report.point()))?;
    }
    Ok(())
}
