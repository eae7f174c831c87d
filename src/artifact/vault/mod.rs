//! Copies of originals on disk, beside the store of the process: what an operator keeps for later.
//!
//! A vault is a private folder with one file for each original, which says itself what it is, so that a process
//! that is killed leaves nothing half done and several processes may share the folder. Who writes holds its lock
//! and first makes room: at no time are there more originals than the bounds of the last writer allow, and the
//! oldest go first. An original whose time is over leaves its name for a while, so that a reader can be told.
//!
//! The vault never redacts: what comes in must be safe to keep. It never reads a clock, the caller passes the time
//! in, and it never costs a result: what fails here costs the copy.
//!
//! Map: `folder` is the way to the disk; `name` is what names of files say; `entry` is what stands in one;
//! `prune` decides what goes.

mod entry;
mod folder;
mod name;
mod prune;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{AccessError, Artifact, Media};
pub use entry::{Header, Label};
use folder::Folder;
use name::{ID_DIGITS, Name};
use prune::Plan;

/// Digits of the handle that lists show.
const HANDLE_DIGITS: usize = 16;
/// Shortest start of a digest that stands for it.
const MIN_PREFIX: usize = 8;

/// How much a vault keeps, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most originals in the folder, whoever wrote them; at least 1.
    pub max_count: usize,
    /// Largest original in bytes, before it is packed; at most 64 MiB.
    pub max_bytes: u64,
    /// How long one is kept.
    pub retention: Duration,
}

/// Which copies a vault writes and reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Its own, which go with it.
    Process,
    /// Those that outlive their process.
    Lasting,
    /// All that are there, of every session; what it writes lasts.
    Everything,
}

/// A copy, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// What it says about itself.
    pub header: Header,
    /// Orders the copies of a folder by age: a larger one is newer.
    pub order: u64,
    /// Whether it outlives the process that wrote it.
    pub is_lasting: bool,
}

impl Copy {
    /// Its handle.
    pub fn id(&self) -> &str {
        self.header.id()
    }
}

/// What went from a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Originals that went.
    pub removed: usize,
    /// Originals that are left.
    pub left: usize,
}

#[derive(Debug, Default)]
struct State {
    folder: Option<Folder>,
    /// The number of this process in the folder, and the lock that says that it lives.
    run: Option<(u64, File)>,
    /// When the last copy was stored: the next one is newer, whatever the clock says.
    last: u64,
    is_closed: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Vault {
    path: PathBuf,
    bounds: Bounds,
    reach: Reach,
    state: Mutex<State>,
}

impl Vault {
    /// A vault in that folder; nothing is read or made yet.
    pub fn new(path: PathBuf, bounds: Bounds, reach: Reach) -> Self {
        Self { path, bounds, reach, state: Mutex::default() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a copy of `bytes` for `session`, under `digest`, the 64 hexadecimal digits that name the artifact. A
    /// copy of the same artifact is replaced by it. `now` counts from the epoch.
    pub fn keep(
        &self,
        session: Option<&str>,
        digest: &str,
        bytes: &[u8],
        media: &Media,
        label: &Label,
        now: Duration,
    ) -> io::Result<()> {
        if bytes.len() as u64 > self.bounds.max_bytes.min(entry::MAX_CONTENT) {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let expires = now.as_secs().saturating_add(self.bounds.retention.as_secs());
        let header = Header::new(digest, bytes, media, (now.as_secs(), expires), label);
        let (head, packed) = entry::write(&header, bytes)?;
        let mut state = self.state();
        if state.is_closed {
            return Err(io::Error::from(io::ErrorKind::NotConnected));
        }
        let stored = (now.as_nanos() as u64).max(state.last + 1);
        let mut name = Name {
            stored,
            id: digest.get(..ID_DIGITS).unwrap_or(digest).to_owned(),
            scope: name::scope(session),
            expires,
            run: 0,
            is_gone: false,
        };
        let was_open = state.folder.is_some();
        let done = match self.put(&mut state, &mut name, &[&head, &packed], now) {
            // The folder was removed under us: a new one serves from here on.
            Err(error) if was_open && error.kind() == io::ErrorKind::NotFound => {
                (state.folder, state.run) = (None, None);
                self.put(&mut state, &mut name, &[&head, &packed], now)
            }
            done => done,
        };
        if done.is_ok() {
            state.last = stored;
        }
        done
    }

    fn put(&self, state: &mut State, name: &mut Name, pieces: &[&[u8]], now: Duration) -> io::Result<()> {
        let folder = match state.folder.take() {
            Some(folder) => state.folder.insert(folder),
            None => state.folder.insert(Folder::create(&self.path)?),
        };
        let _turn = folder.mark(name::is_ours)?;
        if self.reach == Reach::Process {
            name.run = match &state.run {
                Some((run, _)) => *run,
                None => {
                    let run = RandomState::new().build_hasher().finish().max(1);
                    state.run.insert((run, folder.lock_new(&name::run_file(run))?)).0
                }
            };
        }
        let (mut names, dead) = sweep(folder)?;
        let is_same = |other: &Name| (&other.id, other.scope, other.run) == (&name.id, name.scope, name.run);
        let same: Vec<Name> = names.extract_if(.., |other| is_same(other)).collect();
        apply(folder, &prune::plan(&names, self.bounds.max_count.max(1) - 1, now, 0, &dead))?;
        folder.write(&name.file(), pieces)?;
        // Another process may have kept the same at the same moment: then the new one stands in its place.
        same.iter().filter(|old| old.file() != name.file()).try_for_each(|old| remove(folder, old))
    }

    /// The copy of the artifact that `id` begins and `session` owns, if there is one, with what it says about
    /// itself; of any session where the reach is everything. An error where its time is over or it cannot be read.
    pub fn find(
        &self,
        session: Option<&str>,
        id: &str,
        now: Duration,
    ) -> Result<Option<(Header, Artifact)>, AccessError> {
        if id.len() < MIN_PREFIX || !name::is_hex(id) {
            return Ok(None);
        }
        let mut state = self.state();
        // A folder that cannot be entered has nothing to read.
        let Ok(names) = self.names(&mut state, session) else { return Ok(None) };
        let Some(folder) = &state.folder else { return Ok(None) };
        let begin = &id[..id.len().min(ID_DIGITS)];
        let mut found: Vec<Name> = names.into_iter().filter(|name| name.id.starts_with(begin)).collect();
        found.sort_unstable();
        let gone = || AccessError::Expired { id: id.to_owned() };
        let is_there = |name: &&Name| !name.is_gone && !name.is_expired(now);
        let Some(name) = found.iter().rev().find(is_there) else {
            return if found.is_empty() { Ok(None) } else { Err(gone()) };
        };
        if found.iter().filter(is_there).any(|other| other.id != name.id) {
            return Err(AccessError::Ambiguous { id: id.to_owned() });
        }
        let file = match folder.read(&name.file(), entry::MAX_CONTENT + (1 << 20)) {
            // Another process made room in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(gone()),
            other => other.map_err(|_| AccessError::Unreadable)?,
        };
        let (header, bytes) = entry::content(&file)?;
        if !header.digest.starts_with(&name.id) {
            return Err(AccessError::Unreadable);
        }
        if !header.digest.starts_with(id) {
            return Ok(None);
        }
        let media = header.media();
        Ok(Some((header, Artifact::of(bytes, media))))
    }

    /// The copies that `session` owns, newest first, at most `max` of those whose [`Copy::order`] is below
    /// `before` and whose handle is `wanted`. Files that cannot be read are passed over.
    pub fn list(
        &self,
        session: Option<&str>,
        before: u64,
        max: usize,
        wanted: &dyn Fn(&str) -> bool,
        now: Duration,
    ) -> io::Result<Vec<Copy>> {
        let mut state = self.state();
        let mut names = self.names(&mut state, session)?;
        let Some(folder) = &state.folder else { return Ok(Vec::new()) };
        names.retain(|name| !name.is_gone && !name.is_expired(now) && name.stored < before);
        names.retain(|name| wanted(&name.id[..HANDLE_DIGITS]));
        names.sort_unstable_by(|a, b| b.cmp(a));
        let copy = |name: Name| {
            let head = folder.head(&name.file(), entry::MAX_HEADER as u64).ok()?;
            let (header, _) = entry::header(&head).ok()?;
            let is_its_own = header.digest.starts_with(&name.id);
            is_its_own.then_some(Copy { header, order: name.stored, is_lasting: name.run == 0 })
        };
        Ok(names.into_iter().filter_map(copy).take(max).collect())
    }

    /// Removes what was stored before `since`, a [`Copy::order`], what is over its time and what processes that
    /// are gone should have taken along.
    pub fn prune(&self, since: u64, now: Duration) -> io::Result<Pruned> {
        let mut state = self.state();
        let Some(folder) = self.entered(&mut state)? else { return Ok(Pruned::default()) };
        if !folder.is_marked() {
            return Ok(Pruned::default());
        }
        let _turn = folder.turn()?;
        let (names, dead) = sweep(folder)?;
        let plan = prune::plan(&names, usize::MAX, now, since, &dead);
        apply(folder, &plan)?;
        let is_original = |name: &&Name| !name.is_gone;
        let removed = plan.bury.len() + plan.remove.iter().filter(is_original).count();
        Ok(Pruned { removed, left: names.iter().filter(is_original).count() - removed })
    }

    /// Ends the use of the folder: what this process should take along goes, and nothing is kept any more.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let Some(run) = state.run.take() else { return };
        let Some(folder) = &state.folder else { return };
        // What cannot be removed now is not read by anybody, and goes when the next process writes.
        let _turn = folder.turn();
        for name in folder.files().into_iter().flatten().filter_map(|file| Name::parse(&file)) {
            if name.run == run.0 {
                let _ = remove(folder, &name);
            }
        }
        let _ = folder.remove(&name::run_file(run.0));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder, if there is one.
    fn entered<'a>(&self, state: &'a mut State) -> io::Result<Option<&'a Folder>> {
        if state.folder.is_none() {
            match Folder::open(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                folder => state.folder = Some(folder?),
            }
        }
        Ok(state.folder.as_ref())
    }

    /// The names that this vault reads.
    fn names(&self, state: &mut State, session: Option<&str>) -> io::Result<Vec<Name>> {
        let own = state.run.as_ref().map(|(run, _)| *run);
        let Some(folder) = self.entered(state)? else { return Ok(Vec::new()) };
        let files = folder.files()?;
        let mut names: Vec<Name> = files.iter().filter_map(|file| Name::parse(file)).collect();
        match self.reach {
            Reach::Process => names.retain(|name| Some(name.run) == own),
            Reach::Lasting => names.retain(|name| name.run == 0),
            Reach::Everything => {
                let dead = dead(folder, &files, &names);
                names.retain(|name| !dead.contains(&name.run));
                return Ok(names);
            }
        }
        let scope = name::scope(session);
        names.retain(|name| name.scope == scope);
        Ok(names)
    }
}

/// The folder for copies below the user's state folder (`~/.local/state/tersed/originals` on Linux); none where the
/// user has no home.
pub fn user_folder() -> Option<PathBuf> {
    Some(crate::layers::state_folder()?.join("originals"))
}

/// The folder of the user in which the originals of conversations lie that may be resumed; `None` where the user has
/// none.
pub fn conversations_folder() -> Option<PathBuf> {
    Some(crate::layers::state_folder()?.join("conversations"))
}

impl Drop for Vault {
    fn drop(&mut self) {
        self.close();
    }
}

/// The names in a folder whose turn is held, and the runs of processes that are gone. Removes what writers that
/// were killed left.
fn sweep(folder: &Folder) -> io::Result<(Vec<Name>, BTreeSet<u64>)> {
    let files = folder.files()?;
    let names: Vec<Name> = files.iter().filter_map(|file| Name::parse(file)).collect();
    let is_part =
        |file: &&String| file.strip_suffix(name::PART).is_some_and(|file| Name::parse(file).is_some());
    // One that was not finished holds a piece of what it was to be.
    let is_begun = |file: &&String| folder.head(file, 16).is_ok_and(|head| entry::is_begun(&head));
    files.iter().filter(is_part).filter(is_begun).try_for_each(|file| folder.remove(file))?;
    let dead = dead(folder, &files, &names);
    let locks = files.iter().filter(|file| name::run_of(file).is_some_and(|run| dead.contains(&run)));
    locks.into_iter().try_for_each(|file| folder.remove(file))?;
    Ok((names, dead))
}

/// The runs of processes that are gone.
fn dead(folder: &Folder, files: &[String], names: &[Name]) -> BTreeSet<u64> {
    let mut runs: BTreeSet<u64> = names.iter().map(|name| name.run).filter(|run| *run != 0).collect();
    runs.extend(files.iter().filter_map(|file| name::run_of(file)));
    runs.retain(|run| !folder.is_locked(&name::run_file(*run)));
    runs
}

fn apply(folder: &Folder, plan: &Plan) -> io::Result<()> {
    for name in &plan.bury {
        // Without its name a reader is told that it never was, which is no reason to keep the content.
        let _ = folder.write(&Name { is_gone: true, ..name.clone() }.file(), &[]);
        remove(folder, name)?;
    }
    plan.remove.iter().try_for_each(|name| remove(folder, name))
}

/// Takes a file out that is named as ours, if it also begins as ours; what does not is left alone.
fn remove(folder: &Folder, name: &Name) -> io::Result<()> {
    let is_ours = |head: &[u8]| match name.is_gone {
        true => head.is_empty(),
        false => entry::header(head).is_ok_and(|(header, _)| header.digest.starts_with(&name.id)),
    };
    match folder.head(&name.file(), entry::MAX_HEADER as u64) {
        Ok(head) if is_ours(&head) => folder.remove(&name.file()),
        _ => Ok(()),
    }
}
