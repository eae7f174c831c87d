//! Build steps around gcc and clang: finds the steps, and the directories that make enters, that printed nothing and
//! did not fail.

use std::collections::HashSet;
use std::ops::Range;

use super::gcc_lines::{Kind, is_caret, is_driver_line};
use super::make::{directory, failed_target};
use super::{name, stem};
use crate::reduce::diagnostic::C;
use crate::reduce::line_actions::LineActions;
use crate::text::flags;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The marker group of all lines that are hidden here.
pub const GROUP: u32 = 1;

/// Most steps that are kept because of an unusual flag. A choice.
pub const MAX_ODD_STEPS: usize = 8;

/// The most open directories; each line is compared with all of them. A choice.
pub const MAX_OPEN_DIRECTORIES: usize = 256;

/// Hides steps and directories that printed nothing. The last step of a text is kept: it shows how far the build
/// came.
pub fn hide(source: &Source<'_>, lines: &[Kind], exit_code: Option<i64>, actions: &mut LineActions<'_>) {
    let is_failure = |(i, kind): (usize, &Kind)| {
        let line = source.line(i);
        *kind == Kind::Error || is_driver_line(line) || failed_target(line).is_some()
    };
    let mut steps = Steps {
        source,
        failed: exit_code.is_some_and(|code| code != 0) || lines.iter().enumerate().any(is_failure),
        diagnosed: DiagnosedFiles::read(source, lines),
        steps: Vec::new(),
        open: Vec::new(),
        quiet: Vec::new(),
    };
    let mut i = 0;
    while i < lines.len() {
        let start = i;
        match lines[i] {
            Kind::Step => {
                while source.line(i).ends_with('\\') && i + 1 < lines.len() {
                    i += 1;
                }
                steps.step(start..i + 1);
            }
            Kind::Probe => steps.steps.push((i..i + 1, false)),
            Kind::Enter => {
                let directory = directory(source.line(i));
                // If too many directories are open, the lines of the oldest are kept.
                if steps.open.len() == MAX_OPEN_DIRECTORIES {
                    steps.open.remove(0);
                }
                steps.open.push(OpenDirectory { line: i, directory, printed: false });
            }
            Kind::Leave => steps.leave(i),
            Kind::Blank => {}
            kind => steps.printed(i, kind),
        }
        i += 1;
    }
    steps.steps.pop();
    steps.keep_odd();
    for (lines, _) in steps.steps.into_iter().filter(|(_, stays)| !stays) {
        actions.omit(lines, Reason::Progress, GROUP);
    }
    for line in steps.quiet {
        actions.omit(line..line + 1, Reason::Progress, GROUP);
    }
}

/// The files that errors and warnings name. A step with such a file is kept, even if its output is elsewhere.
#[derive(Default)]
struct DiagnosedFiles<'a> {
    /// Names without extension of files with errors and of targets that failed.
    failed: HashSet<&'a str>,
    /// Names of source files with warnings, with extension: a command that archives `a.o` does not match.
    warned: HashSet<&'a str>,
}

impl<'a> DiagnosedFiles<'a> {
    fn read(source: &Source<'a>, lines: &[Kind]) -> Self {
        let mut diagnosed = Self::default();
        for (i, kind) in lines.iter().enumerate() {
            let line = source.line(i);
            let path = || C.read(line).map(|found| found.path);
            match kind {
                Kind::Error => diagnosed.failed.extend(path().map(stem)),
                Kind::Make => diagnosed.failed.extend(failed_target(line).map(stem)),
                Kind::Warning => diagnosed.warned.extend(path().map(name)),
                Kind::Context => diagnosed.warned.extend(includer(line).map(name)),
                _ => {}
            }
        }
        diagnosed
    }

    /// Whether a word of a command names a file or target with an error or a warning.
    fn has(&self, word: &str) -> bool {
        let file = name(word);
        self.failed.contains(stem(word)) || self.warned.contains(file.strip_suffix(".o").unwrap_or(file))
    }
}

/// The file that an include chain names: `In file included from a.c:1:`, `                 from a.c:1:`.
fn includer(line: &str) -> Option<&str> {
    line.split_once(" from ")?.1.split(':').next()
}

/// A directory that make entered and has not left.
struct OpenDirectory<'a> {
    line: usize,
    /// Level and name.
    directory: (&'a str, &'a str),
    printed: bool,
}

struct Steps<'a> {
    source: &'a Source<'a>,
    /// Whether anything failed in the whole text.
    failed: bool,
    diagnosed: DiagnosedFiles<'a>,
    /// The lines of each step, and whether it is kept.
    steps: Vec<(Range<usize>, bool)>,
    open: Vec<OpenDirectory<'a>>,
    /// The lines in which make entered and left directories where nothing was printed.
    quiet: Vec<usize>,
}

impl Steps<'_> {
    /// Keeps steps with a flag that differs from the steps around them: worth showing, although they printed nothing.
    fn keep_odd(&mut self) {
        let odd = flags::outliers(self.steps.iter().map(|(lines, _)| self.source.slice(lines.clone())));
        for odd in odd.iter().take(MAX_ODD_STEPS) {
            self.steps[odd.place].1 = true;
        }
    }

    /// Steps may run in parallel, so a step is also kept if its command names a file of any error or warning.
    fn step(&mut self, lines: Range<usize>) {
        let mut words = self.source.slice(lines.clone()).split_ascii_whitespace();
        let named = words.any(|w| self.diagnosed.has(w));
        self.steps.push((lines, named));
    }

    fn leave(&mut self, line: usize) {
        let left = directory(self.source.line(line));
        if let Some(at) = self.open.iter().rposition(|open| open.directory == left) {
            let open = self.open.remove(at);
            if !open.printed {
                self.quiet.extend([open.line, line]);
            }
        }
    }

    fn printed(&mut self, i: usize, kind: Kind) {
        let line = self.source.line(i);
        // A line that is not a diagnostic counts as output of the step only if something failed.
        let of_step = match kind {
            Kind::Make => false,
            Kind::Other => self.failed || is_driver_line(line) || is_caret(line),
            _ => true,
        };
        if let (Some(last), true) = (self.steps.last_mut(), of_step) {
            last.1 = true;
        }
        let idle = kind == Kind::Make && !line.contains("***") && !line.starts_with("FAILED: ");
        let Some(level) = self.open.last().map(|open| open.directory.0).filter(|_| !idle) else { return };
        // With parallel jobs, the line may belong to any open directory.
        for open in self.open.iter_mut().filter(|open| open.directory.0 == level) {
            open.printed = true;
        }
    }
}
