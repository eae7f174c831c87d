//! `opencode.db`: tables `message` and `part`, whose column `data` holds the values.

use std::path::Path;

use crate::cli::audit::history::History;
use crate::cli::audit::notes::Notes;

/// SQLite.
pub(super) fn claims(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

pub(super) fn read(_: &Path, _: &mut Notes) -> Result<Vec<History>, String> {
    Err("SQLite databases cannot be read yet".to_owned())
}
