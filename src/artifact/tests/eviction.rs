//! The order of eviction, and artifacts that are never evicted.

use super::*;

fn pinned() -> Meta {
    Meta { keep_until_session_end: true, ..meta("bash") }
}

#[test]
fn the_oldest_goes_when_there_are_too_many() {
    let (mut store, _root) = store(Limits { max_count: 3, ..Limits::default() });
    let [a, b, c] = ["a", "b", "c"].map(|text| put(&mut store, None, text.as_bytes()));
    store.read(None, &a, &[], &Page::default()).unwrap();
    put(&mut store, None, b"d");
    assert!(has(&store, None, &a), "a read makes it new");
    assert!(!has(&store, None, &b));
    put(&mut store, None, b"c");
    put(&mut store, None, b"e");
    assert!(has(&store, None, &c), "a put makes it new");
    assert!(!has(&store, None, &a));
    assert_eq!(store.read(None, &a, &[], &Page::default()).unwrap_err().code(), "artifact_not_found");
    assert_eq!(store.list(None, None).unwrap().artifacts.len(), 3);
}

#[test]
fn the_oldest_goes_when_they_are_too_large() {
    let label = (16 + "bash".len()) as u64;
    let (mut store, _root) = store(Limits { max_bytes: 3 * (100 + label), ..Limits::default() });
    let ids: Vec<_> = (0..3).map(|n| put(&mut store, None, format!("{n:0100}").as_bytes())).collect();
    assert!(ids.iter().all(|id| has(&store, None, id)), "three fit to the byte");
    put(&mut store, None, b"x");
    assert!(!has(&store, None, &ids[0]) && has(&store, None, &ids[1]));
    // An artifact that needs the room of two evicts two.
    put(&mut store, None, "y".repeat(250).as_bytes());
    assert!(!has(&store, None, &ids[1]) && !has(&store, None, &ids[2]));
}

#[test]
fn age_counts_from_the_last_use() {
    let (mut store, _root) = store(Limits { max_age: Duration::from_secs(10), ..Limits::default() });
    let a = put(&mut store, None, b"a");
    let b = put(&mut store, None, b"b");
    store.advance(Duration::from_secs(8));
    store.open(None, &a).unwrap();
    store.advance(Duration::from_secs(10));
    assert!(has(&store, None, &b), "at the limit");
    store.advance(Duration::from_secs(11));
    assert!(!has(&store, None, &b) && has(&store, None, &a));
    store.advance(Duration::from_secs(2));
    store.open(None, &a).unwrap();
    store.advance(Duration::from_secs(21));
    assert!(has(&store, None, &a), "time does not run backwards");
    store.put(None, b"c", meta("bash"), Duration::from_secs(22)).unwrap();
    assert!(!has(&store, None, &a), "a put brings the time too");
}

#[test]
fn a_closed_session_takes_only_its_own() {
    let (mut store, root) = store(Limits { inline_bytes: 10, ..Limits::default() });
    let shared = put(&mut store, Some("a"), b"shared and on disk");
    put(&mut store, Some("b"), b"shared and on disk");
    let own = put(&mut store, Some("a"), b"of a alone, on disk");
    assert_eq!(files(&root), 2, "one content, one file");
    store.session_closed("a");
    assert_eq!(files(&root), 1);
    assert!(!has(&store, Some("a"), &shared) && !has(&store, Some("a"), &own));
    assert_eq!(store.read(Some("b"), &shared, &[], &Page::default()).unwrap().text, "shared and on disk");
    store.session_closed("b");
    store.session_closed("never opened");
    assert_eq!(files(&root), 0);
    assert_eq!(store.ledger.used(), (0, 0), "the books are even");
}

/// Artifact files below the private directories of `root`.
fn files(root: &TempDir) -> usize {
    let dirs = std::fs::read_dir(root.path()).unwrap().flatten();
    let names = dirs.flat_map(|dir| std::fs::read_dir(dir.path()).unwrap().flatten());
    names.filter(|entry| entry.file_name() != "owner.lock").count()
}

#[test]
fn pinned_ones_stay_until_the_session_ends() {
    let limits = Limits { max_count: 3, max_age: Duration::from_secs(1), ..Limits::default() };
    let (mut store, _root) = store(limits);
    let kept = store.put(Some("s"), b"kept", pinned(), Duration::ZERO).unwrap().id;
    for n in 0..10_u64 {
        store.put(None, n.to_string().as_bytes(), meta("bash"), Duration::from_secs(n)).unwrap();
    }
    put(&mut store, Some("s"), b"kept");
    for n in 10..20_u64 {
        store.put(None, n.to_string().as_bytes(), meta("bash"), Duration::from_secs(n)).unwrap();
    }
    assert_eq!(store.read(Some("s"), &kept, &[], &Page::default()).unwrap().text, "kept");
    store.session_closed("s");
    assert!(!has(&store, Some("s"), &kept));
    store.session_closed("s");
    store.advance(Duration::from_secs(99));
    assert_eq!(store.ledger.used(), (0, 0), "the books are even");
}

#[test]
fn pins_never_push_the_store_over_its_bounds() {
    let (mut store, _root) = store(Limits { max_count: 2, max_bytes: 300, ..Limits::default() });
    store.put(Some("s"), b"a", pinned(), Duration::ZERO).unwrap();
    let b = put(&mut store, Some("s"), b"b");
    let refused = store.put(Some("s"), &[b'c'; 299], pinned(), Duration::ZERO).unwrap_err();
    assert_eq!((refused.clone(), refused.code()), (PutError::Full, "artifact_store_full"));
    assert!(has(&store, Some("s"), &b), "what is refused evicts nothing");
    store.put(Some("s"), b"c", pinned(), Duration::ZERO).unwrap();
    assert!(!has(&store, Some("s"), &b));
    assert_eq!(store.put(None, b"d", meta("bash"), Duration::ZERO).unwrap_err(), PutError::Full);
    store.put(Some("s"), b"a", pinned(), Duration::ZERO).unwrap();
    store.session_closed("s");
    store.put(None, b"d", meta("bash"), Duration::ZERO).unwrap();
}

#[test]
fn nothing_pins_without_a_session() {
    let (mut store, _root) = store(Limits { max_count: 1, ..Limits::default() });
    let a = store.put(None, b"a", pinned(), Duration::ZERO).unwrap().id;
    put(&mut store, None, b"b");
    assert!(!has(&store, None, &a));
}

#[test]
fn what_is_too_large_is_refused() {
    let (mut store, _root) = store(Limits { max_artifact_bytes: 4, ..Limits::default() });
    put(&mut store, None, b"1234");
    let refused = store.put(None, b"12345", meta("bash"), Duration::ZERO).unwrap_err();
    assert_eq!(refused, PutError::TooLarge { bytes: 5, max: 4 });
    assert_eq!(refused.code(), "artifact_too_large");
}

#[test]
fn names_count_too() {
    let (mut store, _root) = store(Limits { max_bytes: 1_000, ..Limits::default() });
    for n in 0..100 {
        let session = format!("{n:0200}");
        let id = put(&mut store, Some(&session), b"same");
        assert!(has(&store, Some(&session), &id));
    }
    assert!(store.ledger.used().1 <= 1_000);
}

#[test]
fn the_books_match_after_any_history() {
    let limits = Limits { max_count: 9, max_bytes: 900, inline_bytes: 40, ..Limits::default() };
    let (mut store, _root) = store(limits.clone());
    let mut state = 7_u64;
    for step in 0..3_000_u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = |of: u64, shift: u32| (state >> shift) % of;
        let session = ["a", "b", "c"][pick(3, 20) as usize];
        let text = "z".repeat(pick(12, 30) as usize * 9);
        let meta = Meta { keep_until_session_end: pick(8, 40) == 0, ..meta("bash") };
        if pick(25, 50) == 0 {
            store.session_closed(session);
        } else {
            let _ = store.put(Some(session), text.as_bytes(), meta, Duration::from_secs(step * 60));
        }
        let (count, bytes) = store.ledger.used();
        assert!(count <= limits.max_count && bytes <= limits.max_bytes);
        assert_eq!((count, bytes), store.ledger.counted(), "step {step}");
    }
}
