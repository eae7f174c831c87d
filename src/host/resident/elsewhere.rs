//! Originals that other processes have: resident ones in memory, one that worked alone in the private folder, and
//! those that are gone in the folder of conversations.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::place::Place;
use super::wire::{Reply, Request};
use crate::artifact::vault::{Bounds, Copy, Reach, Vault, conversations_folder};
use crate::artifact::{Artifact, Media};
use crate::telemetry::{Clock, SystemClock};

/// How long all of them together may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Copies that are listed, at most.
const MAX_LISTED: usize = 512;

/// A client, and the sockets of the processes that are there.
fn processes() -> Option<(Client, Vec<PathBuf>)> {
    let folder = std::env::current_dir().ok()?;
    let place = Place::of(&folder, &[]).ok()?;
    let sockets = place.sockets();
    Some((Client { place, settings: Vec::new(), until: Instant::now() + PATIENCE }, sockets))
}

/// The original of a handle, and its id.
pub fn find(handle: &str) -> Option<(String, Artifact)> {
    let (client, sockets) = processes()?;
    let request = Request::Original { id: handle.to_owned() };
    for socket in sockets {
        // One that has just ended, or hangs, is no reason not to ask the next.
        let Ok((Reply::Original { id, mime }, bytes)) = client.ask_at(&socket, &request) else { continue };
        return Some((id, Artifact::of(bytes, mime.map_or(Media::Text, Media::Binary))));
    }
    let found = vaults(&client.place).find_map(|vault| vault.find(None, handle, now()).ok()?);
    found.map(|(header, artifact)| (header.id().to_owned(), artifact))
}

/// The folders in which copies lie that outlived their process, for reading.
fn vaults(place: &Place) -> impl Iterator<Item = Vault> {
    let bounds = Bounds { max_count: usize::MAX, max_bytes: 0, retention: Duration::ZERO };
    let folders = [Some(place.originals()), conversations_folder()];
    folders.into_iter().flatten().map(move |folder| Vault::new(folder, bounds, Reach::Everything))
}

fn now() -> Duration {
    Duration::from_millis(SystemClock::default().unix_millis())
}

/// The originals of all processes, and copies of those of processes that are gone.
pub fn list() -> Vec<Value> {
    let Some((client, sockets)) = processes() else { return Vec::new() };
    let mut all = Vec::new();
    for socket in sockets {
        if let Ok((Reply::Whole, bytes)) = client.ask_at(&socket, &Request::Originals) {
            all.extend(serde_json::from_slice::<Vec<Value>>(&bytes).unwrap_or_default());
        }
    }
    let known: HashSet<String> =
        all.iter().filter_map(|one: &Value| one["id"].as_str()).map(str::to_owned).collect();
    let is_left = |id: &str| !known.contains(id);
    let list = |vault: Vault| vault.list(None, u64::MAX, MAX_LISTED, &is_left, now()).unwrap_or_default();
    let mut left: Vec<Copy> = vaults(&client.place).flat_map(list).collect();
    left.sort_by_key(|copy| std::cmp::Reverse(copy.order));
    all.extend(left.into_iter().take(MAX_LISTED).map(|copy| {
        json!({
            "id": copy.id(),
            "bytes": copy.header.bytes,
            "lines": copy.header.lines,
            "tool": copy.header.label.tool,
            "toolCallId": copy.header.label.tool_call_id,
            "digest": copy.header.digest,
            "session": copy.header.label.session,
            "onDisk": true,
        })
    }));
    all
}
