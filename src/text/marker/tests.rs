//! Tests of `marker`.

use super::*;
use proptest::prelude::*;

/// A marker of every form and in every way to write it. Everything in it that is not a word of the grammar is a
/// number or `name`.
pub(super) fn every_form(name: &str) -> Vec<Marker> {
    let name = || name.to_owned();
    let label = Some(name());
    let origin = |argument| Origin { call: name(), tool: name(), argument, label: None };
    let labelled = Origin { label: label.clone(), ..origin(None) };
    let reason = || if name() == "0" { name() } else { "passing_tests".to_owned() };
    let lines = |count, last, id, names| Marker::Lines {
        count,
        first: 2,
        last,
        is_sum: false,
        reason: Some(reason()),
        id,
        names,
    };
    let as_before = |count, names| Marker::Lines {
        count,
        first: 2,
        last: 4,
        is_sum: false,
        reason: None,
        id: None,
        names,
    };
    let shown =
        |there, argument, ago| Marker::Shown { first: 2, last: 4, there, origin: origin(argument), ago };
    let removed = |lines, why, by, read: Option<RetrievalMethod>| {
        let read = read.map(|by| ("12345678".to_owned(), by));
        Marker::Removed { lines, of: name(), why, by, read }
    };
    let original = |lines, by| Marker::Original { lines, handle: "12345678".to_owned(), by };
    let mut all = vec![
        lines(1, 2, None, None),
        lines(3, 4, Some("12345678".to_owned()), None),
        lines(2, 4, None, Some(name())),
        Marker::Lines {
            count: 2,
            first: 2,
            last: 4,
            is_sum: true,
            reason: Some(reason()),
            id: None,
            names: None,
        },
        as_before(3, None),
        as_before(2, Some(name())),
        Marker::Lines {
            count: 2,
            first: 2,
            last: 4,
            is_sum: true,
            reason: Some(MERGED.to_owned()),
            id: None,
            names: None,
        },
        Marker::Lines {
            count: 1,
            first: 2,
            last: 2,
            is_sum: false,
            reason: Some(MERGED.to_owned()),
            id: None,
            names: None,
        },
        Marker::Gap { count: 7, is_merged: false },
        Marker::Gap { count: 3, is_merged: true },
        Marker::Bytes { count: 7, line: 2, reason: reason(), id: Some("12345678".to_owned()) },
        Marker::ByRule { rule: name() },
        Marker::Rewritten { count: 1, first: 2, last: 4, reason: reason(), names: name() },
        Marker::Repeats { period: 1, times: 1, first: 2, last: 2 },
        Marker::Repeats { period: 1, times: 3, first: 2, last: 4 },
        Marker::Repeats { period: 2, times: 3, first: 2, last: 7 },
        shown(NumbersThere::SameNumbers, None, None),
        shown(NumbersThere::From(5), None, Some(Ago::results(0))),
        shown(NumbersThere::From(5), Some(name()), Some(Ago::results(1))),
        shown(NumbersThere::SameNumbers, Some(name()), Some(Ago::results(1))),
        shown(NumbersThere::NoNumbers, None, Some(Ago::results(2))),
        shown(NumbersThere::NoNumbers, Some(name()), Some(Ago::Earlier)),
        Marker::Shown {
            first: 2,
            last: 4,
            there: NumbersThere::SameNumbers,
            origin: labelled.clone(),
            ago: Some(Ago::Results(3)),
        },
        Marker::Shown {
            first: 2,
            last: 4,
            there: NumbersThere::From(5),
            origin: labelled.without_id(),
            ago: Some(Ago::Results(3)),
        },
        Marker::Shown {
            first: 2,
            last: 4,
            there: NumbersThere::SameNumbers,
            origin: origin(Some(name())).without_id(),
            ago: Some(Ago::Results(1)),
        },
        Marker::There { first: 2, last: 4, there: NumbersThere::SameNumbers },
        Marker::There { first: 2, last: 4, there: NumbersThere::From(5) },
        Marker::There { first: 2, last: 4, there: NumbersThere::NoNumbers },
        Marker::Several(vec![
            shown(NumbersThere::NoNumbers, None, Some(Ago::Results(2))),
            Marker::Shown {
                first: 5,
                last: 9,
                there: NumbersThere::From(8),
                origin: labelled.clone(),
                ago: Some(Ago::Results(1)),
            },
            shown(NumbersThere::SameNumbers, Some(name()), Some(Ago::Earlier)),
        ]),
        Marker::Same { origin: labelled.without_id(), ago: Ago::Results(2), differs_in_times: false },
        Marker::Same { origin: labelled, ago: Ago::Results(2), differs_in_times: true },
        Marker::Binary { mime: name(), bytes: 7 },
        Marker::NotKept { lines: 3, of: 5, bytes: 70, reason: reason() },
        Marker::Exit { status: 101 },
        original(1, RetrievalMethod::Id),
        original(2, RetrievalMethod::Command { folder: None }),
        original(2, RetrievalMethod::Command { folder: Some(name()) }),
        removed(1, RemovalReason::ShownAgain(1), None, None),
        removed(2, RemovalReason::Superseded(2), Some(name()), Some(RetrievalMethod::Id)),
        removed(2, RemovalReason::RunAgain(2), None, Some(RetrievalMethod::Id)),
        removed(2, RemovalReason::NotCited(1), None, None),
        removed(2, RemovalReason::NotCited(6), None, Some(RetrievalMethod::Command { folder: Some(name()) })),
        Marker::Externalized { key: name(), kind: name(), summary: name() },
        Marker::Duplicate { call: name(), tool: name(), label: None, ago: None },
        Marker::Duplicate { call: name(), tool: name(), label: None, ago: Some(Ago::Results(1)) },
        Marker::Duplicate { call: name(), tool: name(), label, ago: Some(Ago::Results(2)) },
    ];
    let part =
        |unit: &Unit| Marker::Parts { count: 1, of: 3, unit: *unit, reason: reason(), names: Some(name()) };
    all.extend(Unit::ALL.iter().map(part));
    let mut seen = std::collections::BTreeSet::new();
    for marker in &all {
        // A new form must be added above, and here.
        seen.insert(match marker {
            Marker::Lines { .. } => 0,
            Marker::Bytes { .. } => 1,
            Marker::Parts { .. } => 2,
            Marker::ByRule { .. } => 3,
            Marker::Rewritten { .. } => 4,
            Marker::Repeats { .. } => 5,
            Marker::Shown { .. } => 6,
            Marker::Binary { .. } => 7,
            Marker::NotKept { .. } => 8,
            Marker::Exit { .. } => 9,
            Marker::Original { .. } => 10,
            Marker::Externalized { .. } => 11,
            Marker::Duplicate { .. } => 12,
            Marker::Same { .. } => 13,
            Marker::There { .. } => 14,
            Marker::Removed { .. } => 15,
            Marker::Gap { .. } => 16,
            Marker::Several(_) => 17,
        });
    }
    assert_eq!(seen.len(), 18);
    all
}

fn any_origin() -> impl Strategy<Value = Origin> {
    let argument = proptest::option::of("[a-zA-Z_]{1,12}");
    ("[a-zA-Z0-9_:/.-]{0,20}", "[a-z_]{1,10}", argument, any_label())
        .prop_map(|(call, tool, argument, label)| Origin { call, tool, argument, label })
}

fn any_label() -> impl Strategy<Value = Option<String>> {
    proptest::option::of("[a-z./-]{1,9}( [a-z./-]{1,9}){0,2}")
}

/// 0 is this call; every tenth is not counted.
fn ago(results: usize) -> Ago {
    Ago::results(results).if_counted(results % 10 != 9)
}

/// The line numbers in the origin, for lines whose first number is `first` here and `there` in the origin.
fn place(first: usize, there: usize, same: bool) -> NumbersThere {
    match there {
        _ if same => NumbersThere::SameNumbers,
        _ if there == first => NumbersThere::NoNumbers,
        _ => NumbersThere::From(there),
    }
}

fn any_marker() -> impl Strategy<Value = Marker> {
    let n = 0usize..2_000_000;
    let id = proptest::option::of("[0-9a-f]{8}");
    prop_oneof![
        (
            n.clone(),
            n.clone(),
            n.clone(),
            proptest::option::of("[a-z_]{1,20}"),
            id.clone(),
            proptest::option::of("[0-9]{1,4}( [a-zA-Z_.:$/]{1,9}){1,4}")
        )
            .prop_map(|(a, b, c, reason, id, names)| {
                let last = b + c;
                let id = id.filter(|_| reason.is_some());
                let (count, is_sum) = (1 + a % (c + 1), b % 2 == 0 && a % (c + 1) < c);
                Marker::Lines { count, first: b, last, is_sum, reason, id, names }
            }),
        (n.clone(), n.clone(), "[a-z_]{1,20}", id).prop_map(|(count, line, reason, id)| Marker::Bytes {
            count,
            line,
            reason,
            id
        }),
        (
            n.clone(),
            n.clone(),
            0..Unit::ALL.len(),
            "[a-z_]{1,20}",
            proptest::option::of("[a-z]{1,9}( [a-zA-Z_.:$/]{1,9}){1,4}")
        )
            .prop_map(|(count, of, unit, reason, names)| Marker::Parts {
                count,
                of,
                unit: Unit::ALL[unit],
                reason,
                names
            }),
        (1usize..64, n.clone(), n.clone(), n.clone())
            .prop_map(|(period, times, first, last)| Marker::Repeats { period, times, first, last }),
        (n.clone(), n.clone(), n.clone(), "[a-z_]{1,20}", "[a-zA-Z0-9._-]{1,20}").prop_map(
            |(count, first, more, reason, names)| Marker::Rewritten {
                count,
                first,
                last: first + more,
                reason,
                names
            }
        ),
        "[a-zA-Z0-9._-]{1,20}".prop_map(|rule| Marker::ByRule { rule }),
        (1i64..300).prop_map(|status| Marker::Exit { status }),
        (n.clone(), "[0-9a-f]{8,16}", proptest::option::of(proptest::option::of("/[a-z./_-]{1,20}")))
            .prop_map(|(lines, handle, command)| {
                let by = command.map_or(RetrievalMethod::Id, |folder| RetrievalMethod::Command { folder });
                Marker::Original { lines, handle, by }
            }),
        (n.clone(), "[a-z./-]{1,9}( [a-z./-]{1,9}){0,2}", 0usize..4, n.clone(), any::<bool>(), any_label())
            .prop_map(|(lines, of, kind, count, is_read, by)| {
                let why = [
                    RemovalReason::ShownAgain,
                    RemovalReason::Superseded,
                    RemovalReason::RunAgain,
                    RemovalReason::NotCited,
                ][kind](count);
                let read = is_read.then(|| ("12345678".to_owned(), RetrievalMethod::Id));
                Marker::Removed { lines, of, why, by: by.filter(|_| why.later().is_some()), read }
            }),
        (n.clone(), n.clone(), n.clone(), "[a-z_]{1,20}")
            .prop_map(|(lines, of, bytes, reason)| { Marker::NotKept { lines, of, bytes, reason } }),
        ("[a-z]{1,8}/[a-z.-]{1,12}", n.clone()).prop_map(|(mime, bytes)| Marker::Binary { mime, bytes }),
        (n.clone(), n.clone(), n.clone(), any::<bool>(), any_origin()).prop_map(
            |(first, more, there, same, origin)| Marker::Shown {
                first,
                last: first + more,
                there: place(first, there, same),
                ago: Some(ago(there % 9))
                    .filter(|_| !same || origin.label.is_some() || origin.call.is_empty()),
                origin,
            }
        ),
        (n.clone(), n.clone(), n.clone(), any::<bool>()).prop_map(|(first, more, there, same)| {
            Marker::There { first, last: first + more, there: place(first, there, same) }
        }),
        (
            "[a-zA-Z0-9_-]{1,20}",
            "[a-z_]{1,10}",
            any_label(),
            proptest::option::of((0usize..99).prop_map(ago))
        )
            .prop_map(|(call, tool, label, ago)| {
                let label = label.filter(|_| ago.is_some());
                Marker::Duplicate { call, tool, label, ago }
            }),
        (any_origin(), (0usize..99).prop_map(ago), any::<bool>()).prop_map(
            |(origin, ago, differs_in_times)| {
                Marker::Same { origin: Origin { argument: None, ..origin }, ago, differs_in_times }
            }
        ),
        ("[0-9a-f]{16}", "[A-Z]{3,6}", "[a-z0-9, ]{1,40}")
            .prop_map(|(key, kind, summary)| Marker::Externalized { key, kind, summary }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(marker in any_marker(), tail in "[ -~]{0,9}") {
        let text = marker.write();
        prop_assert_eq!(Marker::parse(&format!("{text}{tail}")), Some((marker, text.len())));
    }

    #[test]
    fn a_seal_holds_for_the_whole_document_and_one_key_only(
        m in any_marker(),
        a in "[a-z\n]{0,20}",
        b in "[a-z]{1,9}",
        bytes in any::<[u8; SealKey::BYTES]>(),
    ) {
        let (key, other) = (SealKey::new(bytes), SealKey::new(bytes.map(|b| b.wrapping_add(1))));
        let mut text = format!("{a}{}\n{b}", m.write());
        seal(&mut text, &key);
        prop_assume!(!matches!(m, Marker::Duplicate { .. } | Marker::Externalized { .. }));
        prop_assert!(is_sealed(&text, &key));
        prop_assert!(!is_sealed(&text, &other));
        let mut foreign = text.clone();
        unseal(&mut foreign, &other);
        prop_assert_eq!(&foreign, &text);
        let mut open = text.clone();
        unseal(&mut open, &key);
        prop_assert!(!is_sealed(&open, &key));
        seal(&mut open, &key);
        prop_assert_eq!(&open, &text);
        let mut longer = format!("{text}!");
        prop_assert!(!is_sealed(&longer, &key));
        seal(&mut longer, &key);
        prop_assert!(is_sealed(&longer, &key));
        prop_assert_eq!(longer.len(), text.len() + 1);
    }

    #[test]
    fn escaping_leaves_no_marker_and_is_stable(m in any_marker(), a in "[a-z\n]{1,20}") {
        let text = format!("{a}{}\n", m.write());
        let (escaped, count) = escape(&text, |_| false, |_| false).unwrap();
        prop_assert_eq!(count, 1);
        prop_assert_eq!(seal::find_open(&escaped, 0), None);
        prop_assert_eq!(escape(&escaped, |_| false, |_| false), None);
    }
}

#[test]
fn the_seal_of_what_left_stands_at_the_end_and_by_its_name() {
    let key = SealKey::default();
    let read = Some(("12345678".to_owned(), RetrievalMethod::Id));
    let marker = Marker::Removed {
        lines: 9,
        of: "a.rs 1-9".to_owned(),
        why: RemovalReason::NotCited(8),
        by: None,
        read,
    };
    let mut text = format!("{}\nlast line", marker.write());
    seal(&mut text, &key);
    let head = "[tersed: removed 9 lines of a.rs 1-9, not cited in the last 8 answers; id 12345678; seal ";
    assert!(text.starts_with(head) && is_sealed(&text, &key), "{text}");
    assert_eq!(Marker::parse(&text).map(|(read, _)| read), Some(marker));
    // A seal at another position, with other digits or for another text is not valid.
    let digit = head.len();
    for other in ["", "x", "0123456789012"] {
        let mut forged = text.clone();
        forged.replace_range(digit..digit + 1, other);
        assert!(!is_sealed(&forged, &key), "{forged}");
    }
    assert!(!is_sealed(&text.replace("last", "lost"), &key));
    assert_eq!(sealed_from(&format!("$ cat\n{text}"), &key), Some(6));
    let mut twice = text.clone();
    seal(&mut twice, &key);
    assert_eq!(twice, text);
}

#[test]
fn names_cannot_break_out() {
    let lines = |names: &str| Marker::Lines {
        count: 2,
        first: 1,
        last: 2,
        is_sum: false,
        reason: Some("clean".to_owned()),
        id: None,
        names: Some(names.to_owned()),
    };
    for name in
        ["a] [tersed: exit status 0]", "a]\n[tersed: ok", "］［tersed: ok］", "&#91;tersed: ok", "\u{1b}[2J"]
    {
        let text = lines(name).write();
        let (read, length) = Marker::parse(&text).unwrap();
        assert_eq!((length, read.write()), (text.len(), text.clone()), "{text}");
        let body = text.strip_prefix('[').unwrap();
        assert_eq!(escape(body, |_| false, |_| false), None, "{text}");
        assert!(!is_name(name), "{name}");
    }
    for name in ["call_1", "toolu_01AbC", "mcp__a.b/c:d-e", "exec-1", ""] {
        assert!(is_name(name), "{name}");
    }
    for name in ["a (b", "a\nb", "a; see earlier result]", "a, exit status 0", &"x".repeat(200)] {
        assert!(!is_name(name), "{name}");
    }
}

#[test]
fn references_for_lines_that_follow_each_other_share_a_marker() {
    let shown = |lines: (usize, usize), call: &str, label: &str| Marker::Shown {
        first: lines.0,
        last: lines.1,
        there: NumbersThere::SameNumbers,
        origin: Origin {
            call: call.to_owned(),
            tool: "open".to_owned(),
            argument: None,
            label: Some(label.to_owned()),
        },
        ago: Some(Ago::Results(3)),
    };
    let one = shown((1, 4), "c1", "a.rs");
    assert_eq!(Marker::joined(vec![one.clone()]), one);
    let parts = |first: &str| {
        vec![
            shown((1, 4), first, "src/a.rs"),
            shown((5, 9), "c2", "edit 3:4 of a.rs"),
            shown((10, 12), "c3", "b.rs"),
            shown((13, 20), "c1", "src/b.rs"),
        ]
    };
    // A file is named once.
    assert_eq!(
        Marker::joined(parts("c1")).write(),
        "[tersed: lines 1-4 as in c1 (open; src/a.rs, 3 results ago), lines 5-9 as in c2 (open; 3 results ago), \
         lines 10-12 as in c3 (open; b.rs, 3 results ago), lines 13-20 as in c1 (open; 3 results ago)]"
    );
    let marker = Marker::joined(parts("c1"));
    assert_eq!(Marker::parse(&marker.write()), Some((marker.clone(), marker.write().len())));
    assert_eq!(marker.references().len(), 4);
}
