//! Chooses the reducer for each stretch of a text, and the steps that follow from the choice.
//!
//! The output of a compound command is split if its parts can be recognized (`detect::sections`). In each part the
//! reducer with the strongest claim is used. The text before and after the lines that it recognizes is offered to the
//! others. No reducer gets lines of another.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::attempt::Attempt;
use super::request::Request;
use crate::detect;
use crate::detect::{Detection, Shape};
use crate::input::Input;
use crate::reduce::lint::compiler;
use crate::reduce::{self, Reducer};
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::source::Source;

/// Another reducer is tried on remaining lines only if there are at least this many.
const MIN_REST_LINES: usize = 4;
/// The most stretches of one text that are read.
const MAX_STRETCHES: usize = 24;

/// Lines of a text, the program that wrote them, and their reducer.
pub(super) struct Stretch<'a> {
    /// The lines alone.
    source: Text<'a>,
    /// The line of the whole text with which they start.
    start: usize,
    /// Their properties that follow from the call.
    pub(super) detection: Detection,
    /// The reducer that claims them.
    pub(super) reducer: Option<&'static dyn Reducer>,
    /// Whether its lines lack the prefixes that a viewer wrote, so that none may be rewritten.
    is_bare: bool,
}

/// A whole text, or lines of it.
enum Text<'a> {
    Whole(&'a Source<'a>),
    Lines(Box<Source<'a>>),
}

impl<'a> std::ops::Deref for Text<'a> {
    type Target = Source<'a>;

    fn deref(&self) -> &Source<'a> {
        match self {
            Self::Whole(source) => source,
            Self::Lines(source) => source,
        }
    }
}

impl Attempt<'_, '_> {
    /// The stretches of a text with the reducers that claim them, and the properties of the whole text.
    pub(super) fn stretches<'a>(
        &mut self,
        source: &'a Source<'a>,
        bare: Option<&'a Source<'a>>,
        wanted: bool,
    ) -> (Detection, Vec<Stretch<'a>>) {
        let mut detection = detect::detect(self.request.call, source);
        if !wanted {
            self.note_family(None, &detection);
            return (detection, Vec::new());
        }
        let reports = |stretches: &[Stretch<'_>]| {
            stretches.iter().filter_map(|s| s.reducer).any(|r| matches!(r.meta().family, "test" | "build"))
        };
        let (mut stretches, mut alone) = self.sections(source, &detection);
        let mut is_bare = false;
        // Line numbers of a viewer are removed only from reports of tests and builds; other numbered lines were
        // requested with their numbers.
        if let Some(bare) = bare.filter(|_| !reports(&stretches)) {
            let (read, whole) = self.sections(bare, &detection);
            is_bare = reports(&read);
            if is_bare {
                (stretches, alone) = (read, whole);
            }
        }
        stretches.iter_mut().for_each(|stretch| stretch.is_bare = is_bare);
        stretches.truncate(MAX_STRETCHES);
        let mut families = stretches.iter().filter_map(|s| s.reducer).map(|r| r.meta().family);
        let family = families.clone().next();
        // Facts that only the content shows: encoders must not change a diff, and a log file with a test run
        // reports failures.
        if families.any(|family| matches!(family, "test" | "build")) {
            detection.shape = Shape::Other;
        } else if family == Some("diff") {
            detection.shape = Shape::Diff;
        }
        if alone && let Some(only) = stretches.first_mut() {
            only.detection.shape = detection.shape;
        }
        self.note_family(family, &detection);
        (detection, stretches)
    }

    /// The stretches of a text with the reducers that claim them, and whether one is the whole of it.
    fn sections<'a>(&mut self, source: &'a Source<'a>, detection: &Detection) -> (Vec<Stretch<'a>>, bool) {
        let mut stretches = Vec::new();
        let sections = detect::sections::sections(&detection.command, source);
        let alone = sections.len() == 1 && sections[0].lines.len() == source.len();
        for section in sections {
            let lines = match alone {
                true => Text::Whole(source),
                false => Text::Lines(Box::new(source.part_of(section.lines.clone()))),
            };
            let detection = match alone {
                true => detection.clone(),
                false => detect::of_command(self.request.call, section.command, &lines),
            };
            let stretch = match detect::wrapper::inside(&lines).filter(|_| !detection.is_document) {
                Some(inside) => self.unwrapped(&lines, inside, section.lines.start, &detection),
                None => self.stretch(lines, section.lines.start, detection),
            };
            stretches.push(stretch);
        }
        (stretches, alone)
    }

    /// The stretch between the lines of a wrapper.
    fn unwrapped<'a>(
        &mut self,
        whole: &Source<'a>,
        inside: Range<usize>,
        start: usize,
        detection: &Detection,
    ) -> Stretch<'a> {
        let start = start + inside.start;
        let lines = Text::Lines(Box::new(whole.part_of(inside)));
        let detection = detect::of_command(self.request.call, detection.command.clone(), &lines);
        self.stretch(lines, start, detection)
    }

    fn note_family(&mut self, family: Option<&str>, detection: &Detection) {
        if let Some(family) = family.or(detection.shape.family()) {
            self.found.evidence.family.get_or_insert_with(|| family.to_owned());
        }
    }

    fn stretch<'a>(&mut self, source: Text<'a>, start: usize, detection: Detection) -> Stretch<'a> {
        let Request { call, policy, .. } = *self.request;
        let relevance = self.request.relevance();
        let input = Input { source: &source, call, detection: &detection, policy, relevance };
        let size = source.text().len();
        let reducer = catch_unwind(AssertUnwindSafe(|| reduce::choose(&input))).unwrap_or_else(|_| {
            self.step("detect", Reason::ReducerPanicked, size, size);
            None
        });
        let reducer = self.allowed(&input, reducer);
        Stretch { source, start, detection, reducer, is_bare: false }
    }

    /// The reducer to use if the text has a rule: `chosen` if the rule allows it, otherwise one that the rule
    /// names.
    fn allowed(
        &self,
        input: &Input<'_>,
        chosen: Option<&'static dyn Reducer>,
    ) -> Option<&'static dyn Reducer> {
        let Some(rule) = &self.rule else { return chosen };
        catch_unwind(AssertUnwindSafe(|| super::rule_methods::reducer(&rule.methods, input, chosen))).ok()?
    }

    /// Replaces the reducers of the stretches by those that the rule of the text allows or names.
    pub(super) fn restrict(&self, stretches: &mut [Stretch<'_>]) {
        if self.rule.is_none() {
            return;
        }
        for stretch in stretches {
            let input = Input {
                source: &stretch.source,
                call: self.request.call,
                detection: &stretch.detection,
                policy: self.request.policy,
                relevance: self.request.relevance(),
            };
            stretch.reducer = self.allowed(&input, stretch.reducer);
        }
    }

    /// Runs the reducers, each on its own lines. Returns the lines that compilers wrote.
    pub(super) fn read(
        &mut self,
        source: &Source<'_>,
        stretches: Vec<Stretch<'_>>,
        about: &Relevance,
        signals: &[usize],
        state: &mut (Ledger, usize),
    ) -> Vec<Range<usize>> {
        // After the stages of a rule the text counts as read.
        let was_read = self.is_read;
        let mut read = 0;
        let mut asked = stretches.len();
        let mut queue: Vec<Stretch<'_>> = stretches.into_iter().rev().collect();
        let mut compiled: Vec<Range<usize>> = Vec::new();
        while let Some(stretch) = queue.pop() {
            let rewrites = self.plan.rewrites;
            let Some(reducer) = stretch.reducer.filter(|r| rewrites || !r.rewrites()) else { continue };
            let meta = reducer.meta();
            let input = Input {
                source: &stretch.source,
                call: self.request.call,
                detection: &stretch.detection,
                policy: self.request.policy,
                relevance: about,
            };
            let steps = self.found.evidence.steps.len();
            let applied = self.try_step(meta.id, source, signals, state, |_| {
                let reduction = reduce::run(reducer, &input)?;
                if stretch.is_bare && reduction.rewrites() {
                    return Err(Reason::Verbatim);
                }
                Ok(moved(reduction, stretch.start))
            });
            if applied {
                self.found.evidence.reducer.get_or_insert_with(|| meta.id.to_owned());
            }
            if self.found.evidence.steps[steps..].iter().any(|step| step.reason == Reason::NotRecognized) {
                continue;
            }
            let extent =
                catch_unwind(AssertUnwindSafe(|| reducer.extent(&input))).unwrap_or(0..stretch.source.len());
            if compiler::is_wanted(meta.id) {
                compiled.push(stretch.start..stretch.start + stretch.source.len());
            }
            if reduce::is_bounded(meta.family) {
                read += stretch.source.byte_range(extent.clone()).len();
            }
            for rest in [extent.end..stretch.source.len(), 0..extent.start] {
                if rest.len() >= MIN_REST_LINES && asked < MAX_STRETCHES {
                    asked += 1;
                    let lines = Text::Lines(Box::new(stretch.source.part_of(rest.clone())));
                    let next = self.stretch(lines, stretch.start + rest.start, stretch.detection.clone());
                    queue.push(Stretch { is_bare: stretch.is_bare, ..next });
                }
            }
        }
        self.is_read = was_read || read * 2 >= source.text().len().max(1);
        compiled
    }
}

/// Adds `start` to the line numbers of a reduction, which counted lines from the start of a stretch.
fn moved(mut reduction: Reduction, start: usize) -> Reduction {
    for span in &mut reduction.spans {
        span.lines = span.lines.start + start..span.lines.end + start;
    }
    reduction
}
