//! Originals that other processes have: resident ones in memory, and one that worked alone in the private folder.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::client::Client;
use super::place::Place;
use super::wire::{Reply, Request};
use crate::artifact::vault::{Bounds, Reach, Vault};
use crate::artifact::{Artifact, Media};
use crate::telemetry::{Clock, SystemClock};

/// How long all of them together may take.
const PATIENCE: Duration = Duration::from_secs(5);

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
    let bounds = Bounds { max_count: usize::MAX, max_bytes: 0, retention: Duration::ZERO };
    let vault = Vault::new(client.place.originals(), bounds, Reach::Everything);
    let now = Duration::from_millis(SystemClock::default().unix_millis());
    let (header, artifact) = vault.find(None, handle, now).ok()??;
    Some((header.id().to_owned(), artifact))
}

/// The originals of all processes.
pub fn list() -> Vec<Value> {
    let Some((client, sockets)) = processes() else { return Vec::new() };
    let mut all = Vec::new();
    for socket in sockets {
        if let Ok((Reply::Whole, bytes)) = client.ask_at(&socket, &Request::Originals) {
            all.extend(serde_json::from_slice::<Vec<Value>>(&bytes).unwrap_or_default());
        }
    }
    all
}
