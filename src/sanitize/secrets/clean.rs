//! The short texts without secrets that this thread searched last. Parts of a call are examined several times, and
//! occur again in the next call. Texts with a secret are never stored.

use std::cell::RefCell;
use std::collections::VecDeque;

/// Longest text that is remembered, in bytes: commands and names are shorter, and so are most texts that a call writes.
const MAX_BYTES: usize = 8 << 10;
/// Most texts.
const MAX_TEXTS: usize = 16;

thread_local! {
    static LAST: RefCell<VecDeque<Vec<u8>>> = const { RefCell::new(VecDeque::new()) };
}

/// Whether a text was found to hold no secret.
pub(super) fn is_known(text: &[u8]) -> bool {
    text.len() <= MAX_BYTES && LAST.with_borrow(|last| last.iter().any(|known| known == text))
}

/// Remembers that a text holds no secret. Replaces the oldest one.
pub(super) fn remember(text: &[u8]) {
    if text.len() > MAX_BYTES {
        return;
    }
    LAST.with_borrow_mut(|last| {
        let mut room = match last.len() {
            MAX_TEXTS => last.pop_back().unwrap_or_default(),
            _ => Vec::new(),
        };
        room.clear();
        room.extend_from_slice(text);
        last.push_front(room);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_short_texts_are_known() {
        for number in 0..=MAX_TEXTS {
            remember(number.to_string().as_bytes());
        }
        assert!(!is_known(b"0") && (1..=MAX_TEXTS).all(|number| is_known(number.to_string().as_bytes())));
        let long = [b'x'; MAX_BYTES + 1];
        remember(&long);
        assert!(!is_known(&long) && is_known(b"1"));
    }

    #[test]
    fn a_text_with_a_secret_is_not() {
        let secret = ["ghp_", "x7Kq2mW9", "pL4vT8nB3rY6", "cZ1sD5fH0gJ2kQ8w"].concat();
        let text = format!("token {secret}");
        for _ in 0..2 {
            assert_eq!(super::super::find(text.as_bytes()).len(), 1);
        }
        assert!(!is_known(text.as_bytes()));
    }
}
