//! Contexts: an agent is never referred to results that only another agent saw. Forks, summaries and cuts of the
//! host, through the protocol.

use crate::common::{call, try_call};
use serde_json::{Value, json};
use tersed::artifact::Limits;
use tersed::engine::{Engine, Settings};

const COMPRESS: &str = "toolResult/compress";

/// A text of `lines` lines that no step shortens.
fn text(seed: usize, lines: usize) -> String {
    let line = |i| format!("fn step_{seed}_{i}(input: &str) -> Option<usize> {{ read(input, {i}) }}\n");
    (0..lines).map(line).collect()
}

fn send_with(engine: &Engine, session: &str, id: &str, content: &str, more: &Value) -> Value {
    let result =
        json!({"toolCallId": id, "tool": "bash", "command": format!("run {id}"), "content": content});
    let mut params = json!({"sessionId": session, "result": result});
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    call(engine, COMPRESS, &params)
}

fn send(engine: &Engine, session: &str, id: &str, content: &str) -> Value {
    send_with(engine, session, id, content, &Value::Null)
}

fn refers_to(answer: &Value) -> Vec<String> {
    let evidence = &answer["evidence"];
    let shown = evidence["omissions"].as_array().into_iter().flatten();
    let shown = shown.filter_map(|o| o["shownBy"]["toolCallId"].as_str());
    shown.chain(evidence["duplicateOf"].as_str()).map(str::to_owned).collect()
}

fn fork(engine: &Engine, from: &str, to: &str) -> Value {
    call(engine, "session/fork", &json!({"sessionId": from, "newSessionId": to}))
}

#[test]
fn a_fork_begins_with_what_was_shown_and_is_then_apart() {
    let engine = Engine::default();
    send(&engine, "s", "a", &text(1, 40));
    assert_eq!(fork(&engine, "s", "f"), json!({"sessionId": "f", "created": true, "calls": 1}));
    assert_eq!(refers_to(&send(&engine, "f", "b", &text(1, 40))), ["a"]);
    // Later results of one session are not visible in the other.
    send(&engine, "s", "c", &text(2, 40));
    send(&engine, "f", "d", &text(3, 40));
    assert!(refers_to(&send(&engine, "f", "e", &text(2, 40))).is_empty());
    assert!(refers_to(&send(&engine, "s", "e", &text(3, 40))).is_empty());
    // Results that left one session are still visible in the other.
    call(&engine, "session/compacted", &json!({"sessionId": "f"}));
    assert_eq!(refers_to(&send(&engine, "s", "g", &text(1, 40))), ["a"]);
    assert!(refers_to(&send(&engine, "f", "g", &text(1, 40))).is_empty());
}

#[test]
fn a_reference_to_what_left_is_text() {
    let engine = Engine::default();
    send(&engine, "s", "a", &text(1, 40));
    send(&engine, "s", "b", &text(2, 40));
    let given = send(&engine, "s", "c", &text(1, 40))["content"].as_str().unwrap().to_owned();
    assert!(given.starts_with("[Duplicate of a "), "{given}");
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["b"]}));
    assert_eq!(send(&engine, "s", "d", &given)["content"], given);
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["a"]}));
    assert_eq!(send(&engine, "s", "e", &given)["content"], format!("\\{given}"));
    // The call that was given it gets it again.
    assert_eq!(send(&engine, "s", "c", &text(1, 40))["content"], given);
}

#[test]
fn a_fork_gives_what_was_sent_as_it_was_sent() {
    let engine = Engine::default();
    let log: String = (0..400).map(|i| format!("test area::case_{i} ... ok\n")).collect();
    let log = format!("running 400 tests\n{log}\ntest result: ok. 400 passed; 0 failed; 0 ignored\n");
    let all = [("a", text(1, 40)), ("b", text(1, 40)), ("c", log), ("d", text(2, 4000))];
    let sent = |session: &str| -> Vec<Value> {
        all.iter().map(|(id, text)| send(&engine, session, id, text)["content"].clone()).collect()
    };
    let first = sent("s");
    fork(&engine, "s", "f");
    assert_eq!(sent("f"), first);
    call(&engine, "session/compacted", &json!({"sessionId": "f"}));
    assert_eq!(sent("f"), first, "after a summary");
    call(&engine, "session/close", &json!({"sessionId": "s"}));
    assert_eq!(sent("f"), first, "after the other one was closed");
    assert_eq!(
        call(&engine, "session/stats", &json!({"sessionId": "f"}))["total"]["results"],
        0,
        "counted there"
    );
}

#[test]
fn a_fork_reads_the_originals_of_what_it_was_shown() {
    let engine = Engine::default();
    let log: String = (0..400).map(|i| format!("test area::case_{i} ... ok\n")).collect();
    let log = format!("running 400 tests\n{log}\ntest result: ok. 400 passed; 0 failed; 0 ignored\n");
    let id = send(&engine, "s", "a", &log)["artifact"]["id"].clone();
    fork(&engine, "s", "f");
    call(&engine, "session/close", &json!({"sessionId": "s"}));
    let read = call(&engine, "artifact/read", &json!({"sessionId": "f", "id": id, "lines": [[3, 3]]}));
    assert_eq!(read["text"], "test area::case_1 ... ok\n");
    // A fork in a full store takes nothing from other sessions.
    let limits = Limits { max_count: 3, ..Limits::default() };
    let engine = Engine::new(Settings { artifacts: limits, ..Settings::default() });
    let ids: Vec<Value> = (0..2)
        .map(|i| {
            send(&engine, "s", &format!("c{i}"), &log.replace("area", &format!("a{i}")))["artifact"]["id"]
                .clone()
        })
        .collect();
    fork(&engine, "s", "f");
    let has = |session: &str, id: &Value| {
        try_call(&engine, "artifact/read", &json!({"sessionId": session, "id": id})).is_ok()
    };
    assert_eq!(
        ids.iter().map(|id| (has("s", id), has("f", id))).collect::<Vec<_>>(),
        [(true, false), (true, true)]
    );
}

#[test]
fn a_fork_from_an_earlier_point_shows_only_what_was_there() {
    let engine = Engine::default();
    send(&engine, "s", "a", &text(1, 40));
    send(&engine, "s", "b", &text(2, 40));
    let params = json!({"sessionId": "s", "newSessionId": "f", "visible": ["a"]});
    assert_eq!(call(&engine, "session/fork", &params)["calls"], 2);
    assert_eq!(refers_to(&send(&engine, "f", "c", &text(1, 40))), ["a"]);
    assert!(refers_to(&send(&engine, "f", "d", &text(2, 40))).is_empty());
}

#[test]
fn a_fork_of_what_is_not_there_is_empty_and_of_what_is_there_already_changes_nothing() {
    let engine = Engine::default();
    assert_eq!(fork(&engine, "s", "f"), json!({"sessionId": "f", "created": true, "calls": 0}));
    assert_eq!(
        call(&engine, "session/open", &json!({"sessionId": "s"}))["created"],
        true,
        "not opened by it"
    );
    send(&engine, "s", "a", &text(1, 40));
    assert_eq!(fork(&engine, "s", "f"), json!({"sessionId": "f", "created": false, "calls": 0}));
    assert!(refers_to(&send(&engine, "f", "b", &text(1, 40))).is_empty());
    let bad = |params: Value| try_call(&engine, "session/fork", &params).unwrap_err();
    assert!(bad(json!({"sessionId": "s", "newSessionId": "s"})).message.starts_with("newSessionId: "));
    assert!(bad(json!({"sessionId": "s", "newSessionId": ""})).message.starts_with("newSessionId: "));
    call(&engine, "session/close", &json!({"sessionId": "s"}));
    let closed = bad(json!({"sessionId": "s", "newSessionId": "g"}));
    assert_eq!(closed.data.unwrap().kind, "session_closed");
}

#[test]
fn a_fork_keeps_the_settings_of_its_session() {
    let engine = Engine::default();
    call(&engine, "session/open", &json!({"sessionId": "s", "policy": {"dedup": false}}));
    send(&engine, "s", "a", &text(1, 40));
    fork(&engine, "s", "f");
    assert!(refers_to(&send(&engine, "f", "b", &text(1, 40))).is_empty());
}

#[test]
fn where_only_one_session_is_open_at_once_a_fork_takes_its_place() {
    let engine = Engine::new(Settings { max_sessions: 1, ..Settings::default() });
    let first = send(&engine, "s", "a", &text(1, 40));
    assert_eq!(fork(&engine, "s", "f")["calls"], 1);
    assert_eq!(send(&engine, "f", "a", &text(1, 40))["content"], first["content"]);
    assert_eq!(refers_to(&send(&engine, "f", "b", &text(1, 40))), ["a"]);
}

#[test]
fn after_a_summary_nothing_or_only_what_is_named_is_referred_to() {
    let engine = Engine::default();
    let sent = [send(&engine, "s", "a", &text(1, 40)), send(&engine, "s", "b", &text(2, 40))];
    call(&engine, "session/compacted", &json!({"sessionId": "s", "visible": ["b"]}));
    assert!(refers_to(&send(&engine, "s", "c", &text(1, 40))).is_empty());
    assert_eq!(refers_to(&send(&engine, "s", "d", &text(2, 40))), ["b"]);
    assert_eq!(send(&engine, "s", "a", &text(1, 40))["content"], sent[0]["content"], "what was sent stays");
    call(&engine, "session/compacted", &json!({"sessionId": "s"}));
    assert!(refers_to(&send(&engine, "s", "e", &text(2, 40))).is_empty());
    // Nor does a resend make visible what was summarized.
    assert_eq!(send(&engine, "s", "b", &text(2, 40))["content"], sent[1]["content"]);
    call(&engine, "session/compacted", &json!({"sessionId": "s"}));
    send(&engine, "s", "b", &text(2, 40));
    assert!(refers_to(&send(&engine, "s", "f", &text(2, 40))).is_empty());
    // A session that nobody opened is not opened by this.
    call(&engine, "session/compacted", &json!({"sessionId": "unknown"}));
    assert_eq!(call(&engine, "session/open", &json!({"sessionId": "unknown"}))["created"], true);
}

#[test]
fn a_host_that_tells_of_summaries_only_still_has_a_window() {
    let engine = Engine::default();
    let narrow = json!({"policy": {"dedupWindowResults": 1}});
    let far = |session: &str| {
        for (id, seed) in [("a", 1), ("b", 2), ("c", 3)] {
            send_with(&engine, session, id, &text(seed, 40), &narrow);
        }
        refers_to(&send_with(&engine, session, "d", &text(1, 40), &narrow))
    };
    call(&engine, "session/open", &json!({"sessionId": "s"}));
    call(&engine, "session/compacted", &json!({"sessionId": "s"}));
    assert!(far("s").is_empty());
    call(&engine, "session/open", &json!({"sessionId": "t"}));
    call(&engine, "session/evicted", &json!({"sessionId": "t", "visible": []}));
    assert_eq!(far("t"), ["a"]);
}

#[test]
fn what_was_asked_before_a_summary_is_not_asked_again() {
    let engine = Engine::default();
    let ask = |id: &str| {
        let result = json!({"toolCallId": id, "tool": "bash", "command": "cat a.rs", "content": text(1, 40)});
        call(&engine, COMPRESS, &json!({"sessionId": "s", "result": result}))
    };
    let is_again = |answer: &Value| answer["evidence"]["bypass"] == "asked_again";
    ask("a");
    assert_eq!(refers_to(&ask("b")), ["a"]);
    call(&engine, "session/compacted", &json!({"sessionId": "s"}));
    assert!(!is_again(&ask("c")));
    assert_eq!(refers_to(&ask("d")), ["c"]);
    assert!(is_again(&ask("e")));
}

#[test]
fn a_conversation_is_forgotten_with_its_agents_and_no_other() {
    let engine = Engine::default();
    for session in ["s", "s/1", "s/2", "s2", "s2/1"] {
        send(&engine, session, "a", &text(1, 40));
    }
    engine.conversation_forgotten("s");
    let is_left = |session: &str| refers_to(&send(&engine, session, "b", &text(1, 40))) == ["a"];
    let left: Vec<bool> = ["s", "s/1", "s/2", "s2", "s2/1"].into_iter().map(is_left).collect();
    assert_eq!(left, [false, false, false, true, true]);
}

/// A body of chat messages with one call for each id, all with the same text.
fn body(ids: &[&str], content: &str) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for id in ids {
        let function =
            json!({"name": "bash", "arguments": json!({"command": format!("run {id}")}).to_string()});
        let calls = json!([{"id": id, "type": "function", "function": function}]);
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
    }
    json!({"messages": messages})
}

#[test]
fn bodies_of_agents_that_share_a_session_refer_only_to_what_they_hold() {
    let engine = Engine::default();
    let send = |ids: &[&str]| -> Vec<String> {
        let params = json!({"sessionId": "s", "body": body(ids, &text(1, 40))});
        let answer = call(&engine, "messages/compress", &params);
        let messages = answer["body"]["messages"].as_array().unwrap().iter();
        messages.filter(|m| m["role"] == "tool").map(|m| m["content"].as_str().unwrap().to_owned()).collect()
    };
    let main = send(&["a", "b"]);
    assert!(main[0] == text(1, 40) && main[1].starts_with("[Duplicate of a "), "{main:?}");
    // An agent, a summary, a fork from the start: none of them holds the first call.
    for ids in [&["c", "d"][..], &["e"], &["f", "b"]] {
        let shown = send(ids);
        assert!(shown[0] == text(1, 40), "{ids:?}");
        assert!(shown.iter().all(|text| !text.contains("of a ")), "{ids:?}");
    }
    assert_eq!(send(&["a", "b"]), main, "the first one again, byte for byte");
}

// ---- what the host cuts

#[test]
fn what_a_host_cuts_away_is_not_referred_to() {
    let whole = text(1, 150);
    let part_of_it = whole.len() / 3;
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let part = |range: std::ops::Range<usize>| lines[range].concat();
    let seen = |cut: Value, range: std::ops::Range<usize>| {
        let engine = Engine::default();
        let uncut = json!({"hostCut": cut, "policy": {"headTailBytes": 0}});
        let first = send_with(&engine, "s", "a", &whole, &uncut);
        assert!(first["content"] == whole.as_str(), "what is given does not change");
        refers_to(&send(&engine, "s", "b", &part(range))) == ["a"]
    };
    let (start, middle, end) = (0..20, 65..85, 130..150);
    let table = [
        (json!({"bytes": part_of_it, "keeps": "head"}), [true, false, false]),
        (json!({"bytes": part_of_it, "keeps": "tail"}), [false, false, true]),
        (json!({"bytes": part_of_it, "keeps": "ends"}), [true, false, true]),
        (json!({"characters": part_of_it, "keeps": "ends"}), [true, false, true]),
        (json!({"tokens": part_of_it / 2, "keeps": "ends"}), [true, false, true]),
        (json!({"tokens": 100, "bytes": whole.len(), "keeps": "head"}), [false, false, false]),
        (json!({"lines": 50, "keeps": "ends"}), [true, false, true]),
        (json!({"bytes": part_of_it}), [false, false, false]),
        (json!({"bytes": whole.len()}), [true, true, true]),
        (json!({"characters": whole.len(), "keeps": "tail"}), [true, true, true]),
    ];
    for (cut, expected) in table {
        let found = [&start, &middle, &end].map(|range| seen(cut.clone(), range.clone()));
        assert_eq!(found, expected, "{cut}");
    }
}

#[test]
fn what_a_host_cuts_is_no_whole_that_another_repeats() {
    let engine = Engine::default();
    let cut = json!({"hostCut": {"bytes": 1000, "keeps": "ends"}});
    let first = send_with(&engine, "s", "a", &text(1, 60), &cut);
    let again = send_with(&engine, "s", "b", &text(1, 60), &cut);
    assert_eq!(again["evidence"]["duplicateOf"], Value::Null);
    // Sent again it is the same, with any other information about the cut.
    assert_eq!(send_with(&engine, "s", "a", &text(1, 60), &cut)["content"], first["content"]);
    assert_eq!(send(&engine, "s", "a", &text(1, 60))["content"], first["content"]);
    // In a batch and in a stream it is alike.
    let item = |id: &str| json!({"toolCallId": id, "tool": "bash", "command": id, "content": text(2, 60)});
    let batch = json!({"sessionId": "t", "results": [item("a"), item("b")], "hostCut": {"bytes": 1000}});
    let answer = call(&engine, "toolResult/compressBatch", &batch);
    assert_eq!(answer["results"][1]["content"], text(2, 60).as_str());
    let open =
        json!({"sessionId": "u", "result": {"toolCallId": "a", "tool": "bash"}, "hostCut": {"bytes": 1000}});
    let stream = call(&engine, "toolResult/open", &open)["streamId"].clone();
    call(&engine, "toolResult/append", &json!({"streamId": stream, "text": text(3, 60)}));
    call(&engine, "toolResult/close", &json!({"streamId": stream}));
    assert!(refers_to(&send(&engine, "u", "b", &text(3, 60))).is_empty());
    let bad = json!({"sessionId": "u", "result": {"content": "x"}, "hostCut": {"keeps": "head"}});
    assert!(try_call(&engine, COMPRESS, &bad).unwrap_err().message.starts_with("hostCut: "));
}

#[test]
fn the_limit_in_the_settings_counts_where_a_request_gives_none() {
    let mut settings = Settings::default();
    settings.accounting.host_limit = Some(1000);
    let engine = Engine::new(settings);
    send(&engine, "s", "a", &text(1, 60));
    assert!(refers_to(&send(&engine, "s", "b", &text(1, 60))).is_empty());
    send_with(&engine, "s", "c", &text(2, 60), &json!({"hostCut": {"bytes": 100_000}}));
    assert_eq!(refers_to(&send(&engine, "s", "d", &text(2, 60))), ["c"]);
}
