//! Drawn trees: what noise folders hold goes, the drawing stays.

use super::noise::Noise;
use super::sheet::Sheet;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::reduce::Input;

/// Branches as `tree` draws them, in Unicode and in ASCII, and as `tree /f` of Windows does.
const BRANCHES: &[&str] = &["├── ", "└── ", "|-- ", "`-- ", "├───", "└───", "+---", "\\---"];

/// Columns before the name of a line and the name, with what `tree` writes in front of it.
fn branch(line: &str) -> Option<(usize, &str)> {
    let drawn = |c: char| matches!(c, ' ' | '\u{a0}' | '│' | '|');
    let at = line.find(|c| !drawn(c))?;
    let rest = &line[at..];
    // An ASCII branch starts with a sign that also runs down.
    let (at, rest) = match BRANCHES.iter().find(|b| rest.starts_with(**b)) {
        Some(branch) => (at, &rest[branch.len()..]),
        None => {
            let at = at.checked_sub(1)?;
            (at, line.get(at..)?.strip_prefix("|-- ")?)
        }
    };
    Some((line[..at].chars().count(), rest))
}

/// How deep a line of a tree stands, in columns.
pub fn depth(line: &str) -> Option<usize> {
    branch(line).map(|(depth, _)| depth)
}

/// What to do with a tree.
pub fn reduce(input: &Input<'_>, noise: &Noise<'_>) -> Result<Reduction, Reason> {
    let source = input.source;
    let mut sheet = Sheet::new(input);
    let mut at = 0;
    while at < source.len() {
        let found = branch(source.line(at));
        at += 1;
        let Some((depth, name)) = found else { continue };
        // Columns of `-s`, `-p`, … stand in brackets, `-f` writes the whole path.
        let name = name.rsplit("]  ").next().unwrap_or(name);
        let name = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
        if !noise.has(name) {
            continue;
        }
        let inside = |i: &usize| branch(source.line(*i)).is_some_and(|(d, _)| d > depth);
        let end = at + (at..source.len()).take_while(inside).count();
        sheet.noise(at..end);
        at = end;
    }
    if sheet.out.is_empty() { Err(Reason::NothingToDo) } else { Ok(sheet.out) }
}
