//! The same call again gets the same bytes, whatever else the request asks for and whatever was forgotten.

use serde_json::{Value, json};
use tersed::engine::{Engine, Settings};
use tersed::session::Bounds;

use super::common::{Dice, Sample, call, numbered, samples};

fn words(n: usize, what: &str) -> String {
    numbered(n, |i| format!("{what} {i} has words of its own {}", i * 7919 % 1009))
}

fn plain(id: &str, text: &str) -> Value {
    json!({"toolCallId": id, "tool": "bash", "content": text})
}

/// An engine whose sessions remember no text.
fn forgetful() -> Engine {
    let session = Bounds { memo_bytes: 0, ..Bounds::default() };
    Engine::new(Settings { session, ..Settings::default() })
}

fn contents(out: &Value) -> Vec<Value> {
    out["results"].as_array().unwrap().iter().map(|r| r["content"].clone()).collect()
}

#[test]
fn neighbours_and_pressure_are_no_part_of_a_request() {
    for engine in [Engine::default(), forgetful()] {
        let of = |results: &[Value], total: usize, pressure: f64| {
            let budget = json!({"total": total, "perResult": 0});
            let params =
                json!({"sessionId": "s", "results": results, "budget": budget, "contextPressure": pressure});
            call(&engine, "toolResult/compressBatch", &params).unwrap()
        };
        let (a, b) = (plain("a", &words(500, "a")), plain("b", &words(700, "b")));
        let first = of(&[a.clone(), b.clone()], 1200, 0.0);
        assert_eq!(first["budgetApplied"], true);
        // Other neighbours, another total, pressure.
        let c = plain("c", &words(600, "c"));
        let second = of(&[c, b.clone(), a.clone()], 3000, 0.9);
        let (first, seconds) = (contents(&first), contents(&second));
        assert_eq!((&seconds[2], &seconds[1]), (&first[0], &first[1]));
        assert_eq!(second["results"][1]["evidence"]["memo"]["reused"], true);
        assert_eq!(second["budget"]["met"], true, "{second}");
        // Alone, with no budget for all.
        let params = json!({"sessionId": "s", "result": a, "budget": {"perResult": 0, "total": 0}});
        assert_eq!(call(&engine, "toolResult/compress", &params).unwrap()["content"], first[0]);
        // Known results keep their tokens; the new ones share the rest.
        let d = plain("d", &words(400, "d"));
        let third = of(&[a, b, d], 1500, 0.0);
        assert_eq!(contents(&third)[..2], first[..]);
        assert_eq!(third["budget"]["met"], true, "{third}");
    }
}

#[test]
fn every_rung_is_found_again_without_the_memo() {
    let engine = forgetful();
    let samples = samples();
    let mut dice = Dice(41);
    let mut sent: Vec<(Value, Value)> = Vec::new();
    let mut rungs = std::collections::BTreeSet::new();
    for i in 0..150 {
        let sample: &Sample = &samples[dice.below(samples.len())];
        let result = sample.result(&format!("call_{i}"));
        let budget = 30 + dice.below(600);
        let pressure = dice.below(1000) as f64 / 1000.0;
        let params = json!({"sessionId": "s", "result": result, "policy": {"minBytes": 0, "budget": {"perResult": budget}},
            "contextPressure": pressure});
        let out = call(&engine, "toolResult/compress", &params).unwrap();
        rungs.insert(out["evidence"]["budget"]["rung"].to_string());
        sent.push((params, out));
    }
    assert!(rungs.len() >= 3, "{rungs:?}");
    call(&engine, "session/evicted", &json!({"sessionId": "s", "visible": []})).ok();
    for (params, first) in &mut sent {
        params["contextPressure"] = json!(0);
        let again = call(&engine, "toolResult/compress", params).unwrap();
        assert_eq!(again["content"], first["content"], "{first}");
        assert_eq!(again["evidence"]["budget"], first["evidence"]["budget"]);
        assert_eq!(again["evidence"]["omissions"], first["evidence"]["omissions"]);
    }
}

#[test]
fn asking_again_is_answered_in_full_only_within_the_budget() {
    let engine = Engine::default();
    let text = words(600, "x");
    let of = |id: &str, per_result: usize| {
        let result = json!({"toolCallId": id, "tool": "bash", "command": "cat x.log", "content": text});
        let params =
            json!({"sessionId": "s", "result": result, "policy": {"budget": {"perResult": per_result}}});
        call(&engine, "toolResult/compress", &params).unwrap()
    };
    let first = of("a", 500);
    assert_eq!(first["evidence"]["budget"]["met"], true);
    let second = of("b", 500);
    assert_eq!(second["evidence"]["budget"]["met"], true, "{}", second["evidence"]);
    let third = of("c", 0);
    assert_eq!(third["content"], text.as_str());
    assert_eq!(third["evidence"]["bypass"], "asked_again");
}

#[test]
fn pressure_asks_for_less_and_never_of_what_is_exact() {
    let text = words(4000, "x");
    let of = |pressure: f64, policy: Value| {
        let params = json!({"result": plain("a", &text), "contextPressure": pressure, "policy": policy});
        let out = call(&Engine::default(), "toolResult/compress", &params).unwrap();
        let tokens = out["evidence"]["tokens"]["after"].as_u64().unwrap();
        (tokens, out["evidence"]["mode"].as_str().unwrap().to_owned(), out["evidence"]["budget"].clone())
    };
    let file = json!({"headTailBytes": 0, "maxOutputBytes": 1_000_000});
    let (none, _, budget) = of(0.4, file.clone());
    assert!(none > 8000 && budget.is_null());
    let (half, _, budget) = of(0.5, file.clone());
    assert!(half <= 8000 && budget["tokens"] == 8000);
    let (high, mode, budget) = of(0.75, file.clone());
    assert!(high <= 4500 && mode == "aggressive" && budget["tokens"] == 4500);
    let (full, _, _) = of(1.0, file);
    assert!(full <= 1000 && full < high && high < half);
    let (_, mode, _) = of(0.9, json!({"mode": "safe", "maxMode": "standard"}));
    assert_eq!(mode, "standard");
    let (exact, mode, budget) = of(0.9, json!({"mode": "disabled"}));
    assert_eq!(
        (exact, mode.as_str(), budget["why"].as_str()),
        (none.max(exact), "disabled", Some("mode_disabled"))
    );
}
