//! Settings of accounting: the baseline of savings, and the price of tokens.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BadValue;
use super::table::{Row, settings};

/// Price of a million tokens of one model, in a currency of the user's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// A million input tokens.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub input: f64,
    /// A million input tokens that are read from the prompt cache; as `input` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub cached_input: Option<f64>,
    /// A million input tokens that are written to the prompt cache; as `input` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub cache_write: Option<f64>,
}

settings! {
    section "accounting";

    /// Settings of accounting.
    pub struct Accounting;

    /// Settings of accounting that were given.
    pub struct AccountingPatch;

    /// Bytes of a result above which the host cuts it itself; the part that it would cut does not count as saved. 0 if the
    /// host shows everything. Default 0.
    host_limit: Option<usize> = None, zero_is_none: true;
    /// Prices by model, for costs in totals. Default none.
    #[taken_by(Accounting::take_prices)]
    prices: BTreeMap<String, Price> = BTreeMap::new();
}

impl Accounting {
    fn take_prices(&mut self, prices: &BTreeMap<String, Price>, row: &Row) -> Result<(), BadValue> {
        for (model, price) in prices {
            let given = [Some(price.input), price.cached_input, price.cache_write];
            if let Some(bad) = given.into_iter().flatten().find(|n| !(n.is_finite() && *n >= 0.0)) {
                let bad = row.bad(bad.to_string(), "0 and up".to_owned());
                return Err(BadValue { key: format!("{}.{model}", bad.key), ..bad });
            }
        }
        self.prices.clone_from(prices);
        Ok(())
    }
}
