//! Computes how large the parts of a JSON document are, so that limits above all of them need not be tried.

use super::Limits;
use super::tape::{Kind, Node};

/// Upper bounds for all parts of a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct LargestParts {
    items: u32,
    members: u32,
    string: u32,
    depth: usize,
}

impl LargestParts {
    /// Reads the nodes of a document.
    pub fn of(nodes: &[Node]) -> Self {
        let mut largest = Self::default();
        // The end of each open container.
        let mut open: Vec<u32> = Vec::new();
        for node in nodes {
            while open.last().is_some_and(|end| *end <= node.start) {
                open.pop();
            }
            match node.kind {
                Kind::Object => largest.members = largest.members.max(node.children),
                Kind::Array => largest.items = largest.items.max(node.children),
                Kind::String => largest.string = largest.string.max(node.end - node.start),
                Kind::Number | Kind::Word => {}
            }
            if node.children > 0 {
                open.push(node.end);
                largest.depth = largest.depth.max(open.len());
            }
        }
        largest
    }

    /// Whether any limit may be below the document's sizes.
    pub fn exceeds(self, limits: Limits) -> bool {
        let is_over = |limit: Option<usize>, most: u32| limit.is_some_and(|limit| most as usize > limit);
        is_over(limits.items, self.items)
            || is_over(limits.members(0), self.members)
            || is_over(limits.members(1), self.members)
            || is_over(limits.string, self.string)
            || self.depth > limits.depth
    }
}
