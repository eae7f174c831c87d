//! The content of a context, in order: results that a [`Timeline`](super::Timeline) knows, and tokens of everything
//! else. Only data, no decisions.

/// An item in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// The result of a call.
    Result(&'a str),
    /// Anything else, in tokens.
    Tokens(usize),
}

/// A result in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the result in the conversation.
    pub(super) number: usize,
    /// Tokens of other items between the previous result and this one.
    pub(super) between: usize,
}

/// The results of a context in order, with the tokens between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    places: Vec<Place>,
    /// Tokens after the last result.
    behind: usize,
}

impl Context {
    pub(super) fn add_tokens(&mut self, tokens: usize) {
        self.behind = self.behind.saturating_add(tokens);
    }

    pub(super) fn add_result(&mut self, number: usize) {
        let between = std::mem::take(&mut self.behind);
        self.places.push(Place { number, between });
    }

    /// Drops the tokens after the last result.
    pub(super) fn end_with_result(&mut self) {
        self.behind = 0;
    }

    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    pub(super) fn behind(&self) -> usize {
        self.behind
    }

    /// For each of the first `results` results, whether it is in the context.
    pub(super) fn here(&self, results: usize) -> Vec<bool> {
        let mut here = vec![false; results];
        for place in &self.places {
            if let Some(here) = here.get_mut(place.number) {
                *here = true;
            }
        }
        here
    }
}
