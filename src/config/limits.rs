//! Limits whose default depends on the mode.

use super::{Mode, Policy, Scale, Structured};

/// Most matches shown of one file in `standard` and `aggressive`: as many as a reader looks through. A choice. A file
/// with few more is shown whole.
const MAX_MATCHES: usize = 8;
/// The limit for matches of one file is at least this large, however small the context is.
const FEWEST_MATCHES: usize = 4;

/// Limits for searches. `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// Context lines on each side of a match.
    pub context_lines: Option<usize>,
    /// Matches of one file.
    pub matches_per_file: Option<usize>,
    /// Files.
    pub files: Option<usize>,
    /// Characters of a line.
    pub line_length: Option<usize>,
}

/// Limits for diffs. `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLimits {
    /// Changed lines of one hunk.
    pub lines_per_hunk: Option<usize>,
    /// Changed lines in all.
    pub lines: Option<usize>,
}

/// Limits for structured data. `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataLimits {
    /// Items of an array.
    pub items: Option<usize>,
    /// Characters of a string.
    pub string: Option<usize>,
}

impl Policy {
    /// The limits for structured data in force.
    pub fn data_limits(&self) -> DataLimits {
        DataLimits {
            items: self.limit(self.array_max_items, None, 24),
            string: self.limit(self.string_max_length, None, 1000),
        }
    }

    /// What may happen to structured data; by default the mode decides.
    pub fn structured_form(&self) -> Structured {
        match self.structured {
            Structured::Auto if self.mode == Mode::Aggressive => Structured::Tables,
            Structured::Auto => Structured::Parseable,
            set => set,
        }
    }

    /// Whether `aggressive` may write a document in another form.
    pub fn rewrites_documents(&self) -> bool {
        self.mode == Mode::Aggressive && self.structured_form() != Structured::Parseable
    }

    /// The limits for searches in force, for a result of this many bytes.
    ///
    /// `standard` shows all matches, with one exception: of a search that is longer than `headTailBytes`, in a
    /// context that is not full, it shows as many of each file as `aggressive` does. Otherwise the middle of such a
    /// text would be cut.
    pub fn search_limits(&self, bytes: usize) -> SearchLimits {
        let is_large = self.scale < Scale::FULL
            && self.mode == Mode::Standard
            && self.head_tail_from(false, self.scale).is_some_and(|limit| bytes > limit);
        let matches = is_large.then_some(MAX_MATCHES);
        let few = self.scale.of(MAX_MATCHES).max(FEWEST_MATCHES);
        SearchLimits {
            context_lines: self.search_context_lines.or(self.in_aggressive(2)),
            matches_per_file: self.limit(self.search_max_matches_per_file, matches, few),
            files: self.limit(self.search_max_files, None, 100),
            line_length: self.limit(self.search_max_line_length, Some(1000), 240),
        }
    }

    /// The limits for diffs in force.
    pub fn diff_limits(&self) -> DiffLimits {
        DiffLimits {
            lines_per_hunk: self.limit(self.diff_max_lines_per_hunk, None, 100),
            lines: self.limit(self.diff_max_lines, None, 500),
        }
    }

    /// Bytes above which such a text is cut. In a small context this is one and a half times the size to which it is
    /// cut: leaving out less would save less than the cost of one more answer.
    pub fn head_tail_from(&self, is_document: bool, scale: Scale) -> Option<usize> {
        let whole = self.head_tail(is_document, Scale::FULL);
        let scaled = self.head_tail(is_document, scale).map(|limit| limit.saturating_add(limit / 2));
        whole.zip(scaled).map(|(whole, scaled)| whole.min(scaled))
    }

    /// Bytes to which a text without a reducer is cut by leaving out its middle; `None` for never. For a document that is only
    /// valid as a whole, such as JSON (`is_document`), the default is 32 KiB. A budget does not halve this limit, because it
    /// cuts such texts by tokens.
    pub fn head_tail(&self, is_document: bool, scale: Scale) -> Option<usize> {
        match is_document {
            true => self.whole_limit(self.head_tail_bytes, Some(scale.of(32 << 10)), scale.of(32 << 10)),
            false => self.whole_limit(self.head_tail_bytes, Some(scale.of(12 << 10)), scale.of(6 << 10)),
        }
    }

    /// Bytes of a file view above which `auto` may leave out bodies; `None` for never. It does not depend on the
    /// context: for files of 8 to 12 KiB, agents needed more of the bodies than leaving them out saved.
    pub fn outline_bytes(&self) -> Option<usize> {
        self.limit(self.file_outline_bytes, Some(12 << 10), 4 << 10)
    }

    /// The given limit, where 0 means none, or the default of the mode; halved as often as a budget requires.
    fn limit(&self, set: Option<usize>, standard: Option<usize>, aggressive: usize) -> Option<usize> {
        let limit = self.whole_limit(set, standard, aggressive);
        limit.map(|n| (n >> self.squeeze.min(16)).max(1))
    }

    /// The given limit, where 0 means none, or the default of the mode.
    fn whole_limit(&self, set: Option<usize>, standard: Option<usize>, aggressive: usize) -> Option<usize> {
        match set {
            Some(n) => Some(n).filter(|n| *n > 0),
            None => self.in_aggressive(aggressive).or(standard),
        }
    }

    fn in_aggressive(&self, limit: usize) -> Option<usize> {
        (self.mode == Mode::Aggressive).then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_context_has_smaller_limits_but_not_those_that_were_set() {
        let scale = Scale::of_context(0, 0);
        for mode in [Mode::Standard, Mode::Aggressive] {
            let alone = Policy { mode, ..Policy::default() };
            let first = Policy { scale, ..alone.clone() };
            for is_document in [false, true] {
                assert_eq!(
                    first.head_tail(is_document, scale),
                    alone.head_tail(is_document, Scale::FULL).map(|n| scale.of(n))
                );
            }
            assert_eq!(alone.head_tail_from(false, Scale::FULL), alone.head_tail(false, Scale::FULL));
            assert_eq!(first.head_tail_from(false, scale), first.head_tail(false, scale).map(|n| n + n / 2));
            let set = Policy {
                head_tail_bytes: Some(9_000),
                file_outline_bytes: Some(8_000),
                search_max_matches_per_file: Some(0),
                ..first
            };
            assert_eq!((set.head_tail(false, scale), set.outline_bytes()), (Some(9_000), Some(8_000)));
            assert_eq!(set.search_limits(1 << 20).matches_per_file, None);
        }
        let standard = Policy { scale, ..Policy::default() };
        let matches = |bytes: usize| standard.search_limits(bytes).matches_per_file;
        assert_eq!((matches(6_900), matches(7_000)), (None, Some(8)));
        assert_eq!(standard.outline_bytes(), Policy::default().outline_bytes());
        assert_eq!(Policy::default().search_limits(60_000).matches_per_file, None);
        let aggressive = Policy { mode: Mode::Aggressive, ..standard };
        assert_eq!(aggressive.search_limits(0).matches_per_file, Some(4));
    }

    #[test]
    fn what_was_set_wins_over_the_mode() {
        let standard = Policy::default();
        let aggressive = Policy { mode: Mode::Aggressive, ..Policy::default() };
        assert_eq!(standard.search_limits(0).matches_per_file, None);
        assert_eq!(standard.search_limits(0).line_length, Some(1000));
        assert_eq!(aggressive.search_limits(0).matches_per_file, Some(8));
        assert_eq!(aggressive.search_limits(0).context_lines, Some(2));
        let open = Policy { search_max_matches_per_file: Some(0), diff_max_lines: Some(7), ..aggressive };
        assert_eq!(open.search_limits(0).matches_per_file, None);
        assert_eq!(open.diff_limits(), DiffLimits { lines_per_hunk: Some(100), lines: Some(7) });
    }
}
