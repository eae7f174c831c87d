//! Cuts near lines that depend on others: rows under a heading, messages that summarize many lines, blocks that are
//! called similar to others, counts in markers. No line that is shown may get another meaning by the cut.

use std::collections::HashMap;
use std::fmt::Write as _;

use tersed::config::{Mode, Policy};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;

fn run(command: &str, exit_code: i32, text: &str, mode: Mode) -> Outcome {
    let call = ToolCall {
        tool: "bash".to_owned(),
        command: Some(command.to_owned()),
        exit_code: Some(exit_code.into()),
        ..ToolCall::default()
    };
    let policy = Policy { mode, dictionary: tersed::config::DictionaryMethod::None, ..Policy::default() };
    compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap()
}

/// A word that differs for each number and holds no pattern.
fn word(n: usize) -> String {
    format!("{:012x}", (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16)
}

fn is_marker(line: &str) -> bool {
    line.starts_with("[tersed")
}

#[test]
fn rows_of_a_log_stay_with_their_service() {
    let service = |i: usize| ["api-1", "db-1 ", "web-1"][i / 80 % 3];
    let mut text = String::new();
    for i in 0..400 {
        let _ =
            writeln!(text, "{}  | event {i} handled in a way that takes a line, key={}", service(i), word(i));
    }
    for mode in [Mode::Standard, Mode::Aggressive] {
        let out = run("docker compose logs", 0, &text, mode).texts.concat();
        assert!(out.contains("[tersed") && out.contains("\n| event"), "{out}");
        let mut last = "";
        for line in out.lines().filter(|line| !is_marker(line)) {
            let (name, rest) = line.split_once("| ").unwrap();
            last = if name.trim().is_empty() { last } else { name.trim() };
            let number: usize = rest.split(' ').nth(1).unwrap().parse().unwrap();
            assert_eq!(last, service(number).trim(), "{line}\n{out}");
        }
    }
}

#[test]
fn names_of_a_listing_stay_in_their_folder() {
    let mut text = String::new();
    let mut folders = HashMap::new();
    for i in 0..4000 {
        let folder = format!("./assets/folder_{:02}/", i / 77);
        let name = format!("file_{}.txt", word(i));
        let _ = writeln!(text, "{folder}{name}");
        folders.insert(name, folder);
    }
    let out = run("find . -type f", 0, &text, Mode::Standard).texts.concat();
    assert!(out.contains("[tersed") && out.lines().any(|line| folders.values().any(|f| f == line)), "{out}");
    let mut folder = String::new();
    let mut shown = 0;
    for line in out.lines().filter(|line| !is_marker(line)) {
        if folders.values().any(|known| known == line) {
            line.clone_into(&mut folder);
            continue;
        }
        for name in line.split_whitespace() {
            let (own, name) = name.rfind('/').map_or(("", name), |at| name.split_at(at + 1));
            let own = if own.is_empty() { folder.as_str() } else { own };
            assert_eq!(folders.get(name).map(String::as_str), Some(own), "{line}: {name}");
            shown += 1;
        }
    }
    assert!(shown > 500, "{shown}");
}

#[test]
fn findings_stay_with_their_file() {
    let mut text = String::new();
    let mut files = HashMap::new();
    for file in 0..60 {
        let path = format!("/src/app/file{file}.ts");
        let _ = writeln!(text, "{path}");
        for row in 0..30 {
            let severity = if row % 11 == 5 { "error  " } else { "warning" };
            let message = format!("{} is not what it should be", word(file * 100 + row));
            let _ =
                writeln!(text, "  {:>3}:5  {severity}  {message}  rule-{}", row * 3, (file * 7 + row) % 23);
            files.insert(word(file * 100 + row), path.clone());
        }
        text.push('\n');
    }
    text.push_str("✖ 1800 problems (180 errors, 1620 warnings)\n");
    for mode in [Mode::Standard, Mode::Aggressive] {
        let out = run("npx eslint .", 1, &text, mode).texts.concat();
        assert!(out.contains("[tersed"), "{out}");
        let mut path = "";
        let mut errors = 0;
        for line in out.lines() {
            if line.starts_with("/src") {
                path = line;
            } else if let Some((place, rest)) =
                line.split_once("  error    ").filter(|(p, _)| p.starts_with(' '))
            {
                let word = rest.split(' ').next().unwrap();
                assert_eq!(files.get(word).map(String::as_str), Some(path), "{place} {rest}\n{out}");
                errors += 1;
            }
        }
        assert!(errors > 60, "{errors}");
    }
}

#[test]
fn a_message_that_is_cut_says_so() {
    let mut text = String::new();
    for i in 0..9000 {
        let _ = writeln!(
            text,
            "src/package_{:02}/module_{:03}.py:{}:80: E501 line too long ({} > 79 characters)",
            i / 300,
            i / 30,
            3 + i % 30 * 11,
            80 + i % 40
        );
    }
    for mode in [Mode::Standard, Mode::Aggressive] {
        let outcome = run("flake8 src", 1, &text, mode);
        let out = outcome.texts.concat();
        let (message, rest) = out.split_once("E501").unwrap();
        let places = rest.lines().filter(|line| line.starts_with("  src/package_")).count();
        assert!(places > 100 && message.lines().count() < 100, "{out}");
        // The marker after the shown places says that others are not shown.
        let cut = rest.lines().find(|line| line.starts_with("[tersed")).unwrap();
        assert!(cut.contains(" bytes of line ") && cut.ends_with(", shared_message]"), "{out}");
    }
}

#[test]
fn blocks_are_like_lines_that_are_shown() {
    let block = |n: usize| -> String {
        (0..9).map(|i| format!("block {n}: line {i} says {}\n", word(i + n))).collect()
    };
    let mut text = String::new();
    for i in 0..400 {
        let _ =
            writeln!(text, "step {} does something that is said at some length: {}", word(i), word(i * 3));
        if i % 16 == 7 {
            text.push_str(&block(i / 32));
        }
    }
    for mode in [Mode::Standard, Mode::Aggressive] {
        let outcome = run("./run.sh", 0, &text, mode);
        let out = outcome.texts.concat();
        let gone: Vec<_> = outcome.evidence.omissions.iter().map(|gap| gap.lines).collect();
        for line in out.lines().filter(|line| line.contains("repeated_block")) {
            let (_, lines) = line.rsplit_once("as lines ").unwrap();
            let lines = lines.trim_end_matches(']').split(',').next().unwrap();
            let (first, last) = lines.split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            assert!(gone.iter().all(|[a, b]| *b < first || *a > last), "{line}\n{gone:?}");
        }
        assert!(out.contains("[tersed"), "{out}");
    }
}
