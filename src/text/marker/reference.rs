//! References to lines of an earlier result: how a marker names that result, by which numbers the lines are found
//! there, and how far back it is.

use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;

use super::{Marker, about, called, inside, is_name};
use crate::text::origin::Origin;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// How far back a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ago {
    /// What the model wrote into the call at hand.
    ThisCall,
    /// This many results ago, at least 1.
    Results(usize),
    /// Not known: the host does not give every result of the conversation.
    Earlier,
}

impl Ago {
    /// `results` results ago; 0 means this call.
    pub fn results(results: usize) -> Self {
        match results {
            0 => Self::ThisCall,
            results => Self::Results(results),
        }
    }

    /// The same without a count, if results cannot be counted.
    pub fn if_counted(self, is_counted: bool) -> Self {
        match self {
            Self::Results(_) if !is_counted => Self::Earlier,
            ago => ago,
        }
    }

    /// What [`Display`](fmt::Display) wrote.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "this call" => Some(Self::ThisCall),
            "earlier" => Some(Self::Earlier),
            "1 result ago" => Some(Self::Results(1)),
            more => {
                let ago = Self::Results(more.strip_suffix(" results ago")?.parse().ok()?);
                // Only as it is written here: no `0`, `1` or `01`.
                (ago.to_string() == text).then_some(ago)
            }
        }
    }
}

impl fmt::Display for Ago {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThisCall => out.write_str("this call"),
            Self::Results(1) => out.write_str("1 result ago"),
            Self::Results(results) => write!(out, "{results} results ago"),
            Self::Earlier => out.write_str("earlier"),
        }
    }
}

/// The line numbers by which lines can be found in the origin of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumbersThere {
    /// The same numbers as here. Earlier versions also wrote this if the origin has no line numbers.
    SameNumbers,
    /// The first line has this number there.
    From(usize),
    /// The origin has no line numbers. The marker then says "here" after the range, so that the range is not taken
    /// for one of the origin.
    NoNumbers,
}

/// How a marker names the origin of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By the id of the call and its label.
    Id,
    /// By its label: the model does not see ids.
    NoId,
    /// The marker before names the same origin, so only "there" is written.
    AsBefore,
}

impl Origin {
    /// The marker for lines that were shown `ago`. `there` is the number of the first line in that
    /// result, 0 if it has no line numbers.
    pub fn marker(
        &self,
        source: &Source<'_>,
        lines: &Range<usize>,
        there: usize,
        ago: Ago,
        naming: Naming,
    ) -> Marker {
        let (first, last) = source.numbers(lines);
        let there = match there {
            0 => NumbersThere::NoNumbers,
            there if there == first => NumbersThere::SameNumbers,
            there => NumbersThere::From(there),
        };
        let origin = match naming {
            Naming::AsBefore => return Marker::There { first, last, there },
            Naming::Id => self.clone(),
            Naming::NoId => self.without_id(),
        };
        Marker::Shown { first, last, there, origin, ago: Some(ago) }
    }

    /// The marker for lines whose outline was shown `ago`.
    pub fn outline_marker(
        &self,
        source: &Source<'_>,
        lines: &Range<usize>,
        ago: Ago,
        shows_id: bool,
    ) -> Marker {
        let (first, last) = source.numbers(lines);
        let mut names = format!("as in {}", called(if shows_id { &self.call } else { "" }, &self.tool));
        about(&mut names, "; ", self.label.as_deref(), Some(ago));
        let reason = Some(Reason::SameOutline.code().to_owned());
        Marker::Lines { count: lines.len(), first, last, is_sum: false, reason, id: None, names: Some(names) }
    }

    /// This origin without the id of the call, for a model that does not see ids.
    pub fn without_id(&self) -> Self {
        Self { call: String::new(), ..self.clone() }
    }

    /// Whether a marker that names this origin is parsed back to the same origin.
    pub fn can_be_named(&self) -> bool {
        [Some(&self.call), Some(&self.tool), self.argument.as_ref()]
            .into_iter()
            .flatten()
            .all(|name| is_name(name))
    }
}

impl Marker {
    /// One marker for references to lines that follow each other. A file is named only once if the ids of the calls tell
    /// the results apart.
    pub fn joined(mut references: Vec<Self>) -> Self {
        if references.len() == 1 {
            return references.swap_remove(0);
        }
        let file = |label: &str| label.rsplit(['/', ' ']).next().unwrap_or_default().to_owned();
        let mut named: Option<String> = None;
        for reference in &mut references {
            let Self::Shown { origin, .. } = reference else { continue };
            let file = origin.label.as_deref().map(file);
            if !origin.call.is_empty() && named.is_some() && named == file {
                origin.label = None;
            } else {
                named = file;
            }
        }
        Self::Several(references)
    }

    /// The references of a marker: those of a marker of several, otherwise the marker itself.
    pub fn references(&self) -> &[Self] {
        match self {
            Self::Several(references) => references,
            one => std::slice::from_ref(one),
        }
    }
}

/// `lines 3-10 as `, with the line numbers in the origin if they are others: `lines 3-10 as lines 23-30 `.
pub(super) fn write_same_lines(
    out: &mut String,
    (first, last): (usize, usize),
    there: NumbersThere,
) -> fmt::Result {
    match there {
        NumbersThere::SameNumbers => write!(out, "lines {first}-{last} as "),
        NumbersThere::NoNumbers => write!(out, "lines {first}-{last} here as "),
        NumbersThere::From(there) => {
            write!(out, "lines {first}-{last} as lines {there}-{} ", there + (last - first))
        }
    }
}

/// The words between the lines and the call that shows them, or that has them in an argument.
pub(super) fn write_place(out: &mut String, argument: Option<&str>, there: NumbersThere) -> fmt::Result {
    match (argument, there) {
        (Some(argument), NumbersThere::From(_)) => write!(out, "of {} in ", inside(argument)),
        (Some(argument), _) => write!(out, "in {} of ", inside(argument)),
        (None, _) => write!(out, "in "),
    }
}
