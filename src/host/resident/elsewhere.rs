//! Finds originals of other processes: in the memory of resident processes, in the private folder if a process ran
//! without a resident one, and on disk if the process has ended.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::place::{Place, mark};
use super::wire::{Reply, Request};
use crate::artifact::vault::{AccessScope, Bounds, Copy, Label, Vault, conversations_folder};
use crate::artifact::{Artifact, Media};
use crate::telemetry::{Clock, SystemClock};

/// How long a process may take to answer. All are asked at once, so a process that hangs delays no other.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// After the first answer, how long processes that rank higher may still answer.
const BETTER_ANSWER_WAIT: Duration = Duration::from_millis(500);

/// Most processes that are asked; those of this workspace come first.
const MAX_ASKED: usize = 64;

/// Most copies in a list.
const MAX_LISTED: usize = 512;

/// Whose originals are listed. Whoever has a handle or a check was shown it, and may read its original everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those of all workspaces of the user.
    Everything,
    /// Those of the workspace of this process.
    Workspace,
}

impl Reach {
    fn sockets(self, place: &Place) -> Vec<PathBuf> {
        match self {
            Self::Everything => place.sockets(),
            Self::Workspace => place.own_sockets(),
        }
    }

    /// Whether a copy on disk is in reach.
    fn includes(self, label: &Label, own: Option<u64>) -> bool {
        self == Self::Everything || (own.is_some() && label.workspace == own)
    }
}

/// The place of this process's own workspace.
fn place() -> Option<Place> {
    let folder = std::env::current_dir().ok()?;
    Place::of(&folder, &[]).ok()
}

/// Asks all running processes, each on its own thread, and maps the answers with `read`. Returns those that come in time, in
/// the order of the sockets; with `is_one`, only the first.
fn asked<T: Send + 'static>(
    place: &Place,
    request: &Request,
    read: fn((Reply, Vec<u8>)) -> Option<T>,
    is_one: bool,
    reach: Reach,
) -> Vec<T> {
    let mut until = Instant::now() + ANSWER_TIMEOUT;
    let (send, answers) = channel();
    let sockets = reach.sockets(place).into_iter().take(MAX_ASKED);
    let mut waiting: Vec<usize> = Vec::new();
    for (index, socket) in sockets.enumerate() {
        let client = Client { place: place.clone(), settings: Vec::new(), until };
        let (request, send) = (request.clone(), send.clone());
        let started = std::thread::Builder::new().spawn(move || {
            // A process that has just ended, or hangs, gives no answer.
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
            until = until.min(Instant::now() + BETTER_ANSWER_WAIT);
        }
    }
    all.into_iter().map(|(_, answer)| answer).collect()
}

/// The id and original for a handle.
pub fn find(handle: &str) -> Option<(String, Artifact)> {
    let place = place()?;
    let request = Request::Original { id: handle.to_owned() };
    let read = |answer: (Reply, Vec<u8>)| match answer {
        (Reply::Original { id, mime }, bytes) => {
            Some((id, Artifact::of(bytes, mime.map_or(Media::Text, Media::Binary))))
        }
        _ => None,
    };
    if let Some(found) = asked(&place, &request, read, true, Reach::Everything).into_iter().next() {
        return Some(found);
    }
    let found = vaults(&place).find_map(|vault| vault.find(None, handle, now()).ok()?);
    found.map(|(header, artifact)| (header.id().to_owned(), artifact))
}

/// The copies on disk of which a text with this check was shown, newest first.
pub fn shown_with(check: &str) -> Vec<Copy> {
    let Some(place) = place() else { return Vec::new() };
    let mut found: Vec<Copy> = vaults(&place).flat_map(|vault| with_check(&vault, check)).collect();
    found.sort_by_key(|copy| std::cmp::Reverse(copy.order));
    found
}

/// The copies in one folder of which a text with this check was shown.
pub fn with_check(vault: &Vault, check: &str) -> Vec<Copy> {
    let mut all = vault.list(None, u64::MAX, usize::MAX, &|_| true, now()).unwrap_or_default();
    all.retain(|copy| copy.header.label.checks.iter().any(|known| known == check));
    all
}

/// The folders with copies that outlive their process, opened for reading.
fn vaults(place: &Place) -> impl Iterator<Item = Vault> {
    [Some(vault(place.originals())), of_conversations()].into_iter().flatten()
}

/// The folder with originals of ended resident processes; `None` if the user has none.
pub fn of_conversations() -> Option<Vault> {
    conversations_folder().map(vault)
}

fn vault(folder: PathBuf) -> Vault {
    let bounds = Bounds { max_count: usize::MAX, max_bytes: 0, retention: Duration::ZERO };
    Vault::new(folder, bounds, AccessScope::Everything)
}

fn now() -> Duration {
    Duration::from_millis(SystemClock::default().unix_millis())
}

/// Makes all processes write the counts that they have not written yet.
pub fn write_counts() {
    if let Some(place) = place() {
        asked(&place, &Request::Counts, |_| Some(()), false, Reach::Everything);
    }
}

/// The originals of all processes, and the copies from ended processes.
pub fn list(reach: Reach) -> Vec<Value> {
    let Some(place) = place() else { return Vec::new() };
    let read = |answer: (Reply, Vec<u8>)| match answer {
        (Reply::Whole, bytes) => serde_json::from_slice::<Vec<Value>>(&bytes).ok(),
        _ => None,
    };
    let mut all = asked(&place, &Request::Originals, read, false, reach).concat();
    let known: HashSet<String> =
        all.iter().filter_map(|one: &Value| one["id"].as_str()).map(str::to_owned).collect();
    let is_left = |id: &str| !known.contains(id);
    let list = |vault: Vault| vault.list(None, u64::MAX, MAX_LISTED, &is_left, now()).unwrap_or_default();
    let own = mark();
    let is_near = |copy: &Copy| reach.includes(&copy.header.label, own);
    let mut left: Vec<Copy> = vaults(&place).flat_map(list).filter(is_near).collect();
    left.sort_by_key(|copy| std::cmp::Reverse(copy.order));
    all.extend(left.into_iter().take(MAX_LISTED).map(|copy| {
        json!({
            "id": copy.id(),
            "bytes": copy.header.bytes,
            "lines": copy.header.lines,
            "tool": copy.header.label.tool,
            "toolCallId": copy.header.label.tool_call_id,
            "command": copy.header.label.command,
            "digest": copy.header.digest,
            "session": copy.header.label.session,
            "onDisk": true,
        })
    }));
    all
}
