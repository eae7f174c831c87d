//! The guard: after the reducers, checks that every failure line can still be seen, and shows again
//! what cannot. It knows failure lines by `signals` alone and trusts no reducer. What stands right below a
//! failure and tells of it comes back too where a step took it for progress or for what passed, and so does the
//! end of a text that may have been cut off.

use std::collections::HashSet;

use super::details;
use super::ledger::{Action, Ledger, Shown};
use super::reason::Reason;
use super::source::Source;

/// What the guard saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Failure lines in the source.
    pub signals: usize,
    /// Of these, lines that were hidden and are shown again.
    pub restored: usize,
}

impl Verdict {
    /// Whether a step hid so much of what it must keep that it cannot have understood the text.
    pub fn is_blind(self) -> bool {
        const MANY: usize = 16;
        self.restored > MANY && self.restored * 2 > self.signals
    }
}

/// Shows hidden failure lines again. A failure line that is repeated verbatim needs to be seen once.
/// `may_be_cut`: nothing says that the command came to its end.
pub fn check(source: &Source<'_>, ledger: &mut Ledger, signals: &[usize], may_be_cut: bool) -> Verdict {
    let hidden = hidden(source, ledger, signals);
    ledger.restore(&hidden);
    let mut more = below(source, ledger, signals);
    more.extend(end(source, ledger).filter(|_| may_be_cut));
    more.sort_unstable();
    ledger.restore(&more);
    Verdict { signals: signals.len(), restored: hidden.len() }
}

/// How many of the failure lines can be seen in the end.
pub fn count_visible(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> usize {
    signals.len() - hidden(source, ledger, signals).len()
}

/// The failure lines that cannot be seen, each text once.
fn hidden(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> Vec<usize> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut hidden: Vec<usize> = Vec::new();
    let mut cursor = 0;
    for &line in signals {
        let text = source.line(line).trim();
        let visible = match ledger.shows(line, &mut cursor) {
            Shown::Yes => true,
            Shown::No => false,
            Shown::In(shown) => contains_folded(shown, text),
        };
        if visible {
            seen.insert(text);
        } else {
            hidden.push(line);
        }
    }
    // `insert` is false for what is visible elsewhere, also through an earlier line of this list.
    hidden.retain(|&line| seen.insert(source.line(line).trim()));
    hidden
}

/// Lines right below a failure that can be seen.
const BELOW: usize = 14;

/// Hidden lines that tell of a failure right above them: its values, its caret, its frames with their code.
fn below(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> Vec<usize> {
    let mut lines = Vec::new();
    let (mut cursor, mut span) = (0, 0);
    for (place, &signal) in signals.iter().enumerate() {
        if matches!(ledger.shows(signal, &mut cursor), Shown::No) {
            continue;
        }
        let next = signals.get(place + 1).copied().unwrap_or(source.len());
        let end = next.min(signal + 1 + BELOW).min(source.len());
        // The indentation of a frame of Python: its code stands below it.
        let mut frame = None;
        for i in signal + 1..end {
            let line = source.line(i);
            let bare = line.trim_start();
            let indent = line.len() - bare.len();
            // A log whose lines start with the place that wrote them goes on with its next record.
            let is_record = indent == 0 && line.split(' ').next().is_some_and(|word| word.contains('.'));
            match details::is_detail(line) && !is_record {
                true => frame = bare.starts_with("File \"").then_some(indent),
                false if !bare.is_empty() && frame.take().is_some_and(|frame| indent > frame) => {}
                false => break,
            }
            while ledger.spans().get(span).is_some_and(|s| s.lines.end <= i) {
                span += 1;
            }
            if ledger.spans().get(span).is_some_and(|s| is_well(&s.action)) {
                lines.push(i);
            }
        }
    }
    lines
}

/// The last line with text, where it is hidden: of a run that was cut off it tells how far it came.
fn end(source: &Source<'_>, ledger: &Ledger) -> Option<usize> {
    let last = (0..source.len()).rev().find(|&i| !source.line(i).trim().is_empty())?;
    let span = ledger.spans().iter().rev().find(|span| span.lines.contains(&last))?;
    is_well(&span.action).then_some(last)
}

/// Whether lines went since they told of nothing wrong.
fn is_well(action: &Action) -> bool {
    use Reason::{Clean, LogGroup, PassingChecks, PassingTests, Progress, TestOutput};
    let Action::Omit { reason, .. } = action else { return false };
    matches!(reason, Clean | LogGroup | PassingChecks | PassingTests | Progress | TestOutput)
}

/// Whether `text` is in `shown` when runs of white space count as one blank.
fn contains_folded(shown: &str, text: &str) -> bool {
    if memchr::memmem::find(shown.as_bytes(), text.as_bytes()).is_some() {
        return true;
    }
    let fold = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    fold(shown).contains(&fold(text))
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Reduction;
    use super::super::reason::Reason;
    use super::*;

    #[test]
    fn a_step_that_hides_most_failures_is_blind() {
        let text: String = (0..40).map(|i| format!("error: number {i}\n")).collect();
        let source = Source::new(&text);
        let signals: Vec<usize> = (0..40).collect();
        let mut step = Reduction::default();
        step.omit(5..40, Reason::Progress);
        let mut ledger = Ledger::new(&source).apply(&source, step).unwrap();
        assert!(check(&source, &mut ledger, &signals, false).is_blind());
        assert!(!check(&source, &mut ledger, &signals, false).is_blind());
    }

    #[test]
    fn hidden_failure_lines_come_back() {
        let text = "one line that is long enough to pay for its marker, surely\nerror: a\nfine, nothing to see here, move along please, thank you all\nerror: a\nerror: b\n";
        let source = Source::new(text);
        let mut step = Reduction::default();
        step.omit(0..5, Reason::PassingTests);
        let mut ledger = Ledger::new(&source).apply(&source, step).unwrap();
        let verdict = check(&source, &mut ledger, &[1, 3, 4], false);
        assert_eq!(verdict, Verdict { signals: 3, restored: 2 });
        let gaps: Vec<_> = ledger.gaps(&source).iter().map(|g| g.lines).collect();
        assert_eq!(gaps, [(1, 1), (3, 4)]);
    }
}
