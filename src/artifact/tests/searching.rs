//! Searching: every matching line is counted and can be reached.

use super::*;
use crate::artifact::body::BLOCK;
use crate::artifact::search::LINE_BYTES;

fn search(text: &str, pattern: &str, options: &SearchOptions) -> Result<SearchResult, AccessError> {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, None, text.as_bytes());
    store.search(None, &id, pattern, options)
}

fn lines(result: &SearchResult) -> Vec<u64> {
    result.matches.iter().map(|found| found.line).collect()
}

#[test]
fn a_match_has_its_place_and_its_neighbours() {
    let text = "one\r\ntwo\r\nthree\r\nfour\r\nfive";
    let result = search(text, "^t.*e$", &SearchOptions { context: 2, ..Default::default() }).unwrap();
    let beside = |line, text: &str| ContextLine { line, text: text.to_owned(), cut: false };
    let expected = Match {
        line: 3,
        column: 1,
        text: "three".to_owned(),
        text_column: 1,
        cut: false,
        before: vec![beside(1, "one"), beside(2, "two")],
        after: vec![beside(4, "four"), beside(5, "five")],
    };
    assert_eq!(
        result,
        SearchResult { matches: vec![expected], total_matches: 1, next_cursor: None, late: false }
    );
}

#[test]
fn the_options_change_what_matches() {
    let text = "a.b\nA.B\naxb\n";
    let with = |pattern: &str, fixed, ignore_case| {
        lines(&search(text, pattern, &SearchOptions { fixed, ignore_case, ..Default::default() }).unwrap())
    };
    assert_eq!(with("a.b", false, false), [1, 3]);
    assert_eq!(with("a.b", true, false), [1]);
    assert_eq!(with("a.b", true, true), [1, 2]);
    assert_eq!(with("a.b", false, true), [1, 2, 3]);
    assert_eq!(with("", false, false), [1, 2, 3]);
    assert_eq!(with("b$", false, false), [1, 3]);
    assert_eq!(with(r"\Aa", false, false), [1, 3]);
}

#[test]
fn a_match_never_spans_lines() {
    assert_eq!(search("a\nb\n", r"a\s*b", &SearchOptions::default()).unwrap().total_matches, 0);
    assert_eq!(search("a\nb\n", "a\nb", &SearchOptions::default()).unwrap_err().code(), "pattern_invalid");
}

#[test]
fn pages_cover_all_matches_once() {
    let text = numbered(3 * BLOCK);
    let all: Vec<_> = text.lines().collect();
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, None, text.as_bytes());
    let expected: Vec<_> =
        text.lines().zip(1_u64..).filter(|(line, _)| line.ends_with('7')).map(|(_, n)| n).collect();
    for (max_matches, max_bytes) in [(7, 1 << 20), (10_000, 1 << 20), (500, 1_000), (3, 1)] {
        let mut options = SearchOptions { max_matches, max_bytes, context: 20, ..Default::default() };
        let mut seen = Vec::new();
        for _ in 0..20 {
            let page = store.search(None, &id, "7$", &options).unwrap();
            assert!(page.matches.len() <= max_matches.min(500));
            assert!(!page.matches.is_empty());
            assert_eq!(page.total_matches, expected.len() as u64);
            for found in &page.matches {
                for line in found.before.iter().chain(&found.after) {
                    assert_eq!(line.text, all[line.line as usize - 1]);
                }
                assert_eq!(found.text, all[found.line as usize - 1]);
            }
            seen.extend(lines(&page));
            options.cursor = page.next_cursor;
            if options.cursor.is_none() {
                break;
            }
        }
        assert!(seen.len() > 3 && expected.starts_with(&seen), "{max_matches} {max_bytes}");
        assert_eq!(options.cursor.is_none(), seen.len() == expected.len());
    }
}

#[test]
fn the_last_page_is_the_last() {
    let text = "x\ny\nx\ny\nx\n";
    let mut options = SearchOptions { max_matches: 2, ..Default::default() };
    let first = search(text, "x", &options).unwrap();
    assert_eq!((lines(&first), first.total_matches), (vec![1, 3], 3));
    options.cursor = first.next_cursor;
    let last = search(text, "x", &options).unwrap();
    assert_eq!((lines(&last), last.total_matches, last.next_cursor), (vec![5], 3, None));
}

#[test]
fn a_long_line_is_cut_around_the_match() {
    let text = format!("short\n{}needle{}\nend", "é".repeat(BLOCK), "漢".repeat(BLOCK));
    let result = search(&text, "needle|end", &SearchOptions { context: 1, ..Default::default() }).unwrap();
    let long = text.lines().nth(1).unwrap();
    let found = &result.matches[0];
    assert_eq!((found.line, found.column, found.cut), (2, 2 * BLOCK as u64 + 1, true));
    assert!(found.text.contains("needle") && found.text.len() as u64 <= LINE_BYTES);
    let from = found.text_column as usize - 1;
    assert_eq!(found.text, long[from..from + found.text.len()]);
    let before = &result.matches[1].before[0];
    assert!(before.cut && long.starts_with(&before.text) && !before.text.is_empty());
}

#[test]
fn bad_questions_are_named() {
    let error = search("a", "fo(o", &SearchOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "pattern \"fo(o\": unclosed group");
    let error = search("a", r"(\pL{1000}){100}", &SearchOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "pattern \"(\\\\pL{1000}){100}\": it compiles to more than 524288 bytes");
    let error = search("a", &"x".repeat(5_000), &SearchOptions::default()).unwrap_err();
    assert!(error.to_string().len() < 400 && error.code() == "pattern_invalid");
    for cursor in ["l0", "l9", "b1", "l", "", "l+1"] {
        let options = SearchOptions { cursor: Some(cursor.to_owned()), ..Default::default() };
        assert_eq!(search("a\nb", "a", &options).unwrap_err().code(), "cursor_invalid", "{cursor}");
    }
    let none = SearchOptions { max_matches: 0, ..Default::default() };
    assert_eq!(search("a", "a", &none).unwrap_err(), AccessError::EmptyPage { setting: "maxMatches" });
    let (mut store, _root) = store(Limits::default());
    let media = Media::Binary("image/png".to_owned());
    let id = store.put(None, b"png", Meta { media, ..meta("shot") }, Duration::ZERO).unwrap().id;
    let refused = store.search(None, &id, "p", &SearchOptions::default()).unwrap_err();
    assert_eq!(refused.to_string(), "the artifact is \"image/png\", not text: it has no lines");
}

#[test]
fn a_search_stops_when_nobody_wants_it() {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, None, numbered(3 * BLOCK).as_bytes());
    let artifact = store.open(None, &id).unwrap();
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == 2
    };
    let stopped = artifact.search("x", &SearchOptions::default(), &stop, &|| false).unwrap_err();
    assert_eq!(stopped, AccessError::Stopped);
}

/// All pages, each of which is late after it was asked `patience` times.
fn pages_in_haste(text: &str, pattern: &str, patience: usize) -> (Vec<(u64, u64)>, u64, usize) {
    let (mut store, _root) = store(Limits { inline_bytes: 1 << 10, ..Limits::default() });
    let id = put(&mut store, None, text.as_bytes());
    let artifact = store.open(None, &id).unwrap();
    let mut options = SearchOptions { max_matches: 500, max_bytes: 1 << 20, ..Default::default() };
    let (mut found, mut pages) = (Vec::new(), 0);
    loop {
        let asked = std::cell::Cell::new(0);
        let late = || {
            asked.set(asked.get() + 1);
            asked.get() > patience
        };
        let page = artifact.search(pattern, &options, &|| false, &late).unwrap();
        pages += 1;
        found.extend(page.matches.iter().map(|m| (m.line, m.column)));
        assert!(page.next_cursor.is_some() || !page.late);
        if page.next_cursor.is_none() {
            return (found, page.total_matches, pages);
        }
        options.cursor = page.next_cursor;
    }
}

#[test]
fn a_search_that_is_late_gives_what_it_has_and_goes_on() {
    let long = format!("{}needle{}", "a".repeat(3 * BLOCK), "b".repeat(2 * BLOCK));
    let text = format!("{}{long}\n{}", numbered(4 * BLOCK), numbered(BLOCK));
    for pattern in ["needle", "^.*5\\b"] {
        let (all, total, once) = pages_in_haste(&text, pattern, usize::MAX);
        for patience in [0, 7] {
            let (found, counted, pages) = pages_in_haste(&text, pattern, patience);
            assert_eq!((&found, counted), (&all, total), "{pattern}");
            assert!(pages > once, "{pattern} {patience}");
        }
    }
}

#[test]
fn a_line_without_an_end_is_searched_in_steps() {
    let text = "x".repeat(8 * BLOCK);
    let steps = std::cell::Cell::new(0);
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, None, text.as_bytes());
    let stop = || {
        steps.set(steps.get() + 1);
        false
    };
    let artifact = store.open(None, &id).unwrap();
    artifact.search("y", &SearchOptions::default(), &stop, &|| false).unwrap();
    assert!(steps.get() > 30, "{}", steps.get());
}
