//! What it costs to rewrite a part of a cached context.

/// Extra cost of writing a token to the cache, as a multiple of the read price: (write − read) / read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    thousandths: u64,
}

impl Factor {
    /// A cache that keeps a prefix for five minutes: writing costs 1.25 and reading 0.1 of an uncached token (Anthropic's
    /// published prices).
    pub const FIVE_MINUTES: Self = Self { thousandths: 11_500 };
    /// A cache that keeps a prefix for an hour: writing costs 2, reading 0.1.
    pub const ONE_HOUR: Self = Self { thousandths: 19_000 };
    /// An automatic cache: writing costs as much as an uncached token, reading 0.1.
    pub const AUTOMATIC: Self = Self { thousandths: 9_000 };
    /// Nothing is cached any more: everything is written again, whether results are removed or not.
    pub const COLD: Self = Self { thousandths: 0 };

    /// From the prices of writing and reading a token, in any unit; `None` if they are not valid prices.
    pub fn of(write: f64, read: f64) -> Option<Self> {
        let factor = (write - read) / read;
        let is_price = write.is_finite() && read.is_finite() && write >= 0.0 && read > 0.0;
        // With a higher factor nothing ever pays.
        is_price.then(|| Self { thousandths: (factor.clamp(0.0, 1e6) * 1000.0).round() as u64 })
    }

    /// The factor as a number.
    pub fn value(self) -> f64 {
        self.thousandths as f64 / 1000.0
    }

    /// The cost of rewriting this many tokens, in tokens read from the cache.
    pub(super) fn of_tokens(self, tokens: usize) -> i64 {
        (i128::from(self.thousandths) * tokens as i128 / 1000).try_into().unwrap_or(i64::MAX)
    }
}

/// Prices of tokens, as multiples of the price of an uncached input token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Of a token written to the cache.
    pub write: f64,
    /// Of a token read from the cache.
    pub read: f64,
    /// Of an output token.
    pub output: f64,
}

impl Prices {
    /// Year and month of the price list for these presets, which a third party maintains. Some models read from the
    /// cache for 0.05 or less since then: for these, pass the prices.
    pub const AS_OF: &str = "2026-06";
    /// A cache of five minutes, and most models of Anthropic.
    pub const FIVE_MINUTES: Self = Self { write: 1.25, read: 0.1, output: 5.0 };
    /// A cache of an hour.
    pub const ONE_HOUR: Self = Self { write: 2.0, read: 0.1, output: 5.0 };
    /// A cache that fills itself. The price of output is an estimate: it differs between models.
    pub const AUTOMATIC: Self = Self { write: 1.0, read: 0.1, output: 8.0 };

    /// Extra price of writing a token to the cache, as a multiple of the read price.
    pub fn factor(&self) -> f64 {
        (self.write - self.read) / self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_factors_of_their_prices() {
        let presets = [
            (Prices::FIVE_MINUTES, Factor::FIVE_MINUTES),
            (Prices::ONE_HOUR, Factor::ONE_HOUR),
            (Prices::AUTOMATIC, Factor::AUTOMATIC),
        ];
        for (prices, factor) in presets {
            assert_eq!(Factor::of(prices.write, prices.read), Some(factor));
            assert!((prices.factor() - factor.value()).abs() < 1e-9);
        }
    }

    #[test]
    fn factors_come_from_prices() {
        assert_eq!(Factor::of(1.25, 0.1), Some(Factor::FIVE_MINUTES));
        assert_eq!(Factor::of(2.0, 0.1), Some(Factor::ONE_HOUR));
        assert_eq!(Factor::of(1.0, 0.1), Some(Factor::AUTOMATIC));
        assert_eq!(Factor::of(0.1, 0.1), Some(Factor::COLD));
        for (write, read) in [(1.0, 0.0), (-1.0, 0.1), (f64::NAN, 0.1), (1.0, f64::INFINITY)] {
            assert_eq!(Factor::of(write, read), None, "{write} {read}");
        }
        assert_eq!(Factor::FIVE_MINUTES.of_tokens(1000), 11_500);
    }
}
