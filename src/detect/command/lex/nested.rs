//! Where quotations and substitutions of a POSIX shell end, with those that are nested in them. `None` where nothing
//! closes them. Without recursion: a text may nest as deep as it is long.

/// Brackets of one substitution in which a quotation is still looked into.
const MAX_BRACKETS: usize = 64;

/// What is open.
enum Open {
    /// A text in double quotes.
    Quotes,
    /// A substituted command, and how many of its brackets are open.
    Brackets(usize),
}

/// After the next `close` after `at`.
pub(super) fn closed(bytes: &[u8], at: usize, close: u8) -> Option<usize> {
    Some(at + memchr::memchr(close, bytes.get(at + 1..)?)? + 2)
}

/// After a text in double quotes that begins at `at`.
pub(super) fn double_quoted(bytes: &[u8], at: usize) -> Option<usize> {
    end(bytes, at + 1, Open::Quotes)
}

/// After a substituted command whose bracket is at `at`.
pub(super) fn bracketed(bytes: &[u8], at: usize) -> Option<usize> {
    end(bytes, at + 1, Open::Brackets(1))
}

/// After what is open at `at`.
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
