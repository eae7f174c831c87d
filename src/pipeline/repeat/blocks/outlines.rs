//! Repeated outlines: if an earlier result shows the same declarations with the same gaps between them, one line
//! refers to it. Otherwise a file that is read again after an edit would show its whole outline again.
//!
//! Only what would be shown is compared, not the gaps: the marker says that the outline is the same, not the bodies.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::index::Alike;
use super::{Earlier, MAX_REFERENCES, Position, Reference, ResultRange};
use crate::text::ledger::{Action, Ledger};
use crate::text::lines::Lines;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// First lines of a file by which earlier views of it are found. An outline shows at least 20 of them.
const HEAD_LINES: usize = 64;
/// The most earlier results that are compared.
const MAX_RESULTS: usize = 4;
/// The most places of a declaration that are compared in one result.
const MAX_PLACES: usize = 4;
/// The fewest gaps that a reference replaces: with fewer gaps the outline is as short as the reference.
const MIN_GAPS: usize = 4;
/// The fewest bytes that a reference replaces: twice its marker.
const MIN_BYTES: usize = 240;
/// Approximate bytes of the marker of a gap.
const GAP_BYTES: usize = 48;

/// The parts of an outline that earlier results show, in order. `others` is the number of references before them;
/// `held` lines are kept.
pub fn find(
    source: &Source<'_>,
    part: usize,
    ledger: &Ledger,
    protected: &[usize],
    earlier: Earlier<'_>,
    others: usize,
) -> Vec<Reference> {
    match earlier {
        Earlier::Nothing => Vec::new(),
        Earlier::Decided(references) => {
            references.iter().filter(|r| r.part as usize == part && r.is_outline).cloned().collect()
        }
        Earlier::Live { index, now, window, asks, .. } => {
            let open = |at: Position| at.is_within(now, window);
            let outline = Outline::new(source, ledger, protected);
            if outline.gaps.len() < MIN_GAPS {
                return Vec::new();
            }
            let views = index.alike(source, HEAD_LINES, MAX_RESULTS, &open);
            let views: Vec<_> = views.iter().map(|view| (view, places(view.shown))).collect();
            let mut out = Vec::new();
            let mut at = 0;
            while at < outline.gaps.len() && others + out.len() < MAX_REFERENCES {
                let best = views
                    .iter()
                    .filter_map(|(view, places)| outline.longest(at, view, places, asks))
                    .reduce(|a, b| if b.gaps > a.gaps { b } else { a });
                match best.filter(|same| outline.pays(at, same)) {
                    Some(same) => {
                        let ago = now.results.saturating_sub(same.view.results) + 1;
                        // The last gap and the declaration above it are shown, because the text below belongs to
                        // them.
                        let lines = outline.gaps[at].start..outline.gaps[at + same.gaps - 2].end;
                        let before = same.view.shown.get(same.place).copied();
                        out.push(Reference {
                            part: part as u32,
                            lines: (lines.start as u32, lines.end as u32),
                            origin: Arc::clone(same.view.origin),
                            origin_number: before.map_or(0, |line| line.result_number + 1),
                            view_number: before
                                .map_or(0, |line| line.view_number + u32::from(line.view_number > 0)),
                            ago: ago as u32,
                            is_outline: true,
                        });
                        at += same.gaps;
                    }
                    None => at += 1,
                }
            }
            out
        }
    }
}

/// For each line that a result shows, the indexes of its first occurrences.
fn places(shown: &Lines) -> HashMap<&str, Vec<usize>> {
    let mut out: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, text) in shown.texts().enumerate() {
        let places = out.entry(text).or_default();
        if places.len() < MAX_PLACES {
            places.push(i);
        }
    }
    out
}

/// The outline that a result would show of a file.
struct Outline<'a> {
    source: &'a Source<'a>,
    /// Gaps that leave out bodies, in order.
    gaps: Vec<Range<usize>>,
    /// For each gap, whether all lines between it and the next gap are shown and none is protected.
    joins: Vec<bool>,
}

/// The same part of an outline in an earlier result.
struct Same<'v, 'i> {
    view: &'v Alike<'i>,
    /// The index of the line above its first gap.
    place: usize,
    /// How many gaps agree, including the lines between them.
    gaps: usize,
}

impl<'a> Outline<'a> {
    fn new(source: &'a Source<'a>, ledger: &Ledger, protected: &[usize]) -> Self {
        let (mut gaps, mut joins): (Vec<Range<usize>>, Vec<bool>) = (Vec::new(), Vec::new());
        let mut joined = false;
        for span in ledger.spans() {
            match &span.action {
                Action::Omit { reason: Reason::FileBody, .. } => {
                    if let Some(last) = joins.last_mut() {
                        *last = joined;
                    }
                    gaps.push(span.lines.clone());
                    joins.push(false);
                    joined = true;
                }
                Action::Keep => {
                    let first = protected.partition_point(|line| *line < span.lines.start);
                    joined &= protected.get(first).is_none_or(|line| *line >= span.lines.end);
                }
                _ => joined = false,
            }
        }
        Self { source, gaps, joins }
    }

    fn text(&self, i: usize) -> &'a str {
        self.source.view().text(self.source.raw(i), i)
    }

    /// The longest run of gaps, starting with gap `at`, that an earlier result shows in the same way.
    fn longest<'v, 'i>(
        &self,
        at: usize,
        view: &'v Alike<'i>,
        places: &HashMap<&str, Vec<usize>>,
        asks: Option<ResultRange>,
    ) -> Option<Same<'v, 'i>> {
        let above = self.gaps[at].start.checked_sub(1)?;
        let places = places.get(self.text(above))?;
        let run = |place: usize| {
            // The agent got a reference to these lines and requests them again, so a run must end before them. This
            // also bounds the work: otherwise each gap of a file that is requested again would be compared up to the
            // end of the file.
            let open = asks.map_or(usize::MAX, |by| view.not_referred(place, by));
            let gaps = self.agree(at, view.shown, place, open);
            (gaps >= MIN_GAPS).then_some(Same { view, place, gaps })
        };
        places.iter().copied().filter_map(run).reduce(|a, b| if b.gaps > a.gaps { b } else { a })
    }

    /// How many gaps, starting with gap `at`, are the same in `shown` from line `place` on, within `open` lines.
    fn agree(&self, at: usize, shown: &Lines, mut place: usize, open: usize) -> usize {
        let end = place.saturating_add(open);
        let mut gaps = 0;
        while let Some(gap) = self.gaps.get(at + gaps) {
            let hidden = match (shown.get(place), shown.get(place + 1)) {
                (Some(above), Some(below)) if place + 1 < end => {
                    (below.result_number - above.result_number) as usize - 1
                }
                _ => break,
            };
            if hidden != gap.len() {
                break;
            }
            gaps += 1;
            let next = self.gaps.get(at + gaps).filter(|_| self.joins[at + gaps - 1]);
            let Some(next) = next else { break };
            let between = gap.end..next.start;
            let same = |(n, i): (usize, usize)| {
                shown.get(place + 1 + n).is_some()
                    && shown.text(place + 1 + n) == self.text(i)
                    && (n == 0 || shown.joins(place + n))
            };
            if between.is_empty() || !between.clone().enumerate().all(same) {
                break;
            }
            place += between.len();
        }
        gaps
    }

    /// Whether the part of the outline costs much more than a reference to it.
    fn pays(&self, at: usize, same: &Same<'_, '_>) -> bool {
        let lines = self.gaps[at].end..self.gaps[at + same.gaps - 2].start;
        if lines.start >= lines.end {
            return false;
        }
        let hidden: usize = self.gaps[at + 1..at + same.gaps - 2]
            .iter()
            .map(|gap| self.source.byte_range(gap.clone()).len())
            .sum();
        let shown = self.source.byte_range(lines).len() - hidden + (same.gaps - 3) * GAP_BYTES;
        shown >= MIN_BYTES
    }
}
