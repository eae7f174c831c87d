//! How a host itself cuts the results that it gets. Text that the host cuts does not count as shown.

use serde::Deserialize;

use super::error::RpcError;
use super::params::invalid;
use crate::text::cut::{Cut, Keeps};

/// How a host cuts a result that it gets: the largest size that stays whole, and the part of a longer result that is
/// kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostCut {
    /// Bytes of all texts of the result together.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Characters, as Unicode counts them.
    #[serde(default)]
    pub characters: Option<u64>,
    /// Lines.
    #[serde(default)]
    pub lines: Option<u64>,
    /// Tokens by the host's own counter, which is unknown here: each counts as two bytes.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// The part of a longer result that is kept. Absent if it is unknown: then nothing of such a result counts as
    /// shown.
    #[serde(default)]
    pub keeps: Option<HostKeeps>,
}

/// The part of a result that a host keeps if the result is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HostKeeps {
    /// The start.
    Head,
    /// The end.
    Tail,
    /// Half at the start and half at the end.
    Ends,
}

/// Bytes that a token of a host's count has at least, in any text that tools write.
const BYTES_OF_TOKEN: u64 = 2;

impl HostCut {
    /// The cut in the type that sessions use.
    ///
    /// # Errors
    /// No size is given.
    pub fn read(&self) -> Result<Cut, RpcError> {
        let of_tokens = self.tokens.map(|tokens| tokens.saturating_mul(BYTES_OF_TOKEN));
        let bytes = self.bytes.into_iter().chain(of_tokens).min();
        if bytes.is_none() && self.characters.is_none() && self.lines.is_none() {
            return Err(invalid("hostCut", "needs one of `bytes`, `characters`, `lines`, `tokens`"));
        }
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let keeps = self.keeps.map(|keeps| match keeps {
            HostKeeps::Head => Keeps::Head,
            HostKeeps::Tail => Keeps::Tail,
            HostKeeps::Ends => Keeps::Ends,
        });
        let [bytes, characters, lines] = [bytes, self.characters, self.lines].map(|n| n.map(size));
        Ok(Cut { bytes, characters, lines, keeps })
    }
}
