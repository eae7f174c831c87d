//! Writes an event as a line of bounded length. Detail is dropped first, then names; the event lists what was dropped.

use super::event::{Event, EventKind, Names, ResultEvent};

/// Removes a member. Returns whether there was anything to remove.
type Cut = (&'static str, fn(&mut ResultEvent) -> bool);

/// In this order: the longest and least useful lists first.
const CUTS: &[Cut] = &[
    ("steps", |e| !std::mem::take(&mut e.steps).is_empty()),
    ("omitted", |e| !std::mem::take(&mut e.omitted).is_empty()),
    ("redactions", |e| !std::mem::take(&mut e.redactions).is_empty()),
    ("strategies", |e| !std::mem::take(&mut e.strategies).is_empty()),
    ("fingerprints", |e| e.fingerprints.take().is_some()),
    ("names", |e| std::mem::take(&mut e.names) != Names::default()),
];

/// The event as JSON, at most `max_bytes` bytes without the line end; `None` if not even its numbers fit.
pub(super) fn line(event: &mut Event, max_bytes: usize) -> Option<String> {
    let mut cuts = CUTS.iter();
    loop {
        let text = serde_json::to_string(event).ok()?;
        if text.len() <= max_bytes {
            return Some(text);
        }
        loop {
            let (name, cut) = cuts.next()?;
            let is_cut = match &mut event.what {
                EventKind::Result(result) => cut(result),
                EventKind::Failure(failure) if *name == "names" => {
                    std::mem::take(&mut failure.names) != Names::default()
                }
                _ => false,
            };
            if is_cut {
                event.shortened.push((*name).to_owned());
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::evidence::Step;
    use crate::telemetry::event::{Omitted, TimedStep, VERSION};
    use crate::text::reason::Reason;

    fn event(steps: usize) -> Event {
        let step = |i: usize| TimedStep {
            step: Step {
                id: format!("step_{i}"),
                reason: Reason::Applied,
                bytes_before: 100_000,
                bytes_after: 1000,
            },
            elapsed_micros: Some(1_000_000),
        };
        let result = ResultEvent {
            names: Names { tool: "t".repeat(128), ..Names::default() },
            steps: (0..steps).map(step).collect(),
            omitted: Reason::ALL.iter().map(|reason| (*reason, Omitted::default())).collect(),
            ..ResultEvent::default()
        };
        let (process, shortened) = ("0".repeat(16), Vec::new());
        let what = EventKind::Result(Box::new(result));
        Event { version: VERSION, time: u64::MAX, process, seq: u64::MAX, dropped: u64::MAX, shortened, what }
    }

    #[test]
    fn detail_goes_first_and_figures_never() {
        let mut short = event(3);
        assert_eq!(line(&mut short, 1 << 20).unwrap(), serde_json::to_string(&event(3)).unwrap());
        for max in [1024, 2048, 8192] {
            let mut long = event(1000);
            let text = line(&mut long, max).unwrap();
            assert!(text.len() <= max);
            assert_eq!(long.shortened[0], "steps");
            let read: Event = serde_json::from_str(&text).unwrap();
            assert_eq!(read, long);
        }
    }

    #[test]
    fn the_longest_names_and_figures_fit_the_smallest_bound() {
        let mut long = event(10);
        let EventKind::Result(result) = &mut long.what else { unreachable!() };
        let name = Some("\"".repeat(128));
        result.names = Names {
            correlation_id: name.clone(),
            session_id: name.clone(),
            tool_call_id: name,
            tool: "\"".repeat(128),
        };
        for n in [&mut result.bytes, &mut result.lines] {
            (n.before, n.after) = (usize::MAX, usize::MAX);
        }
        (result.tokens.before, result.tokens.after) = (usize::MAX, usize::MAX);
        assert!(line(&mut long, 1024).is_some());
    }
}
