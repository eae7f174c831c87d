//! Which lines of YAML in block style are keys, items and texts, and the blocks that they form.

use std::ops::Range;

use super::{Block, MAX_DEPTH};
use crate::elide::is_plain_name;
use crate::text::source::Source;

/// Whether some lines are YAML and nothing else: every line is a member or an item, with plain keys, and enough
/// members are inside items or other members.
pub fn is_certain(source: &Source<'_>, lines: Range<usize>) -> bool {
    /// Fewest items with more than one member, or members that hold others. A choice: reports of programs have fewer.
    const MIN_NESTED: usize = 3;
    let (mut nested, mut items) = (0, 0);
    // The indentation of the line that opened a text, and the column of a member below the last line.
    let (mut text, mut below): (Option<usize>, Option<(usize, bool)>) = (None, None);
    for i in lines {
        let line = source.line(i).trim_end();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = &line[indent..];
        if rest.is_empty()
            || rest == "---"
            || rest.starts_with("# ")
            || text.is_some_and(|open| indent > open)
        {
            continue;
        }
        text = opens_text(rest).then_some(indent);
        let member = rest.trim_start_matches("- ");
        let is_item = member.len() < rest.len();
        let name = member.split(':').next().unwrap_or_default();
        let is_member = is_key(member) && is_plain_name(name.trim_matches(['"', '\'']));
        if !is_member && (!is_item || member.contains(": ")) {
            return false;
        }
        match below {
            Some((at, true)) if at == indent && !is_item => items += 1,
            Some((at, false)) if indent > at || indent == at && is_item => nested += 1,
            _ => {}
        }
        below = match (is_member, is_item) {
            (true, true) => Some((line.len() - member.len(), true)),
            (true, false) if member.ends_with(':') => Some((indent, false)),
            _ => None,
        };
    }
    items >= MIN_NESTED || nested >= MIN_NESTED
}

/// Whether a line starts a multi-line value: `key: |`, `- >-`.
fn opens_text(line: &str) -> bool {
    let line = line.trim_end();
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let sign = line.rsplit([' ', '-']).next().unwrap_or_default();
    let sign = if sign.is_empty() { line.rsplit(' ').next().unwrap_or_default() } else { sign };
    sign.starts_with(['|', '>']) && sign.len() <= 3 && (line.contains(": ") || line.contains("- "))
}

/// Whether a line is a key: `name:`, `"a b": value`.
fn is_key(line: &str) -> bool {
    let (quote, rest) = match line.as_bytes().first() {
        Some(b'"' | b'\'') => (line.as_bytes()[0] as char, &line[1..]),
        _ => (':', line),
    };
    let Some(len) = rest.find(quote) else { return false };
    let behind = if quote == ':' { &rest[len..] } else { &rest[len + 1..] };
    let plain = !rest[..len].contains(['{', '[', '#', '\t']) || quote != ':';
    len > 0 && plain && behind.strip_prefix(':').is_some_and(|v| v.is_empty() || v.starts_with(' '))
}

/// The blocks of some lines; `None` if a line does not fit.
pub(super) fn blocks(source: &Source<'_>, lines: Range<usize>) -> Option<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let close =
        |blocks: &mut Vec<Block>, open: &mut Vec<usize>, line: usize, is_over: &dyn Fn(&Block) -> bool| {
            while let Some(&top) = open.last().filter(|&&top| is_over(&blocks[top])) {
                let next = blocks.len();
                blocks[top].end = line;
                blocks[top].next = next;
                open.pop();
            }
        };
    for i in lines.clone() {
        let line = source.line(i);
        let text = line.trim_start_matches(' ');
        if text.starts_with('\t') {
            return None;
        }
        let indent = line.len() - text.len();
        // Blank lines and comments belong to the open block.
        if text.trim().is_empty() || (text.starts_with('#') && !is_inside(&blocks, &open, indent)) {
            continue;
        }
        if indent == 0 && matches!(text.trim_end(), "---" | "...") {
            close(&mut blocks, &mut open, i, &|_| true);
            let next = blocks.len() + 1;
            let (is_item, is_text, is_rule) = (false, false, true);
            blocks.push(Block { start: i, end: i + 1, next, indent, key: 0, is_item, is_text, is_rule });
            continue;
        }
        if is_inside(&blocks, &open, indent) {
            continue;
        }
        let is_item = text.starts_with("- ") || text.trim_end() == "-";
        // Items may have the same indentation as their key.
        let is_over = |b: &Block| b.indent > indent || (b.indent == indent && (b.is_item || !is_item));
        close(&mut blocks, &mut open, i, &is_over);
        if !is_item && !is_key(text) {
            // A continued value belongs to the open block.
            if open.is_empty() {
                return None;
            }
            continue;
        }
        if open.len() == MAX_DEPTH {
            return None;
        }
        let key = line.len() - text.trim_start_matches(['-', ' ']).len();
        blocks.push(Block {
            start: i,
            end: i + 1,
            next: 0,
            indent,
            key,
            is_item,
            is_text: opens_text(text),
            is_rule: false,
        });
        open.push(blocks.len() - 1);
    }
    close(&mut blocks, &mut open, lines.end, &|_| true);
    // Comments after a separator belong to it.
    for i in 0..blocks.len() {
        if blocks[i].is_rule {
            blocks[i].end = blocks.get(i + 1).map_or(lines.end, |next| next.start);
        }
    }
    Some(blocks).filter(|blocks| blocks.len() > 2)
}

/// Whether a line of this indentation belongs to the open text.
fn is_inside(blocks: &[Block], open: &[usize], indent: usize) -> bool {
    open.last().is_some_and(|&top| blocks[top].is_text && indent > blocks[top].key)
}
