//! Tests of the markers of passed tests.

use super::*;

fn groups(text: &str) -> Vec<String> {
    // Padding: long enough for names to be shorter than the lines.
    let text = &format!("{}{}", text.trim_end(), " ".repeat(200));
    let source = Source::new(text);
    let mut out = Reduction::default();
    out.omit_in(0..source.len(), Reason::PassingTests, 1);
    label_markers(&source, &mut out, false, true, &HashSet::new());
    let names = |span: &Span| match &span.action {
        Action::Omit { names, .. } => names.as_deref().unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    out.spans.iter().map(names).collect()
}

#[test]
fn every_form_is_an_expression() {
    assert!(FORMS.automaton().is_some());
}

#[test]
fn lines_of_many_runners_are_read() {
    for (line, expected) in [
        ("test a::b ... ok", "a::b"),
        ("    --- PASS: TestA/b (0.00s)", "TestA/b"),
        ("=== RUN   TestA\n--- PASS: TestA (0.00s)", "1 test: TestA"),
        (
            "{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestA\"}\n\
             {\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"TestA\",\"Output\":\"--- PASS: TestA (0.00s)\\n\"}\n\
             {\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"TestA\",\"Elapsed\":0}",
            "1 test: TestA",
        ),
        ("[ RUN      ] A.b\n[       OK ] A.b (0 ms)", "1 test: A.b"),
        ("CartTest > adds() PASSED", "CartTest > adds()"),
        ("[INFO] Tests run: 2, Failures: 0, Time elapsed: 0.1 s - in p.A", "2 tests: p.A"),
        ("tests/test_a.py::test_b PASSED  [ 50%]", "tests/test_a.py::test_b"),
        ("[gw0] [ 12%] PASSED tests/test_a.py::test_b", "tests/test_a.py::test_b"),
        ("tests/test_a.py ....  [ 50%]", "4 tests"),
        (".......", "7 tests"),
        ("  \u{2713} adds two (12 ms)", "adds two"),
        ("  \u{2714} adds (0.3ms)", "adds"),
        ("ok 3 - adds # time=2ms", "adds"),
        ("test_a (p.q.A.test_a) ... ok", "test_a (p.q.A.test_a)"),
        (" \u{2713} src/a.test.ts (3 tests) 4ms", "3 tests: src/a.test.ts"),
        ("PASS src/a.test.js (5.1 s)", "src/a.test.js"),
        ("  <testcase classname=\"A\" name=\"b\" time=\"0.1\"/>", "b"),
        ("anything else", ""),
    ] {
        assert_eq!(groups(line), [expected], "{line}");
    }
}

#[test]
fn many_are_counted_and_few_are_named() {
    let run =
        |n: usize, name: &str| -> String { (0..n).map(|i| format!("test {name}{i} ... ok\n")).collect() };
    assert_eq!(groups(&run(15, "a"))[0].split(", ").count(), 15);
    assert_eq!(groups(&run(16, "a")), [""]);
    // A prefix of all names is written once.
    let long = groups(&run(12, "a_module::of_a_crate::with_tests::it_reads_"));
    assert!(long[0].starts_with("a_module::of_a_crate::with_tests:: it_reads_0, it_reads_1"), "{long:?}");
    // Names with brackets cannot be written in a marker, so their lines are kept.
    let ids: String = (0..3).map(|i| format!("t.py::a[{i}] PASSED\n")).collect();
    assert_eq!(groups(&ids), [""; 0]);
    let endless = run(3, &"a_long_name_".repeat(20));
    assert_eq!(groups(&endless), [""; 0]);
    // A list of names that is no shorter than the lines.
    let source = Source::new("test a ... ok\n");
    let mut out = Reduction::default();
    out.omit_in(0..1, Reason::PassingTests, 1);
    label_markers(&source, &mut out, false, true, &HashSet::new());
    assert!(out.spans.is_empty());
}

#[test]
fn a_list_of_selected_tests_has_an_end() {
    let text: String =
        (0..90).map(|i| format!("=== RUN   TestLonger{i}\n--- PASS: TestLonger{i} (0.00s)\n")).collect();
    let source = Source::new(&text);
    let mut out = Reduction::default();
    out.omit_in(0..source.len(), Reason::PassingTests, 1);
    label_markers(&source, &mut out, true, true, &HashSet::from(["TestLonger3"]));
    let Action::Omit { names: Some(names), .. } = &out.spans[0].action else { panic!("no names") };
    assert!(names.starts_with("90 tests: TestLonger0, TestLonger1, TestLonger2, TestLonger4"), "{names}");
    assert!(names.ends_with(" more") && names.len() < MAX_NAMES_BYTES + 40, "{names}");
    let more: usize = names.rsplit_once("and ").unwrap().1.trim_end_matches(" more").parse().unwrap();
    assert_eq!(names.matches("TestLonger").count() + more, 89);
}
