//! Which part of a compound command wrote which lines, as far as that can be told: lines that an `echo`
//! of the command printed stand between the outputs of what ran before and after it.
//!
//! It guesses nothing: where no such line is found, the parts share one section and the content
//! decides.

use std::ops::Range;

use super::command::{CommandLine, Simple};
use crate::pipeline::source::Source;

/// Lines that one part of a command wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The lines.
    pub lines: Range<usize>,
    /// What wrote them.
    pub command: CommandLine,
}

/// Shortest line that tells sections apart, in bytes.
const SHORTEST: usize = 3;

/// The sections of an output, in order; a line that an `echo` printed belongs to none. One section
/// when the parts can't be told apart.
pub fn sections(command: &CommandLine, source: &Source<'_>) -> Vec<Section> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut parts = CommandLine::default();
    for pipeline in &command.pipelines {
        let found = match pipeline.as_slice() {
            [simple] => printed(simple).and_then(|text| find(source, from, &text)),
            _ => None,
        };
        match found {
            Some(lines) => {
                out.push(Section { lines: from..lines.start, command: std::mem::take(&mut parts) });
                from = lines.end;
            }
            None => parts.pipelines.push(pipeline.clone()),
        }
    }
    out.push(Section { lines: from..source.len(), command: parts });
    out.retain(|section| !section.lines.is_empty());
    out
}

/// What an `echo` or a `printf` without arguments prints, where the shell does not fill anything in.
fn printed(simple: &Simple) -> Option<String> {
    if simple.to_file {
        return None;
    }
    let words = match simple.program() {
        "echo" | "Write-Host" | "Write-Output" => {
            let flags = |w: &&String| matches!(w.as_str(), "-e" | "-n" | "-E" | "-ne" | "-en");
            simple.argv.iter().skip(1).skip_while(flags).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        "printf" if simple.argv.len() == 2 => simple.argv[1].clone(),
        _ => return None,
    };
    let text = words.replace("\\n", "\n");
    let is_plain = !text.contains(['$', '`', '%', '*', '\\']);
    (is_plain && text.trim().len() >= SHORTEST).then_some(text)
}

/// Where the lines of a text stand, from some line on.
fn find(source: &Source<'_>, from: usize, text: &str) -> Option<Range<usize>> {
    let text = text.trim_matches('\n');
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    let start = (from..source.len()).find(|&i| {
        lines
            .iter()
            .enumerate()
            .all(|(n, line)| i + n < source.len() && source.line(i + n).trim_end() == *line)
    })?;
    Some(start..start + lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str, text: &str) -> Vec<(Range<usize>, Vec<String>)> {
        let source = Source::new(text);
        let programs = |s: &Section| s.command.pipelines.iter().map(|p| p[0].program().to_owned()).collect();
        sections(&CommandLine::parse(command), &source)
            .iter()
            .map(|s| (s.lines.clone(), programs(s)))
            .collect()
    }

    #[test]
    fn echoes_part_the_output() {
        let text = "a\nb\n=== tests ===\nc\n--- end ---\n";
        assert_eq!(
            of("git status; echo '=== tests ==='; pytest -q && echo \"--- end ---\"", text),
            [(0..2, vec!["git".to_owned()]), (3..4, vec!["pytest".to_owned()])]
        );
        assert_eq!(
            of("git status; echo $X; pytest", text),
            [(0..5, vec!["git".to_owned(), "echo".to_owned(), "pytest".to_owned()])]
        );
        assert_eq!(
            of("make && echo 'not printed' && ls", text),
            [(0..5, vec!["make".into(), "echo".into(), "ls".into()])]
        );
        assert_eq!(of("ls", "")[..], []);
    }
}
