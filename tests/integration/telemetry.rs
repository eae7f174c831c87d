//! Telemetry as an operator sees it: the file, the notifications, alerts, the totals of `tersed stats`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Schema, Server, bless, call, repository, try_call};
use serde_json::{Value, json};
use tersed::config::{Accounting, Alerts, Price, Telemetry};
use tersed::engine::{Engine, Settings};
use tersed::telemetry::Clock;
use tersed::telemetry::event::{Event, EventKind};

/// A secret in the form of a cloud provider's key, put together so that no scanner takes it for a real one.
fn secret() -> String {
    ["AKIA", "QYLPMN5HFIQ7", "XYZA"].concat()
}

fn numbered(n: usize, what: &str) -> String {
    (1..=n).map(|i| format!("{what} {i}\n")).collect()
}

fn events(path: &Path) -> Vec<Event> {
    let text = fs::read_to_string(path).unwrap();
    let mut events = text.lines().map(|line| serde_json::from_str::<Event>(line).unwrap());
    let header = events.next().unwrap();
    assert!(matches!(header.what, EventKind::Header), "{header:?}");
    events.collect()
}

fn result(event: &Event) -> &tersed::telemetry::event::ResultEvent {
    match &event.what {
        EventKind::Result(result) => result,
        other => panic!("{other:?}"),
    }
}

/// A clock that advances by a millisecond whenever it is read, and when a test advances it.
#[derive(Debug, Default)]
struct Ticks(AtomicU64);

impl Ticks {
    fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn unix_millis(&self) -> u64 {
        1_700_000_000_000
    }
}

fn to_file(path: &Path) -> Settings {
    let telemetry = Telemetry { enabled: true, path: Some(path.to_owned()), ..Telemetry::default() };
    Settings { telemetry, ..Settings::default() }
}

#[test]
fn a_child_writes_events_without_content() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state/events.jsonl");
    let mut server = Server::start_with(true, &["--telemetry".as_ref(), file.as_os_str()]);
    server.initialize();
    let secret = secret();
    // A value that the call itself contains is not a secret to the model; another value is.
    let other = secret.replace("XYZA", "ZYXB");
    let text = format!("{}the key is {other}\n{}", numbered(400, "routine line"), "same thing\n".repeat(400));
    let params = json!({
        "sessionId": format!("s-{secret}"),
        "correlationId": "turn-7",
        "result": {"toolCallId": "c1", "tool": "bash", "content": text,
            "arguments": {"command": format!("./prog --key {secret}")}},
        "policy": {"mode": "aggressive", "headTailBytes": 2048},
    });
    for _ in 0..2 {
        assert!(server.call("toolResult/compress", &params).get("result").is_some());
    }
    server.finish();
    let raw = fs::read_to_string(&file).unwrap();
    for part in [&*secret, &*other, "routine line", "same thing", "the key", "prog"] {
        assert!(!raw.contains(part), "{part:?} in {raw}");
    }
    let events = events(&file);
    assert_eq!(events.iter().map(|e| e.seq).collect::<Vec<_>>(), [1, 2]);
    let first = result(&events[0]);
    assert_eq!(first.names.correlation_id.as_deref(), Some("turn-7"));
    assert_eq!(first.names.tool_call_id.as_deref(), Some("c1"));
    assert_eq!(first.names.tool, "bash");
    assert!(first.flags.redacted && first.resend.is_none());
    assert!(first.tokens.after < first.tokens.before && first.lines.before == 801);
    assert!(!first.strategies.is_empty() && !first.omitted.is_empty());
    assert!(first.steps.iter().any(|step| step.elapsed_micros.is_some()));
    let fingerprints = first.fingerprints.as_ref().unwrap();
    assert!(fingerprints.arguments.is_some() && fingerprints.original != fingerprints.compressed);
    let again = result(&events[1]);
    assert!(again.resend.is_some() && again.steps.iter().all(|step| step.elapsed_micros.is_none()));
    assert_eq!(again.fingerprints, first.fingerprints);
    let schema = Schema::new();
    for line in raw.lines() {
        let errors = schema.errors("/notifications/telemetry~1event", &serde_json::from_str(line).unwrap());
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn equal_arguments_have_equal_fingerprints_whatever_the_secret() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("events.jsonl");
    let engine = Engine::new(to_file(&file));
    let other = ["AKIA", "QYLPMN5HFIQ7", "BCDE"].concat();
    for arguments in [json!({"q": secret()}), json!({"q": other}), json!({"q": "plain"}), Value::Null] {
        let result = json!({"tool": "a", "arguments": arguments, "content": "x"});
        call(&engine, "toolResult/compress", &json!({"result": result}));
    }
    let policy = json!({"redactSecrets": false});
    call(&engine, "toolResult/compress", &json!({"result": {"content": "x"}, "policy": policy}));
    engine.close();
    let events = events(&file);
    let of = |i: usize| result(&events[i]).fingerprints.as_ref().unwrap().arguments.clone();
    assert!(of(0).is_some() && of(0) == of(1) && of(0) != of(2));
    assert_eq!(of(3), None);
    assert_eq!(result(&events[4]).fingerprints, None, "what may be a secret is not hashed");
}

#[test]
fn telemetry_changes_no_answer_and_is_off_unless_asked() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("events.jsonl");
    let (on, off) = (Engine::new(to_file(&file)), Engine::default());
    let text = numbered(3000, "line of a long log");
    for (id, mode) in [("a", "standard"), ("b", "aggressive"), ("a", "standard")] {
        let result = json!({"toolCallId": id, "tool": "bash", "content": text});
        let params = json!({"sessionId": "s", "result": result, "policy": {"mode": mode}});
        let answer = |engine| call(engine, "toolResult/compress", &params);
        assert_eq!(answer(&on), answer(&off));
    }
    on.close();
    assert_eq!(events(&file).len(), 3);
    let sent = Arc::new(Mutex::new(0));
    let count = sent.clone();
    let quiet = Engine::default();
    quiet.notify_through(move |_, _| *count.lock().unwrap() += 1);
    call(&quiet, "toolResult/compress", &json!({"result": {"content": text}}));
    quiet.close();
    assert_eq!(*sent.lock().unwrap(), 0);
}

#[test]
fn files_and_events_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("events.jsonl");
    let mut settings = to_file(&file);
    settings.telemetry.max_event_bytes = 1024;
    settings.telemetry.max_file_bytes = 4096;
    settings.telemetry.max_files = 3;
    let engine = Engine::new(settings);
    let text = format!("{}{}", numbered(2000, "line"), "{\"a\": 1}\n".repeat(100));
    for i in 0..40 {
        let result =
            json!({"toolCallId": i.to_string().repeat(100), "tool": "t".repeat(300), "content": text});
        let params = json!({"result": result, "policy": {"mode": "aggressive"}});
        call(&engine, "toolResult/compress", &params);
        engine.shutdown();
    }
    engine.close();
    let names: Vec<_> = ["", ".1", ".2"].map(|end| dir.path().join(format!("events.jsonl{end}"))).into();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), names.len());
    for name in &names {
        let text = fs::read_to_string(name).unwrap();
        assert!(text.len() <= 4096 && text.lines().all(|line| line.len() <= 1024), "{text}");
        assert!(events(name).iter().all(|event| event.shortened.contains(&"steps".to_owned())));
    }
    assert_eq!(events(&names[0]).last().unwrap().seq, 40);
}

#[test]
fn a_full_queue_drops_and_tells() {
    let (held, release) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(Vec::new())));
    let mut settings = Settings::default();
    settings.telemetry.queue_events = 2;
    let engine = Engine::new(settings);
    let (gate, seen) = (held.clone(), release.clone());
    engine.notify_through(move |_, params| {
        seen.lock().unwrap().push(serde_json::from_str::<Event>(params).unwrap());
        drop(gate.lock().unwrap());
    });
    engine.initialize(Some(&json!({"telemetryEvents": true}))).unwrap();
    let one = || drop(call(&engine, "toolResult/compress", &json!({"result": {"content": "x"}})));
    let hold = held.lock().unwrap();
    one();
    // The writer hangs in the first event from here on.
    while release.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    (0..7).for_each(|_| one());
    drop(hold);
    engine.shutdown();
    one();
    engine.close();
    let told: Vec<_> = release.lock().unwrap().iter().map(|event| (event.seq, event.dropped)).collect();
    assert_eq!(told, [(1, 0), (2, 0), (3, 0), (9, 5)]);
}

#[test]
fn the_host_gets_events_if_it_asked() {
    for asked in [true, false] {
        let mut server = Server::start(true);
        let options = json!({"initializationOptions": {"tersed": {"telemetryEvents": asked}}});
        assert!(server.call("initialize", &options).get("result").is_some());
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "toolResult/compress",
            "params": {"result": {"tool": "bash", "content": numbered(9, "a line")}}});
        server.send(&request.to_string());
        let count = if asked { 2 } else { 1 };
        let messages: Vec<Value> =
            (0..count).map(|_| serde_json::from_str(&server.next()).unwrap()).collect();
        assert!(messages.iter().any(|message| message["id"] == 1));
        if let Some(event) = messages.iter().find(|message| message.get("method").is_some()) {
            assert_eq!(event["method"], "telemetry/event");
            assert_eq!(event["params"]["event"], "result");
            let errors = Schema::new().errors("/notifications/telemetry~1event", &event["params"]);
            assert!(errors.is_empty(), "{errors:?}");
        } else {
            assert!(!asked);
        }
        server.finish();
    }
}

#[test]
fn a_file_that_is_not_ours_turns_telemetry_off_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let notes = dir.path().join("notes.txt");
    fs::write(&notes, "my notes\n").unwrap();
    for (path, why) in [(dir.path(), "a folder"), (&notes, "not made by tersed")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tersed"))
            .args(["serve", "--framing", "lines", "--telemetry"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": null}});
        let work = json!({"jsonrpc": "2.0", "id": 2, "method": "toolResult/compress", "params": {"result": {"tool": "bash", "content": "as usual"}}});
        write!(child.stdin.take().unwrap(), "{initialize}\n{work}\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(stdout.contains("as usual"), "{stdout}");
        assert!(stderr.contains("telemetry is off") && stderr.contains(why), "{stderr}");
    }
    assert_eq!(fs::read_to_string(&notes).unwrap(), "my notes\n");
}

#[test]
fn a_correlation_id_is_checked() {
    let engine = Engine::default();
    for (id, good) in [("a", true), ("turn/7:b", true), ("", false), ("a b", false), ("é", false)] {
        for (method, rest) in [
            ("toolResult/compress", json!({"result": {"content": "x"}})),
            ("toolResult/compressBatch", json!({"results": [{"content": "x"}]})),
            ("messages/compress", json!({"body": {"messages": []}, "format": "openai-chat"})),
        ] {
            let mut params = rest;
            params["correlationId"] = json!(id);
            let answer = try_call(&engine, method, &params);
            assert_eq!(answer.is_ok(), good, "{method} {id:?} {answer:?}");
            assert!(good || answer.unwrap_err().message.starts_with("correlationId: "));
        }
    }
}

#[test]
fn fallbacks_alert_once_within_their_time() {
    let clock = Arc::new(Ticks::default());
    let alerts = Alerts { fallback_threshold: 3, ..Alerts::default() };
    let engine = Engine::with_clock(Settings { alerts, ..Settings::default() }, clock.clone());
    let sent = Arc::new(Mutex::new(Vec::new()));
    let keep = sent.clone();
    engine.notify_through(move |method, params| keep.lock().unwrap().push(format!("{method} {params}")));
    // A budget that nothing can meet. It does not apply to a result with `fullOutput`.
    let one = || {
        for full in [false, true] {
            let result = json!({"content": numbered(500, "line"), "fullOutput": full});
            let params = json!({"result": result, "budget": {"perResult": 1}});
            call(&engine, "toolResult/compress", &params);
        }
    };
    let alerted = || sent.lock().unwrap().len();
    (0..2).for_each(|_| one());
    assert_eq!(alerted(), 0);
    one();
    assert_eq!(alerted(), 1);
    let message = sent.lock().unwrap()[0].clone();
    let expected = "window/logMessage {\"type\":2,\"message\":\"tersed: 3 results within 300 s fell back to less \
                    than was asked for\"}";
    assert_eq!(message, expected);
    (0..5).for_each(|_| one());
    assert_eq!(alerted(), 1, "not again while it cools");
    clock.advance(400);
    (0..2).for_each(|_| one());
    assert_eq!(alerted(), 1, "the window is empty");
    one();
    assert_eq!(alerted(), 2);
}

#[test]
fn session_totals_and_those_of_the_file_are_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("events.jsonl");
    let price = Price { input: 3.0, cached_input: Some(0.3), cache_write: Some(3.75) };
    let prices = [("model".to_owned(), price)].into();
    let accounting = Accounting { host_limit: Some(20_000), prices };
    let engine = Engine::with_clock(Settings { accounting, ..to_file(&file) }, Arc::new(Ticks::default()));
    let log: String =
        (0..900).map(|i| format!("2026-01-01T00:00:{:02}Z INFO served {i}\n", i % 60)).collect();
    let tests = format!(
        "running 300 tests\n{}\ntest result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 \
                         filtered out; finished in 0.01s\n",
        (0..300).map(|i| format!("test case_{i} ... ok\n")).collect::<String>()
    );
    let key = format!("key: {}\n{}", secret(), numbered(100, "item"));
    for (id, tool, command, content) in [
        ("a", "bash", "cat app.log", &log),
        ("b", "bash", "cargo test", &tests),
        ("a", "bash", "cat app.log", &log),
        ("c", "read", "", &key),
        ("b", "bash", "cargo test", &log),
    ] {
        let result =
            json!({"toolCallId": id, "tool": tool, "arguments": {"command": command}, "content": content});
        let params = json!({"sessionId": "s", "result": result, "policy": {"mode": "aggressive"}});
        call(&engine, "toolResult/compress", &params);
    }
    let stats = call(&engine, "session/stats", &json!({"sessionId": "s"}));
    engine.close();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        let output =
            command.arg("stats").arg(&file).args(["--price", "model=3,0.3,3.75"]).args(more).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let printed: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    for (name, value) in stats.as_object().unwrap() {
        assert_eq!(&printed[name], value, "{name}");
    }
    assert_eq!(printed["events"], 5);
    assert_eq!(stats["resends"]["results"], 1);
    assert_eq!(stats["memoChanged"], 1);
    let total = &stats["total"];
    assert!(total["baselineTokens"].as_u64() < total["tokensBefore"].as_u64());
    let expected = repository("tests/stats/totals.txt");
    let text = run(&[]);
    if bless() {
        fs::create_dir_all(expected.parent().unwrap()).unwrap();
        fs::write(&expected, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&expected).unwrap());
}

#[test]
fn stats_names_what_it_cannot_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("events.jsonl");
    let engine = Engine::new(to_file(&file));
    call(&engine, "toolResult/compress", &json!({"result": {"content": "x"}}));
    engine.close();
    let good = fs::read_to_string(&file).unwrap();
    let run = |text: &str, more: &[&str]| {
        fs::write(&file, text).unwrap();
        let output =
            Command::new(env!("CARGO_BIN_EXE_tersed")).arg("stats").arg(&file).args(more).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    };
    let torn = format!("{good}{}", &good[..good.len() / 2]);
    let (code, text) = run(&torn, &[]);
    assert!(code == 0 && text.contains("1 last line is not whole"), "{text}");
    let (code, text) = run(&format!("{good}{{}}\n"), &[]);
    assert!(code == 1 && text.contains("events.jsonl:3: not an event"), "{text}");
    let (code, text) = run(&good.replace("\"version\":1", "\"version\":9"), &[]);
    assert!(code == 1 && text.contains("version 9") && text.contains("expected 1"), "{text}");
    let (code, text) = run("{\"tersedCounts\":1}\n", &[]);
    assert!(code == 1 && text.contains("a file of counts, not of events"), "{text}");
    for price in ["a", "=1", "a=-1", "a=1,2,3,4", "a=x"] {
        let (code, text) = run(&good, &["--price", price]);
        assert!(code == 2 && text.contains("expected MODEL=INPUT"), "{text}");
    }
}
