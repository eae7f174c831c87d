//! An index over all rules that finds candidates for a text: by program, by tool, or by literals that a rule's pattern
//! requires. A rule that is not found cannot match; a found rule may still not match.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::Rule;
use super::conditions::Facts;

/// The index; rules are identified by position.
#[derive(Debug, Default)]
pub(super) struct Index {
    programs: HashMap<String, Vec<u32>>,
    tools: HashMap<String, Vec<u32>>,
    literals: Option<AhoCorasick>,
    /// The rule of each literal.
    of_literal: Vec<u32>,
    rest: Vec<u32>,
}

impl Index {
    /// `rules` in the order in which they are tried.
    pub(super) fn new<'a>(rules: impl Iterator<Item = &'a Rule>) -> Self {
        let mut out = Self::default();
        let mut literals: Vec<String> = Vec::new();
        for (place, rule) in rules.enumerate() {
            let place = place as u32;
            if let Some(programs) = rule.when.programs() {
                put(&mut out.programs, &programs, place);
            } else if let Some(found) = rule.when.literals() {
                out.of_literal.extend(found.iter().map(|_| place));
                literals.extend(found);
            } else if let Some(tools) = rule.when.tools() {
                put(&mut out.tools, &tools, place);
            } else {
                out.rest.push(place);
            }
        }
        if !literals.is_empty() {
            // Overlapping occurrences count too; only this kind of match finds them.
            let kind = (literals.len() <= MAX_DENSE_LITERALS).then_some(AhoCorasickKind::DFA);
            let search = AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .ascii_case_insensitive(true)
                .kind(kind)
                .build(&literals);
            match search {
                Ok(search) => out.literals = Some(search),
                // Too large for one search: every such rule is tried.
                Err(_) => out.rest.append(&mut out.of_literal),
            }
        }
        out
    }

    /// Positions of candidate rules, in order, each once.
    pub(super) fn candidates(&self, facts: &Facts<'_>) -> Vec<u32> {
        let mut out = self.rest.clone();
        if !self.programs.is_empty() {
            for (simple, _) in facts.detection.command.producers() {
                out.extend(self.programs.get(&simple.program().to_ascii_lowercase()).into_iter().flatten());
            }
        }
        if !self.tools.is_empty() {
            out.extend(self.tools.get(&facts.call.canonical_tool()).into_iter().flatten());
            out.extend(self.tools.get(&facts.call.tool.to_ascii_lowercase()).into_iter().flatten());
        }
        if let Some(literals) = &self.literals {
            let mut seen = vec![false; self.of_literal.len()];
            for hit in literals.find_overlapping_iter(facts.source.text()) {
                let literal = hit.pattern().as_usize();
                if !std::mem::replace(&mut seen[literal], true) {
                    out.push(self.of_literal[literal]);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Most literals for which the search uses memory for speed: some 10 MiB.
const MAX_DENSE_LITERALS: usize = 1500;

fn put(map: &mut HashMap<String, Vec<u32>>, names: &[&str], place: u32) {
    for name in names {
        let places = map.entry((*name).to_owned()).or_default();
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
}
