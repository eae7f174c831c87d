//! Maven: downloads, successful goals and passing test classes are left out; warnings, failures, the reactor
//! summary and the verdict are kept.
//!
//! Lines as written by Maven 3 and 4 with surefire 2 and 3: a level in brackets and a text, and between them what
//! tests print. The line of a goal or module is left out if no line below it is kept. The output of a test class is
//! left out only if the class did not run in parallel and all its tests passed. A diagnostic that Maven repeats word
//! for word is kept once.

use std::collections::HashSet;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::are_unquoted;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Maven;

static META: Meta = Meta {
    id: "maven",
    family: "test",
    reads: "`mvn` with everything that it runs: downloads, compiler, surefire and failsafe, the reactor",
    keeps: "failed and skipped tests whole, warnings and errors, totals, the reactor summary, the verdict, artifacts",
    omits: "downloads, goals without output, passing test classes and their output, repeated diagnostics; \
            warnings of one line and message into one with every place",
    anchors: &["[INFO] ", "[ERROR] "],
};

/// Groups of the markers.
const PROGRESS: u32 = 1;
const TESTS: u32 = 2;
const OUTPUT: u32 = 3;
const REPEATS: u32 = 4;
const STEPS: u32 = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Info,
    Warning,
    Error,
    Other,
}

impl Reducer for Maven {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut levels, mut own) = (0, 0);
        let is_report = are_unquoted(input.source.lines(), |line| {
            let (level, text) = level(line);
            levels += usize::from(level != Level::Other);
            own += usize::from(level != Level::Other && is_own(text));
            own > 0
        });
        let alone = own > 0 && levels > 2 && !input.detection.command.is_filtered();
        FormatProof::of(is_report && levels > 0, is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "mvn" | "mvnw" | "mvnd" | "mvn.cmd" | "mvnw.cmd")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let mut reader = Reader::new(input.source);
        for i in 0..input.source.len() {
            reader.line(i);
        }
        reader.goal_ends();
        reader.module_ends();
        reader.actions.keep_last().finish(Blanks::Behind)
    }

    fn is_format_line(&self, line: &str) -> bool {
        level(line).0 != Level::Other
    }
}

/// The level and the text of a line.
fn level(line: &str) -> (Level, &str) {
    for (prefix, level) in [
        ("[INFO]", Level::Info),
        ("[WARNING]", Level::Warning),
        ("[WARN]", Level::Warning),
        ("[ERROR]", Level::Error),
        ("[FATAL]", Level::Error),
    ] {
        if let Some(text) = line.strip_prefix(prefix) {
            return (level, text.strip_prefix(' ').unwrap_or(text));
        }
    }
    (Level::Other, line)
}

/// A text that only Maven writes.
fn is_own(text: &str) -> bool {
    text.starts_with("Scanning for projects")
        || text.starts_with("BUILD SUCCESS")
        || text.starts_with("BUILD FAILURE")
        || text.starts_with("Failed to execute goal ")
        || text.starts_with("Reactor Summary")
        || is_goal(text)
}

/// `--- maven-clean-plugin:3.1.0:clean (default-clean) @ api ---`, also of forked goals (`>>>`, `<<<`).
fn is_goal(text: &str) -> bool {
    ["--- ", ">>> ", "<<< "].iter().any(|mark| {
        text.strip_prefix(mark).is_some_and(|t| t.contains(':') && t.contains(" @ ") && t.len() > 8)
    })
}

/// A rule, alone or around the name of a project or a packaging: `---< org.shop:api >---`, `---[ jar ]---`.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 8
        && text.starts_with("---")
        && text.ends_with("---")
        && !text.contains(" @ ")
        && match text.trim_matches('-') {
            "" => true,
            inner => {
                inner.starts_with("< ") && inner.ends_with(" >")
                    || inner.starts_with("[ ") && inner.ends_with(" ]")
            }
        }
}

/// A message of Maven about a step or its progress that needs no action.
fn is_progress(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "Scanning for projects",
        "Reactor Build Order:",
        "Finished at: ",
        "Downloading from ",
        "Downloaded from ",
        "Downloading: ",
        "Downloaded: ",
        "Progress (",
        "  from ",
        "Using '",
        "Using \"",
        "Copying ",
        "skip non existing resourceDirectory ",
        "Nothing to compile",
        "Changes detected - recompiling",
        "Recompiling the module because of",
        "Compiling ",
        "No sources to compile",
        "Deleting ",
        " T E S T S",
        "Results:",
        "Results :",
        "Using auto detected provider",
        "Parallel ",
        "artifact ",
        "Resolving ",
        "The encoding used to copy filtered properties files",
    ];
    text.trim().is_empty() || STARTS.iter().any(|s| text.starts_with(s)) || is_rule(text) || is_project(text)
}

/// A line of the build order: `Shop core                                   [jar]`.
fn is_project(text: &str) -> bool {
    text.trim_end().strip_suffix(']').and_then(|t| t.rsplit_once(" [")).is_some_and(|(name, kind)| {
        name.len() > 30 && !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
    })
}

/// A class total of surefire: `Tests run: 2, Failures: 0, …, Time elapsed: 0.1 s - in p.ApiTest`. Returns whether all
/// tests passed, and the class if the line names it.
fn class_result(text: &str) -> Option<(bool, Option<&str>)> {
    let rest = text.strip_prefix("Tests run: ")?;
    let (counts, time) = rest.split_once(", Time elapsed: ")?;
    let (run, counts) = counts.split_once(", ")?;
    // A class of which no test ran did not pass.
    let passed = run != "0" && counts == "Failures: 0, Errors: 0, Skipped: 0" && !time.contains("<<<");
    let class = time.rsplit_once(" in ").map(|(_, class)| class.trim()).filter(|c| !c.is_empty());
    Some((passed, class))
}

/// The state while reading the lines of one run.
struct Reader<'a> {
    source: &'a Source<'a>,
    actions: LineActions<'a>,
    /// Whether there is a reactor summary, which names the modules at the end.
    summary: bool,
    /// The line of the current module, while no line below it is kept.
    module: Option<usize>,
    /// The line of the current goal, while no line below it is kept.
    goal: Option<usize>,
    /// Whether the line above is the frame of a project, so that this line names a module.
    framed: bool,
    /// Test classes that are running: the line of their start, and their name.
    running: Vec<(usize, &'a str)>,
    /// Whether several classes ran at once, since the last time that none ran.
    mixed: bool,
    /// The lines printed while a class is running.
    output: Vec<usize>,
    /// Warnings and errors reported so far.
    reported: HashSet<&'a str>,
    /// Whether the last diagnostic was reported before.
    is_repeat: bool,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        let summary = source.lines().any(|l| l.starts_with("[INFO] Reactor Summary"));
        let (module, goal, running, output) = (None, None, Vec::new(), Vec::new());
        let (actions, reported) = (LineActions::new(source), HashSet::new());
        Self {
            source,
            actions,
            summary,
            module,
            goal,
            framed: false,
            running,
            mixed: false,
            output,
            reported,
            is_repeat: false,
        }
    }

    fn line(&mut self, i: usize) {
        let line = self.source.line(i);
        let (level, text) = level(line);
        let framed = std::mem::replace(&mut self.framed, false);
        if matches!(level, Level::Info | Level::Other | Level::Error | Level::Warning)
            && let Some((passed, class)) = class_result(text)
        {
            return self.class_ends(i, passed, class);
        }
        match level {
            Level::Warning | Level::Error => self.diagnostic(i, line, text, level),
            Level::Other if line.trim().is_empty() => self.printed(i),
            Level::Other if is_download(line) => {
                self.actions.omit_unless_failure(i, Reason::Progress, PROGRESS)
            }
            Level::Info | Level::Other if self.class_starts(i, text, level) => {}
            _ if !self.running.is_empty() => self.output.push(i),
            Level::Other if matches!(text, " T E S T S" | "Results :" | "Results:") || is_rule(text) => {
                self.actions.omit_unless_failure(i, Reason::BuildSteps, STEPS);
            }
            Level::Other => self.other(i, line),
            Level::Info if framed && text.starts_with("Building ") => {
                self.goal_ends();
                self.module_ends();
                self.module = Some(i);
            }
            Level::Info if is_goal(text) => {
                self.goal_ends();
                self.goal = Some(i);
            }
            Level::Info if is_progress(text) => {
                self.framed = text.contains("-< ");
                if is_rule(text) && !text.contains('[') {
                    self.goal_ends();
                }
                let (reason, group) = match is_download(text) {
                    true => (Reason::Progress, PROGRESS),
                    false => (Reason::BuildSteps, STEPS),
                };
                self.actions.omit_unless_failure(i, reason, group);
            }
            Level::Info if text.starts_with("Tests run: ") => self.module = None,
            Level::Info => self.keep_headings(),
        }
    }

    /// A line is kept, so the goal and module lines above it are kept too.
    fn keep_headings(&mut self) {
        (self.goal, self.module, self.is_repeat) = (None, None, false);
    }

    fn goal_ends(&mut self) {
        if let Some(goal) = self.goal.take() {
            self.actions.omit_unless_failure(goal, Reason::BuildSteps, STEPS);
        }
    }

    fn module_ends(&mut self) {
        if let Some(module) = self.module.take().filter(|_| self.summary) {
            self.actions.omit_unless_failure(module, Reason::BuildSteps, STEPS);
        }
    }

    /// Leaves out a warning or an error that was reported before, with all lines that belong to it.
    fn diagnostic(&mut self, i: usize, line: &'a str, text: &str, level: Level) {
        if text.trim().is_empty() {
            if level == Level::Warning && self.running.is_empty() {
                self.actions.omit_unless_failure(i, Reason::BuildSteps, STEPS);
            }
            return;
        }
        // The caret below a line of code is left out together with the code.
        if self.is_repeat && text.bytes().all(|b| b"^~ \t".contains(&b)) {
            return self.actions.omit(i..i + 1, Reason::RepeatedDiagnostic, REPEATS);
        }
        self.is_repeat = !self.reported.insert(line) && text.len() > 20 && !self.has_new_detail(i);
        if self.is_repeat {
            self.actions.omit(i..i + 1, Reason::RepeatedDiagnostic, REPEATS);
        } else {
            self.keep_headings();
        }
    }

    /// Whether a line that belongs to the diagnostic in line `i` was not reported before.
    fn has_new_detail(&self, i: usize) -> bool {
        (i + 1..self.source.len())
            .map(|n| self.source.line(n))
            .take_while(|l| level(l).1.starts_with("  "))
            .any(|l| !self.reported.contains(l))
    }

    /// A line without a level while no test runs: a detail of a diagnostic, a stack trace, printed text.
    fn other(&mut self, i: usize, line: &'a str) {
        if line.starts_with("  ") && self.is_repeat && self.reported.contains(line) {
            return self.actions.omit(i..i + 1, Reason::RepeatedDiagnostic, REPEATS);
        }
        if line.starts_with("  ") {
            self.reported.insert(line);
        }
        self.keep_headings();
    }

    fn printed(&mut self, i: usize) {
        if !self.running.is_empty() {
            self.output.push(i);
        }
    }

    /// `Running p.ApiTest`
    fn class_starts(&mut self, i: usize, text: &'a str, level: Level) -> bool {
        let Some(class) = text.strip_prefix("Running ").map(str::trim) else { return false };
        if class.is_empty() || level == Level::Other && (class.contains(' ') || !class.contains('.')) {
            return false;
        }
        self.mixed |= !self.running.is_empty();
        self.running.push((i, class));
        true
    }

    fn class_ends(&mut self, i: usize, passed: bool, class: Option<&str>) {
        let at = match class {
            Some(class) => self.running.iter().position(|(_, name)| *name == class),
            None => Some(0).filter(|_| self.running.len() == 1),
        };
        let started = at.map(|at| self.running.remove(at).0);
        if passed && (class.is_some() || started.is_some()) {
            let output: &[usize] = if self.mixed { &[] } else { &self.output };
            let has_failure_line = output.iter().any(|&line| signals::is_failure(self.source.line(line)));
            // A class's own lines get the same reason and group as its output, so that one marker covers both.
            let (reason, group) = match output.is_empty() {
                true => (Reason::PassingTests, TESTS),
                false => (Reason::TestOutput, OUTPUT),
            };
            for &line in output.iter().filter(|_| started.is_some()) {
                self.actions.omit_unless_failure(line, reason, group);
            }
            for line in started.into_iter().chain([i]).filter(|_| !has_failure_line) {
                self.actions.omit_unless_failure(line, reason, group);
            }
        } else {
            self.keep_headings();
        }
        if self.running.is_empty() || !self.mixed {
            self.output.clear();
        }
        self.mixed &= !self.running.is_empty();
    }
}

/// A line about a download.
fn is_download(line: &str) -> bool {
    ["Downloading from ", "Downloaded from ", "Downloading: http", "Downloaded: http", "Progress ("]
        .iter()
        .any(|s| line.starts_with(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    #[test]
    fn goals_are_steps_and_downloads_are_progress() {
        let goal = |i: usize| {
            format!(
                "[INFO] Downloading from central: https://a.org/p{i}.pom\n[INFO] \n[INFO] --- maven-compiler-plugin:3.{i}:compile (default-compile) @ app ---\n[INFO] Nothing to compile - all classes are up to date\n"
            )
        };
        let text = (0..9).map(goal).collect::<String>() + "[INFO] BUILD SUCCESS\n[INFO] Total time:  1.2 s\n";
        let policy = Policy { min_bytes: 0, ..Policy::default() };
        let outcome =
            compress(&ToolCall::default(), &[Raw::Text(&text)], &policy, false, &NoHistory).unwrap();
        for omission in &outcome.evidence.omissions {
            let lines = omission.lines[0]..=omission.lines[1];
            let is_download =
                lines.clone().any(|line| text.lines().nth(line - 1).unwrap().contains("Downloading"));
            let expected = if is_download { Reason::Progress } else { Reason::BuildSteps };
            assert_eq!(omission.reason, expected, "{lines:?}");
        }
        let shown = outcome.texts.concat();
        assert!(shown.contains("build_steps]") && shown.contains("progress]"), "{shown}");
    }

    #[test]
    fn reads_lines() {
        let result = "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s";
        assert_eq!(class_result(&format!("{result} - in p.A")), Some((true, Some("p.A"))));
        assert_eq!(class_result(&format!("{result} -- in p.A")), Some((true, Some("p.A"))));
        assert_eq!(class_result(&format!("{result}ec")), Some((true, None)));
        assert_eq!(class_result(&result.replace("Errors: 0", "Errors: 1")), Some((false, None)));
        assert_eq!(class_result(&result.replace("run: 2", "run: 0")), Some((false, None)));
        assert_eq!(class_result(&format!("{result} <<< FAILURE! - in p.A")), Some((false, Some("p.A"))));
        assert_eq!(class_result("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0"), None);
        assert!(is_rule("-----< org.shop:api >-----") && is_rule("-----[ jar ]-----") && is_rule("--------"));
        assert!(!is_rule("--- clean:3.2:clean (default) @ api ---") && !is_rule("-- a"));
        assert!(is_goal("--- clean:3.2:clean (default) @ api ---") && !is_goal("--- a ---"));
        assert!(is_project("Shop core                                                          [jar]"));
        assert!(!is_project("Shop core [jar]"));
    }
}
