//! Copies of originals on disk, in addition to the store of the process, for an operator's later use.
//!
//! A vault is a private folder with one self-describing file for each original. So a killed process leaves nothing
//! inconsistent, and several processes may share the folder. A writer holds its lock and first makes room: there
//! are never more originals than the limits of the last writer allow, and the oldest are removed first. When an
//! original's retention is over, its name stays for a while, so that the error can say that the original has
//! expired.
//!
//! The vault does not redact: its input must be safe to keep. It reads no clock; the caller passes the time in. If anything
//! fails, only the copy is lost, never the result.
//!
//! `folder` accesses the disk, `name` defines the file names, `entry` the file format, and `prune` decides what to remove.

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

/// Digits of a handle in lists.
const HANDLE_DIGITS: usize = 16;
/// Shortest prefix that identifies a digest.
const MIN_PREFIX: usize = 8;

/// Limits of a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most originals in the folder, from all writers; at least 1.
    pub max_count: usize,
    /// Largest original in bytes, unpacked; at most 64 MiB.
    pub max_bytes: u64,
    /// How long an original is kept.
    pub retention: Duration,
}

/// Which copies a vault writes and reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessScope {
    /// Its own copies, which are deleted with it.
    Process,
    /// Copies that outlive their process.
    Lasting,
    /// All copies, of every session; new ones outlive the process.
    Everything,
}

/// A copy in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Its header.
    pub header: Header,
    /// Orders the copies of a folder by age: larger is newer.
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

/// The result of pruning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Removed originals.
    pub removed: usize,
    /// Remaining originals.
    pub left: usize,
}

#[derive(Debug, Default)]
struct State {
    folder: Option<Folder>,
    /// The number of this process in the folder, and the lock that shows that it runs.
    run: Option<(u64, File)>,
    /// Time of the last stored copy: the next one must be newer, whatever the clock says.
    last: u64,
    is_closed: bool,
}

/// A vault; see the module.
#[derive(Debug)]
pub struct Vault {
    path: PathBuf,
    bounds: Bounds,
    reach: AccessScope,
    state: Mutex<State>,
}

impl Vault {
    /// A vault in that folder; reads and creates nothing yet.
    pub fn new(path: PathBuf, bounds: Bounds, reach: AccessScope) -> Self {
        Self { path, bounds, reach, state: Mutex::default() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a copy of `bytes` for `session`, under `digest`, the artifact's 64 hexadecimal digits. It replaces an earlier
    /// copy of the same artifact. `now` is the time since the epoch.
    ///
    /// # Errors
    ///
    /// `bytes` are more than the vault may keep, the vault is closed, or the folder cannot be used.
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
            // Somebody removed the folder: create a new one.
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
        if self.reach == AccessScope::Process {
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
        // Another process may have stored the same artifact at the same time; the new copy replaces it.
        same.iter().filter(|old| old.file() != name.file()).try_for_each(|old| remove(folder, old))
    }

    /// The copy whose id starts with `id` and that `session` owns, with its header; `None` if there is none. With the widest
    /// reach, a copy of any session. An error if its retention is over or it cannot be read.
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
        // A folder that cannot be opened holds nothing to read.
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
            // Another process has removed it meanwhile.
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

    /// The copies of `session`, newest first: at most `max` whose [`Copy::order`] is below `before` and whose handle is
    /// `wanted`. Skips files that cannot be read.
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

    /// Removes copies from before `since` (a [`Copy::order`]), copies whose retention is over, and temporary copies of ended
    /// processes.
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

    /// Deletes the copies that should end with this process, and stops keeping new ones.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let Some(run) = state.run.take() else { return };
        let Some(folder) = &state.folder else { return };
        // A copy that cannot be deleted now is not read by anybody; the next writer deletes it.
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
            AccessScope::Process => names.retain(|name| Some(name.run) == own),
            AccessScope::Lasting => names.retain(|name| name.run == 0),
            AccessScope::Everything => {
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

/// The folder for copies below the user's state folder (`~/.local/state/tersed/originals` on Linux); `None` if the user has
/// no home.
pub fn user_folder() -> Option<PathBuf> {
    Some(crate::layers::state_folder()?.join("originals"))
}

/// The user's folder with originals of conversations that may be resumed; `None` if the user has none.
pub fn conversations_folder() -> Option<PathBuf> {
    Some(crate::layers::state_folder()?.join("conversations"))
}

impl Drop for Vault {
    fn drop(&mut self) {
        self.close();
    }
}

/// The names in a locked folder, and the runs of ended processes. Removes incomplete files of killed writers.
fn sweep(folder: &Folder) -> io::Result<(Vec<Name>, BTreeSet<u64>)> {
    let files = folder.files()?;
    let names: Vec<Name> = files.iter().filter_map(|file| Name::parse(file)).collect();
    let is_part =
        |file: &&String| file.strip_suffix(name::PART).is_some_and(|file| Name::parse(file).is_some());
    // An incomplete file holds a part of a copy.
    let is_begun = |file: &&String| folder.head(file, 16).is_ok_and(|head| entry::is_begun(&head));
    files.iter().filter(is_part).filter(is_begun).try_for_each(|file| folder.remove(file))?;
    let dead = dead(folder, &files, &names);
    let locks = files.iter().filter(|file| name::run_of(file).is_some_and(|run| dead.contains(&run)));
    locks.into_iter().try_for_each(|file| folder.remove(file))?;
    Ok((names, dead))
}

/// The runs of ended processes.
fn dead(folder: &Folder, files: &[String], names: &[Name]) -> BTreeSet<u64> {
    let mut runs: BTreeSet<u64> = names.iter().map(|name| name.run).filter(|run| *run != 0).collect();
    runs.extend(files.iter().filter_map(|file| name::run_of(file)));
    runs.retain(|run| !folder.is_locked(&name::run_file(*run)));
    runs
}

fn apply(folder: &Folder, plan: &Plan) -> io::Result<()> {
    for name in &plan.bury {
        // If the name cannot be written, an error will say that the copy never existed. That is no reason to keep
        // the content.
        let _ = folder.write(&Name { is_gone: true, ..name.clone() }.file(), &[]);
        remove(folder, name)?;
    }
    plan.remove.iter().try_for_each(|name| remove(folder, name))
}

/// Deletes a file with one of our names if it also starts like our files; other files stay.
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
