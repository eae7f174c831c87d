//! `session/reclaim`: which results may leave the context of a host that sends results one by one. Nothing changes
//! before the host accepts a batch. From then on each removed result is replaced by the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tersed::engine::{Engine, Settings};
use tersed::protocol::error::{INVALID_PARAMS, REQUEST_FAILED};

use crate::common::{call, try_call};

/// A file that nothing else resembles.
fn file(name: usize) -> String {
    (0..60)
        .map(|n| format!("{}\tlet item_{name}_{n} = build_{name}({n}) + offset_{name};\n", n + 1))
        .collect()
}

/// The call of a turn, as `toolResult/compress` takes it.
fn read(turn: usize, name: usize) -> Value {
    json!({
        "toolCallId": format!("call_{turn}"), "tool": "read_file",
        "arguments": { "path": format!("src/part{name}.rs") }, "content": file(name),
    })
}

fn run(turn: usize, command: &str, output: &str) -> Value {
    json!({
        "toolCallId": format!("call_{turn}"), "tool": "bash",
        "arguments": { "command": command }, "content": output,
    })
}

/// An engine with the same key as all others here.
fn engine() -> Engine {
    let mut settings = Settings::default();
    settings.policy.seal_key = tersed::text::marker::SealKey::new([7; 32]);
    settings.policy.expand_tool = true;
    Engine::new(settings)
}

/// One conversation with a host.
struct Host {
    engine: Engine,
    /// The contents of the context, by turn.
    context: BTreeMap<String, Value>,
}

impl Host {
    /// A host that asks before its first request.
    fn new() -> Self {
        let host = Self { engine: engine(), context: BTreeMap::new() };
        host.ask(&json!({}));
        host
    }

    fn compress(&mut self, result: &Value) -> Value {
        let answer =
            call(&self.engine, "toolResult/compress", &json!({ "sessionId": "s", "result": result }));
        let id = result["toolCallId"].as_str().unwrap().to_owned();
        self.context.insert(id, answer["content"].clone());
        answer
    }

    fn ask(&self, more: &Value) -> Value {
        let mut params =
            json!({ "sessionId": "s", "reclaimTerms": { "minGain": 2000, "requestsToCome": 30 } });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&self.engine, "session/reclaim", &params)
    }

    fn confirm(&mut self, answer: &Value) -> Value {
        let params = json!({ "sessionId": "s", "batch": answer["batch"] });
        let totals = call(&self.engine, "session/reclaimed", &params);
        for one in answer["replacements"].as_array().unwrap() {
            let id = one["toolCallId"].as_str().unwrap().to_owned();
            self.context.insert(id, one["content"].clone());
        }
        totals
    }

    fn refused(&self, batch: &Value) -> String {
        let params = json!({ "sessionId": "s", "batch": batch });
        let error = try_call(&self.engine, "session/reclaimed", &params).unwrap_err();
        assert_eq!((error.code, &*error.data.unwrap().kind), (REQUEST_FAILED, "batch_outdated"));
        error.message
    }
}

fn said(text: &str) -> Value {
    json!({ "answers": [{ "text": text }] })
}

fn ids(answer: &Value) -> Vec<&str> {
    let all = answer["replacements"].as_array().unwrap().iter();
    all.map(|one| one["toolCallId"].as_str().unwrap()).collect()
}

/// The result of a turn of a long session, and the answer of the model before it.
fn turn(n: usize) -> (Value, String) {
    match n {
        0 => (read(0, 0), "I begin.".to_owned()),
        n if n % 9 == 5 => (read(n, 0), "The first once more.".to_owned()),
        n if n % 7 == 3 => (run(n, "make check", &failed(n)), "Run it.".to_owned()),
        n => (read(n, n), format!("Then item_0_{n}, it is next.")),
    }
}

fn failed(n: usize) -> String {
    let step = |step: usize| {
        format!("unit_{step}.c takes {} bytes of part_{step}\n", 100 + (step * 7919 + n * 131) % 899)
    };
    let steps: String = (0..40).map(step).collect();
    format!("{steps}error: unit_{n}.c: no such file\nmake: *** [check] Error 2\n")
}

/// The calls that an answer points to.
fn points_to(answer: &Value) -> BTreeSet<String> {
    let evidence = &answer["evidence"];
    let omissions = evidence["omissions"].as_array().into_iter().flatten();
    let shown = omissions.map(|omission| &omission["shownBy"]["toolCallId"]);
    shown.chain([&evidence["duplicateOf"]]).filter_map(|id| Some(id.as_str()?.to_owned())).collect()
}

#[test]
fn what_went_stays_away_is_read_back_and_nothing_points_to_it() {
    let mut host = Host::new();
    let mut gone: BTreeMap<String, Value> = BTreeMap::new();
    let mut batches = 0;
    for n in 0..40 {
        let (result, text) = turn(n);
        let answer = host.compress(&result);
        let lost: Vec<_> = points_to(&answer).into_iter().filter(|id| gone.contains_key(id)).collect();
        assert_eq!(lost, [""; 0], "turn {n}: {answer}");
        let offer = host.ask(&said(&text));
        assert_eq!(host.ask(&said(&text)), offer, "asked again at turn {n}");
        if offer["batch"].is_null() {
            assert_eq!(ids(&offer), [""; 0]);
            continue;
        }
        let went = ids(&offer);
        assert!(went.iter().all(|id| !gone.contains_key(*id)), "turn {n}: rewritten once more: {went:?}");
        assert!(!went.contains(&&*format!("call_{n}")), "the model has not seen it");
        assert!(offer["sum"]["gain"].as_i64().unwrap() >= 2000, "{}", offer["sum"]);
        let totals = host.confirm(&offer);
        assert_eq!(host.confirm(&offer), totals, "it counts once");
        batches += 1;
        for one in offer["replacements"].as_array().unwrap() {
            gone.insert(one["toolCallId"].as_str().unwrap().to_owned(), one.clone());
        }
        let saved: u64 = gone.values().map(|one| one["reclaimed"]["tokensSaved"].as_u64().unwrap()).sum();
        assert_eq!(totals, json!({ "results": gone.len(), "tokensSaved": saved }));
    }
    assert!(batches >= 3 && gone.len() >= 15, "{batches} batches, {} results", gone.len());
    // Every result that is sent again equals the one in the context.
    for n in 0..40 {
        let (result, _) = turn(n);
        let before = host.context[&format!("call_{n}")].clone();
        let answer = host.compress(&result);
        assert_eq!(answer["content"], before, "turn {n}");
        let Some(one) = gone.get(&format!("call_{n}")) else {
            assert_eq!(answer["reclaimed"], Value::Null);
            continue;
        };
        assert_eq!((&answer["reclaimed"], &answer["artifact"]), (&one["reclaimed"], &one["artifact"]));
        let marker = one["content"].as_str().unwrap();
        let id = marker.split("; id ").nth(1).unwrap().split(';').next().unwrap();
        let original = call(&host.engine, "artifact/read", &json!({ "sessionId": "s", "id": id }));
        assert_eq!(original["text"], result["content"], "{marker}");
        // Bytes that it did not have, and exact bytes, are another request.
        let exact = json!({ "sessionId": "s", "result": result, "fullOutput": true });
        assert_eq!(call(&host.engine, "toolResult/compress", &exact)["content"], result["content"]);
    }
}

#[test]
fn the_same_results_leave_as_from_bodies() {
    let (mut host, bodies) = (Host::new(), engine());
    let mut body = vec![json!({ "role": "user", "content": "Find the fault." })];
    let mut gone: BTreeMap<String, String> = BTreeMap::new();
    for n in 0..30 {
        let (result, text) = turn(n);
        let id = &result["toolCallId"];
        body.push(json!({ "role": "assistant", "content": [{ "type": "text", "text": text }, { "type": "tool_use", "id": id, "name": result["tool"], "input": result["arguments"] }] }));
        body.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": result["content"] }] }));
        host.compress(&result);
        let offer = host.ask(&said(&text));
        if !offer["batch"].is_null() {
            host.confirm(&offer);
            for one in offer["replacements"].as_array().unwrap() {
                gone.insert(
                    one["toolCallId"].as_str().unwrap().into(),
                    one["content"].as_str().unwrap().into(),
                );
            }
        }
        let params = json!({
            "sessionId": "s", "format": "anthropic", "body": { "messages": body }, "reclaim": "auto",
            "reclaimTerms": { "minGain": 2000, "requestsToCome": 30 },
        });
        let answer = call(&bodies, "messages/compress", &params);
        let rows = answer["results"].as_array().unwrap().iter().enumerate();
        let rows = rows.filter(|(_, row)| row["reclaimed"].is_object());
        let texts: BTreeMap<String, String> = rows
            .map(|(at, row)| {
                let text = &answer["body"]["messages"][2 + 2 * at]["content"][0]["content"];
                (row["toolCallId"].as_str().unwrap().to_owned(), text.as_str().unwrap().to_owned())
            })
            .collect();
        assert_eq!(texts, gone, "turn {n}");
    }
    assert!(gone.len() > 10, "{}", gone.len());
}

#[test]
fn a_batch_that_does_not_count_changes_nothing() {
    let (mut host, mut other) = (Host::new(), Host::new());
    let mut offers = 0;
    for n in 0..25 {
        let (result, text) = turn(n);
        let offer = host.ask(&said(&text));
        offers += usize::from(!offer["batch"].is_null());
        assert_eq!(host.compress(&result), other.compress(&result), "turn {n}");
    }
    assert!(offers > 5, "{offers}");
}

#[test]
fn without_answers_only_what_a_later_result_stands_for_leaves() {
    let terms = json!({ "reclaimTerms": { "cache": "cold", "minGain": 0 } });
    let mut host = Host::new();
    host.compress(&read(0, 0));
    host.ask(&terms);
    for n in 1..30 {
        host.compress(&read(n, n));
        let offer = host.ask(&terms);
        assert_eq!(ids(&offer), [""; 0], "turn {n}");
    }
    host.compress(&run(30, "make check", &failed(1)));
    host.ask(&terms);
    host.compress(&run(31, "make check", &failed(2).replace("unit_2.c", "unit_9.c")));
    assert_eq!(ids(&host.ask(&terms)), [""; 0], "the model has not seen the new one");
    host.compress(&read(32, 32));
    let offer = host.ask(&terms);
    assert_eq!(ids(&offer), ["call_30"]);
    assert_eq!(offer["replacements"][0]["reclaimed"]["reason"], "run_again");
    // A missing answer may have cited all results, so the count of answers starts again.
    let told = |n: usize| {
        let mut more = said(&format!("Next is number {n}."));
        more.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        more
    };
    let counts: Vec<usize> = (0..10).map(|n| ids(&host.ask(&told(n))).len()).collect();
    assert!(counts[0] == 1 && counts[9] > 20, "{counts:?}");
}

#[test]
fn answers_stand_in_front_of_the_results_of_their_calls() {
    let terms = json!({ "cache": "cold", "minGain": 0 });
    // Asked once for many turns: a late answer cites the first result, or the one before it.
    let gone = |first: &str, second: &str| {
        let mut host = Host::new();
        host.compress(&read(0, 0));
        (1..10).for_each(|n| _ = host.compress(&read(n, n)));
        let calls = |from: usize, to: usize| (from..to).map(|n| format!("call_{n}")).collect::<Vec<_>>();
        let mut answers = vec![json!({ "text": first, "toolCallIds": calls(0, 1) })];
        answers.extend((1..8).map(|n| json!({ "text": "Well.", "toolCallIds": calls(n, n + 1) })));
        answers.push(json!({ "text": second, "toolCallIds": calls(8, 10) }));
        answers.push(json!({ "text": "Well." }));
        let offer = host.ask(&json!({ "answers": answers, "reclaimTerms": terms }));
        ids(&offer).contains(&"call_0")
    };
    assert!(gone("It has item_0_5.", "Look on."), "said before it was seen");
    assert!(!gone("Look.", "It has item_0_5."), "cited two answers ago");
}

#[test]
fn what_was_offered_for_another_state_does_not_count() {
    let mut host = Host::new();
    for n in 0..19 {
        host.compress(&read(n, n));
        host.ask(&said("Look on."));
    }
    let offer = host.ask(&said("And now?"));
    assert!(ids(&offer).contains(&"call_1"), "{offer}");
    assert!(host.refused(&json!(999)).contains("batch 999"));
    // A result that refers to one in the batch: the batch would remove the target of the reference.
    let repeated = host.compress(&read(19, 1));
    assert!(points_to(&repeated).contains("call_1"), "{repeated}");
    host.refused(&offer["batch"]);
    // The next offer keeps that result.
    let next = host.ask(&said("The second again."));
    assert!(!ids(&next).is_empty() && !ids(&next).contains(&"call_1"), "{next}");
    host.refused(&offer["batch"]);
    call(&host.engine, "session/evicted", &json!({ "sessionId": "s", "toolCallIds": ["call_5"] }));
    host.refused(&next["batch"]);
    let last = host.ask(&json!({}));
    assert!(!ids(&last).contains(&"call_5") && ids(&last).contains(&"call_6"), "{last}");
    host.confirm(&last);
    // After a summary nothing is left that could go.
    call(&host.engine, "session/compacted", &json!({ "sessionId": "s" }));
    assert_eq!(ids(&host.ask(&said("Go on."))), [""; 0]);
    assert_eq!(host.compress(&read(6, 6))["content"], host.context["call_6"]);
}

#[test]
fn the_context_is_what_the_host_says() {
    let mut host = Host::new();
    for n in 0..12 {
        host.compress(&read(n, n));
        host.ask(&said("Look on."));
    }
    let all: Vec<Value> = (0..12).map(|n| json!(format!("call_{n}"))).collect();
    let whole = host.ask(&said("And now?"));
    let same = host.ask(&json!({ "context": all }));
    assert_eq!((ids(&same), &same["batch"]), (ids(&whole), &whole["batch"]));
    let part = host.ask(&json!({ "context": ["call_2", 10, "call_2", "no_such_call", "call_11"] }));
    assert_eq!(ids(&part), ["call_2"]);
    assert_ne!(part["batch"], whole["batch"]);
    // The text after is written again.
    let dear = host.ask(&json!({ "context": ["call_2", 90_000, "call_11"] }));
    assert_eq!((ids(&dear), &dear["batch"]), (vec![], &Value::Null));
    assert!(dear["sum"]["behind"].as_u64().unwrap() > 90_000 && dear["sum"]["gain"].as_i64().unwrap() < 0);
    let huge = host.ask(&json!({ "context": ["call_2", u64::MAX, "call_11", u64::MAX] }));
    assert_eq!(ids(&huge), [""; 0]);
    host.refused(&part["batch"]);
}

#[test]
fn replacements_keep_the_shape_and_reach_bodies_and_forks() {
    let mut host = Host::new();
    let parts = json!([{ "type": "text", "text": file(0) }, { "type": "image", "data": "AAAA" }]);
    let first = json!({ "toolCallId": "call_0", "tool": "read_file", "arguments": { "path": "src/part0.rs" }, "content": parts });
    host.compress(&first);
    host.compress(&json!({ "toolCallId": "two", "tool": "bash", "arguments": {}, "content": [
        { "type": "text", "text": file(50) }, { "type": "text", "text": file(51) },
    ] }));
    for n in 1..19 {
        host.compress(&read(n, n));
        host.ask(&said("Look on."));
    }
    let offer = host.ask(&said("And now?"));
    host.confirm(&offer);
    assert!(!ids(&offer).contains(&"two"), "it has two texts");
    let text = &offer["replacements"][0];
    assert_eq!(text["toolCallId"], "call_0");
    let again = call(&host.engine, "toolResult/compress", &json!({ "sessionId": "s", "result": first }));
    let expected = json!([{ "type": "text", "text": text["content"] }, { "type": "image", "data": "AAAA" }]);
    assert_eq!(again["content"], expected);
    // A body of the same session, and a fork of it.
    let second = read(1, 1);
    let place = &offer["replacements"][1];
    assert_eq!(place["toolCallId"], "call_1");
    let body = json!({ "messages": [
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "call_1", "type": "function", "function": { "name": "read_file", "arguments": second["arguments"].to_string() } }] },
        { "role": "tool", "tool_call_id": "call_1", "content": second["content"] },
    ] });
    let answer = call(&host.engine, "messages/compress", &json!({ "sessionId": "s", "body": body }));
    assert_eq!(answer["body"]["messages"][1]["content"], place["content"]);
    assert_eq!(answer["results"][0]["reclaimed"], place["reclaimed"]);
    call(&host.engine, "session/fork", &json!({ "sessionId": "s", "newSessionId": "t" }));
    let forked = call(&host.engine, "toolResult/compress", &json!({ "sessionId": "t", "result": second }));
    assert_eq!(forked["content"], place["content"]);
}

#[test]
fn what_stands_in_a_place_outlives_a_shortage_of_memory() {
    let settings = Settings { max_memory_bytes: 4 << 20, ..Settings::default() };
    let mut host = Host { engine: Engine::new(settings), context: BTreeMap::new() };
    host.ask(&json!({}));
    for n in 0..19 {
        host.compress(&read(n, n));
        host.ask(&said("Look on."));
    }
    let offer = host.ask(&said("And now?"));
    assert!(ids(&offer).contains(&"call_1"), "{offer}");
    host.confirm(&offer);
    for n in 19..90 {
        let text: String =
            (0..900).map(|line| format!("{}: item_{n}_{line} of {}\n", line + 1, n * 7919 + line)).collect();
        host.compress(&run(n, &format!("print {n}"), &text));
    }
    let first: Vec<Value> = (0..19).map(|n| host.context[&format!("call_{n}")].clone()).collect();
    for (n, before) in first.iter().enumerate() {
        assert_eq!(host.compress(&read(n, n))["content"], *before, "turn {n}");
    }
    let again = host.ask(&said("Number 90."));
    let went: BTreeSet<&str> = ids(&offer).into_iter().collect();
    assert!(ids(&again).iter().all(|id| !went.contains(id)), "{again}");
}

#[test]
fn results_that_were_not_noted_and_exact_ones_stay() {
    let cold = json!({ "reclaimTerms": { "cache": "cold", "minGain": 0 } });
    // Results from before the first question are not known.
    let mut host = Host { engine: engine(), context: BTreeMap::new() };
    host.compress(&read(0, 0));
    host.ask(&cold);
    let kept = json!({ "sessionId": "s", "result": read(1, 1), "fullOutput": true });
    call(&host.engine, "toolResult/compress", &kept);
    let whole = json!({ "sessionId": "s", "result": read(2, 2), "policy": { "neverOmit": true } });
    call(&host.engine, "toolResult/compress", &whole);
    let cut = json!({ "sessionId": "s", "result": read(3, 3), "hostCut": { "bytes": 500, "keeps": "head" } });
    call(&host.engine, "toolResult/compress", &cut);
    host.compress(&read(4, 4));
    // The same id with other bytes: nobody knows which the model sees.
    host.compress(&read(5, 5));
    host.compress(&read(5, 6));
    for n in 0..14 {
        let mut more = said(&format!("Number {n}."));
        more.as_object_mut().unwrap().extend(cold.as_object().unwrap().clone());
        let offer = host.ask(&more);
        assert!(ids(&offer).iter().all(|id| *id == "call_4"), "{offer}");
        assert_eq!(ids(&offer).is_empty(), n < 4, "{n}");
    }
    for policy in [json!({ "neverOmit": true }), json!({ "mode": "safe" })] {
        assert_eq!(ids(&host.ask(&json!({ "policy": policy }))), [""; 0]);
    }
}

#[test]
fn what_is_not_allowed_is_named() {
    let host = Host::new();
    let refused = |method: &str, more: Value| {
        let mut params = json!({ "sessionId": "s" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let error = try_call(&host.engine, method, &params).unwrap_err();
        assert_eq!(error.code, INVALID_PARAMS, "{error:?}");
        error.message
    };
    let answers = vec![json!({ "text": "x" }); 257];
    for (more, expected) in [
        (json!({ "sessionId": "" }), "sessionId: is empty"),
        (json!({ "context": [-1] }), "context[0]"),
        (json!({ "context": [{}] }), "expected the id of a call or a whole number of tokens"),
        (json!({ "answers": answers }), "answers: has 257 answers, allowed are up to 256"),
        (json!({ "answers": ["x"] }), "answers[0]"),
        (json!({ "reclaimTerms": { "cache": "warm" } }), "`warm`"),
        (json!({ "policy": { "mode": "turbo" } }), "policy.mode"),
    ] {
        let error = refused("session/reclaim", more);
        assert!(error.contains(expected), "{error}");
    }
    refused("session/reclaimed", json!({}));
    // A session uses either bodies or single results.
    let body = json!({ "messages": [] });
    let error = refused("messages/compress", json!({ "body": body, "reclaim": "auto" }));
    assert!(error.contains("that uses `session/reclaim`"), "{error}");
    let other = json!({ "sessionId": "b", "body": body, "reclaim": "auto", "format": "anthropic" });
    call(&host.engine, "messages/compress", &other);
    let error = refused("session/reclaim", json!({ "sessionId": "b" }));
    assert!(error.contains("`messages/compress` takes results out"), "{error}");
    assert!(host.refused(&json!(0)).contains("ask `session/reclaim` again"));
}
