//! Cases of clues: outputs of tools with a fact in them that has to stay readable.

mod case;
mod template;

pub use case::Case;
pub use template::render;
