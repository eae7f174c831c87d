//! `opencode.db`: tables `message` and `part`, whose column `data` holds the same JSON as the files of older
//! versions.
//!
//! A database is read from a private copy, together with its log: opening the original could write to it, and could
//! block the host.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::{Cleared, of_message};
use crate::cli::audit::formats::Sink;
use crate::cli::audit::history::History;
use crate::cli::audit::notes::Notes;

/// How often a copy is tried while the host writes.
const MAX_ATTEMPTS: usize = 3;

/// Whether it is a database.
pub(super) fn claims(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("a folder for its copy: {e}"))?;
    let copy = copied(file, folder.path())?;
    sessions(&copy, notes, each).map_err(|e| e.to_string())
}

/// Copies a database and its log as they were at one time.
fn copied(file: &Path, folder: &Path) -> Result<PathBuf, String> {
    let log = |file: &Path| {
        let mut name = file.as_os_str().to_owned();
        name.push("-wal");
        PathBuf::from(name)
    };
    let state = || -> Vec<Option<(u64, Option<SystemTime>)>> {
        let of = |path: &Path| fs::metadata(path).ok().map(|it| (it.len(), it.modified().ok()));
        vec![of(file), of(&log(file))]
    };
    let copy = folder.join("copy.db");
    for _ in 0..MAX_ATTEMPTS {
        let before = state();
        fs::copy(file, &copy).map_err(|e| format!("its copy: {e}"))?;
        match fs::copy(log(file), log(&copy)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("the copy of its log: {e}"));
            }
            _ => {}
        }
        if before == state() {
            return Ok(copy);
        }
    }
    Err("is written to all the time".to_owned())
}

fn sessions(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(file, flags)?;
    let mut all = database.prepare("SELECT DISTINCT session_id FROM message ORDER BY session_id")?;
    let names: Vec<String> = all.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut messages = database.prepare(
        "SELECT id, time_created, data FROM message WHERE session_id = ?1 ORDER BY time_created, id",
    )?;
    let mut parts = database.prepare("SELECT data FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut row_number = 0;
    for name in names {
        let mut history = History::new(&name);
        let mut cleared = Cleared::new();
        let mut rows = messages.query([&name])?;
        while let Some(row) = rows.next()? {
            row_number += 1;
            let (id, data): (String, String) = (row.get(0)?, row.get(2)?);
            let Ok(mut message) = serde_json::from_str::<Value>(&data) else {
                notes.broken(row_number);
                continue;
            };
            if message.pointer("/time/created").is_none() {
                message["time"]["created"] = row.get::<_, i64>(1)?.into();
            }
            let texts = parts.query_map([&id], |row| row.get::<_, String>(0))?;
            let mut values = Vec::new();
            for text in texts {
                match serde_json::from_str(&text?) {
                    Ok(value) => values.push(value),
                    Err(_) => notes.broken(row_number),
                }
            }
            of_message(&message, &values, &mut cleared, &mut history, notes);
        }
        each(history);
    }
    Ok(())
}
