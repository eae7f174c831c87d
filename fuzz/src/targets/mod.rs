//! The table of targets.

mod data;
mod frames;
mod markers;
mod pipeline;
mod redaction;
mod seeds;

/// One target.
#[derive(Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// The promise that it checks, in one line.
    pub about: &'static str,
    /// Runs it on bytes; a broken promise is a panic.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of its grammar.
    pub words: &'static [&'static str],
}

/// All targets.
pub static TARGETS: &[Target] = &[
    Target {
        name: "frames",
        about: "framing and envelopes: one answer a request",
        run: frames::run,
        seeds: frames::seeds,
        words: frames::WORDS,
    },
    Target {
        name: "pipeline",
        about: "one text, every step: never larger, the same again",
        run: pipeline::run,
        seeds: pipeline::seeds,
        words: seeds::WORDS,
    },
    Target {
        name: "session",
        about: "results of one session: resends are the same bytes",
        run: pipeline::session,
        seeds: pipeline::seeds,
        words: seeds::WORDS,
    },
    Target {
        name: "markers",
        about: "markers in what comes in: none that we did not write",
        run: markers::run,
        seeds: markers::seeds,
        words: markers::WORDS,
    },
    Target {
        name: "redact-text",
        about: "a secret in a text reaches no output",
        run: redaction::text,
        seeds: redaction::seeds,
        words: redaction::WORDS,
    },
    Target {
        name: "redact-result",
        about: "a secret in any content of a result reaches no answer",
        run: redaction::result,
        seeds: redaction::seeds,
        words: redaction::WORDS,
    },
    Target {
        name: "redact-body",
        about: "a secret in a tool result reaches no request body",
        run: redaction::body,
        seeds: redaction::seeds,
        words: redaction::WORDS,
    },
    Target {
        name: "redact-stream",
        about: "a secret that comes in pieces reaches no answer",
        run: redaction::stream,
        seeds: redaction::seeds,
        words: redaction::WORDS,
    },
    Target {
        name: "redact-hook",
        about: "a secret in an event reaches no answer of a hook that changes it",
        run: redaction::hook,
        seeds: redaction::seeds,
        words: redaction::WORDS,
    },
    Target {
        name: "redact-proxy",
        about: "a secret in an answer of an MCP server does not pass the proxy",
        run: redaction::proxy,
        seeds: redaction::seeds,
        words: redaction::WORDS,
    },
    Target {
        name: "json",
        about: "JSON stays JSON, tables and dictionaries come back",
        run: data::json,
        seeds: data::json_seeds,
        words: data::JSON_WORDS,
    },
    Target {
        name: "documents",
        about: "YAML, TOML and rules: an error or a value",
        run: data::documents,
        seeds: data::document_seeds,
        words: data::DOCUMENT_WORDS,
    },
    Target {
        name: "commands",
        about: "command lines are read without a fault",
        run: data::commands,
        seeds: data::command_seeds,
        words: data::COMMAND_WORDS,
    },
    Target {
        name: "bodies",
        about: "request bodies: other bytes stay as they are",
        run: data::bodies,
        seeds: data::body_seeds,
        words: data::JSON_WORDS,
    },
];
