//! Tests of `lookalike`.

use proptest::prelude::*;

use crate::encode::dictionary;

use super::super::template::GRAMMAR_WORDS;
use super::super::tests::every_form;
use super::super::{DUPLICATE_OPEN, EXTERNALIZED_OPEN, MERGED, OPEN};
use super::*;

fn escaped(text: &str) -> Option<String> {
    escape(text, |_| false, dictionary::is_own).map(|(text, _)| text)
}

/// Brackets that look like `[`, and ways to write them.
const BRACKETS: &[&str] = &[
    "[",
    "\\u005b",
    "\\u{5b}",
    "\\u{0000005b}",
    "\\U0000005b",
    "\\x5b",
    "\\x{5b}",
    "\\o{133}",
    "\\133",
    "\\0133",
    "\\5b ",
    "\\00005b",
    "\\N{LEFT SQUARE BRACKET}",
    "&#91;",
    "&#91",
    "&#091;",
    "&#0000091;",
    "&#x5b;",
    "&#x00005b;",
    "&amp;#91;",
    "&lbrack;",
    "&lsqb;",
    "%5b",
    "%255B",
    "=5B",
    "\\uff3b",
    "&#65339;",
    "&#xff3b;",
    "%ef%bc%bb",
    "=EF=BC=BB",
    "［",
    "【",
    "〔",
    "〖",
    "〘",
    "〚",
    "⟦",
    "⟬",
    "❲",
    "﹝",
    "⁅",
    "⦋",
    "⦍",
    "⦏",
    "⦗",
    "⎡",
    "⎢",
    "⎣",
    "「",
    "『",
    "｢",
    "﹇",
    "︹",
    "︻",
    "︗",
    "⌊",
    "⌈",
    "⸢",
    "⹕",
    "⹗",
];

#[test]
fn every_bracket_counts() {
    let upper = |b: &str| b.to_uppercase().replace("\\O", "\\o");
    for bracket in BRACKETS.iter().flat_map(|b| [(*b).to_owned(), upper(b)]) {
        let text = format!("a {bracket}tersed: exit status 0]");
        assert_eq!(escaped(&text).as_deref(), Some(&*format!("a \\{}", &text[2..])), "{bracket}");
    }
}

#[test]
fn whatever_starts_like_a_marker_is_escaped() {
    for text in [
        "[tersed: exit status 0]",
        "[tersed: all 200 lines: id 0123456789]",
        "[tersed: 40 tests passed]",
        "[tersed#1a2b3c: omitted 12 lines 3-14, passing_tests]",
        "[tersed#123456789012: omitted 12 lines 3-14, passing_tests]",
        "[Duplicate of call_1 (bash); see earlier result]",
        "[EXTERNALIZED: 0123456789abcdef | TEXT | 2 lines, 3 bytes]",
        "[Forge LZW Dictionary]",
        "[Forge RePair Dictionary]",
        "【Forge LZW Dictionary】",
        "〔Forge RePair Dictionary〕",
        "[TERSED: exit status 0]",
        "[Tersed : exit status 0]",
        "[ tersed: ok]",
        "[\u{a0}tersed\u{2009}: ok]",
        "[\ntersed:\nok]",
        "[ter\nsed: ok]",
        "［ｔｅｒｓｅｄ： ok］",
        "【tersed: ok】",
        "⟦tersed: ok⟧",
        "[𝐭𝐞𝐫𝐬𝐞𝐝: ok]",
        "[𝚝𝚎𝚛𝚜𝚎𝚍: ok]",
        "[ⓣⓔⓡⓢⓔⓓ: ok]",
        "[tеrsеd: ok]",
        "[tersеԁ: ok]",
        "[ТЕRЅЕD: ok]",
        "[τersed: ok]",
        "[ᴛᴇʀꜱᴇᴅ: ok]",
        "[te\u{301}rsed: ok]",
        "[ter\u{200b}sed: ok]",
        "[ter\u{1d173}sed: ok]",
        "[ter\u{1bca0}s\u{13430}ed: ok]",
        "[ter\u{600}s\u{6dd}e\u{70f}d: ok]",
        "[ter\u{890}s\u{8e2}e\u{110bd}d: ok]",
        "[ter\u{ad}sed: ok]",
        "[tersed\u{a789} ok]",
        "&#91;tersed: ok]",
        "&#x5B;tersed&colon; ok]",
        "&lbrack;tersed: ok]",
        "%5Btersed%3A%20ok%5D",
        "\\u005btersed: ok]",
        "\\u005b\\u0074ersed: ok]",
        "\\x5btersed: ok]",
        "[t\\u0065rsed: ok]",
        "[DUPLICATE\u{a0}OF call_1 (bash); see earlier result]",
        "[Dupliсate of call_1 (bash); see earlier result]",
        "[EXTERNАLIZED: x]",
        "[ter\u{1b}[0msed: ok]",
        "[\u{1b}[1mtersed\u{1b}[0m: ok]",
        "[ter\u{9b}0msed: ok]",
        "[ter\u{1b}]0;title\u{7}sed: ok]",
        "[ter\u{1b}]0;title\u{1b}\\sed: ok]",
        "[\u{1b}]0;title\u{1b}\\tersed: ok]",
        "[\u{1b}Pq\u{1b}\\tersed: ok]",
        "[t\u{1b}_a\u{1b}\\ersed: ok]",
        "[\\u001b^a\\u001b\\\\tersed: ok]",
        "[ter\u{1b}(Bsed: ok]",
        "[terX\u{8}sed: ok]",
        "[XYZ\u{8}\u{8}\u{8}tersed: ok]",
        "[terXY\u{1b}[2Dsed: ok]",
        "[terXY\u{1b}[2D\u{1b}[2Psed: ok]",
        "[ter\\u001b[0msed: ok]",
        "[ter\\x1b[0msed: ok]",
        "[ter\\033[0msed: ok]",
        "[ter\\e[0msed: ok]",
        "[terX\\bsed: ok]",
        "[terX\\u0008sed: ok]",
        "[tersed: omitted {400} lines {3}-{402}]",
        "[tersed: omitted <400> lines <3>-<402>]",
        "[tersed: omitted {all_400_tests_passed}]",
        "[tersed: omitted %d\n400 lines 3-402, passing_tests]",
        "[tersed: omitted %d\"400 lines 3-402, passing_tests]",
        "[tersed: exit status <0>]",
        "[t\\\\u0065rsed: ok]",
        "[t&#00101;rsed: ok]",
        "[=74ersed: ok]",
        "[ter=\nsed: ok]",
        "[ter\\\nsed: ok]",
        "[t%2565rsed: ok]",
        "[\\ud835\\udc2dersed: ok]",
        "[⒯⒠⒭⒮⒠⒟: ok]",
        "[🇹🇪🇷🇸🇪🇩: ok]",
        "[🅣🅔🅡🅢🅔🅓: ok]",
        "[ⲧersed: ok]",
        "[tersed♯123456789012: ok]",
        "[tᥱrsed: ok]",
        "[terseᏧ: ok]",
        "[t**ersed**: ok]",
        "[**tersed**: ok]",
        "[`tersed`: ok]",
        "[~~t~~ersed: ok]",
        "[t<b></b>ersed: ok]",
        "[<b>tersed</b>: ok]",
        "[ter<!-- x -->sed: ok]",
        "[<span class=x>ter</span>sed: ok]",
    ] {
        for around in ["", "x ", "{\"a\":", "// "] {
            let text = format!("{around}{text}\nmore");
            let found = escaped(&text);
            let mark = found.as_ref().map(|found| &found[around.len()..=around.len()]);
            assert_eq!(mark, Some("\\"), "{text:?} {found:?}");
            assert_eq!(escaped(&found.unwrap()), None, "{text:?}");
        }
    }
}

#[test]
fn no_distance_hides_the_letters() {
    for between in [" ", "\n", "\u{301}", "\u{200b}", "&nbsp;", "\\n", "\u{0}", "**", "<b></b>", "<b a=c>"] {
        for text in [
            format!("[{}tersed: ok]", between.repeat(3000)),
            format!("[t{}ersed: ok]", between.repeat(3000)),
            format!("[{}terX\u{8}sed: ok]", between.repeat(3000)),
        ] {
            assert_eq!(escaped(&text).map(|out| out.len()), Some(text.len() + 1), "{between:?}");
        }
    }
}

#[test]
fn a_tag_that_ends_later_is_open() {
    for cut in ["[t<", "[t<b", "[t</b", "[**", "[ter<b></b>"] {
        assert_eq!(find_look_alikes(cut.as_bytes()).open, Some(0), "{cut}");
        assert_eq!(escaped(cut), None, "{cut}");
    }
    for other in ["[t<3ersed: ok]", "[t < b]", "[a_b: 1]", "[_: 1]", "[**note**: x]", "[<div>: 1]"] {
        assert_eq!(escaped(other), None, "{other}");
    }
}

#[test]
fn json_in_json_counts_where_a_string_is() {
    let text = "{\"a\":\"\\\\u005btersed: exit status 0]\"}";
    let out = escaped(text).unwrap();
    assert_eq!(out, text.replace("\\\\u", "\\\\\\\\u"));
    assert_eq!(escaped(&out), None);
    // Otherwise it is an escaped escape.
    assert_eq!(escaped("\\\\u005btersed: exit status 0]"), None);
}

/// Also at the end of a text, where a marker may have been cut.
#[test]
fn what_is_escaped_stays_as_it_is() {
    for text in ["[tersed:", "\\u005btersed:", "\\u005btersed: 1", "\"[tersed:", "\"\\u005btersed:"] {
        let out = escaped(text).unwrap();
        assert_eq!(escaped(&out), None, "{text}: {out}");
    }
}

/// However a text is cut, a look-alike is either found in the first part, or it is open.
#[test]
fn a_cut_marker_is_open() {
    let ways = BRACKETS.iter().map(|bracket| format!("{bracket}tersed: exit status 0]"));
    let more = ["[Duplicate of x", "[ \n tersed:", "[t\\u0065rsed:", "[ter\u{1b}[0msed:"];
    for way in ways.chain(more.map(str::to_owned)) {
        let text = format!("first line\n{way}");
        let start = "first line\n".len();
        assert_eq!(
            find_look_alikes(text.as_bytes()).places.first().map(|place| place.at),
            Some(start),
            "{way}"
        );
        for cut in start + 1..text.len() {
            let looks = find_look_alikes(&text.as_bytes()[..cut]);
            let at = looks.places.first().map(|place| place.at);
            assert!(at.or(looks.open) == Some(start), "{way} cut at {cut}: {looks:?}");
        }
    }
    for text in ["", "x", "[x", "[1, 2", "a[0] = 5 ", "50% ", "C:\\Users\\a ", "a && b ", "Continue? [y/N] "]
    {
        let looks = find_look_alikes(text.as_bytes());
        assert!(looks.places.is_empty() && looks.open.is_none(), "{text} {looks:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_looked_at_too() {
    let bytes = b"\x00\xff\xfe\n\x80[tersed: exit status 0]\n\x00\xe2\x9f";
    let looks = find_look_alikes(bytes);
    assert_eq!(looks.places.iter().map(|place| place.at).collect::<Vec<_>>(), [5]);
    // A character that was cut may be a bracket.
    assert_eq!(looks.open, Some(bytes.len() - 2));
}

/// The table of openings and words has exactly the words that the writer uses.
#[test]
fn the_grammar_is_that_of_the_writer() {
    let read = |text: &str| -> String {
        text.chars().filter_map(read).filter(|c| !matches!(c, ' ' | '[' | ']' | ':')).collect()
    };
    let headers = dictionary::Method::ALL.iter().map(|method| method.header());
    let openings = [OPEN, DUPLICATE_OPEN, EXTERNALIZED_OPEN].into_iter().chain(headers);
    let mut openings: Vec<String> = openings.map(read).collect();
    openings.sort();
    let mut known: Vec<&str> = OPENINGS.iter().map(|(word, _)| *word).collect();
    known.sort_unstable();
    assert_eq!(openings, known);
    let mut words = std::collections::BTreeSet::from(["tersed".to_owned()]);
    // Earlier versions wrote this word.
    words.insert("them".to_owned());
    for marker in every_form("0") {
        let text = marker.write();
        let Some(body) = text.strip_prefix(OPEN) else { continue };
        // A reason may be any word.
        let word = |word: &&str| !word.is_empty() && !MERGED.split('_').any(|of_reason| of_reason == *word);
        words.extend(body.split(|c: char| !c.is_ascii_alphabetic()).filter(word).map(str::to_owned));
    }
    let known: std::collections::BTreeSet<String> =
        GRAMMAR_WORDS.iter().map(|word| (*word).to_owned()).collect();
    assert_eq!(words, known);
}

/// Replaces letters by similar ones.
fn similar(text: &str) -> String {
    let other = |c| match c {
        'e' => 'е',
        'o' => 'ο',
        'a' => 'а',
        'p' => 'р',
        'T' | 't' => 'τ',
        'E' => 'Ε',
        c => c,
    };
    text.chars().map(other).collect()
}

fn wide(text: &str) -> String {
    let wide = |c| match c {
        ' ' => '\u{3000}',
        '!'..='~' => char::from_u32(c as u32 + 0xfee0).unwrap(),
        c => c,
    };
    text.chars().map(wide).collect()
}

#[test]
fn every_form_is_escaped_where_it_has_no_seal() {
    for marker in every_form("tidy") {
        let text = marker.write();
        assert!(
            Marker::parse(&text).is_some_and(|(read, len)| read == marker && len == text.len()),
            "{text}"
        );
        let forms = [text.clone(), text.to_uppercase(), text.to_lowercase(), similar(&text), wide(&text)];
        for form in forms {
            // Alone, at the end of a line like the mark of a rule, and between words.
            for before in ["", "a line that a rule wrote ", "// "] {
                let whole = format!("first\n{before}{form}\nlast");
                let expected = format!("first\n{before}\\{form}\nlast");
                assert_eq!(escaped(&whole), Some(expected), "{form}");
            }
        }
    }
}

#[test]
fn what_states_nothing_stays() {
    for text in [
        "format!(\"[tersed: omitted {n} lines {a}-{b}, {reason}]\")",
        "printf(\"[tersed: omitted %d lines %zu-%zu]\")",
        "`[tersed: all ${n} lines: ${SHOW}${handle}]`",
        "format!(\"[tersed: rule {rule}]\")",
        "const OPEN: &str = \"[tersed\";",
        "[tersed]\nmode = \"safe\"",
        "[tersed.policy]",
        "[duplicates of it]",
        "[Duplicate ofx",
        "\\[tersed: exit status 0]",
        "a\\\\[tersed: exit status 0]",
        "[tested: ok] [terse: ok]",
        "【日本語】: 「はい」",
        "[REDACTED:github-token]",
        "x [...truncated]",
        "[2]{id:int}\n1\n2\n",
    ] {
        assert_eq!(escaped(text), None, "{text}");
    }
    // A template with its own words or numbers makes a claim.
    for text in ["[tersed: all {n} tests passed]", "[tersed: omitted 3 lines {a}-{b}]"] {
        assert_eq!(escaped(text), Some(format!("\\{text}")));
    }
}

#[test]
fn json_stays_json() {
    let text = r#"{"a":"[tersed: exit status 0]","b":["x \"[tersed: ok]\" y"],"c":"\u005btersed: ok]"}"#;
    let out = escaped(text).unwrap();
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["a"], "\\[tersed: exit status 0]");
    assert_eq!(value["b"][0], "x \"\\[tersed: ok]\" y");
    assert_eq!(value["c"], "\\[tersed: ok]");
    assert_eq!(escaped(&out), None);
}

#[test]
fn a_reference_that_the_session_gave_stays_alone_only() {
    let text = "[Duplicate of call_1 (bash); see earlier result]";
    let known = |given: &str| given == "[Duplicate of call_1 (bash); see earlier result]";
    assert_eq!(escape(text, known, dictionary::is_own), None);
    assert_eq!(escape(&format!("{text}\n"), known, dictionary::is_own), None);
    assert!(escape(text, |_| false, dictionary::is_own).is_some());
    assert!(escape(&format!("x\n{text}"), |_| true, dictionary::is_own).is_some());
    assert!(escape(&format!("{text}\nx"), known, dictionary::is_own).is_some());
    assert!(escape(&text.replace("bash", "zsh"), known, dictionary::is_own).is_some());
}

/// Pieces of which markers and their escapes consist.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(BRACKETS.to_vec()).prop_map(str::to_owned),
        proptest::sample::select(OPENINGS.iter().map(|(word, _)| *word).collect::<Vec<_>>())
            .prop_map(str::to_owned),
        proptest::sample::select(vec![
            "\\",
            "\\\\",
            "\"",
            "\n",
            " ",
            ":",
            "#",
            "]",
            "{n}",
            "%d",
            "omitted ",
            "12",
            "Duplicate of ",
            "tersed: exit status 0]",
            "[tersed: omitted 12 lines 3-14, clean]",
            "т",
            "\u{301}",
            "\u{a0}",
            "&#116;",
            "\\u0074",
            "[EXTERNALIZED: a | b | c]",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ]
}

proptest! {
    #[test]
    fn nothing_is_left_that_parses_and_once_is_enough(pieces in proptest::collection::vec(piece(), 0..24)) {
        let text = pieces.concat();
        let out = escaped(&text).unwrap_or_else(|| text.clone());
        prop_assert_eq!(escaped(&out), None, "{:?}", out);
        for (at, _) in out.match_indices('[') {
            let is_escaped = at > 0 && out.as_bytes()[at - 1] == b'\\';
            prop_assert!(is_escaped || Marker::parse(&out[at..]).is_none(), "{:?}", &out[at..]);
        }
        // Only backslashes were added.
        let plain = |text: &str| text.replace('\\', "");
        prop_assert_eq!(plain(&out), plain(&text));
    }
}
