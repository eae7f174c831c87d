//! The guard: after the reducers, checks that every failure line can still be seen, and shows again
//! what cannot. It knows failure lines by `signals` alone and trusts no reducer.

use std::collections::HashSet;

use super::ledger::{Ledger, Shown};
use super::source::Source;

/// What the guard saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Failure lines in the source.
    pub signals: usize,
    /// Of these, lines that were hidden and are shown again.
    pub restored: Vec<usize>,
}

impl Verdict {
    /// Whether a step hid so much of what it must keep that it cannot have understood the text.
    pub fn is_blind(&self) -> bool {
        const MANY: usize = 16;
        self.restored.len() > MANY && self.restored.len() * 2 > self.signals
    }
}

/// Shows hidden failure lines again. A failure line that is repeated verbatim needs to be seen once.
pub fn check(source: &Source<'_>, ledger: &mut Ledger, signals: &[usize]) -> Verdict {
    let hidden = hidden(source, ledger, signals);
    ledger.restore(&hidden);
    Verdict { signals: signals.len(), restored: hidden }
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
        assert!(check(&source, &mut ledger, &signals).is_blind());
        assert!(!check(&source, &mut ledger, &signals).is_blind());
    }

    #[test]
    fn hidden_failure_lines_come_back() {
        let text = "one line that is long enough to pay for its marker, surely\nerror: a\nfine, nothing to see here, move along please, thank you all\nerror: a\nerror: b\n";
        let source = Source::new(text);
        let mut step = Reduction::default();
        step.omit(0..5, Reason::PassingTests);
        let mut ledger = Ledger::new(&source).apply(&source, step).unwrap();
        let verdict = check(&source, &mut ledger, &[1, 3, 4]);
        assert_eq!(verdict, Verdict { signals: 3, restored: vec![1, 4] });
        let gaps: Vec<_> = ledger.gaps(&source).iter().map(|g| g.lines).collect();
        assert_eq!(gaps, [(1, 1), (3, 4)]);
    }
}
