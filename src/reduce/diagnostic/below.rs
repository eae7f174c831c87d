//! The lines around a headline: its code excerpt, the carets below the code, and the place of the code.

/// Whether a line marks code of the line above: carets, tildes and the signs in `between`, at least one of them a caret.
pub fn is_caret(line: &str, between: &[u8]) -> bool {
    line.contains('^') && line.bytes().all(|b| matches!(b, b'^' | b'~') || between.contains(&b))
}

/// `a.c: In function ‘f’:`, `a.h: At top level:`: the scope of the diagnostics below it.
pub fn is_scope(line: &str) -> bool {
    line.ends_with(':') && [": In ", ": At "].iter().any(|word| line.contains(word)) && !line.starts_with(' ')
}

/// The margin of a line that shows code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margin {
    /// Blanks before the number.
    pub indent: usize,
    /// Digits of the line's number; 0 if the line has no number.
    pub digits: usize,
    /// Blanks after the number.
    pub gap: usize,
    /// The sign between the margin and the code: `|`, or `+`, `-` and `~` of a suggested change.
    pub sign: u8,
    /// Bytes of the margin with its sign.
    pub len: usize,
}

/// Reads `   12 | code`, `      | ^~~`, `12 + code`: the margin, if the line has one.
pub fn margin(line: &str) -> Option<Margin> {
    let bytes = line.as_bytes();
    let count = |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| is(b)).count();
    let indent = count(0, |b| matches!(b, b' ' | b'\t'));
    let digits = count(indent, u8::is_ascii_digit);
    let gap = count(indent + digits, |b| matches!(b, b' ' | b'\t'));
    let len = indent + digits + gap + 1;
    let sign = *bytes.get(len - 1)?;
    matches!(sign, b'|' | b'+' | b'-' | b'~').then_some(Margin { indent, digits, gap, sign, len })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_code_are_recognised() {
        assert!(is_caret("~~~^~~", b"") && !is_caret("~~~", b"") && !is_caret("a ^", b" "));
        assert!(is_caret("^  ^", b" ") && !is_caret("^  ^", b""));
        assert!(is_scope("a.c: In function ‘f’:") && is_scope("a.h: At top level:"));
        assert!(!is_scope(" a.c: In function ‘f’:") && !is_scope("a.c: In function ‘f’, x"));
    }

    #[test]
    fn margins_are_read() {
        let read = |line| margin(line).map(|m| (m.indent, m.digits, m.gap, m.sign, m.len));
        assert_eq!(read("   12 | code"), Some((3, 2, 1, b'|', 7)));
        assert_eq!(read("      | ^~~"), Some((6, 0, 0, b'|', 7)));
        assert_eq!(read("12 + code"), Some((0, 2, 1, b'+', 4)));
        assert_eq!((read("12 code"), read("a | b"), read(""), read("12")), (None, None, None, None));
    }
}
