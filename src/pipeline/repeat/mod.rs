//! What was shown before is not shown again.
//!
//! | file | looks for | in place of it stands |
//! | --- | --- | --- |
//! | `dedup` | a result that is the same as an earlier one | a reference to that result |
//! | `blocks` | runs of lines that an earlier output of the session shows | a reference to these lines |
//! | `echoes` | blocks of lines that stand twice in the same text | a marker |

pub mod blocks;
pub mod dedup;
pub mod echoes;
