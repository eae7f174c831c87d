//! Properties of both readings on any text.

use proptest::prelude::*;

use super::*;

/// Pieces with a meaning for a shell.
const PIECES: [&str; 44] = [
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\\",
    "\\\n",
    "'",
    "\"",
    "$'",
    "$\"",
    "$(",
    "${",
    "`",
    "(",
    ")",
    "{",
    "}",
    "[[",
    "]]",
    "#",
    "<",
    ">",
    "&",
    "|",
    ";",
    "&&",
    "||",
    ";;",
    "|&",
    "&>",
    ">|",
    "2>&1",
    "<<E",
    "\nE\n",
    "<(",
    "$$",
    "a",
    "2",
    "é",
    "git",
    "'x y'",
    "\"$(a \"b\")\"",
    "\u{3000}",
];

fn command() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES.as_slice()), 0..24)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn tokens_stand_in_order_and_nothing_but_blanks_between_them(text in command()) {
        for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
            lex(&text, dialect);
        }
        let read = read(&text);
        prop_assert!(read.passed.iter().all(|(_, at)| *at <= text.len()));
        if !read.passed.is_empty() {
            return Ok(());
        }
        let mut at = 0;
        for Spanned { token, range } in &read.tokens {
            let between = text.get(at..range.start).ok_or_else(|| TestCaseError::fail(format!("{range:?}")))?;
            let between = between.replace("\\\n", "");
            prop_assert!(between.bytes().all(|b| b" \t\r".contains(&b)), "{between:?} before {token:?}");
            let own = text.get(range.clone()).ok_or_else(|| TestCaseError::fail(format!("{range:?}")))?;
            match token {
                Token::Op(op) => prop_assert_eq!(own, *op),
                Token::Redirect(..) => prop_assert!(own.contains(['<', '>'])),
                Token::Word(word) if !word.is_quoted && !own.contains(['\\', '"']) => prop_assert_eq!(own, &word.text),
                Token::Word(_) => {}
            }
            at = range.end;
        }
        prop_assert!(text[at..].bytes().all(|b| b" \t\r\\\n".contains(&b)), "{:?}", &text[at..]);
    }
}

#[test]
fn what_is_never_closed_ends_with_the_text_and_is_noted() {
    for open in
        ["'b && c", "\"b && c", "$'b && c", "$(b && c", "${b && c", "`b && c", "\"$(b && c\"", "\"`b && c\""]
    {
        let text = format!("a {open}");
        let tokens = lex(&text, Dialect::Posix);
        assert_eq!(tokens.len(), 2, "{text}: {tokens:?}");
        assert!(
            matches!(&tokens[1], Token::Word(word) if word.text.ends_with('c') || word.text.ends_with("c\"")),
            "{text}"
        );
        assert_eq!(
            read(&text).passed.first().map(|(what, _)| *what),
            Some(SkippedConstruct::Unclosed),
            "{text}"
        );
    }
}

#[test]
fn a_text_may_nest_as_deep_as_it_is_long() {
    let open = "\"$(".repeat(50_000);
    assert_eq!(read(&open).passed.first(), Some(&(SkippedConstruct::Unclosed, 0)));
    let whole = read(&(open + &")\"".repeat(50_000)));
    assert_eq!((whole.tokens.len(), whole.passed), (1, vec![]));
}

#[test]
fn what_is_passed_over_is_noted_where_it_stands() {
    for (text, what, at) in [
        ("a # b", SkippedConstruct::Comment, 2),
        ("a > #b", SkippedConstruct::Comment, 4),
        ("a; (b)", SkippedConstruct::Group, 3),
        ("f() { :; }", SkippedConstruct::Group, 1),
        ("a <<E\nE", SkippedConstruct::HereText, 2),
        ("a <<< b", SkippedConstruct::HereText, 2),
        ("a <(b)", SkippedConstruct::Process, 2),
        ("a >(b)", SkippedConstruct::Process, 2),
        ("a & b", SkippedConstruct::Background, 2),
        ("a <&3", SkippedConstruct::Background, 3),
        ("a >>& b", SkippedConstruct::Background, 4),
        ("a |& b", SkippedConstruct::PipeOfBoth, 2),
        ("a ;; b", SkippedConstruct::BranchEnd, 2),
        ("a\n; b", SkippedConstruct::BranchEnd, 1),
        ("kill $!", SkippedConstruct::ProcessNumber, 5),
        ("a$$", SkippedConstruct::ProcessNumber, 1),
    ] {
        assert_eq!(read(text).passed.first(), Some(&(what, at)), "{text}");
    }
    for text in [
        "a '# & ('",
        "a \"# & (\"",
        "a $(b & c)",
        "a \\# \\& \\(",
        "a 2>&1 | b &> c && d >&2",
        "a#b",
        "a 2>&1#b",
        "[[ a && b ]]",
    ] {
        assert_eq!(read(text).passed, [], "{text}");
    }
}

/// `lex` parses substitutions only roughly; `read` ends them where a shell does.
#[test]
fn the_readings_differ_in_what_is_nested() {
    let words = |tokens: Vec<Token>| tokens.iter().filter(|token| matches!(token, Token::Word(_))).count();
    let exact = |text: &str| words(read(text).tokens.into_iter().map(|spanned| spanned.token).collect());
    for text in ["a \"`echo \"b c\"`\"", "a \"$(b \"$(c \"d) e\")\")\"", "a $(b \\) c)"] {
        assert_eq!(exact(text), 2, "{text}");
        assert_ne!(words(lex(text, Dialect::Posix)), 2, "{text}");
    }
    assert_eq!((exact("[[ a ]]"), words(lex("[[ a ]]", Dialect::Posix))), (3, 1));
}

#[test]
fn a_command_line_of_too_many_words_is_not_read() {
    let words = "a ".repeat(MAX_TOKENS);
    assert_eq!(lex(&words, Dialect::Posix).len(), MAX_TOKENS);
    assert_eq!(lex(&(words + "a"), Dialect::Posix), []);
}
