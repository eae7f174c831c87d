//! Tests of which results may be removed.

use super::place::Folder;
use super::plan::MIN_TO_COME;
use super::timeline::MAX_RESULTS;
use super::view::View;
use super::*;
use crate::detect::viewed;
use crate::text::call::ToolCall;
use crate::text::marker::RemovalReason;

const THRESHOLDS: Thresholds =
    Thresholds { age: 4, uncited: 6, to_come_thousandths: 150, min_gain: 1000, min_gain_uncited: 1000 };

fn result(call: &str, words: &str, asked: u8) -> Facts {
    Facts {
        call: call.to_owned(),
        tokens: 2000,
        words: Words::of([words]),
        is_run: true,
        asked: Some([asked; 16]),
        is_removable: true,
        ..Facts::default()
    }
}

/// A conversation of answers and results; the words of an answer cite results.
fn told(steps: &[(&str, Option<Facts>)]) -> Timeline {
    let mut timeline = Timeline::default();
    for (said, facts) in steps {
        timeline.answer(&Words::of([*said]), 50);
        if let Some(facts) = facts {
            timeline.result(facts.clone(), false);
        }
    }
    timeline
}

fn gone(timeline: &Timeline) -> Vec<(usize, RemovalReason)> {
    timeline.plan(Factor::FIVE_MINUTES, Some(40), THRESHOLDS).gone
}

#[test]
fn what_was_run_again_goes_once_the_model_has_seen_the_new_one() {
    let steps = [("", Some(result("a", "", 1))), ("", Some(result("b", "", 1)))];
    assert_eq!(gone(&told(&steps)), []);
    let mut timeline = told(&[&steps[..], &[("", None)]].concat());
    assert_eq!(gone(&timeline), [(0, RemovalReason::RunAgain(1))]);
    let batch = timeline.plan(Factor::FIVE_MINUTES, Some(40), THRESHOLDS);
    timeline.apply(&batch);
    assert_eq!((timeline.gone(0, 2), timeline.gone(0, 3)), (None, Some(RemovalReason::RunAgain(1))));
    assert_eq!(gone(&timeline), [], "it went once");
}

#[test]
fn what_nobody_cites_goes_and_what_was_cited_lately_stays() {
    let first = ("", Some(result("a", "alpha_1", 1)));
    let quiet = |n: usize| vec![("", None); n];
    assert_eq!(gone(&told(&[vec![first.clone()], quiet(3)].concat())), []);
    assert_eq!(gone(&told(&[vec![first.clone()], quiet(4)].concat())), [(0, RemovalReason::NotCited(4))]);
    let cited = [vec![first.clone()], quiet(2), vec![("we see alpha_1", None)], quiet(4)].concat();
    assert_eq!(gone(&told(&cited)), []);
    // Words that were used before do not cite. The citing answer itself is not counted.
    let later = [cited, vec![("we see alpha_1 once more", None), ("", None)]].concat();
    assert_eq!(gone(&told(&later)), [(0, RemovalReason::NotCited(6))]);
}

#[test]
fn nothing_goes_before_a_result_that_points_to_unknown_ones() {
    let pointing = Facts { refers_to_others: true, is_removable: false, ..result("b", "beta_1", 2) };
    let quiet = vec![("", None); 6];
    let first = ("", Some(result("a", "alpha_1", 1)));
    let last = ("", Some(result("c", "gamma_1", 3)));
    let timeline = told(&[vec![first.clone(), ("", Some(pointing)), last], quiet.clone()].concat());
    assert_eq!(gone(&timeline), [(2, RemovalReason::NotCited(6))]);
    let plain = ("", Some(Facts { is_removable: false, ..result("b", "beta_1", 2) }));
    let timeline = told(&[vec![first, plain], quiet].concat());
    assert_eq!(gone(&timeline), [(0, RemovalReason::NotCited(7))]);
}

#[test]
fn failures_stay_until_they_are_run_again() {
    let failed = Facts { has_failed: true, ..result("a", "", 1) };
    let mut steps = vec![("", Some(failed))];
    steps.extend(vec![("", None); 20]);
    assert_eq!(gone(&told(&steps)), []);
    steps.extend([("", Some(result("b", "", 1))), ("", None)]);
    assert_eq!(gone(&told(&steps)), [(0, RemovalReason::RunAgain(1))]);
}

#[test]
fn what_a_result_that_stays_points_to_stays() {
    let points = Facts { refers_to: vec!["a".into()], ..result("b", "beta_1", 2) };
    let steps = |cite: &'static str| {
        let mut steps = vec![("", Some(result("a", "", 1))), ("", Some(points.clone()))];
        steps.extend(vec![("", None); 7]);
        steps.push((cite, None));
        told(&steps)
    };
    assert_eq!(gone(&steps("beta_1")), []);
    assert_eq!(gone(&steps("")).len(), 2);
}

#[test]
fn nothing_goes_where_it_does_not_pay() {
    let mut steps = vec![("", Some(result("a", "", 1)))];
    let large = |n| Facts { tokens: 90_000, ..result(n, "gamma_1", 9) };
    steps.push(("", Some(Facts { asked: None, ..large("b") })));
    steps.extend(vec![("", None); 7]);
    steps.push(("gamma_1", None));
    let timeline = told(&steps);
    let batch = timeline.plan(Factor::FIVE_MINUTES, Some(40), THRESHOLDS);
    // Gain: 40 * 1,963 tokens; cost: 11.5 * 90,050 tokens.
    assert_eq!((batch.gone.len(), batch.sum.removed, batch.sum.behind), (0, 1963, 90_050));
    assert_eq!(batch.sum.gain, 40 * 1963 - 1_035_575);
    // If nothing is cached any more, it pays.
    assert_eq!(timeline.plan(Factor::COLD, Some(40), THRESHOLDS).gone.len(), 1);
    // The assumed number of further requests grows with the conversation.
    assert_eq!(timeline.plan(Factor::COLD, None, THRESHOLDS).sum.requests, MIN_TO_COME);
}

/// A text, not a run: the same call may return another text.
fn page(call: &str, words: &str, asked: u8) -> Facts {
    Facts { is_run: false, ..result(call, words, asked) }
}

/// After how many answers a result is removed, if `went` results were removed before and `again` repeats one of them.
fn waits_after(went: u8, first: &Facts, again: Facts) -> usize {
    let mut steps = vec![("", Some(first.clone()))];
    steps.extend((1..went).map(|n| ("", Some(page(&n.to_string(), "", 100 + n)))));
    steps.extend(vec![("", None); 4]);
    let mut timeline = told(&steps);
    timeline.apply(&timeline.plan(Factor::COLD, None, THRESHOLDS));
    assert!((0..usize::from(went)).all(|number| timeline.gone(number, usize::MAX).is_some()));
    timeline.answer(&Words::default(), 50);
    timeline.result(again, false);
    (1..100)
        .find(|_| {
            timeline.answer(&Words::default(), 50);
            !gone(&timeline).is_empty()
        })
        .unwrap()
}

#[test]
fn who_asks_again_for_what_went_is_given_more_time() {
    let first = page("a", "alpha_1 beta_2", 1);
    assert_eq!(waits_after(1, &first, page("b", "alpha_1 gamma_3", 1)), 8);
    // One repeated request of many counts less; another text or another call does not count.
    assert_eq!(waits_after(13, &first, page("b", "alpha_1 gamma_3", 1)), 5);
    assert_eq!(waits_after(1, &first, page("b", "delta_1 gamma_3", 1)), 4);
    assert_eq!(waits_after(1, &first, page("b", "alpha_1 gamma_3", 2)), 4);
    // Nor does a repeated run.
    let run = result("a", "alpha_1 beta_2", 1);
    assert_eq!(waits_after(1, &run, Facts { call: "b".into(), ..run.clone() }), 4);
}

#[test]
fn a_conversation_without_end_costs_no_more_than_its_bound() {
    let mut timeline = Timeline::default();
    for n in 0..3 * MAX_RESULTS {
        timeline.answer(&Words::of([format!("word_{n}").as_str()]), 50);
        timeline.result(result(&n.to_string(), &format!("other_{n}"), 1), false);
    }
    assert!(timeline.is_full() && timeline.len() <= MAX_RESULTS, "{}", timeline.len());
    assert_eq!(timeline.plan(Factor::COLD, None, THRESHOLDS), Batch::default());
}

#[test]
fn words_that_were_said_before_cite_nothing() {
    let mut timeline = Timeline::default();
    timeline.answer(&Words::of(["look at delta_1"]), 50);
    timeline.result(result("a", "delta_1", 1), false);
    (0..4).for_each(|_| timeline.answer(&Words::of(["delta_1"]), 50));
    assert_eq!(gone(&timeline), [(0, RemovalReason::NotCited(4))]);
}

#[test]
fn what_was_not_cited_has_to_gain_more_where_that_is_asked() {
    let mut steps = vec![("", Some(result("a", "", 1))), ("", Some(result("b", "", 2)))];
    steps.push(("", Some(result("c", "", 2))));
    steps.extend(vec![("", None); 6]);
    let timeline = told(&steps);
    let gone = |min_gain_uncited| {
        let thresholds = Thresholds { min_gain_uncited, ..THRESHOLDS };
        timeline.plan(Factor::FIVE_MINUTES, Some(40), thresholds).gone.len()
    };
    assert_eq!((gone(1000), gone(10_000_000)), (3, 1));
}

#[test]
fn an_answer_that_is_not_known_may_have_cited_all() {
    let steps = [("", Some(result("a", "alpha_1", 1))), ("", Some(result("b", "beta_1", 2)))];
    let mut timeline = told(&steps);
    (0..20).for_each(|_| timeline.unknown_answer());
    assert_eq!(gone(&timeline), []);
    (0..6).for_each(|_| timeline.answer(&Words::default(), 50));
    assert_eq!(gone(&timeline), [(0, RemovalReason::NotCited(6)), (1, RemovalReason::NotCited(6))]);
    timeline.stays(0);
    assert_eq!(gone(&timeline), [(1, RemovalReason::NotCited(6))]);
}

#[test]
fn what_left_neither_goes_nor_stands_for_anything() {
    let steps = [("", Some(result("a", "", 1))), ("", Some(result("b", "", 1))), ("", None)];
    let mut timeline = told(&steps);
    assert_eq!(gone(&timeline), [(0, RemovalReason::RunAgain(1))]);
    assert!(timeline.has_other(|call| call != "b"));
    timeline.retain(|call| call != "b");
    assert!(!timeline.has_other(|call| call != "b"));
    assert_eq!(gone(&timeline), []);
    let all = [Item::Result("a"), Item::Result("b")];
    let plan = |items: Vec<Item<'_>>| {
        timeline.plan_in(&timeline.context_of(items), Factor::FIVE_MINUTES, Some(40), THRESHOLDS)
    };
    assert_eq!(plan(all.to_vec()).gone, [(0, RemovalReason::RunAgain(1))], "the host knows better");
    assert_eq!(plan(vec![Item::Result("b")]).gone, []);
    // The host says which tokens are after.
    let behind = plan(vec![all[0], Item::Tokens(700), all[1], Item::Result("unknown"), Item::Tokens(50)]);
    assert_eq!(behind.sum.behind, 700 + 2000 + 50);
    let much = plan(vec![all[0], Item::Tokens(usize::MAX), all[1], Item::Tokens(usize::MAX)]);
    assert_eq!(much.gone, []);
}

#[test]
fn the_same_call_with_another_page_replaces_nothing() {
    let steps = |second| {
        [("", Some(page("a", "one_1 two_2", 1))), ("", Some(page("b", second, 1))), ("", None)].to_vec()
    };
    assert_eq!(gone(&told(&steps("three_3 four_4"))), []);
    assert_eq!(gone(&told(&steps("one_1 three_3"))), [(0, RemovalReason::RunAgain(1))]);
}

/// A view of a file of twenty lines, with the given tenth line.
fn view(call: &str, tenth: &str) -> Facts {
    let line = |n: usize| format!("{n}: {}\n", if n == 10 { tenth } else { "the same" });
    let text: String =
        (1..=20).map(|n| if n % 2 == 0 { line(n) } else { format!("{n}: line {n}\n") }).collect();
    let view = View::of(&text, Some("a.rs"));
    Facts { is_run: false, view, asked: None, of: format!("{call} of a.rs"), ..result(call, "", 0) }
}

#[test]
fn what_shows_a_file_is_cited_by_edits_of_it() {
    let of_file = |call: &str, file: &str, is_edit| {
        ("", Some(Facts { file: Some(file.into()), is_edit, ..page(call, call, call.as_bytes()[0]) }))
    };
    let told = |is_edit, quiet: usize| {
        let steps = [
            of_file("a", "/w/src/a.rs", false),
            of_file("b", "src/b.rs", false),
            of_file("c", "src/a.rs", is_edit),
        ];
        gone(&told(&[&steps[..], &vec![("", None); quiet]].concat()))
    };
    assert_eq!(told(false, 2), [(0, RemovalReason::NotCited(4))]);
    assert_eq!(told(true, 3), [(1, RemovalReason::NotCited(4))]);
    // The third answer made the edit.
    assert_eq!(told(true, 7)[0], (0, RemovalReason::NotCited(7)));
}

/// A call with a command, as it is recorded.
fn ran(call: &str, command: &str) -> Facts {
    let by = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
    let (folder, edits) = (Folder::of(&by), viewed::changed(&by));
    Facts { folder, edits, ..page(call, "", 1) }
}

#[test]
fn an_edit_by_a_command_cites_the_view_of_its_file() {
    let told = |command: &str| {
        let mut steps = vec![("", Some(Facts { file: Some("src/a.rs".into()), ..page("a", "a", 1) }))];
        steps.extend((0..8).map(|_| {
            ("", Some(Facts { tokens: 10, is_removable: false, asked: None, ..ran("b", command) }))
        }));
        gone(&told(&steps)).len()
    };
    assert_eq!((told("sed -i 's/a/b/' src/a.rs"), told("perl -pi -e 's/a/b/' src/a.rs")), (0, 0));
    assert_eq!((told("sed -i 's/a/b/' src/b.rs"), told("cat src/a.rs")), (1, 1));
}

#[test]
fn a_run_in_another_folder_clears_nothing() {
    let failed = Facts { has_failed: true, is_run: true, ..ran("b", "cargo test") };
    let passed = Facts { is_run: true, ..ran("d", "cargo test") };
    let told = |to: &str| {
        let moves = |call, to| ("", Some(Facts { is_removable: false, asked: None, ..ran(call, to) }));
        let steps =
            [moves("a", "cd a"), ("", Some(failed.clone())), moves("c", to), ("", Some(passed.clone()))];
        gone(&told(&[&steps[..], &[("", None)]].concat()))
    };
    assert_eq!(told("cd ../b"), []);
    assert_eq!(told("ls"), [(1, RemovalReason::RunAgain(2))]);
}

#[test]
fn no_marker_leads_to_a_result_that_went() {
    // The later view is not cited and is removed; the earlier one was cited by the last answer.
    let quiet = vec![("", None); 6];
    let later = Facts { words: Words::of(["beta_1"]), ..view("b", "y") };
    let steps = |words: &'static str| {
        let first = Facts { words: Words::of(["alpha_1"]), ..view("a", "x") };
        let all = [vec![("", Some(first)), ("", Some(later.clone()))], quiet.clone(), vec![(words, None)]];
        gone(&told(&all.concat()))
    };
    assert_eq!(steps("alpha_1"), [(1, RemovalReason::NotCited(7))]);
    assert_eq!(steps(""), [(0, RemovalReason::NotCited(8)), (1, RemovalReason::NotCited(7))]);
    assert_eq!(steps("beta_1"), [(0, RemovalReason::Superseded(1))]);
    // A failure that was run again is removed together with the newer run.
    let failed = Facts { has_failed: true, ..result("a", "", 1) };
    let all = [vec![("", Some(failed)), ("", Some(result("b", "", 1)))], quiet].concat();
    assert_eq!(gone(&told(&all)), [(0, RemovalReason::NotCited(7)), (1, RemovalReason::NotCited(6))]);
}

#[test]
fn a_chain_leads_to_the_last_that_is_there() {
    let steps = |tenths: &[&str]| {
        let mut steps: Vec<_> =
            tenths.iter().enumerate().map(|(n, tenth)| ("", Some(view(&n.to_string(), tenth)))).collect();
        steps.push(("", None));
        told(&steps)
    };
    assert_eq!(
        gone(&steps(&["x", "x", "x"])),
        [(0, RemovalReason::ShownAgain(2)), (1, RemovalReason::ShownAgain(1))]
    );
    // Any edit in between makes another version.
    let edited = steps(&["x", "x", "y", "y"]);
    let expected = [
        (0, RemovalReason::Superseded(3)),
        (1, RemovalReason::Superseded(2)),
        (2, RemovalReason::ShownAgain(1)),
    ];
    assert_eq!(gone(&edited), expected);
    assert_eq!(edited.stands_for(0, expected[0].1), Some("3 of a.rs"));
    assert_eq!(edited.stands_for(2, expected[2].1), None);
    // Views that were removed before are skipped too.
    let mut timeline = steps(&["x", "y", "z"]);
    let batch = timeline.plan(Factor::COLD, Some(40), THRESHOLDS);
    timeline.apply(&Batch { gone: vec![(1, RemovalReason::Superseded(1))], ..batch });
    assert_eq!(gone(&timeline), [(0, RemovalReason::Superseded(2))]);
}

#[test]
fn what_many_answers_cited_waits_for_longer() {
    let told = |cited: usize, quiet: usize| {
        let words: Vec<String> = (0..cited).map(|n| format!("word_{n}")).collect();
        let mut steps = vec![("", Some(result("a", "word_0 word_1 word_2 word_3", 1)))];
        steps.extend(words.iter().map(|word| (word.as_str(), None)));
        steps.extend(vec![("", None); quiet]);
        gone(&told(&steps)).len()
    };
    assert_eq!((told(3, 5), told(3, 6)), (0, 1));
    assert_eq!((told(4, 23), told(4, 24)), (0, 1));
}

#[test]
fn what_the_last_request_did_not_hold_costs_nothing_to_rewrite() {
    let steps = [("", Some(result("a", "", 1))), ("", Some(result("b", "", 1))), ("", None)];
    let mut timeline = told(&steps);
    let before = timeline.plan(Factor::FIVE_MINUTES, Some(40), THRESHOLDS).sum;
    timeline.result(Facts { tokens: 90_000, ..result("c", "", 2) }, false);
    assert_eq!(timeline.plan(Factor::FIVE_MINUTES, Some(40), THRESHOLDS).sum, before);
}
