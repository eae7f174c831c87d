//! `tersed tune`: chooses, from the user's own histories, the size above which a file is shown as its outline.
//!
//! It plays the histories once for each limit and measures how much of what the agents used later they could still
//! see. The limit is written to a separate file beside the user's settings, which take precedence.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::history::History;
use super::notes::Notes;
use super::places::PLACES;
use super::walk::{Found, walk};
use crate::cli::Failure;
use crate::cli::out::{counted, print};
use crate::cli::replay::child::Child;
use crate::cli::replay::edits::Edits;
use crate::cli::replay::play::play;
use crate::cli::replay::record::{Record, Session, Transcript};
use crate::cli::replay::report::{Figures, Report};
use crate::config::{Mode, Policy};
use crate::layers::{Sources, TUNED};

/// The limits that are tried, in bytes; 0 means never.
const LIMITS: [u64; 7] = [0, 49_152, 24_576, 12_288, 8_192, 6_144, 4_096];
/// Fewest sessions, and fewest names used later, for a meaningful choice.
const MIN_SESSIONS: usize = 20;
const MIN_USED: usize = 200;
/// Most bytes of results that are kept in memory, since they are played once for each limit; later sessions are not read.
const MAX_BYTES: usize = 256 << 20;
/// Percentage points that a smaller limit has to save more than a larger one. A choice.
const WORTH: f64 = 0.1;

/// Arguments of `tune`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed tune                           learn from the histories of this user's hosts\n  \
    tersed tune ~/.claude/projects --dry-run\n  \
    tersed tune --forget                  remove what was chosen\n\n\
    A file larger than `policy.fileOutlineBytes` is shown as its outline. The histories are played once for each limit. The limit \
    that saves most is chosen, if at most --allow percentage points of the names used later and of the edits are lost compared \
    with showing every file whole; the present limit is kept unless it loses more or another saves more. A new limit is written to `tuned.toml` \
    beside the user's settings, which take precedence. Nothing leaves the machine, and histories are only read.")]
pub struct Args {
    /// Histories: files and folders; by default, the places of the hosts of this user.
    #[arg(value_name = "PATH", conflicts_with = "forget")]
    paths: Vec<PathBuf>,
    /// The mode to tune: standard or aggressive [default: the mode in force].
    #[arg(long, hide_possible_values = true, value_parser = crate::cli::call::mode())]
    mode: Option<Mode>,
    /// How many percentage points of the names used later, and of the edits, may be lost.
    #[arg(long, value_name = "POINTS", default_value_t = 1.0, value_parser = points)]
    allow: f64,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Remove what was chosen.
    #[arg(long, conflicts_with_all = ["mode", "dry_run"])]
    forget: bool,
}

/// Reads the points of a flag.
fn points(text: &str) -> Result<f64, String> {
    let points = text.parse().ok().filter(|points| (0.0..=100.0).contains(points));
    points.ok_or_else(|| format!("`{text}` is not allowed, expected 0 to 100"))
}

/// Learns, or forgets.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    let sources = Sources::of_process();
    let folder = sources.user.clone().ok_or_else(|| "the user has no folder for settings".to_owned())?;
    let file = folder.join(TUNED);
    if args.forget {
        return forget(&file);
    }
    let layers = sources.read().map_err(|faults| crate::layers::joined(&faults))?;
    let policy = layers.resolve().map_err(|fault| fault.to_string())?.config.policy;
    let mode = args.mode.unwrap_or(policy.mode);
    if mode < Mode::Standard {
        return Err(Failure::value(
            "this mode shows every file whole; `--mode standard` and `--mode aggressive` have a limit"
                .to_owned(),
        ));
    }
    let sessions = histories(&args.paths)?;
    let used: usize =
        sessions.iter().flat_map(|session| &session.records).map(|record| record.refs.len()).sum();
    if sessions.len() < MIN_SESSIONS || used < MIN_USED {
        return Err(Failure::from(format!(
            "too little to learn from: {} in which {} were used later, expected at least {MIN_SESSIONS} and {MIN_USED}; nothing \
             was written",
            counted(sessions.len(), "session"),
            counted(used, "name")
        )));
    }
    let now = Policy { mode, max_mode: mode, ..policy }.outline_bytes().unwrap_or(0) as u64;
    let mut limits = LIMITS.to_vec();
    if !limits.contains(&now) {
        limits.push(now);
        // The order is: never (0) first, then the largest.
        limits.sort_unstable_by_key(|limit| (*limit > 0, u64::MAX - limit));
    }
    let bar = super::progress();
    let mut rows = Vec::new();
    for limit in limits {
        bar.set_message(format!("fileOutlineBytes {limit}"));
        rows.push((limit, played(&sessions, mode, limit)?));
    }
    bar.finish_and_clear();
    let chosen = choose(&rows, args.allow, now);
    let words = table(&rows, now, chosen, mode);
    if chosen == now {
        let why = match do_all_the_same(&rows) {
            true => "there was nothing to learn: every limit saves the same",
            false => "no other limit saves more without hiding what was used",
        };
        return print(format!("{words}\n{why}; the present limit stays, and nothing is written\n"));
    }
    if args.dry_run {
        return print(words);
    }
    let learnt = format!(
        "{} with {}",
        counted(sessions.len(), "session"),
        counted(sessions.iter().map(|session| session.records.len()).sum(), "result")
    );
    write(&folder, &file, chosen, &learnt, &words)?;
    print(format!("{words}\nwritten to {}; `tersed tune --forget` removes it\n", file.display()))
}

/// Sessions of all histories, each with the names that were used later beside the results that showed them.
fn histories(paths: &[PathBuf]) -> Result<Vec<Session>, Failure> {
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(format!("{}: no such file or folder", missing.display()).into());
    }
    let own = PLACES.iter().filter_map(|place| place.path()).filter(|path| path.exists());
    let paths: Vec<PathBuf> = if paths.is_empty() { own.collect() } else { paths.to_vec() };
    let mut sessions = Vec::new();
    let mut bytes = 0;
    let mut seen = HashSet::new();
    for path in paths {
        let _ = walk(&path, &mut seen, &mut |found| {
            if let Found::Claimed(format, file) = found {
                // A file that cannot be read to its end may still have complete sessions.
                let _ = (format.read)(&file, &mut Notes::default(), &mut |history| {
                    let number = sessions.len();
                    let found = session(history, number).filter(|_| bytes < MAX_BYTES);
                    bytes += found
                        .iter()
                        .flat_map(|session| &session.records)
                        .map(|one| one.output.len())
                        .sum::<usize>();
                    sessions.extend(found);
                });
            }
            // An error ends the walk.
            if bytes < MAX_BYTES { Ok(()) } else { Err(String::new()) }
        });
    }
    Ok(sessions)
}

fn session(mut history: History, number: usize) -> Option<Session> {
    let mut records: Vec<Record> = std::mem::take(&mut history.records);
    for reference in &history.references {
        for owner in &reference.owners {
            if let Some(record) = records.get_mut(*owner as usize) {
                record.refs.push(reference.text.clone());
                record.ref_types.push(reference.kind.clone().into_owned());
            }
        }
    }
    let id = (!history.is_loose).then(|| format!("tune-{number}"));
    (!records.is_empty()).then(|| Session {
        id,
        records,
        needs: Vec::new(),
        transcript: Transcript::default(),
    })
}

/// The figures of a replay with this limit.
fn played(sessions: &[Session], mode: Mode, limit: u64) -> Result<Figures, String> {
    let policy = json!({ "mode": mode, "fileOutlineBytes": limit, "tokenizer": "o200k", "evidence": "full" });
    // Only the tuned limit differs: files and variables are ignored.
    let mut child = Child::spawn(&[])?;
    let mut report = Report::default();
    for session in sessions {
        let mut edits = Edits::default();
        play(session, &policy, &mut child, |played| {
            // A refused result stays unchanged with every limit.
            if let Ok(answer) = played.answer {
                report.add(played.record, answer, &played.earlier, &mut edits, Duration::ZERO);
            }
            Ok(())
        })?;
        if let Some(id) = &session.id {
            child.close(id)?;
        }
    }
    child.end()?;
    Ok(report.figures())
}

/// The limit that saves most among those that lose at most `allow` percentage points against the first row, which
/// shows every file whole. The present limit is kept unless it loses more, or another saves more.
fn choose(rows: &[(u64, Figures)], allow: f64, now: u64) -> u64 {
    let Some((whole, all)) = rows.first() else { return 0 };
    let loses_little = |figures: &Figures| {
        let lost =
            |of: fn(&Figures) -> Option<f64>| of(all).zip(of(figures)).map_or(0.0, |(all, now)| all - now);
        lost(|figures| figures.shown) <= allow && lost(|figures| figures.edits) <= allow
    };
    // A smaller limit must save clearly more.
    let better = |best: (u64, f64), (limit, figures): &(u64, Figures)| match figures.saved >= best.1 + WORTH {
        true => (*limit, figures.saved),
        false => best,
    };
    let present = rows.iter().find(|(limit, figures)| *limit == now && loses_little(figures));
    let first = present.map_or((*whole, all.saved), |(limit, figures)| (*limit, figures.saved));
    rows.iter().filter(|(_, figures)| loses_little(figures)).fold(first, better).0
}

/// Whether all limits save about the same.
fn do_all_the_same(rows: &[(u64, Figures)]) -> bool {
    let saved = || rows.iter().map(|(_, figures)| figures.saved);
    saved().fold(f64::MIN, f64::max) - saved().fold(f64::MAX, f64::min) < WORTH
}

fn table(rows: &[(u64, Figures)], now: u64, chosen: u64, mode: Mode) -> String {
    let mode = if mode == Mode::Aggressive { "aggressive" } else { "standard" };
    let mut out =
        format!("{mode:<12}{:<18} {:>8} {:>8} {:>8}\n", "fileOutlineBytes", "saved", "shown", "edits");
    for (limit, figures) in rows {
        let name = if *limit == 0 { "0, never".to_owned() } else { limit.to_string() };
        let percent = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.1}%"));
        let marks: String = [(now, " now"), (chosen, " chosen")]
            .iter()
            .filter(|(of, _)| of == limit)
            .map(|(_, mark)| *mark)
            .collect();
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "{:<12}{name:<18} {:>8} {:>8} {:>8}{marks}",
            "",
            percent(Some(figures.saved)),
            percent(figures.shown),
            percent(figures.edits)
        );
    }
    out
}

fn write(folder: &Path, file: &Path, limit: u64, learnt: &str, table: &str) -> Result<(), String> {
    let fault = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let mut text = format!("# Written by `tersed tune` from {learnt}.\n");
    text.push_str(
        "# The settings file beside it takes precedence; `tersed tune --forget` removes this one.\n",
    );
    table.lines().for_each(|line| text.push_str(&format!("#   {line}\n")));
    text.push_str(&format!("[policy]\nfileOutlineBytes = {limit}\n"));
    std::fs::create_dir_all(folder).map_err(|e| fault(&e))?;
    let mut part = tempfile::NamedTempFile::new_in(folder).map_err(|e| fault(&e))?;
    part.write_all(text.as_bytes()).map_err(|e| fault(&e))?;
    part.persist(file).map_err(|e| fault(&e.error))?;
    Ok(())
}

fn forget(file: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(file) {
        Ok(()) => print(format!("removed {}\n", file.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => print("nothing was chosen\n"),
        Err(error) => Err(format!("{}: {error}", file.display()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(saved: f64, shown: f64, edits: Option<f64>) -> Figures {
        Figures { saved, shown: Some(shown), edits }
    }

    #[test]
    fn the_limit_that_saves_most_within_what_is_allowed_is_chosen() {
        let rows = [
            (0, figures(30.0, 99.0, Some(100.0))),
            (24_576, figures(35.0, 98.5, Some(99.5))),
            (8_192, figures(40.0, 98.0, Some(98.0))),
            (4_096, figures(45.0, 90.0, Some(99.9))),
        ];
        assert_eq!([0.0, 1.0, 2.0, 20.0].map(|allow| choose(&rows, allow, 0)), [0, 24_576, 8_192, 4_096]);
        assert_eq!(choose(&rows, 1.0, 8_192), 24_576, "the present one hides too much");
        assert!(!do_all_the_same(&rows));
        let without_edits = rows.map(|(limit, row)| (limit, Figures { edits: None, ..row }));
        assert_eq!(choose(&without_edits, 1.0, 0), 8_192);
    }

    #[test]
    fn where_nothing_is_learnt_the_present_limit_stays() {
        let rows = [0, 24_576, 12_288, 4_096].map(|limit| (limit, figures(30.0, 99.0, Some(100.0))));
        assert!(do_all_the_same(&rows));
        assert_eq!([0, 12_288, 4_096].map(|now| choose(&rows, 1.0, now)), [0, 12_288, 4_096]);
    }
}
