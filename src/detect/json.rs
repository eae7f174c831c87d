//! Whether a text is JSON as a whole.

use serde::de::IgnoredAny;

/// Whether a text is one JSON object or array.
pub(crate) fn is_json(text: &str) -> bool {
    let text = text.trim();
    let is_closed =
        (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    is_closed && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
