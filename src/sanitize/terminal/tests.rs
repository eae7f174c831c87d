//! Tests of the terminal renderer: hand-written streams in the style of real tools, and the `vt100` crate as oracle.
use super::*;
use proptest::prelude::*;

fn shown(stream: &str) -> String {
    let text = render(stream).map_or_else(|| stream.to_owned(), |rendered| rendered.text);
    if let Some(again) = render(&text) {
        panic!("not settled: {text:?} became {:?}", again.text);
    }
    text
}

#[test]
fn plain_text_needs_nothing() {
    for text in ["", "a\tb\nc\n", "one\r\ntwo\r\n", "° © \u{a0} é 漢字\n", &"x".repeat(1000)] {
        assert_eq!(render(text), None, "{text:?}");
    }
}

#[test]
fn entries_that_nul_ends_become_lines() {
    let text = |text: &str| render(text).map(|rendered| rendered.text);
    assert_eq!(text(" M a b\0?? c\0").as_deref(), Some(" M a b\n?? c\n"));
    assert_eq!(text("A=1\0B=2\0\n").as_deref().map(str::trim_end), Some("A=1\nB=2"));
    assert_eq!(text("a\0b").as_deref(), Some("ab"));
    assert_eq!(text("a\0\0b\0").as_deref(), Some("ab"));
}

#[test]
fn every_control_opens_the_gate_wherever_it_stands() {
    for control in (0..0x20u8).chain([0x7F]).map(char::from).chain('\u{80}'..='\u{9f}') {
        if control == '\n' || control == '\t' {
            continue;
        }
        for at in [0, 1, 127, 128, 129, 300] {
            let text = format!("{}{control}z", "a".repeat(at));
            let rendered = render(&text).unwrap_or_else(|| panic!("{control:?} at {at} was not seen"));
            assert!(!rendered.text.contains(control), "{control:?} stays");
        }
    }
    assert_eq!(render("a\r\nb\rc").unwrap().text, "a\nc");
}

#[test]
fn colours_titles_links_and_modes_go() {
    assert_eq!(shown("\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m\n"), "red x\n");
    assert_eq!(shown("\x1b]0;title\x07a\x1b]8;;http://h/\x1b\\link\x1b]8;;\x1b\\ b"), "alink b");
    assert_eq!(shown("\x1bPq#0;2\nabc\x1b\\a\x1b_Gf=1\x1b\\b\x1b^p\x1b\\c\x1bXq\x1b\\d"), "abcd");
    assert_eq!(shown("\x1b[?2004h\x1b[?25l$ \x1b(B\x1b)0ls\x1b[4 q\x0f\x07"), "$ ls");
    assert_eq!(shown("\u{9b}31mred\u{9b}0m"), "red");
    let rendered = render("\x1b[1ma\x00\x00\x07b").unwrap();
    assert_eq!((rendered.escapes, rendered.controls, rendered.overwrites), (1, 3, 0));
}

#[test]
fn broken_sequences_lose_no_text() {
    assert_eq!(shown("a\x1b"), "a");
    assert_eq!(shown("a\x1b[31"), "a");
    assert_eq!(shown("a\x1b[31\nb"), "a[31\nb");
    assert_eq!(shown("a\x1bé"), "aé");
    assert_eq!(shown("a\x1b\"quoted\""), "a\"quoted\"");
    assert_eq!(shown("\x1b]0;never ended\nsecond\n"), "never ended\nsecond\n");
    assert_eq!(shown("\x1bPnever\nended"), "Pnever\nended");
    assert_eq!(shown("\u{90}never\nended"), "never\nended");
    // Latin-1 debris of UTF-8 text is not a control sequence.
    assert_eq!(shown("\u{c3}\u{9b}ber \u{e2}\u{80}\u{9c}so\u{e2}\u{80}\u{9d}"), "\u{c3}ber \u{e2}so\u{e2}");
    assert_eq!(shown("\x1b(0lqqk\x1b(B ok"), "┌──┐ ok");
    assert_eq!(shown("\x1b(0lq\nplain"), "┌─\nplain");
}

#[test]
fn overwriting_is_by_column() {
    assert_eq!(shown("abcdef\rXY"), "XYcdef");
    assert_eq!(shown("漢字ab\rx"), "x 字ab");
    assert_eq!(shown("e\u{301}x\rab"), "ab");
    assert_eq!(shown("e\u{301}xy\rab"), "aby");
    assert_eq!(shown("a\tb\rxyz"), "xyz     b");
    assert_eq!(shown("abc\x08\x08\x08\x08Z"), "Zbc");
    assert_eq!(shown("12345\r\x1b[K9"), "9");
    assert_eq!(shown("12345\x1b[3D\x1b[1KX"), "  X45");
    assert_eq!(shown("12345\x1b[2G\x1b[2PX\x1b[@Y"), "1XY5");
    assert_eq!(shown("12345\r\x1b[2XA"), "A 345");
    assert_eq!(shown("ab\x1b[3bc"), "abbbbc");
    assert_eq!(shown("a\x1b[4Cb"), "a    b");
}

#[test]
fn rows_are_reached_by_every_kind_of_move() {
    assert_eq!(shown("one\ntwo\nthree\n\x1b[2Axx\x1b[2B\r."), "one\nxxo\nthree\n.");
    assert_eq!(shown("one\ntwo\x1b[Fx\x1b[Ey"), "xne\nywo");
    assert_eq!(shown("\x1b[3;3Hx\x1b[1;1Hy"), "y\n\n  x");
    assert_eq!(shown("ab\x1b7\ncd\x1b8X"), "abX\ncd");
    assert_eq!(shown("a\nb\nc\x1b[2A\x1b[Lnew"), " new\na\nb\nc");
    assert_eq!(shown("a\nb\nc\x1b[1A\r\x1b[M"), "a\nc");
    assert_eq!(shown("a\nb\x1b[A\r\x1bMz"), "z\na\nb");
    assert_eq!(shown("a\nb\nc\x1b[2A\r\x1b[Jx"), "x");
}

#[test]
fn what_a_clear_hides_stays_above() {
    assert_eq!(shown("one\n\x1b[H\x1b[2J\x1b[3Jtwo\n"), "one\ntwo\n");
    assert_eq!(shown("one\n\x1b[H\x1b[Jtwo"), "one\ntwo");
    assert_eq!(shown("one\n\x1b[?1049h\x1b[Hmenu\x1b[2;1Hitem\x1b[?1049lafter"), "one\nmenu\nitem\nafter");
    assert_eq!(shown("one\x1bctwo"), "one\ntwo");
    assert_eq!(render("one\n\x1b[2Jtwo\x1b[2Jthree").unwrap().cleared_screens, 2);
    // 100 lines have scrolled; a jump to the first row must not overwrite one of them.
    let log: String = (0..100).map(|line| format!("line {line}\n")).collect();
    assert_eq!(shown(&format!("{log}\x1b[1;1Htop")), format!("{log}top"));
}

#[test]
fn a_full_screen_program_shows_its_last_frame() {
    let frame = |n: usize| {
        let rows: String = (0..39).map(|row| format!("row {row} of frame {n}\x1b[K\r\n")).collect();
        format!("\x1b[H{rows}end\x1b[K")
    };
    let stream: String = std::iter::once("\x1b[?1049h".to_owned()).chain((0..50).map(frame)).collect();
    let text = shown(&stream);
    assert!(text.ends_with("row 38 of frame 49\nend"), "{text}");
    assert!(text.lines().count() <= 80, "{} lines", text.lines().count());
}

#[test]
fn failures_survive_being_overwritten() {
    let keep = |stream: &str, lines: &[&str]| {
        assert_eq!(shown(stream).lines().collect::<Vec<_>>(), lines, "{stream:?}")
    };
    keep("error: disk full\r\x1b[Kdone", &["error: disk full", "done"]);
    keep("ok\nFAILED x.rs:3\nrunning\x1b[2A\r\x1b[Jdone", &["FAILED x.rs:3", "done"]);
    keep("E: no candidate\rReading 5%      \rReading 9%", &["E: no candidate", "Reading 9%"]);
    keep("TypeError: x\x1b[2K\rnext", &["TypeError: x", "next"]);
    keep("a\npanic at b\nc\x1b[2A\r\x1b[3Md", &["panic at b", "d"]);
    // These are only redrawn, or are not failures.
    keep("error: a\rerror: a and b", &["error: a and b"]);
    keep("10% 0 errors\r20% 0 errors", &["20% 0 errors"]);
    keep("[==> ] 3/9: proc-macro-error, thiserror\r[===>] 4/9: serde\x1b[K", &["[===>] 4/9: serde"]);
    keep("10% 1 failed\r20% 1 failed\r30% 1 failed\rfinished    ", &["30% 1 failed", "finished"]);
    keep("exceptiongroup ---- 5 KiB\rtomli ---- 5 KiB\x1b[K", &["tomli ---- 5 KiB"]);
    keep("disk failures\r\x1b[Kx", &["disk failures", "x"]);
    // It moved down a row while everything was redrawn.
    keep(
        "#1 ERROR: x 0.1s\n\x1b[1A\r\x1b[K#0 done\n\x1b[K#1 ERROR: x 0.3s\n",
        &["#0 done", "#1 ERROR: x 0.3s"],
    );
    assert_eq!(render("error: a\r\x1b[Kb").unwrap().kept_failures, 1);
}

#[test]
fn progress_displays_end_as_their_last_state() {
    let bars: String =
        (0..=100).map(|n| format!("\r{n:3}%|{}| {n}/100 [00:01<00:02]", "█".repeat(n / 10))).collect();
    assert_eq!(
        shown(&format!("{bars}\nbye\n")),
        format!("100%|{}| 100/100 [00:01<00:02]\nbye\n", "█".repeat(10))
    );

    let git: String =
        (0..=9).map(|n| format!("remote: Counting objects: {n}0% ({n}/10)   \x1b[K\r")).collect();
    assert_eq!(
        shown(&format!("{git}remote: Counting objects: 100% (10/10), done.\x1b[K\n")),
        "remote: Counting objects: 100% (10/10), done.\n"
    );

    // docker pull: each layer is a row that is redrawn from below.
    let mut docker = String::from("a1: Waiting\r\nb2: Waiting\r\n");
    for n in 1..=20 {
        docker += &format!(
            "\x1b[2A\x1b[2K\ra1: Downloading {n}kB\r\x1b[2B\x1b[1A\x1b[2K\rb2: Extracting {n}kB\r\x1b[1B"
        );
    }
    docker += "Status: done\r\n";
    assert_eq!(shown(&docker), "a1: Downloading 20kB\nb2: Extracting 20kB\nStatus: done\n");

    // buildkit: the whole block is redrawn.
    let mut kit = String::from("\x1b[?25l");
    for n in 1..=20 {
        if n > 1 {
            kit += &format!("\x1b[{}A", n);
        }
        kit += &format!("\x1b[0m\x1b[34m[+] Building 0.{n}s ({n}/20)\x1b[0m\x1b[K\n");
        for step in 1..=n {
            kit += &format!("\x1b[34m => [{step}/20] RUN step {step}\x1b[0m  0.{n}s\x1b[K\n");
        }
    }
    let text = shown(&kit);
    assert_eq!(text.lines().count(), 21, "{text}");
    assert!(text.starts_with("[+] Building 0.20s (20/20)\n => [1/20] RUN step 1  0.20s\n"), "{text}");

    let npm: String = "⠙⠹⠸⠼".chars().map(|ch| format!("\x1b[1G{ch}\x1b[0K")).collect();
    assert_eq!(shown(&format!("{npm}\x1b[1G\x1b[0K\nadded 1 package in 2s\n")), "\nadded 1 package in 2s\n");

    let cargo = "\x1b[K\x1b[32m  Compiling\x1b[0m a v1\n\x1b[36m    Building\x1b[0m [==>  ] 1/3: a\r\x1b[K\x1b[32m   Compiling\x1b[0m b v1\n\x1b[36m    Building\x1b[0m [===> ] 2/3: b\r\x1b[K\x1b[32m    Finished\x1b[0m dev\n";
    assert_eq!(shown(cargo), "  Compiling a v1\n   Compiling b v1\n    Finished dev\n");

    let pip: String = (1..=9)
        .map(|n| {
            format!(
                "\r\x1b[2K   \x1b[38;5;197m{}\x1b[0m\x1b[38;5;237m{}\x1b[0m \x1b[32m{n}.0/9.0 MB\x1b[0m",
                "━".repeat(n),
                "╺".repeat(9 - n)
            )
        })
        .collect();
    assert_eq!(
        shown(&format!("Downloading x.whl\n\x1b[?25l{pip}\n\x1b[?25hDone\n")),
        "Downloading x.whl\n   ━━━━━━━━━ 9.0/9.0 MB\nDone\n"
    );

    // apt: a status bar below the scroll region.
    let mut apt = String::from("Reading lists\r\n\n\x1b7\x1b[0;23r\x1b8\x1b[1A");
    for n in 0..60 {
        apt += &format!(
            "\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [{n:3}%]\x1b[49m\x1b[39m [#...] \x1b8Setting up p{n} ...\r\n"
        );
    }
    apt += "\n\x1b7\x1b[0;24r\x1b8\x1b[1A\x1b[J";
    let text = shown(&apt);
    assert_eq!(text.lines().count(), 61, "{text}");
    assert!(
        !text.contains("Progress")
            && text.contains("Setting up p0 ...")
            && text.contains("Setting up p59 ..."),
        "{text}"
    );
}

#[test]
fn hostile_streams_stay_small_and_fast() {
    let streams = [
        "\x1b[999999999C!".repeat(20_000),
        "\x1b[200B\x1b[200Ax".repeat(20_000),
        "\x1b[2J\x1b[199;1Hx".repeat(5_000),
        "\x1b[200L".repeat(20_000),
        "\x1b[9999@x".repeat(20_000),
        "x\x1b[99999b".repeat(20_000),
        "\u{90}".repeat(100_000),
        "\x1b]0;".repeat(50_000),
        "\rerror".repeat(30_000),
        format!("{}{}", "é".repeat(4_000), "\x1b[1K\rx".repeat(20_000)),
        format!("{}{}", "y".repeat(300_000), "\rerror\x1b[300000C\x1b[1Kz".repeat(5_000)),
        "\x1b[".repeat(100_000),
        "\rerror\rx\n".repeat(20_000),
        "\x1b[1;1H\n\n\n".repeat(20_000),
    ];
    for stream in streams {
        let rendered = render(&stream).unwrap();
        let bound = 4 * stream.len() + 2 * 4096 + 400;
        assert!(
            rendered.text.len() <= bound,
            "{} bytes from {}: {:?}",
            rendered.text.len(),
            stream.len(),
            &stream[..12]
        );
    }
}

/// The text on the oracle's screen, without blanks at the ends of rows and empty rows at the end.
fn oracle(stream: &str) -> String {
    let mut parser = vt100::Parser::new(60, 400, 0);
    parser.process(stream.replace('\n', "\r\n").as_bytes());
    trimmed(&parser.screen().contents())
}

fn trimmed(text: &str) -> String {
    let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
    rows.join("\n").trim_end().to_owned()
}

#[test]
fn text_behind_broken_sequences_stays() {
    for (stream, of_a_terminal) in
        [("\x1b]0;title\nerror: lost\nmore", ""), ("\x1bPq\nerror: y", ""), ("\x1b[31 error: x", "rror: x")]
    {
        assert_eq!(oracle(stream), of_a_terminal, "{stream:?}");
        assert!(shown(stream).contains("error: "), "{stream:?}: {:?}", shown(stream));
    }
    assert_eq!((&*oracle("\u{9b}31merror"), &*shown("\u{9b}31merror")), ("31merror", "error"));
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z .]{1,8}",
        1 => "[a-c漢字é]{1,4}",
        2 => Just("\r".to_owned()),
        2 => Just("\n".to_owned()),
        1 => Just("\x08".to_owned()),
        1 => (0..3u8).prop_map(|what| format!("\x1b[{what}K")),
        1 => (30..38u8).prop_map(|colour| format!("\x1b[{colour}m")),
        2 => (1..5u8, "[ABCDG]").prop_map(|(count, what)| format!("\x1b[{count}{what}")),
        1 => (1..4u8, "[XP@]").prop_map(|(count, what)| format!("\x1b[{count}{what}")),
        1 => Just("\x1b[J".to_owned()),
        1 => (1..9u8, 1..20u8).prop_map(|(row, column)| format!("\x1b[{row};{column}H.")),
        1 => Just("\x1b7".to_owned()),
        1 => Just("\x1b]0;t\x07".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_oracle(pieces in prop::collection::vec(piece(), 1..30)) {
        let mut stream = pieces.concat();
        if ["X", "P", "@"].iter().any(|what| stream.contains(what)) {
            // Terminals differ in what remains of a wide character that an insertion or a deletion cuts.
            stream = stream.replace(['漢', '字'], "w");
        }
        // A `homed` erase keeps the cleared text, unlike a terminal.
        prop_assume!(!stream.contains("\x1b[1;1H"));
        prop_assert_eq!(trimmed(&shown(&stream)), oracle(&stream), "{:?}", stream);
    }

    #[test]
    fn any_text_is_settled_at_once(text in "(\\PC|[\\x00-\\x1f]|\x1b\\[[0-9;?]{0,4}[@-~]|\x1b[ -~]|[\u{80}-\u{9f}]){0,60}") {
        let once = shown(&text);
        let is_settled = |text: &str| text.chars().all(|ch| !ch.is_control() || ch == '\n' || ch == '\t');
        // Without other controls, line ends stay unchanged.
        prop_assert!(is_settled(&once) || once == text && is_settled(&text.replace("\r\n", "\n")));
    }

    #[test]
    fn text_without_moves_loses_nothing(lines in prop::collection::vec("[ -~éß漢]{0,20}", 0..20)) {
        let stream: String = lines.iter().map(|line| format!("\x1b[31m{line}\x1b[0m\r\n")).collect();
        let plain: String = lines.iter().map(|line| format!("{line}\n")).collect();
        prop_assert_eq!(shown(&stream), plain);
    }
}
