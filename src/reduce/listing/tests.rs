//! The content of a listing can be read back from its new form, line by line.

use proptest::prelude::*;

use crate::config::{Mode, Policy};
use crate::pipeline::repeat::dedup::NoHistory;
use crate::pipeline::{Outcome, Raw, compress};
use crate::text::call::ToolCall;

fn run(command: &str, text: &str, mode: Mode) -> Outcome {
    let policy = Policy { min_bytes: 0, mode, ..Policy::default() };
    let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
    compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap()
}

/// Reads the form of a path list back: the paths in order.
fn paths(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut known: Vec<String> = Vec::new();
    let full = |path: &str, known: &[String], is_head: bool| match path.strip_prefix(".../") {
        Some(end) => {
            let cut = end.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
            let (folder, name) = if cut == 0 || is_head { (end, "") } else { end.split_at(cut) };
            let all: Vec<&String> = known.iter().filter(|k| k.ends_with(&format!("/{folder}"))).collect();
            assert!(all.iter().all(|k| *k == all[0]), "{path} has several readings");
            format!("{}{name}", all[0])
        }
        None => path.to_owned(),
    };
    let mut folder: Option<String> = None;
    let mut starts = true;
    let mut same: Option<&str> = None;
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().copied().enumerate() {
        let next = lines.get(i + 1).copied().unwrap_or_default();
        let bare = |line: &str| line.split(' ').all(|name| !name.trim_end_matches('/').contains('/'));
        let heads = !next.is_empty() && bare(next);
        if line.is_empty() {
            (folder, starts, same) = (None, true, None);
            continue;
        }
        if let Some(name) = same {
            out.push(format!("{line}{name}"));
            known.push(line.to_owned());
        } else if starts && line.ends_with(" in:") {
            same = line.strip_suffix(" in:");
        } else if let Some(folder) = &folder {
            out.extend(line.split(' ').map(|name| format!("{folder}{name}")));
        } else if starts && line.ends_with('/') && heads {
            folder = Some(full(line, &known, true));
            known.extend(folder.clone());
        } else if bare(line) {
            out.extend(line.split(' ').map(str::to_owned));
        } else {
            let path = full(line, &known, false);
            let end = path.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
            known.push(path[..end].to_owned());
            out.push(path);
        }
        starts = false;
    }
    out
}

fn path() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec![
        "",
        "./",
        "./source/",
        "./source/alpha/",
        "./source/alpha/deep/down/",
        "./source/beta/",
        "./tests/alpha/",
        "/abs/My Files/alpha/",
        "/abs/My Files/",
        "source/",
    ]);
    let name = prop_oneof![
        "[a-e]{1,3}[.](rs|md)",
        "[a-e]{1,3}/",
        "[.][a-e]{2,9}",
        Just("mod.rs".to_owned()),
        Just("mod.rs".to_owned()),
        Just("mod.rs".to_owned()),
        "[a-c]{1,2} [d-f]{1,3}",
        "ü[a-f]{30,50}"
    ];
    (folder, name).prop_map(|(folder, name)| match folder.starts_with(['/', '.']) {
        true => format!("{folder}{name}"),
        false => format!("{folder}{}", name.replace(' ', "_")),
    })
}

proptest! {
    #[test]
    fn a_path_list_is_read_back(paths_in in proptest::collection::vec(path(), 4..60), sorted in any::<bool>()) {
        let mut list = paths_in;
        if sorted {
            list.sort();
        }
        let mut seen = std::collections::HashSet::new();
        list.retain(|path| seen.insert(path.clone()));
        let text = list.join("\n");
        let out = run("find . /abs", &text, Mode::Standard);
        let shown = out.texts.concat();
        if out.evidence.reducer.as_deref() == Some("listing") {
            prop_assert_eq!(paths(&shown), list, "{}", shown);
        }
        prop_assert_eq!(run("find . /abs", &shown, Mode::Standard).texts.concat(), shown);
    }

    #[test]
    fn any_lines_keep_a_second_run_as_it_is(
        lines in proptest::collection::vec("(a|b|src/|src/a|/x/y/|x:|total 8|├── a|  b c|\\.\\.\\./a/b|-rw-r--r-- 1 u g 5 Feb  3 11:05 [ab]|node_modules/[ab]|)", 1..40),
        command in prop::sample::select(vec!["ls -laR", "find .", "tree", "fd", "du -a"]),
    ) {
        let once = run(command, &lines.join("\n"), Mode::Standard).texts.concat();
        prop_assert_eq!(run(command, &once, Mode::Standard).texts.concat(), once);
    }
}

/// A tree as `tree` draws it: names and their levels.
fn drawn(nodes: &[(usize, String)], last: &str, ascii: bool) -> String {
    let mut out = String::from(".\n");
    for (i, (level, name)) in nodes.iter().enumerate() {
        let more = |at: usize| nodes[i + 1..].iter().find(|(l, _)| *l <= at).is_some_and(|(l, _)| *l == at);
        for at in 0..*level {
            out += if more(at) { ["│\u{a0}\u{a0} ", "|   "][usize::from(ascii)] } else { "    " };
        }
        out += match (more(*level), ascii) {
            (true, false) => "├── ",
            (false, false) => "└── ",
            (true, true) => "|-- ",
            (false, true) => "`-- ",
        };
        out += name;
        out.push('\n');
    }
    out + last
}

proptest! {
    #[test]
    fn the_levels_of_a_tree_stay(steps in proptest::collection::vec((0usize..4, "[a-z .]{0,6}[a-z]"), 8..50), ascii in any::<bool>()) {
        let mut level = 0usize;
        let mut nodes: Vec<(usize, String)> = Vec::new();
        for (i, (step, name)) in steps.into_iter().enumerate() {
            level = if step == 3 && i > 0 { level + 1 } else { level.saturating_sub(step % 3) };
            nodes.push((level, format!("{i}{name}")));
        }
        let text = drawn(&nodes, "\n3 directories, 4 files\n", ascii);
        let out = run("tree", &text, Mode::Standard);
        prop_assert_eq!(out.evidence.reducer.as_deref(), Some("listing"));
        let shown = out.texts.concat();
        let read: Vec<(usize, String)> = shown
            .lines()
            .skip(1)
            .take_while(|line| !line.is_empty())
            .map(|line| (line.len() - line.trim_start().len() - 1, line.trim_start().to_owned()))
            .collect();
        prop_assert_eq!(read, nodes);
        prop_assert_eq!(run("tree", &shown, Mode::Standard).texts.concat(), shown);
    }
}

#[test]
fn a_tree_that_was_cut_off_says_so() {
    let text =
        ".\n├── alpha\n│\u{a0}\u{a0} ├── one.rs\n│\u{a0}\u{a0} ├── two.rs\n│\u{a0}\u{a0} └── three.rs\n";
    let out = run("tree | head -5", text, Mode::Standard).texts.concat();
    assert_eq!(out, ".\n alpha\n  one.rs\n  two.rs\n│\u{a0}\u{a0} └── three.rs\n");
}

#[test]
fn a_folder_that_comes_back_is_written_by_its_end() {
    let text = "/long/way/to/the/sources/a.rs\n/long/way/to/the/sources/b.rs\n/long/way/to/the/tests/a.rs\n/long/way/to/the/sources/c.rs\n/long/way/to/the/tests/b.rs\n/long/way/to/the/tests/c.rs\n/other/way/tests/d.rs\n";
    let out = run("find /", text, Mode::Standard).texts.concat();
    assert_eq!(
        out,
        "/long/way/to/the/sources/\na.rs b.rs\n\n/long/way/to/the/tests/a.rs\n.../sources/c.rs\n\n.../the/tests/\nb.rs c.rs\n\n/other/way/tests/d.rs\n"
    );
    assert_eq!(paths(&out), text.lines().collect::<Vec<_>>());
}

#[test]
fn one_name_in_many_folders_stands_before_them() {
    let text: String = (0..8).map(|i| format!("./apps/number{i}/models.py\n")).collect();
    let out = run("find . -name models.py", &text, Mode::Aggressive).texts.concat();
    let folders: String = (0..8).map(|i| format!("./apps/number{i}/\n")).collect();
    assert_eq!(out, format!("models.py in:\n{folders}"));
    assert_eq!(paths(&out), text.lines().collect::<Vec<_>>());
}

#[test]
fn every_name_of_a_recursive_listing_stays() {
    let text = ".:\nREADME.md\nsrc\ntests\n\n./src:\na.rs\nb.rs\nmy file\n\n./tests:\n.hidden\nx.rs\n";
    let out = run("ls -RA", text, Mode::Standard).texts.concat();
    assert_eq!(out, ".:\nREADME.md src tests\n./src:\na.rs\nb.rs\nmy file\n\n./tests:\n.hidden x.rs\n");
}

#[test]
fn noise_that_was_asked_for_stays() {
    let list: String = (0..50).map(|i| format!("./node_modules/left-pad/lib/file{i}.js\n")).collect();
    let text = format!("./index.js\n{list}./src/main.js\n");
    for (command, omitted) in [
        ("find . -type f", 49),
        ("find . -name '*.js' | head -100", 49),
        ("find node_modules src index.js", 0),
        ("find . -path './node_modules/*'", 0),
    ] {
        let out = run(command, &text, Mode::Standard);
        let count: usize = out.evidence.omissions.iter().map(|o| o.count).sum();
        assert_eq!(count, omitted, "{command}");
        assert!(out.texts.concat().contains("./node_modules/left-pad/lib/"));
    }
    let changed = run("git diff --name-only HEAD~9", &text, Mode::Aggressive);
    assert_eq!(changed.evidence.reducer.as_deref(), Some("listing"));
    assert!(changed.evidence.omissions.is_empty());
    let inside = run("find . -type f", &list, Mode::Standard);
    assert!(inside.evidence.omissions.is_empty());
}

#[test]
fn a_large_folder_is_shown_in_part_only_when_aggressive() {
    let list: String = (0..400).map(|i| format!("./data/part-{i:04}.csv\n")).collect();
    let text = format!("{list}./data/odd.parquet\n{}", list.replace("part", "rest"));
    let whole = run("find . -type f", &text, Mode::Standard);
    assert!(whole.evidence.omissions.is_empty() && whole.texts.concat().contains("part-0200.csv"));
    let part = run("find . -type f", &text, Mode::Aggressive);
    let shown = part.texts.concat();
    for name in ["./data/\n", "part-0000.csv", "odd.parquet", "rest-0399.csv"] {
        assert!(shown.contains(name), "{name}: {shown}");
    }
    let names = shown.split_whitespace().filter(|word| word.ends_with(".csv") || word.ends_with(".parquet"));
    let omitted: usize = part.evidence.omissions.iter().map(|o| o.count).sum();
    assert_eq!(names.count() + omitted, 801);
}
