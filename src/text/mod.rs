//! What all stages share: the text of a result, its lines, the spans that record what happens to them, and the words
//! and markers that replace them.
//!
//! A low level: nothing here depends on a stage, a format, a session or a setting.

pub mod call;
pub mod code;
pub mod cut;
pub mod dates;
pub mod details;
pub mod flags;
pub mod headings;
pub mod judge;
pub mod ledger;
pub mod line_position;
pub mod lines;
pub mod maps;
pub mod marker;
pub mod methods;
pub mod names;
pub mod nearest;
pub mod origin;
pub mod out;
pub mod reason;
pub mod reduction;
pub mod relevance;
mod searchable;
pub mod series;
pub mod signals;
pub mod source;
pub mod span;
pub mod unlike;
pub mod view;
