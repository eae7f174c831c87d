//! The ends of quotations and substitutions of a POSIX shell, including nested ones. `None` if they are not closed.
//! Without recursion: a text may nest as deep as it is long.

/// Nested brackets of one substitution up to which quotations are parsed.
const MAX_BRACKETS: usize = 64;

/// An open construct.
enum Open {
    /// A text in double quotes.
    Quotes,
    /// A substituted command, and how many of its brackets are open.
    Brackets(usize),
}

/// The position after the next `close` from `at` on.
pub(super) fn closed(bytes: &[u8], at: usize, close: u8) -> Option<usize> {
    Some(at + memchr::memchr(close, bytes.get(at + 1..)?)? + 2)
}

/// The position after a text in double quotes that begins at `at`.
pub(super) fn double_quoted(bytes: &[u8], at: usize) -> Option<usize> {
    end(bytes, at + 1, Open::Quotes)
}

/// The position after a command substitution whose bracket is at `at`.
pub(super) fn bracketed(bytes: &[u8], at: usize) -> Option<usize> {
    end(bytes, at + 1, Open::Brackets(1))
}

/// The position after the construct that is open at `at`.
fn end(bytes: &[u8], mut at: usize, open: Open) -> Option<usize> {
    let mut all = vec![open];
    while let Some(open) = all.last_mut() {
        let b = *bytes.get(at)?;
        match (open, b) {
            (_, b'\\') => at += 2,
            (Open::Quotes, b'"') => {
                all.pop();
                at += 1;
            }
            (Open::Quotes, b'$') if bytes.get(at + 1) == Some(&b'(') => {
                all.push(Open::Brackets(1));
                at += 2;
            }
            (Open::Quotes, b'`') => at = closed(bytes, at, b'`')?,
            (Open::Brackets(count), b'(') => (*count, at) = (*count + 1, at + 1),
            (Open::Brackets(count), b')') => {
                (*count, at) = (*count - 1, at + 1);
                if *count == 0 {
                    all.pop();
                }
            }
            (Open::Brackets(_), b'\'') => at = closed(bytes, at, b'\'')?,
            (Open::Brackets(count), b'"') if *count < MAX_BRACKETS => {
                all.push(Open::Quotes);
                at += 1;
            }
            (Open::Brackets(_), b'"') => return None,
            _ => at += 1,
        }
    }
    Some(at)
}
