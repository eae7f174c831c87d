//! Tracks how much of an output the host still shows. It counts output that passes unchanged, so that the rest is held until
//! it can be compressed.

use super::Shown;

/// One byte in this many of the host's limit is for the end of an output, also if more than the limit was written
/// before. A choice.
const END_ONE_IN: usize = 8;

/// How much may still pass. All streams of a command share it, because the host shows them as one output.
#[derive(Debug)]
pub(super) struct Limit {
    /// The host's limits; `None` if unknown: then everything may pass.
    shown: Option<Shown>,
    written: usize,
    is_closed: bool,
}

impl Limit {
    pub(super) fn new(shown: Option<Shown>) -> Self {
        Self { shown, written: 0, is_closed: false }
    }

    /// Bytes of a piece that may pass unchanged: whole lines, and in total half of the host's limit. The other half is for
    /// the end, which may hold failures.
    pub(super) fn admit(&mut self, piece: &[u8]) -> usize {
        let Some(Shown { whole, failed }) = self.shown else { return piece.len() };
        if self.is_closed {
            return 0;
        }
        let room = (whole.min(failed) / 2).saturating_sub(self.written);
        let length = if piece.len() <= room {
            piece.len()
        } else {
            self.is_closed = true;
            memchr::memrchr(b'\n', &piece[..room]).map_or(0, |at| at + 1)
        };
        self.written += length;
        length
    }

    /// Counts compressed output.
    pub(super) fn add(&mut self, written: usize) {
        self.written = self.written.saturating_add(written);
    }

    /// Bytes that the host still shows for a successful command, or for one that failed or still runs.
    pub(super) fn left(&self, has_worked: bool) -> Option<usize> {
        let whole = self.shown.map(|shown| if has_worked { shown.whole } else { shown.failed });
        whole.map(|whole| whole.saturating_sub(self.written))
    }

    /// The least room for the end of an output: whatever was written before, its failures are shown.
    pub(super) fn left_at_end(&self, has_worked: bool) -> Option<usize> {
        let least = self.shown.map_or(0, |shown| shown.whole.min(shown.failed) / END_ONE_IN);
        self.left(has_worked).map(|left| left.max(least))
    }

    /// Whether the host's limits are known.
    pub(super) fn is_known(&self) -> bool {
        self.shown.is_some()
    }

    /// Lifts the limit, because more output came than can be held.
    pub(super) fn lift(&mut self) {
        self.shown = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_passes_in_whole_lines_and_the_rest_is_left() {
        let shown = |whole, failed| Limit::new(Some(Shown { whole, failed }));
        let mut limit = shown(50, 40);
        assert_eq!(limit.admit(b"123456789\n"), 10);
        assert_eq!(limit.admit(b"1234\n67\n9abcdef"), 8);
        assert_eq!((limit.left(true), limit.left(false)), (Some(32), Some(22)));
        // Later pieces must wait too, to keep the order.
        assert_eq!(limit.admit(b"\n"), 0);
        limit.add(30);
        assert_eq!((limit.left(true), limit.left(false)), (Some(2), Some(0)));
        assert_eq!((limit.left_at_end(true), limit.left_at_end(false)), (Some(5), Some(5)));
        limit.lift();
        assert_eq!(limit.left_at_end(true), None);
        assert_eq!((limit.admit(b"abc"), limit.left(true)), (3, None));
        assert_eq!(Limit::new(None).admit(&[0; 99]), 99);
        assert_eq!(shown(40, 40).admit(&[b'x'; 99]), 0);
    }
}
