//! `tersed explain`: on every fixture of the pipeline it shows what happened, and its pages equal those in
//! `tests/fixtures/explain` (`BLESS=1` writes them again; look at them).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::common::fixture::Fixture;
use crate::common::{bless, repository};
use regex::Regex;
use tersed::cli::explain::{Page, Screen, write_html, write_text};
use tersed::config::{Mode, Policy, PolicyPatch};
use tersed::pipeline::explain::{Explained, Part, explain};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::ledger::Action;
use tersed::text::reason::Reason;
use unicode_width::UnicodeWidthStr;

/// A call and its policy, as the fixtures of the pipeline hold them.
struct Case {
    name: String,
    call: ToolCall,
    policy: Policy,
    input: Vec<u8>,
}

impl Case {
    fn raw(&self) -> Raw<'_> {
        std::str::from_utf8(&self.input).map_or(Raw::Bytes(&self.input), Raw::Text)
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap().path());
    let mut out: Vec<PathBuf> = entries.filter(|p| p.is_dir()).collect();
    out.sort();
    out
}

fn cases() -> Vec<Case> {
    let fixtures = Fixture::all(&["detail", "elide", "reduce", "encode", "trace", "generic"]);
    let out: Vec<Case> = fixtures.iter().map(case).collect();
    assert!(out.len() > 100);
    out
}

fn case(fixture: &Fixture) -> Case {
    let json: serde_json::Value = fixture.json("call.json");
    let text = |name: &str| json[name].as_str().map(str::to_owned);
    let patch: PolicyPatch = match &json["policy"] {
        serde_json::Value::Null => PolicyPatch::default(),
        policy => serde_json::from_value(policy.clone()).unwrap(),
    };
    Case {
        name: fixture.name(),
        call: ToolCall {
            tool: text("tool").unwrap(),
            command: text("command"),
            path: text("path"),
            query: text("query"),
            arguments: json["arguments"].clone(),
            exit_code: json["exitCode"].as_i64(),
            ..ToolCall::default()
        },
        policy: Policy::default().with(&patch).unwrap(),
        input: fixture.bytes("input").to_vec(),
    }
}

/// Every case under its own policy; made once for all tests.
static EXPLAINED: LazyLock<Vec<(Case, Explained)>> = LazyLock::new(|| {
    let explained = |case: Case| {
        let explained = explained(&case, &case.policy);
        (case, explained)
    };
    cases().into_iter().map(explained).collect()
});

fn explained(case: &Case, policy: &Policy) -> Explained {
    explain(&case.call, &[case.raw()], policy, false, &NoHistory).unwrap()
}

#[test]
fn spans_say_what_the_output_shows_and_which_step_did_it() {
    for (case, explained) in EXPLAINED.iter() {
        let outcome = compress(&case.call, &[case.raw()], &case.policy, false, &NoHistory).unwrap();
        assert_eq!(explained.outcome, outcome, "{}", case.name);
        check(&case.name, explained);
        let aggressive = Policy { mode: Mode::Aggressive, ..case.policy.clone() };
        check(&case.name, &self::explained(case, &aggressive));
    }
}

#[test]
fn a_budget_is_told_of_by_its_step() {
    let (mut cut, mut clipped) = (0, 0);
    // Each takes several runs.
    for (case, _) in EXPLAINED.iter().step_by(10) {
        for limit in [6, 60, 200] {
            let mut policy = case.policy.clone();
            policy.budget.per_result = Some(limit);
            let explained = self::explained(case, &policy);
            let outcome = compress(&case.call, &[case.raw()], &policy, false, &NoHistory).unwrap();
            assert_eq!(explained.outcome, outcome, "{}", case.name);
            check(&case.name, &explained);
            let [part] = explained.parts.as_slice() else { panic!("{}", case.name) };
            let steps = &explained.outcome.evidence.steps;
            let Some(budget) = steps.iter().position(|step| step.id == "budget") else { continue };
            cut += 1;
            clipped += usize::from(part.is_rewritten);
            assert_eq!(
                (part.steps.last(), part.rewritten_by),
                (Some(&budget), Some(budget)),
                "{}",
                case.name
            );
            for span in &part.spans {
                let is_cut = match &span.action {
                    Action::Omit { reason, .. } | Action::Replace { reason, .. } => *reason == Reason::Budget,
                    _ => false,
                };
                let is_by = span.steps.last().is_some_and(|(step, _)| *step == budget);
                assert!(is_by || !is_cut, "{}: {span:?}", case.name);
            }
            // Lines that the evidence lists as omitted are also omitted on the page.
            for omission in &explained.outcome.evidence.omissions {
                let gone = |line: usize| {
                    part.spans.iter().any(|s| s.lines.contains(&line) && s.action != Action::Keep)
                };
                let [first, last] = omission.lines;
                assert!((first - 1..last).all(gone), "{}: {omission:?}", case.name);
            }
        }
    }
    assert!(cut > 60 && clipped > 10, "{cut} {clipped}");
}

fn check(name: &str, explained: &Explained) {
    for (part, text) in explained.parts.iter().zip(&explained.outcome.texts) {
        check_part(name, part, text, explained);
    }
}

fn check_part(name: &str, part: &Part, text: &str, explained: &Explained) {
    let original: Vec<&str> = part.original.lines().collect();
    let output: Vec<&str> = text.lines().collect();
    if part.binary.is_some() {
        assert_eq!((part.spans.len(), output.len()), (0, 1), "{name}");
        return;
    }
    let whole = part.rewritten_by.filter(|_| part.is_rewritten);
    let by = whole.map(|step| explained.outcome.evidence.steps[step].id.as_str());
    // Nothing else writes a whole output again.
    let is_known = by.is_none_or(|id| id == "budget" || id == "envelope" || id.starts_with("dictionary"));
    assert!(is_known && whole.is_some() == part.is_rewritten, "{name}: {by:?}");
    let (mut line, mut shown) = (0, part.lead);
    for span in &part.spans {
        assert_eq!((span.lines.start, span.shown.start), (line, shown), "{name}");
        (line, shown) = (span.lines.end, span.shown.end);
        let steps = explained.outcome.evidence.steps.as_slice();
        assert!(
            span.steps.iter().all(|(s, _)| part.steps.contains(s)),
            "{name}: {span:?} of {:?}",
            part.steps
        );
        assert!(span.steps.iter().all(|(s, _)| steps[*s].reason == Reason::Applied), "{name}: {span:?}");
        if span.action != Action::Keep {
            let done: usize = span.steps.iter().map(|(_, lines)| lines).sum();
            // A line that two steps changed counts for both.
            let is_anew = matches!(span.action, Action::Replace { .. });
            assert!(done == span.lines.len() || is_anew && done > span.lines.len(), "{name}: {span:?}");
            continue;
        }
        assert!(span.steps.is_empty());
        if part.is_rewritten {
            continue;
        }
        for (from, to) in span.lines.clone().zip(span.shown.clone()) {
            let (from, to) =
                (original[from], output.get(to).unwrap_or_else(|| panic!("{name}: no line {to}")));
            let is_same = if part.trimmed_by.is_empty() { from == *to } else { from.trim() == to.trim() };
            assert!(is_same, "{name}: {from:?} {to:?}");
        }
    }
    assert_eq!(line, original.len(), "{name}");
    if part.is_rewritten {
        return;
    }
    match &output[shown.min(output.len())..] {
        [] => assert_eq!(shown, output.len(), "{name}"),
        [exit] => assert!(exit.starts_with("[tersed: exit status "), "{name}: {exit}"),
        rest => panic!("{name}: {rest:?}"),
    }
}

/// Runs the real binary on a case of its own.
fn binary(folder: &Path, more: &[&str], env: &[(&str, &str)]) -> String {
    let args: Vec<String> = serde_json::from_slice(&fs::read(folder.join("args.json")).unwrap()).unwrap();
    let input = folder.join("input");
    let stdin = if input.exists() { fs::File::open(input).unwrap().into() } else { Stdio::null() };
    let output = Command::new(env!("CARGO_BIN_EXE_tersed"))
        .arg("explain")
        .args(args)
        .args(more)
        .envs(env.iter().copied())
        .env("TERSED_NO_CONFIG", "1")
        .env("XDG_STATE_HOME", crate::common::state())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(stdin)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn own_cases() -> Vec<PathBuf> {
    let cases = folders(&repository("tests/fixtures/explain"));
    assert!(cases.len() >= 8);
    cases
}

#[test]
fn pages_are_as_recorded() {
    let mut wrong = Vec::new();
    for folder in own_cases() {
        for (file, args) in [
            ("page-80.txt", &["--width", "80"][..]),
            ("page-200.txt", &["--width", "200"]),
            ("page.html", &["--html"]),
        ] {
            let got = binary(&folder, args, &[]);
            let path = folder.join(file);
            if bless() {
                fs::write(&path, &got).unwrap();
            } else if fs::read_to_string(&path).ok().as_ref() != Some(&got) {
                wrong.push(format!("{}: differs; it is now\n{got}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn colour_is_only_added_where_it_is_wanted() {
    let style = Regex::new("\x1b\\[[0-9;]*m").unwrap();
    for folder in own_cases() {
        for width in ["80", "200"] {
            let plain = binary(&folder, &["--width", width], &[]);
            assert!(!plain.contains('\x1b'), "{}: standard output is no terminal", folder.display());
            let colour = binary(&folder, &["--width", width, "--color", "always"], &[("NO_COLOR", "1")]);
            let stripped = style.replace_all(&colour, "");
            assert_ne!(colour, stripped, "{}", folder.display());
            assert!(!stripped.contains('\x1b'), "{}", folder.display());
            let lines = |text: &str| text.lines().map(|l| l.trim_end().to_owned()).collect::<Vec<_>>();
            assert_eq!(lines(&stripped), lines(&plain), "{}", folder.display());
        }
    }
}

#[test]
fn no_row_is_wider_than_the_screen() {
    for folder in own_cases() {
        for width in [40, 80, 119, 120, 200] {
            for line in binary(&folder, &["--width", &width.to_string()], &[]).lines() {
                assert!(line.width() <= width, "{} at {width}: {line:?}", folder.display());
            }
        }
    }
}

#[test]
fn what_a_tool_wrote_steers_neither_terminal_nor_browser() {
    let folder = repository("tests/fixtures/explain/hostile");
    for args in [&["--width", "80"][..], &["--width", "200"], &["--html"]] {
        let page = binary(&folder, args, &[]);
        let bad = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert_eq!(page.matches(bad).filter(|c| *c != "\t").count(), 0);
        assert!(!page.contains("correct-horse"), "a secret");
    }
    let page = binary(&folder, &["--html"], &[]);
    for tag in ["<script", "<img", "<!--", "onerror=\"", "<b>bold"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
}

/// The page of a case, in both forms.
fn pages(case: &Case, explained: &Explained) -> (String, String) {
    let page = Page::new(&case.call, explained);
    let (mut text, mut html) = (Vec::new(), Vec::new());
    write_text(&page, Screen { width: 110, colour: false }, &mut text).unwrap();
    write_html(&page, &mut html).unwrap();
    (String::from_utf8(text).unwrap(), String::from_utf8(html).unwrap())
}

#[test]
fn every_omission_of_the_evidence_stands_in_the_page() {
    let mut seen = 0;
    for (case, explained) in EXPLAINED.iter() {
        let (text, html) = pages(case, explained);
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut places = (0, 0);
        for omission in &explained.outcome.evidence.omissions {
            let [first, last] = omission.lines;
            let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
            let what = match (omission.bytes, omission.count) {
                (0, 1) => format!("{lines}: 1 line, "),
                (0, count) => format!("{lines}: {} lines, ", thousands(count)),
                (bytes, _) => format!("{lines}: {} byte", thousands(bytes)),
            };
            // In order, each after the one before.
            let code = omission.reason.code();
            let find = |page: &str, from: usize, code: &str| {
                let at =
                    page[from..].find(&what).unwrap_or_else(|| panic!("{}: no {what}", case.name)) + from;
                let end = page[at..].find(code).unwrap_or_else(|| panic!("{}: {what} no {code}", case.name));
                assert!(end < 200, "{}: {what} has another reason than {code}", case.name);
                at + end
            };
            places.0 = find(&text, places.0, &format!("({code}). {}", omission.reason.doc()));
            let notes = html.find("class=\"view\"").unwrap();
            places.1 = find(&html, places.1.max(notes), &format!("<code>{code}</code>"));
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|d| std::str::from_utf8(d).unwrap()).collect();
    groups.join(",")
}

/// The lines of one side of a page for a browser.
fn sides(html: &str) -> (Vec<String>, Vec<String>) {
    let line = Regex::new(r"<p(?: [^>]*)?>(.*?)</p>").unwrap();
    let tag = Regex::new("<[^>]*>").unwrap();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut side = ' ';
    for row in html.split("class=\"heads\"").skip(1).flat_map(|view| view.lines().skip(1)) {
        match row {
            r if r.starts_with("<div class=\"run\">") => side = 'k',
            "<div class=\"l\">" => side = 'l',
            "<div class=\"r\">" => side = 'r',
            _ => {}
        }
        for (i, text) in line.captures_iter(row).map(|c| c[1].to_owned()).enumerate() {
            let text = tag.replace_all(&text, "").replace("&lt;", "<").replace("&gt;", ">");
            let text = text.replace("&quot;", "\"").replace("&amp;", "&");
            match (side, i) {
                ('l', _) | ('k', 0) => left.push(text),
                _ => right.push(text),
            }
        }
    }
    (left, right)
}

#[test]
fn every_line_of_both_sides_stands_in_the_page_once() {
    let odd = Regex::new(r"[\p{Cc}\p{Cf}\u2028\u2029·]").unwrap();
    for (case, explained) in EXPLAINED.iter() {
        let (_, html) = pages(case, explained);
        let (left, right) = sides(&html);
        let original: Vec<&str> = explained.parts.iter().flat_map(|p| p.original.lines()).collect();
        let output: Vec<&str> = explained.outcome.texts.iter().flat_map(|t| t.lines()).collect();
        for (side, lines, page) in [("original", original, left), ("output", output, right)] {
            assert_eq!(lines.len(), page.len(), "{}: {side}", case.name);
            for (line, shown) in lines.iter().zip(&page).filter(|(line, _)| !odd.is_match(line)) {
                // White space that was taken off is shown as dots.
                let (line, shown) = match shown.trim_matches('·') {
                    all if all.len() == shown.len() => (*line, all),
                    rest => (line.trim(), rest.trim()),
                };
                assert_eq!(line, shown, "{}: {side}", case.name);
            }
        }
    }
}

#[test]
fn a_page_grows_with_its_input_and_no_faster() {
    let size = |lines: usize| {
        let text: String =
            (0..lines).map(|i| format!("record {i} of the table, number {}\n", i * 7919)).collect();
        let call = ToolCall { tool: "bash".to_owned(), ..ToolCall::default() };
        let explained = explain(&call, &[Raw::Text(&text)], &Policy::default(), false, &NoHistory).unwrap();
        let page = Page::new(&call, &explained);
        let (mut shown, mut html) = (Vec::new(), Vec::new());
        write_text(&page, Screen { width: 80, colour: true }, &mut shown).unwrap();
        write_html(&page, &mut html).unwrap();
        (shown.len(), html.len())
    };
    let (small, large) = (size(2_000), size(20_000));
    assert!(large.0 < small.0 * 12 && large.1 < small.1 * 12, "{small:?} {large:?}");
    assert!(large.1 < 4 * 20_000 * 40, "{large:?}");
}

/// A text that is only decoded is not called unchanged, and one that became longer is not called compressed.
#[test]
fn the_status_in_words_is_true_of_every_size() {
    let shown = |input: &[u8]| {
        let call = ToolCall { tool: "bash".to_owned(), ..ToolCall::default() };
        let raw = std::str::from_utf8(input).map_or(Raw::Bytes(input), Raw::Text);
        let explained = explain(&call, &[raw], &Policy::default(), false, &NoHistory).unwrap();
        let mut page = Vec::new();
        write_text(&Page::new(&call, &explained), Screen { width: 120, colour: false }, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    };
    let page = shown(b"caf\xe9 line\nabc\xff\n");
    assert!(page.contains("re-encoded: only its encoding changed, to UTF-8"), "{page}");
    assert!(!page.contains("unchanged"), "{page}");
    let page = shown(format!("token=ghp_{}\n", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]).as_bytes());
    let word = if page.contains("(+") { "changed" } else { "compressed" };
    assert!(page.starts_with(&format!("bash: {word}\n")), "{page}");
    let page = shown(b"good\n[tersed: exit status 0]\n");
    assert!(page.starts_with("bash: changed\n") && page.contains("(+"), "{page}");
    assert!(shown(b"as it came\n").contains("unchanged: the text is as it came"));
}

#[test]
fn a_result_that_is_not_there_is_named() {
    let explain = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tersed"))
            .arg("explain")
            .args(args)
            .env("TERSED_NO_CONFIG", "1")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let file = "tests/fixtures/sessions/tally.jsonl";
    let (code, told) = explain(&["--record", file]);
    assert_eq!(code, Some(2));
    assert_eq!(told, format!("tersed: {file}: it holds 23 results; --index picks one of them\n"));
    let (code, told) = explain(&["--record", file, "--index", "24"]);
    assert_eq!(code, Some(2));
    assert_eq!(told, format!("tersed: --index: `24` is not allowed, {file} holds results 1 to 23\n"));
    assert_eq!(explain(&["--record", "nowhere.json"]).0, Some(1));
    assert_eq!(explain(&["--record", file, "--command", "ls"]).0, Some(2));
    let (code, told) = explain(&["--policy", r#"{"mode":"turbo"}"#]);
    assert!(code == Some(2) && told.contains("'--policy <JSON>': mode: `turbo` is not allowed"), "{told}");
}
