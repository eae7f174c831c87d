//! XML documents: finds them, parses them, and detects white space that is only layout.
//!
//! Tags are parsed by their grammar; a document that does not balance is declined.

mod read;

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

pub use read::{Kind, NONE, Node, Tag, name, read, tag, tag_end};

use crate::text::source::Source;

/// A document on lines of its own.
pub struct Whole {
    /// Its lines.
    pub lines: Range<usize>,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its end.
    pub end: usize,
}

/// The document that starts with the first of some lines and ends with another; or the line at which to continue the
/// search, so that nothing is read twice.
pub fn find(source: &Source<'_>, lines: Range<usize>) -> Result<Whole, usize> {
    let first = source.line(lines.start);
    let is_start = |head: &str| first.starts_with(head);
    let bytes = source.byte_range(lines.clone());
    let is_tag = first.len() > 2 && first.starts_with('<') && first.as_bytes()[1].is_ascii_alphabetic();
    let next = lines.start + 1;
    if !(is_start("<?xml") || is_start("<!--") || is_start("<!DOCTYPE ") || is_tag) {
        return Err(next);
    }
    let text = &source.text()[..bytes.end];
    let behind = |at: usize| next.max(source.line_at(at.min(bytes.end - 1)));
    let (nodes, end) = read(text, bytes.start).map_err(behind)?;
    let last = source.line_at(end - 1);
    let rest = &text[end..source.byte_range(last..last + 1).end];
    let whole = Whole { lines: lines.start..last + 1, nodes, end };
    if rest.trim().is_empty() { Ok(whole) } else { Err(last + 1) }
}

/// Whether white space between elements is only layout: no element has both elements and a text, and no attribute
/// makes white space significant.
pub fn is_data(text: &str, nodes: &[Node]) -> bool {
    const WRITTEN: &[&str] = &[
        "html", "body", "div", "p", "pre", "script", "style", "svg", "textarea", "code", "span", "text",
        "tspan",
    ];
    let root = nodes.iter().find(|node| node.kind == Kind::Element);
    let Some(root) = root else { return false };
    let head = &text[nodes[0].start as usize..root.open as usize];
    if memchr::memmem::find(head.as_bytes(), b"<!DOCTYPE html").is_some() {
        return false;
    }
    // For each element: whether it has elements, and whether it has text.
    let mut has: HashMap<u32, (bool, bool), FixedState> = HashMap::default();
    for node in nodes {
        crate::stop::check_sometimes();
        match node.kind {
            Kind::Element => {
                let tag = &text[node.start as usize..node.open as usize];
                let name = name(&tag.as_bytes()[1..]).and_then(|name| std::str::from_utf8(name).ok());
                if tag.contains("xml:space") || name.is_none_or(|name| WRITTEN.contains(&name)) {
                    return false;
                }
                has.entry(node.parent).or_default().0 = true;
            }
            Kind::Text if !text[node.start as usize..node.end as usize].trim().is_empty() => {
                has.entry(node.parent).or_default().1 = true;
            }
            Kind::Other if text[node.start as usize..].starts_with("<![CDATA[") => {
                has.entry(node.parent).or_default().1 = true;
            }
            _ => {}
        }
    }
    has.values().all(|(elements, text)| !(*elements && *text))
}

/// Whether most of a document is lines of text, in elements that `holds` accepts or in a tag around everything. Such
/// a document is not data.
pub fn only_wraps(text: &str, nodes: &[Node], holds: impl Fn(&str) -> bool) -> bool {
    let of = |node: &Node| &text[node.start as usize..node.end as usize];
    let (mut wrapped, mut all) = (0, 0);
    for node in nodes {
        crate::stop::check_sometimes();
        all = all.max(of(node).len());
        if node.kind != Kind::Text || memchr::memchr(b'\n', of(node).trim().as_bytes()).is_none() {
            continue;
        }
        let Some(parent) = nodes.get(node.parent as usize) else { continue };
        let tag = &text.as_bytes()[parent.start as usize..parent.open as usize];
        let name = tag.get(1..).and_then(name).and_then(|name| std::str::from_utf8(name).ok());
        let is_around = nodes.get(parent.parent as usize).is_none()
            && name.is_some_and(|name| tag.len() == name.len() + 2);
        wrapped += if is_around || name.is_some_and(&holds) { of(node).len() } else { 0 };
    }
    wrapped * 2 > all
}

/// Whether a text is white space between the elements of an element with no other text.
pub fn is_layout(text: &str, nodes: &[Node], i: usize) -> bool {
    let node = nodes[i];
    let blank = &text[node.start as usize..node.end as usize];
    if node.kind != Kind::Text || !blank.trim().is_empty() || !blank.contains('\n') {
        return false;
    }
    // The only child of an element is its value.
    match nodes.get(node.parent as usize) {
        Some(parent) => !(parent.open == node.start && parent.close == node.end),
        None => true,
    }
}

/// The document without its indentation.
pub fn minify(text: &str, nodes: &[Node], end: usize) -> String {
    let mut out = String::with_capacity(end - nodes.first().map_or(end, |node| node.start as usize));
    let mut at = nodes.first().map_or(end, |node| node.start as usize);
    for (i, node) in nodes.iter().enumerate() {
        crate::stop::check_sometimes();
        if is_layout(text, nodes, i) {
            out.push_str(&text[at..node.start as usize]);
            at = node.end as usize;
        }
    }
    out.push_str(&text[at..end]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_by_their_tags() {
        for (text, count) in
            [("<a/>", 1), ("<?xml version=\"1.0\"?>\n<!-- x --><a b=\"1>2\"><c>t</c><![CDATA[<x>]]></a>", 7)]
        {
            let (nodes, end) = read(text, 0).unwrap();
            assert_eq!((nodes.len(), end), (count, text.len()), "{text}");
        }
        for text in ["<a>", "<a></b>", "<a b=\"<\"/>", "<a><b></a></b>", "x<a/>", "<a <b>", "<1/>", "a < b"] {
            assert!(read(text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn tags_are_read_with_their_quoted_values() {
        let read = |text: &'static str| {
            let tag = tag(text.as_bytes(), 0)?;
            Some((std::str::from_utf8(tag.name).unwrap(), tag.is_end, tag.is_empty, tag.end))
        };
        for (text, expected) in [
            ("<a>b", Some(("a", false, false, 3))),
            ("<a-b.c c=\"/>\" d='\"'/>", Some(("a-b.c", false, true, 21))),
            ("</a>", Some(("a", true, false, 4))),
            ("</a/>", Some(("a", true, false, 5))),
            ("<a b=\">", None),
            ("<1>", None),
            ("<>", None),
            ("<", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn only_layout_goes() {
        let dense = |text: &str| {
            let (nodes, end) = read(text, 0).unwrap();
            is_data(text, &nodes).then(|| minify(text, &nodes, end))
        };
        let text = "<?xml version=\"1.0\"?>\n<a>\n  <b x=\"1  2\"> t </b>\n  <c> </c>\n  <!-- n -->\n</a>";
        assert_eq!(
            dense(text).unwrap(),
            "<?xml version=\"1.0\"?><a><b x=\"1  2\"> t </b><c> </c><!-- n --></a>"
        );
        for text in [
            "<a>\n text <b/>\n</a>",
            "<a xml:space=\"preserve\">\n <b/></a>",
            "<div>\n <b/></div>",
            "<a>\n <pre> x </pre></a>",
        ] {
            assert_eq!(dense(text), None, "{text}");
        }
    }
}
