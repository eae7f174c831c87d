//! Finds commits that are unlike the others of a log: with a branch or tag, a merge among commits of one line, a rare
//! action of a reflog, a rare author, committer or time zone, a file of another kind.

use super::style::{self, Style};
use super::undo;
use crate::reduce::outliers::names;
use crate::text::judge::{Counted, RARE_ONE_IN, is_few};
use crate::text::ledger::{Action, Reduction};
use crate::text::maps::Set;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The most commits that stay because they have references, and the most that stay because they are merges. A choice.
const MAX_MARKED: usize = 10;
/// Most binary files that stay. A choice.
const MAX_BINARY: usize = 3;
/// Most commits that stay because of their author or time zone: with more, a log simply has many. A choice.
const MAX_SIGNED: usize = 4;
/// Lines below the start of a commit that are searched for its fields and its subject.
const MAX_HEADER_LINES: usize = 12;

/// Finds outliers among the one-line commits to leave out.
pub fn commits(source: &Source<'_>, gone: &[usize]) -> Vec<usize> {
    let (mut refs, mut merges, mut actions) = (Vec::new(), Vec::new(), Counted::default());
    // The word after the hash: the kind of change, or a status such as that of a signature.
    let mut words = Counted::default();
    for &line in gone {
        crate::stop::check_sometimes();
        let text = source.line(line).trim_start_matches(['*', '|', '/', '\\', '_', ' ']);
        let text = text.split_once(' ').map_or("", |(_, text)| text.trim_start());
        let inside = text.strip_prefix('(').and_then(|inside| inside.split_once(") "));
        let is_ref =
            |names: &str| names.contains(['/', '>']) || names.contains("tag: ") || !names.contains(' ');
        if inside.is_some_and(|(names, _)| is_ref(names)) {
            refs.push(line);
        }
        let subject = inside.map_or(text, |(_, subject)| subject);
        words.add(subject.split(' ').next().unwrap_or_default(), line);
        if subject.starts_with("Merge ") {
            merges.push(line);
        }
        if let Some(action) = action(subject) {
            actions.add(action, line);
        }
    }
    let mut out = actions.rare();
    out.extend(words.rare());
    for places in [refs, merges] {
        if is_few(places.len(), gone.len(), RARE_ONE_IN) {
            out.extend(places.into_iter().take(MAX_MARKED));
        }
    }
    out
}

/// The action of `HEAD@{12}: reset: moving to HEAD~3`.
fn action(entry: &str) -> Option<&str> {
    let (name, entry) = entry.split_once("}: ")?;
    let is_name = !name.contains(' ') && name.contains("@{");
    entry.split_once(": ").filter(|_| is_name).map(|(action, _)| action)
}

/// The lines of file statistics that are left out, with a file unlike the others.
pub fn files(source: &Source<'_>, out: &Reduction) -> Set<usize> {
    let bodies =
        out.spans.iter().filter(|s| matches!(s.action, Action::Omit { reason: Reason::CommitBody, .. }));
    let lines = bodies.flat_map(|span| span.lines.clone());
    let file = |line: usize| {
        let text = source.line(line).strip_prefix(' ').filter(|text| !text.starts_with(' '))?;
        Some((line, text.rsplit_once(" | ")?.0.trim()))
    };
    let files: Vec<(usize, &str)> = lines.filter_map(file).collect();
    let is_binary = |line: usize| {
        source.line(line).rsplit_once(" | ").is_some_and(|(_, size)| size.trim_start().starts_with("Bin "))
    };
    let binary: Vec<usize> = files.iter().map(|(line, _)| *line).filter(|line| is_binary(*line)).collect();
    let mut out: Set<usize> = names::outlier_files(files.iter().copied()).into_iter().collect();
    if binary.len() <= MAX_BINARY && is_few(binary.len(), files.len(), RARE_ONE_IN) {
        out.extend(binary);
    }
    out
}

/// The lines of the few commits of a log of blocks that undo others, or whose author, committer or time zone hardly any other
/// commit has: each with its first line, those fields, its date and its subject, in order.
pub fn signed(source: &Source<'_>) -> Vec<usize> {
    let (mut authors, mut committers, mut zones) =
        (Counted::default(), Counted::default(), Counted::default());
    let (mut undoes, mut all) = (Vec::new(), 0);
    for commit in 0..source.len() {
        crate::stop::check_sometimes();
        let Some((style, width)) = Style::of(source, commit) else { continue };
        all += 1;
        let is_undo = |line: usize| undo::is_subject(style::inner(source.line(line), width));
        undoes.extend(subject(source, commit, width).filter(|line| is_undo(*line)).map(|_| commit));
        for (key, value) in header(source, commit, width).filter_map(|line| field(source, style, width, line))
        {
            match key {
                "Author:" | "user:" => authors.add(value, commit),
                "Commit:" => committers.add(value, commit),
                "Date:" | "AuthorDate:" | "date:" => {
                    zones.add(zone(value).unwrap_or_default(), commit);
                }
                _ => {}
            }
        }
    }
    if !is_few(undoes.len(), all, RARE_ONE_IN) {
        undoes.clear();
    }
    let mut commits = [authors, committers, zones].map(|counted| counted.rare()).concat();
    commits.extend(undoes);
    commits.sort_unstable();
    commits.dedup();
    if commits.len() > MAX_SIGNED {
        return Vec::new();
    }
    let mut out = Vec::new();
    for commit in commits {
        let Some((style, width)) = Style::of(source, commit) else { continue };
        out.push(commit);
        out.extend(header(source, commit, width).filter(|line| field(source, style, width, *line).is_some()));
        out.extend(subject(source, commit, width));
    }
    out
}

/// The first line of the message of a commit. In Mercurial it is a field.
fn subject(source: &Source<'_>, commit: usize, width: usize) -> Option<usize> {
    let below = header(source, commit, width).last().unwrap_or(commit) + 1..source.len();
    let is_text = |line: &usize| !style::inner(source.line(*line), width).trim().is_empty();
    below.take(2).find(is_text).filter(|line| Style::of(source, *line).is_none())
}

/// The lines with the fields of a commit.
fn header<'a>(source: &'a Source<'_>, commit: usize, width: usize) -> impl Iterator<Item = usize> + 'a {
    let below = (commit + 1..source.len()).take(MAX_HEADER_LINES);
    below.take_while(move |line| !style::inner(source.line(*line), width).trim().is_empty())
}

/// The name and the value of a field that says who made a commit, and when.
fn field<'a>(source: &Source<'a>, style: Style, width: usize, line: usize) -> Option<(&'a str, &'a str)> {
    let line = style::inner(source.line(line), width);
    let key = style.repeating_key(line)?;
    Some((&line[..key.len()], line[key.len()..].trim()))
}

/// The time zone at the end of a date: `+0200`.
fn zone(date: &str) -> Option<&str> {
    let zone = date.rsplit(' ').next()?;
    let digits = zone.strip_prefix(['+', '-'])?;
    (digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())).then_some(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_author_and_a_rare_time_zone_stay_with_their_commits() {
        let commit = |i: usize, who: &str, zone: &str| {
            format!(
                "commit {i:040x}\nAuthor: {who} <a@b.c>\nDate:   Mon Mar 3 1:00:00 2025 {zone}\n\n    Change {i}\n\n"
            )
        };
        let log = |who: &str, zone: &str| -> String {
            (0..60)
                .map(
                    |i| if i == 33 { commit(i, who, zone) } else { commit(i, ["Ada", "Bo"][i % 2], "+0200") },
                )
                .collect()
        };
        let first = 33 * 6;
        for (who, zone) in [("Cy", "+0200"), ("Ada", "-0730")] {
            assert_eq!(
                signed(&Source::new(&log(who, zone))),
                [first, first + 1, first + 2, first + 4],
                "{who} {zone}"
            );
        }
        assert_eq!(signed(&Source::new(&log("Ada", "+0200"))), [0; 0]);
        // Each commit has its own author: none of them is unlike the others.
        let many: String = (0..60).map(|i| commit(i, &format!("A{i}"), "+0200")).collect();
        assert_eq!(signed(&Source::new(&many)), [0; 0]);
    }

    fn kept_commits(odd: &str) -> Vec<usize> {
        let text: String = (0..60)
            .map(|i| if i == 33 { format!("{odd}\n") } else { format!("1a2b3c4 HEAD@{{{i}}}: commit: a\n") })
            .collect();
        commits(&Source::new(&text), &(0..60).collect::<Vec<_>>())
    }

    #[test]
    fn the_few_commits_unlike_the_others_stay() {
        for odd in [
            "1a2b3c4 HEAD@{33}: reset: moving to HEAD~3",
            "* 1a2b3c4 (origin/fix) HEAD@{33}: commit: a",
            "| *   1a2b3c4 Merge branch 'fix'",
        ] {
            assert_eq!(kept_commits(odd), [33], "{odd}");
        }
        assert_eq!(kept_commits("1a2b3c4 HEAD@{33}: commit: b"), [0; 0]);
        assert_eq!(action("fix: a"), None);
        let signed = |i: usize| format!("1a2b3c4 {} change {i}\n", if i == 33 { "B" } else { "G" });
        let text: String = (0..60).map(signed).collect();
        assert_eq!(commits(&Source::new(&text), &(0..60).collect::<Vec<_>>()), [33]);
    }

    #[test]
    fn a_file_of_another_kind_stays() {
        let text: String =
            (0..60).map(|i| format!(" src/a{i}.{} | 3 +++\n", if i == 33 { "pem" } else { "ts" })).collect();
        let source = Source::new(&text);
        let mut out = Reduction::default();
        out.omit_in(0..60, Reason::CommitBody, 1);
        assert_eq!(files(&source, &out).into_iter().collect::<Vec<_>>(), [33]);
        let text: String = (0..60)
            .map(|i| format!(" src/a{i}.ts | {}\n", if i == 33 { "Bin 0 -> 912 bytes" } else { "3 +++" }))
            .collect();
        assert_eq!(files(&Source::new(&text), &out).into_iter().collect::<Vec<_>>(), [33]);
    }
}
