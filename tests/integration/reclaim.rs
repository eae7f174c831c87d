//! `messages/compress` with `reclaim`: results that an agent no longer needs leave the conversation in batches.
//! Between two batches, in resends, and in a process that does not know the conversation, the bytes are the same.

use serde_json::{Value, json};
use tersed::engine::{Engine, Settings};
use tersed::protocol::error::INVALID_PARAMS;

use crate::common::{call, try_call};

const FORMATS: [&str; 4] = ["anthropic", "openai-chat", "openai-responses", "gemini"];

/// One answer of the model with a call, and its result.
#[derive(Clone)]
struct Turn {
    said: String,
    tool: &'static str,
    arguments: Value,
    output: String,
}

/// A file that nothing else resembles.
fn file(name: usize) -> String {
    (0..60)
        .map(|n| format!("{}\tlet item_{name}_{n} = build_{name}({n}) + offset_{name};\n", n + 1))
        .collect()
}

fn read(name: usize, said: &str) -> Turn {
    Turn {
        said: said.to_owned(),
        tool: "read_file",
        arguments: json!({ "path": format!("src/part{name}.rs") }),
        output: file(name),
    }
}

fn run(command: &str, said: &str, output: String) -> Turn {
    Turn { said: said.to_owned(), tool: "bash", arguments: json!({ "command": command }), output }
}

/// Many files are read, one after the other, and nothing of most is named again.
fn turns(count: usize) -> Vec<Turn> {
    (0..count)
        .map(|n| match n {
            // The first is named in each answer.
            0 => read(0, "I begin."),
            n if n % 7 == 3 => run("make check", "Run it.", failed_run(n)),
            n => read(n, &format!("Then item_0_{n}, it is next.")),
        })
        .collect()
}

fn failed_run(n: usize) -> String {
    // The same words, but no equal lines.
    let step = |step: usize| {
        format!("unit_{step}.c takes {} bytes of part_{step}\n", 100 + (step * 7919 + n * 131) % 899)
    };
    let steps: String = (0..40).map(step).collect();
    format!("{steps}error: unit_{n}.c: no such file\nmake: *** [check] Error 2\n")
}

/// A request body with the messages of the turns.
fn body(format: &str, turns: &[Turn]) -> Value {
    let user = |text: &str| match format {
        "gemini" => json!({ "role": "user", "parts": [{ "text": text }] }),
        "openai-responses" => json!({ "type": "message", "role": "user", "content": text }),
        _ => json!({ "role": "user", "content": text }),
    };
    let mut all = vec![user("Find the fault.")];
    for (n, Turn { said, tool, arguments, output }) in turns.iter().enumerate() {
        let id = format!("call_{n}");
        match format {
            "anthropic" => all.extend([
                json!({ "role": "assistant", "content": [{ "type": "text", "text": said }, { "type": "tool_use", "id": id, "name": tool, "input": arguments }] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output }] }),
            ]),
            "openai-chat" => all.extend([
                json!({ "role": "assistant", "content": said, "tool_calls": [{ "id": id, "type": "function", "function": { "name": tool, "arguments": arguments.to_string() } }] }),
                json!({ "role": "tool", "tool_call_id": id, "content": output }),
            ]),
            "openai-responses" => all.extend([
                json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": said }] }),
                json!({ "type": "function_call", "call_id": id, "name": tool, "arguments": arguments.to_string() }),
                json!({ "type": "function_call_output", "call_id": id, "output": output }),
            ]),
            _ => all.extend([
                json!({ "role": "model", "parts": [{ "text": said }, { "functionCall": { "id": id, "name": tool, "args": arguments } }] }),
                json!({ "role": "user", "parts": [{ "functionResponse": { "id": id, "name": tool, "response": { "output": output } } }] }),
            ]),
        }
    }
    json!({ list(format): all })
}

/// The member of a body that holds the messages.
fn list(format: &str) -> &'static str {
    match format {
        "gemini" => "contents",
        "openai-responses" => "input",
        _ => "messages",
    }
}

fn send(engine: &Engine, format: &str, turns: &[Turn], more: &Value) -> Value {
    let mut params = json!({
        "sessionId": "s", "format": format, "body": body(format, turns), "reclaim": "auto",
        "reclaimTerms": { "minGain": 2000, "requestsToCome": 30 }, "policy": { "expandTool": true },
    });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call(engine, "messages/compress", &params)
}

/// An engine with the same key as all others here.
fn engine() -> Engine {
    let mut settings = Settings::default();
    settings.policy.seal_key = tersed::text::marker::SealKey::new([7; 32]);
    Engine::new(settings)
}

fn messages<'a>(answer: &'a Value, format: &str) -> &'a [Value] {
    answer["body"][list(format)].as_array().unwrap()
}

/// The text of the result of a turn.
fn text<'a>(answer: &'a Value, format: &str, turn: usize) -> &'a str {
    let all = messages(answer, format);
    match format {
        "anthropic" => all[2 + 2 * turn]["content"][0]["content"].as_str(),
        "openai-chat" => all[2 + 2 * turn]["content"].as_str(),
        "openai-responses" => all[3 + 3 * turn]["output"].as_str(),
        _ => all[2 + 2 * turn]["parts"][0]["functionResponse"]["response"]["output"].as_str(),
    }
    .unwrap()
}

#[test]
fn between_batches_requests_begin_as_the_one_before_and_all_is_the_same_for_a_new_process() {
    let turns = turns(40);
    for format in FORMATS {
        let live = engine();
        let mut last: Vec<Value> = Vec::new();
        let (mut batches, mut gone) = (0, 0);
        for n in 1..=turns.len() {
            let answer = send(&live, format, &turns[..n], &json!({}));
            let now = messages(&answer, format);
            let is_batch = answer["reclaim"]["newResults"] != 0;
            assert_eq!(now[..last.len()] != last[..], is_batch, "{format}, turn {n}: {}", answer["reclaim"]);
            batches += usize::from(is_batch);
            let all = answer["reclaim"]["results"].as_u64().unwrap();
            assert!(all >= gone, "{format}, turn {n}: something came back");
            gone = all;
            last = now.to_vec();
            if n % 13 == 0 {
                // Sent once more, sent by an older request that is tried again, and sent to a process that knows nothing.
                assert_eq!(messages(&send(&live, format, &turns[..n], &json!({})), format), last);
                let older = messages(&send(&live, format, &turns[..n / 2], &json!({})), format).to_vec();
                assert_eq!(messages(&send(&engine(), format, &turns[..n], &json!({})), format), last);
                assert_eq!(messages(&send(&engine(), format, &turns[..n / 2], &json!({})), format), older);
                assert_eq!(messages(&send(&live, format, &turns[..n], &json!({})), format), last);
            }
        }
        assert!(batches >= 3 && gone >= 15, "{format}: {batches} batches, {gone} results");
        assert!(batches <= 20, "{format}: {batches} batches rewrite the context too often");
    }
}

#[test]
fn what_stands_in_the_place_of_a_result_says_what_it_was_and_how_it_is_read() {
    let mut turns = turns(19);
    let steps: String =
        (0..40).map(|n| format!("unit_{n}.o takes {n}.{n} s and {} KiB\n", n * 37 % 101)).collect();
    turns[2] = run("make all", "Build.", format!("{steps}42 steps were done\n"));
    for format in FORMATS {
        let engine = engine();
        let answer = send(&engine, format, &turns, &json!({}));
        let row = &answer["results"][1];
        assert_eq!(row["reclaimed"]["reason"], "not_cited", "{format}: {row}");
        let marker = text(&answer, format, 1);
        assert!(
            marker.starts_with("[tersed: removed")
                && marker.contains(": removed 60 lines of src/part1.rs 1-60, not cited in the last "),
            "{marker}"
        );
        let id = marker.split("; id ").nth(1).unwrap().split(';').next().unwrap();
        let original = call(&engine, "artifact/read", &json!({ "sessionId": "s", "id": id }));
        assert_eq!(original["text"].as_str(), Some(&*file(1)));
        assert_eq!(row["artifact"]["id"], original["id"]);
        let saved = row["reclaimed"]["tokensSaved"].as_u64().unwrap();
        assert!(saved > 300 && row["evidence"]["tokens"]["after"].as_u64().unwrap() < 60, "{row}");
        let marker = text(&answer, format, 2);
        assert!(marker.contains(" of make all, not cited in the last "), "{marker}");
        assert_eq!(marker.lines().skip(1).collect::<Vec<_>>(), ["42 steps were done"]);
        // Results that answers name, failures and the last results are kept.
        assert!(text(&answer, format, 0).contains("item_0_5"), "{}", text(&answer, format, 0));
        assert!(text(&answer, format, 3).contains("error: unit_3.c: no such file"));
        assert!(text(&answer, format, 18).contains("item_18_5"));
        // The sums add up.
        let rows = answer["results"].as_array().unwrap();
        let gone = rows.iter().filter(|row| row["reclaimed"].is_object());
        let (count, tokens) = gone.fold((0, 0), |(count, tokens), row| {
            (count + 1, tokens + row["reclaimed"]["tokensSaved"].as_u64().unwrap())
        });
        assert_eq!(
            (&answer["reclaim"]["results"], &answer["reclaim"]["tokensSaved"]),
            (&json!(count), &json!(tokens))
        );
        let after: u64 = rows.iter().map(|row| row["evidence"]["tokens"]["after"].as_u64().unwrap()).sum();
        assert_eq!(answer["tokens"]["after"], after);
    }
}

#[test]
fn nothing_refers_to_what_is_gone_and_what_is_referred_to_stays() {
    let mut turns = turns(19);
    // The same file once more, after its first view is gone.
    turns.push(read(1, "Once more."));
    let answer = send(&engine(), "anthropic", &turns, &json!({}));
    assert_eq!(answer["results"][1]["reclaimed"]["reason"], "not_cited");
    assert!(text(&answer, "anthropic", 19).contains("item_1_5"), "{}", text(&answer, "anthropic", 19));
    // Right after the first result, the second refers to it. As long as the second stays, the first stays too.
    let mut turns = vec![read(1, "Begin."), read(1, "Again.")];
    turns.extend((2..12).map(|n| read(n, &format!("build_1({n}) is next"))));
    for n in 3..=turns.len() {
        let answer = send(&engine(), "anthropic", &turns[..n], &json!({}));
        let [first, second] = [0, 1].map(|turn| text(&answer, "anthropic", turn).to_owned());
        let refers = second.contains("Duplicate of") || second.contains("same output as");
        assert!(!refers || first.contains("item_1_5"), "turn {n}: {first}\n{second}");
    }
}

#[test]
fn a_run_that_was_run_again_goes_and_the_last_one_stays() {
    let mut turns = vec![run("make check", "Run.", failed_run(1))];
    turns.extend((0..3).map(|n| read(n, "Look.")));
    turns.push(run("make check", "Again.", failed_run(2).replace("unit_2.c", "unit_9.c")));
    turns.push(read(7, "Look on."));
    let terms = json!({ "reclaimTerms": { "requestsToCome": 500 } });
    let answer = send(&engine(), "openai-chat", &turns, &terms);
    assert_eq!(
        (&answer["results"][0]["reclaimed"]["reason"], &answer["results"][0]["reclaimed"]["count"]),
        (&json!("run_again"), &json!(4))
    );
    let place = text(&answer, "openai-chat", 0);
    assert!(place.contains("run again 4 results later") && place.contains("error: unit_1.c"), "{place}");
    assert!(text(&answer, "openai-chat", 4).contains("unit_9.c"));
}

/// A view of a file in an editor of lines, of which line 30 reads so.
fn window(thirty: &str) -> String {
    let line = |n: usize| match n {
        30 => format!("30:{thirty}\n"),
        n => format!("{n}:let item_{n} = build({n}) + offset_{n};\n"),
    };
    let lines: String = (1..=60).map(line).collect();
    format!("[File: /w/src/table.rs (60 lines total)]\n{lines}")
}

fn look(command: &str, tool: &'static str, output: String) -> Turn {
    Turn { tool, ..run(command, "Look.", output) }
}

#[test]
fn an_older_version_of_lines_says_that_it_is_one_and_a_chain_leads_to_its_end() {
    let edit = |n: usize| {
        let said = "[File updated. Please review the changes.]\n";
        look(
            &format!("edit 30:30\nlet thirty = {n};\nend_of_edit\n"),
            "edit",
            window(&format!("let thirty = {n};")) + said,
        )
    };
    let views = [look("goto 30", "goto", window("old")), look("scroll_up", "scroll_up", window("old"))];
    let behind = [read(1, "Look."), read(2, "Look on.")];
    // Without references every view shows all of its lines.
    let terms = |gain: usize| {
        json!({
            "reclaimTerms": { "requestsToCome": 500, "minGain": gain },
            "policy": { "dedup": false, "expandTool": true },
        })
    };
    let reasons = |answer: &Value, count: usize| -> Vec<(String, u64)> {
        let reclaimed = (0..count).map(|n| &answer["results"][n]["reclaimed"]);
        reclaimed
            .map(|one| (one["reason"].as_str().unwrap().to_owned(), one["count"].as_u64().unwrap()))
            .collect()
    };
    for format in FORMATS {
        let turns = [&views[..], &[edit(1), edit(2)], &behind].concat();
        let answer = send(&engine(), format, &turns, &terms(1_300_000));
        // They are removed together, so that the markers of all name the last edit.
        let expected = [3, 2, 1].map(|later| ("superseded".to_owned(), later));
        assert_eq!(reasons(&answer, 3), expected, "{format}");
        let first = text(&answer, format, 0);
        let expected = ": removed 61 lines of /w/src/table.rs 1-60, superseded 3 results later by edit 30:30 of /w/src/table.rs; id ";
        assert!(first.contains(expected), "{first}");
        let edited = text(&answer, format, 2);
        let expected = " of edit 30:30 of /w/src/table.rs, superseded 1 result later by edit 30:30 of ";
        assert!(edited.contains(expected) && edited.ends_with("\nFile updated."), "{edited}");
        assert!(text(&answer, format, 3).contains("30:let thirty = 2;"));
        // Without an edit between them it is the same.
        let answer = send(&engine(), format, &[&views[..], &behind].concat(), &terms(2000));
        assert_eq!(reasons(&answer, 1), [("shown_again".to_owned(), 1)]);
        let first = text(&answer, format, 0);
        assert!(first.contains(" of /w/src/table.rs 1-60, shown again 1 result later; id "), "{first}");
    }
}

#[test]
fn a_small_list_of_places_stays_while_the_agent_goes_through_it() {
    let places: String =
        (1..12).map(|n| format!("src/part{n}.rs:{}:  call_of_old_name(value_{n})\n", n * 5)).collect();
    let grep = |said: &str| run("grep -rn old_name src", said, places.clone());
    let quiet = |n: usize| read(100 + n, "Next.");
    let gone = |turns: &[Turn]| {
        let answer = send(
            &engine(),
            "anthropic",
            turns,
            &json!({ "reclaimTerms": { "cache": "cold", "minGain": 0 } }),
        );
        !answer["results"][0]["reclaimed"].is_null()
    };
    let mut idle = vec![grep("Search.")];
    idle.extend((0..12).map(quiet));
    assert!(gone(&idle));
    let mut working = vec![grep("Search."), read(1, "Next."), read(2, "Next.")];
    working.extend((0..9).map(quiet));
    assert!(!gone(&working), "it goes on");
    working.extend((9..20).map(quiet));
    assert!(gone(&working), "it was given up");
    let mut done = vec![grep("Search.")];
    done.extend((1..12).map(|n| read(n, "Next.")));
    done.extend((0..12).map(quiet));
    assert!(gone(&done), "it is used up");
}

#[test]
fn a_cold_cache_lets_all_go_that_may_and_a_high_price_none() {
    let turns = turns(19);
    let gone = |terms: Value| {
        let answer = send(&engine(), "gemini", &turns, &json!({ "reclaimTerms": terms }));
        answer["reclaim"]["results"].as_u64().unwrap()
    };
    let cold = gone(json!({ "cache": "cold", "minGain": 0 }));
    assert!(cold >= 2, "{cold}");
    assert_eq!(gone(json!({ "prices": { "write": 1000.0, "read": 0.1 } })), 0);
    // No removal pays before a request that may be the last.
    assert_eq!(gone(json!({ "requestsToCome": 0 })), 0);
    // Results that the settings keep exact are not removed.
    let mut printed = turns.clone();
    printed[2] = run("print-all", "Print.", file(2));
    let stays = |commands: Value| {
        let more = json!({ "reclaimTerms": { "cache": "cold", "minGain": 0 }, "policy": { "excludeCommands": commands } });
        let answer = send(&engine(), "gemini", &printed, &more);
        answer["results"][2]["reclaimed"].is_null()
    };
    assert!(stays(json!(["print-all"])) && !stays(json!([])));
    let other = |more: Value| send(&engine(), "gemini", &turns, &more)["reclaim"].clone();
    assert_eq!(other(json!({ "policy": { "neverOmit": true } })), Value::Null);
    assert_eq!(other(json!({ "policy": { "mode": "safe" } })), Value::Null);
    assert_eq!(other(json!({ "reclaim": "off" })), Value::Null);
}

#[test]
fn a_conversation_that_takes_another_turn_is_told_anew() {
    let (all, engine) = (turns(30), engine());
    send(&engine, "anthropic", &all, &json!({}));
    let mut other = all[..20].to_vec();
    other[10].said = "Something else.".to_owned();
    let now = send(&engine, "anthropic", &other, &json!({}));
    let fresh = send(&self::engine(), "anthropic", &other, &json!({}));
    assert_eq!(now["reclaim"]["results"], fresh["reclaim"]["results"]);
}

#[test]
fn an_answer_that_goes_on_brings_nothing_back() {
    let all = turns(20);
    for n in 4..all.len() {
        // First the answer has only text; then it continues, and names something of every result.
        let mut open = body("openai-chat", &all[..n]);
        let messages = open["messages"].as_array_mut().unwrap();
        messages.push(json!({ "role": "assistant", "content": "Look on." }));
        let mut last = all[n].clone();
        last.said = (0..n).map(|k| format!("item_{k}_5 unit_{k}.c ")).collect();
        let next = body("openai-chat", &[&all[..n], &[last]].concat());
        let mut grown = open.clone();
        grown["messages"]
            .as_array_mut()
            .unwrap()
            .extend(next["messages"].as_array().unwrap()[1 + 2 * n..].to_vec());
        let engine = engine();
        let send = |body: &Value| {
            let params = json!({
                "sessionId": "s", "format": "openai-chat", "body": body, "reclaim": "auto",
                "reclaimTerms": { "cache": "cold", "minGain": 0 },
            });
            call(&engine, "messages/compress", &params)
        };
        let gone = |answer: &Value| answer["reclaim"]["results"].as_u64().unwrap();
        let (before, after) = (send(&open), send(&grown));
        assert!(gone(&after) >= gone(&before), "{n}: {} then {}", gone(&before), gone(&after));
    }
}

#[test]
fn what_is_not_allowed_is_named() {
    let engine = engine();
    let refused = |more: Value| {
        let mut params = json!({ "sessionId": "s", "body": { "messages": [] }, "reclaim": "auto" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let error = try_call(&engine, "messages/compress", &params).unwrap_err();
        assert_eq!(error.code, INVALID_PARAMS, "{error:?}");
        error.message
    };
    for (more, expected) in [
        (json!({ "sessionId": null }), "reclaim: needs `sessionId`"),
        (json!({ "keepNewest": 1 }), "reclaim: cannot be combined with `keepNewest`"),
        (json!({ "reclaim": "always" }), "`always`"),
        (json!({ "reclaimTerms": 5 }), "reclaimTerms"),
        (json!({ "reclaimTerms": { "cache": "warm" } }), "`warm`"),
        (
            json!({ "reclaimTerms": { "prices": { "write": 1, "read": 0 } } }),
            "write 1 and read 0 are not prices",
        ),
        (
            json!({ "reclaimTerms": { "cache": "cold", "prices": { "write": 1, "read": 1 } } }),
            "has `cache` and `prices`",
        ),
    ] {
        let error = refused(more);
        assert!(error.contains(expected), "{error}");
    }
}
