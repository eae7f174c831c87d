//! Tests of `cap`.

use super::*;
use crate::pipeline::limit::cap_samples;
use crate::text::marker::Marker;
use crate::text::names::IN_EVERY_ROW;

fn capped(text: &str, signals: &[usize], bytes: usize, strict: bool) -> (String, usize) {
    let source = Source::new(text);
    let cap =
        Cap { bytes, strict, reason: Reason::OutputCap, samples: false, outliers: false, names: usize::MAX };
    let ledger = apply(&source, &Ledger::new(&source), signals, cap).unwrap();
    let out = ledger.render(&source, None);
    let is_whole =
        |&(at, _): &(usize, &str)| !matches!(Marker::parse(&out[at..]), Some((Marker::Gap { .. }, _)));
    let markers = out.match_indices("[tersed").filter(is_whole).count();
    (out, markers)
}

fn log(lines: usize, failures: &[usize]) -> (String, Vec<usize>) {
    let line = |i: usize| {
        if failures.contains(&i) {
            format!("error: number {i} is bad\n")
        } else {
            format!("line {i} is fine\n")
        }
    };
    ((0..lines).map(line).collect(), failures.to_vec())
}

#[test]
fn head_tail_and_failures_stay() {
    let (text, signals) = log(5000, &[2000, 2001, 3000, 3500]);
    let (out, markers) = capped(&text, &signals, 4000, true);
    assert!(out.len() <= 4000 && markers <= 2, "{} {markers}", out.len());
    for i in [2000, 2001, 3000, 3500] {
        assert!(out.contains(&format!("number {i} ")), "{out}");
    }
    assert!(out.starts_with("line 0 ") && out.ends_with("line 4999 is fine\n"));
}

#[test]
fn the_default_cap_gives_way_to_failures() {
    let all: Vec<usize> = (0..5000).filter(|i| i % 3 == 0).collect();
    let (text, signals) = log(5000, &all);
    let (strict, markers) = capped(&text, &signals, 4000, true);
    assert!(strict.len() <= 4000 && markers <= 2, "{} {markers}", strict.len());
    let (soft, markers) = capped(&text, &signals, 4000, false);
    assert!(markers <= 2 && all.iter().all(|i| soft.contains(&format!("number {i} "))));
}

#[test]
fn failures_that_say_something_new_have_context() {
    let line = |i: usize| match i {
        2000 | 2001 | 3000 => format!("error: number {i} is bad\n"),
        3500 => "fatal: the disk is full\n".to_owned(),
        _ => format!("line {i} is fine\n"),
    };
    let text: String = (0..5000).map(line).collect();
    let (out, markers) = capped(&text, &[2000, 2001, 3000, 3500], 6000, true);
    assert!(out.len() <= 6000 && markers <= 2, "{} {markers}", out.len());
    for around in [1998, 1999, 3498, 3499, 3501, 3502] {
        assert!(out.contains(&format!("line {around} is")), "{around}\n{out}");
    }
    // The neighbours of a failure that was already shown twice.
    assert!(!out.contains("line 2999 is") && !out.contains("line 3001 is"), "{out}");
}

#[test]
fn samples_are_spread_and_new() {
    // Words without digits, so that only every tenth line is like another.
    let word = |mut i: usize| {
        let mut word = String::new();
        while i > 0 {
            word.push(char::from(b'a' + (i % 26) as u8));
            i /= 26;
        }
        word
    };
    let line = |i: usize| {
        if i.is_multiple_of(10) { "the same\n".to_owned() } else { format!("says {}\n", word(i + 30)) }
    };
    let text: String = (0..5000).map(line).collect();
    let source = Source::new(&text);
    let cap =
        Cap { bytes: 4000, strict: false, reason: Reason::HeadTail, samples: true, outliers: true, names: 0 };
    let ledger = apply(&source, &Ledger::new(&source), &[], cap).unwrap();
    let out = ledger.render(&source, None);
    assert!(out.len() <= 4000 && out.matches("head_tail").count() == 1, "{out}");
    let middle: Vec<usize> = ledger.kept().filter(|kept| kept.len() == 1).map(|kept| kept.start).collect();
    // The marks between the samples take some of the room.
    assert!(middle.len() >= cap_samples::MAX_SAMPLES / 2, "{middle:?}");
    assert!(middle.windows(2).all(|w| (200..800).contains(&(w[1] - w[0]))), "{middle:?}");
    assert!(middle.iter().all(|&i| source.line(i) != "the same"));
}

/// The shown lines, each with the number of lines left out before it, from the marks between them. The first gap of a
/// marker is computed from its total.
fn gaps_before(out: &str) -> Vec<(usize, &str)> {
    let (mut gap, mut lines) = (0, Vec::new());
    // For each whole marker the size of its first gap, and the line after it.
    let mut firsts: Vec<(usize, usize)> = Vec::new();
    for line in out.lines() {
        match Marker::parse(line) {
            Some((Marker::Lines { count, .. }, _)) => firsts.push((count, lines.len())),
            Some((Marker::Gap { count, .. }, _)) => {
                firsts.last_mut().unwrap().0 -= count;
                gap = count;
            }
            _ => {
                lines.push((gap, line));
                gap = 0;
            }
        }
    }
    for (first, behind) in firsts {
        lines[behind].0 = first;
    }
    lines
}

#[test]
fn each_gap_is_marked_where_it_is() {
    let line = |i: usize| match i {
        900 | 1800 | 1802 => format!("error: number {i} is bad\n"),
        _ => format!("line {i} is fine\n"),
    };
    let text: String = (0..3000).map(line).collect();
    let signals = [900, 1800, 1802];
    for (bytes, strict) in [(3000, true), (3000, false), (900, true)] {
        let source = Source::new(&text);
        let cap = Cap { bytes, strict, reason: Reason::HeadTail, samples: true, outliers: true, names: 0 };
        let out = apply(&source, &Ledger::new(&source), &signals, cap).unwrap().render(&source, None);
        let mut at = 0;
        for (gap, line) in gaps_before(&out) {
            at += gap;
            assert_eq!(line, source.line(at), "{out}");
            at += 1;
        }
        assert_eq!(at, source.len(), "{out}");
    }
    // Lines with their own number need no mark between them; between lines with a time only a long gap gets one.
    let marks = |front: &dyn Fn(usize) -> String| {
        let text: String = (0..3000).map(|i| front(i) + &line(i)).collect();
        let source = Source::new(&text);
        let reason = Reason::HeadTail;
        let cap = Cap { bytes: 3000, strict: false, reason, samples: true, outliers: true, names: 0 };
        let out = apply(&source, &Ledger::new(&source), &signals, cap).unwrap().render(&source, None);
        out.matches("[tersed").count() - out.matches("head_tail").count()
    };
    assert_eq!(marks(&|i| format!("{i}: ")), 0);
    assert!(marks(&|_| "2024-05-01 ".to_owned()) > 0);
}

#[test]
fn what_stays_of_a_page_stays_under_its_title() {
    let page = |n: usize| {
        let body = |i: usize| match (n, i) {
            (7, 11) => "the error: was 0.17 here\n".to_owned(),
            _ => "words that say nothing at all of it\n".to_owned(),
        };
        format!("PAGE {n}\n\n{}\n", (0..30).map(body).collect::<String>())
    };
    let text: String = (1..20).map(page).collect();
    let source = Source::new(&text);
    let failure = (0..source.len()).find(|i| source.line(*i).contains("0.17")).unwrap();
    let cap = Cap {
        bytes: 3000,
        strict: false,
        reason: Reason::HeadTail,
        samples: false,
        outliers: false,
        names: 0,
    };
    let out = apply(&source, &Ledger::new(&source), &[failure], cap).unwrap().render(&source, None);
    let before = out.split("the error: was").next().unwrap();
    assert_eq!(before.matches("PAGE").last(), Some("PAGE"));
    assert!(before.rfind("PAGE 7").is_some_and(|at| before.rfind("PAGE") == Some(at)), "{out}");
}

#[test]
fn names_have_a_limit_that_shows() {
    let line = |i: usize| match i % 20 {
        0 => format!("let field_{i}_x = open_{i}_y();\n"),
        _ => "words that name nothing at all\n".to_owned(),
    };
    let text: String = (0..3000).map(line).collect();
    let source = Source::new(&text);
    let named = |names: usize| {
        let cap = Cap {
            bytes: 4000,
            strict: false,
            reason: Reason::HeadTail,
            samples: false,
            outliers: false,
            names,
        };
        apply(&source, &Ledger::new(&source), &[], cap).unwrap().render(&source, None)
    };
    assert!(named(usize::MAX).len() > 6000);
    let some = named(500);
    assert!(some.contains(" ...]") && some.len() < 4600, "{}", some.len());
    assert!(named(0).contains("head_tail]"));
}

#[test]
fn two_caps_keep_their_markers_apart() {
    let all: Vec<usize> = (0..5000).filter(|i| i % 3 == 0).collect();
    let (text, signals) = log(5000, &all);
    let source = Source::new(&text);
    let mut ledger = Ledger::new(&source);
    for (bytes, reason) in [(9000, Reason::HeadTail), (4000, Reason::OutputCap)] {
        ledger = apply(
            &source,
            &ledger,
            &signals,
            Cap { bytes, strict: false, reason, samples: false, outliers: false, names: usize::MAX },
        )
        .unwrap();
    }
    let out = ledger.render(&source, None);
    let marked: usize = out
        .lines()
        .filter_map(|l| match Marker::parse(l) {
            Some((Marker::Lines { count, .. }, _)) => Some(count),
            _ => None,
        })
        .sum();
    assert_eq!(marked, ledger.gaps(&source).iter().map(|g| g.count).sum::<usize>());
}

#[test]
fn one_long_line_is_cut_around_its_failure() {
    let text = format!("{} error: here{}", "a".repeat(100_000), "b".repeat(100_000));
    let (out, markers) = capped(&text, &[0], 5000, true);
    assert!(out.len() <= 5000 && out.contains("error: here") && markers == 2, "{}", out.len());
    let (plain, markers) = capped(&"x".repeat(100_000), &[], 5000, true);
    assert!(plain.len() <= 5000 && markers == 1, "{}", plain.len());
}

#[test]
fn one_giant_line_between_others_is_shortened_and_shown() {
    let giant = |name: &str, bytes: usize| format!("{name} {}\n", "ab ".repeat(bytes / 3));
    for (before, giants) in [(14, vec![7_000, 76_000]), (14, vec![90_000]), (60, vec![40_000, 40_000])] {
        let (mut text, _) = log(before, &[]);
        for (at, bytes) in giants.iter().enumerate() {
            text += &giant(&format!("sum{at}"), *bytes);
        }
        text += "the end\n";
        let (out, _) = capped(&text, &[], 16_000, false);
        assert!(out.len() <= 16_000 && out.ends_with("the end\n"), "{}", out.len());
        for at in 0..giants.len() {
            assert!(out.contains(&format!("\nsum{at} ab")), "{before} {giants:?} {at}");
        }
    }
    let (alone, _) = capped(&giant("sum", 90_000), &[], 16_000, false);
    assert!((15_000..=16_000).contains(&alone.len()), "{}", alone.len());
}

#[test]
fn blanks_that_are_not_shown_take_no_room() {
    let text: String = (0..200).map(|i| format!("row {i} of a padded table{}\n", " ".repeat(800))).collect();
    let source = Source::new(&text);
    let step = Reduction { trim_line_ends: true, ..Reduction::default() };
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let cap = |bytes| Cap {
        bytes,
        strict: false,
        reason: Reason::OutputCap,
        samples: false,
        outliers: false,
        names: usize::MAX,
    };
    assert!(apply(&source, &ledger, &[], cap(6_000)).is_none(), "all of it fits");
    let out = apply(&source, &ledger, &[], cap(4_000)).unwrap().render(&source, None);
    assert!((3_000..=4_000).contains(&out.len()), "{}", out.len());
}

fn with_outliers(text: &str, ledger: &Ledger, signals: &[usize], bytes: usize) -> String {
    let source = Source::new(text);
    let cap = Cap { bytes, strict: false, reason: Reason::HeadTail, samples: true, outliers: true, names: 0 };
    apply(&source, ledger, signals, cap).unwrap().render(&source, None)
}

fn pods() -> String {
    let pod = |i: usize| {
        format!(
            "Name:      pod-{i}-of\nSpace:     shop\nNode:      node-{}/x\nLabels:    app=cart\n           hash=c{i}\nStatus:    Running\n\
             IP:        10.0.0.{i}\nImage:     app:v1\nState:     Running\nReady:     True\nLimits:    none\nEvents:    <none>\n\n",
            i % 7
        )
    };
    (0..90).map(pod).collect()
}

#[test]
fn no_line_of_a_record_stands_under_the_name_of_another() {
    let text = pods();
    for bytes in (2_000..2_600).step_by(40) {
        let out = with_outliers(&text, &Ledger::new(&Source::new(&text)), &[], bytes);
        let mut name = "";
        for line in out.lines() {
            if let Some(found) = line.strip_prefix("Name:      pod-") {
                name = found.trim_end_matches("-of");
            }
            if let Some(found) = line.strip_prefix("IP:        10.0.0.") {
                assert_eq!(found, name, "{bytes}\n{out}");
            }
        }
    }
}

#[test]
fn a_gap_counts_the_lines_that_earlier_steps_left_out() {
    let text = pods();
    let source = Source::new(&text);
    let mut step = Reduction::default();
    for line in (0..source.len()).filter(|line| source.line(*line).starts_with("Space:")) {
        step.omit_in(line..line + 1, Reason::Defaults, 1 + (line / 13) as u32);
        step.omit_in(line + 2..line + 3, Reason::Defaults, 1 + (line / 13) as u32);
    }
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let out = with_outliers(&text, &ledger, &[], 2_400);
    // The lines between the neighbours of a gap, by what is unique in them.
    let place = |line: &str| {
        let mut same = (0..source.len()).filter(|at| source.line(*at) == line);
        same.next().filter(|_| same.next().is_none())
    };
    let lines: Vec<&str> = out.lines().collect();
    let mut checked = 0;
    for three in lines.windows(3) {
        let Some(count) = three[1].strip_prefix("[tersed: ").and_then(|x| x.strip_suffix(" omitted here]"))
        else {
            continue;
        };
        if let (Some(before), Some(after)) = (place(three[0]), place(three[2])) {
            assert_eq!(count.parse::<usize>().unwrap(), after - before - 1, "{out}");
            checked += 1;
        }
    }
    assert!(checked > 0, "{out}");
}

#[test]
fn a_notice_that_the_output_was_cut_before_stays() {
    let text: String = (0..400)
        .map(|i| match i {
            211 => "<elided_chars>\n22166 characters elided\n</elided_chars>\n".to_owned(),
            _ => format!("step {i} of the way is done\n"),
        })
        .collect();
    let out = with_outliers(&text, &Ledger::new(&Source::new(&text)), &[], 2_000);
    assert!(out.contains("<elided_chars>\n22166 characters elided\n</elided_chars>\n"), "{out}");
}

#[test]
fn a_commit_below_a_gap_says_whose_it_is() {
    let author = |i: usize| ["Ada", "Bob", "Cyd"][i / 7 % 3];
    let text: String = (0..120)
        .map(|i| format!("commit {:040x}\nAuthor: {} <x>\n\n    change {i} of it\n\n", i + 1, author(i)))
        .collect();
    let source = Source::new(&text);
    let mut step = Reduction::default();
    for i in (0..120).filter(|i| i % 7 != 0) {
        step.omit_in(i * 5 + 1..i * 5 + 2, Reason::SameAuthor, 1);
    }
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let out = with_outliers(&text, &ledger, &[], 2_400);
    let mut shown = "";
    let mut read = Vec::new();
    for lines in out.lines().collect::<Vec<_>>().windows(2) {
        let Some(hash) = lines[0].strip_prefix("commit ") else { continue };
        let commit = usize::from_str_radix(hash, 16).unwrap() - 1;
        shown = lines[1].strip_prefix("Author: ").unwrap_or(shown);
        assert_eq!(shown, format!("{} <x>", author(commit)), "{commit}: {out}");
        read.push(commit);
    }
    let is_restored =
        |two: &[usize]| two[1] > two[0] + 1 && !two[1].is_multiple_of(7) && author(two[0]) != author(two[1]);
    assert!(read.windows(2).any(is_restored), "{out}");
}

#[test]
fn a_cut_takes_no_diagnostic_that_another_place_is_to_show() {
    let text: String =
        (0..300).map(|i| format!("part.c({i},1): warning C4101: unused local number {i} of it\n")).collect();
    let source = Source::new(&text);
    let mut step = Reduction::default();
    step.omit_in(290..300, Reason::RepeatedDiagnostic, 1);
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let out = with_outliers(&text, &ledger, &[], 3_000);
    assert!(!out.contains("repeated_diagnostic") && out.contains("part.c(299,1)"), "{out}");
}

#[test]
fn messages_for_many_diagnostics_stay_whole_before_other_lines() {
    let text: String =
        (0..400).map(|i| format!("src/part_{i}.py:{i}:1: rule {} was broken here\n", i % 7)).collect();
    let source = Source::new(&text);
    let mut step = Reduction::default();
    for line in 100..300 {
        match line % 40 {
            0 => {
                step.replace(line..line + 1, format!("rule {line}\n  src: all places"), Reason::SharedMessage)
            }
            1..20 => step.omit_in(line..line + 1, Reason::SharedMessage, 1),
            _ => {}
        }
    }
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let out = with_outliers(&text, &ledger, &[], 3_000);
    assert!(out.len() < 3_500);
    for line in [120, 160, 200, 240, 280] {
        assert!(out.contains(&format!("rule {line}\n  src: all places\n")), "{line}: {out}");
    }
}

#[test]
fn a_message_with_too_many_places_is_cut_between_them() {
    let text: String =
        (0..400).map(|i| format!("src/part_{i}.py:{i}:1: rule {} was broken\n", i % 7)).collect();
    let source = Source::new(&text);
    let mut step = Reduction::default();
    let places: String = (0..300).map(|i| format!("\n  src/long_{i}.py: {i}")).collect();
    step.replace(100..101, format!("rule 3{places}"), Reason::SharedMessage);
    step.omit_in(101..140, Reason::SharedMessage, 1);
    step.replace(140..141, "rule 4\n  src/rare.py: 5, 7".to_owned(), Reason::SharedMessage);
    step.omit_in(141..180, Reason::SharedMessage, 1);
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let out = with_outliers(&text, &ledger, &[], 3_000);
    assert!(out.len() < 3_500);
    assert!(out.contains("rule 4\n  src/rare.py: 5, 7\n"), "{out}");
    let cut = out.split("rule 3\n").nth(1).unwrap();
    let shown = cut.lines().take_while(|line| line.starts_with("  src/long_")).count();
    assert!(shown > 20 && shown < 300, "{shown}");
    let marker = cut.lines().nth(shown).unwrap();
    assert!(marker.ends_with(" bytes of line 101, shared_message]"), "{marker}");
}

#[test]
fn a_heading_that_an_earlier_step_left_out_does_not_end_the_chain() {
    let device = |i: usize| {
        let speed = if i == 41 { "2.5GT/s (downgraded)" } else { "16GT/s" };
        format!(
            "dev-{i} Network card\n  Model: X4\n  Interrupt: {}\n  Capabilities: express\n    LnkCap: 16GT/s\n    LnkSta: {speed}\n  Driver: x4\n\n",
            i * 7 % 90
        )
    };
    let text: String = (0..120).map(device).collect();
    let source = Source::new(&text);
    let mut step = Reduction::default();
    for first in (8..source.len()).step_by(8) {
        step.omit_in(first + 1..first + 2, Reason::CommonFields, 1);
        step.omit_in(first + 3..first + 5, Reason::CommonFields, 1);
        step.omit_in(first + 6..first + 7, Reason::CommonFields, 1);
    }
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let out = with_outliers(&text, &ledger, &[], 2_400);
    let odd = out.find("2.5GT/s (downgraded)").unwrap();
    let heading = out[..odd].rfind("dev-").unwrap();
    assert!(out[heading..].starts_with("dev-41 "), "{out}");
}

#[test]
fn a_kept_headline_keeps_its_place() {
    let finding = |i: usize| {
        let message = if i.is_multiple_of(9) { "Use of failed `assert`" } else { "Magic value" };
        format!(
            "S{i} {message} number {i}\n  --> src/part_{}.py:{i}:7\n   |\n{i} |     x = {i}\n   |\n\n",
            i % 3
        )
    };
    let text: String = (1..300).map(finding).collect();
    let source = Source::new(&text);
    let signals: Vec<usize> = (0..source.len()).filter(|i| source.line(*i).contains("failed")).collect();
    let cap = Cap {
        bytes: 6000,
        strict: false,
        reason: Reason::OutputCap,
        samples: false,
        outliers: true,
        names: 0,
    };
    let out = apply(&source, &Ledger::new(&source), &signals, cap).unwrap().render(&source, None);
    let lines: Vec<&str> = out.lines().collect();
    let mut headlines = lines.iter().enumerate().filter(|(_, line)| line.contains(" number "));
    assert!(headlines.clone().count() > 20);
    assert!(headlines.all(|(at, _)| lines[at + 1].contains("--> src/part_")), "{out}");
}

#[test]
fn rows_stay_below_the_header_that_says_a_part_of_them() {
    let table = |name: &str| {
        let row = |i: usize| format!("{name}-{i} 10.0.0.{i}\n");
        format!("NAME IP{IN_EVERY_ROW}NAMESPACE {name})\n{}\n", (0..80).map(row).collect::<String>())
    };
    let shown: String = ["alder", "birch", "cedar", "elder"].map(table).concat();
    let text = shown.replace(IN_EVERY_ROW, " (");
    let source = Source::new(&text);
    let mut step = Reduction::default();
    for (line, row) in shown.lines().enumerate().filter(|(_, row)| !row.is_empty()) {
        step.replace(line..line + 1, row.to_owned(), Reason::TableWhitespace);
    }
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let failing: Vec<usize> =
        (0..source.len()).filter(|line| source.line(*line).starts_with("cedar-40 ")).collect();
    let cap = Cap {
        bytes: 2_400,
        strict: false,
        reason: Reason::OutputCap,
        samples: true,
        outliers: true,
        names: usize::MAX,
    };
    let out = apply(&source, &ledger, &failing, cap).unwrap().render(&source, None);
    let mut head = "";
    for line in out.lines() {
        if line.contains(IN_EVERY_ROW) {
            head = line;
        } else if let Some((name, _)) = line.split_once('-').filter(|_| !line.starts_with('[')) {
            assert!(head.ends_with(&format!("NAMESPACE {name})")), "{line} below {head}\n{out}");
        }
    }
    assert!(out.contains("cedar-40 ") && out.contains("omitted"), "{out}");
}
