//! The method table. To add a method, add a row here, its types in `src/protocol`, and a function of the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;

use super::{Cancel, Engine};

use crate::memory::Buffer;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::params::{by_name, of_body, of_results};
use crate::protocol::{Kind, RpcError, config};
#[cfg(feature = "schema")]
use crate::protocol::{artifact, messages, room, rules, session, stream, tool_result, tool_schema};

/// One row of the method table.
#[derive(Debug)]
pub struct Method {
    /// Name on the wire, `noun/verb`.
    pub name: &'static str,
    /// Request or notification.
    pub kind: Kind,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// The types of its parameters and of its result.
    pub types: Types,
    /// Takes the JSON text of the parameters and returns the JSON text of the result. Synchronous; may use a whole
    /// core; panics only if there is a bug.
    pub handle: fn(&Engine, &str, &Cancel) -> Result<String, RpcError>,
}

/// The types of a method, for the schema of the protocol. Empty without the feature `schema`.
#[derive(Debug)]
pub struct Types {
    /// Schema of the parameters.
    #[cfg(feature = "schema")]
    pub params: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
    /// Schema of the result; null for a notification.
    #[cfg(feature = "schema")]
    pub result: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

macro_rules! types {
    ($params:ty, $result:ty) => {
        Types {
            #[cfg(feature = "schema")]
            params: |generator| generator.subschema_for::<$params>(),
            #[cfg(feature = "schema")]
            result: |generator| generator.subschema_for::<$result>(),
        }
    };
}

impl Types {
    /// The types of a method outside the protocol, as tests use them.
    pub const NONE: Self = types!((), ());
}

/// Runs code that may panic, and turns a panic into an error of this one request. The panic hook has already written the
/// place to stderr.
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
        types: types!(tool_result::CompressParams<'_>, tool_result::Compressed),
        handle: |engine, params, cancel| reply(&engine.compress(&of_results(params)?, cancel)?),
    },
    Method {
        name: "toolResult/compressBatch",
        kind: Kind::Request,
        summary: "Compresses the tool results of one turn, in order.",
        types: types!(tool_result::BatchParams<'_>, tool_result::BatchCompressed),
        handle: |engine, params, cancel| reply(&engine.compress_batch(&of_results(params)?, cancel)?),
    },
    Method {
        name: "toolResult/open",
        kind: Kind::Request,
        summary: "Opens a stream for the result of a long command.",
        types: types!(stream::OpenParams<'_>, stream::Opened),
        handle: |engine, params, cancel| reply(&engine.open_stream(&of_results(params)?, params, cancel)?),
    },
    Method {
        name: "toolResult/append",
        kind: Kind::Request,
        summary: "Adds the next output of the command.",
        types: types!(stream::AppendParams<'_>, stream::Appended),
        handle: |engine, params, cancel| reply(&engine.append_stream(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/peek",
        kind: Kind::Request,
        summary: "Shows the result as if the command ended now; nothing is committed.",
        types: types!(stream::StreamParams, tool_result::Compressed),
        handle: |engine, params, cancel| reply(&engine.peek_stream(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/close",
        kind: Kind::Request,
        summary: "Ends a stream and compresses the result as `toolResult/compress` would have.",
        types: types!(stream::CloseParams, tool_result::Compressed),
        handle: |engine, params, cancel| reply(&engine.close_stream(&by_name(params)?, cancel)?),
    },
    Method {
        name: "toolResult/discard",
        kind: Kind::Request,
        summary: "Ends a stream without a result.",
        types: types!(stream::StreamParams, stream::Discarded),
        handle: |engine, params, _| reply(&engine.discard_stream(&by_name(params)?)?),
    },
    Method {
        name: "messages/compress",
        kind: Kind::Request,
        summary: "Compresses the tool results in a whole request body: OpenAI chat and responses, Anthropic, Gemini, MCP.",
        types: types!(messages::Params<'_>, messages::MessagesCompressed),
        handle: |engine, params, cancel| reply(&engine.compress_messages(&of_body(params)?, cancel)?),
    },
    Method {
        name: "toolSchema/minify",
        kind: Kind::Request,
        summary: "Minifies the descriptions of tools: removes white space, never words.",
        types: types!(tool_schema::Params<'_>, tool_schema::Minified),
        handle: |engine, params, _| reply(&engine.minify_tools(&by_name(params)?)?),
    },
    Method {
        name: "rules/check",
        kind: Kind::Request,
        summary: "Checks rules of the operator, runs their tests, and explains which rule is used on a result.",
        types: types!(rules::Params<'_>, rules::Checked),
        handle: |engine, params, _| reply(&engine.check_rules(&by_name(params)?)?),
    },
    Method {
        name: "artifact/read",
        kind: Kind::Request,
        summary: "Reads an original back: all of it or some lines, page by page.",
        types: types!(artifact::ReadParams, artifact::Read),
        handle: |engine, params, _| reply(&engine.read_artifact(&by_name(params)?)?),
    },
    Method {
        name: "artifact/search",
        kind: Kind::Request,
        summary: "Finds lines of an original by a regular expression, with context.",
        types: types!(artifact::SearchParams, artifact::Found),
        handle: |engine, params, cancel| reply(&engine.search_artifact(&by_name(params)?, cancel)?),
    },
    Method {
        name: "artifact/list",
        kind: Kind::Request,
        summary: "Lists the originals of a session, newest first.",
        types: types!(artifact::ListParams, artifact::List),
        handle: |engine, params, _| reply(&engine.list_artifacts(&by_name(params)?)?),
    },
    Method {
        name: "session/open",
        kind: Kind::Request,
        summary: "Opens a session, also a closed one. A new session also opens on first use.",
        types: types!(session::OpenParams, session::Opened),
        handle: |engine, params, _| reply(&engine.open_session(&by_name(params)?)?),
    },
    Method {
        name: "session/fork",
        kind: Kind::Request,
        summary: "Opens a session as a copy of another one; from then on they are independent.",
        types: types!(session::ForkParams, session::Forked),
        handle: |engine, params, _| reply(&engine.fork_session(&by_name(params)?)?),
    },
    Method {
        name: "session/close",
        kind: Kind::Request,
        summary: "Closes a session: its memory and its originals are dropped.",
        types: types!(session::SessionParams, session::Closed),
        handle: |engine, params, _| reply(&engine.close_session(&by_name(params)?)?),
    },
    Method {
        name: "session/stats",
        kind: Kind::Request,
        summary: "Totals of a session by tool, family, reducer, status and reason: tokens, savings, costs.",
        types: types!(session::SessionParams, session::Stats),
        handle: |engine, params, _| reply(&engine.session_stats(&by_name(params)?)?),
    },
    Method {
        name: "session/evicted",
        kind: Kind::Notification,
        summary: "Reports which results the model no longer sees, or which are the only ones that it still sees.",
        types: types!(session::EvictedParams, ()),
        handle: |engine, params, _| engine.evicted(by_name(params)?).map(|()| "null".to_owned()),
    },
    Method {
        name: "session/compacted",
        kind: Kind::Notification,
        summary: "Reports that a conversation was summarized, cut short or resumed: no result, or only those of the named calls, are still visible.",
        types: types!(session::CompactedParams, ()),
        handle: |engine, params, _| engine.compacted(&by_name(params)?).map(|()| "null".to_owned()),
    },
    Method {
        name: "session/reclaim",
        kind: Kind::Request,
        summary: "Returns which results may be removed from the context now, and the texts that replace them; none if it does not pay.",
        types: types!(room::ReclaimParams, room::Reclaimable),
        handle: |engine, params, cancel| reply(&engine.reclaim(&by_name(params)?, cancel)?),
    },
    Method {
        name: "session/reclaimed",
        kind: Kind::Request,
        summary: "Confirms a batch of `session/reclaim`: its results leave the context.",
        types: types!(room::ReclaimedParams, room::ReclaimedTotals),
        handle: |engine, params, _| reply(&engine.reclaimed(&by_name(params)?)?),
    },
    Method {
        name: "config/reload",
        kind: Kind::Request,
        summary: "Reads the configuration files again. If one cannot be read, the old settings stay.",
        types: types!(config::ReloadParams, config::Reloaded),
        handle: |engine, params, _| {
            by_name::<config::ReloadParams>(params)?;
            reply(&engine.reload_configuration()?)
        },
    },
    Method {
        name: "workspace/didChangeConfiguration",
        kind: Kind::Notification,
        summary: "Changes settings for later messages, or reads the configuration files again.",
        types: types!(config::DidChangeParams<'_>, ()),
        handle: |engine, params, _| {
            engine.did_change_configuration(&by_name(params)?).map(|_| "null".to_owned())
        },
    },
];
