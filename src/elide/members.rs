//! Ranks the members of an object: first those that identify it, its state, and matches of the request; last links,
//! machine keys and empty values.
//!
//! An object whose members are all alike is a map. Its entries are ranked as the items of an array are.

use std::ops::Range;

use super::plan::Ranking;
use super::tape::{Kind, Node};
use crate::text::relevance::Relevance;

/// Words in keys for the identity of an object, its state, or an event.
const IDENTIFYING_WORDS: &[&str] = &[
    "name",
    "title",
    "number",
    "state",
    "status",
    "message",
    "error",
    "reason",
    "type",
    "kind",
    "version",
    "path",
    "file",
    "line",
    "code",
    "conclusion",
    "result",
    "phase",
    "health",
    "severity",
    "level",
    "count",
    "total",
    "size",
    "summary",
    "description",
    "body",
    "text",
    "value",
    "key",
    "login",
    "email",
    "ref",
    "branch",
    "tag",
    "sha",
    "date",
    "time",
    "id",
];
/// Ends of keys whose values are links for programs.
const LINKS: &[&str] = &["_url", "_uri", "url", "href", "node_id", "gravatar_id", "etag", "links", "_link"];
/// Keys that identify an object.
const IDENTITY: &[&str] =
    &["name", "id", "title", "key", "version", "number", "path", "type", "kind", "Name", "Id", "Key"];
/// Longest member that is kept of an object below the last level that is shown. A choice.
const MAX_IDENTITY_BYTES: usize = 80;
/// A container that takes at least 1 in this many bytes of its object is kept. A choice.
const BULK_ONE_IN: usize = 4;
/// Members of which at least this many share a shape make a map.
const MIN_ALIKE: usize = 4;

/// The members in the order in which limits keep them; `None` for a map.
pub(super) fn rank(
    text: &str,
    nodes: &[Node],
    members: &[(Range<usize>, u32)],
    about: &Relevance,
) -> Option<Ranking> {
    let containers = members.iter().filter(|(_, value)| nodes[*value as usize].children > 0).count();
    if containers >= MIN_ALIKE && containers * 2 > members.len() {
        return None;
    }
    let texts: Vec<&str> =
        members.iter().map(|(range, _)| text.get(range.clone()).unwrap_or_default()).collect();
    let asked = match about.is_empty() {
        true => Vec::new(),
        false => about.scores_of(&texts),
    };
    let best = asked.iter().copied().max().unwrap_or(0).max(1);
    let total: usize = members.iter().map(|(range, _)| range.len()).sum();
    let score = |(i, (range, value)): (usize, &(Range<usize>, u32))| {
        let key = nodes[*value as usize - 1];
        let key = text.get(key.start as usize..key.end as usize).unwrap_or_default();
        let is_asked = asked.get(i).is_some_and(|score| score * 2 >= best);
        // The largest part of an object is its main content.
        let is_bulk = nodes[*value as usize].children > 0 && range.len() * BULK_ONE_IN >= total;
        let bonus = if is_asked { 3 } else { 0 } + if is_bulk { 6 } else { 0 };
        identity_score(key.trim_matches(['"', '\'']), text, nodes[*value as usize]) + bonus
    };
    Some(Ranking::by_score(members.iter().enumerate().map(score).collect()))
}

/// At most two short members that identify an object, by their indexes.
pub(super) fn identity(text: &str, nodes: &[Node], members: &[(Range<usize>, u32)]) -> Vec<usize> {
    let is_identity = |(_, (range, value)): &(usize, &(Range<usize>, u32))| {
        let key = nodes[*value as usize - 1];
        let key = text.get(key.start as usize..key.end as usize).unwrap_or_default();
        let node = nodes[*value as usize];
        let value = text.get(node.start as usize..node.end as usize).unwrap_or_default();
        range.len() <= MAX_IDENTITY_BYTES
            && node.children == 0
            && IDENTITY.contains(&key.trim_matches(['"', '\'']))
            && !is_empty(value)
    };
    members.iter().enumerate().filter(is_identity).map(|(at, _)| at).take(2).collect()
}

/// The rank of a member.
fn identity_score(key: &str, text: &str, node: Node) -> u32 {
    let value = text.get(node.start as usize..node.end as usize).unwrap_or_default();
    if node.children == 0 && is_empty(value) {
        return 0;
    }
    let lower = key.to_ascii_lowercase();
    let is_link =
        LINKS.iter().any(|end| lower.ends_with(end)) || value.contains("://") && node.kind == Kind::String;
    // One link is enough to find the object.
    if is_link {
        return if matches!(lower.as_str(), "html_url" | "url" | "href" | "self") { 2 } else { 1 };
    }
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let is_identifying =
        IDENTIFYING_WORDS.contains(&lower.as_str()) || words.any(|word| IDENTIFYING_WORDS.contains(&word));
    match (is_identifying, node.children) {
        (true, 0) => 6,
        (true, _) => 4,
        (false, 0) => 3,
        (false, _) => 2,
    }
}

/// Whether a value is null or empty.
pub(super) fn is_empty(value: &str) -> bool {
    matches!(value, "null" | "None" | "\"\"" | "[]" | "{}" | "''")
}
