//! Plans the changes: one step for each file, without writing anything.

use std::path::{Path, PathBuf};

use super::change::{Change, FileContent, InstallState};
use super::jsonc::Fault;
use super::record::{Entry, Records, digest};
use super::write;

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// It is created.
    Make,
    /// Its text changes.
    Change,
    /// It is deleted.
    Remove,
}

/// One file in its current and its planned state.
#[derive(Debug)]
pub struct Step {
    /// Its path, as the host knows it.
    pub path: PathBuf,
    /// The file that the path leads to, after following links.
    pub(super) target: PathBuf,
    /// Its current bytes; `None` if there is no file.
    pub before: Option<Vec<u8>>,
    /// Its planned bytes.
    pub after: Option<Vec<u8>>,
    /// A note for the user.
    pub note: Option<String>,
    /// What to record, and the bytes to back up.
    pub(super) record: Option<(Entry, Option<Vec<u8>>)>,
    /// Changes of a user that are deleted with the file; they are backed up too.
    pub(super) changed: Option<Vec<u8>>,
    /// Folders to remove afterwards.
    pub(super) folders: Vec<PathBuf>,
}

impl Step {
    fn same(change: &Change, target: PathBuf, before: Option<Vec<u8>>, entry: Option<&Entry>) -> Self {
        let record = entry.cloned().map(|entry| (entry, None));
        let after = before.clone();
        let path = change.path.clone();
        Self { path, target, before, after, note: None, record, changed: None, folders: Vec::new() }
    }

    /// What happens to the file.
    pub fn action(&self) -> Action {
        match (&self.before, &self.after) {
            (before, after) if before == after => Action::None,
            (None, _) => Action::Make,
            (_, None) => Action::Remove,
            _ => Action::Change,
        }
    }
}

fn syntax_error(path: &Path, fault: &Fault) -> String {
    format!("{}:{}: {}; nothing was changed", path.display(), fault.line, fault.text)
}

fn is_file(change: &Change) -> bool {
    matches!(change.what, FileContent::File { .. })
}

/// The file at a path, and its bytes.
fn read_target(change: &Change) -> Result<(PathBuf, Option<Vec<u8>>), String> {
    let target = write::target(&change.path)?;
    let before = write::read(&target)?;
    Ok((target, before))
}

fn text<'a>(change: &Change, bytes: &'a [u8]) -> Result<&'a str, String> {
    match (std::str::from_utf8(bytes), &change.what) {
        (Ok(text), _) => Ok(text),
        (Err(_), FileContent::File { .. }) => Ok(""),
        (Err(e), _) => {
            let line = 1 + bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count();
            Err(syntax_error(&change.path, &Fault { line, text: "is not UTF-8".to_owned() }))
        }
    }
}

/// How much of a change a file contains, whatever the program, and which programs it starts.
pub(super) fn held(change: &Change) -> Result<(InstallState, Vec<String>), String> {
    let (_, before) = read_target(change)?;
    let Some(bytes) = before else { return Ok((InstallState::None, Vec::new())) };
    let text = text(change, &bytes)?;
    let fault_of = |fault: Fault| format!("{}:{}: {}", change.path.display(), fault.line, fault.text);
    let held = change.held(text).map_err(fault_of)?;
    let held = if change.is_known(text) { InstallState::All } else { held };
    if held != InstallState::All {
        // A file that can be parsed may still have no place for the change, such as a list at the top.
        change.with(text).map_err(fault_of)?;
    }
    Ok((held, change.programs(text)))
}

/// Plans to add a change to a file.
pub(super) fn install(change: &Change, entry: Option<&Entry>, records: &Records) -> Result<Step, String> {
    let (target, before) = read_target(change)?;
    let fault_of = |fault: Fault| syntax_error(&change.path, &fault);
    let mut changed = None;
    let mut note = None;
    let base: Option<Vec<u8>> = match (&before, entry) {
        (None, _) => None,
        (Some(bytes), entry) => {
            let text = text(change, bytes)?;
            if change.held(text).map_err(fault_of)? == InstallState::All {
                return Ok(Step::same(change, target, before, entry));
            }
            let is_kept = |entry: &Entry| change.is_changed_by_hand(text, &entry.parts);
            if entry.map_or_else(|| !is_file(change) && change.is_known(text), is_kept) {
                let mut step = Step::same(change, target, before, entry);
                step.note = Some("has an entry of tersed that was changed by hand, which stays".to_owned());
                return Ok(step);
            }
            match entry {
                Some(entry) => match reverted(change, bytes, entry, records)? {
                    RevertResult::Exact(base) => base,
                    RevertResult::Changed(base, kept) => {
                        changed = kept;
                        base
                    }
                },
                None => {
                    if is_file(change) {
                        note =
                            Some("was there already; a copy is kept and comes back on uninstall".to_owned());
                    }
                    Some(bytes.clone())
                }
            }
        }
    };
    let with = change.with(text(change, base.as_deref().unwrap_or_default())?);
    let (after, made) = with.map_err(fault_of)?;
    let mut folders = entry.map(|entry| entry.folders.clone()).unwrap_or_default();
    if folders.is_empty() {
        // The last of several hosts removes the folders that they share.
        folders = records.folders_above(&target);
        folders.extend(missing(&target));
    }
    let entry = Entry {
        path: change.path.clone(),
        before: base.as_deref().map(digest),
        after: digest(after.as_bytes()),
        made,
        parts: change.parts().to_vec(),
        folders,
    };
    let path = change.path.clone();
    let after = Some(after.into_bytes());
    Ok(Step { path, target, before, after, note, record: Some((entry, base)), changed, folders: Vec::new() })
}

/// Missing folders above a file, outermost first.
fn missing(target: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        target.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    folders.reverse();
    folders
}

/// A file without our change.
enum RevertResult {
    /// Its earlier bytes.
    Exact(Option<Vec<u8>>),
    /// A file with later edits of the user, which stay. If the file is ours, its bytes are backed up.
    Changed(Option<Vec<u8>>, Option<Vec<u8>>),
}

fn reverted(change: &Change, bytes: &[u8], entry: &Entry, records: &Records) -> Result<RevertResult, String> {
    let original = entry.before.as_ref().map(|digest| records.kept(digest));
    match original {
        None if digest(bytes) == entry.after => return Ok(RevertResult::Exact(None)),
        Some(Some(original)) if digest(bytes) == entry.after => {
            return Ok(RevertResult::Exact(Some(original)));
        }
        original if is_file(change) => {
            return Ok(RevertResult::Changed(original.flatten(), Some(bytes.to_vec())));
        }
        _ => {}
    }
    // In a file that we created, later entries of others may need these values.
    let is_kept = |path: &Vec<String>| entry.before.is_none() && change.is_default(path);
    let made: Vec<Vec<String>> = entry.made.iter().filter(|path| !is_kept(path)).cloned().collect();
    let left = change
        .without(text(change, bytes)?, Some(&made))
        .map_err(|fault| syntax_error(&change.path, &fault))?;
    let is_gone = |left: &String| entry.before.is_none() && change.is_bare(left);
    Ok(RevertResult::Changed(left.filter(|left| !is_gone(left)).map(String::into_bytes), None))
}

/// The message if entries are removed although somebody edited them.
const EDITED_REMOVED: &str =
    "the entries of tersed are removed, also those that were changed by hand; your other changes are kept";

/// Plans to remove a change from a file.
pub(super) fn uninstall(change: &Change, entry: Option<&Entry>, records: &Records) -> Result<Step, String> {
    let (target, before) = read_target(change)?;
    let mut step = Step::same(change, target, before, None);
    step.folders = entry.map(|entry| entry.folders.clone()).unwrap_or_default();
    let Some(bytes) = step.before.clone() else { return Ok(step) };
    match entry {
        Some(entry) => match reverted(change, &bytes, entry, records)? {
            RevertResult::Exact(after) => step.after = after,
            RevertResult::Changed(after, kept) => {
                step.after = after;
                step.changed = kept;
                if step.changed.is_none() && step.after != step.before {
                    let is_edited = change.has_edited_part(text(change, &bytes)?, &entry.parts);
                    step.note = Some(
                        if is_edited { EDITED_REMOVED } else { "your later changes are kept" }.to_owned(),
                    );
                }
            }
        },
        None => {
            let text = text(change, &bytes)?;
            step.after = match &change.what {
                // A file of another program that has the same name.
                FileContent::File { .. } if !text.contains("tersed") => return Ok(step),
                FileContent::File { text: ours, .. } => {
                    step.changed = (ours != text).then(|| bytes.clone());
                    None
                }
                _ => change
                    .without(text, None)
                    .map_err(|fault| syntax_error(&change.path, &fault))?
                    .map(String::into_bytes),
            };
        }
    }
    Ok(step)
}

/// Plans to remove a file that an earlier version wrote and this one does not.
pub(super) fn uninstall_former(entry: &Entry, records: &Records) -> Result<Step, String> {
    let change = Change::file(entry.path.clone(), "");
    let (target, before) = read_target(&change)?;
    let mut step = Step::same(&change, target, before, None);
    step.folders = entry.folders.clone();
    let is_as_written = step.before.as_ref().is_some_and(|bytes| digest(bytes) == entry.after);
    let original = entry.before.as_ref().map(|digest| records.kept(digest));
    match original {
        None if is_as_written => step.after = None,
        Some(Some(original)) if is_as_written => step.after = Some(original),
        _ if step.before.is_some() => {
            step.note = Some("was written by another version and changed since; it stays".to_owned());
        }
        _ => {}
    }
    Ok(step)
}
