//! Limits whose default depends on the mode.

use super::{Mode, Policy, Structured};

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

    /// The limits for searches in force.
    pub fn search_limits(&self) -> SearchLimits {
        SearchLimits {
            context_lines: self.search_context_lines.or(self.in_aggressive(2)),
            matches_per_file: self.limit(self.search_max_matches_per_file, None, 8),
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

    /// Bytes above which the middle of a text without a reducer is left out; `None` for never. For a document that is only
    /// valid as a whole, such as JSON (`is_document`), the default is 32 KiB. A budget does not halve this limit, because it
    /// cuts such texts by tokens.
    pub fn head_tail(&self, is_document: bool) -> Option<usize> {
        let scaled = |bytes: usize| self.scale.of(bytes);
        match is_document {
            true => self.whole_limit(self.head_tail_bytes, Some(scaled(32 << 10)), scaled(32 << 10)),
            false => self.whole_limit(self.head_tail_bytes, Some(scaled(12 << 10)), scaled(6 << 10)),
        }
    }

    /// Bytes of a file view above which `auto` may leave out bodies; `None` for never.
    pub fn outline_bytes(&self) -> Option<usize> {
        self.limit(self.file_outline_bytes, Some(self.scale.of(12 << 10)), self.scale.of(4 << 10))
    }

    /// The given limit, where 0 means none, or the default of the mode; halved as often as a budget requires.
    fn limit(&self, set: Option<usize>, standard: Option<usize>, aggressive: usize) -> Option<usize> {
        let limit = self.whole_limit(set, standard, aggressive);
        limit.map(|n| (n >> self.squeeze.min(16)).max(1))
    }

    /// The same, not halved.
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
    fn what_was_set_wins_over_the_mode() {
        let standard = Policy::default();
        let aggressive = Policy { mode: Mode::Aggressive, ..Policy::default() };
        assert_eq!(standard.search_limits().matches_per_file, None);
        assert_eq!(standard.search_limits().line_length, Some(1000));
        assert_eq!(aggressive.search_limits().matches_per_file, Some(8));
        assert_eq!(aggressive.search_limits().context_lines, Some(2));
        let open = Policy { search_max_matches_per_file: Some(0), diff_max_lines: Some(7), ..aggressive };
        assert_eq!(open.search_limits().matches_per_file, None);
        assert_eq!(open.diff_limits(), DiffLimits { lines_per_hunk: Some(100), lines: Some(7) });
    }
}
