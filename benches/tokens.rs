//! Speed of the token counters on text invented here: logs, code, JSON, Chinese.
//!
//! The text varies by a fixed generator, so that no counter profits from a short loop of one line.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tersed::tokens::{Tokenizer, counter};

/// A linear congruential generator: the same texts in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, list: &'a str) -> &'a str {
        let count = list.split(' ').count();
        list.split(' ').nth(self.below(count)).unwrap_or_default()
    }
}

const NAMES: &str = "worker connection request_id UserService cacheEntry offset retry_count HttpClient parse \
    buffer index session token_bucket result config shutdown Listener queue timeout payload node schema";
const VERBS: &str =
    "started finished failed retried dropped accepted closed refreshed evicted loaded flushed";
const HAN: &str = "\u{670d}\u{52a1}\u{5668} \u{542f}\u{52a8} \u{65f6} \u{8bfb}\u{53d6} \u{73af}\u{5883} \u{53d8}\u{91cf} \u{6ca1}\u{6709} \u{8bbe}\u{7f6e} \u{7aef}\u{53e3} \u{5c31} \u{4f7f}\u{7528} \u{9ed8}\u{8ba4}\u{503c} \u{65e5}\u{5fd7} \u{6587}\u{4ef6} \u{4fdd}\u{5b58} \u{5728} \u{5f53}\u{524d} \u{76ee}\u{5f55} \u{6bcf}\u{5929} \u{6e05}\u{7406} \u{4e00}\u{6b21} \u{ff0c} \u{3002}";

fn log(dice: &mut Dice) -> String {
    format!(
        "2024-05-{:02}T{:02}:{:02}:{:02}.{:03}Z {} [{}-{}] {} {} in {} ms, id={:08x}\n",
        1 + dice.below(28),
        dice.below(24),
        dice.below(60),
        dice.below(60),
        dice.below(1000),
        dice.pick("INFO INFO INFO WARN ERROR DEBUG"),
        dice.pick(NAMES),
        dice.below(16),
        dice.pick(NAMES),
        dice.pick(VERBS),
        dice.below(9000),
        dice.below(u32::MAX as usize),
    )
}

fn code(dice: &mut Dice) -> String {
    let indent = " ".repeat(4 * dice.below(4));
    let (a, b, c) = (dice.pick(NAMES), dice.pick(NAMES), dice.pick(VERBS));
    match dice.below(4) {
        0 => format!("{indent}let {a} = self.{b}.{c}({})?;\n", dice.below(100)),
        1 => format!("{indent}if {a} != {b}::{c} && !{a}.is_empty() {{\n"),
        2 => format!("{indent}// {c} the {a} unless {b} has {c}\n"),
        _ => format!("{indent}}}\n\n{indent}fn {c}_{a}({b}: &str) -> Option<usize> {{\n"),
    }
}

fn json(dice: &mut Dice) -> String {
    format!(
        "{{\"id\":{},\"name\":\"{}\",\"state\":\"{}\",\"score\":{}.{},\"hash\":\"{:012x}\",\"tags\":[\"{}\",null,true]}},\n",
        dice.below(1 << 30),
        dice.pick(NAMES),
        dice.pick(VERBS),
        dice.below(100),
        dice.below(1000),
        dice.below(1 << 31) << 16,
        dice.pick(NAMES),
    )
}

fn han(dice: &mut Dice) -> String {
    let words: String = (0..8 + dice.below(12)).map(|_| dice.pick(HAN)).collect();
    words + if dice.below(4) == 0 { "\n" } else { "\u{ff0c}" }
}

fn text(len: usize, line: fn(&mut Dice) -> String) -> String {
    let mut dice = Dice(7);
    let mut text = String::new();
    while text.len() < len {
        text.push_str(&line(&mut dice));
    }
    let end = (0..=len).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text
}

fn tokens(criterion: &mut Criterion) {
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Heuristic] {
        let counter = counter(tokenizer);
        let mut group = criterion.benchmark_group(counter.name());
        for (kind, line) in
            [("log", log as fn(&mut Dice) -> String), ("code", code), ("json", json), ("cjk", han)]
        {
            for (size, len) in [("64KiB", 64 << 10), ("1MiB", 1 << 20)] {
                let text = text(len, line);
                group.throughput(Throughput::Bytes(text.len() as u64));
                group.bench_with_input(BenchmarkId::new(kind, size), &text, |bencher, text| {
                    bencher.iter(|| counter.count(black_box(text)));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, tokens);
criterion_main!(benches);
