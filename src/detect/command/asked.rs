//! Words in a command line that request its exact output.

use memchr::memmem;

/// A variable with which a command line turns compression off; the settings read it too.
const VARIABLE: &[u8] = b"TERSED_MODE=";
/// The values of this variable that turn compression off, in upper or lower case.
pub const OFF_WORDS: [&str; 7] = ["off", "disabled", "none", "no", "raw", "false", "0"];
/// The wrapper for a command whose output stays as it is.
const RAW: &[u8] = b"tersed run --raw";

/// Whether `TERSED_MODE=off` or `tersed run --raw` is in a command line, as words of their own. Words in quotes
/// count too, because scripts are in quotes. At worst, the result of a command that only mentions these words stays
/// exact.
pub fn asks_for_exact_output(text: &str) -> bool {
    let text = text.as_bytes();
    let is_off = |end: usize| {
        // The value may be quoted by itself.
        let value =
            text[end..].strip_prefix(b"'").or(text[end..].strip_prefix(b"\"")).unwrap_or(&text[end..]);
        let is_it = |off: &&str| {
            let given =
                value.get(..off.len()).is_some_and(|given| given.eq_ignore_ascii_case(off.as_bytes()));
            given && is_word_end(&value[off.len()..])
        };
        OFF_WORDS.iter().any(is_it)
    };
    let starts_word = |at: usize| at.checked_sub(1).is_none_or(|before| is_between(text[before]));
    memmem::find_iter(text, VARIABLE).any(|at| starts_word(at) && is_off(at + VARIABLE.len()))
        || memmem::find_iter(text, RAW).any(|at| {
            // The program may be named with its folder.
            (starts_word(at) || text[at - 1] == b'/') && is_word_end(&text[at + RAW.len()..])
        })
}

fn is_word_end(rest: &[u8]) -> bool {
    rest.first().is_none_or(|next| is_between(*next))
}

/// Whether a byte may be between the words of a shell.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"'\"`;&|(){}".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_the_command_asks_for_all() {
        for text in [
            "TERSED_MODE=off cargo test",
            "cd web && TERSED_MODE=off npm test 2>&1 | tail -5",
            "env A=1 TERSED_MODE='disabled' make",
            "TERSED_MODE=OFF cargo test",
            "TERSED_MODE=0 cargo test",
            "TERSED_MODE=none",
            "bash -lc \"TERSED_MODE=off cargo test\"",
            "export TERSED_MODE=off; make",
            "tersed run --raw -- cargo test",
            "/usr/bin/tersed run --raw --shell 'make'",
        ] {
            assert!(asks_for_exact_output(text), "{text}");
        }
        for text in [
            "",
            "cargo test",
            "TERSED_MODE=offline cargo test",
            "TERSED_MODE=safe cargo test",
            "TERSED_MODE=0.5 cargo test",
            "MY_TERSED_MODE=off cargo test",
            "tersed run -- cargo test --raw",
            "tersed run --rawest -- x",
            "untersed run --raw -- x",
        ] {
            assert!(!asks_for_exact_output(text), "{text}");
        }
    }
}
