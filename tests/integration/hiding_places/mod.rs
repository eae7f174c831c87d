//! The table of hiding places: values of every rule, each in every place where tools leave them. Prints how many are
//! found, and fails if a place falls below its required share.
//! `cargo test --test integration hiding_places -- --nocapture` shows the table.
//!
//! A value counts as found if no part of it is left, neither plain nor encoded.

mod codings;
mod places;
mod values;

use places::{Hidden, PLACES};
use std::collections::BTreeMap;
use tersed::sanitize;
use tersed::sanitize::spare::Spare;
use tersed::sanitize::{How, Raw, Sanitized};
use tersed::text::marker::SealKey;

/// The text as the safe stage gives it, without settings.
fn run(text: &str) -> Sanitized {
    let (key, spare) = (SealKey::default(), Spare::nothing());
    let how = How {
        redact: true,
        keeps_terminal: false,
        key: &key,
        spare: &spare,
        is_ours: &|_| false,
        is_dictionary: |_| false,
    };
    sanitize::run(Raw::Text(text), how).unwrap()
}

/// Whether a part of the value is still to be read.
fn leaks(hidden: &Hidden) -> bool {
    let out = run(&hidden.text);
    let shown =
        [Some(out.text.to_string()), out.original].map(|text| text.map(|text| without_placeholders(&text)));
    shown.iter().flatten().any(|shown| {
        hidden.parts.iter().any(|part| {
            let bytes = part.as_bytes();
            let width = hidden.width.min(bytes.len());
            width > 2 && bytes.windows(width).any(|w| memchr::memmem::find(shown.as_bytes(), w).is_some())
        })
    })
}

/// Names of rules hold words of the values that they are for.
fn without_placeholders(text: &str) -> String {
    let mut pieces = text.split("[REDACTED:");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push('\u{0}');
        out.push_str(piece.split_once(']').map_or(piece, |(_, rest)| rest));
    }
    out
}

#[test]
fn values_are_found_wherever_they_hide() {
    let cases = values::cases();
    assert!(cases.len() >= 500, "{} values", cases.len());
    // The name of a place of which the texts that are missed are shown.
    let show = std::env::var("HIDING_PLACE").ok();
    let mut low = Vec::new();
    let mut rules: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    println!("{:<44} {:>7} {:>7} {:>8} {:>6}", "place", "values", "found", "recall", "least");
    for place in PLACES {
        let (mut all, mut missed) = (0usize, Vec::new());
        for case in &cases {
            let Some(hidden) = (place.hide)(case) else { continue };
            all += 1;
            let counts = rules.entry(&case.rule).or_default();
            counts.0 += 1;
            if leaks(&hidden) {
                missed.push(case.rule.as_str());
                if show.as_deref() == Some(place.name) {
                    let out = run(&hidden.text);
                    println!("--- {}\n{}\n--- shown as\n{}", case.rule, hidden.text, out.text);
                }
            } else {
                counts.1 += 1;
            }
        }
        assert!(all >= 50, "{}: {all} values", place.name);
        let found = all - missed.len();
        let recall = found as f64 * 100.0 / all as f64;
        println!("{:<44} {all:>7} {found:>7} {recall:>7.1}% {:>5}%", place.name, place.least);
        missed.dedup();
        if !missed.is_empty() {
            println!("    missed: {}", missed.join(" "));
        }
        if recall < place.least as f64 {
            low.push(format!("{}: {recall:.1} % of {} %", place.name, place.least));
        }
    }
    println!("\nrules below 90 % over all places:");
    for (rule, (all, found)) in rules {
        if found * 10 < all * 9 {
            println!("{rule:<44} {all:>7} {found:>7} {:>7.1}%", found as f64 * 100.0 / all as f64);
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}

/// Texts in every coding that hold no secret.
#[test]
fn what_is_no_secret_stays() {
    const TEXTS: &[&str] = &[
        "The quick brown fox jumps over the lazy dog, twice a day, and rests on Sundays.",
        "fn login(user: &str, password: &str) -> Result<Token, Error> {",
        "commit 8b1118b376c313ed420e5133ba91307817ed52c2",
        "    \"integrity\": \"sha512-q1w2e3r4t5y6u7i8o9p0q1w2e3r4t5y6u7i8o9p0Aa==\",",
        "request_id=3f2504e0-4f89-41d3-9a0c-0305e82c3301 status=200 tokens=1834",
        "def test_password_is_required(self): assert form.errors['password']",
        "password: str = Field(..., description='at least 8 characters')",
        "GET /login?next=%2Fhome%3Ftab%3D1&lang=en HTTP/1.1",
        "| name | type | required |\n| --- | --- | --- |\n| password | string | yes |\n| token | string | no |",
        "user,password_hash,role\nada,none,admin\nbob,none,guest",
    ];
    let mut wrong = Vec::new();
    for text in TEXTS {
        for place in PLACES {
            let case = values::Case::of("none", "", text, "");
            let Some(hidden) = (place.hide)(&case) else { continue };
            let out = run(&hidden.text);
            if !out.redactions.is_empty() {
                wrong.push(format!("{}: {:?}\n{}", place.name, out.redactions, hidden.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// JSON is still JSON after secrets are removed from its strings.
#[test]
fn json_stays_json() {
    let mut wrong = Vec::new();
    for case in values::cases() {
        let line = case.line();
        let nested = serde_json::json!({ "output": line, "more": [line, { "kind": "x" }] }).to_string();
        for json in [nested.clone(), serde_json::json!({ "body": nested }).to_string()] {
            let out = run(&json);
            if serde_json::from_str::<serde_json::Value>(&out.text).is_err() {
                wrong.push(format!("{}: {}", case.rule, out.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Redacted text is not redacted again, in any place.
#[test]
fn redacting_again_changes_nothing() {
    let mut wrong = Vec::new();
    for case in values::cases().iter().step_by(3) {
        for place in PLACES {
            let Some(hidden) = (place.hide)(case) else { continue };
            let (once, _) = sanitize::redact_only(&hidden.text).unwrap();
            let (twice, counts) = sanitize::redact_only(&once).unwrap();
            if once != twice {
                wrong.push(format!("{} {} {counts:?}\n{once}\n{twice}", case.rule, place.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n\n"));
}
