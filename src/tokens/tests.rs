//! The exact counters against the `tiktoken` crate, text by text.

use super::{Other, Tokenizer, Verbatim, counter};
use proptest::prelude::*;
use std::sync::LazyLock;
use tiktoken::CoreBpe;

static O200K: LazyLock<&CoreBpe> = LazyLock::new(|| tiktoken::get_encoding("o200k_base").unwrap());
static CL100K: LazyLock<&CoreBpe> = LazyLock::new(|| tiktoken::get_encoding("cl100k_base").unwrap());

/// The oracle does not fold U+017F in a contraction, as the published pattern does; `split` has the
/// tests of that against the pattern itself.
const FOLDED: &str = "'\u{17f}";

#[track_caller]
fn check(text: &str) {
    if text.contains(FOLDED) {
        return;
    }
    let shown = || text.chars().take(300).collect::<String>();
    assert_eq!(counter(Tokenizer::O200k).count(text), O200K.count(text), "o200k of {:?}", shown());
    assert_eq!(counter(Tokenizer::Cl100k).count(text), CL100K.count(text), "cl100k of {:?}", shown());
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
        let counter = counter(tokenizer);
        let by_line = counter.count_lines(text).unwrap();
        assert_eq!(by_line.total(), counter.count(text), "{} by lines of {:?}", counter.name(), shown());
    }
}

/// Lines of a text, some of them replaced by a marker, some changed since they were counted.
fn check_recount(text: &str, keep: &[bool], marker: &str, changed: bool) {
    let mut starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    let (mut out, mut verbatim) = (String::new(), Vec::new());
    let mut line = 0;
    while line + 1 < starts.len() {
        let kept = keep[line % keep.len()];
        let end =
            (line + 1..starts.len() - 1).find(|i| keep[i % keep.len()] != kept).unwrap_or(starts.len() - 1);
        match kept {
            true => {
                verbatim.push(Verbatim { at: out.len(), lines: line..end });
                out.push_str(&text[starts[line]..starts[end]]);
            }
            false => out.push_str(marker),
        }
        line = end;
    }
    if changed && out.is_ascii() && out.len() > 4 {
        let middle = out.len() / 2;
        out.replace_range(middle..middle + 1, "\n");
        out.push_str("more");
    }
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
        let counter = counter(tokenizer);
        let counts = counter.count_lines(text).unwrap();
        let other = Other { text, starts: &starts };
        assert_eq!(
            counter.recount(&out, &counts, other, &verbatim),
            counter.count(&out),
            "{text:?} as {out:?}"
        );
    }
}

/// Texts whose count is known from the published tokenizer, so that a wrong oracle is noticed.
#[test]
fn known_counts() {
    for (text, o200k, cl100k) in
        [("", 0, 0), ("hello world", 2, 2), ("tiktoken is great!", 6, 6), (" I'\u{17f}Vr", 3, 6)]
    {
        assert_eq!(counter(Tokenizer::O200k).count(text), o200k, "{text:?}");
        assert_eq!(counter(Tokenizer::Cl100k).count(text), cl100k, "{text:?}");
    }
}

#[test]
fn names_and_wire_names_agree() {
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Heuristic] {
        let wire = serde_json::to_value(tokenizer).unwrap();
        assert_eq!(wire, counter(tokenizer).name());
        assert_eq!(serde_json::from_value::<Tokenizer>(wire).unwrap(), tokenizer);
    }
    assert_eq!(Tokenizer::default(), Tokenizer::O200k);
}

const FIXED: &[&str] = &[
    " ",
    "  ",
    "\n",
    " \n ",
    "\r\n\r\n  \tx",
    "a\n\n\n   b",
    "trailing   ",
    "trailing\n   ",
    "trailing \t \n \t ",
    "<|endoftext|><|fim_prefix|> <|endofprompt|>",
    "don't DON'T we'Ll they'RE I'm'd 'sabc 'Sabc ''s x''s 'l 'v 'r 're'",
    "it \u{17f} \u{17f}a \u{17f} K'\u{212a}",
    "CamelCaseHTTPServer XMLHttpRequest2 iOS fooBAR FOOBar ÉCOLEÉcole",
    "\u{4e2d}\u{6587}ABC\u{4e2d}ABCabc A\u{4e2d}B\u{6587}C",
    "\u{301}ABC a\u{301}b \u{301}\u{301} (\u{301}foo \u{301}'s !!\u{301} A\u{301}B \u{301}A\u{301}B \u{301}1",
    "1234567 \u{660}\u{661}\u{662}\u{663} \u{b2}\u{b3}\u{bd} \u{2460} 3.14e-10 0x1F\u{ff11}\u{ff12}",
    "./path/to//file\n/next ... \n/// !!!\r\n/x a=/\n",
    "\u{a0}x\u{a0}\u{a0}y \u{3000}\u{3000}z \u{85}\u{85} q\u{2028}\u{2028}r\u{2029}\n\u{a0} \u{1680}\u{202f}!",
    "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} \u{1f3f3}\u{fe0f}\u{200d}\u{1f308} \u{2764}\u{fe0f} \u{1f1e9}\u{1f1ea}",
    "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}, \u{43c}\u{438}\u{440}! \u{3c0}\u{3b1}\u{3c1} \u{5e9}\u{5b8}\u{5dc}\u{5d5}\u{5b9}\u{5dd} \u{645}\u{631}\u{62d}\u{628}\u{627}",
    "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940} \u{e44}\u{e17}\u{e22}\u{e20}\u{e32}\u{e29}\u{e32} \u{d55c}\u{ad6d}\u{c5b4} \u{3072}\u{3089}\u{304c}\u{306a}\u{30ab}\u{30bf}\u{30ab}\u{30ca}\u{30fc}",
    "\0\u{1}\u{1b}[31mred\u{1b}[0m\u{7f}\u{fffd}\u{feff}\u{10ffff}\u{e000}",
    "    fn main() {\n        println!(\"{}\", x_1 != y->z && !a[i]);\n    }\n}\n",
    "{\"id\":12345,\"name\":\"caf\u{e9}\",\"ok\":true,\"v\":[1,2.5e3,null]}\n",
    "2024-05-06T07:08:09.123Z ERROR [pool-1] c.e.Foo - 4f2a9c e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
];

#[test]
fn fixed_texts() {
    for text in FIXED {
        check(text);
        for (cut, _) in text.char_indices() {
            check(&text[cut..]);
            check(&text[..cut]);
        }
    }
    for first in FIXED {
        for second in FIXED {
            check(&format!("{first}{second}"));
        }
    }
}

/// The source text of this very module is code with little in common with the lists above.
#[test]
fn source_text() {
    for text in [
        include_str!("tests.rs"),
        include_str!("merge.rs"),
        include_str!("split.rs"),
        include_str!("../../Cargo.toml"),
        include_str!("../../LICENSE"),
    ] {
        check(text);
    }
}

/// Lengths around each limit of the merger: the longest token, the array, the chunk.
#[test]
fn long_runs() {
    let mut units =
        vec!["a", "=", " ", "-", "ab", "aB", "\n", "\t", "x9", "/*", "\u{a0}", "\u{301}", "0", "the"];
    units.extend([
        "\u{4e2d}",
        "\u{4e2d}\u{6587}",
        "\u{1f600}",
        "\u{1f469}\u{200d}",
        "\u{430}",
        "qzjxkvw",
        "==-=-",
    ]);
    for unit in units {
        for bytes in
            [90, 96, 97, 100, 127, 128, 129, 130, 200, 1791, 2047, 2048, 2049, 2050, 4095, 4500, 9001]
        {
            let run = unit.repeat(bytes / unit.len() + 1);
            check(&run);
            check(&format!("x {run}b"));
        }
    }
}

/// A piece without spaces that does not repeat, so that each chunk is cut at another place.
#[test]
fn long_words() {
    let mut state = 1u64;
    for alphabet in [
        "abcdefghijklmnopqrstuvwxyz",
        "etaoinshr",
        "=-+*#_<>",
        "\u{4e00}\u{4eba}\u{5927}\u{5c0f}\u{7684}\u{4e86}",
    ] {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut word = String::new();
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word.push(letters[(state >> 33) as usize % letters.len()]);
        }
        check(&word);
    }
}

/// Characters of every class that the patterns distinguish, and characters with special folding or joining.
const ODD: &str = "[ -~\\n\\r\\t\u{0b}\u{0c}\u{1c}\u{85}\u{a0}\u{ad}\u{17f}\u{1c5}\u{2b0}\u{300}\u{301}\u{345}\u{488}\u{5d0}\u{660}\
    \u{6dd}\u{903}\u{a0}\u{1680}\u{180e}\u{200b}\u{200d}\u{2003}\u{2028}\u{2029}\u{202f}\u{2160}\u{2170}\u{24b6}\u{212a}\u{3000}\u{3005}\
    \u{3007}\u{3042}\u{30fc}\u{4e2d}\u{6587}\u{ac00}\u{fe0f}\u{feff}\u{ff21}\u{ff41}\u{ff11}\u{1d400}\u{1d7ce}\u{1f469}\u{1f3fd}\
    \u{20000}\u{e0100}\u{e9}\u{c9}\u{df}\u{43f}\u{41f}]{0,60}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ascii(text in "[\\x00-\\x7f]{0,80}") {
        check(&text);
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn lines_that_stand_elsewhere(
        text in "([ \\t]{0,3}[/.!a-c\u{e9}\u{a0}1]{0,6}(\\r?\n){1,2}){0,12}[ /a]{0,2}",
        keep in prop::collection::vec(any::<bool>(), 1..7),
        marker in "(\\[[a-z ]{0,8}\\]\n|/x\n|\n|[.]{1,2}\n)",
        changed in any::<bool>(),
    ) {
        check_recount(&text, &keep, &marker, changed);
    }

    #[test]
    fn odd_characters(text in ODD) {
        check(&text);
    }

    #[test]
    fn white_space(text in "[ \\t\\n\\r\u{a0}\u{85}\u{2028}\u{3000}a/.!1]{0,24}") {
        check(&text);
    }

    #[test]
    fn contractions(text in "([a-zA-Z\u{e9}\u{4e2d}\u{301} ]{0,3}['\u{2019}]{1,2}[sStTmMdDlLvVeErR]{0,3}[ a!']?){1,6}") {
        check(&text);
    }

    #[test]
    fn letters_and_marks(text in "[aZ\u{301}\u{300}\u{4e2d}\u{2b0}\u{1c5}\u{df}1 !']{0,16}") {
        check(&text);
    }

    #[test]
    fn code(text in "(( {0,9}|\\t{0,3})[a-zA-Z_][a-zA-Z0-9_]{0,12}(\\(|\\)|\\{|\\}|->|::|==|!=|;|, |\\.|\"|//|\\[|\\] = )[0-9a-fA-F]{0,9}(\r?\n){0,2}){1,8}") {
        check(&text);
    }

    #[test]
    fn scripts(text in "([\u{4e00}-\u{9fff}]{0,12}[\u{3040}-\u{30ff}]{0,8}[\u{ac00}-\u{d7a3}]{0,4}[\u{400}-\u{4ff} ]{0,12}[\u{900}-\u{97f}]{0,6}[\u{600}-\u{6ff}]{0,6}[\u{1f300}-\u{1faff}\u{200d}\u{fe0f}]{0,5}[,.\u{3002}\u{ff0c}]?){1,4}") {
        check(&text);
    }

    #[test]
    fn numbers(text in "([0-9\u{660}-\u{669}\u{b2}\u{2160}]{0,9}[-:.,TZx ]){1,8}") {
        check(&text);
    }

    #[test]
    fn runs(parts in prop::collection::vec(("[ -~\\n\\t\u{a0}\u{4e2d}\u{1f600}]{1,3}", 1usize..400), 1..4)) {
        check(&parts.iter().map(|(unit, times)| unit.repeat(*times)).collect::<String>());
    }
}
