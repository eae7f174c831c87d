//! Records the changes of every line of one result, and the steps that made them, for a person who wants to see them.
//!
//! `explain` runs the same steps as `compress` and notes after each applied step which step changed which lines.
//! Normal calls note nothing. It decides nothing and compares no texts: all data are from the ledgers.

use std::cell::RefCell;
use std::sync::Arc;

use super::attempt::PartOutput;
use super::envelopes;
use super::evidence::Omission;
use super::{Outcome, Prepared, Raw, RedactionFailed};
use crate::config::Policy;
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::repeat::dedup::{First, History};
use crate::text::call::ToolCall;
use crate::text::ledger::{Action, Ledger};
use crate::text::marker::Marker;
use crate::text::source::{Source, count_lines};

use super::trace::{Notes, attribute_lines, cut_lines};
pub use super::trace::{Part, Traced};

/// An outcome, with the changes of each line.
#[derive(Debug)]
pub struct Explained {
    /// The outcome of `compress`.
    pub outcome: Outcome,
    /// One for each part of the input.
    pub parts: Vec<Part>,
}

/// Compresses one result and records the changes of each line.
pub fn explain(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    full_output: bool,
    history: &dyn History,
) -> Result<Explained, RedactionFailed> {
    let prepared = Prepared::new(call, parts, policy, full_output, history)?;
    Ok(prepared.explain(Ask::new(policy, 0), history))
}

impl Prepared<'_> {
    /// Like `outcome`, with the changes of each line.
    pub fn explain(&self, ask: Ask, history: &dyn History) -> Explained {
        let notes = RefCell::default();
        let outcome = self.outcome_with_notes(ask, history, Some(&notes), None);
        let mut parts = notes.into_inner();
        let written = outcome.evidence.steps.iter().position(|step| step.id == envelopes::STEP);
        if self.has_envelopes() && written.is_none() {
            parts.clear();
        }
        // Exact results never reach the steps, so there are no notes on them.
        if parts.is_empty() {
            let mut lines_before = 0;
            for text in &outcome.texts {
                let source = Source::part(text, lines_before);
                let steps = (0..outcome.evidence.steps.len()).collect();
                parts.push(Part { steps, ..Part::of(&source, None, 0) });
                lines_before += source.len();
            }
        }
        if let Some(first) = &outcome.decision.duplicate_of {
            refer(&mut parts, &outcome.texts, first);
        }
        for (part, text) in parts.iter_mut().zip(&outcome.texts) {
            part.is_rewritten |= !part.matches_output(text);
            if let Some(step) = written {
                (part.is_rewritten, part.rewritten_by) = (true, Some(step));
            }
        }
        Explained { outcome, parts }
    }
}

/// Notes which parts became a reference as a whole.
fn refer(parts: &mut [Part], texts: &[String], first: &First) {
    let is_reference = |text: &str| {
        let read = Marker::parse(text).map(|(marker, _)| marker);
        read.is_some_and(|marker| matches!(marker, Marker::Duplicate { .. } | Marker::Same { .. }))
    };
    for (part, text) in parts.iter_mut().zip(texts) {
        let lines = count_lines(&part.original);
        if is_reference(text) && lines > 0 {
            let origin = first.origin();
            let origin_number = part.lines_before + 1;
            let action = Action::Refer {
                origin: Arc::new(origin),
                origin_number,
                view_number: 0,
                ago: first.ago,
                shows_id: first.shows_id,
                is_outline: false,
            };
            let (steps, cut_by) = (Vec::new(), Vec::new());
            part.spans = vec![Traced { lines: 0..lines, shown: 0..1, action, steps, cut_by }];
            part.trimmed_by.clear();
            (part.lead, part.is_rewritten, part.rewritten_by) = (0, false, None);
        }
    }
}

impl Notes {
    /// Notes that a step of the evidence cut the part after its own steps, down to `new`, or by `omissions`. `lead`
    /// lines were added before it.
    pub(super) fn fitted(
        &mut self,
        step: usize,
        part: &PartOutput<'_>,
        new: Option<&Ledger>,
        omissions: &[Omission],
        lead: usize,
    ) {
        self.steps.push(step);
        self.lead = lead;
        self.rewritten_by = Some(step);
        let Some(source) = &part.source else { return };
        let whole = Ledger::new(source);
        let old = part.ledger.as_ref().unwrap_or(&whole);
        match new {
            Some(new) => self.changed(old, new, step),
            None => {
                self.cut_lines = cut_lines(source, omissions);
                self.taken.clear();
                if let Some(new) = &self.cut_lines {
                    self.taken = attribute_lines(&whole, &[], new, step);
                }
            }
        }
    }
}

/// The parts, from the notes on them.
pub(super) fn parts(notes: Vec<Notes>, all: &[PartOutput<'_>]) -> Vec<Part> {
    let part = |(notes, done): (Notes, &PartOutput<'_>)| match (&done.source, notes.binary) {
        (Some(source), _) => notes.part(source, done.ledger.as_ref()),
        (None, Some((mime, size, lines_before))) => Part {
            binary: Some((mime, size)),
            lines_before,
            lead: notes.lead,
            steps: notes.steps,
            rewritten_by: notes.rewritten_by,
            ..Part::default()
        },
        (None, None) => Part::default(),
    };
    notes.into_iter().zip(all).map(part).collect()
}
