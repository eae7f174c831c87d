//! Holds the layers to what they say: what they undo, the way back, and the work that they do.

use super::*;
use crate::sanitize::secrets::{find, redact};

/// Secrets are put together here, so that none stands in this file.
fn token() -> String {
    ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn the_coded_stretch_goes_and_the_rest_stays() {
    let token = token();
    let percent: String = token.bytes().map(|b| format!("%{b:02X}")).collect();
    let shown = |text: String| redact(&text).map_or(text, |r| r.text);
    assert_eq!(shown(format!("q=1&t={percent}&x=2")), "q=1&t=[REDACTED:github-pat]&x=2");
    let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
    assert_eq!(shown(format!("{{\"a\": \"{escaped}\"}}")), "{\"a\": \"[REDACTED:github-pat]\"}");
    let cut = token.replacen("16C7", "16\u{1b}[1mC7", 1);
    assert_eq!(shown(format!("<{cut}>\n")), "<[REDACTED:github-pat]>\n");
    let coded = ::base64::Engine::encode(&::base64::prelude::BASE64_STANDARD, format!("a: {token}\n..."));
    assert_eq!(shown(format!("data: {coded}\nend\n")), "data: [REDACTED:github-pat]\nend\n");
    let joined = format!("x = \"{}\" +\n  \"{}\"\n", &token[..12], &token[12..]);
    assert_eq!(shown(joined), "x = \"[REDACTED:github-pat]\"\n");
}

#[test]
fn a_text_without_triggers_gives_no_view() {
    let text = "A line of text.\nAnother one: with a colon, and words.\n".repeat(50);
    assert_eq!(work(text.as_bytes()), 0);
    // Coded things that are near nothing that a rule looks for.
    let text = "x = \"a\\n\\tb\" % c;\n12: <b>bold</b> &amp; more\nthe tokens, tokenize(a)\n--- PASS: a\n"
        .repeat(50);
    assert_eq!(work(text.as_bytes()), 0);
}

#[test]
fn units_that_are_long_and_close_are_undone_once() {
    let token = token();
    for len in [20, 200, 250, 256, 300, 480] {
        for piece in [8, 3, 1] {
            let tag = format!("<span class=\"{}\">", "c".repeat(len));
            let pieces: Vec<&str> =
                token.as_bytes().chunks(piece).map(|p| std::str::from_utf8(p).unwrap()).collect();
            let text = format!("<p>first</p>\n{}\nlast", pieces.join(&tag));
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert_eq!(out, "<p>first</p>\n[REDACTED:github-pat]\nlast", "{len} {piece}");
        }
        let words = format!("a<b class=\"{}\">b</b>", "c".repeat(len)).repeat(40);
        assert_eq!(redact(&words), None);
    }
}

/// Bytes that all layers give for a text, at all depths.
fn work(text: &[u8]) -> usize {
    let table = crate::sanitize::secrets::table::table().unwrap();
    let limit = text.len().saturating_mul(WORK_PER_BYTE).max(MIN_WORK_BYTES);
    let mut work = limit;
    search(table, text, ALL, &mut work);
    limit - work
}

#[test]
fn work_is_bounded_by_the_bytes() {
    let triggers = [
        "%41",
        "\\u0041",
        "\\n",
        "&amp;",
        "&#x41;",
        "<span>",
        "<span ",
        "=41",
        "=3D",
        "=\n",
        "\u{1b}[0m",
        "a\u{8}a",
        "\u{200b}",
        "12: a\n",
        "a.b-1-",
        "+a\n",
        "QUFBQUFBQUFBQUFBQUFBQUFB",
        "00000000: 4141 4141  AAAA\n",
        "0x41, ",
        "'a', ",
        "password,a\n",
        "| password | a |\n",
        "\" + \"",
        "\\\n",
        ": >-\n",
        "2026-03-01 12:00:00 INFO ",
        "gh\u{70}_ab cd ",
        "[",
        "- ",
    ];
    for trigger in triggers {
        let small = work(trigger.repeat((64 << 10) / trigger.len()).as_bytes());
        let large = work(trigger.repeat((256 << 10) / trigger.len()).as_bytes());
        assert!(large <= WORK_PER_BYTE * (256 << 10), "{trigger:?}: {large}");
        assert!(large <= 5 * small + MIN_WORK_BYTES, "{trigger:?}: {small} {large}");
        for other in triggers {
            let both = [trigger, other].concat();
            let text = both.repeat((32 << 10) / both.len());
            let found = find(text.as_bytes());
            assert!(found.iter().all(|f| f.end <= text.len()), "{both:?}");
        }
    }
}

#[test]
fn a_view_leads_back_to_all_bytes_of_a_unit() {
    let mut view = View::default();
    let text = b"ab%41%42cd";
    view.copy(text, 0..2);
    view.stand(b"A", 2..5);
    view.stand(b"B", 5..8);
    view.copy(text, 8..10);
    assert_eq!(view.bytes(), b"abABcd");
    assert_eq!(view.source(&(1..3)), 1..5);
    assert_eq!(view.source(&(3..6)), 5..10);
    assert_eq!(view.source(&(4..5)), 8..9);
}
