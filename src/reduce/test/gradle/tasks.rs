//! Gradle tasks with an outcome that is rare for their name: one `NO-SOURCE` among a hundred `UP-TO-DATE`.

use std::collections::{HashMap, HashSet};

use super::is_task;
use crate::text::judge::EXCEPTION_ONE_IN;
use crate::text::source::Source;

/// A task can be an exception only if at least this many tasks have its name. A choice.
const MIN_TASKS: usize = 8;
/// Most tasks that are kept for each of the two reasons. A choice.
const MAX_KEPT: usize = 8;

/// The lines of tasks that are kept for their outcome: few tasks of that name have it, or it says that tests did not
/// run.
pub fn outlier_tasks(source: &Source<'_>) -> HashSet<usize> {
    let tasks: Vec<(usize, &str, &str)> =
        (0..source.len()).filter_map(|i| task(source.line(i)).map(|(name, end)| (i, name, end))).collect();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut ends: HashMap<(&str, &str), usize> = HashMap::new();
    for &(_, name, end) in &tasks {
        *names.entry(name).or_default() += 1;
        *ends.entry((name, end)).or_default() += 1;
    }
    let is_odd = |name: &str, end: &str| {
        let all = names.get(name).copied().unwrap_or(0);
        all >= MIN_TASKS && ends.get(&(name, end)).is_some_and(|count| count * EXCEPTION_ONE_IN <= all)
    };
    let outliers: Vec<usize> =
        tasks.iter().filter(|(_, name, end)| is_odd(name, end)).map(|(i, ..)| *i).collect();
    let idle = |name: &str, end: &str| matches!(end, "NO-SOURCE" | "SKIPPED") && is_test(name);
    let idle: Vec<usize> = tasks.iter().filter(|(_, name, end)| idle(name, end)).map(|(i, ..)| *i).collect();
    // If many test tasks did not run, that is normal for this build, and none is kept.
    let few = |lines: Vec<usize>, most: usize| lines.into_iter().take(most);
    let idle = if idle.len() <= MAX_KEPT { idle } else { Vec::new() };
    few(outliers, MAX_KEPT).chain(idle).collect()
}

/// The last part of the path of a task, and its outcome: `test` and `NO-SOURCE` of `> Task :api:test NO-SOURCE`.
fn task(line: &str) -> Option<(&str, &str)> {
    if !is_task(line) {
        return None;
    }
    let text = line.strip_prefix("> Task ").unwrap_or(line).trim_end();
    let (path, end) = text.split_once(' ').unwrap_or((text, ""));
    Some((path.strip_prefix(':')?.rsplit(':').next()?, end))
}

/// `test`, `integrationTest`, `testDebugUnitTest`
fn is_test(name: &str) -> bool {
    name == "test" || name.ends_with("Test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_that_differ_are_found() {
        let tasks = |n: usize, odd: &str| -> String {
            let line = |i: usize| format!("> Task :m{i}:jar{}\n", if i == 3 { odd } else { " UP-TO-DATE" });
            (0..n).map(line).collect()
        };
        assert_eq!(outlier_tasks(&Source::new(&tasks(20, ""))), HashSet::from([3]));
        assert_eq!(outlier_tasks(&Source::new(&tasks(20, " NO-SOURCE"))), HashSet::from([3]));
        assert_eq!(outlier_tasks(&Source::new(&tasks(7, ""))), HashSet::new());
        assert_eq!(
            outlier_tasks(&Source::new("> Task :jar NO-SOURCE\n> Task :test NO-SOURCE\n")),
            HashSet::from([1])
        );
        let many: String = (0..20).map(|i| format!(":m{i}:test NO-SOURCE\n")).collect();
        assert_eq!(outlier_tasks(&Source::new(&many)), HashSet::new());
    }
}
