//! Reading back: pages are exact, ranges are checked, sessions are apart.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::*;
use crate::artifact::body::BLOCK;

/// All pages of a question.
fn pages(store: &mut Store, id: &str, ranges: &[LineRange], max_bytes: usize) -> Vec<ReadResult> {
    let mut page = Page { max_bytes, cursor: None };
    let mut all = Vec::new();
    loop {
        let result = store.read(Some("s"), id, ranges, &page).unwrap();
        page.cursor.clone_from(&result.next_cursor);
        all.push(result);
        if page.cursor.is_none() {
            return all;
        }
    }
}

fn joined(pages: &[ReadResult]) -> String {
    pages.iter().map(|page| page.text.as_str()).collect()
}

fn range(start: u64, end: u64) -> LineRange {
    LineRange { start, end }
}

/// The same question answered by cutting the whole text, as the oracle.
fn expected(text: &str, wanted: impl Fn(u64) -> bool) -> String {
    text.split_inclusive('\n').zip(1..).filter(|(_, line)| wanted(*line)).map(|(text, _)| text).collect()
}

fn awkward_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("\0".to_owned()),
        Just("é".to_owned()),
        Just("漢字".to_owned()),
        Just("🦀".to_owned()),
        "[a-z ]{1,30}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn pages_are_the_original(text in awkward_text(), max in 1_usize..80, packed in any::<bool>()) {
        let inline_bytes = if packed { 0 } else { 1 << 20 };
        let (mut store, _root) = store(Limits { inline_bytes, ..Limits::default() });
        let id = put(&mut store, Some("s"), text.as_bytes());
        let pages = pages(&mut store, &id, &[], max);
        prop_assert_eq!(joined(&pages), &text[..]);
        for page in &pages {
            prop_assert!(page.text.len() <= max.max(4));
            prop_assert!(page.text.len() <= max || page.text.chars().count() == 1);
            prop_assert!(!page.text.is_empty() || text.is_empty());
            prop_assert_eq!(page.total_bytes, text.len() as u64);
            prop_assert_eq!(page.total_lines, text.split_inclusive('\n').count() as u64);
        }
        // Each page names the lines of its bytes: its first and last byte lie in the first and last of them.
        let mut offset = 0;
        for page in pages.iter().filter(|page| !page.text.is_empty()) {
            let line = |at: usize| text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() as u64 + 1;
            let end = offset + page.text.len();
            prop_assert_eq!(&page.lines, &vec![range(line(offset), line(end - 1))]);
            offset = end;
        }
    }

    #[test]
    fn ranges_are_the_lines(
        text in awkward_text(),
        ranges in proptest::collection::vec((1_u64..40, 0_u64..10), 1..6),
        max in 1_usize..60,
        packed in any::<bool>(),
    ) {
        let total = text.split_inclusive('\n').count() as u64;
        prop_assume!(total > 0);
        let inside = ranges.into_iter().map(|(start, more)| ((start - 1) % total + 1, more));
        let ranges: Vec<_> = inside.map(|(start, more)| range(start, start + more)).collect();
        let inline_bytes = if packed { 0 } else { 1 << 20 };
        let (mut store, _root) = store(Limits { inline_bytes, ..Limits::default() });
        let id = put(&mut store, Some("s"), text.as_bytes());
        let pages = pages(&mut store, &id, &ranges, max);
        let wanted = |line: u64| ranges.iter().any(|r| (r.start..=r.end).contains(&line));
        prop_assert_eq!(joined(&pages), expected(&text, wanted));
        for page in &pages {
            let named = |line: u64| page.lines.iter().any(|r| (r.start..=r.end).contains(&line));
            prop_assert!((1..=total).all(|line| !named(line) || wanted(line)));
        }
    }

    #[test]
    fn binary_pages_are_one_base64(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        max in 1_usize..50,
    ) {
        let (mut store, _root) = store(Limits::default());
        let media = Media::Binary("image/png".to_owned());
        let id = store.put(Some("s"), &bytes, Meta { media, ..meta("shot") }, Duration::ZERO).unwrap().id;
        let pages = pages(&mut store, &id, &[], max);
        prop_assert!(pages.iter().all(|page| page.text.len() <= max.max(4) && page.lines.is_empty()));
        prop_assert!(pages.iter().all(|page| page.encoding == Encoding::Base64 && page.total_lines == 0));
        prop_assert_eq!(STANDARD.decode(joined(&pages)).unwrap(), bytes);
    }
}

#[test]
fn large_texts_come_back_over_block_borders() {
    let mut text = numbered(3 * BLOCK);
    text.push_str(&"🦀".repeat(BLOCK / 2));
    text.push('\n');
    text.push_str(&numbered(BLOCK));
    text.push_str("no newline at the end");
    let total = text.split_inclusive('\n').count() as u64;
    let (mut store, root) = store(Limits::default());
    let stored = store.put(Some("s"), text.as_bytes(), meta("bash"), Duration::ZERO).unwrap();
    assert_eq!(stored.lines, total);
    assert!(std::fs::read_dir(root.path()).unwrap().count() > 0, "not on disk: the test says nothing");
    for max in [10_007, 64 << 10, 1 << 20] {
        assert!(joined(&pages(&mut store, &stored.id, &[], max)) == text, "page size {max}");
    }
    for line in [1, 2, 1_000, total / 2, total - 1, total] {
        let got = joined(&pages(&mut store, &stored.id, &[range(line, line)], 1 << 20));
        assert!(got == expected(&text, |n| n == line), "line {line}");
    }
    let scattered: Vec<_> = (1..total).step_by(97).map(|line| range(line, line)).collect();
    let got = joined(&pages(&mut store, &stored.id, &scattered, 5_000));
    assert!(got == expected(&text, |line| line < total && line % 97 == 1));
}

#[test]
fn a_page_ends_with_a_line_and_a_long_line_is_split() {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, Some("s"), b"one\ntwo\nthree is a long line\nfour");
    let pages = pages(&mut store, &id, &[], 10);
    let texts: Vec<_> = pages.iter().map(|page| page.text.as_str()).collect();
    assert_eq!(texts, ["one\ntwo\n", "three is a", " long line", "\nfour"]);
    let lines: Vec<_> = pages.iter().map(|page| page.lines.clone()).collect();
    assert_eq!(lines, [vec![range(1, 2)], vec![range(3, 3)], vec![range(3, 3)], vec![range(3, 4)]]);
}

#[test]
fn lines_say_what_the_page_has() {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, Some("s"), b"1\n2\n3\n4\n5\n6\n7\n8\n");
    let result = store
        .read(Some("s"), &id, &[range(6, u64::MAX), range(2, 2), range(3, 4)], &Page::default())
        .unwrap();
    assert_eq!(result.text, "2\n3\n4\n6\n7\n8\n");
    assert_eq!(result.lines, [range(2, 4), range(6, 8)]);
    assert_eq!((result.total_lines, result.total_bytes, result.next_cursor), (8, 16, None));
}

#[test]
fn bad_questions_are_named() {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, Some("s"), "a\nb\n🦀\n".as_bytes());
    let mut ask = |ranges: &[LineRange], max_bytes, cursor: Option<&str>| {
        let page = Page { max_bytes, cursor: cursor.map(str::to_owned) };
        store.read(Some("s"), &id, ranges, &page).unwrap_err()
    };
    let beyond = ask(&[range(1, 1), range(4, 9)], 100, None);
    assert_eq!(beyond, AccessError::RangeBeyondEnd { range: range(4, 9), lines: 3 });
    assert_eq!(beyond.to_string(), "lines 4-9 are beyond the end: the artifact has 3 lines");
    assert_eq!(ask(&[range(0, 2)], 100, None), AccessError::RangeInvalid(range(0, 2)));
    assert_eq!(ask(&[range(3, 2)], 100, None), AccessError::RangeInvalid(range(3, 2)));
    assert_eq!(ask(&[], 0, None), AccessError::EmptyPage { setting: "maxBytes" });
    // Not a cursor; after the end; in the middle of a character; outside of the ranges, on either side.
    for cursor in ["", "b", "5", "b-1", "b+1", "b9", "b99999999999999999999", "b5"] {
        assert_eq!(ask(&[], 100, Some(cursor)).code(), "cursor_invalid", "{cursor}");
    }
    assert_eq!(ask(&[range(2, 2)], 100, Some("b0")).code(), "cursor_invalid");
    assert_eq!(ask(&[range(2, 2)], 100, Some("b4")).code(), "cursor_invalid");
}

#[test]
fn an_empty_text_has_no_lines() {
    let (mut store, _root) = store(Limits::default());
    let stored = store.put(None, b"", meta("bash"), Duration::ZERO).unwrap();
    assert_eq!((stored.bytes, stored.lines), (0, 0));
    let result = store.read(None, &stored.id, &[], &Page::default()).unwrap();
    assert_eq!((result.text.as_str(), result.lines.len(), result.next_cursor), ("", 0, None));
    let beyond = store.read(None, &stored.id, &[range(1, 1)], &Page::default()).unwrap_err();
    assert_eq!(beyond, AccessError::RangeBeyondEnd { range: range(1, 1), lines: 0 });
}

#[test]
fn what_is_not_utf8_is_kept_as_bytes() {
    let (mut store, _root) = store(Limits::default());
    let stored = store.put(None, b"a\n\xFF\n", meta("bash"), Duration::ZERO).unwrap();
    let result = store.read(None, &stored.id, &[], &Page::default()).unwrap();
    assert_eq!(STANDARD.decode(&result.text).unwrap(), b"a\n\xFF\n");
    assert_eq!(result.mime.as_deref(), Some("application/octet-stream"));
    assert_eq!(stored.lines, 0);
    let refused = store.read(None, &stored.id, &[range(1, 1)], &Page::default()).unwrap_err();
    assert_eq!(refused.code(), "artifact_not_text");
}

#[test]
fn sessions_see_only_what_they_put() {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, Some("a"), b"shared");
    let unknown = |id: &str| AccessError::NotFound { id: id.to_owned() };
    for other in [Some("b"), None, Some("")] {
        assert_eq!(store.read(other, &id, &[], &Page::default()).unwrap_err(), unknown(&id));
        let refused = store.search(other, &id, "s", &SearchOptions::default()).unwrap_err();
        assert_eq!(refused, unknown(&id));
        assert_eq!(store.list(other, None).unwrap().artifacts, []);
    }
    assert_eq!(store.read(Some("a"), "0000", &[], &Page::default()).unwrap_err(), unknown("0000"));

    let stored = store
        .put(Some("b"), b"shared", Meta { tool_call_id: Some("c2".into()), ..meta("cat") }, Duration::ZERO)
        .unwrap();
    assert_eq!(stored.id, id);
    assert_eq!(store.read(Some("b"), &id, &[], &Page::default()).unwrap().text, "shared");
    assert_eq!(store.read(None, &id, &[], &Page::default()).unwrap_err(), unknown(&id));
    let of = |session| store.list(Some(session), None).unwrap().artifacts[0].clone();
    assert_eq!((of("a").tool, of("a").tool_call_id), ("bash".to_owned(), None));
    assert_eq!((of("b").tool, of("b").tool_call_id), ("cat".to_owned(), Some("c2".to_owned())));
}

#[test]
fn ids_are_digests_and_grow_when_contents_begin_alike() {
    let (mut store, _root) = store(Limits::default());
    let id = put(&mut store, None, b"hello");
    let digest = blake3::hash(b"hello").to_hex();
    assert_eq!(id, digest[..16]);
    assert_eq!(store.list(None, None).unwrap().artifacts[0].digest, digest.as_str());

    store.ledger.id_digits = 1;
    let texts: Vec<_> = (0..40).map(|n| format!("content {n}")).collect();
    let ids: Vec<_> = texts.iter().map(|text| put(&mut store, None, text.as_bytes())).collect();
    assert!(ids.iter().any(|id| id.len() > 1), "no collision: the test says nothing");
    for (text, id) in texts.iter().zip(&ids) {
        assert_eq!(&store.read(None, id, &[], &Page::default()).unwrap().text, text);
        assert!(blake3::hash(text.as_bytes()).to_hex().starts_with(id.as_str()));
        assert_eq!(&put(&mut store, None, text.as_bytes()), id);
    }
}

#[test]
fn lists_are_newest_first_and_paged() {
    let (mut store, _root) = store(Limits::default());
    let ids: Vec<_> = (0..250).map(|n| put(&mut store, Some("s"), format!("{n}").as_bytes())).collect();
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = store.list(Some("s"), cursor.as_deref()).unwrap();
        assert!(page.artifacts.len() <= 100);
        seen.extend(page.artifacts.into_iter().map(|artifact| artifact.id));
        cursor = page.next_cursor;
        // Artifacts that are stored or used between two pages do not change the later pages.
        store.open(Some("s"), &ids[0]).unwrap();
        put(&mut store, Some("s"), format!("new {}", seen.len()).as_bytes());
        if cursor.is_none() {
            break;
        }
    }
    assert!(seen.iter().eq(ids.iter().rev()));
    assert_eq!(store.list(Some("s"), Some("b3")).unwrap_err().code(), "cursor_invalid");
}
