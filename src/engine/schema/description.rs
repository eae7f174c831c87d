//! Minifies one description: removes white space without meaning, never words.

/// Trims white space at line ends, keeps one of consecutive empty lines, and replaces runs of blanks and tabs inside a line
/// by one blank. Between code fences it trims only line ends. A second run changes nothing.
pub(super) fn minify(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence = None;
    let mut was_empty = false;
    for (i, line) in text.split('\n').enumerate() {
        let line = line.trim_end();
        let is_code = fence.is_some();
        match (fence, fence_of(line)) {
            (None, Some((length, _))) => fence = Some(length),
            (Some(open), Some((length, true))) if length >= open => fence = None,
            _ => {}
        }
        if line.is_empty() && was_empty && !is_code {
            continue;
        }
        was_empty = line.is_empty() && !is_code;
        if i > 0 {
            out.push('\n');
        }
        match is_code || fence.is_some() {
            true => out.push_str(line),
            false => collapse_blanks(line, &mut out),
        }
    }
    out
}

/// For a line that opens or may close a code block: its number of backticks, and whether it may close one.
fn fence_of(line: &str) -> Option<(usize, bool)> {
    let line = line.trim_start();
    let info = line.trim_start_matches('`');
    let length = line.len() - info.len();
    // Backticks followed by another backtick are inline code.
    (length >= 3 && !info.contains('`')).then_some((length, info.is_empty()))
}

/// Replaces each run of blanks and tabs by one blank, except at the start of the line.
fn collapse_blanks(line: &str, out: &mut String) {
    let text = line.trim_start_matches([' ', '\t']);
    out.push_str(&line[..line.len() - text.len()]);
    let mut rest = text;
    while let Some(at) = rest.find([' ', '\t']) {
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = rest[at..].trim_start_matches([' ', '\t']);
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn white_space_goes_and_words_stay() {
        for (text, expected) in [
            ("", ""),
            (" \t \n\n ", ""),
            ("\n", ""),
            ("a  b\t\tc \t d", "a b c d"),
            ("one\ttab", "one tab"),
            ("a   \r\nb\t\n", "a\nb\n"),
            ("a\n\n\n\nb\n\n\n", "a\n\nb\n"),
            ("\n\n\na", "\na"),
            ("  - item   one\n    more   of it", "  - item one\n    more of it"),
            ("x  y\n```sh\nls   -l  \n\n\n\techo\n```\nx  y", "x y\n```sh\nls   -l\n\n\n\techo\n```\nx y"),
            ("```\na  b", "```\na  b"),
            ("````\n```\na  b\n````\na  b", "````\n```\na  b\n````\na b"),
            ("```a  b``` c  d\na  b", "```a b``` c d\na b"),
            ("```\nx\n```js\na  b\n```\na  b", "```\nx\n```js\na  b\n```\na b"),
        ] {
            assert_eq!(minify(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn twice_is_once_and_only_white_space_goes(text in "([a-c]| |\t|\n|\r|```|`|\u{a0}|é){0,60}") {
            let once = minify(&text);
            prop_assert_eq!(&minify(&once), &once);
            prop_assert!(once.len() <= text.len());
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&once), words(&text));
        }
    }
}
