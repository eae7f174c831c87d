//! `tersed run` with real commands: their output, their exit, and that nothing is lost or delayed.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here should take, also on a busy machine.
const LONG: Duration = Duration::from_secs(300);

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        for folder in ["run", "work", "work/.git", "home"] {
            fs::create_dir(place.path().join(folder)).unwrap();
        }
        Self(place)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn command(&self, program: &str) -> Command {
        let folder = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap();
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.path("work")).env("HOME", self.path("home"));
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display()));
        command.env("XDG_RUNTIME_DIR", self.path("run")).env("TERSED_NO_CONFIG", "1");
        // No test depends on how fast the work is.
        command.env("TERSED_DEADLINE_MS", "300000");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_tersed"));
        command.arg("run").args(arguments);
        command
    }

    /// A line for a shell, as a host has it run.
    fn bash(&self, line: &str) -> Output {
        self.command("bash").args(["-c", line]).output().unwrap()
    }

    /// Files of processes that are to be ended at the end.
    fn residents(&self) -> Vec<u32> {
        let home = format!("HOME={}", self.path("home").display());
        let pids =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let has = |pid: &u32, file: &str, word: &str| {
            fs::read(format!("/proc/{pid}/{file}"))
                .is_ok_and(|bytes| bytes.split(|&b| b == 0).any(|known| known == word.as_bytes()))
        };
        pids.filter(|pid: &u32| has(pid, "environ", &home) && has(pid, "cmdline", "resident")).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for pid in self.residents() {
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A run of tests that fails, as a script.
const FAILS: &str = "echo; echo 'running 300 tests'; for n in $(seq 300); do echo \"test t$n ... ok\"; done; \
    echo 'test boom ... FAILED'; echo; echo 'failures:'; echo; echo '---- boom stdout ----'; \
    echo 'assertion `left == right` failed'; echo '  left: 1'; echo ' right: 2'; echo; echo 'failures:'; echo '    boom'; echo; \
    echo 'test result: FAILED. 300 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s'; exit 101";

#[test]
fn a_run_that_fails_gets_smaller_and_keeps_its_status_and_its_original() {
    let place = Place::new();
    fs::write(place.path("work/cargo"), format!("#!/bin/sh\n{FAILS}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(place.path("work/cargo")).status().unwrap().success());
    let plain = text(&place.bash("./cargo test").stdout);
    let one = place.bash("tersed run --session s --call c1 -- ./cargo test");
    let out = text(&one.stdout);
    assert_eq!(one.status.code(), Some(101));
    assert!(out.len() * 4 < plain.len() && out.contains("  left: 1\n right: 2\n"), "{out}");
    assert!(out.contains("300 passed; 1 failed"), "{out}");
    let handle = out.trim_end_matches("]\n").rsplit(' ').next().unwrap();
    let whole = place.bash(&format!("tersed artifacts show {handle}"));
    assert_eq!(text(&whole.stdout), plain);
    // Text that was shown before is not shown again, with any interface.
    let two = place.bash("tersed run --session s --call c2 --shell './cargo test --all'");
    assert_eq!(two.status.code(), Some(101));
    assert!(text(&two.stdout).contains(": same output as in "), "{}", text(&two.stdout));
    // And without a process that remembers.
    let alone = place.bash("tersed run --no-resident -- ./cargo test");
    assert_eq!(alone.status.code(), Some(101));
    let shown = text(&alone.stdout);
    let handle = shown.rsplit(' ').find(|word| word.len() == 8).unwrap();
    for pid in place.residents() {
        assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    }
    assert_eq!(text(&place.bash(&format!("tersed artifacts show {handle}")).stdout), plain);
}

#[test]
fn a_command_that_asks_for_its_exact_output_gets_it() {
    let place = Place::new();
    let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    fs::write(place.path("work/cargo"), format!("#!/bin/sh\necho \"$1\" >&2\n{FAILS}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(place.path("work/cargo")).status().unwrap().success());
    let plain = place.bash("./cargo test");
    let smaller = place.bash("tersed run -- ./cargo test");
    assert!(smaller.stdout.len() * 4 < plain.stdout.len());
    for line in [
        "tersed run --raw -- ./cargo test",
        "tersed run --raw --shell './cargo test'",
        "env -u TERSED_NO_CONFIG TERSED_MODE=off tersed run -- ./cargo test",
        "tersed run --shell 'TERSED_MODE=off ./cargo test'",
        "tersed run --mode off -- ./cargo test",
    ] {
        let all = place.bash(line);
        assert_eq!(text(&all.stdout), text(&plain.stdout), "{line}");
        assert_eq!((text(&all.stderr), all.status.code()), ("test\n".to_owned(), Some(101)), "{line}");
    }
    // Secrets are still removed.
    let all = place.bash(&format!("tersed run --raw -- ./cargo {key}"));
    assert_eq!(text(&all.stderr), "[REDACTED:github-pat]\n");
    // With any interface.
    for (command, is_exact) in [("TERSED_MODE=off cargo test", true), ("cargo test", false)] {
        let line = format!("tersed compress --command '{command}' --exit-code 101 < out.txt");
        fs::write(place.path("work/out.txt"), &plain.stdout).unwrap();
        assert_eq!(place.bash(&line).stdout == plain.stdout, is_exact, "{command}");
    }
}

#[test]
fn a_command_ends_as_it_would_have() {
    let place = Place::new();
    for script in [
        "exit 0",
        "exit 1",
        "exit 255",
        "kill -TERM $$",
        "kill -KILL $$",
        "kill -SEGV $$",
        "kill -INT $$",
        "kill -PIPE $$",
    ] {
        let expected = place.command("sh").args(["-c", script]).status().unwrap();
        let status = place.run(&["--", "sh", "-c", script]).status().unwrap();
        assert_eq!((status.code(), status.signal()), (expected.code(), expected.signal()), "{script}");
        let status = place.run(&["--shell", script]).status().unwrap();
        assert_eq!((status.code(), status.signal()), (expected.code(), expected.signal()), "{script}");
    }
}

#[test]
fn what_cannot_start_is_told_in_the_words_of_the_shell() {
    let place = Place::new();
    fs::write(place.path("work/data"), "no program\n").unwrap();
    fs::write(place.path("work/script"), "echo ran by $0 with $1\nexit 9\n").unwrap();
    assert!(Command::new("chmod").arg("+x").arg(place.path("work/script")).status().unwrap().success());
    for shell in ["bash", "dash", "sh"] {
        for line in ["no-such-program", "./data", "./work", "./nowhere/x", "./script a"] {
            let ask = |line: String| {
                let output = place.command(shell).args(["-c", &line]).output().unwrap();
                (output.status.code(), text(&output.stdout), text(&output.stderr))
            };
            let (plain, wrapped) =
                (ask(format!("{line}; exit $?")), ask(format!("tersed run -- {line}; exit $?")));
            assert_eq!(plain, wrapped, "{shell}: {line}");
        }
    }
}

#[test]
fn streams_stay_apart_or_in_order() {
    let place = Place::new();
    let script = "for n in $(seq 200); do echo out $n; echo err $n >&2; done";
    let apart = place.run(&["--shell", script]).output().unwrap();
    let lines = |name: &str| (1..=200).map(|n| format!("{name} {n}\n")).collect::<String>();
    assert_eq!((text(&apart.stdout), text(&apart.stderr)), (lines("out"), lines("err")));
    let file = place.path("both");
    let mut both = place.run(&["--shell", script]);
    let out = File::create(&file).unwrap();
    both.stdout(out.try_clone().unwrap()).stderr(out);
    assert!(both.status().unwrap().success());
    let expected: String = (1..=200).map(|n| format!("out {n}\nerr {n}\n")).collect();
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    // Each stream is compressed separately.
    let lines = |stream: &str| format!("for n in $(seq 900); do echo 'test t'$n' ... ok' {stream}; done;");
    let both = place.run(&["--shell", &format!("{}{}", lines(">&2"), lines(""))]).output().unwrap();
    assert!(both.stdout.len() < 20_000 && both.stderr.len() < 20_000);
}

#[test]
fn input_variables_folder_and_group_are_the_same() {
    let place = Place::new();
    let mut command =
        place.run(&["--", "sh", "-c", "cat; pwd; echo $MINE; ps -o pgid= -p $$; ps -o pgid= -p $PPID"]);
    let mut child = command.env("MINE", "a b").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"from outside\n").unwrap();
    let output = text(&child.wait_with_output().unwrap().stdout);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[..3], ["from outside", place.path("work").to_str().unwrap(), "a b"]);
    assert_eq!(lines[3], lines[4]);
}

#[test]
fn what_is_no_text_passes_byte_for_byte() {
    let place = Place::new();
    let bytes: Vec<u8> = (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(place.path("work/data"), &bytes).unwrap();
    assert_eq!(place.run(&["--", "cat", "data"]).output().unwrap().stdout, bytes);
    let latin = [&b"caf\xe9\n".repeat(400)[..], b"end"].concat();
    fs::write(place.path("work/data"), &latin).unwrap();
    assert_eq!(place.run(&["--", "cat", "data"]).output().unwrap().stdout, latin);
}

#[test]
fn much_output_passes_whole() {
    let place = Place::new();
    // More than is held.
    let mut child = place
        .run(&["--", "sh", "-c", "yes 'the same line again and again' | head -c 80000000"])
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut buffer, mut count) = (vec![0; 1 << 20], 0);
    loop {
        match stdout.read(&mut buffer).unwrap() {
            0 => break,
            read => count += read,
        }
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(str::trim);
        let peak: u64 = peak.and_then(|peak| peak.strip_suffix(" kB")?.parse().ok()).unwrap_or(0);
        assert!(peak < 200_000, "{peak} kB");
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(count, 80_000_000);
}

/// Returns the output of a process in pieces, as it arrives.
fn pieces(child: &mut Child) -> std::sync::mpsc::Receiver<String> {
    let mut stdout = child.stdout.take().unwrap();
    let (send, pieces) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stdout.read(&mut buffer) {
            let _ = send.send(text(&buffer[..read]));
        }
    });
    pieces
}

#[test]
fn patience_ends_and_then_everything_passes() {
    let place = Place::new();
    let mut command = place.run(&["--patience", "200ms", "--", "sh", "-c", "echo one; sleep 600"]);
    let mut child = command.process_group(0).spawn().unwrap();
    let pieces = pieces(&mut child);
    assert_eq!(pieces.recv_timeout(LONG).unwrap(), "one\n");
    // The command too: nothing is to outlive the test.
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    child.wait().unwrap();
}

#[test]
fn a_signal_reaches_the_command_and_what_there_is_comes_out() {
    let place = Place::new();
    let script = "trap 'echo told; exit 7' TERM; echo one; echo ready >&2; while :; do sleep 0.05; done";
    let mut child =
        place.run(&["--patience", "10m", "--", "sh", "-c", script]).stderr(Stdio::null()).spawn().unwrap();
    // Its handler is in place when the command runs.
    let is_running = || {
        fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).is_ok_and(|c| !c.is_empty())
    };
    let start = Instant::now();
    while !is_running() {
        assert!(start.elapsed() < LONG);
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let pieces = pieces(&mut child);
    let mut all = String::new();
    while let Ok(piece) = pieces.recv_timeout(LONG) {
        all.push_str(&piece);
    }
    assert_eq!(all, "one\ntold\n");
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

#[test]
fn what_a_command_leaves_behind_holds_up_nobody_and_can_still_write() {
    let place = Place::new();
    let file = place.path("out");
    let mut command =
        place.run(&["--", "sh", "-c", "echo now; (sleep 3; echo later; echo done > ../mark) & exit 4"]);
    command.stdout(File::create(&file).unwrap()).stderr(Stdio::null());
    let status = command.status().unwrap();
    assert_eq!(status.code(), Some(4));
    let mark = place.path("mark");
    assert!(fs::read_to_string(&file).unwrap().starts_with("now\n") && !mark.exists());
    let start = Instant::now();
    while !(mark.exists() && fs::read_to_string(&file).unwrap() == "now\nlater\n") {
        assert!(start.elapsed() < LONG, "{:?}", fs::read_to_string(&file));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_reader_that_goes_ends_the_command_as_ever() {
    let place = Place::new();
    let line = "tersed run --patience 0s -- yes | head -1; echo ${PIPESTATUS[0]}";
    assert_eq!(text(&place.bash(line).stdout), "y\n141\n");
}

#[test]
fn what_was_not_written_or_read_is_a_failure_and_not_referred_to() {
    let place = Place::new();
    let rows = |last: u32| format!("seq -f 'row %.0f of the table of things' {last}");
    for (session, last, to, status) in [
        // A full disk; a pipe that is closed before all is read.
        ("a", 300, ">/dev/full", "1"),
        ("b", 1500, "| head -1 >/dev/null", "0"),
    ] {
        let run = |call: &str, to: &str| {
            let line = format!("tersed run --session {session} --call {call} -- {} {to}", rows(last));
            place.bash(&format!("{line}; echo ${{PIPESTATUS[0]}}"))
        };
        let first = run("c1", to);
        assert_eq!(text(&first.stdout), format!("{status}\n"), "{session}");
        assert_eq!(
            text(&first.stderr).contains("standard output: "),
            session == "a",
            "{}",
            text(&first.stderr)
        );
        let second = text(&run("c2", "").stdout);
        assert!(!second.contains("here as in") && second.ends_with("things\n0\n"), "{session} {second}");
        // The output refers to the file that was read.
        assert!(text(&run("c3", "").stdout).contains(" as in "), "{session}");
    }
    // A pipe that is closed before all is in it.
    let line = "tersed run -- head -c 300000 /dev/zero | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}";
    assert_eq!(text(&place.bash(line).stdout), "141\n");
}

#[test]
fn a_resident_process_has_no_limits_of_its_first_client() {
    let place = Place::new();
    place.bash("ulimit -S -n 64; umask 000; tersed run --session s --call c -- seq 300");
    let residents = place.residents();
    assert!(!residents.is_empty());
    for pid in residents {
        let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
        let files: Vec<&str> = files.split_whitespace().collect();
        assert_eq!(files[0], files[1], "{limits}");
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        assert!(status.contains("Umask:\t0077\n"), "{status}");
    }
}

#[test]
fn settings_that_cannot_be_read_stop_nothing() {
    let place = Place::new();
    let script = "./cargo test";
    fs::write(place.path("work/cargo"), format!("#!/bin/sh\n{FAILS}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(place.path("work/cargo")).status().unwrap().success());
    let plain = place.bash(script).stdout;
    let mut broken = place.run(&["--shell", script]);
    // Settings that cannot be read.
    fs::write(place.path("work/tersed.yaml"), "policy:\n  mod: safe\n").unwrap();
    let output = broken.env_remove("TERSED_NO_CONFIG").output().unwrap();
    assert!(output.stdout.len() * 4 < plain.len(), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(101));
    for arguments in [&[][..], &["--"], &["--shell", "ls", "--", "ls"], &["--patience", "soon", "--", "ls"]] {
        assert_eq!(place.run(arguments).output().unwrap().status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn in_a_terminal_it_becomes_the_command() {
    let place = Place::new();
    // `script` gives its command a terminal.
    let line = format!("{} run -- sh -c 'test -t 1 && stty size && exit 5'", env!("CARGO_BIN_EXE_tersed"));
    let output = place
        .command("script")
        .args(["-qec", &format!("stty rows 33 cols 77; {line}"), "/dev/null"])
        .output();
    let Ok(output) = output else { return };
    assert_eq!((text(&output.stdout).trim(), output.status.code()), ("33 77", Some(5)));
}

#[test]
fn originals_in_memory_are_listed_by_their_command_and_searched() {
    let place = Place::new();
    fs::write(place.path("work/cargo"), format!("#!/bin/sh\n{FAILS}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(place.path("work/cargo")).status().unwrap().success());
    let shown = text(&place.bash("PATH=.:$PATH tersed run -- cargo test").stdout);
    assert!(shown.contains("artifacts show"), "{shown}");
    let listed = text(&place.bash("tersed artifacts list").stdout);
    let row = listed.lines().nth(1).unwrap_or_default();
    assert!(row.contains("in memory") && row.ends_with("bash  cargo test"), "{listed}");
    let found = text(&place.bash("tersed artifacts search 't77 '").stdout);
    assert!(row.starts_with(&found[..16]) && found.ends_with(":79:test t77 ... ok\n"), "{found}");
}

/// A log that is longer than a host shows, with the failure in the part that a host cuts.
const LARGE: &str = "for n in $(seq 900); do echo \"2026-01-01 10:00:00 worker $n took job $((n * 7919)) from queue $((n * 31 % 17))\"; done; \
    echo 'ERROR worker 7: the disk of /srv/data is full'; \
    for n in $(seq 901 1500); do echo \"2026-01-01 10:00:00 worker $n took job $((n * 7919)) from queue $((n * 31 % 17))\"; done";

#[test]
fn what_a_host_would_cut_is_left_out_and_failures_last() {
    let place = Place::new();
    let whole = place.bash(LARGE).stdout.len();
    assert!(whole > 80_000);
    for (limit, more) in [(30_000, ""), (10_000, ""), (30_000, "--mode safe "), (4_000, "--mode aggressive ")]
    {
        for end in ["", "; exit 3", " >&2"] {
            let line =
                format!("tersed run {more}--host-limit {limit} --shell {}", quoted(&format!("{LARGE}{end}")));
            let output = place.bash(&line);
            let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
            assert!(
                all.len() <= limit && all.contains("ERROR worker 7: the disk"),
                "{limit} {more}{end}: {} bytes",
                all.len()
            );
            assert!(all.contains("tersed") && all.contains("artifacts show"), "{all}");
        }
    }
    // Both streams are one output to the host.
    let both = format!("{{ {LARGE}; }}; {{ {LARGE}; }} >&2");
    let output = place.bash(&format!("tersed run --host-limit 20000 --shell {}", quoted(&both)));
    assert!(output.stdout.len() + output.stderr.len() <= 20_000);
    assert!(
        text(&output.stdout).contains("ERROR worker 7") && text(&output.stderr).contains("ERROR worker 7")
    );
    // The variables of the host set the limit.
    let mut command = place.run(&["--shell", LARGE]);
    let output = command.env("CLAUDECODE", "1").env("BASH_MAX_OUTPUT_LENGTH", "5000").output().unwrap();
    assert!(output.stdout.len() <= 5_000, "{}", output.stdout.len());
    // A host may show less of a failed command.
    let line = format!(
        "tersed run --host-limit 30000 --host-limit-failed 5000 --shell {}",
        quoted(&format!("{LARGE}; exit 1"))
    );
    let output = place.bash(&line);
    assert!(
        output.stdout.len() <= 5_000 && text(&output.stdout).contains("ERROR worker 7"),
        "{}",
        output.stdout.len()
    );
}

#[test]
fn what_a_host_would_cut_is_worth_less_than_what_it_shows() {
    let place = Place::new();
    let shown = |more: &str, script: &str| {
        let line = format!(
            "tersed run {more}--host-limit 30000 --host-limit-failed 10000 --shell {}",
            quoted(script)
        );
        text(&place.bash(&line).stdout)
    };
    for end in ["", "; exit 3"] {
        let out = shown("", &format!("{LARGE}{end}"));
        assert!(out.len() < 5_500 && out.contains("ERROR worker 7: the disk"), "{} bytes{end}", out.len());
        assert!(out.contains("worker 1 took") && out.contains("worker 1500 took"), "its ends: {out}");
    }
    // Failures may take all that the host shows.
    let failures = "for n in $(seq 100); do echo \"ERROR worker $n: the disk of /srv/data/$n is full, nothing was written\"; done";
    let out = shown("", &format!("{LARGE}; {failures}; exit 1"));
    assert!(out.len() <= 10_000 && (1..=100).all(|n| out.contains(&format!("ERROR worker {n}: "))), "{out}");
    // A limit that was set applies.
    let out = shown("--set policy.headTailBytes=8000 ", LARGE);
    assert!((7_000..9_000).contains(&out.len()), "{} bytes", out.len());
    // An output that fits is the same as without a limit.
    let out = shown("", "seq 1000000 1001000");
    assert_eq!(out.len(), 8 * 1001);
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[test]
fn what_passed_is_counted_and_the_rest_is_held_to_the_end() {
    let place = Place::new();
    // Patience is over before anything is written.
    let script = format!("echo first; sleep 0.3; {LARGE}; exit 5");
    let output =
        place.run(&["--patience", "50ms", "--host-limit", "20000", "--shell", &script]).output().unwrap();
    let all = text(&output.stdout);
    assert_eq!(output.status.code(), Some(5));
    assert!(
        all.starts_with("first\n2026-01-01 10:00:00 worker 1 took") && all.contains("worker 1500 "),
        "{all}"
    );
    assert!(all.len() <= 20_000 && all.contains("ERROR worker 7: the disk"), "{} bytes", all.len());
    assert!(all.contains("artifacts show"), "{all}");
    // An output that fits is passed on unchanged.
    let little = "echo first; sleep 0.3; seq 500";
    let output =
        place.run(&["--patience", "50ms", "--host-limit", "20000", "--shell", little]).output().unwrap();
    let expected: String = (1..=500).map(|n| format!("{n}\n")).collect();
    assert_eq!(text(&output.stdout), format!("first\n{expected}"));
    // More than half, and less than the whole.
    let more = "echo first; sleep 0.3; seq 1000000 1001900";
    let output =
        place.run(&["--patience", "50ms", "--host-limit", "20000", "--shell", more]).output().unwrap();
    let expected: String = (1_000_000..=1_001_900).map(|n| format!("{n}\n")).collect();
    let all = text(&output.stdout);
    assert!(
        all.starts_with(&format!("first\n{}", &expected[..8_000])) && all.ends_with("1001900\n"),
        "{all}"
    );
}

#[test]
fn more_than_is_held_stays_below_the_limit_with_failures() {
    let place = Place::new();
    let lines = "yes 'INFO request served in 3 ms from the cache of the node' | head -c";
    let script = format!(
        "{lines} 17000000; echo; echo 'ERROR: migration 0042 failed: no such column'; {lines} 17000000; exit 1"
    );
    let output = place.run(&["--no-resident", "--host-limit", "10000", "--shell", &script]).output().unwrap();
    let all = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(all.len() <= 10_000 && all.starts_with("INFO request"), "{} bytes", all.len());
    assert!(all.contains("\nERROR: migration 0042 failed: no such column\n"), "{all}");
    assert!(all.contains("omitted") && all.trim_end().ends_with(": exit status 1]"), "{all}");
}

/// With this time limit every answer of the resident process is late.
fn late(mut command: Command) -> Output {
    command.env("TERSED_DEADLINE_MS", "1").output().unwrap()
}

#[test]
fn what_comes_late_stays_below_the_limit_with_failures() {
    let place = Place::new();
    let run = |script: &str| late(place.run(&["--host-limit", "10000", "--shell", script]));
    for (end, code) in [("", 0), ("; exit 3", 3), (" >&2; exit 2", 2)] {
        let output = run(&format!("{{ {LARGE}; }}{end}"));
        let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code));
        assert!(all.len() <= 10_000 && all.contains("ERROR worker 7: the disk"), "{} bytes{end}", all.len());
        assert!(all.contains("worker 1 took") && all.contains("worker 1500 took"), "its ends: {all}");
        assert!(
            all.contains("omitted") && all.contains(&format!("exit status {code}")) == (code != 0),
            "{all}"
        );
    }
    // What fits stays whole.
    let output = run("seq 1000");
    assert!(text(&output.stdout).ends_with("\n999\n1000\n"));
    // A stream with little output stays whole if the other one has much.
    let output = run(&format!("{LARGE}; echo 'error: the last one' >&2; exit 2"));
    assert_eq!(text(&output.stderr), "error: the last one\n");
    assert!(output.stdout.len() <= 10_000 - output.stderr.len());
    // A part that is late leaves room for the end.
    let lines = "yes \"INFO $(printf '%01000d' 7)\" | head -c 33700000";
    let output = run(&format!("{lines}; echo; echo 'error: the last one'; exit 2"));
    let all = text(&output.stdout);
    assert!(all.len() <= 10_000 && all.contains("error: the last one\n"), "{} bytes: {all}", all.len());
}

#[test]
fn after_a_signal_the_failures_so_far_are_shown_without_an_exit_status() {
    let place = Place::new();
    // The command outlives the signal, so that its exit status is not known when the output is shown.
    let script = format!("trap : TERM; {LARGE}; : > ready; until [ -e end ]; do sleep 0.05; done; exit 7");
    // In this process, which has no deadline: after a deadline, the output would be passed on uncompressed.
    let mut child = place
        .run(&["--no-resident", "--patience", "10m", "--host-limit", "10000", "--", "sh", "-c", &script])
        .process_group(0)
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !place.path("work/ready").exists() {
        assert!(start.elapsed() < LONG);
        thread::sleep(Duration::from_millis(10));
    }
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-TERM", "--", &group]).status().unwrap().success());
    let pieces = pieces(&mut child);
    let mut all = String::new();
    while !all.contains("ERROR worker 7: the disk") {
        all.push_str(&pieces.recv_timeout(LONG).unwrap());
    }
    fs::write(place.path("work/end"), "").unwrap();
    while let Ok(piece) = pieces.recv_timeout(LONG) {
        all.push_str(&piece);
    }
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert!(all.len() <= 10_000, "{} bytes", all.len());
    assert!(!all.contains("exit status"), "nobody knows it yet: {all}");
}

/// A token that a rule for secrets knows, made at run time.
fn token() -> String {
    format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36])
}

#[test]
fn short_outputs_lose_their_secrets() {
    let place = Place::new();
    let line = format!("echo GITHUB_TOKEN={}; echo err {} >&2", token(), token());
    for more in [&[][..], &["--no-resident"]] {
        let out = place.run(more).args(["--", "sh", "-c", &line]).output().unwrap();
        let (out, err) = (text(&out.stdout), text(&out.stderr));
        assert_eq!(out, "GITHUB_TOKEN=[REDACTED:github-pat]\n");
        assert_eq!(err, "err [REDACTED:github-pat]\n");
    }
    let out = place.run(&["--", "echo", "nothing"]).output().unwrap();
    assert_eq!(text(&out.stdout), "nothing\n");
}

#[test]
fn what_is_no_text_loses_its_secrets() {
    let place = Place::new();
    let line = format!(r"printf 'a\000b\377 key {} end\n'", token());
    let out = place.run(&["--", "sh", "-c", &line]).output().unwrap();
    assert_eq!(out.stdout, b"a\0b\xff key [REDACTED:github-pat] end\n");
}

#[test]
fn wide_text_and_lists_that_end_with_nul_lose_their_secrets() {
    let place = Place::new();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let lines = |value: &str, token: &str| format!("first\r\nDB_PASSWORD={value}\r\nkey {token} end\r\n");
    let given = wide(&lines("Zq7pLm2Xw9", &token()));
    let expected = wide(&lines("[REDACTED:generic-password]", "[REDACTED:github-pat]"));
    for (before, behind) in [(&b""[..], 0), (b"\xff\xfe", 0), (b"", 40_000)] {
        let more = wide("a line of the report\r\n").repeat(behind / 40);
        fs::write(place.path("work/data"), [before, &given, &more].concat()).unwrap();
        for arguments in [
            &["--", "cat", "data"][..],
            &["--no-resident", "--", "cat", "data"],
            &["--raw", "--", "cat", "data"],
        ] {
            let out = place.run(arguments).output().unwrap();
            assert!(
                out.stdout == [before, &expected, &more].concat(),
                "{arguments:?} {}",
                String::from_utf8_lossy(&out.stdout)
            );
        }
    }
    let items =
        |value: &str, token: &str| format!("HOME=/x\0DB_PASSWORD={value}\0GITHUB_TOKEN={token}\0LANG=C\0");
    fs::write(place.path("work/data"), items("Zq7pLm2Xw9", &token())).unwrap();
    let out = place.run(&["--", "cat", "data"]).output().unwrap();
    assert_eq!(text(&out.stdout), items("[REDACTED:generic-password]", "[REDACTED:github-pat]"));
}

#[test]
fn what_is_no_text_stays_below_the_limit_with_failures() {
    let place = Place::new();
    let end = "\nERROR: disk is full\n";
    let lines: String = (0..9000).map(|n| format!("a\0b {n}\n")).collect();
    let noise: Vec<u8> = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let wide: Vec<u8> = (0..9000)
        .flat_map(|n| format!("step {n}\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
        .collect();
    let wide_end: Vec<u8> = end.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for data in [
        [lines.as_bytes(), end.as_bytes()].concat(),
        [&noise[..], end.as_bytes()].concat(),
        [wide, wide_end].concat(),
    ] {
        fs::write(place.path("work/data"), &data).unwrap();
        for more in [&[][..], &["--no-resident"], &["--mode", "safe"]] {
            let script =
                ["--host-limit", "30000", "--host-limit-failed", "10000", "--shell", "cat data; exit 1"];
            let out = place.run(&[more, &script].concat()).output().unwrap();
            let shown = String::from_utf8_lossy(&out.stdout);
            assert!(shown.chars().count() <= 10_000, "{}", shown.len());
            assert!(shown.contains("ERROR: disk is full"), "{more:?} {shown}");
        }
    }
}

#[test]
fn what_passes_after_the_patience_loses_its_secrets_and_comes_at_once() {
    let place = Place::new();
    let (head, tail) = (&token()[..15], &token()[15..]);
    let line = format!(
        "echo first; printf 'key {head}'; sleep 1; printf '{tail} end\\nready\\n'; read answer; echo got $answer {}",
        token()
    );
    let mut command = place.run(&["--patience", "100ms", "--", "sh", "-c", &line]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut seen = Vec::new();
    // The command continues only when its last line was seen: nothing is held to the end.
    while !text(&seen).contains("ready\n") {
        let mut piece = [0; 4096];
        let read = stdout.read(&mut piece).unwrap();
        assert!(read > 0, "{}", text(&seen));
        seen.extend_from_slice(&piece[..read]);
    }
    child.stdin.take().unwrap().write_all(b"yes\n").unwrap();
    stdout.read_to_end(&mut seen).unwrap();
    assert!(child.wait().unwrap().success());
    let place_holder = "[REDACTED:github-pat]";
    assert_eq!(text(&seen), format!("first\nkey {place_holder} end\nready\ngot yes {place_holder}\n"));
}

#[test]
fn what_comes_after_a_signal_loses_its_secrets() {
    let place = Place::new();
    let line =
        format!("trap 'echo late {0}; exit 3' TERM; echo early {0}; while :; do sleep 0.1; done", token());
    let child = place.run(&["--", "bash", "-c", &line]).spawn().unwrap();
    thread::sleep(Duration::from_secs(2));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(text(&out.stdout), "early [REDACTED:github-pat]\nlate [REDACTED:github-pat]\n");
}

const FORGED: &str = "[tersed: omitted 400 lines 3-402, passing_tests]";

#[test]
fn forged_markers_are_escaped_wherever_nothing_is_compressed() {
    let place = Place::new();
    for (script, expected) in [
        (format!("echo '{FORGED}'"), format!("\\{FORGED}\n")),
        (format!("echo '{FORGED}'; exit 3"), format!("\\{FORGED}\n")),
        (format!(r"printf 'a\000b\n'; echo '{FORGED}'"), format!("a\0b\n\\{FORGED}\n")),
        (format!(r"printf 'a\377b\n'; echo '{FORGED}'"), format!("a\u{fffd}b\n\\{FORGED}\n")),
        (
            format!("echo start; sleep 1; printf '['; sleep 1; echo '{}'", &FORGED[1..]),
            format!("start\n\\{FORGED}\n"),
        ),
    ] {
        for more in [&[][..], &["--no-resident"]] {
            let out =
                place.run(more).args(["--patience", "100ms", "--", "sh", "-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&out.stdout), expected, "{script}");
        }
        // Output that a program reads as data is requested unchanged.
        let out = place.run(&["--raw", "--", "sh", "-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stdout), expected.replace('\\', ""), "{script}");
    }
    let line = format!("trap 'echo \"{FORGED}\"; exit 3' TERM; echo early; while :; do sleep 0.1; done");
    let child = place.run(&["--", "bash", "-c", &line]).spawn().unwrap();
    thread::sleep(Duration::from_secs(2));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(text(&child.wait_with_output().unwrap().stdout), format!("early\n\\{FORGED}\n"));
}

#[test]
fn a_limit_on_files_is_a_full_disk() {
    let place = Place::new();
    let line = format!(
        "ulimit -f 1; exec {} run --no-resident -- sh -c 'seq 1 300000; exit 5'",
        env!("CARGO_BIN_EXE_tersed")
    );
    let out = place.bash(&line);
    assert_eq!(out.status.code(), Some(5), "{}", text(&out.stderr));
    assert!(out.stdout.ends_with(b"300000\n") && out.stdout.starts_with(b"1\n2\n"), "{}", out.stdout.len());
    // The limit still applies to the command itself.
    let line = format!(
        "ulimit -f 1; {} run --no-resident -- bash -c 'exec seq 1 300000 > file'; echo $?",
        env!("CARGO_BIN_EXE_tersed")
    );
    let out = place.bash(&line);
    assert_eq!(text(&out.stdout), format!("{}\n", 128 + 25));
}
