//! Marks what must stay in a document that was read into a flat list of nodes.

use std::ops::Range;

/// A node in a flat list, in the order of the text. `u32::MAX` as parent means none.
pub trait Node {
    /// Its place in the text.
    fn range(&self) -> Range<usize>;
    /// Index of its container.
    fn parent(&self) -> u32;
    /// Whether it, or something inside it, must be shown whole.
    fn must(&mut self) -> &mut bool;
}

impl Node for super::tape::Node {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn parent(&self) -> u32 {
        self.parent
    }

    fn must(&mut self) -> &mut bool {
        &mut self.must
    }
}

impl Node for crate::formats::xml::Node {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn parent(&self) -> u32 {
        self.parent
    }

    fn must(&mut self) -> &mut bool {
        &mut self.must
    }
}

/// Marks the nodes that overlap the ranges, and all their containers. The ranges are in order.
pub fn mark(nodes: &mut [impl Node], exact: &[Range<usize>]) {
    for range in exact {
        let first = nodes.partition_point(|node| node.range().start < range.start);
        // A leaf that starts before the range may overlap it.
        let from = first - usize::from(first > 0 && nodes[first - 1].range().end > range.start);
        let inside = nodes[from..].partition_point(|node| node.range().start < range.end);
        for i in from..from + inside {
            let mut at = i;
            // All nodes above a marked node are already marked.
            while let Some(node) = nodes.get_mut(at)
                && !std::mem::replace(node.must(), true)
            {
                at = node.parent() as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_marked_with_its_containers() {
        let text = r#"{"a": [1, "long", {}], "b": [2]}"#;
        let mut nodes = crate::elide::tape::read(text, 0, false).unwrap_or_default();
        let at = text.find("ong").unwrap_or_default();
        mark(&mut nodes, std::slice::from_ref(&(at..at + 1)));
        let marked: Vec<&str> =
            nodes.iter().filter(|node| node.must).map(|node| &text[Node::range(node)]).collect();
        assert_eq!(marked, [text, r#"[1, "long", {}]"#, r#""long""#]);
    }
}
