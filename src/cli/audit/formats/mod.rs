//! Formats of histories, one file each: how to recognise a file by its first bytes, and how to read it.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod mini_swe_agent;
mod opencode;
mod pi;
mod records;
mod requests;
mod specstory;
mod swe_agent;

use std::path::{Path, PathBuf};

use super::history::History;
use super::notes::Notes;

/// Bytes of a file that are used to recognise it.
pub(super) const HEAD_BYTES: usize = 256 * 1024;

/// Receives the sessions of a file as they are read.
pub(super) type Sink<'a> = dyn FnMut(History) + 'a;

/// A format.
pub(super) struct Format {
    /// Its name in reports.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Whether the first bytes of a file have this format.
    pub claims: fn(&[u8]) -> bool,
    /// Reads the sessions of a file, or of the path of [`Format::unit`], one after another.
    pub read: fn(&Path, &mut Notes, &mut Sink<'_>) -> Result<(), String>,
    /// If several files form a session: the path that is read once for all of them.
    pub unit: fn(&Path, &[u8]) -> PathBuf,
}

fn itself(file: &Path, _: &[u8]) -> PathBuf {
    file.to_path_buf()
}

/// All formats. The first that recognises a file reads it; formats that name their program come first.
pub(super) const FORMATS: &[Format] = &[
    Format {
        id: "claude-code",
        title: "Claude Code",
        claims: claude_code::claims,
        read: claude_code::read,
        unit: itself,
    },
    Format { id: "codex", title: "Codex", claims: codex::claims, read: codex::read, unit: itself },
    Format { id: "gemini", title: "Gemini CLI", claims: gemini::claims, read: gemini::read, unit: itself },
    Format {
        id: "opencode",
        title: "OpenCode, Kilo",
        claims: opencode::claims,
        read: opencode::read,
        unit: opencode::unit,
    },
    Format { id: "pi", title: "pi", claims: pi::claims, read: pi::read, unit: itself },
    Format {
        id: "copilot",
        title: "Copilot CLI",
        claims: copilot::claims,
        read: copilot::read,
        unit: itself,
    },
    Format {
        id: "mini-swe-agent",
        title: "mini-swe-agent",
        claims: mini_swe_agent::claims,
        read: mini_swe_agent::read,
        unit: itself,
    },
    Format {
        id: "swe-agent",
        title: "SWE-agent",
        claims: swe_agent::claims,
        read: swe_agent::read,
        unit: itself,
    },
    Format {
        id: "specstory",
        title: "SpecStory Markdown",
        claims: specstory::claims,
        read: specstory::read,
        unit: itself,
    },
    Format {
        id: "records",
        title: "records as `tersed replay` takes them",
        claims: records::claims,
        read: records::read,
        unit: itself,
    },
    Format {
        id: "requests",
        title: "request bodies of OpenAI, Anthropic, Gemini",
        claims: requests::claims,
        read: requests::read,
        unit: itself,
    },
];

/// Sessions of a file by name, in the order in which they appeared.
#[derive(Default)]
pub(super) struct Threads(Vec<(String, History)>);

impl Threads {
    /// The session with that name, created on first use.
    pub(super) fn of(&mut self, name: &str) -> &mut History {
        let place = self.0.iter().position(|(known, _)| known == name).unwrap_or(self.0.len());
        if place == self.0.len() {
            self.0.push((name.to_owned(), History::new(name)));
        }
        &mut self.0[place].1
    }

    /// Passes on all sessions that are not empty.
    pub(super) fn give(self, each: &mut Sink<'_>) {
        self.0.into_iter().map(|(_, history)| history).filter(|history| !history.is_empty()).for_each(each);
    }
}
