//! Speed of the terminal clean-up: the quick tests on clean text, and the renderer on text with escape sequences. It
//! makes its own inputs.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tersed::sanitize::{binary, encoding, invisible, terminal};

const SIZE: usize = 1 << 20;

/// Lines of a kind, numbered, up to a mebibyte.
fn filled(line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        text += &line(number);
        if text.len() >= SIZE {
            break;
        }
    }
    text
}

fn log(number: usize) -> String {
    format!(
        "2026-01-01T10:00:{:02}Z INFO worker-{number} request {number} took {}ms\n",
        number % 60,
        number % 97
    )
}

fn coloured(number: usize) -> String {
    format!(
        "\x1b[2m2026-01-01T10:00:{:02}Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mworker\x1b[0m: request \x1b[3mid\x1b[0m={number} took {}ms\n",
        number % 60,
        number % 97
    )
}

fn bar(number: usize) -> String {
    format!("\r{:3}%|{:<20}| {number}/5000 [00:10<00:20]", number % 100, "#".repeat(number % 20))
}

fn wide_bar(number: usize) -> String {
    format!("\r\x1b[2K   \x1b[38;5;197m{}\x1b[0m {number}.0/99.0 MB", "━".repeat(number % 40))
}

fn block(number: usize) -> String {
    format!("\x1b[3A\x1b[2K\ra: {number} kB\n\x1b[2K\rb: {number} kB\n\x1b[2K\rc: {number} kB\n")
}

fn clean_up(criterion: &mut Criterion) {
    let log = filled(log);
    let crlf = log.replace('\n', "\r\n");
    let cjk = filled(|number| format!("第{number}行：処理が完了しました。エラーはありません。\n"));
    let boxes = filled(|number| format!("├── dir{number}\n│   └── file.rs — “text”\n"));

    let mut group = criterion.benchmark_group("terminal");
    group.throughput(Throughput::Bytes(SIZE as u64));
    let streams = [
        ("gate_log", log.clone()),
        ("gate_crlf", crlf),
        ("gate_cjk", cjk.clone()),
        ("coloured", filled(coloured)),
        ("coloured_crlf", filled(coloured).replace('\n', "\r\n")),
        ("coloured_cjk", filled(|number| format!("\x1b[32m第{number}行\x1b[0m：処理が完了しました。\n"))),
        ("bar", filled(bar)),
        ("wide_bar", filled(wide_bar)),
        ("cursor_up_block", filled(block)),
    ];
    for (name, stream) in &streams {
        group.bench_with_input(BenchmarkId::from_parameter(name), stream, |bencher, stream| {
            bencher.iter(|| terminal::render(black_box(stream)));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("text");
    group.throughput(Throughput::Bytes(SIZE as u64));
    for (name, text) in [("ascii", &log), ("cjk", &cjk), ("boxes", &boxes)] {
        group.bench_with_input(BenchmarkId::new("invisible", name), text, |bencher, text| {
            bencher.iter(|| invisible::strip(black_box(text)));
        });
        group.bench_with_input(BenchmarkId::new("decode", name), text, |bencher, text| {
            bencher.iter(|| encoding::decode(black_box(text.as_bytes())));
        });
        group.bench_with_input(BenchmarkId::new("classify", name), text, |bencher, text| {
            bencher.iter(|| binary::classify(black_box(text.as_bytes())));
        });
        group.bench_with_input(BenchmarkId::new("base64_runs", name), text, |bencher, text| {
            bencher.iter(|| binary::base64_runs(black_box(text)));
        });
    }
    group.finish();
}

criterion_group!(benches, clean_up);
criterion_main!(benches);
