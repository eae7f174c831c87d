//! Shortens single pieces that take more than their share of a cap: long lines lose their middle, and lines that a
//! step joined are restored to the lines of the tool.

use crate::pipeline::limit::headings;
use crate::pipeline::limit::unit::{Form, MARKER_BYTES};
use crate::text::ledger::{Action, Ledger};
use crate::text::marker::Marker;
use crate::text::reason::Reason;
use crate::text::reduction::Reduction;
use crate::text::source::Source;

/// A line is cut inside only above this many bytes.
const MIN_CUT_LINE_BYTES: usize = 2_000;

/// Messages that replace many diagnostics may take this many tenths of a cut. A choice: if one message is lost, all
/// diagnostics of all messages are restored, and most of them are then cut.
pub(super) const MESSAGES_TENTHS: usize = 6;
/// A message is not cut to fewer bytes than this.
const MIN_LIST_BYTES: usize = 400;

/// The bytes that one piece of `bytes` bytes may take of the budget, in a text that shows `shown` bytes. A piece with nothing
/// beside it may take all. Otherwise a fifth is kept for samples and lines near failures, and room for the other lines: a
/// shortened piece that does not fit between head and tail would be left out.
fn share_of_piece(budget: usize, bytes: usize, shown: usize) -> usize {
    /// With its line end a text is not longer than this.
    const LINE_END_BYTES: usize = 2;
    if shown <= bytes + LINE_END_BYTES {
        return budget;
    }
    let budget_of_pieces = budget - budget / 5;
    let by_size = (budget_of_pieces as u128 * bytes as u128 / shown.max(1) as u128) as usize;
    let others = (shown - bytes).min(budget_of_pieces / 2);
    (budget / 4).max(by_size.min(budget_of_pieces - others))
}

/// Cuts the middle out of pieces that take more than their share of the budget.
pub(super) fn long_pieces(
    source: &Source<'_>,
    ledger: &Ledger,
    budget: usize,
    shown: usize,
    whole: &[usize],
) -> Ledger {
    let limit = |bytes: usize| share_of_piece(budget, bytes, shown);
    let mut step = Reduction::default();
    let mut ledger = ledger.clone();
    let mut loses_message = false;
    let longest_list = longest_list(&ledger, budget);
    for span in ledger.spans_mut() {
        let is_message = headings::form(&span.action) == Form::Message;
        if let Action::Replace { text, omitted_bytes, .. } = &mut span.action
            && is_message
            && span.lines.len() == 1
            && text.len() > longest_list
            && let Some((short, cut)) = cut_list(text, longest_list, source.number(span.lines.start))
        {
            *text = short;
            *omitted_bytes += cut;
            continue;
        }
        if let Action::Replace { text, reason, omitted_bytes } = &mut span.action
            && text.len() > MIN_CUT_LINE_BYTES.max(limit(text.len()))
        {
            // Text that replaces several lines cannot be cut at a byte: the marker could not name a line.
            if is_message || span.lines.len() > 1 {
                loses_message |= is_message;
                span.action = Action::Keep;
                continue;
            }
            let (short, cut) = cut_middle(text, limit(text.len()), source.number(span.lines.start));
            *text = short;
            *omitted_bytes += cut;
            *reason = Reason::OutputCap;
        }
    }
    if loses_message {
        headings::restore_messages(&mut ledger);
    }
    // Restored lines are longer than their replacement was.
    let shown = if loses_message { ledger.size(source, None).max(shown) } else { shown };
    let limit = |bytes: usize| share_of_piece(budget, bytes, shown);
    for kept in ledger.kept() {
        for i in kept {
            let line = ledger.shown_of_kept(source, i);
            let is_whole = line.len() <= crate::text::signals::MAX_LINE && whole.binary_search(&i).is_ok();
            if line.len() > MIN_CUT_LINE_BYTES.max(limit(line.len())) && !is_whole {
                let (text, omitted_bytes) = cut_middle(line, limit(line.len()), source.number(i));
                step.push(i..i + 1, Action::Replace { text, reason: Reason::LongLine, omitted_bytes });
            }
        }
    }
    ledger.apply(source, step).unwrap_or(ledger)
}

/// The longest message that is shown whole, in bytes, so that all messages together take at most the part of the budget
/// that they may have: small ones stay whole, larger ones are cut to the same length.
fn longest_list(ledger: &Ledger, budget: usize) -> usize {
    let mut room = budget * MESSAGES_TENTHS / 10;
    let messages = ledger.spans().iter().filter_map(|span| match &span.action {
        Action::Replace { text, .. } if headings::form(&span.action) == Form::Message => Some(text.len() + 1),
        _ => None,
    });
    let mut lengths: Vec<usize> = messages.collect();
    lengths.sort_unstable();
    for (at, length) in lengths.iter().enumerate() {
        let share = room / (lengths.len() - at);
        if *length > share {
            return share.max(MIN_LIST_BYTES);
        }
        room -= length;
    }
    usize::MAX
}

/// A message cut between its places, with a marker of what it does not show, and the bytes left out; `None` if its first line
/// alone is too long.
fn cut_list(text: &str, limit: usize, line: usize) -> Option<(String, usize)> {
    let room = limit.saturating_sub(MARKER_BYTES / 2);
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).take_while(|end| *end <= room).last()?;
    let count = text.len() - end;
    let reason = Reason::SharedMessage.code().to_owned();
    let marker = Marker::Bytes { count, line, reason, id: None };
    Some((format!("{}\n{}", &text[..end], marker.write()), count))
}

/// The head and the tail of a long line, and the text around its first failure word.
fn cut_middle(text: &str, limit: usize, line: usize) -> (String, usize) {
    let budget = limit.saturating_sub(2 * MARKER_BYTES).max(64);
    let failure = crate::text::signals::first_failure(text);
    let parts = if failure.is_some() { 3 } else { 2 };
    let part = budget / parts;
    let mut windows = Vec::with_capacity(3);
    windows.push(0..text.floor_char_boundary(part));
    if let Some(at) = failure {
        windows.push(
            text.floor_char_boundary(at.saturating_sub(part / 3))
                ..text.ceil_char_boundary((at + part * 2 / 3).min(text.len())),
        );
    }
    windows.push(text.ceil_char_boundary(text.len() - part)..text.len());
    let mut out = String::with_capacity(limit);
    let mut at = 0;
    let mut omitted = 0;
    for window in windows {
        if window.start > at {
            let count = window.start - at;
            omitted += count;
            let reason = Reason::LongLine.code().to_owned();
            out.push_str(&Marker::Bytes { count, line, reason, id: None }.write());
        }
        let start = window.start.max(at);
        out.push_str(text.get(start..window.end.max(start)).unwrap_or_default());
        at = at.max(window.end);
    }
    (out, omitted)
}
