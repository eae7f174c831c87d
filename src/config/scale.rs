//! How much smaller limits are while a context is small: compares what an omission saves with what it risks.
//!
//! This module does not read texts or sessions.
//!
//! # Derivation
//!
//! All prices are those of one token of input that no cache holds. To leave `d` tokens out of a result saves
//! `d * (write + read * rest)`, where `rest` is the number of requests to come: it is not written to the cache once, and not
//! read with each of them. With a chance `p` something of it is needed, and then the agent asks for it in one more answer,
//! which costs `turn = read * context + output * answer + write * again`. So it pays from
//!
//! ```text
//! d = p * turn / (write + read * rest)
//! ```
//!
//! Sessions end at about the same rate at any age: of 112 recorded ones those of at most 100 answers that continued
//! after 0, 5, 10, 20, 40 answers continued for 22, 18, 17, 21, 17 more on average. So `rest`, and with it the value
//! of a token, does not depend on the age of a session. What grows with it is the price of a turn, because a turn
//! reads the whole context. The smallest `d` that pays is therefore in proportion to the price of a turn, and so are
//! the limits: those of the policy are for a context that is [`FULL_TOKENS`] long, and a shorter one has the same
//! limits times `turn(context) / turn(full)`.

/// Prices of tokens, in hundredths of a token of input that no cache holds, for a cache of five minutes. A cache of an hour
/// writes at 200 and changes the scale by less than a tenth.
const WRITE_PRICE: u64 = 125;
const READ_PRICE: u64 = 10;
const OUTPUT_PRICE: u64 = 500;
/// Tokens of the instructions, of the tools and of the task, before the first result. Hosts have 10,000 to 30,000.
const BASE_TOKENS: u64 = 20_000;
/// Tokens of an answer.
const ANSWER_TOKENS: u64 = 150;
/// Tokens of the text that is requested again: a page of a file.
const AGAIN_TOKENS: u64 = 1_500;
/// Tokens of a context for which the limits of the policy are meant: as full as hosts let one of 200,000 get.
const FULL_TOKENS: u64 = 160_000;

/// The factor of limits, in sixteenths: few values, so that neighbouring results of a session have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scale(u8);

/// The whole of a limit, in the units of a [`Scale`].
const FULL_UNITS: u8 = 16;
/// The smallest scale. The formula gives 4 for an empty context, which leaves 3 KiB of a text in `standard`: half of what one more
/// answer brings.
const MIN_UNITS: u8 = 6;

impl Scale {
    /// The limits as they are: without a session, and in a full context.
    pub const FULL: Self = Self(FULL_UNITS);

    /// The scale in a context with these results: how many, and their tokens.
    pub fn of_context(results: usize, tokens: usize) -> Self {
        let said = (results as u64).saturating_mul(ANSWER_TOKENS);
        let context = BASE_TOKENS.saturating_add(said).saturating_add(tokens as u64).min(FULL_TOKENS);
        let sixteenths = (turn(context) * u64::from(FULL_UNITS)).div_ceil(turn(FULL_TOKENS));
        Self(u8::try_from(sixteenths).unwrap_or(FULL_UNITS).clamp(MIN_UNITS, FULL_UNITS))
    }

    /// This scale, but at least one half.
    pub fn at_least_half(self) -> Self {
        Self(self.0.max(FULL_UNITS / 2))
    }

    /// A limit, in any unit, at this scale.
    pub fn of(self, limit: usize) -> usize {
        (limit as u128 * u128::from(self.0) / u128::from(FULL_UNITS)) as usize
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::FULL
    }
}

/// The price of one more answer in a context of `context` tokens, in hundredths of the price of an input token.
const fn turn(context: u64) -> u64 {
    READ_PRICE * context + OUTPUT_PRICE * ANSWER_TOKENS + WRITE_PRICE * AGAIN_TOKENS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_grow_with_the_context_up_to_the_whole() {
        let at = |results, tokens| Scale::of_context(results, tokens).of(16_000);
        assert_eq!(at(0, 0), 6_000);
        assert_eq!(at(20, 20_000), 6_000);
        assert_eq!(at(60, 60_000), 10_000);
        assert_eq!(at(0, 140_000), 16_000);
        assert_eq!(Scale::of_context(usize::MAX, usize::MAX), Scale::FULL);
        let scales: Vec<Scale> = (0..200).map(|n| Scale::of_context(n, n * 1_000)).collect();
        assert!(scales.is_sorted());
    }

    #[test]
    fn the_whole_changes_nothing() {
        for limit in [0, 1, 12 << 10, usize::MAX] {
            assert_eq!(Scale::FULL.of(limit), limit);
        }
        assert_eq!(Scale::default(), Scale::FULL);
    }
}
