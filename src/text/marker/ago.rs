//! How far back the result is to which a reference points.

use std::fmt;

/// How far back a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ago {
    /// What the model wrote into the call at hand.
    ThisCall,
    /// So many results ago, at least 1.
    Results(usize),
    /// Not known: the host does not give every result of the conversation.
    Earlier,
}

impl Ago {
    /// So many results ago; 0 is this call.
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
