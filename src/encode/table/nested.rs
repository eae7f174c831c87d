//! The nested boxes of `aws --output table`: every level has one more pipe on both sides. Cells are split
//! where the rule above them has its joints, so that a pipe inside a value does not split it. Their padding
//! is removed and the rules are shortened. The pipes that show the level stay.

use std::ops::Range;

/// A line of such a box: how many pipes enclose it, and the text inside.
fn inside(line: &str) -> Option<(usize, &str)> {
    crate::stop::check_sometimes();
    let level = line.len() - line.trim_start_matches('|').len();
    let body = line[level..].strip_suffix(&line[..level])?;
    (level > 0 || is_rule(body)).then_some((level, body))
}

/// `+----+----+`
fn is_rule(body: &str) -> bool {
    body.len() > 2
        && body.starts_with('+')
        && body.ends_with('+')
        && body.contains('-')
        && body.bytes().all(|b| matches!(b, b'+' | b'-'))
}

/// Whether a line is the line of dashes above or below the whole box.
fn is_edge(line: &str) -> bool {
    crate::stop::check_sometimes();
    line.len() > 4 && line.bytes().all(|b| b == b'-')
}

/// The next such box among lines.
pub fn find(lines: &[&str]) -> Option<Range<usize>> {
    let start = (0..lines.len().saturating_sub(1)).find(|&i| {
        let title = lines[i + 1];
        is_edge(lines[i]) && title.starts_with('|') && title.ends_with('|') && title.len() == lines[i].len()
    })?;
    let width = lines[start].len();
    let fits = |line: &&&str| line.is_ascii() && line.len() == width && inside(line).is_some();
    let end = start + 1 + lines[start + 1..].iter().take_while(fits).count();
    let end = end + usize::from(lines.get(end).is_some_and(|line| is_edge(line) && line.len() == width));
    (end - start > super::MIN_LINES).then_some(start..end)
}

/// The lines of a box with less padding. Lines outside of boxes do not change.
pub fn squeeze(lines: &[&str]) -> Option<Vec<String>> {
    let mut joints: Vec<usize> = Vec::new();
    let mut out = Vec::with_capacity(lines.len());
    for (i, line) in lines.iter().enumerate() {
        if is_edge(line) && (i == 0 || i + 1 == lines.len()) {
            out.push("---".to_owned());
            continue;
        }
        let (level, body) = inside(line)?;
        let pipes = &line[..level];
        if is_rule(body) {
            joints = body.match_indices('+').map(|(at, _)| level + at).collect();
            let cells = joints.len() - 1;
            out.push(format!("{pipes}+{}{pipes}", "---+".repeat(cells)));
            continue;
        }
        // A row: its pipes are below the joints of the rule above. A title is above a rule.
        let inner: Vec<usize> =
            joints.iter().copied().filter(|&at| at >= level && at < line.len() - level).collect();
        let is_row = !inner.is_empty() && inner.iter().all(|&at| line.as_bytes()[at] == b'|');
        let mut cells = Vec::new();
        let mut from = level;
        for at in if is_row { inner } else { Vec::new() } {
            cells.push(line[from..at].trim());
            from = at + 1;
        }
        cells.push(line[from..line.len() - level].trim());
        out.push(format!("{pipes} {} {pipes}", cells.join(" | ")));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: &str = "-------------------------------\n|         DescribeThings        |\n+-------------------------------+\n||            Things           ||\n|+--------------+--------------+|\n||  Id          |  t-1 | x     ||\n||  State       |  on          ||\n|+--------------+--------------+|\n|||           Tags            |||\n||+-------------+-------------+||\n|||  Key        |  Name       |||\n||+-------------+-------------+||";

    #[test]
    fn levels_and_cells_stay() {
        let lines: Vec<&str> = BOX.lines().map(|l| l.trim_end()).collect();
        let wide: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(i, l)| if i == 0 { "-".repeat(33) } else { (*l).to_owned() })
            .collect();
        let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
        assert_eq!(find(&wide), Some(0..wide.len()));
        let out = squeeze(&wide).unwrap();
        assert_eq!(out[3], "|| Things ||");
        assert_eq!(out[4], "|+---+---+|");
        assert_eq!(out[5], "|| Id | t-1 | x ||");
        assert_eq!(out[10], "||| Key | Name |||");
        let again: Vec<&str> = out.iter().map(String::as_str).collect();
        assert_eq!(find(&again), None);
    }

    #[test]
    fn other_boxes_are_none() {
        assert_eq!(find(&["-----", "a | b", "-----"]), None);
        assert_eq!(find(&["------", "| ab |", "text"]), None);
    }
}
