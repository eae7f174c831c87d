//! Repeated diagnostics of gcc and clang for the same place, as for a header that several source files include, and
//! excerpts of warnings that occur often.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::gcc_lines::{Kind, is_caret, is_function_scope};
use super::gcc_steps::MAX_OPEN_DIRECTORIES;
use super::make::directory;
use super::{Kinds, kind_of};
use crate::reduce::diagnostic::C;
use crate::reduce::line_actions::LineActions;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The marker group of excerpts.
const EXCERPTS: u32 = super::gcc_steps::GROUP + 1;

/// Finds diagnostics that are repeated.
pub struct Repeats<'a> {
    source: &'a Source<'a>,
    lines: &'a [Kind],
    /// The lines below the first occurrence of each headline, by headline and base directory of its relative path.
    first: HashMap<(&'a str, &'a str), Range<usize>>,
    /// Blocks of context lines that this build step printed.
    in_step: HashSet<&'a str>,
    /// The line with the function name above the diagnostics that were hidden last.
    named: Option<usize>,
    /// Directories that make entered and has not left: level and name.
    directories: Vec<(&'a str, &'a str)>,
    /// Whether the directory to which relative paths refer is known.
    is_directory_known: bool,
    /// Counts warnings by their message, and how many of a kind keep their excerpt.
    kinds: Kinds<'a>,
    whole: usize,
    group: u32,
}

impl<'a> Repeats<'a> {
    /// Each build step has a marker group of its own, after the groups for all steps and for excerpts. `is_directory_known` is
    /// false if directories may change without a message of make. The first `whole` warnings of a kind keep their
    /// excerpt.
    pub fn new(source: &'a Source<'a>, lines: &'a [Kind], is_directory_known: bool, whole: usize) -> Self {
        Self {
            source,
            lines,
            first: HashMap::new(),
            in_step: HashSet::new(),
            named: None,
            directories: Vec::new(),
            is_directory_known,
            kinds: Kinds::default(),
            whole,
            group: EXCERPTS,
        }
    }

    /// Hides repeated diagnostics and excerpts.
    pub fn hide(mut self, actions: &mut LineActions<'_>) {
        let mut i = 0;
        // The start of the context lines directly above, if this step printed the same context before.
        let mut again = None;
        while i < self.lines.len() {
            let context = again.take();
            match self.lines[i] {
                kind @ (Kind::Step | Kind::Enter | Kind::Leave) => {
                    match kind {
                        Kind::Enter => self.enter(self.source.line(i)),
                        Kind::Leave => {
                            let left = directory(self.source.line(i));
                            self.directories.retain(|open| *open != left);
                        }
                        _ => {}
                    }
                    self.group += 1;
                    self.in_step.clear();
                    i += 1;
                }
                Kind::Context => {
                    self.named = None;
                    let end = self.run_end(i, Kind::Context);
                    again = self.chain(i..end);
                    i = end;
                }
                Kind::Warning | Kind::Error => {
                    let end = self.body_end(i + 1);
                    self.diagnostic(context.unwrap_or(i), i, end, actions);
                    i = end;
                }
                _ => i += 1,
            }
        }
    }

    fn enter(&mut self, line: &'a str) {
        let (level, name) = directory(line);
        if self.directories.len() >= MAX_OPEN_DIRECTORIES {
            self.directories.clear();
            self.is_directory_known = false;
        }
        // Two open directories on one level mean parallel jobs; from here on it is unknown which job wrote a line.
        self.is_directory_known &= self.directories.iter().all(|(open, _)| *open != level);
        self.directories.push((level, name));
    }

    /// The directory that makes a path unique (empty for an absolute path), if it is known.
    fn base(&self, path: &str) -> Option<&'a str> {
        match path.starts_with('/') || path.contains(":\\") {
            true => Some(""),
            false if self.is_directory_known => Some(self.directories.last().map_or("", |(_, name)| name)),
            false => None,
        }
    }

    /// The start of a block of context lines, if this step printed the same block before.
    fn chain(&mut self, run: Range<usize>) -> Option<usize> {
        let included = self.source.line(run.start).starts_with("In file included from ");
        (!self.in_step.insert(self.source.slice(run.clone())) && included).then_some(run.start)
    }

    /// `start` is the headline, or the start of its context if the context was shown before.
    fn diagnostic(&mut self, start: usize, head: usize, end: usize, actions: &mut LineActions<'_>) {
        let body = head + 1..end;
        let line = self.source.line(head);
        let Some(base) = self.base(C.read(line).map_or("", |found| found.path)) else {
            return self.hide_excerpt_if_frequent(head, actions);
        };
        let key = (base, line);
        let named = head
            .checked_sub(1)
            .filter(|&i| self.lines[i] == Kind::Context && is_function_scope(self.source.line(i)));
        let named = self.named.take().or(named);
        let Some(first) = self.first.get(&key) else {
            self.first.insert(key, body);
            return self.hide_excerpt_if_frequent(head, actions);
        };
        if self.source.slice(first.clone()) != self.source.slice(body.clone()) {
            return self.hide_excerpt_if_frequent(head, actions);
        }
        let group = self.group + 1;
        if self.lines[head] == Kind::Error {
            actions.omit(body, Reason::RepeatedDiagnostic, group);
            return;
        }
        actions.omit(head..end, Reason::RepeatedDiagnostic, group);
        // The lines above are hidden only with the last diagnostic that they introduce.
        if matches!(self.lines.get(end), Some(Kind::Warning | Kind::Error | Kind::Note)) {
            self.named = named;
            return;
        }
        actions.omit(start..head, Reason::RepeatedDiagnostic, group);
        actions.omit(named.map_or(head..head, |i| i..i + 1), Reason::RepeatedDiagnostic, group);
    }

    /// Hides the excerpt of a warning if enough warnings have the same message apart from names and numbers.
    fn hide_excerpt_if_frequent(&mut self, head: usize, actions: &mut LineActions<'_>) {
        if self.lines[head] != Kind::Warning {
            return;
        }
        let line = self.source.line(head);
        let message =
            C.read(line).map_or(Cow::Borrowed(line), |found| found.message).replace(['‘', '’', '\''], "`");
        if self.kinds.count(kind_of(&message)).0 > self.whole {
            actions.omit(head + 1..self.excerpt_end(head + 1), Reason::DiagnosticExcerpt, EXCERPTS);
        }
    }

    fn run_end(&self, start: usize, kind: Kind) -> usize {
        (start..self.lines.len()).find(|&i| self.lines[i] != kind).unwrap_or(self.lines.len())
    }

    /// The line after the excerpt and the notes of a headline.
    fn body_end(&self, start: usize) -> usize {
        let mut end = self.excerpt_end(start);
        loop {
            let note = self.run_end(end, Kind::Context);
            if self.lines.get(note) != Some(&Kind::Note) {
                return end;
            }
            end = self.excerpt_end(note + 1);
        }
    }

    fn excerpt_end(&self, start: usize) -> usize {
        if self.lines.get(start) == Some(&Kind::Excerpt) {
            return self.run_end(start, Kind::Excerpt);
        }
        let carets = start + 1 < self.lines.len()
            && matches!(self.lines[start], Kind::Other | Kind::Step)
            && is_caret(self.source.line(start + 1));
        // Below the carets there may be a suggested fix.
        let fix = carets
            && self.lines.get(start + 2) == Some(&Kind::Other)
            && self.source.line(start + 2).starts_with(' ');
        start + if carets { 2 + usize::from(fix) } else { 0 }
    }
}
