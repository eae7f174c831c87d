//! Finds commits that are unlike the others of a log: with a branch or tag, a merge among commits of one line, a rare
//! action of a reflog, a file of another kind.

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

#[cfg(test)]
mod tests {
    use super::*;

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
