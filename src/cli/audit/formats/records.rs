//! Records as `tersed replay` takes them, one a line, packed or not.

use std::collections::HashMap;
use std::path::Path;

use super::Sink;
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, heads, string};
use crate::cli::replay::load;

/// A record has an id and an output.
pub(super) fn claims(head: &[u8]) -> bool {
    const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    if head.starts_with(MAGIC) {
        // Enough of it to see the first record.
        let mut start = vec![0; super::HEAD_BYTES];
        let read = zstd::Decoder::new(head).map(|mut decoder| fill(&mut decoder, &mut start));
        return read.is_ok_and(|length| start.get(..length).is_some_and(is_record));
    }
    is_record(head)
}

fn fill(from: &mut dyn std::io::Read, into: &mut [u8]) -> usize {
    let mut length = 0;
    while let Some(rest) = into.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) | Err(_) => break,
            Ok(n) => length += n,
        }
    }
    length
}

fn is_record(head: &[u8]) -> bool {
    heads(head).any(|line| string(&line, "id").is_some() && string(&line, "output").is_some())
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let load::File { sessions, broken } = load::read_all(file)?;
    broken.into_iter().for_each(|(line, _)| notes.broken(line));
    let mut places: HashMap<Option<String>, usize> = HashMap::new();
    let mut out: Vec<History> = Vec::new();
    for session in sessions {
        // Each output without a session is a session of its own; together they are one entry of the report.
        let place = *places.entry(session.id.clone()).or_insert_with(|| {
            out.push(History::new(session.id.as_deref().unwrap_or("no session")));
            out.len() - 1
        });
        let Some(history) = out.get_mut(place) else { continue };
        history.is_loose |= session.id.is_none();
        for record in session.records {
            history.call(Call {
                id: Some(record.id.clone()),
                tool: record.tool.unwrap_or_default(),
                arguments: record.args,
                command: record.command,
            });
            let (call, text, exit_code) = (Some(record.id), record.output, record.exit_code);
            history.result(Output { call, text, exit_code, ..Output::default() });
            match record.refs.is_empty() {
                true => record.later.iter().for_each(|text| history.agent_text(text)),
                // The record itself lists the names that were used.
                false => history.refers(record.refs.into_iter().zip(record.ref_types)),
            }
        }
    }
    out.into_iter().for_each(each);
    Ok(())
}
