//! Finds an end of a text that is still arriving which may be a part of a secret. Such an end is held back until its
//! rest arrives.

use super::pem;
use super::table::table;

/// Longest last line that waits as a whole, in bytes. A choice.
const MAX_LINE_BYTES: usize = 64 << 10;
/// Lines before the last one, without empty ones, whose keywords are considered too: a value may be below its name. A
/// choice.
const LINES_BEFORE: usize = 2;

/// The start of the end of a text that may be a part of a secret: of an incomplete last line if it or the lines
/// before contain a keyword of a rule, or of a key block without its END line. `None` if the whole text can be
/// judged.
pub fn open(text: &[u8]) -> Option<usize> {
    let block = pem::open(text);
    let from = text.len().saturating_sub(MAX_LINE_BYTES);
    let near = text.get(from..).unwrap_or_default();
    let line = match memchr::memrchr2(b'\n', b'\r', near).map(|at| at + 1) {
        Some(line) => line,
        None if from == 0 => 0,
        // If the line is too long, only its last word is held back.
        None => near.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1),
    };
    if line == near.len() || is_prompt(near.get(line..).unwrap_or_default()) {
        return block;
    }
    let mut read = line;
    for _ in 0..LINES_BEFORE {
        let before = near.get(..read).unwrap_or_default().trim_ascii_end();
        // A line with a name whose value follows on a later line ends with an operator or a bracket.
        if before.last().is_none_or(u8::is_ascii_alphanumeric) {
            break;
        }
        read = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    }
    let mut may_begin = table().is_none();
    if let Some(table) = table() {
        table.keywords.for_each(near.get(read..).unwrap_or_default(), |_, _| may_begin = true);
    }
    let line = may_begin.then_some(from + line);
    block.into_iter().chain(line).min()
}

/// Longest line that is treated as a prompt, in bytes. A choice.
const MAX_PROMPT_BYTES: usize = 200;

/// Whether an incomplete line asks for a value and holds none: `user@host's password: `. The user must see it at
/// once. A value that follows is still found.
fn is_prompt(line: &[u8]) -> bool {
    let Some((b':' | b'?', asks)) = line.trim_ascii_end().split_last() else { return false };
    let has_value = asks.iter().enumerate().any(|(at, byte)| match byte {
        b'=' => true,
        b':' => !asks.get(at + 1..).is_some_and(|rest| rest.starts_with(b"//")),
        _ => false,
    });
    asks.len() <= MAX_PROMPT_BYTES && !has_value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_or_a_block_that_may_hold_a_secret_is_open_until_its_end() {
        for (text, expected) in [
            ("", None),
            ("a\nContinue? [y/N] ", None),
            ("a\n[sudo] password for dev: ", None),
            ("Enter passphrase for key '/home/dev/.ssh/id_ed25519': ", None),
            ("Password for 'https://dev@example.com': ", None),
            ("a\npassword: Kx9m: ", Some(2)),
            ("a\nDB_PASSWORD=Kx9m:", Some(2)),
            ("a\npassword: Kx9m", Some(2)),
            ("a\nDB_PASSWORD=\"Kx9m ", Some(2)),
            ("a\nDB_PASSWORD=\"Kx9m Q2\"\n", None),
            ("seed phrase:\n\nribbon cactus ", Some(14)),
            ("passwords\r\nribbon cactus ", None),
            ("password: x\nribbon cactus ", None),
            ("password: (\r\n\"Kx9m ", Some(13)),
        ] {
            assert_eq!(open(text.as_bytes()), expected, "{text}");
        }
        let begin = ["-----BEGIN OpenVPN Sta", "tic key V1-----\n"].concat();
        let block = format!("a\n{begin}0123456789abcdef0123456789abcdef\n");
        assert_eq!(open(block.as_bytes()), Some(2));
        assert_eq!(open(format!("{block}-----END OpenVPN Static key V1-----\n").as_bytes()), None);
        assert_eq!(open(format!("{block}if x {{\n").as_bytes()), None);
        assert_eq!(open(format!("a {begin}some text of a log, and more\n").as_bytes()), None);
    }
}
