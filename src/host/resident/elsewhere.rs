//! Originals that other processes have: resident ones in memory, one that worked alone in the private folder, and
//! those that are gone in the folder of conversations.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::place::Place;
use super::wire::{Reply, Request};
use crate::artifact::vault::{Bounds, Copy, Reach, Vault, conversations_folder};
use crate::artifact::{Artifact, Media};
use crate::telemetry::{Clock, SystemClock};

/// How long a process may take to answer. All are asked at once, so that one that hangs takes nothing from the others.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long one that comes first may still answer when another one has.
const MOMENT: Duration = Duration::from_millis(500);

/// Processes that are asked, those of this workspace first.
const MAX_ASKED: usize = 64;

/// Copies that are listed, at most.
const MAX_LISTED: usize = 512;

/// The place of this process.
fn place() -> Option<Place> {
    let folder = std::env::current_dir().ok()?;
    Place::of(&folder, &[]).ok()
}

/// Asks all processes that are there, each on a thread of its own, and takes what `read` makes of the answers, in the
/// order of the sockets: all that come in time, or, with `is_one`, the first.
fn asked<T: Send + 'static>(
    place: &Place,
    request: &Request,
    read: fn((Reply, Vec<u8>)) -> Option<T>,
    is_one: bool,
) -> Vec<T> {
    let mut until = Instant::now() + PATIENCE;
    let (send, answers) = channel();
    let sockets = place.sockets().into_iter().take(MAX_ASKED);
    let mut waiting: Vec<usize> = Vec::new();
    for (index, socket) in sockets.enumerate() {
        let client = Client { place: place.clone(), settings: Vec::new(), until };
        let (request, send) = (request.clone(), send.clone());
        let started = std::thread::Builder::new().spawn(move || {
            // One that has just ended, or hangs, says nothing.
            let answer = client.ask_at(&socket, &request).ok().and_then(read);
            let _ = send.send((index, answer));
        });
        waiting.extend(started.is_ok().then_some(index));
    }
    drop(send);
    let mut all: Vec<(usize, T)> = Vec::new();
    while let Ok((index, answer)) = answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
        waiting.retain(|waits| *waits != index);
        all.extend(answer.map(|answer| (index, answer)));
        all.sort_by_key(|(index, _)| *index);
        let first = all.first().filter(|_| is_one).map(|(index, _)| *index);
        if let Some(first) = first {
            if waiting.iter().all(|waits| *waits > first) {
                break;
            }
            until = until.min(Instant::now() + MOMENT);
        }
    }
    all.into_iter().map(|(_, answer)| answer).collect()
}

/// The original of a handle, and its id.
pub fn find(handle: &str) -> Option<(String, Artifact)> {
    let place = place()?;
    let request = Request::Original { id: handle.to_owned() };
    let read = |answer: (Reply, Vec<u8>)| match answer {
        (Reply::Original { id, mime }, bytes) => {
            Some((id, Artifact::of(bytes, mime.map_or(Media::Text, Media::Binary))))
        }
        _ => None,
    };
    if let Some(found) = asked(&place, &request, read, true).into_iter().next() {
        return Some(found);
    }
    let found = vaults(&place).find_map(|vault| vault.find(None, handle, now()).ok()?);
    found.map(|(header, artifact)| (header.id().to_owned(), artifact))
}

/// The folders in which copies lie that outlived their process, for reading.
fn vaults(place: &Place) -> impl Iterator<Item = Vault> {
    [Some(vault(place.originals())), of_conversations()].into_iter().flatten()
}

/// The originals of conversations that resident processes left; `None` where the user has no folder for them.
pub fn of_conversations() -> Option<Vault> {
    conversations_folder().map(vault)
}

fn vault(folder: PathBuf) -> Vault {
    let bounds = Bounds { max_count: usize::MAX, max_bytes: 0, retention: Duration::ZERO };
    Vault::new(folder, bounds, Reach::Everything)
}

fn now() -> Duration {
    Duration::from_millis(SystemClock::default().unix_millis())
}

/// The originals of all processes, and copies of those of processes that are gone.
pub fn list() -> Vec<Value> {
    let Some(place) = place() else { return Vec::new() };
    let read = |answer: (Reply, Vec<u8>)| match answer {
        (Reply::Whole, bytes) => serde_json::from_slice::<Vec<Value>>(&bytes).ok(),
        _ => None,
    };
    let mut all = asked(&place, &Request::Originals, read, false).concat();
    let known: HashSet<String> =
        all.iter().filter_map(|one: &Value| one["id"].as_str()).map(str::to_owned).collect();
    let is_left = |id: &str| !known.contains(id);
    let list = |vault: Vault| vault.list(None, u64::MAX, MAX_LISTED, &is_left, now()).unwrap_or_default();
    let mut left: Vec<Copy> = vaults(&place).flat_map(list).collect();
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
