//! `ansible-playbook`: tasks that changed nothing are left out with their headings. Lines on hosts that changed,
//! failed or were unreachable, printed output and the recap are kept.
//!
//! Grammar: `PLAY [name] ****`, `TASK [name] ****`, below it one `ok: [host]`, `changed: [host]`, … for each host,
//! followed by ` => {json}` if there are details, then `PLAY RECAP ****`. A task with any other line keeps its
//! heading and loses only the hosts on which nothing changed; a task with a failure is kept whole. A host whose
//! result is rare among the hosts of the task is kept with the heading.

use std::ops::Range;

use super::{CLAIM_LINES, Tally};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::lines::extent;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::judge::Counted;
use crate::text::ledger::Reduction;
use crate::text::maps::Set;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Ansible;

static META: Meta = Meta {
    id: "ansible",
    family: "build",
    reads: "`ansible-playbook`, `ansible-pull`",
    keeps: "plays, tasks that changed, failed or printed something, or in which a host is missing, warnings, differences, the recap",
    omits: "tasks in which every host is ok or was skipped, such hosts of other tasks that did not fail",
    anchors: &["PLAY [", "PLAY RECAP *", "TASK ["],
};

impl Reducer for Ansible {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "ansible-playbook" | "ansible-pull" | "ansible-runner" | "molecule")
    }

    fn is_driver(&self, s: &Simple) -> bool {
        matches!(s.program(), "make" | "vagrant" | "packer")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let starts: Vec<usize> = (0..source.len()).filter(|&i| heading(source.line(i)).is_some()).collect();
        let lacking = lacking(source, &starts);
        let mut group = 1;
        for (at, &start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(source.len());
            if lacking.contains(&start) {
                continue;
            }
            match heading(source.line(start)) {
                Some("TASK" | "RUNNING HANDLER" | "HANDLER") => task(source, start..end, group, &mut out),
                // The tasks of one play share one marker.
                _ => group += 1,
            }
        }
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let known = extent(source, |line| heading(line).is_some() || is_recap(line));
        // The last task ends with its results, before the first empty line.
        let below = known.end - 1..source.len();
        known.start..below.clone().find(|&i| source.line(i).trim().is_empty()).unwrap_or(below.end)
    }
}

/// Leaves out the lines of a task that report no change. The first line is its heading.
fn task(source: &Source<'_>, lines: Range<usize>, group: u32, out: &mut Reduction) {
    let body = lines.start + 1..lines.end;
    let text = |i: &usize| !source.line(*i).trim().is_empty();
    if body.clone().any(|i| signals::is_failure(source.line(i))) || !body.clone().any(|i| text(&i)) {
        return;
    }
    let unlike = outlier_hosts(source, body.clone());
    if unlike.is_empty() && body.clone().filter(text).all(|i| is_unchanged(source.line(i))) {
        // The empty line after the task is left out too.
        out.omit_in(lines, Reason::Progress, group);
        return;
    }
    let is_changed = |i: &usize| source.line(*i).starts_with("changed: [");
    let changed = body.clone().filter(is_changed).count();
    let same: Vec<usize> = body.filter(|i| is_unchanged(source.line(*i))).collect();
    // The few hosts of a task on which nothing changed although it did on the others.
    if same.len() <= MAX_UNLIKE_HOSTS && same.len() * 2 <= changed {
        return;
    }
    for i in same.into_iter().filter(|i| unlike.binary_search(i).is_err()) {
        out.omit_in(i..i + 1, Reason::Progress, group);
    }
}

/// The lines of hosts whose state or result is rare among the hosts of the task: skipped where others were not.
fn outlier_hosts(source: &Source<'_>, body: Range<usize>) -> Vec<usize> {
    let mut said: Counted<(&str, &str)> = Counted::default();
    for i in body {
        if let Some((state, rest)) = source.line(i).split_once(": [")
            && let Some((_, result)) = rest.split_once(']')
            && is_unchanged(source.line(i))
        {
            said.add((state, result.trim()), i);
        }
    }
    let rare = said.rare();
    // With few hosts, one counts as different if all others agree and it has a result of its own, not just `ok`.
    if rare.is_empty() && said.kinds() == 2 && said.all() >= FEW_HOSTS {
        let results = said.single().filter(|i| source.line(*i).contains(" => {"));
        return results.into_iter().collect();
    }
    rare
}

/// The fewest hosts among which one can count as different.
const FEW_HOSTS: usize = 3;
/// The most hosts of a task that stay because the others were changed. A choice.
const MAX_UNLIKE_HOSTS: usize = 3;

/// The fewest tasks of a run among which one that lacks a host stands out, and the most such tasks. Choices.
const MIN_TASKS: usize = 8;
const MAX_LACKING: usize = 2;
/// Most hosts of such a run: with more, a reader would not see which host a task lacks. A choice.
const MAX_HOSTS: usize = 16;

/// The headings of the few tasks with fewer hosts than all others, but more than half of them.
fn lacking(source: &Source<'_>, starts: &[usize]) -> Vec<usize> {
    let mut tasks: Vec<(usize, usize)> = Vec::new();
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(source.len());
        let hosts: Set<&str> = (start + 1..end)
            .filter_map(|i| {
                crate::stop::check_sometimes();
                let (state, rest) = source.line(i).split_once(": [")?;
                Some(rest.split_once(']')?.0).filter(|_| state.bytes().all(|b| b.is_ascii_lowercase()))
            })
            .collect();
        if heading(source.line(start)) == Some("TASK") {
            tasks.push((start, hosts.len()));
        }
    }
    let usual = tasks.iter().map(|(_, hosts)| *hosts).max().unwrap_or(0);
    let fewer: Vec<usize> = tasks
        .iter()
        .filter(|(_, hosts)| *hosts < usual && hosts * 2 > usual)
        .map(|(start, _)| *start)
        .collect();
    let is_usual = |(_, hosts): &&(usize, usize)| *hosts == usual;
    let are_few = tasks.len() >= MIN_TASKS && fewer.len() <= MAX_LACKING && usual <= MAX_HOSTS;
    let others = tasks.iter().filter(is_usual).count();
    if are_few && others * 2 > tasks.len() { fewer } else { Vec::new() }
}

/// The subject of a heading: `TASK [name] ****`, `PLAY RECAP ****`.
fn heading(line: &str) -> Option<&str> {
    let before = line.trim_end().strip_suffix("***")?.trim_end_matches('*');
    let kind = before.split('[').next()?.trim_end();
    let known =
        matches!(kind, "PLAY" | "TASK" | "RUNNING HANDLER" | "HANDLER" | "PLAY RECAP" | "NO MORE HOSTS LEFT");
    known.then_some(kind)
}

/// `ok: [web1]`, `ok: [web1] => (item=one)`, `skipping: [web1]`, and with `-v` a result without output.
fn is_unchanged(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("ok: [").or_else(|| line.strip_prefix("skipping: [")) else {
        return line.starts_with("included: ");
    };
    let Some((_, said)) = rest.split_once(']') else { return false };
    let said = said.trim();
    // Output and messages are the purpose of a task, so they are kept.
    let quiet = |said: &str| {
        !["\"stdout\"", "\"msg\"", "\"stderr\""].iter().any(|key| said.contains(key)) && said.ends_with('}')
    };
    said.is_empty()
        || said.starts_with("=> (item=") && (said.ends_with(')') || said.contains(" => {") && quiet(said))
        || said.starts_with("=> {\"") && quiet(said)
        || line.starts_with("skipping: ") && said.starts_with("=> {") && said.ends_with('}')
}

/// `web1                       : ok=8    changed=5    unreachable=0    failed=0 …`
fn is_recap(line: &str) -> bool {
    line.split_once(" : ok=").is_some_and(|(_, counts)| counts.contains("unreachable="))
}

fn tally(source: &Source<'_>) -> Tally {
    const STATES: &[&str] = &["ok: [", "changed: [", "skipping: [", "fatal: [", "failed: [", "included: "];
    let mut tally = Tally::default();
    for line in source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
        let is_known = STATES.iter().any(|s| line.starts_with(s)) || is_recap(line);
        tally.add(heading(line).is_some(), is_known);
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_unlike_the_others_stays_with_its_task() {
        let run = |hosts: usize, odd: &str, usual: &str| -> Vec<usize> {
            let said = |i: usize| if i == 2 { odd } else { usual }.replace('H', &format!("db{i}"));
            let hosts: String = (0..hosts).map(|i| said(i) + "\n").collect();
            let text = format!("TASK [Check] ****\n{hosts}\nPLAY RECAP ****\n");
            let source = Source::new(&text);
            let mut out = Reduction::default();
            task(&source, 0..source.len() - 1, 1, &mut out);
            let gone = |line: usize| out.spans.iter().any(|span| span.lines.contains(&line));
            (0..source.len() - 2).filter(|line| !gone(*line)).collect()
        };
        let stat = |exists| format!("ok: [H] => {{\"changed\": false, \"stat\": {{\"exists\": {exists}}}}}");
        assert_eq!(run(30, &stat(false), &stat(true)), [0, 3]);
        assert_eq!(run(4, &stat(false), &stat(true)), [0, 3]);
        assert_eq!(run(30, &stat(true), &stat(true)), [0; 0]);
        assert_eq!(run(30, "skipping: [H]", "ok: [H]"), [0, 3]);
        assert_eq!(run(4, "skipping: [H]", "ok: [H]"), [0; 0]);
        assert_eq!(run(4, "ok: [H]", "changed: [H]"), [0, 1, 2, 3, 4]);
        assert_eq!(run(4, "changed: [H]", "ok: [H]"), [0, 3]);
    }

    #[test]
    fn a_task_without_one_of_the_hosts_stays() {
        let kept = |lacks: &dyn Fn(usize) -> bool| {
            let task = |i: usize| {
                let hosts = if lacks(i) { "ok: [a]\nok: [b]\n" } else { "ok: [a]\nok: [b]\nok: [c]\n" };
                format!("TASK [t{i}] ****\n{hosts}\n")
            };
            let text: String = (0..12).map(task).collect();
            let source = Source::new(&text);
            let starts: Vec<usize> =
                (0..source.len()).filter(|&i| heading(source.line(i)).is_some()).collect();
            lacking(&source, &starts)
        };
        assert_eq!(kept(&|i| i == 4), [20]);
        assert_eq!(kept(&|_| false), [0; 0]);
        // After a host failed, it is in no further task.
        assert_eq!(kept(&|i| i > 4), [0; 0]);
    }

    #[test]
    fn tells_lines_apart() {
        assert_eq!(heading("TASK [Copy] ******"), Some("TASK"));
        assert_eq!(heading("PLAY RECAP ******"), Some("PLAY RECAP"));
        assert_eq!(heading("TASK [Copy]"), None);
        assert_eq!(heading("NOTE ****"), None);
        for line in
            ["ok: [a]", "skipping: [a] => (item=x) ", "ok: [a] => {\"changed\": false, \"path\": \"/x\"}"]
        {
            assert!(is_unchanged(line), "{line}");
        }
        for line in [
            "changed: [a]",
            "ok: [a] => {",
            "ok: [a] => {\"changed\": false, \"stdout\": \"x\"}",
            "fatal: [a]: FAILED!",
        ] {
            assert!(!is_unchanged(line), "{line}");
        }
        assert!(is_recap("web1      : ok=8  changed=5  unreachable=0  failed=0"));
    }
}
