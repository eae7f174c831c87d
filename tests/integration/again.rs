//! Text that was shown before: after an edit the changed lines are shown, a repeated request gets the whole text, and
//! a repeated run shows what changed.

use crate::common::call;
use serde_json::{Value, json};
use tersed::engine::Engine;
use tersed::text::marker::Marker;

const COMPRESS: &str = "toolResult/compress";

fn send(engine: &Engine, result: &Value) -> String {
    let answer = call(engine, COMPRESS, &json!({"sessionId": "s", "result": result}));
    answer["content"].as_str().unwrap().to_owned()
}

/// The markers of references in a text.
fn references(text: &str) -> Vec<Marker> {
    let all = text.lines().filter_map(|line| Marker::parse(line).map(|(marker, _)| marker));
    let is_reference = |m: &Marker| {
        matches!(
            m,
            Marker::Shown { .. }
                | Marker::There { .. }
                | Marker::Several(_)
                | Marker::Duplicate { .. }
                | Marker::Same { .. }
        )
    };
    all.filter(is_reference).collect()
}

fn line(n: usize) -> String {
    format!("    let value_{n} = compute_the_value(input_{n}, offset_{});", n * 7)
}

/// Lines of a file with their numbers.
fn view(lines: impl Iterator<Item = usize>) -> String {
    lines.map(|n| format!("{n}:{}\n", line(n))).collect()
}

fn read(id: &str, from: usize, to: usize) -> Value {
    json!({"toolCallId": id, "tool": "Read", "path": "/w/src/a.rs",
        "arguments": {"file_path": "/w/src/a.rs", "offset": from}, "content": view(from..=to)})
}

#[test]
fn an_edit_shows_the_lines_that_it_touched() {
    let engine = Engine::default();
    send(&engine, &read("a", 1, 80));
    let window = format!("[File: /w/src/a.rs (80 lines total)]\n{}", view(1..=80));
    let edit = |id: &str, text: &str| {
        json!({"toolCallId": id, "tool": "edit", "content": text,
            "command": format!("edit 40:41\n{}\n{}\nend_of_edit\n", line(40), line(41))})
    };
    let shown = send(&engine, &edit("b", &window));
    for n in 37..=44 {
        assert!(shown.contains(&format!("\n{n}:{}\n", line(n))), "{n}: {shown}");
    }
    assert_eq!(references(&shown).len(), 2, "{shown}");
    assert!(shown.contains("lines 1-36 as in a (Read); /w/src/a.rs, 1 result ago]"), "{shown}");
}

#[test]
fn nothing_refers_to_an_edit_that_was_rejected() {
    let engine = Engine::default();
    let text = format!(
        "Your proposed edit has introduced new syntax error(s).\n\nThis is how your edit would have looked if applied\n{}\nYour changes have NOT been applied. Please fix your edit command and try again.\n",
        view(1..=60)
    );
    let edit = |id: &str| json!({"toolCallId": id, "tool": "edit", "command": "edit 90:90\nx\nend_of_edit\n", "content": text});
    assert_eq!(send(&engine, &edit("a")), text);
    assert_eq!(send(&engine, &edit("b")), text, "the same again is no duplicate of it");
    let shown = send(&engine, &read("c", 1, 60));
    assert!(references(&shown).is_empty(), "{shown}");
}

#[test]
fn a_result_has_three_references_at_most() {
    let engine = Engine::default();
    send(&engine, &read("a", 1, 300));
    // Every tenth line is another one.
    let sizes = [10, 30, 20, 60, 15, 40];
    let mut text = String::new();
    let mut n = 1;
    for size in sizes {
        text += &view(n..n + size);
        n += size;
        text += &format!("{n}:a line of its own\n");
        n += 1;
    }
    let shown =
        send(&engine, &json!({"toolCallId": "b", "tool": "bash", "command": "git show x", "content": text}));
    let lines: Vec<usize> = references(&shown)
        .iter()
        .map(|marker| match marker {
            Marker::Shown { first, last, .. } | Marker::There { first, last, .. } => last - first + 1,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[0] > 20 && lines[1] > 50 && lines[2] > 30, "{lines:?}");
}

#[test]
fn lines_that_different_results_show_share_a_marker() {
    let engine = Engine::default();
    for (id, from) in [("a", 1), ("b", 41), ("c", 81), ("d", 121), ("e", 161)] {
        send(&engine, &read(id, from, from + 39));
    }
    let window = format!("[File: /w/src/a.rs (200 lines total)]\n{}", view(1..=200));
    let shown = send(
        &engine,
        &json!({"toolCallId": "f", "tool": "edit", "content": window,
            "command": format!("edit 190:190\n{}\nend_of_edit\n", line(190))}),
    );
    let markers = references(&shown);
    assert_eq!(markers.len(), 3, "{shown}");
    assert_eq!(markers[0].references().len(), 4, "{shown}");
    assert!(
        shown.contains(
            "lines 1-40 as in a (Read; /w/src/a.rs, 5 results ago), lines 41-80 as in b (Read; 4 results ago), lines"
        ),
        "{shown}"
    );
}

#[test]
fn after_an_edit_a_view_is_a_new_question() {
    let edit = |id: &str, n: usize| {
        json!({"toolCallId": id, "tool": "edit", "content": "File updated.\n",
            "command": format!("edit {n}:{n}\n    let changed = in_place_of({n});\nend_of_edit\n")})
    };
    let views = |edited: Option<usize>, id: &str| {
        let text = view(1..=60);
        let text = match edited {
            Some(n) => text.replace(&line(n), &format!("    let changed = in_place_of({n});")),
            None => text,
        };
        json!({"toolCallId": id, "tool": "open", "command": "open src/a.rs", "content": text})
    };
    let engine = Engine::default();
    send(&engine, &views(None, "a"));
    assert!(!references(&send(&engine, &views(None, "b"))).is_empty());
    send(&engine, &edit("c", 30));
    let after = send(&engine, &views(Some(30), "d"));
    assert!(!references(&after).is_empty(), "{after}");
    assert!(after.contains("in_place_of(30)"), "{after}");
    for n in [27, 28, 29, 31, 32, 33] {
        assert!(after.contains(&line(n)), "{n}: {after}");
    }
    // Without another edit it is a repeated request.
    assert_eq!(send(&engine, &views(Some(30), "e")), views(Some(30), "e")["content"]);
}

#[test]
fn what_is_new_since_the_last_answer_is_shown() {
    let engine = Engine::default();
    let rows = |more: &str| {
        let row = |n: usize| {
            format!("service-{n:03}  running  /opt/service-{n:03}/bin/start --port {}\n", 3000 + n)
        };
        let mut rows: Vec<String> = (0..400).map(row).collect();
        rows.insert(211, more.to_owned());
        rows.concat()
    };
    let list = |id: &str, text: String| json!({"toolCallId": id, "tool": "bash", "command": "./services", "content": text});
    let first = send(&engine, &list("a", rows("")));
    assert!(first.contains("head_tail"), "{first}");
    let new = "unknown-211  running  /tmp/.x/miner --quiet\n";
    let second = send(&engine, &list("b", rows(new)));
    assert!(second.contains(new) && second.contains("[tersed"), "{second}");
    let third = json!({"toolCallId": "b", "tool": "bash", "command": "./services", "content": rows(new)});
    assert_eq!(send(&engine, &third), second, "sent again");
}

#[test]
fn below_a_reference_a_changed_line_has_its_heading() {
    let engine = Engine::default();
    let text = |log: &str| {
        let section = |n: usize| {
            let log = if n == 30 { log.to_owned() } else { format!("/var/log/worker-{n}.log") };
            format!(
                "[program:worker-{n}]\ncommand=/opt/worker {n}\nautostart=true\nuser=app{n}\nstdout_logfile={log}\n\n"
            )
        };
        (0..60).map(section).collect::<String>()
    };
    let cat = |id: &str, log: &str| json!({"toolCallId": id, "tool": "bash", "command": "cat supervisord.conf", "content": text(log)});
    send(&engine, &cat("a", "/var/log/worker-30.log"));
    let shown = send(&engine, &cat("b", "/dev/null"));
    let at = |line: &str| shown.lines().position(|l| l == line).unwrap_or_else(|| panic!("{line}: {shown}"));
    assert!(at("[program:worker-30]") < at("stdout_logfile=/dev/null"));
    assert!(!references(&shown).is_empty(), "{shown}");
}

#[test]
fn a_script_that_is_run_again_with_other_times_is_a_reference() {
    let engine = Engine::default();
    let run = |id: &str, ms: usize| {
        let package = |n: usize| {
            format!(
                "> package-{n}@0.1.0 check\n> biome check . && tsc\n\nChecked {n} files in {}ms. No fixes applied.\n\n",
                ms + n
            )
        };
        let text: String =
            (20..30).map(package).collect::<String>() + "> docs@0.1.0 check\n> tsc --noEmit\n\n";
        json!({"toolCallId": id, "tool": "bash", "command": "cd /w && npm run check", "content": text})
    };
    send(&engine, &run("a", 5));
    let again = send(&engine, &run("b", 9));
    assert!(
        again.contains("same output as in a (bash); npm run check, 1 result ago, but for times]"),
        "{again}"
    );
    // The echo of the last command is not a total.
    assert_eq!(again.lines().count(), 1, "{again}");
    // After a run with another result, the result of the first run is news again.
    let mut broken = run("c", 7);
    let text = broken["content"].as_str().unwrap().replace("No fixes applied", "Found 49 errors");
    broken["content"] = json!(text);
    send(&engine, &broken);
    for (id, ms, is_news) in [("d", 6, true), ("e", 8, false)] {
        let again = send(&engine, &run(id, ms));
        assert_eq!(again.matches("No fixes applied").count(), if is_news { 10 } else { 0 }, "{again}");
        assert_eq!(send(&engine, &run(id, ms)), again);
    }
}

#[test]
fn who_asks_for_lines_again_gets_them_by_any_tool_and_range() {
    let bare = |from: usize, to: usize| (from..=to).map(|n| line(n) + "\n").collect::<String>();
    let shell = |id: &str, command: &str, text: String| json!({"toolCallId": id, "tool": "bash", "command": command, "content": text});
    for (name, again) in [
        ("narrower", read("c", 20, 50)),
        ("overlaps", read("c", 40, 60)),
        ("cat", shell("c", "cat src/a.rs", bare(1, 60))),
        ("sed", shell("c", "sed -n '10,40p' src/a.rs", bare(10, 40))),
        ("head", shell("c", "head -n 30 src/a.rs", bare(1, 30))),
        ("view", json!({"toolCallId": "c", "tool": "view", "path": "src/a.rs", "content": view(5..=45)})),
    ] {
        for second in [read("b", 1, 60), shell("b", "cat src/a.rs", bare(1, 60))] {
            let engine = Engine::default();
            send(&engine, &read("a", 1, 60));
            let first = send(&engine, &second);
            assert_eq!(references(&first).len(), 1, "{name}: {first}");
            assert!(first.contains("/w/src/a.rs, 1 result ago"), "{first}");
            assert_eq!(send(&engine, &again), again["content"].as_str().unwrap(), "{name}");
        }
    }
}

fn run(id: &str, seconds: &str, failed: usize) -> Value {
    let cases: String =
        (0..30).map(|n| format!("tests/test_area_{n}.py::test_case_{n} PASSED [ {n}%]\n")).collect();
    let failures: String = (0..failed)
        .map(|n| format!("FAILED tests/test_a.py::test_{n} - AssertionError: assert {n} == 7 in the long explanation of what should have been there\n"))
        .collect();
    let text = format!(
        "============================= test session starts ==============================\nplatform linux -- Python 3.12.1, pytest-8.0.0, pluggy-1.4.0\nrootdir: /w\ncollected {} items\n\n{cases}\n=========================== short test summary info ============================\n{failures}========================= {failed} failed, 30 passed in {seconds}s =========================\n",
        30 + failed
    );
    json!({"toolCallId": id, "tool": "Bash", "command": "pytest -v", "exitCode": 1, "content": text})
}

#[test]
fn a_test_that_is_run_again_is_told_in_one_line_with_its_failures() {
    let engine = Engine::default();
    let first = send(&engine, &run("a", "0.51", 3));
    for (id, seconds) in [("b", "0.73"), ("c", "0.52"), ("d", "0.51")] {
        let again = send(&engine, &run(id, seconds, 3));
        assert!(again.len() < first.len(), "{again}");
        assert_eq!(references(&again).len(), 1, "{again}");
        assert_eq!(again.matches("FAILED tests/test_a.py").count(), 3, "{again}");
        assert!(again.contains(&format!("3 failed, 30 passed in {seconds}s")), "{again}");
        let says = if seconds == "0.51" {
            "[Duplicate of a (Bash); see earlier result] (same output as pytest -v, "
        } else {
            ", but for times]"
        };
        assert!(again.contains(says), "{again}");
    }
    // One failure less is another result.
    let other = send(&engine, &run("e", "0.51", 2));
    assert!(other.contains("2 failed, 30 passed") && !other.contains("but for times"), "{other}");
    // An output that is sent again is not changed.
    let same = send(&engine, &run("f", "0.51", 3));
    let back = json!({"toolCallId": "g", "tool": "Bash", "command": "pytest -v", "content": same});
    assert_eq!(send(&engine, &back), same);
}

#[test]
fn a_repeated_command_keeps_its_last_line_and_nothing_small_is_replaced() {
    let engine = Engine::default();
    let listing: String =
        (0..40).map(|n| format!("module_{n}.py: {n} functions, none of them documented\n")).collect();
    let text = format!("{listing}done: 40 modules\n");
    let command = |id: &str, text: &str| json!({"toolCallId": id, "tool": "bash", "command": "./count.sh --all", "content": text});
    send(&engine, &command("a", &text));
    assert_eq!(
        send(&engine, &command("b", &text)),
        "[Duplicate of a (bash); see earlier result] (same output as ./count.sh --all, 1 result ago)\ndone: 40 modules"
    );
    let small = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen\n";
    send(&engine, &command("c", small));
    assert_eq!(send(&engine, &command("d", small)), small);
}

#[test]
fn a_command_with_a_secret_is_not_named() {
    let engine = Engine::default();
    let token = ["ghp_", "R4nd0mT0k3nV4lu3F0rT3st1ngPurp0s3s12"].concat();
    let text: String = (0..40).map(|n| line(n) + "\n").collect();
    let command = |id: &str| json!({"toolCallId": id, "tool": "bash", "command": format!("curl -H {token} x"), "content": text});
    send(&engine, &command("a"));
    let again = send(&engine, &command("b"));
    assert!(
        again.starts_with("[Duplicate of a (bash); see earlier result] (same output, 1 result ago)"),
        "{again}"
    );
}

#[test]
fn references_have_no_ids_where_the_model_sees_none() {
    let engine = Engine::default();
    call(&engine, "session/open", &json!({"sessionId": "s", "policy": {"idsVisible": false}}));
    let text: String = (1..=60).map(|n| line(n) + "\n").collect();
    let run = |id: &str, text: &str| json!({"toolCallId": id, "tool": "bash", "command": "./show all", "content": text});
    send(&engine, &run("call_one", &text));
    let same = send(&engine, &run("call_two", &text));
    assert!(same.contains(": same output as in bash; ./show all, 1 result ago]"), "{same}");
    assert!(same.starts_with("[tersed#"), "{same}");
    let parts = format!("{}a line of its own\n{}", &text[..text.len() / 2], &text[text.len() / 2..]);
    let three = json!({"toolCallId": "call_three", "tool": "bash", "command": "./other", "content": parts});
    let shown = send(&engine, &three);
    assert!(shown.contains(" as in bash; ./show all, 2 results ago]"), "{shown}");
    assert!(shown.contains(" there]") && !shown.contains("call_"), "{shown}");
    assert_eq!(send(&engine, &three), shown);
}

#[test]
fn a_marker_is_not_shown_again_behind_a_duplicate() {
    let engine = Engine::default();
    let run = |id: &str, command: &str, text: &str| json!({"toolCallId": id, "tool": "bash", "command": command, "content": text});
    send(&engine, &run("a", "git show x", &view(1..=60)));
    let own = send(
        &engine,
        &run("b", "git show y", &format!("{}a line of its own\n{}", view(1..=30), view(31..=60))),
    );
    assert!(own.ends_with(" there]\n"), "{own}");
    send(&engine, &run("c", "git show y", &own));
    let again = send(&engine, &run("d", "git show y", &own));
    assert!(again.starts_with("[Duplicate of c ") && !again.contains("there]"), "{again}");
}

/// A file of functions, with the numbers of its lines; one function is written otherwise.
fn functions(other: Option<(usize, &str)>) -> String {
    let mut out = String::new();
    let mut push = |line: String| {
        let number = out.lines().count() + 1;
        out += &format!("{number:>6}\t{line}\n");
    };
    for n in 0..80 {
        push(format!("export function shape_{n}(width, height) {{"));
        let sides = other.filter(|(at, _)| *at == n).map_or("width, height", |(_, sides)| sides);
        push(format!("  const sides = [{sides}, {n}];"));
        push("  if (sides.some((side) => side < 0)) {".to_owned());
        push(format!("    throw new RangeError(\"shape_{n}: a side is negative\");"));
        push("  }".to_owned());
        push(format!("  return sides.reduce((area, side) => area + side * {n}, 0);"));
        push("}".to_owned());
    }
    out
}

fn whole(id: &str, text: String) -> Value {
    json!({"toolCallId": id, "tool": "Read", "path": "/w/src/shapes.js",
        "arguments": {"file_path": "/w/src/shapes.js"}, "content": text})
}

#[test]
fn a_file_that_was_edited_shows_the_edit_and_at_the_third_look_all() {
    let engine = Engine::default();
    let edit = |id: &str, new: &str| {
        json!({"toolCallId": id, "tool": "Edit", "path": "/w/src/shapes.js", "content": "The file has been updated.",
            "arguments": {"file_path": "/w/src/shapes.js", "old_string": "width, height, 60", "new_string": new}})
    };
    let line = "  const sides = [height, width, 60];\n";
    let first = send(&engine, &whole("a", functions(None)));
    assert!(first.contains("file_body") && !first.contains("[width, height, 60]"), "{first}");
    send(&engine, &edit("b", "height, width, 60"));
    let text = functions(Some((60, "height, width")));
    let second = send(&engine, &whole("c", text.clone()));
    assert!(second.contains(line) && second.contains("side * 60, 0)"), "{second}");
    assert!(second.contains("file_body") && !second.contains("[width, height, 61]"), "{second}");
    assert_eq!(send(&engine, &whole("c", text.clone())), second, "a resend");
    let text = text.replace("width, height, 70", "height, width, 70");
    send(&engine, &edit("d", "height, width, 70"));
    // The padding of the numbers goes.
    let unpadded: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    assert_eq!(send(&engine, &whole("e", text)), unpadded, "all");
}

#[test]
fn after_an_outline_that_another_gave_the_whole_file_stays() {
    let engine = Engine::default();
    let outline = send(&Engine::default(), &whole("a", functions(None)));
    assert!(outline.contains("file_body"), "{outline}");
    assert_eq!(send(&engine, &whole("a", outline.clone())), outline, "it is ours");
    // The padding of the numbers goes.
    let unpadded: String = functions(None).lines().map(|line| format!("{}\n", line.trim_start())).collect();
    assert_eq!(send(&engine, &whole("b", functions(None))), unpadded, "all");
    // Another file gets its outline.
    let other = json!({"toolCallId": "c", "tool": "Read", "path": "/w/src/other.js",
        "arguments": {"file_path": "/w/src/other.js"}, "content": functions(None).replace("shape", "room")});
    assert!(send(&engine, &other).contains("file_body"));
}

#[test]
fn the_frame_of_a_tool_is_not_shown_again_behind_a_duplicate() {
    let engine = Engine::default();
    let lines: String = (0..40).map(|n| format!("step {n} of the work\n")).collect();
    let output = format!("<returncode>0</returncode>\n<output>\n{lines}all 40 done\n</output>");
    let run = |id: &str| json!({"toolCallId": id, "tool": "bash", "command": "make all", "content": output});
    send(&engine, &run("a"));
    let again = send(&engine, &run("b"));
    assert!(again.starts_with("[Duplicate of a ") && again.ends_with("\nall 40 done"), "{again}");
}
