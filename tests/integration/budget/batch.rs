//! The results of one turn under a common budget.

use serde_json::{Value, json};
use tersed::engine::Engine;
use tersed::text::signals;
use tersed::text::source::Source;
use tersed::tokens::{self, Tokenizer};

use super::common::{Dice, Sample, call, numbered, samples};

fn count(text: &str) -> usize {
    tokens::counter(Tokenizer::O200k).count(text)
}

fn content(result: &Value) -> &str {
    result["content"].as_str().unwrap()
}

fn batch(results: &[Value], total: usize, per_result: usize) -> Value {
    let budget = json!({"total": total, "perResult": per_result});
    let params = json!({"results": results, "budget": budget, "policy": {"minBytes": 0}});
    call(&Engine::default(), "toolResult/compressBatch", &params).unwrap()
}

/// The failure lines of a result that are missing in its text.
fn lost_failures<'a>(sample: &'a Sample, out: &str) -> Vec<&'a str> {
    let source = Source::new(&sample.text);
    let lines = signals::failure_lines(&source).into_iter().map(|i| source.line(i).trim());
    let folded = out.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.filter(|line| !folded.contains(&line.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

#[test]
fn a_thousand_random_batches_land_under_their_budgets() {
    // Large ones only take longer here; they are cut in `single`.
    let samples: Vec<Sample> = samples().into_iter().filter(|sample| sample.text.len() < 10_000).collect();
    let mut dice = Dice(3);
    let (mut trimmed, mut judged) = (0, 0);
    for round in 0..1000 {
        let of: Vec<&Sample> = (0..1 + dice.below(5)).map(|_| &samples[dice.below(samples.len())]).collect();
        let results: Vec<Value> =
            of.iter().enumerate().map(|(i, sample)| sample.result(&format!("call_{i}"))).collect();
        let all: usize = of.iter().map(|sample| count(&sample.text)).sum();
        let total = 40 * of.len() + dice.below(all.max(1));
        let per_result = [0, 300, 2000][dice.below(3)];
        let out = batch(&results, total, per_result);
        let outs = out["results"].as_array().unwrap();
        let sum: usize = outs.iter().map(|result| count(content(result))).sum();
        assert_eq!(out["tokens"]["after"], sum);
        let names: Vec<&str> = of.iter().map(|sample| sample.name.as_str()).collect();
        if sum > total {
            assert_eq!(out["budget"]["met"], false, "{round} {names:?}");
            assert!(out["budget"]["why"].is_string(), "{round}: {out}");
            assert!(sum <= total + 8 * of.len(), "{round}: {sum} of {total}, {names:?}");
        } else {
            assert_eq!(out["budget"], json!({"tokens": total, "met": true}));
        }
        for ((sample, result), name) in of.iter().zip(outs).zip(&names) {
            let text = content(result);
            assert!(count(text) <= count(&sample.text), "{round} {name}");
            let limit = result["evidence"]["budget"]["tokens"].as_u64().map_or(usize::MAX, |n| n as usize);
            let cuts =
                text.lines().filter(|line| line.starts_with("[tersed") && line.contains(", budget]")).count();
            assert!(cuts <= 1, "{round} {name}\n{text}");
            trimmed += usize::from(cuts == 1);
            // All failure lines that fit are kept.
            let guard = &result["evidence"]["guard"];
            if guard["signals"].as_u64() > Some(0) {
                judged += 1;
                let gone = lost_failures(sample, text);
                let more = gone.first().map_or(0, |line| count(line));
                let is_full = count(text) + more + 60 > limit.min(total) || guard["kept"] == guard["signals"];
                assert!(is_full, "{round} {name} lost {gone:?} at {} of {limit}\n{text}", count(text));
            }
        }
    }
    assert!(trimmed > 300 && judged > 500, "{trimmed} {judged}");
}

fn plain(id: &str, text: &str) -> Value {
    json!({"toolCallId": id, "tool": "bash", "content": text})
}

fn words(n: usize, what: &str) -> String {
    numbered(n, |i| format!("{what} {i} has words of its own {}", i * 7919 % 1009))
}

#[test]
fn the_largest_gives_first_and_tiny_ones_nothing() {
    let tiny = "3 files changed\nok\n";
    let results = [plain("a", &words(300, "one")), plain("b", tiny), plain("c", &words(2000, "two"))];
    let out = batch(&results, 4000, 0);
    let outs: Vec<&str> = out["results"].as_array().unwrap().iter().map(content).collect();
    assert_eq!(outs[1], tiny);
    assert!(
        outs[0].ends_with("one 300 has words of its own 414\n") || !outs[0].contains(", budget]"),
        "{}",
        outs[0]
    );
    assert!(outs.iter().map(|text| count(text)).sum::<usize>() <= 4000);
    assert!(count(outs[2]) <= count(outs[0]) + 60 || !outs[0].contains("budget]"));
    assert_eq!(out["budgetApplied"], true);
    // A small result never becomes a stub, even if a large one is full of failures.
    let failing = numbered(800, |i| format!("src/a{i}.rs:{i}:1: error: name {} is unknown", i * 7919 % 1009));
    let out = batch(&[plain("a", &failing), plain("b", tiny)], 1000, 0);
    assert_eq!(content(&out["results"][1]), tiny);
}

#[test]
fn an_error_in_the_middle_of_the_largest_survives() {
    let text = words(3000, "fine").replace("fine 1500 has", "error: 1500 has");
    let line = text.lines().nth(1499).unwrap().to_owned();
    assert!(line.starts_with("error:"));
    for total in [150, 600, 3000] {
        let out =
            batch(&[plain("a", &words(400, "a")), plain("b", &text), plain("c", &words(400, "c"))], total, 0);
        assert!(content(&out["results"][1]).contains(&line), "{total}");
        assert_eq!(out["budget"]["met"], true, "{out}");
    }
}

#[test]
fn of_equals_the_lower_index_is_cut_first() {
    let text = words(200, "same");
    let all = count(&text);
    let out = batch(&[plain("a", &text), plain("b", &text)], 2 * all - 1, 0);
    assert_eq!(content(&out["results"][1]), text);
    assert!(count(content(&out["results"][0])) < all);
}

#[test]
fn the_order_of_a_batch_means_nothing_but_for_ties() {
    let samples = samples();
    let mut dice = Dice(29);
    for _ in 0..60 {
        let of: Vec<&Sample> = (0..4).map(|_| &samples[dice.below(samples.len())]).collect();
        let results: Vec<Value> =
            of.iter().enumerate().map(|(i, sample)| sample.result(&format!("call_{i}"))).collect();
        let all: usize = of.iter().map(|sample| count(&sample.text)).sum();
        let total = all / 3 + 200;
        let one = batch(&results, total, 0);
        let turned: Vec<Value> = results.iter().rev().cloned().collect();
        let two = batch(&turned, total, 0);
        let outs = |out: &Value| -> Vec<usize> {
            out["results"].as_array().unwrap().iter().map(|r| count(content(r))).collect()
        };
        let (one, mut two) = (outs(&one), outs(&two));
        two.reverse();
        // A single token may decide which rung fits, and the next rung may shorten a small result to a third.
        let names: Vec<&str> = of.iter().map(|sample| sample.name.as_str()).collect();
        let is_near = |(a, b): (&usize, &usize)| a.abs_diff(*b) * 10 <= a.max(b) + 1000;
        assert!(one.iter().zip(&two).all(is_near), "{names:?} under {total}: {one:?} {two:?}");
        assert_eq!(outs(&batch(&results, total, 0)), one);
    }
}

#[test]
fn repeats_in_a_batch_cost_what_a_reference_costs() {
    let text = words(200, "same");
    let all = count(&text);
    let budget = json!({"total": all + 60, "perResult": 0});
    let results = [plain("a", &text), plain("b", &text)];
    let params = json!({"sessionId": "s", "results": results, "budget": budget});
    let out = call(&Engine::default(), "toolResult/compressBatch", &params).unwrap();
    assert_eq!(content(&out["results"][0]), text);
    assert_eq!(out["results"][1]["evidence"]["status"], "duplicate");
    assert_eq!(out["budget"]["met"], true);
}

#[test]
fn the_host_may_count_by_itself() {
    let text = words(400, "one");
    let ours = count(&text);
    // A host whose tokens are half as long.
    let mut result = plain("a", &text);
    result["tokens"] = json!(2 * ours);
    let out = batch(&[result.clone(), plain("b", &words(400, "two"))], 2 * ours, 0);
    let used = &out["results"][0]["evidence"]["budget"];
    assert_eq!(used["hostTokens"]["before"], 2 * ours);
    let after = used["hostTokens"]["after"].as_u64().unwrap() as usize;
    assert_eq!(after, (count(content(&out["results"][0])) * 2).max(after - 1));
    let sum = after + count(content(&out["results"][1]));
    assert_eq!(out["tokens"]["after"], sum);
    assert!(sum <= 2 * ours && out["budget"]["met"] == true, "{sum}");
    let one = call(
        &Engine::default(),
        "toolResult/compress",
        &json!({"result": result, "budget": {"perResult": ours}}),
    );
    let one = one.unwrap();
    assert!(count(content(&one)) * 2 <= ours, "{one}");
    result["tokens"] = json!(0);
    let error = call(&Engine::default(), "toolResult/compress", &json!({"result": result})).unwrap_err();
    assert_eq!(error, "result.tokens: is 0, allowed is 1 and up");
}

#[test]
fn what_stays_exact_counts_and_is_not_cut() {
    let text = words(400, "one");
    let mut exact = plain("a", &text);
    exact["fullOutput"] = json!(true);
    let out = batch(&[exact.clone(), plain("b", &words(400, "two"))], count(&text) + 200, 0);
    assert_eq!(content(&out["results"][0]), text);
    assert!(count(content(&out["results"][1])) <= 200);
    assert_eq!(out["budget"]["met"], true);
    let out = batch(&[exact, plain("b", &words(400, "two"))], 300, 0);
    assert_eq!(out["budget"], json!({"tokens": 300, "met": false, "why": "fixed_results"}));
    // A stub would gain nothing.
    assert!(count(content(&out["results"][1])) > 40, "{out}");
}

#[test]
fn bad_budgets_are_one_clear_error() {
    let of = |member: &str, value: Value| {
        let mut params = json!({"results": [plain("a", "x")], "sessionId": "bad"});
        params[member] = value;
        call(&Engine::default(), "toolResult/compressBatch", &params).unwrap_err()
    };
    assert_eq!(of("contextPressure", json!(1.5)), "contextPressure: 1.5 is out of range, allowed is 0 to 1");
    assert_eq!(
        of("contextPressure", json!(-0.1)),
        "contextPressure: -0.1 is out of range, allowed is 0 to 1"
    );
    assert_eq!(
        of("contextPressure", json!("high")),
        "contextPressure: invalid type: string \"high\", expected a number"
    );
    assert_eq!(of("budget", json!(7)), "budget: invalid type: integer `7`, expected an object");
    assert!(of("budget", json!({"total": -1})).starts_with("budget.total: invalid value: integer `-1`"));
    assert!(of("budget", json!({"sum": 1})).contains("unknown field `sum`"));
    let large = of("budget", json!({"total": 4_294_967_296_u64}));
    assert_eq!(large, "budget.total: 4294967296 is out of range, allowed is 0 to 4294967295");
}
