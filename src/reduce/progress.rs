//! Progress of any kind inside a report: bars, percentages, counters, spinners. The last state of each run is kept,
//! except for a finished bar without other text.
//!
//! It recognizes shapes, not programs, and works on the lines that the reducer kept. Lines with figures other than
//! sizes, rates and times, such as losses and accuracies of a training, are not progress, nor are results of tests.

use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::signals;

use super::lines::reads_as_report;
use crate::input::Input;

/// Fewest states in a row that are a run if no bar is drawn. A choice.
const MIN_RUN_STATES: usize = 3;
/// Longest line that is examined, in bytes. A choice: bars fit a wide terminal.
const MAX_LINE_BYTES: usize = 400;

/// The state of something in progress, from one line.
#[derive(Debug, Default, Clone, PartialEq)]
struct State {
    /// The line without its figures, bars and spinners: equal in all lines of a run.
    key: String,
    /// The progress, which never falls in a run.
    value: f64,
    /// Whether it has finished.
    is_done: bool,
    /// Whether it is drawn: a bar, dots, a spinner. Two of these make a run.
    is_drawn: bool,
}

/// What to leave out of the kept lines.
pub fn reduce(input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
    if !reads_as_report(input) || !may_hold(input.source.text()) {
        return Err(Reason::NothingToDo);
    }
    let source = input.source;
    let mut out = Reduction::default();
    for kept in ledger.kept() {
        let mut i = kept.start;
        while i < kept.end {
            let Some(first) = state(source.line(i)) else {
                i = meter(input, kept.end, i, &mut out);
                continue;
            };
            let mut last = first;
            let mut end = i + 1;
            while end < kept.end
                && let Some(next) = state(source.line(end))
                && next.key == last.key
                && next.value >= last.value
            {
                last = next;
                end += 1;
            }
            let is_run = end - i >= if last.is_drawn { 2 } else { MIN_RUN_STATES };
            if is_run {
                let is_said = !last.is_done || !last.is_drawn || says_something(&last.key);
                let goes = if is_said { i..end - 1 } else { i..end };
                if goes.clone().all(|l| !signals::is_failure(source.line(l))) {
                    out.omit(goes, Reason::Progress);
                }
            }
            i = end;
        }
    }
    out.unless_empty()
}

/// Whether a text may have progress lines: a single search, since most texts have none.
fn may_hold(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find(bytes, b"% Total    % Received").is_some()
        || has_figure(bytes)
        || holds_spinner(bytes)
}

/// Whether one of the cells `⠋`, `⠙`, `⠹` and `⠸`, which start with the same two bytes, is in the text.
fn holds_spinner(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"\xE2\xA0")
        .any(|at| matches!(bytes.get(at + 2), Some(b'\x8B' | b'\x99' | b'\xB9' | b'\xB8')))
}

/// Leaves out the meter of curl from line `i` on: its head and its states except the last, or all of it if the
/// transfer is complete. Returns the line to continue with.
fn meter(input: &Input<'_>, end: usize, i: usize, out: &mut Reduction) -> usize {
    let source = input.source;
    if !source.line(i).trim_start().starts_with("% Total    % Received % Xferd") {
        return i + 1;
    }
    let mut last = None;
    let mut at = i + 1;
    while at < end {
        let line = source.line(at);
        match is_meter(line) {
            true => last = Some(at),
            false if line.trim().is_empty() || line.trim_start().starts_with("Dload  Upload") => {}
            false => break,
        }
        at += 1;
    }
    let Some(last) = last else { return i + 1 };
    let is_done = source.line(last).trim_start().starts_with("100 ");
    let stop = if is_done { last + 1 } else { last };
    // The head names the figures of the last state.
    let start = if is_done { i } else { (i..last).find(|&l| is_meter(source.line(l))).unwrap_or(last) };
    out.omit(start..stop, Reason::Progress);
    last + 1
}

/// ` 15 28.6M   15 4510k    0     0  21.6M      0  0:00:01 --:--:--  0:00:01 21.5M`
fn is_meter(line: &str) -> bool {
    let words = || line.split_whitespace();
    words().count() == 12
        && line.bytes().all(|b| b.is_ascii_digit() || b" .:-kMGTP".contains(&b))
        && words().skip(8).take(3).all(|w| w.contains(':') || w.contains('d'))
}

/// Words of figures that are results, not progress.
const RESULTS: &[&str] = &[
    "epoch", "loss", "acc", "step", "iter", "batch", "train", "eval", "valid", "score", "lr", "cover",
    "pass", "test", "cpu", "mem", "used",
];

/// The state of something in progress, if the line has nothing else.
fn state(line: &str) -> Option<State> {
    let text = line.trim();
    if text.is_empty() || text.len() > MAX_LINE_BYTES || !has_mark(text) {
        return None;
    }
    let mut state = State { is_drawn: starts_with_spinner(text), ..State::default() };
    let mut is_measured = false;
    for word in text.split_whitespace() {
        read_word(word, &mut state, &mut is_measured)?;
    }
    let is_spinner = starts_with_spinner(text);
    if !(is_measured || is_spinner) || text.ends_with("%]") {
        return None;
    }
    let lower = state.key.to_ascii_lowercase();
    let is_result = |word: &str| RESULTS.iter().any(|result| word.starts_with(result));
    if lower.split(|c: char| !c.is_ascii_alphanumeric()).any(is_result) {
        return None;
    }
    Some(state)
}

/// A byte test that rules out most lines: `45%`, `3/9`, a spinner.
fn has_mark(text: &str) -> bool {
    has_figure(text.as_bytes()) || starts_with_spinner(text)
}

/// Whether a `%` is after a digit or a `/` before one.
fn has_figure(bytes: &[u8]) -> bool {
    memchr::memchr2_iter(b'%', b'/', bytes).any(|at| {
        let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
        match bytes[at] {
            b'%' => digit(at.checked_sub(1)),
            // `1.2MB/3MB` too.
            _ => digit(Some(at + 1)),
        }
    })
}

/// Braille cells, in which command line programs draw their spinners.
fn starts_with_spinner(text: &str) -> bool {
    text.starts_with(|c: char| ('\u{2801}'..='\u{28ff}').contains(&c))
}

/// Reads one word into the state. `None`: the line has more than a state of progress.
fn read_word(word: &str, state: &mut State, is_measured: &mut bool) -> Option<()> {
    if word.chars().all(is_bar) {
        // Three dots end a sentence.
        state.is_drawn |= word.chars().count() >= 5;
        return Some(());
    }
    if word.chars().all(|c| ('\u{2801}'..='\u{28ff}').contains(&c)) {
        return Some(());
    }
    let core = word.trim_matches(|c: char| {
        matches!(c, '(' | ')' | '{' | '}' | '<' | ',' | ';') || is_bar(c) && c != '-' && c != '.'
    });
    let core = core.trim_end_matches([':', '.']);
    if core.len() + 8 < word.len() && word.contains(['█', '━', '#', '=', '|']) {
        state.is_drawn = true;
    }
    // `45%|████▌`
    let (core, rest) = core.split_once('|').unwrap_or((core, ""));
    if !rest.is_empty() && !rest.chars().all(is_bar) {
        return None;
    }
    state.is_drawn |= !rest.is_empty();
    if let Some(percent) =
        core.strip_suffix('%').and_then(|p| p.rsplit_once(bar_end).map_or(Some(p), |(_, p)| Some(p)))
    {
        let value: f64 = percent.parse().ok().filter(|v| (0.0..=100.0).contains(v))?;
        state.value = value;
        state.is_done |= value >= 100.0;
        *is_measured = true;
        return Some(());
    }
    if let Some((done, all)) = core.split_once('/').and_then(|(a, b)| Some((amount(a)?, amount(b)?))) {
        if !*is_measured {
            state.value = done;
            state.is_done |= done >= all;
        }
        *is_measured = true;
        return Some(());
    }
    if is_time(core) || is_size(core) {
        return Some(());
    }
    if matches!(core, "0" | "ETA" | "eta") {
        return Some(());
    }
    if core.bytes().any(|b| b.is_ascii_digit()) && core.parse::<f64>().is_ok() {
        // A figure without a unit has a meaning of its own.
        return None;
    }
    if core.contains('=') && core.bytes().any(|b| b.is_ascii_digit()) && !core.ends_with('s') {
        return None;
    }
    state.key.push_str(core);
    state.key.push(' ');
    Some(())
}

/// Characters of a bar.
fn is_bar(c: char) -> bool {
    match c {
        ' ' | '#' | '-' | '.' | '=' | '>' | '[' | ']' | '_' | '|' | '~' => true,
        c if c.is_ascii() => false,
        c => "━╸╺─█▉▊▋▌▍▎▏▇▆▅▄▃▂▁░▒▓■□▪▫●○◼◻".contains(c),
    }
}

/// Characters that may be before the percentage in the same word: `]45%`, `:45%`.
fn bar_end(c: char) -> bool {
    matches!(c, ']' | ':' | '=' | '>' | '#' | '.' | '|') && c != '.'
}

/// `12`, `1.2MB`, `3,400`: a number, with or without a unit of size.
fn amount(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let is_unit = unit.is_empty() || is_size(text);
    number.replace(',', "").parse().ok().filter(|_| is_unit && !number.is_empty())
}

/// `1.2MB`, `512kB/s`, `3.4MiB`, `8.90it/s`, `29.5M`, `0K`, also units alone: `MB/s`
fn is_size(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    let unit = unit.strip_suffix("/s").or(unit.strip_suffix("ps")).unwrap_or(unit);
    let is_count = matches!(unit, "it" | "ex" | "files" | "objects" | "items" | "examples");
    is_count
        || matches!(
            unit,
            "B" | "b"
                | "K"
                | "k"
                | "M"
                | "G"
                | "T"
                | "KB"
                | "kB"
                | "MB"
                | "GB"
                | "TB"
                | "KiB"
                | "MiB"
                | "GiB"
                | "bytes"
                | "Bytes"
        )
}

/// `00:01`, `1:02:03`, `00:01<00:12`, `2s`, `1m20s`, `350ms`, `--:--`, `?`, `0s=0.3s`
fn is_time(text: &str) -> bool {
    let clock = |t: &str| {
        t.contains(':')
            && t.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'-' | b'.' | b'<' | b'?'))
    };
    let span = |t: &str| {
        t.starts_with(|c: char| c.is_ascii_digit())
            && t.ends_with(['s', 'm', 'h'])
            && t.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'm' | b's' | b'h' | b'd'))
    };
    let part = |t: &str| clock(t) || span(t) || t == "?" || is_size(t);
    text.split(['<', '=', ',']).all(part)
}

/// Whether a run has a name, so that its last state names what was done.
fn says_something(key: &str) -> bool {
    key.split(|c: char| !c.is_alphabetic()).any(|word| word.len() >= 3 && !matches!(word, "eta" | "ETA"))
}

#[cfg(test)]
mod tests {
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    fn shown(text: &str) -> String {
        let policy = Policy { min_bytes: 0, ..Policy::default() };
        let outcome = compress(&ToolCall::default(), &[Raw::Text(text)], &policy, false, &NoHistory).unwrap();
        let text = outcome.texts.concat();
        text.lines().filter(|line| !line.starts_with("[tersed")).collect::<Vec<_>>().join("\n")
    }

    fn run(from: usize, to: usize, line: impl Fn(usize) -> String) -> String {
        (from..=to).map(|n| line(n) + "\n").collect()
    }

    #[test]
    fn the_last_state_of_a_run_stays() {
        let bars = run(1, 9, |n| {
            format!("Unpacking model: [{}{}] {n}0%", "=".repeat(n * 3), " ".repeat(27 - n * 3))
        });
        assert_eq!(shown(&(bars + "ready\n")), format!("Unpacking model: [{}] 90%\nready", "=".repeat(27)));
        let tqdm = run(1, 9, |n| format!("Map: {n}0%|{}| {n}0/100 [00:0{n}<00:09, 8.90it/s]", "█".repeat(n)));
        assert_eq!(shown(&tqdm), format!("Map: 90%|{}| 90/100 [00:09<00:09, 8.90it/s]", "█".repeat(9)));
        let count = run(1, 40, |n| format!("Copied {n}/340 files"));
        assert_eq!(shown(&(count + "stopped\n")), "Copied 40/340 files\nstopped");
        let spin = run(1, 9, |n| format!("{} Building fresh packages", ["⠋", "⠙", "⠹"][n % 3]));
        assert_eq!(shown(&spin), "⠋ Building fresh packages");
    }

    #[test]
    fn a_finished_bar_without_a_name_goes() {
        let dots =
            run(1, 20, |n| format!("{:>6}K .......... .......... .......... {:>3}%  862M 0s", n * 50, n * 5));
        assert_eq!(shown(&format!("start\n{dots}end\n")), "start\nend");
        let cut =
            run(1, 19, |n| format!("{:>6}K .......... .......... .......... {:>3}%  862M 0s", n * 50, n * 5));
        assert_eq!(
            shown(&format!("start\n{cut}end\n")),
            "start\n   950K .......... .......... ..........  95%  862M 0s\nend"
        );
    }

    #[test]
    fn results_are_no_progress() {
        for text in [
            run(1, 9, |n| format!("Epoch {n}/10 loss 0.{n} accuracy {n}0%")),
            run(1, 9, |n| {
                format!("train: {n}0%|{}| {n}/10 [00:0{n}<00:09, 8.9it/s, loss=0.{n}]", "█".repeat(n))
            }),
            run(1, 9, |n| format!("src/module_{n}.py      {n}0      3    {n}5%")),
            run(1, 9, |n| format!("........................................ [ {n}%]")),
            run(1, 9, |n| format!("coverage of part {n}0%")),
            run(1, 9, |n| format!("[{n}/9] tests/test_{n}.py::test_x ok")),
            run(1, 9, |n| format!("/dev/sda{n} 20G 10G 10G 5{n}% /mnt")),
            run(1, 9, |n| format!("2024/0{n}/12 is a date like any other date of these")),
        ] {
            assert_eq!(shown(&text).lines().count(), 9, "{text}");
        }
    }
}
