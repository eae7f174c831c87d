//! Known faults of compressors of tool results: each is a case here, run in `standard` and in `aggressive`. Cases
//! that need sessions, batches, the server or the artifact store are in `sessions.rs`, `references.rs`,
//! `promises.rs`, `tokens.rs` and `server/`.
//!
//! A case lists what must be in the output and what must not. Inputs are small, but no text is left unchanged for
//! being small. Pointers without a preview, and batches, are in `budget/`.

use std::fmt::Write as _;

use tersed::config::{Budget, Mode, Policy};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;

/// Statements that must not be in an output unless the tool wrote them itself.
const NEVER: &[&str] = &["(empty)", "(clean)", "no failures", "No errors found", "all tests passed"];

fn shell(command: &str, exit_code: i64) -> ToolCall {
    ToolCall {
        tool: "bash".into(),
        command: Some(command.into()),
        exit_code: Some(exit_code),
        ..ToolCall::default()
    }
}

fn run(call: &ToolCall, text: &str, mode: Mode) -> Outcome {
    let policy = Policy { min_bytes: 0, mode, ..Policy::default() };
    compress(call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap()
}

/// Checks a case in both modes.
fn holds(call: &ToolCall, text: &str, must: &[&str]) {
    for mode in [Mode::Standard, Mode::Aggressive] {
        let outcome = run(call, text, mode);
        let out = outcome.texts.concat();
        for part in must {
            assert!(text.contains(part), "the case is wrong, its input has no {part:?}");
            assert!(out.contains(part), "{mode:?} lost {part:?} of {:?}:\n{out}", call.command);
        }
        for part in NEVER.iter().filter(|part| !text.contains(*part)) {
            assert!(!out.contains(part), "{mode:?} says {part:?}:\n{out}");
        }
        assert_eq!(outcome.evidence.guard.signals, outcome.evidence.guard.kept, "{out}");
        assert_eq!(outcome.evidence.exit_code, call.exit_code);
    }
}

/// Checks that `standard` changes nothing except white space at line ends.
fn assert_unchanged(call: &ToolCall, text: &str) {
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let out = run(call, text, Mode::Standard).texts.concat();
    assert_eq!(trimmed(&out), trimmed(text), "{:?}", call.command);
}

fn numbered(n: usize, line: impl Fn(usize) -> String) -> String {
    (1..=n).map(|i| line(i) + "\n").collect()
}

#[test]
fn false_statements() {
    let log = numbered(30, |i| format!("{:07x} Commit number {i}", i * 77_777));
    let hashes: Vec<String> = (1..=30).map(|i| format!("{:07x} Commit number {i}", i * 77_777)).collect();
    let all: Vec<&str> = hashes.iter().map(String::as_str).collect();
    holds(&shell("git log --oneline", 0), &log, &all);
    let commit = "[main 3f2a1bc] fix login\n 2 files changed, 11 insertions(+), 3 deletions(-)\n create mode 100644 src/login.rs\n";
    assert_unchanged(&shell("git commit -m \"fix login\"", 0), commit);
    assert_unchanged(&shell("git commit -m 'log: status'", 0), commit);
    let status = "On branch main\n\nNo commits yet\n\nUntracked files:\n  (use \"git add <file>...\" to include in what will be committed)\n\tnew one.rs\n\tb.rs\n\nnothing added to commit but untracked files present (use \"git add\" to track)\n";
    holds(
        &shell("git status", 0),
        status,
        &["No commits yet", "\tnew one.rs", "\tb.rs", "nothing added to commit"],
    );
    let porcelain = "# branch.oid 1f2e3d4c\n# branch.head main\n1 .M N... 100644 100644 100644 aaaaaaa bbbbbbb src/a.rs\nu UU N... 100644 100644 100644 100644 h1 h2 h3 src/conflict.rs\n? notes.txt\n";
    holds(
        &shell("git status --porcelain=v2 --branch", 0),
        porcelain,
        &["src/a.rs", "u UU", "src/conflict.rs", "? notes.txt"],
    );
    let crash = "    Finished `test` profile [unoptimized] target(s) in 0.03s\n     Running unittests src/lib.rs (target/debug/deps/x-1)\n\nrunning 40 tests\ntest a ... ok\nerror: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully: `/project/target/debug/deps/x-1` (signal: 11, SIGSEGV: invalid memory reference)\n";
    holds(
        &shell("cargo test", 101),
        crash,
        &["(signal: 11, SIGSEGV: invalid memory reference)", "error: test failed"],
    );
    let lint =
        numbered(40, |i| format!("checked src/file_{i}.c: 0 errors")) + "Segmentation fault (core dumped)\n";
    holds(&shell("clint src", 139), &lint, &["Segmentation fault (core dumped)"]);
}

#[test]
fn failing_tests() {
    let pytest = "============================= test session starts ==============================\ncollected 2 items\n\ntests/test_a.py .F                                                       [100%]\n\n=================================== FAILURES ===================================\n____________________________________ test_b ____________________________________\n\n    def test_b():\n        expected = 3\n\n        value = compute()\n>       assert value == expected\nE       assert 4 == 3\nE\nE         - 3\nE         + 4\n\ntests/test_a.py:9: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_a.py::test_b - assert 4 == 3\n========================= 1 failed, 1 passed in 0.02s ==========================\n";
    holds(
        &shell("pytest", 1),
        pytest,
        &[
            "        value = compute()",
            "E       assert 4 == 3",
            "E         + 4",
            "tests/test_a.py:9: AssertionError",
            "1 failed, 1 passed in 0.02s",
        ],
    );
    let passing = numbered(60, |i| format!("test net::handles_failed_login_{i} ... ok"));
    let cargo = format!(
        "\nrunning 61 tests\n{passing}test net::sum ... FAILED\n\nfailures:\n\n---- net::sum stdout ----\n\nthread 'net::sum' panicked at src/net.rs:7:9:\nassertion `left == right` failed\n  left: 4\n right: 5\n\n\nfailures:\n    net::sum\n\ntest result: FAILED. 60 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n"
    );
    holds(
        &shell("cargo test", 101),
        &cargo,
        &["  left: 4\n right: 5", "src/net.rs:7:9", "test result: FAILED. 60 passed; 1 failed"],
    );
    let out = run(&shell("cargo test", 101), &cargo, Mode::Standard).texts.concat();
    assert!(!out.contains("handles_failed_login"), "passing tests are no failures:\n{out}");
    let all_pass = format!(
        "\nrunning 60 tests\n{passing}\ntest result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n"
    );
    holds(&shell("cargo test", 0), &all_pass, &["test result: ok. 60 passed; 0 failed"]);
    let jest = "FAIL src/a.test.js\n  ✓ adds (2 ms)\n  ✕ subtracts (3 ms)\n\n  ● subtracts\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 4\n\n      4 | test('subtracts', () => {\n    > 5 |   expect(sub(1)).toBe(3);\n        |                  ^\n      6 | });\n\n      at Object.toBe (src/a.test.js:5:18)\n\nTests:       1 failed, 1 passed, 2 total\nSnapshots:   0 total\nTime:        0.4 s\n";
    holds(
        &shell("npx jest", 1),
        jest,
        &[
            "Expected: 3",
            "Received: 4",
            "> 5 |   expect(sub(1)).toBe(3);",
            "src/a.test.js:5:18",
            "Tests:       1 failed, 1 passed, 2 total",
        ],
    );
    let go = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    file.go:42: got 4, want 3\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\texample.com/pkg\t0.012s\nFAIL\n";
    holds(
        &shell("go test -v ./...", 1),
        go,
        &["file.go:42: got 4, want 3", "--- FAIL: TestB", "FAIL\texample.com/pkg\t0.012s"],
    );
    let collection = "============================= test session starts ==============================\ncollected 0 items / 1 error\n\n==================================== ERRORS ====================================\n______________________ ERROR collecting tests/test_a.py ______________________\ntests/test_a.py:1: in <module>\n    import missing\nE   ModuleNotFoundError: No module named 'missing'\n=========================== short test summary info ============================\nERROR tests/test_a.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n=============================== 1 error in 0.05s ===============================\n";
    holds(
        &shell("pytest -q", 2),
        collection,
        &["E   ModuleNotFoundError: No module named 'missing'", "1 error in 0.05s", "ERROR tests/test_a.py"],
    );
    assert_unchanged(&shell("npx tsc --noEmit", 127), "sh: 1: tsc: not found\n");
    let vet = "# example.com/pkg\npkg/a.go:3:8: package missing/x is not in std\nFAIL\texample.com/pkg [setup failed]\nFAIL\n";
    holds(
        &shell("go test ./...", 1),
        vet,
        &["pkg/a.go:3:8: package missing/x is not in std", "[setup failed]"],
    );
}

#[test]
fn diffs_keep_every_change() {
    let changes = numbered(120, |i| format!("-old line {i}\n+new line {i}"));
    let diff = format!(
        "diff --git a/src/a.sql b/src/b.sql\nsimilarity index 60%\nrename from src/a.sql\nrename to src/b.sql\nold mode 100644\nnew mode 100755\nindex 111..222\n--- a/src/a.sql\n+++ b/src/b.sql\n@@ -1,121 +1,121 @@\n{changes}--- comment that goes\n+++ comment that comes\ndiff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n"
    );
    let lines: Vec<&str> = diff
        .lines()
        .filter(|l| {
            l.starts_with(['-', '+'])
                || l.contains("mode")
                || l.starts_with("rename")
                || l.starts_with("Binary")
        })
        .collect();
    assert!(lines.len() > 240);
    let out = run(&shell("git diff", 0), &diff, Mode::Standard).texts.concat();
    let missing: Vec<&&str> = lines.iter().filter(|l| !out.contains(**l)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn version_control_loses_nothing() {
    let stash = "stash@{0}: WIP on main: 3f2a1bc fix login\nstash@{1}: On feature/x: half done\n";
    assert_unchanged(&shell("git stash list", 0), stash);
    let merge = "Auto-merging src/a.rs\nCONFLICT (content): Merge conflict in src/a.rs\nCONFLICT (modify/delete): src/b.rs deleted in HEAD and modified in feature.\nAutomatic merge failed; fix conflicts and then commit the result.\n";
    holds(
        &shell("git merge feature", 1),
        merge,
        &[
            "CONFLICT (content): Merge conflict in src/a.rs",
            "src/b.rs deleted in HEAD",
            "Automatic merge failed",
        ],
    );
    let unmerged = "On branch main\nYou have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\nUnmerged paths:\n  (use \"git add <file>...\" to mark resolution)\n\tboth modified:   src/a.rs\n\tdeleted by us:   src/b.rs\n\nno changes added to commit (use \"git add\" and/or \"git commit -a\")\n";
    holds(
        &shell("git status", 0),
        unmerged,
        &["You have unmerged paths.", "both modified:   src/a.rs", "deleted by us:   src/b.rs"],
    );
    let sha = "3f2a1bc9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3";
    let log = format!(
        "commit {sha}\nAuthor: A B <a@b.c>\nDate:   Mon Mar 2 10:00:00 2026 +0100\n\n    Fix the order 8841122 of 2026\n"
    );
    holds(&shell("git log -1", 0), &log, &[sha, "order 8841122", "Mon Mar 2 10:00:00 2026 +0100"]);
}

#[test]
fn listings_name_everything() {
    let mut paths: Vec<String> = ["src", "tests", "build", "dist", "target", ".github/workflows", ".hidden"]
        .iter()
        .flat_map(|dir| (0..8).map(move |i| format!("./{dir}/file_{i}.rs")))
        .collect();
    paths.push("./.env.example".into());
    let text = paths.join("\n") + "\n";
    let out = run(&shell("find . -type f", 0), &text, Mode::Standard).texts.concat();
    for name in ["target", "build", "dist", ".github/workflows", ".hidden", ".env.example"] {
        assert!(out.contains(name), "{name} is dropped in silence:\n{out}");
    }
    for i in 0..8 {
        assert!(out.contains(&format!("file_{i}.rs")), "{out}");
    }
    let long = numbered(12, |i| {
        format!("-rw-r--r-- 1 app app {} Mar  {i} 10:0{} file_{i}.rs", i * 1000 + 7, i % 10)
    });
    holds(&shell("ls -la", 0), &long, &["1007", "file_12.rs", "12007"]);
    let text = "src/main.rs\nfn main() {\n    println!(\"a:12:b\");\n}\n";
    assert_unchanged(&shell("ls", 0), text);
}

#[test]
fn files_stay_exact() {
    let body = numbered(400, |i| format!("    {}fn f{i}() {{ /* {i} */ }}", " ".repeat(i % 7)));
    let range: String = body.lines().skip(179).take(121).map(|l| l.to_owned() + "\n").collect();
    for command in
        ["sed -n '180,300p' src/a.rs", "awk 'NR>=180&&NR<=300' src/a.rs", "head -300 src/a.rs | tail -121"]
    {
        for mode in [Mode::Standard, Mode::Aggressive] {
            assert_eq!(run(&shell(command, 0), &range, mode).texts.concat(), range, "{command}");
        }
    }
    let call = ToolCall { tool: "Read".into(), path: Some("src/a.py".into()), ..ToolCall::default() };
    let python =
        "class A:\n\tdef f(self):\n\t    raise ValueError(\"failed: error\")\n\n\n    # odd   spacing\n";
    assert_eq!(run(&call, python, Mode::Standard).texts.concat(), python);
    assert_eq!(run(&call, python, Mode::Standard).evidence.guard.signals, 0, "source text reports nothing");
    let markdown = "## Heading\n\n M not a status\n---\nname: base64\n---\n\nrunning 3 tests\n\n- [ ] the word base64 and `git log`\n";
    let call = ToolCall { tool: "Read".into(), path: Some("NOTES.md".into()), ..ToolCall::default() };
    assert_eq!(run(&call, markdown, Mode::Standard).texts.concat(), markdown);
    assert_eq!(run(&shell("cat NOTES.md", 0), markdown, Mode::Aggressive).texts.concat(), markdown);
}

#[test]
fn numbers_and_keys_of_json_are_as_written() {
    let json = "{\n  \"id\": 123456789012345678901234567890,\n  \"price\": 1.50,\n  \"b\": null,\n  \"a\": \"\",\n  \"a\": \"again\",\n  \"list\": [\n    1.0,\n    1e5,\n    true\n  ]\n}\n";
    let out = run(&shell("curl -s http://localhost/x", 0), json, Mode::Standard).texts.concat();
    let squeezed: String = json.split_whitespace().collect();
    assert_eq!(out.split_whitespace().collect::<String>(), squeezed, "{out}");
    let rows =
        numbered(30, |i| format!("  {{\"id\": {i}, \"name\": null, \"note\": \"\", \"sum\": 1.{i:03}0}},"));
    let json = format!("[\n{}\n]\n", rows.trim_end().trim_end_matches(','));
    let out = run(&shell("gh api x", 0), &json, Mode::Standard).texts.concat();
    serde_json::from_str::<serde_json::Value>(&out).expect("it is still JSON");
    assert!(out.contains("1.0300") && out.contains("null") && out.contains("\"\""), "{out}");
}

#[test]
fn a_lone_error_in_a_long_log_stays() {
    let mut log = numbered(2500, |i| {
        format!(
            "2026-03-02T10:{:02}:{:02}Z INFO worker {} took order {}",
            i / 60 % 60,
            i % 60,
            i % 8,
            880_000 + i * 37
        )
    });
    writeln!(log, "2026-03-02T11:00:00Z ERROR worker 3 lost order 4711 at 3f2a1bc9d8").unwrap();
    log += &numbered(2500, |i| {
        format!(
            "2026-03-02T11:{:02}:{:02}Z INFO worker {} took order {}",
            i / 60 % 60,
            i % 60,
            i % 8,
            980_000 + i * 37
        )
    });
    holds(
        &shell("kubectl logs web", 0),
        &log,
        &["ERROR worker 3 lost order 4711 at 3f2a1bc9d8", "took order 880037"],
    );
    let paths = numbered(3000, |i| format!("src/error_{i}.rs: timeout {i}"));
    let out = run(&shell("./list-timeouts", 0), &paths, Mode::Standard).texts.concat();
    assert!(out.contains("src/error_1.rs") && out.contains("src/error_3000.rs"), "head and tail stay");
}

#[test]
fn every_exception_keeps_its_message() {
    let frames = |n: usize| {
        numbered(n, |i| format!("\tat org.springframework.core.Invoker{i}.call(Invoker{i}.java:{i})"))
    };
    let java = format!(
        "java.lang.IllegalStateException: outer is down\n\tat com.acme.App.run(App.java:10)\n{}Caused by: java.io.IOException: disk is full\n\tat com.acme.Store.write(Store.java:77)\n{}\t... 12 more\n\njava.lang.RuntimeException: the second one\n\tat com.acme.App.stop(App.java:20)\n",
        frames(20),
        frames(9)
    );
    holds(
        &shell("java -jar app.jar", 1),
        &java,
        &[
            "outer is down",
            "App.java:10",
            "Caused by: java.io.IOException: disk is full",
            "Store.java:77",
            "java.lang.RuntimeException: the second one",
            "App.java:20",
        ],
    );
    let python = "Traceback (most recent call last):\n  File \"/project/app.py\", line 3, in main\n    load()\nKeyError: 'first'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/project/app.py\", line 9, in <module>\n    main()\nRuntimeError: second message\n";
    holds(
        &shell("python app.py", 1),
        python,
        &[
            "KeyError: 'first'",
            "During handling of the above exception",
            "RuntimeError: second message",
            "line 3, in main",
            "line 9, in <module>",
        ],
    );
}

#[test]
fn installs_keep_counts_and_vulnerabilities() {
    let npm = "npm warn deprecated inflight@1.0.6: This module is not supported\n\nadded 312 packages, and audited 313 packages in 4s\n\n41 packages are looking for funding\n  run `npm fund` for details\n\n3 vulnerabilities (1 moderate, 2 high)\n\nTo address all issues, run:\n  npm audit fix\n\nRun `npm audit` for details.\n";
    holds(
        &shell("npm install", 0),
        npm,
        &["added 312 packages", "3 vulnerabilities (1 moderate, 2 high)", "deprecated inflight@1.0.6"],
    );
}

#[test]
fn searches_invent_nothing() {
    let grep = numbered(20, |i| format!("src/a.rs:{i}:    let url = \"http://host:{i}:x\"; // 12:30:45"));
    let out = run(&shell("grep -rn url src", 0), &grep, Mode::Standard).texts.concat();
    for i in 1..=20 {
        assert!(out.contains(&format!("{i}:    let url = \"http://host:{i}:x\"; // 12:30:45")), "{out}");
    }
    let times = numbered(20, |i| format!("12:30:{i:02} started job {i}"));
    assert_unchanged(&shell("grep started app.log", 0), &times);
}

#[test]
fn compound_commands_keep_every_part() {
    let text = "On branch main\nnothing to commit, working tree clean\n=== build ===\nsrc/a.c: In function 'main':\nsrc/a.c:3:5: error: 'x' undeclared (first use in this function)\n    3 |     x = 1;\n      |     ^\nmake: *** [Makefile:2: a.o] Error 1\n";
    holds(
        &shell("git status; echo '=== build ==='; make", 2),
        text,
        &["nothing to commit, working tree clean", "src/a.c:3:5: error: 'x' undeclared", "Error 1"],
    );
    let tests =
        "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    assert_unchanged(&shell("cd app && cargo test 2>&1 | grep 'test result'", 0), tests);
}

#[test]
fn an_exit_status_is_never_lost() {
    let passing = numbered(40, |i| format!("tests/test_a.py::test_{i} PASSED"));
    let text = format!(
        "============================= test session starts ==============================\n{passing}\n============================== 40 passed in 0.50s ==============================\n"
    );
    for mode in [Mode::Standard, Mode::Aggressive] {
        let outcome = run(&shell("pytest -v", 3), &text, mode);
        let out = outcome.texts.concat();
        assert!(out.ends_with("[tersed: exit status 3]\n"), "{out}");
        assert_eq!(outcome.evidence.exit_code, Some(3));
        assert!(!run(&shell("pytest -v", 0), &text, mode).texts.concat().contains("exit status"));
    }
}

#[test]
fn standard_error_stays_apart_and_whole() {
    let policy = Policy { min_bytes: 0, ..Policy::default() };
    let stdout = numbered(500, |i| format!("copied file {i}"));
    let stderr =
        "warning: 3 files were skipped\nrsync error: some files could not be transferred (code 23)\n";
    let outcome = compress(
        &shell("rsync -av a b", 23),
        &[Raw::Text(&stdout), Raw::Text(stderr)],
        &policy,
        false,
        &NoHistory,
    )
    .unwrap();
    assert_eq!(outcome.texts.len(), 2);
    assert_eq!(outcome.texts[1], stderr);
}

#[test]
fn gaps_are_marked_and_safe_mode_has_none() {
    let text = numbered(1500, |i| format!("row {i} of an output that nobody knows"));
    let outcome = run(&shell("./report", 0), &text, Mode::Standard);
    let out = outcome.texts.concat();
    let hidden: usize = outcome.evidence.omissions.iter().map(|o| o.count).sum();
    let shown = out.lines().filter(|l| l.starts_with("row ")).count();
    assert_eq!(shown + hidden, 1500, "every line is shown or counted");
    assert!(out.contains("[tersed") && hidden > 0);
    assert_eq!(outcome.retain.expect("the original is kept").bytes[..], *text.as_bytes(), "all of it");
    assert_eq!(run(&shell("./report", 0), &text, Mode::Safe).texts.concat(), text);
}

#[test]
fn no_byte_is_a_trap() {
    let policy = Policy { min_bytes: 0, max_output_bytes: 700, strict_cap: true, ..Policy::default() };
    let text = numbered(200, |i| format!("строка {i} «данные» 数据 🦀 {}", "é".repeat(i % 50)));
    compress(&shell("./x", 0), &[Raw::Text(&text)], &policy, false, &NoHistory).unwrap();
    let policy = Policy { min_bytes: 0, ..Policy::default() };
    let latin = b"first line\nna\xefve caf\xe9 line\nlast line\n";
    let out = compress(&shell("cat a.txt", 0), &[Raw::Bytes(latin)], &policy, false, &NoHistory)
        .unwrap()
        .texts
        .concat();
    assert_eq!(out.lines().count(), 3, "{out}");
    assert!(out.contains("line\nlast line"), "{out}");
    let gbk: &[u8] =
        &[0xb4, 0xed, 0xce, 0xf3, 0xa3, 0xba, b' ', b'e', b'r', b'r', b'o', b'r', b' ', b'1', b'\n'];
    let out = compress(&shell("type a.txt", 0), &[Raw::Bytes(gbk)], &policy, false, &NoHistory)
        .unwrap()
        .texts
        .concat();
    assert!(out.contains("error 1"), "{out}");
}

/// A trim that stacks markers, misses its budget by a few tokens, keeps the head and loses the error, or
/// makes a text that fits longer.
#[test]
fn trims_to_a_budget() {
    let call = shell("./deploy", 1);
    let text = numbered(2000, |i| match i {
        1207 => "error: host db-3 refused the key".to_owned(),
        1999 => "deployed 11 of 12 hosts, 1 failed".to_owned(),
        _ => format!("host web-{i} took the release, step {}", i * 7919 % 1009),
    });
    let counter = tersed::tokens::counter(tersed::tokens::Tokenizer::O200k);
    let within = |text: &str, tokens: usize, mode: Mode| {
        let budget = Budget { per_result: Some(tokens), ..Budget::NONE };
        let policy = Policy { min_bytes: 0, mode, budget, ..Policy::default() };
        compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    };
    for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
        for tokens in [120, 300, 900] {
            let out = within(&text, tokens, mode);
            assert!(counter.count(&out) <= tokens, "{} of {tokens}", counter.count(&out));
            assert!(
                out.contains("error: host db-3 refused the key") && out.contains("deployed 11 of 12"),
                "{out}"
            );
            let gaps =
                out.lines().filter(|line| line.starts_with("[tersed") && line.contains("omitted")).count();
            assert_eq!(gaps, 1, "{out}");
            let again = within(&out, tokens, mode);
            assert_eq!(again, out, "cut again, it has a second marker");
            let less = within(&out, tokens - 20, mode);
            assert!(counter.count(&less) <= tokens - 20);
            assert_eq!(less.matches("omitted").count(), 1, "{less}");
        }
    }
    let fits = "one line\nerror: and another\n";
    assert_eq!(within(fits, counter.count(fits), Mode::Standard), fits);
}

#[test]
fn a_part_that_stays_as_it_came_takes_nothing_from_the_part_before() {
    let passed: String = (0..300).map(|i| format!("test case_{i} ... ok\n")).collect();
    let tests = format!(
        "running 300 tests\n{passed}\ntest result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
         finished in 0.01s\n"
    );
    // Without its blanks at line ends it would be shorter, but not by as much as a seal costs.
    let note = "one line with a blank at its end \nand one without\n".repeat(2);
    let policy = Policy { min_bytes: 0, ..Policy::default() };
    let parts = [Raw::Text(&tests), Raw::Text(&note)];
    let outcome = compress(&shell("cargo test", 0), &parts, &policy, false, &NoHistory).unwrap();
    assert_eq!(outcome.texts[1], note);
    assert!(outcome.evidence.steps.iter().any(|step| step.id == "gate"), "{:?}", outcome.evidence.steps);
    assert_eq!(outcome.evidence.reducer.as_deref(), Some("cargo_test"));
}
