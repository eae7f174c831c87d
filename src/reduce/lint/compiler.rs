//! Warnings of compilers that fill one line each: those of one message are written together, with every place.
//!
//! This step works on the lines that the reducers of compilers keep. It does not change errors, nor warnings with
//! further lines below them.

use std::ops::Range;

use super::group::{Block, Layout, Plan};
use crate::config::Mode;
use crate::input::Input;
use crate::reduce::diagnostic::below::{is_caret, is_scope};
use crate::reduce::diagnostic::{Diagnostic, ONE_LINE};
use crate::reduce::lines::changes_directory;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Name of the step.
pub const ID: &str = "shared_messages";
/// Reducers after which it is tried.
const AFTER: &[&str] = &["msvc", "dotnet", "gcc", "javac", "gradle", "maven"];
/// Lines below a warning in which its body must start. A choice: excerpts before it may be hidden.
const MAX_LINES_TO_BODY: usize = 24;

/// Whether the output that a reducer knows has such warnings.
pub fn is_wanted(reducer: &str) -> bool {
    AFTER.contains(&reducer)
}

/// Writes the warnings in each of these ranges of lines together, if the lines are still unchanged. `failures` are
/// the lines that report one, in order.
pub fn reduce(
    input: &Input<'_>,
    ledger: &Ledger,
    lines: &[Range<usize>],
    failures: &[usize],
) -> Result<Reduction, Reason> {
    let source = input.source;
    let has = |word: &str| memchr::memmem::find(source.text().as_bytes(), word.as_bytes()).is_some();
    if ![": warning", "w: ", "[WARNING] "].into_iter().any(has) {
        return Err(Reason::NothingToDo);
    }
    let mut is_kept = vec![false; source.len()];
    ledger.kept().for_each(|kept| is_kept[kept].fill(true));
    let is_aggressive = input.policy.mode == Mode::Aggressive;
    let mut plan = Plan::with_failures(source, is_aggressive, failures.to_vec());
    let may_move = changes_directory(input);
    for lines in lines {
        // Warnings with a certain file name, and those whose path is relative to the current folder or project.
        let (mut certain, mut here) = (Vec::new(), Vec::new());
        for i in lines.clone() {
            let line = source.line(i);
            let Some(Diagnostic { path, place, message, .. }) = ONE_LINE.read(line).filter(|_| is_kept[i])
            else {
                if is_elsewhere(line) {
                    plan.group(&std::mem::take(&mut here));
                }
                continue;
            };
            if has_body(source, i, |line| line < lines.end && is_kept[line]) {
                continue;
            }
            let blocks = match is_certain(path, &message) {
                true => &mut certain,
                false if may_move => continue,
                false => &mut here,
            };
            blocks.push(Block { lines: i..i + 1, path, place, message, layout: Layout::ByRule });
        }
        plan.group(&here);
        plan.group(&certain);
        // The line that names the function is left out with the last warning in it.
        for scope in lines.clone().filter(|&i| is_kept[i] && is_scope(source.line(i))) {
            let mut below = (scope + 1..lines.end).filter(|&i| is_kept[i]).peekable();
            if below.peek().is_some_and(|&i| plan.is_hidden(i)) {
                let next = below.find(|&i| !plan.is_hidden(i)).map(|i| source.line(i));
                if next.is_none_or(|line| is_scope(line) || !ONE_LINE.reads(line) && !is_detail(line)) {
                    plan.omit(scope..scope + 1, Reason::SharedMessage);
                }
            }
        }
    }
    plan.finish()
}

/// Whether a file is named by its full path, or together with its project.
fn is_certain(path: &str, message: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with(['/', '\\']) || drive || path.starts_with("file:") || message.ends_with("proj]")
}

/// Whether the lines below may belong to another folder or project.
fn is_elsewhere(line: &str) -> bool {
    ["irectory", "roject", "cd ", "target"].iter().any(|word| line.contains(word))
}

/// Whether lines around a warning belong to it: context above, a code line with carets, notes and what is indented
/// below.
fn has_body(source: &Source<'_>, i: usize, is_visible: impl Fn(usize) -> bool) -> bool {
    let is_caret = |line: &str| is_caret(bare(line).trim(), b" ");
    if i > 0 && is_visible(i - 1) {
        let above = source.line(i - 1);
        if above.trim_start().starts_with("from ")
            || above.contains("n file included from ")
            || above.ends_with(':') && above.contains(": ") && !is_scope(above)
        {
            return true;
        }
    }
    // After an excerpt that was left out there may be a note.
    let mut next = (i + 1..source.len())
        .take(MAX_LINES_TO_BODY)
        .filter(|&line| is_visible(line))
        .map(|i| source.line(i));
    let Some(below) = next.next() else { return false };
    if below.trim().is_empty() || ONE_LINE.reads(below) {
        return false;
    }
    // MSBuild indents its own messages, such as `  app -> /p/app.dll`.
    let indent = |line: &str| bare(line).len() - bare(line).trim_start().len();
    indent(below) > indent(source.line(i)) && !below.contains(" -> ")
        || below.contains(": note: ")
        || is_caret(below)
        || next.next().is_some_and(is_caret)
}

/// A line without the word that Maven puts before every line of a warning.
fn bare(line: &str) -> &str {
    line.strip_prefix("[WARNING] ").unwrap_or(line)
}

/// A note, an error or an excerpt of a diagnostic that is kept.
fn is_detail(line: &str) -> bool {
    line.starts_with([' ', '\t']) || [": note: ", "error: "].iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    fn shown(text: &str, command: &str) -> String {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        let policy = Policy { min_bytes: 0, mode: Mode::Standard, ..Policy::default() };
        compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    }

    #[test]
    fn every_place_is_named_and_what_has_lines_of_its_own_stays() {
        let warning = |i: usize| {
            format!("C:\\p\\f{i}.cpp({i},5): warning C4996: 'strcpy': may be unsafe. [C:\\p\\p.vcxproj]\n")
        };
        let lone = "C:\\p\\a.cpp(3,5): warning C4996: 'strcpy': may be unsafe. [C:\\p\\p.vcxproj]\n\
                    C:\\p\\string.h(9,1): note: see declaration of 'strcpy'\n\
                    C:\\p\\b.cpp(4,5): error C2065: 'x': undeclared identifier [C:\\p\\p.vcxproj]\n";
        let text = (1..20).map(warning).collect::<String>() + lone;
        let out = shown(&text, "msbuild p.sln");
        assert!(out.ends_with(lone) && out.matches("warning C4996: 'strcpy'").count() == 2, "{out}");
        for i in 1..20 {
            assert!(out.contains(&format!("\n  C:\\p\\f{i}.cpp: {i}\n")), "{out}");
        }
    }

    #[test]
    fn relative_files_of_two_folders_stay_apart() {
        let warnings = |from: usize| -> String {
            let line =
                |i: usize| format!("part{i}.c:{i}:9: warning: 'strcpy' may be unsafe, use another [-Wx]\n");
            (from..from + 9).map(line).collect()
        };
        let folder = |name: &str, from: usize| {
            format!(
                "make[1]: Entering directory '/p/{name}'\n{}make[1]: Leaving directory '/p/{name}'\n",
                warnings(from)
            )
        };
        let text = folder("a", 10) + &folder("b", 30);
        let out = shown(&text, "make");
        assert_eq!(out.matches("warning: 'strcpy' may be unsafe").count(), 2, "{out}");
        let second = out.find("Entering directory '/p/b'").unwrap();
        assert!(out[..second].contains("part18.c: 18") && out[second..].contains("part30.c: 30"), "{out}");
        // The text does not show where one compiler's output ends and the other's starts.
        let both = warnings(10) + &warnings(30);
        assert_eq!(shown(&both, "cd a && make; cd ../b && make"), both);
        assert!(shown(&both, "make").contains("part18.c: 18"));
    }

    #[test]
    fn warnings_with_code_below_stay() {
        let one = |i: usize| {
            format!(
                "[WARNING] /p/A.java:{i}: warning: no comment\n[WARNING] public int f{i}() {{\n[WARNING] ^\n"
            )
        };
        let text = (10..40).map(one).collect::<String>() + "[INFO] BUILD SUCCESS\n";
        assert_eq!(shown(&text, "mvn javadoc:javadoc"), text);
        let one = |i: usize| {
            format!("[WARNING] /p/A.java:[{i},5] [unchecked] unchecked call\n[WARNING]   required: List<T>\n")
        };
        let text = (10..40).map(one).collect::<String>() + "[INFO] BUILD SUCCESS\n";
        assert_eq!(shown(&text, "mvn compile"), text);
    }

    #[test]
    fn a_note_stays_with_its_warning() {
        let one = |i: usize| {
            format!(
                "a.c:{i}:3: warning: ‘f’ is deprecated, use another one [-Wdeprecated-declarations]\n \
                 {i:4} |   f();\n      |   ^~~\na.h:{}:6: note: declared here\n",
                i / 10
            )
        };
        let text: String = (10..40).map(one).collect();
        let out = shown(&text, "make");
        assert!(out.contains("diagnostic_excerpt"), "{out}");
        for i in 10..40 {
            let at = out.find(&format!("a.c:{i}:3: warning: ")).unwrap();
            let next = out[at..].lines().skip(1).find(|l| l.starts_with("a.")).unwrap();
            assert!(next.contains("note: declared here"), "{i} {out}");
        }
    }
}
