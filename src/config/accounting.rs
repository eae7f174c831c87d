//! Settings of accounting: what savings are counted against, and what tokens cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BadValue;
use super::range::{WHOLE, size};

/// What a million tokens of one model cost, in a currency that the user knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// A million input tokens.
    #[schemars(range(min = 0.0))]
    pub input: f64,
    /// A million input tokens that are read from the prompt cache; as `input` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cached_input: Option<f64>,
    /// A million input tokens that are written to the prompt cache; as `input` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cache_write: Option<f64>,
}

/// Settings of accounting.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Accounting {
    /// Bytes of a result above which the host cuts it by itself: what it would have cut is no saving of ours. `None`
    /// where the host shows all.
    pub host_limit: Option<usize>,
    /// Prices by model. None are built in.
    pub prices: BTreeMap<String, Price>,
}

/// Settings of accounting that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountingPatch {
    /// Bytes of a result above which the host cuts it by itself: what it would have cut is no saving of ours. 0 where
    /// the host shows all. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_limit: Option<u64>,
    /// Prices by model, for costs in totals. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<BTreeMap<String, Price>>,
}

impl Accounting {
    /// These settings with what the patch gives laid over them. Nothing changes when a value is bad.
    pub fn with(&self, patch: &AccountingPatch) -> Result<Self, BadValue> {
        let mut new = self.clone();
        if patch.host_limit.is_some() {
            let mut limit = 0;
            size(&mut limit, ("accounting", "hostLimit"), patch.host_limit, 0, WHOLE)?;
            new.host_limit = Some(limit).filter(|n| *n > 0);
        }
        if let Some(prices) = &patch.prices {
            for (model, price) in prices {
                let given = [Some(price.input), price.cached_input, price.cache_write];
                if let Some(bad) = given.into_iter().flatten().find(|n| !(n.is_finite() && *n >= 0.0)) {
                    let (key, allowed) = (format!("prices.{model}"), "0 and up".to_owned());
                    return Err(BadValue { section: "accounting", key, value: bad.to_string(), allowed });
                }
            }
            new.prices.clone_from(prices);
        }
        Ok(new)
    }
}
