//! Which lines about a failure come first if not all can be kept.
//!
//! The message and the innermost frame of the user's own code say what went wrong and where. Lines that only say that
//! something failed (`Traceback (most recent call last):`), or that a launcher stopped the other processes, come
//! last.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use crate::reduce::trace;
use crate::text::source::Source;

/// Words of lines that only say that something failed elsewhere.
const SAY_LITTLE: &[&str] = &[
    "Traceback (most recent call last)",
    "SIGTERM",
    "ChildFailedError",
    "torch.distributed",
    "torch/distributed/",
    "local_rank:",
    "(core dumped)",
];

/// Whether a failure line says only that something failed.
pub(super) fn is_unspecific(line: &str) -> bool {
    static ANY: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(SAY_LITTLE));
    match &*ANY {
        Some(any) => any.find(line).is_some(),
        None => SAY_LITTLE.iter().any(|words| line.contains(words)),
    }
}

/// The lines about failures to keep first, in order: `signals` and the innermost own frame of each trace.
pub(super) fn with_frames(source: &Source<'_>, signals: &[usize]) -> Vec<usize> {
    let mut lines = signals.to_vec();
    if !signals.is_empty() {
        lines.extend(trace::own_frames(source).into_iter().flatten());
        lines.sort_unstable();
        lines.dedup();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_say_little() {
        for line in [
            "Traceback (most recent call last):",
            "W1 torch/distributed/elastic/api.py:858] Sending process 4 closing signal SIGTERM",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        ] {
            assert!(is_unspecific(line), "{line}");
        }
        assert!(!is_unspecific("RuntimeError: shapes cannot be multiplied"));
    }

    #[test]
    fn the_innermost_own_frame_comes_with_a_failure() {
        let text = "Traceback (most recent call last):\n  File \"/w/a.py\", line 3, in main\n    run()\n  File \"/w/b.py\", line 9, in run\n    \
                    x(1)\n  File \"/usr/lib/python3/dist-packages/x.py\", line 5, in x\n    y()\nValueError: no\n";
        let source = Source::new(text);
        assert_eq!(with_frames(&source, &[0, 7]), [0, 3, 4, 7]);
        assert_eq!(with_frames(&source, &[]), [0; 0]);
    }
}
