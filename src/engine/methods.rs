//! The method table. A new method is a row here, its types in the file of its noun, and a function of
//! the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

use super::{Cancel, Engine};

use crate::memory::Buffer;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::params::by_name;
use crate::protocol::{
    Kind, RpcError, artifact, config, messages, rules, session, stream, tool_result, tool_schema,
};

/// One row of the method table.
#[derive(Debug)]
pub struct Method {
    /// Name on the wire, `noun/verb`.
    pub name: &'static str,
    /// Request or notification.
    pub kind: Kind,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// Schema of the parameters.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// Schema of the result.
    pub result: fn(&mut SchemaGenerator) -> Schema,
    /// Does the work: takes the JSON text of the parameters, gives the JSON text of the result.
    /// Synchronous, may use a whole core, panics only by mistake.
    pub handle: fn(&Engine, &str, &Cancel) -> Result<String, RpcError>,
}

/// Runs code that may panic by mistake, and turns that into an error of the one request. The panic hook
/// has named the place on stderr by then.
pub(crate) fn guarded<T>(method: &str, work: impl FnOnce() -> Result<T, RpcError>) -> Result<T, RpcError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let what = format!("{method} failed by a fault of the server; the session goes on");
        Err(RpcError::new(INTERNAL_ERROR, "panic", what))
    })
}

fn reply<T: Serialize>(result: &T) -> Result<String, RpcError> {
    let failed =
        |e: String| RpcError::new(INTERNAL_ERROR, "internal", format!("the answer cannot be written: {e}"));
    let mut out = Buffer(Vec::with_capacity(1024));
    serde_json::to_writer(&mut out, result).map_err(|e| failed(e.to_string()))?;
    String::from_utf8(out.0).map_err(|e| failed(e.to_string()))
}

/// All methods, in the order of the documentation.
pub static METHODS: &[Method] = &[
    Method {
        name: "toolResult/compress",
        kind: Kind::Request,
        summary: "Compresses one tool result.",
        params: |g| g.subschema_for::<tool_result::CompressParams<'_>>(),
        result: |g| g.subschema_for::<tool_result::Compressed>(),
        handle: |engine, params, cancel| reply(&engine.compress(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/compressBatch",
        kind: Kind::Request,
        summary: "Compresses the tool results of one turn, in order.",
        params: |g| g.subschema_for::<tool_result::BatchParams<'_>>(),
        result: |g| g.subschema_for::<tool_result::BatchCompressed>(),
        handle: |engine, params, cancel| reply(&engine.compress_batch(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/open",
        kind: Kind::Request,
        summary: "Opens a stream for the result of a long command.",
        params: |g| g.subschema_for::<stream::OpenParams<'_>>(),
        result: |g| g.subschema_for::<stream::Opened>(),
        handle: |engine, params, cancel| reply(&engine.open_stream(&by_name(params)?, params, cancel)?),
    },
    Method {
        name: "toolResult/append",
        kind: Kind::Request,
        summary: "Adds what the command wrote since.",
        params: |g| g.subschema_for::<stream::AppendParams<'_>>(),
        result: |g| g.subschema_for::<stream::Appended>(),
        handle: |engine, params, cancel| reply(&engine.append_stream(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/peek",
        kind: Kind::Request,
        summary: "Shows what the result would be if the command ended now; nothing is committed.",
        params: |g| g.subschema_for::<stream::StreamParams>(),
        result: |g| g.subschema_for::<tool_result::Compressed>(),
        handle: |engine, params, cancel| reply(&engine.peek_stream(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/close",
        kind: Kind::Request,
        summary: "Ends a stream and compresses the result as `toolResult/compress` would have.",
        params: |g| g.subschema_for::<stream::CloseParams>(),
        result: |g| g.subschema_for::<tool_result::Compressed>(),
        handle: |engine, params, cancel| reply(&engine.close_stream(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/discard",
        kind: Kind::Request,
        summary: "Ends a stream without a result.",
        params: |g| g.subschema_for::<stream::StreamParams>(),
        result: |g| g.subschema_for::<stream::Discarded>(),
        handle: |engine, params, _| reply(&engine.discard_stream(&by_name(params)?)?),
    },
    Method {
        name: "messages/compress",
        kind: Kind::Request,
        summary: "Compresses the tool results in a whole request body: OpenAI chat and responses, Anthropic, Gemini, MCP.",
        params: |g| g.subschema_for::<messages::Params<'_>>(),
        result: |g| g.subschema_for::<messages::MessagesCompressed>(),
        handle: |engine, params, cancel| reply(&engine.compress_messages(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolSchema/minify",
        kind: Kind::Request,
        summary: "Makes the descriptions of tools smaller: white space that says nothing goes, words never do.",
        params: |g| g.subschema_for::<tool_schema::Params<'_>>(),
        result: |g| g.subschema_for::<tool_schema::Minified>(),
        handle: |engine, params, _| reply(&engine.minify_tools(&by_name(params)?)?),
    },
    Method {
        name: "rules/check",
        kind: Kind::Request,
        summary: "Checks rules of the operator, runs their tests, and explains which one is used on a result.",
        params: |g| g.subschema_for::<rules::Params<'_>>(),
        result: |g| g.subschema_for::<rules::Checked>(),
        handle: |engine, params, _| reply(&engine.check_rules(&by_name(params)?)?),
    },
    Method {
        name: "artifact/read",
        kind: Kind::Request,
        summary: "Reads an original back: all of it or some lines, page by page.",
        params: |g| g.subschema_for::<artifact::ReadParams>(),
        result: |g| g.subschema_for::<artifact::Read>(),
        handle: |engine, params, _| reply(&engine.read_artifact(&by_name(params)?)?),
    },
    Method {
        name: "artifact/search",
        kind: Kind::Request,
        summary: "Finds lines of an original by a regular expression, with context.",
        params: |g| g.subschema_for::<artifact::SearchParams>(),
        result: |g| g.subschema_for::<artifact::Found>(),
        handle: |engine, params, cancel| reply(&engine.search_artifact(&by_name(params)?, cancel)?),
    },
    Method {
        name: "artifact/list",
        kind: Kind::Request,
        summary: "Lists the originals of a session, newest first.",
        params: |g| g.subschema_for::<artifact::ListParams>(),
        result: |g| g.subschema_for::<artifact::List>(),
        handle: |engine, params, _| reply(&engine.list_artifacts(&by_name(params)?)?),
    },
    Method {
        name: "session/open",
        kind: Kind::Request,
        summary: "Opens a session, also one that was closed. One that never was opens on first use too.",
        params: |g| g.subschema_for::<session::OpenParams>(),
        result: |g| g.subschema_for::<session::Opened>(),
        handle: |engine, params, _| reply(&engine.open_session(&by_name(params)?)?),
    },
    Method {
        name: "session/fork",
        kind: Kind::Request,
        summary: "Opens a session that begins with all that another one knows and shows; from then on they are apart.",
        params: |g| g.subschema_for::<session::ForkParams>(),
        result: |g| g.subschema_for::<session::Forked>(),
        handle: |engine, params, _| reply(&engine.fork_session(&by_name(params)?)?),
    },
    Method {
        name: "session/close",
        kind: Kind::Request,
        summary: "Closes a session: its memory and its originals are dropped.",
        params: |g| g.subschema_for::<session::SessionParams>(),
        result: |g| g.subschema_for::<session::Closed>(),
        handle: |engine, params, _| reply(&engine.close_session(&by_name(params)?)?),
    },
    Method {
        name: "session/stats",
        kind: Kind::Request,
        summary: "Totals of a session by tool, family, reducer, status and reason: tokens, savings, costs.",
        params: |g| g.subschema_for::<session::SessionParams>(),
        result: |g| g.subschema_for::<session::Stats>(),
        handle: |engine, params, _| reply(&engine.session_stats(&by_name(params)?)?),
    },
    Method {
        name: "session/evicted",
        kind: Kind::Notification,
        summary: "Tells which results the model no longer sees, or which are the only ones that it still sees.",
        params: |g| g.subschema_for::<session::EvictedParams>(),
        result: |g| g.subschema_for::<()>(),
        handle: |engine, params, _| engine.evicted(by_name(params)?).map(|()| "null".to_owned()),
    },
    Method {
        name: "session/compacted",
        kind: Kind::Notification,
        summary: "Tells that a conversation was summed up, cut short or resumed: nothing, or only what is named, is still visible.",
        params: |g| g.subschema_for::<session::CompactedParams>(),
        result: |g| g.subschema_for::<()>(),
        handle: |engine, params, _| engine.compacted(&by_name(params)?).map(|()| "null".to_owned()),
    },
    Method {
        name: "config/reload",
        kind: Kind::Request,
        summary: "Reads the configuration files anew. Where one cannot be read, the old settings stay.",
        params: |g| g.subschema_for::<config::ReloadParams>(),
        result: |g| g.subschema_for::<config::Reloaded>(),
        handle: |engine, params, _| {
            by_name::<config::ReloadParams>(params)?;
            reply(&engine.reload_configuration()?)
        },
    },
    Method {
        name: "workspace/didChangeConfiguration",
        kind: Kind::Notification,
        summary: "Changes settings for what comes after it, or reads the configuration files anew.",
        params: |g| g.subschema_for::<config::DidChangeParams<'_>>(),
        result: |g| g.subschema_for::<()>(),
        handle: |engine, params, _| {
            engine.did_change_configuration(&by_name(params)?).map(|_| "null".to_owned())
        },
    },
];
