//! Which part of a compound command wrote which lines, if that can be recognized: by the lines that an `echo` of the
//! command printed between them, by the trace of a shell that prints each command (`set -x`), or by the command lines
//! that a terminal shows after its prompt.
//!
//! It does not guess: if no such line is found, the whole output is one section, and the reducers decide by its
//! content.

use std::ops::Range;
use std::rc::Rc;

use super::command::{CommandLine, Pipeline, Simple};
use crate::text::lines::trimmed_end;
use crate::text::source::Source;

/// Lines that one part of a command wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The lines.
    pub lines: Range<usize>,
    /// The part of the command that wrote them.
    pub command: Rc<CommandLine>,
}

/// Shortest line that separates sections, in bytes.
const MIN_LINE_BYTES: usize = 3;

/// The sections of an output, in order; a separating line belongs to none. One section if the parts cannot be
/// separated.
pub fn sections(command: &Rc<CommandLine>, source: &Source<'_>) -> Vec<Section> {
    let mut out = match command.is_traced {
        true => traced(source),
        false => parted(command, source),
    };
    out.retain(|section| !section.lines.is_empty());
    out
}

/// Sections between the lines that the command itself printed, or that a terminal shows.
fn parted(command: &Rc<CommandLine>, source: &Source<'_>) -> Vec<Section> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut parts = CommandLine::default();
    let several = command.pipelines.len() > 1;
    for pipeline in command.pipelines.iter().filter(|_| several) {
        let found = match &**pipeline {
            [simple] => printed(simple).and_then(|text| find(source, from, &text)),
            _ => None,
        };
        if let Some(lines) = found {
            out.push(Section { lines: from..lines.start, command: Rc::new(std::mem::take(&mut parts)) });
            from = lines.end;
            continue;
        }
        if let Some(line) = prompted(pipeline).and_then(|typed| find_prompt(source, from, &typed)) {
            out.push(Section { lines: from..line, command: Rc::new(std::mem::take(&mut parts)) });
            from = line + 1;
        }
        parts.pipelines.push(pipeline.clone());
    }
    let rest = if several { Rc::new(parts) } else { Rc::clone(command) };
    out.push(Section { lines: from..source.len(), command: rest });
    out
}

/// Sections between the commands that the shell prints as `+ command`.
fn traced(source: &Source<'_>) -> Vec<Section> {
    let mut out = Vec::new();
    let mut section = Section { lines: 0..0, command: Rc::default() };
    for i in 0..source.len() {
        let line = source.line(i);
        let text = line.trim_start_matches('+');
        match text.strip_prefix(' ').filter(|_| text.len() < line.len()) {
            Some(text) => {
                let next = Section { lines: i + 1..i + 1, command: Rc::new(CommandLine::parse(text)) };
                out.push(std::mem::replace(&mut section, next));
            }
            None => section.lines.end = i + 1,
        }
    }
    out.push(section);
    out
}

/// The text that an `echo` or a `printf` without arguments prints.
fn printed(simple: &Simple) -> Option<String> {
    if simple.to_file {
        return None;
    }
    match simple.program() {
        "echo" | "Write-Host" | "Write-Output" => {
            let flags = |w: &&String| matches!(w.as_str(), "-e" | "-n" | "-E" | "-ne" | "-en");
            let words: Vec<&str> = simple.argv.iter().skip(1).skip_while(flags).map(String::as_str).collect();
            Some(words.join(" ").replace("\\n", "\n"))
        }
        "printf" if simple.argv.len() == 2 && !simple.argv[1].contains('%') => {
            Some(simple.argv[1].replace("\\n", "\n"))
        }
        _ => None,
    }
}

/// The first line from `from` on that contains a text, which has no line end.
fn first_with(source: &Source<'_>, from: usize, text: &str) -> Option<usize> {
    let start = source.byte_range(from..from).start;
    let at = memchr::memmem::find(source.text().as_bytes().get(start..)?, text.as_bytes())?;
    Some(source.line_at(start + at))
}

/// The place of the lines of a printed text, from some line on. Text that the shell fills in may be anything.
fn find(source: &Source<'_>, from: usize, text: &str) -> Option<Range<usize>> {
    let lines: Vec<Vec<String>> = text.trim_matches('\n').split('\n').map(|l| pieces(l.trim_end())).collect();
    let fixed: usize = lines.iter().flatten().map(|piece| piece.trim().len()).sum();
    if fixed < MIN_LINE_BYTES {
        return None;
    }
    let fits = |i: &usize| {
        i + lines.len() <= source.len()
            && lines.iter().enumerate().all(|(n, pieces)| is_filled(trimmed_end(source.line(i + n)), pieces))
    };
    // The first line with anything fixed is in the output, or nothing is.
    let longest = lines.iter().enumerate().flat_map(|(n, pieces)| pieces.iter().map(move |piece| (n, piece)));
    let (n, longest) = longest.max_by_key(|(_, piece)| piece.len())?;
    let first = first_with(source, from, longest)?.saturating_sub(n).max(from);
    let start = (first..source.len()).find(fits)?;
    Some(start..start + lines.len())
}

/// The literal pieces of a line of a command, split wherever the shell fills something in.
fn pieces(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let filled = match c {
            '$' => {
                let body = &rest[1..];
                match body.bytes().next() {
                    Some(b'(') => 1 + body.find(')').map_or(body.len(), |i| i + 1),
                    Some(b'{') => 1 + body.find('}').map_or(body.len(), |i| i + 1),
                    Some(b) if b.is_ascii_alphanumeric() || b"_?#@!*".contains(&b) => {
                        let name =
                            body.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                        1 + name.max(1)
                    }
                    _ => 0,
                }
            }
            '`' => 1 + rest[1..].find('`').map_or(rest.len() - 1, |i| i + 1),
            _ => 0,
        };
        if filled > 0 {
            out.push(String::new());
            rest = &rest[filled..];
            continue;
        }
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Whether a line is the pieces in their order with anything between them.
fn is_filled(line: &str, pieces: &[String]) -> bool {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    if pieces.len() == 1 {
        return line == first;
    }
    let Some(mut rest) = line.strip_prefix(first.as_str()).and_then(|l| l.strip_suffix(last.as_str())) else {
        return false;
    };
    pieces[1..pieces.len() - 1].iter().all(|piece| match rest.find(piece.as_str()) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// The typed form of a pipeline, if it was typed without quotes; `None` if it is too short.
fn prompted(pipeline: &Pipeline) -> Option<String> {
    let words = |simple: &Simple| simple.argv.join(" ");
    let text = pipeline.iter().map(words).collect::<Vec<_>>().join(" | ");
    (text.len() >= MIN_LINE_BYTES).then_some(text)
}

/// The line that ends with a prompt and the command.
fn find_prompt(source: &Source<'_>, from: usize, typed: &str) -> Option<usize> {
    // Most outputs do not show the command: then no line is read.
    let first = first_with(source, from, typed)?;
    (first..source.len()).find(|&i| {
        let line = trimmed_end(source.line(i));
        line.strip_suffix(typed).is_some_and(|prompt| prompt.ends_with("$ ") || prompt.ends_with("# "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str, text: &str) -> Vec<(Range<usize>, Vec<String>)> {
        let source = Source::new(text);
        let programs = |s: &Section| s.command.pipelines.iter().map(|p| p[0].program().to_owned()).collect();
        sections(&Rc::new(CommandLine::parse(command)), &source)
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

    #[test]
    fn what_the_shell_fills_in_may_be_anything() {
        let text = "== a.rs: 3 ==\nx\n== b.rs: 4 ==\ny\n";
        let loops = "for f in *.rs; do echo \"== $f: $(wc -l < $f) ==\"; cat $f; done";
        assert_eq!(of(loops, text), [(1..4, vec!["cat".to_owned()])]);
        let loops = "for f in a b; do echo \"== $f.rs: ${n[$f]} ==\"; cat $f; done";
        assert_eq!(of(loops, text), [(1..2, vec!["cat".to_owned()]), (3..4, vec!["cat".to_owned()])]);
        assert_eq!(
            of("make; echo $?; ls", "a\n0\nb\n"),
            [(0..3, vec!["make".into(), "echo".into(), "ls".into()])]
        );
    }

    #[test]
    fn traces_and_prompts_part_the_output() {
        let text = "+ cargo test\na\nb\n++ git rev-parse HEAD\nc\n+ echo done\ndone\n";
        assert_eq!(
            of("set -x; ./ci.sh", text),
            [
                (1..3, vec!["cargo".to_owned()]),
                (4..5, vec!["git".to_owned()]),
                (6..7, vec!["echo".to_owned()])
            ]
        );
        let text = "root@box:/app# make all\na\nroot@box:/app# pytest -q | tail -3\nb\nroot@box:/app# \n";
        assert_eq!(
            of("make all\npytest -q | tail -3", text),
            [(1..2, vec!["make".to_owned()]), (3..5, vec!["pytest".to_owned()])]
        );
    }
}
