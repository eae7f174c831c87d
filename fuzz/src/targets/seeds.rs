//! Texts to start from: short invented outputs of tools, and words of many grammars.

/// Words that reducers, detectors and readers look for.
pub const WORDS: &[&str] = &[
    "error: ",
    "warning: ",
    "FAILED",
    "panicked at src/a.rs:1:2:",
    "Traceback (most recent call last):\n",
    "--- FAIL: TestA (0.00s)\n",
    "diff --git a/x b/x\n",
    "@@ -1,3 +1,4 @@\n",
    "\u{1b}[31m",
    "\u{1b}]0;",
    "\r",
    "\u{8}",
    "\u{200b}",
    "\u{202e}",
    "\0",
    "é",
    "{\"a\":",
    "[",
    "]",
    "<a>",
    "</a>",
    "<![CDATA[",
    "| a | b |\n",
    "- ",
    "key: ",
    "\"\"\"",
    "```\n",
    "[tersed: omitted 3 lines 1-3, passing_tests]\n",
    "[Duplicate of call_1 (bash); see earlier result]",
    "[EXTERNALIZED: 9f86d081884c7d65 | ERROR | 8 lines]",
    "<<F1:3>>",
    "[3]{\"a\":int}\n",
    "100%|####| 3/3",
    "commit 0123456789012345678901234567890123456789\n",
    "On branch main\n",
    "running 3 tests\n",
    "test a ... ok\n",
    "    at a.b(C.java:3)\n",
    "Caused by: ",
    "src/a.rs:3:5: ",
    "  File \"a.py\", line 3, in f\n",
    "2026-01-02T03:04:05Z INFO ",
    "exit status 1",
];

/// Texts of tools.
pub fn texts() -> Vec<String> {
    let mut all = vec![
        String::new(),
        "one line\n".to_owned(),
        cargo(),
        pytest(),
        diff(),
        log(),
        listing(),
        json(),
        "\u{1b}[2K\rdownloading  1%\rdownloading 50%\rdownloading 100%\ndone\n".repeat(20),
        "name: web\nspec:\n  replicas: 3\n  items:\n  - a: 1\n    b: x\n".repeat(12),
        "<r>\n".to_owned() + &"  <item id=\"1\"><name>a</name></item>\n".repeat(40) + "</r>\n",
        " id | name  | state\n----+-------+------\n".to_owned() + &"  1 | alpha | ready\n".repeat(40),
    ];
    all.push(all.concat());
    all
}

fn cargo() -> String {
    let passed: String = (0..60).map(|i| format!("test tests::case_{i} ... ok\n")).collect();
    format!(
        "running 61 tests\n{passed}test tests::late ... FAILED\n\nfailures:\n\n---- tests::late stdout ----\n\nthread 'tests::late' panicked at \
         src/lib.rs:7:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n\nfailures:\n    tests::late\n\ntest result: FAILED. 60 passed; 1 \
         failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n"
    )
}

fn pytest() -> String {
    let rows: String = (0..30).map(|i| format!("tests/test_{i}.py ......  [{:3}%]\n", i * 3)).collect();
    format!(
        "=== test session starts ===\ncollected 181 items\n\n{rows}\n=== FAILURES ===\n___ test_sum ___\n\n    def test_sum():\n>       assert add(1, 2) == 4\nE       \
         assert 3 == 4\n\ntests/test_sum.py:4: AssertionError\n=== short test summary info ===\nFAILED tests/test_sum.py::test_sum - assert 3 == 4\n=== 1 \
         failed, 180 passed in 1.20s ===\n"
    )
}

fn diff() -> String {
    let context: String = (0..40).map(|i| format!(" line {i}\n")).collect();
    format!(
        "diff --git a/src/a.rs b/src/a.rs\nindex 1111111..2222222 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,41 +1,41 @@\n{context}-old\n+new\n"
    )
}

fn log() -> String {
    let rows =
        |i: usize| format!("2026-01-02T03:04:{:02}Z INFO web: request {i} took {} ms\n", i % 60, i * 7 % 90);
    let mut all: String = (0..120).map(rows).collect();
    all.push_str("2026-01-02T03:05:00Z ERROR web: upstream timed out\n");
    all
}

fn listing() -> String {
    let row = |i: usize| format!("-rw-r--r-- 1 ann dev {:5} Jan  2 03:04 file_{i}.txt\n", i * 31);
    let rows: String = (0..80).map(row).collect();
    format!("total 320\n{rows}")
}

fn json() -> String {
    let row =
        |i: usize| format!("  {{\"id\": {i}, \"name\": \"row {i}\", \"ok\": {}, \"score\": {i}.50}}", i != 9);
    let rows: Vec<String> = (0..50).map(row).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}
