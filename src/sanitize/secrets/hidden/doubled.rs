//! Doubled quotation marks inside a cell of CSV: `7,"{""key"": ""…""}",3`.
//!
//! The two marks of an empty string are recognized because no letter is beside them.

use super::near::Near;
use super::view::View;
use crate::stop;

/// The text near keywords with such marks written once; `None` without one.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    let (mut view, mut copied) = (View::default(), 0);
    for stretch in near.stretches() {
        for at in memchr::memmem::find_iter(&text[stretch.clone()], b"\"\"").map(|n| stretch.start + n) {
            stop::tick();
            let is_word =
                |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphanumeric);
            if at >= copied && is_word(at.checked_sub(1)) != is_word(Some(at + 2)) {
                view.copy_near(text, copied..at + 1);
                copied = at + 2;
            }
        }
    }
    (!view.bytes().is_empty()).then(|| {
        view.copy_behind(text, copied);
        view
    })
}
