//! Markdown: sections by their headings, outside fenced code.

use super::{Found, Item, Kind};

/// The sections of a text. Each ends before the next heading of its level or a higher one.
pub(super) fn scan<'a>(lines: &[&'a str]) -> Found<'a> {
    let mut items: Vec<Item<'a>> = Vec::new();
    // Index and level of the sections that are open.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    let mut at = front_matter(lines);
    while at < lines.len() {
        let text = lines[at].trim_start();
        if let Some((mark, count)) = fence_of(text) {
            match fence {
                Some((open, least)) if open == mark && count >= least && text[count..].trim().is_empty() => {
                    fence = None
                }
                None => fence = Some((mark, count)),
                Some(_) => {}
            }
            at += 1;
            continue;
        }
        let heading = if fence.is_some() { None } else { heading(lines, at) };
        let Some((level, name, height)) = heading else {
            at += 1;
            continue;
        };
        while open.last().is_some_and(|(_, l)| *l >= level) {
            if let Some((item, _)) = open.pop() {
                close(&mut items[item], lines, at);
            }
        }
        let signature = at..at + height;
        open.push((items.len(), level));
        at += height;
        items.push(Item {
            kind: Kind::Section,
            lines: signature.clone(),
            body: at..at,
            signature,
            doc: None,
            depth: 0,
            name,
        });
    }
    for (item, _) in open {
        close(&mut items[item], lines, lines.len());
    }
    Found { items, unknown: 0 }
}

/// Ends a section before line `end`, without the blank lines there.
fn close(item: &mut Item<'_>, lines: &[&str], end: usize) {
    let start = item.body.start;
    let end = (start..end).rev().find(|i| !lines[*i].trim().is_empty()).map_or(start, |i| i + 1);
    item.lines.end = end;
    item.body.end = end;
}

/// The line after the settings that a page may start with.
fn front_matter(lines: &[&str]) -> usize {
    const MAX_FRONT_MATTER_LINES: usize = 100;
    if lines.first().is_none_or(|l| l.trim_end() != "---") {
        return 0;
    }
    (1..lines.len().min(MAX_FRONT_MATTER_LINES)).find(|i| lines[*i].trim_end() == "---").map_or(0, |i| i + 1)
}

fn fence_of(text: &str) -> Option<(u8, usize)> {
    let mark = *text.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let count = text.bytes().take_while(|b| *b == mark).count();
    (count >= 3 && (mark == b'~' || !text[count..].contains('`'))).then_some((mark, count))
}

/// Level, text and height in lines of the heading at a line.
fn heading<'a>(lines: &[&'a str], at: usize) -> Option<(usize, &'a str, usize)> {
    let line = lines[at];
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let level = text.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&level) && text[level..].starts_with([' ', '\t']) {
        return Some((level, text[level..].trim().trim_end_matches('#').trim_end(), 1));
    }
    // A line of `=` or `-` below a single line.
    let under = lines.get(at + 1)?.trim_end();
    let level = match under.as_bytes().first()? {
        b'=' if under.bytes().all(|b| b == b'=') => 1,
        b'-' if under.bytes().all(|b| b == b'-') => 2,
        _ => return None,
    };
    let alone = at == 0 || lines[at - 1].trim().is_empty();
    let plain =
        text.starts_with(|c: char| c.is_alphanumeric() || c == '`' || c == '[') && !text.contains('|');
    (alone && plain && under.len() >= 3).then(|| (level, text.trim_end(), 2))
}
