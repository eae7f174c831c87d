//! Tests of the store: what they share.

mod disk;
mod eviction;
mod reading;
mod searching;

use std::time::Duration;

use tempfile::TempDir;

use super::*;

/// A store whose directories are its own; the directory must outlive it.
fn store(limits: Limits) -> (Store, TempDir) {
    let root = TempDir::new().unwrap();
    (Store::with_root(limits, root.path().to_owned()), root)
}

fn meta(tool: &str) -> Meta {
    Meta {
        tool: tool.to_owned(),
        tool_call_id: None,
        command: None,
        media: Media::Text,
        keep_until_session_end: false,
        pointer: None,
    }
}

fn put(store: &mut Store, session: Option<&str>, bytes: &[u8]) -> String {
    store.put(session, bytes, meta("bash"), Duration::ZERO).unwrap().id
}

fn has(store: &Store, session: Option<&str>, id: &str) -> bool {
    store.list(session, None).unwrap().artifacts.iter().any(|artifact| artifact.id == id)
}

/// Text of about `bytes` bytes that does not pack to nothing: numbered lines.
fn numbered(bytes: usize) -> String {
    let mut text = String::new();
    let mut line = 1_u64;
    while text.len() < bytes {
        text.push_str(&format!("{line} line {}\n", line * 7919 % 10007));
        line += 1;
    }
    text
}
