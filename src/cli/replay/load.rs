//! Reads files of records and whole sessions, and folders of such files or of cases for clues.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::clues::Case;
use super::record::{Record, Session, Transcript};
use super::whole;
use crate::cli::packed::open;

/// What a file of records holds.
const EXPECTED: &str = "expected JSON lines, each a record or a whole session";

/// Reads a file of records or whole sessions, or a folder of such files or of cases for clues.
pub(in crate::cli) fn read(path: &Path) -> Result<Vec<Session>, String> {
    if path.is_dir() {
        let files = below(path)?;
        if !files.is_empty() {
            let sessions: Result<Vec<_>, String> = files.iter().map(|file| read(file)).collect();
            return sessions.map(|sessions| sessions.into_iter().flatten().collect());
        }
        let cases = Case::all(path)?;
        if cases.is_empty() {
            let expected = "expected files .jsonl or .jsonl.zst, or CLASS/NAME.case";
            return Err(format!("{}: neither records nor cases: {expected}", path.display()));
        }
        return Ok(cases.into_iter().map(of_case).collect());
    }
    let name = path.display();
    let File { sessions, broken } = read_all(path).map_err(|e| format!("{name}: {e}"))?;
    match broken.first() {
        Some((line, why)) => Err(format!("{name}:{line}: not a record: {why}; {EXPECTED}")),
        None => Ok(sessions),
    }
}

/// All files of records below a folder, by name. Links are not followed, so the walk always ends.
fn below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fault = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(fault)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut files = Vec::new();
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(fault)?);
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() {
            files.extend(below(&path)?);
        } else if kind.is_file() && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")) {
            files.push(path);
        }
    }
    Ok(files)
}

/// A case for clues, as a session of one record.
fn of_case(case: Case) -> Session {
    let call = &case.call;
    let record = Record {
        id: case.name.clone(),
        tool: Some(call.tool.clone()),
        command: call.command.clone(),
        args: call.arguments.clone(),
        exit_code: call.exit_code,
        output: case.text.clone(),
        kind: case.name.split('/').next().unwrap_or_default().to_owned(),
        case: Some(Box::new(case)),
        ..Record::default()
    };
    Session { id: None, records: vec![record], needs: Vec::new(), transcript: Transcript::default() }
}

/// The records of a file.
#[derive(Debug, Default)]
pub(in crate::cli) struct File {
    /// The sessions, in the order in which they start.
    pub sessions: Vec<Session>,
    /// Lines that are not records, with the reason.
    pub broken: Vec<(usize, String)>,
}

/// Reads the records of a file; lines that are not records are reported. Errors do not name the file.
pub(in crate::cli) fn read_all(path: &Path) -> Result<File, String> {
    let reader = open(path)?;
    let mut sessions: Vec<Session> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut broken = Vec::new();
    for (number, line) in BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|e| format!("line {}: {e}", number + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        if let Some(session) = whole::read(&line) {
            sessions.push(session);
            continue;
        }
        let mut record: Record = match serde_json::from_str(&line) {
            Ok(record) => record,
            Err(why) => {
                broken.push((number + 1, why.to_string()));
                continue;
            }
        };
        if record.id.is_empty() {
            record.id = format!("line-{}", number + 1);
        }
        let id = match (&record.session, &record.agent) {
            (Some(session), Some(_)) => Some(format!("{}:{session}", record.source)),
            _ => None,
        };
        let new = sessions.len();
        let place = id.as_ref().map_or(new, |id| *places.entry(id.clone()).or_insert(new));
        match sessions.get_mut(place) {
            Some(session) => session.records.push(record),
            None => sessions.push(Session {
                id,
                records: vec![record],
                needs: Vec::new(),
                transcript: Transcript::default(),
            }),
        }
    }
    for session in &mut sessions {
        session.records.sort_by_key(|r| r.turn);
    }
    Ok(File { sessions, broken })
}
