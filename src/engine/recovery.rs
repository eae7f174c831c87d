//! Recovery: which originals are copied to disk, when, and how they are read back.
//!
//! The copy is made after the outcome is decided and before it is answered, so a text never names a missing copy. If copying
//! fails, only the copy is lost: the evidence has the step `recovery`, and standard error says once what is wrong with the
//! folder. This file reads the clock; the store below gets the time from it.

use std::ffi::OsStr;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Engine;
use crate::artifact::vault::{AccessScope, Bounds, Copy, Label, Vault, conversations_folder, user_folder};
use crate::artifact::{AccessError, Artifact, Media};
use crate::config::{Hint, Policy, Recovery, RecoveryMode};
use crate::pipeline::evidence::{Evidence, Status, Step};
use crate::pipeline::{Outcome, Retain, hint};
use crate::protocol::artifact::Listed;
use crate::sanitize::{redact_binary, redact_only};
use crate::telemetry::Clock;
use crate::text::call::ToolCall;
use crate::text::marker;
use crate::text::reason::Reason;

/// Name of the step in the evidence.
const STEP: &str = "recovery";
/// Why nothing is copied without a vault.
const NO_VAULT: &str = if cfg!(feature = "recovery") {
    "no folder for originals: set `recovery.directory`, or HOME"
} else {
    "this build does not have the feature `recovery`"
};
/// The program name in a hint.
const PROGRAM: &str = if cfg!(windows) { "tersed.exe" } else { "tersed" };

/// The copies of one process.
#[derive(Debug)]
pub(super) struct Copies {
    settings: Recovery,
    vault: Option<Vault>,
    /// Keyed fingerprint of the workspace.
    workspace: Option<u64>,
    clock: Arc<dyn Clock>,
    has_complained: AtomicBool,
}

impl Copies {
    pub(super) fn new(settings: &Recovery, workspace: Option<u64>, clock: Arc<dyn Clock>) -> Self {
        let is_used = settings.mode != RecoveryMode::Never || settings.survives_restart;
        let folder =
            settings.directory.clone().or_else(user_folder).filter(|_| is_used && cfg!(feature = "recovery"));
        let bounds = Bounds {
            max_count: settings.max_artifacts,
            max_bytes: settings.max_artifact_bytes as u64,
            retention: Duration::from_secs(settings.retention_seconds),
        };
        let reach = if settings.survives_restart { AccessScope::Lasting } else { AccessScope::Process };
        let vault = folder.map(|folder| Vault::new(folder, bounds, reach));
        let has_complained = AtomicBool::new(false);
        Self { settings: settings.clone(), vault, workspace, clock, has_complained }
    }

    /// The time since the epoch.
    fn now(&self) -> Duration {
        Duration::from_millis(self.clock.unix_millis())
    }

    /// Copies that belong to the session and match `wanted`, newest first.
    pub(super) fn list(
        &self,
        session: Option<&str>,
        before: u64,
        max: usize,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<Copy> {
        let list = |vault: &Vault| vault.list(session, before, max, wanted, self.now()).ok();
        self.vault.as_ref().and_then(list).unwrap_or_default()
    }

    /// The copy of an artifact, with its id.
    pub(super) fn find(
        &self,
        session: Option<&str>,
        id: &str,
    ) -> Result<Option<(String, Artifact)>, AccessError> {
        let Some(vault) = &self.vault else { return Ok(None) };
        let found = vault.find(session, id, self.now())?;
        Ok(found.map(|(header, artifact)| (header.id().to_owned(), artifact)))
    }

    /// Deletes the copies that should end with the process.
    pub(super) fn close(&self) {
        if let Some(vault) = &self.vault {
            vault.close();
        }
    }

    /// Copies the original of an outcome. False if a copy was wanted and could not be made.
    fn keep(
        &self,
        session: Option<&str>,
        call: &ToolCall,
        outcome: &Outcome,
        retain: Option<&Retain>,
        policy: &Policy,
    ) -> CopyResult {
        let evidence = &outcome.evidence;
        let whole: Vec<u8>;
        let (bytes, original, mime) = match retain {
            Some(retain) => (&retain.bytes[..], retain.original.as_deref(), retain.mime),
            // The text is unchanged. A copy is made so that an operator can see what could not be compressed.
            None if evidence.status == Status::FailedOpen => {
                whole = outcome.texts.concat().into_bytes();
                (&whole[..], None, None)
            }
            None => return CopyResult::NotWanted,
        };
        if !self.settings.wants(&hint::facts(call, evidence, bytes.len())) {
            return CopyResult::NotWanted;
        }
        let Some(vault) = &self.vault else {
            self.warn_once(NO_VAULT);
            return CopyResult::Failed;
        };
        let Some(label) = label(session, call, evidence) else { return CopyResult::Failed };
        let label = Label { workspace: self.workspace, ..label };
        let put = |bytes: &[u8], label: &Label| {
            let digest = blake3::hash(bytes).to_hex();
            let media = mime.map_or(Media::Text, |mime| Media::Binary(mime.to_owned()));
            // The model knows what it wrote, but other readers of the copy may not.
            let is_redacted = policy.redact_secrets && outcome.decision.wrote.is_empty();
            let Some(safe) = safe(bytes, &media, is_redacted) else { return Ok(false) };
            vault.keep(session, &digest, &safe, &media, label, self.now()).map(|()| true)
        };
        let fits = |bytes: &&[u8]| bytes.len() <= self.settings.max_artifact_bytes;
        // The text that marker line numbers refer to is copied last: if only one copy fits, it is this one.
        let checks = outcome.texts.iter().filter_map(|text| marker::check(text)).map(str::to_owned).collect();
        let shown = Label { checks, ..label.clone() };
        let kept = original.filter(fits).map_or(Ok(true), |bytes| put(bytes, &label));
        let kept = kept.and_then(|_| put(bytes, &shown));
        match kept {
            Ok(true) => CopyResult::Made,
            Ok(false) => CopyResult::Failed,
            Err(error) => {
                self.warn_once(&format!("recovery in {}: {error}", vault.path().display()));
                CopyResult::Failed
            }
        }
    }

    /// Reports a fault once. The message never holds content of a result.
    fn warn_once(&self, what: &str) {
        if !self.has_complained.swap(true, Ordering::Relaxed) {
            let _ = writeln!(std::io::stderr(), "tersed: {what}; originals are not copied to disk");
        }
    }
}

/// Whether a copy was made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyResult {
    NotWanted,
    Made,
    Failed,
}

impl Engine {
    /// Copies the original of an outcome to disk if wanted, and says whether it is there.
    pub(super) fn recover(
        &self,
        session: Option<&str>,
        call: &ToolCall,
        outcome: &mut Outcome,
        retain: Option<&Retain>,
        policy: &Policy,
    ) -> bool {
        if self.settings.recovery.mode == RecoveryMode::Never {
            return false;
        }
        let kept = self.copies.keep(session, call, outcome, retain, policy);
        if kept == CopyResult::Failed {
            let bytes = outcome.evidence.bytes.after;
            outcome.evidence.steps.push(Step {
                id: STEP.to_owned(),
                reason: Reason::NotStored,
                bytes_before: bytes,
                bytes_after: bytes,
            });
        }
        kept == CopyResult::Made
    }
}

/// The hint in texts on how to read their original, if hints are on and an agent can follow them.
pub(super) fn recovery_hint(recovery: &Recovery) -> Option<Arc<Hint>> {
    if !recovery.hint_in_text || recovery.mode == RecoveryMode::Never {
        return None;
    }
    let folder = match &recovery.directory {
        None => Some(None),
        // `tersed artifacts` searches this folder in any case.
        Some(path) if conversations_folder().is_some_and(|known| known == *path) => Some(None),
        Some(path) => std::path::absolute(path)
            .ok()
            .and_then(|path| path.into_os_string().into_string().ok())
            .filter(|path| hint::is_plain(path))
            .map(Some),
    };
    let command = folder.filter(|_| is_on_path(std::env::var_os("PATH").as_deref()));
    Some(Arc::new(Hint { recovery: recovery.clone(), command }))
}

/// The hint on how to read an original from this process, if an agent can follow it.
pub(super) fn process_hint() -> Option<Arc<Hint>> {
    is_on_path(std::env::var_os("PATH").as_deref()).then(|| {
        let recovery = Recovery {
            mode: RecoveryMode::Always,
            min_original_bytes: 2048,
            min_saved_bytes: 1024,
            max_artifact_bytes: usize::MAX,
            ..Recovery::default()
        };
        Arc::new(Hint { recovery, command: Some(None) })
    })
}

/// Whether the program is found on the search path.
fn is_on_path(path: Option<&OsStr>) -> bool {
    path.is_some_and(|path| std::env::split_paths(path).any(|folder| folder.join(PROGRAM).is_file()))
}

/// Converts a copy to its protocol type.
pub(super) fn listed(copy: Copy) -> Listed {
    let header = copy.header;
    Listed {
        id: header.id().to_owned(),
        bytes: header.bytes as usize,
        lines: header.lines as usize,
        tool: header.label.tool,
        tool_call_id: header.label.tool_call_id,
        command: header.label.command.as_deref().and_then(listed_command),
        digest: header.digest,
        on_disk: true,
    }
}

/// Longest command that lists name, in bytes; longer ones are left out, since cutting them could split a secret.
const MAX_COMMAND: usize = 4096;
/// Most characters of its first line that lists show.
const COMMAND_SHOWN: usize = 200;

/// The text of a command in lists: the start of its first line, without secrets.
pub(super) fn listed_command(command: &str) -> Option<String> {
    let safe = Some(command).filter(|command| command.len() <= MAX_COMMAND)?;
    let (safe, _) = redact_only(safe).ok()?;
    let line = safe.lines().find(|line| !line.trim().is_empty())?.trim();
    Some(line.chars().take(COMMAND_SHOWN).collect())
}

/// The label of a copy, with secrets removed; `None` if removing them failed.
fn label(session: Option<&str>, call: &ToolCall, evidence: &Evidence) -> Option<Label> {
    let safe = |text: &str| redact_only(text).ok().map(|(text, _)| text);
    let maybe = |text: Option<&str>| match text {
        Some(text) => safe(text).map(Some),
        None => Some(None),
    };
    Some(Label {
        tool: safe(&call.tool)?,
        tool_call_id: maybe(call.id.as_deref())?,
        session: maybe(session)?,
        command: maybe(call.command.as_deref())?,
        family: evidence.family.clone(),
        exit_code: evidence.exit_code,
        ..Label::default()
    })
}

/// The bytes with secrets removed, whatever the policy lets the model see; `None` if removing them failed.
fn safe<'a>(bytes: &'a [u8], media: &Media, is_redacted: bool) -> Option<std::borrow::Cow<'a, [u8]>> {
    if is_redacted {
        return Some(bytes.into());
    }
    match (media, std::str::from_utf8(bytes)) {
        (Media::Text, Ok(text)) => redact_only(text).ok().map(|(text, _)| text.into_bytes().into()),
        _ => Some(redact_binary(bytes.to_vec()).into())
            .filter(|safe: &std::borrow::Cow<'_, [u8]>| !safe.is_empty()),
    }
}
