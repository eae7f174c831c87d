//! Cases for clues: outputs of tools with a fact in them that must stay readable.

mod case;
mod template;

pub use case::Case;
pub use template::render;
