//! The tables of figures and tools in the READMEs of hosts. They are made from `tests/hosts/measured.json`, which has
//! the figures of real runs, and from the table that the adapters and the audit use. `BLESS=1` writes them again.

use std::fmt::Write as _;
use std::fs;

use regex::Regex;
use serde::Deserialize;
use tersed::host::reach::HostSupport;

use crate::common::{bless, repository};

/// A run of one host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    host: String,
    version: String,
    /// Variables that were set.
    settings: Option<String>,
    tersed: String,
    on: String,
    results: Vec<Seen>,
}

/// A result in it, in characters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    kind: String,
    tool: String,
    /// Without tersed; absent where only tersed has such a result.
    before: Option<usize>,
    after: usize,
    exit: Option<String>,
}

impl Run {
    fn all() -> Vec<Self> {
        serde_json::from_str(&fs::read_to_string(repository("tests/hosts/measured.json")).unwrap()).unwrap()
    }

    /// Characters without and with tersed.
    fn sums(&self) -> (usize, usize) {
        let compared = self.results.iter().filter_map(|seen| Some((seen.before?, seen.after)));
        compared.fold((0, 0), |sum, (before, after)| (sum.0 + before, sum.1 + after))
    }

    fn gateway<'a>(&self, all: &'a [Self]) -> Option<&'a Self> {
        all.iter().find(|run| run.host == format!("{}-gateway", self.host))
    }
}

/// Folders of `editors`, the hosts in the table of tools, and those that `tests/hosts` runs.
const PAGES: &[(&str, &[&str], &[&str])] = &[
    ("claude-code", &["claude-code"], &["claude-code"]),
    ("cline", &["cline"], &["cline"]),
    ("codex", &["codex"], &["codex", "codex-code"]),
    ("copilot", &["copilot"], &["copilot", "copilot-hooks"]),
    ("cursor", &["cursor"], &[]),
    ("emacs", &["emacs"], &["gptel"]),
    ("gemini", &["gemini"], &["gemini"]),
    ("neovim", &["neovim"], &[]),
    ("opencode", &["opencode", "kilo"], &["opencode", "kilo"]),
    ("pi", &["pi"], &["pi"]),
    ("vscode", &["vscode"], &[]),
];

/// The kinds of calls of the scripted session, in the order of the tables.
const KINDS: &[(&str, &str)] = &[
    ("passed", "tests that pass"),
    ("failed", "tests that fail"),
    ("counted", "an output whose lines a program counts"),
    ("read", "a large file"),
    ("edit", "an edit of it"),
    ("reread", "the file after the edit"),
    ("edited", "one more edit"),
    ("insists", "the file once more"),
    ("long", "a file of 2,000 lines"),
    ("range", "some lines of it"),
    ("longEdit", "an edit of it"),
    ("longReread", "that file after the edit"),
    ("grep", "a search"),
    ("find", "a list of files"),
    ("mcp", "a tool of an MCP server"),
    ("orders", "a large answer of an MCP server"),
    ("large", "a long log"),
    ("spawned", "the start of a sub-agent"),
    ("agentPassed", "tests that pass, in the sub-agent"),
    ("agent", "the report of the sub-agent"),
    ("again", "the first output again"),
    ("both", "two outputs in one program"),
];

fn number(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

fn change(before: usize, after: usize) -> String {
    match before == after {
        true => format!("{}, unchanged", number(before)),
        false => format!("{} → {}", number(before), number(after)),
    }
}

fn saving((before, after): (usize, usize)) -> String {
    let saved = (before as f64 - after as f64) * 100.0 / before.max(1) as f64;
    format!("{} → {} (**{saved:.1} %** saved)", number(before), number(after))
}

/// The results of a run, and of the same run through the gateway.
fn seen(run: &Run, all: &[Run]) -> String {
    let gateway = run.gateway(all);
    let mut out = String::new();
    let more = if gateway.is_some() { (" behind the gateway |", " --- |") } else { ("", "") };
    let _ = writeln!(out, "| {} {} | tool | as set up |{}", run.host, run.version, more.0);
    let _ = writeln!(out, "| --- | --- | --- |{}", more.1);
    let of = |run: &Run, kind: &str| {
        let seen = run.results.iter().find(|seen| seen.kind == kind);
        seen.and_then(|seen| Some(change(seen.before?, seen.after)))
    };
    for (kind, words) in KINDS {
        let Some(one) = run.results.iter().find(|seen| seen.kind == *kind) else { continue };
        let behind =
            gateway.map(|run| format!(" {} |", of(run, kind).unwrap_or_default())).unwrap_or_default();
        let _ = writeln!(out, "| {words} | `{}` | {} |{behind}", one.tool, of(run, kind).unwrap_or_default());
    }
    let behind = gateway.map(|run| format!(" {} |", saving(run.sums()))).unwrap_or_default();
    let _ = writeln!(out, "| the whole session | | {} |{behind}", saving(run.sums()));
    let settings = run.settings.as_ref().map(|set| format!(", with `{set}`")).unwrap_or_default();
    let _ = writeln!(out, "\ntersed {}, {}{settings}.\n", run.tersed, run.on);
    out
}

/// The results that tersed can replace in a host, and the others with the reason.
fn reach(host: &str) -> String {
    let reach = HostSupport::named(host).unwrap();
    let mut out =
        format!("| tool of `{host}` | a result | the result of a call that failed |\n| --- | --- | --- |\n");
    for tools in reach.tools {
        let is_only = reach.tools.len() == 1;
        let names: Vec<String> = tools
            .names
            .iter()
            .map(|name| match *name {
                "*" => (if is_only { "every tool" } else { "every other tool" }).to_owned(),
                name => format!("`{name}`"),
            })
            .collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            names.join(", "),
            tools.result.sentence(),
            tools.failed.sentence()
        );
    }
    let refers = "It names no calls to tersed, so no later result refers to an earlier one.";
    let gateway = match reach.gateway {
        Some(program) => format!("`tersed gateway -- {program}` reaches every result that the host sends."),
        None => "`tersed gateway` does not support this host.".to_owned(),
    };
    let _ = writeln!(
        out,
        "\n{gateway}{}{}\n",
        if reach.names_calls { "" } else { " " },
        if reach.names_calls { "" } else { refers }
    );
    out
}

/// The tables of a folder of `editors`.
fn page(folder: &str, all: &[Run]) -> String {
    let (_, hosts, runs) = PAGES.iter().find(|(name, ..)| *name == folder).unwrap();
    let mut out = String::from("\n");
    match runs.is_empty() {
        true => out.push_str("No session was measured: `tests/hosts` does not run this host.\n\n"),
        false => out.push_str("Characters of each result in the scripted session of `tests/hosts`, original → seen by the model:\n\n"),
    }
    for run in *runs {
        out += &seen(
            all.iter().find(|known| known.host == *run).unwrap_or_else(|| panic!("no run of {run}")),
            all,
        );
    }
    out.push_str(
        "What the adapter reaches, by the table that it, `tersed install` and `tersed audit` share:\n\n",
    );
    for host in *hosts {
        out += &reach(host);
    }
    out
}

/// All results of all hosts.
fn results(all: &[Run]) -> String {
    let mut out = String::from(
        "\n| host | result | tool | before | after | exit status |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for run in all {
        for Seen { kind, tool, before, after, exit } in &run.results {
            let before = before.map(|n| n.to_string()).unwrap_or_default();
            let exit = exit.as_deref().unwrap_or_default();
            let _ = writeln!(
                out,
                "| {} {} | {kind} | `{tool}` | {before} | {after} | {exit} |",
                run.host, run.version
            );
        }
    }
    out.push('\n');
    out
}

/// The sums of the sessions.
fn sums(all: &[Run]) -> String {
    let mut out = String::from("\n| host | as set up | behind the gateway |\n| --- | --- | --- |\n");
    for run in all.iter().filter(|run| !run.host.ends_with("-gateway")) {
        let behind = run.gateway(all).map(|run| saving(run.sums())).unwrap_or_default();
        let _ = writeln!(out, "| {} {} | {} | {behind} |", run.host, run.version, saving(run.sums()));
    }
    out.push('\n');
    out
}

/// A page with its tables as they should be.
fn with_tables(path: &str, wanted: &[(&str, String)]) {
    let file = repository(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{path}: {e}"));
    let block = Regex::new(r"(?s)<!-- generated:([\w-]+) -->\n.*?<!-- /generated -->").unwrap();
    let found: Vec<String> = block.captures_iter(&text).map(|block| block[1].to_owned()).collect();
    let names: Vec<&str> = wanted.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, names, "{path}");
    let expected = block.replace_all(&text, |block: &regex::Captures<'_>| {
        let (name, table) = wanted.iter().find(|(name, _)| *name == &block[1]).unwrap();
        format!("<!-- generated:{name} -->\n{table}<!-- /generated -->")
    });
    if bless() {
        fs::write(&file, expected.as_bytes()).unwrap();
    } else {
        assert!(
            text == expected,
            "{path} is not what was measured, or what the table says; BLESS=1 writes it anew"
        );
    }
}

#[test]
fn generated_tables_of_hosts_are_what_was_measured() {
    let all = Run::all();
    with_tables("tests/hosts/README.md", &[("results", results(&all)), ("sums", sums(&all))]);
    for (folder, ..) in PAGES {
        with_tables(&format!("editors/{folder}/README.md"), &[("host", page(folder, &all))]);
    }
}

#[test]
fn every_folder_and_every_run_has_its_place() {
    let mut folders: Vec<String> = fs::read_dir(repository("editors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("README.md").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        // A module for hosts, not a host.
        .filter(|folder| folder != "wasm")
        .collect();
    folders.sort();
    assert_eq!(folders, PAGES.iter().map(|(folder, ..)| *folder).collect::<Vec<_>>());
    let all = Run::all();
    for run in &all {
        let host = run.host.trim_end_matches("-gateway");
        assert!(PAGES.iter().any(|(_, _, runs)| runs.contains(&host)), "{host}");
        assert!(!run.version.is_empty() && !run.on.is_empty() && !run.results.is_empty(), "{host}");
        for seen in run.results.iter().filter(|seen| seen.kind != "expand") {
            assert!(KINDS.iter().any(|(kind, _)| *kind == seen.kind), "{}", seen.kind);
            assert!(seen.before.is_some(), "{} {}", run.host, seen.kind);
        }
    }
    let mut shown: Vec<&str> = PAGES.iter().flat_map(|(_, hosts, _)| *hosts).copied().collect();
    shown.sort_unstable();
    assert_eq!(shown, tersed::host::reach::HOSTS.iter().map(|reach| reach.host).collect::<Vec<_>>());
}

/// The adapter does what the table says: results that the table calls unchanged were unchanged in the run.
#[test]
fn the_table_of_tools_agrees_with_the_runs() {
    for run in Run::all().iter().filter(|run| !run.host.ends_with("-gateway")) {
        let (_, hosts, _) = PAGES.iter().find(|(_, _, runs)| runs.contains(&run.host.as_str())).unwrap();
        let host = if hosts.contains(&run.host.as_str()) { run.host.as_str() } else { hosts[0] };
        let reach = HostSupport::named(host).unwrap();
        for seen in run.results.iter().filter(|seen| seen.kind != "expand") {
            let treatment = reach.treatment(&seen.tool, false);
            let stays = matches!(
                treatment,
                tersed::host::reach::ResultHandling::Unchanged(_)
                    | tersed::host::reach::ResultHandling::Noted
            );
            if stays {
                assert_eq!(seen.before, Some(seen.after), "{} {}", run.host, seen.kind);
            }
        }
    }
}
