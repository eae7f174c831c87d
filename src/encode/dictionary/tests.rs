//! Texts are restored, within the published limits and in a bounded number of steps.

use proptest::prelude::*;

use super::*;
use crate::text::signals;
use crate::tokens::{Tokenizer, counter};

fn o200k() -> &'static dyn TokenCounter {
    counter(Tokenizer::O200k)
}

/// A text with all phrases that are found, even if they do not pay enough.
fn written(text: &str, method: Method) -> Option<String> {
    let (atoms, entries, _) = phrases(text, method, o200k());
    (!entries.is_empty()).then(|| write(&atoms, entries, method))
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "(crate|src/lib\\.rs|workspace member|resolved dependency|\\d{1,3}|, |: |\n| |\"|\\\\|ü→|<<|>>|<<F|\r\n)",
        2 => Just("a phrase that is long enough \"to\" pay\\n for itself ".to_owned()),
        2 => Just("over a line\nand another\nof some length, surely ".to_owned()),
        1 => Just("error: this line stays\n".to_owned()),
        1 => "[ -~]{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_goes_in_comes_out(pieces in proptest::collection::vec(piece(), 0..120), repair in any::<bool>()) {
        let text = pieces.concat();
        prop_assume!(declines(&text).is_none());
        let method = if repair { Method::Repair } else { Method::Lzw };
        if let Some(out) = written(&text, method) {
            prop_assert_eq!(expand(&out), Some(text.clone()), "{}", out);
            prop_assert!(is_own(&out), "{}", out);
            prop_assert!(declines(&out).is_some());
            bounds_hold(&text, &out, method)?;
            // A line that no phrase touches is in the output as it was.
            let (atoms, entries, _) = phrases(&text, method, o200k());
            let phrases = entries.iter().map(|e| atoms.slice(e.start, e.count).to_owned()).collect();
            let written = Written { text: out, tokens: 0, phrases, method };
            for line in text.split('\n').filter(|line| !written.touches(line)) {
                prop_assert!(written.text.split('\n').any(|shown| shown == line), "{}\n{}", line, written.text);
            }
        }
    }
}

fn bounds_hold(text: &str, out: &str, method: Method) -> Result<(), TestCaseError> {
    let legend: Vec<&str> = out
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with(method.open()) && line.contains(" = \""))
        .collect();
    prop_assert!((1..=MAX_ENTRIES).contains(&legend.len()));
    for (i, line) in legend.iter().enumerate() {
        let reference = method.reference(i + 1);
        let uses = out.matches(&reference).count() - 1;
        prop_assert!(uses >= 3, "{}", line);
        let expanded = expand(&format!("{}\n{}\n{reference}", method.header(), legend.join("\n"))).unwrap();
        prop_assert!(!expanded.contains('\n'), "{}", line);
        prop_assert!(uses * (expanded.len() - reference.len()) >= expanded.len() + MIN_SAVED, "{}", line);
        prop_assert!(text.contains(&expanded));
    }
    for line in out.lines().skip(1 + legend.len()) {
        let references = line.matches(method.open()).count() - text_references(line, method, legend.len());
        prop_assert!(references <= usize::from(select::MAX_IN_LINE), "{}", line);
    }
    for line in text.lines().filter(|line| signals::is_failure(line)) {
        prop_assert!(out.contains(line));
    }
    Ok(())
}

/// The number of texts that look like a reference but are not in the legend.
fn text_references(line: &str, method: Method, entries: usize) -> usize {
    let known: usize = (1..=entries).map(|n| line.matches(&method.reference(n)).count()).sum();
    line.matches(method.open()).count() - known
}

#[test]
fn the_published_form() {
    let line =
        "a note (of some length) on the resolution of a dependency, that stands in front of the name: ";
    let text: String =
        ["alpha", "beta", "gamma", "delta", "epsilon"].map(|name| format!("{line}{name}\n")).concat();
    let lzw = written(&text, Method::Lzw).unwrap();
    assert!(lzw.starts_with("[Forge LZW Dictionary]\n<<F1:1>> = \"a note (of some length) on the resolution of a dependency, that stands in front of the name: \"\n<<F1:1>>alpha\n<<F1:1>>beta\n"), "{lzw}");
    let repair = written(&text, Method::Repair).unwrap();
    assert!(repair.starts_with("[Forge RePair Dictionary]\n<<R1:1>> = \""), "{repair}");
    assert_eq!(expand(&repair).unwrap(), text);
}

#[test]
fn what_is_cited_is_found_whole() {
    let text: String = (0..30)
        .map(|i| format!("src/very/long/path/to/module_{i}.rs was looked at, with all the usual options, and no more than that\n"))
        .collect();
    for method in Method::ALL {
        let out = written(&text, method).unwrap();
        for i in 0..30 {
            assert!(out.contains(&format!("src/very/long/path/to/module_{i}.rs")), "{out}");
        }
    }
}

#[test]
fn what_is_not_taken() {
    let text = "the same line again and again, with some words in it\n".repeat(50);
    assert_eq!(declines(&text), None);
    assert_eq!(declines(&format!("{text}<<R1:1>>")), Some(Reason::HoldsDictionary));
    assert_eq!(declines(&format!("{text}[Forge LZW Dictionary]")), Some(Reason::HoldsDictionary));
    assert_eq!(declines(&text.repeat(20)), Some(Reason::OverDictionaryLimit));
    assert_eq!(declines("short"), Some(Reason::NothingToDo));
    // Whole lines would be replaced; of lines that repeat only in part, much remains.
    let tried = |text: &str| compress(text, o200k().count(text), Method::Repair, o200k());
    assert!(matches!(tried(&text), Err(Reason::NothingToDo | Reason::NotPaying)));
    let parts: String = (0..80).map(|i| format!("{i}: {}", &text[..53])).collect();
    assert!(tried(&parts).is_ok());
    let few: String = (0..20).map(|i| format!("{i}: {}", &text[..53])).collect();
    assert!(matches!(tried(&few), Err(Reason::NotPaying)));
    // A text without savings, and one with savings too small for a legend.
    let different: String = (0..400).map(|i| format!("{} {}\n", i * 7919, i * i)).collect();
    for method in Method::ALL {
        let tokens = o200k().count(&different);
        assert!(matches!(
            compress(&different, tokens, method, o200k()),
            Err(Reason::NothingToDo | Reason::NotPaying)
        ));
    }
}

#[test]
fn other_text_is_no_dictionary() {
    for text in [
        "",
        "no legend\n",
        "[Forge LZW Dictionary]\n",
        "[Forge LZW Dictionary]\n<<F1:2>> = \"b\"\n",
        "[Forge LZW Dictionary]\n<<R1:1>> = \"b\"\n",
        "[Forge LZW Dictionary]\n<<F1:1>> = \"b\\q\"\n",
        "see [Forge LZW Dictionary]\n<<F1:1>> = \"b\"\n",
    ] {
        assert_eq!(expand(text), None, "{text}");
    }
    let two = "before\n[Forge LZW Dictionary]\n<<F1:1>> = \"b\"\n<<F1:1>> <<F1:2>> <<R1:1>>\n[Forge RePair Dictionary]\n<<R1:1>> = \"c\\nd\"\n<<R1:1>><<F1:1>>";
    assert_eq!(expand(two).unwrap(), "before\nb <<F1:2>> <<R1:1>>\nc\nd<<F1:1>>");
}

/// Texts for which a naive search takes quadratic time.
fn adversaries(bytes: usize) -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(bytes / unit.len());
    let mut fibonacci = ("a ".to_owned(), "b ".to_owned());
    while fibonacci.1.len() < bytes {
        fibonacci = (fibonacci.1.clone(), fibonacci.1 + &fibonacci.0);
    }
    fibonacci.1.truncate(bytes);
    let mut state = 7u32;
    let mut random = |kinds: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16 & (kinds - 1)
    };
    let words = |random: &mut dyn FnMut(u32) -> u32, kinds| {
        let mut out = String::new();
        while out.len() + 10 < bytes {
            out.push_str(&format!("w{} ", random(kinds)));
        }
        out
    };
    vec![
        ("one piece", fill(",")),
        ("two pieces", fill("a ")),
        ("a period", fill("one two three four five six seven ")),
        ("lines", fill("one two three\n")),
        ("blank lines", fill("\n")),
        ("fibonacci", fibonacci.1),
        ("few words", words(&mut random, 2)),
        ("many words", words(&mut random, 1 << 12)),
        ("half and half", fill("x ")[..bytes / 2].to_owned() + &fill("x y ")[..bytes / 2]),
        ("nested", (1..).map(|i| format!("{}\n", "k v ".repeat(i % 40))).take(bytes / 90).collect()),
    ]
}

#[test]
fn steps_grow_with_the_text_and_its_logarithm() {
    for method in Method::ALL {
        for bytes in [6_000, 24_000] {
            for (name, text) in adversaries(bytes) {
                let (atoms, entries, steps) = phrases(&text, method, o200k());
                let n = atoms.ids.len();
                let most = n * (n.ilog2() as usize + 1) * 6;
                assert!(steps <= most, "{name}, {bytes} bytes, {method:?}: {steps} steps for {n} pieces");
                if !entries.is_empty() {
                    assert_eq!(
                        expand(&write(&atoms, entries, method)).as_deref(),
                        Some(text.as_str()),
                        "{name}"
                    );
                }
            }
        }
    }
}
