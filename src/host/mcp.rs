//! `tersed mcp`: an MCP server that offers the tools of [`super::tools`] to the model.
//!
//! Hooks that run a command ask the resident process, so this server lists no tool for hooks. The one exception is Gemini
//! CLI, which can replace a result only through a tool.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    JsonRpcMessage, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    ToolAnnotations,
};
use rmcp::service::{
    RequestContext, RoleServer, RxJsonRpcMessage, ServerInitializeError, ServiceExt, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::proxy::lines::{Lines, MAX_LINE_BYTES};
use super::proxy::message::unmarked;
use super::tools::{TOOLS, Tool};
use super::{Host, gemini, served};
use crate::formats::json::without_lone_surrogates;
use crate::protocol::skim::Json;
use crate::sanitize::redact_only;

/// The tool that hooks of earlier versions call. It is not listed, and its answer tells the host to continue as if
/// there were no hook. Only the resident process holds the memory of a conversation.
pub const HOOK: &str = "tersed_hook";

const INSTRUCTIONS: &str = "Results of tools may show lines such as `[tersed#493027516823: omitted 120 lines 5-124, ..., id 3fa9c1d2]`. \
    What they stand for can be read with tersed_expand and searched with tersed_search.";
const RESULT_DESCRIPTION: &str =
    "Called by the host's hooks, not by the model: gives back the text that it is given.";

/// The host that the server works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Caller {
    /// Claude Code, and every host whose model gets the tools that read originals.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "other"))]
    ClaudeCode,
    /// Gemini CLI: its hooks pass the new text to a tool of this server. The process shared by the hooks holds the originals,
    /// so this server has no tools to read them.
    Gemini,
}

impl Caller {
    /// The tool that the host's hooks call, as `tools/list` shows it.
    fn tool(self) -> Option<rmcp::model::Tool> {
        (self == Self::Gemini).then(|| {
            let text = json!({ "type": "string" });
            let members = json!({ "data": text, "mimeType": text });
            let image = json!({ "type": "object", "properties": members, "required": ["data", "mimeType"] });
            let items = json!({ "anyOf": [text, image] });
            let content = json!({ "anyOf": [text, { "type": "array", "items": items }] });
            let properties = json!({ "content": content });
            let schema = json!({ "type": "object", "properties": properties, "required": ["content"] });
            listed(gemini::RESULT, "Hook", RESULT_DESCRIPTION, &schema)
        })
    }

    /// The tools for the model.
    fn tools(self) -> &'static [Tool] {
        match self {
            Self::ClaudeCode => TOOLS,
            Self::Gemini => &[],
        }
    }
}

/// Serves on standard input and output until the host closes them.
///
/// # Errors
///
/// The transport's error, in one line.
pub fn serve(host: Host, caller: Caller) -> Result<(), String> {
    // Before hooks request a tool call, they check that a server runs.
    let sign = (caller == Caller::Gemini)
        .then(|| served::serve(gemini::HOST_NAME, &std::env::current_dir().ok()?))
        .flatten();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("tersed")
        .build()
        .map_err(|e| format!("cannot start: {e}"))?;
    runtime.block_on(async {
        if let Some(sign) = sign {
            // Started inside the runtime: a server that can no longer answer then stops reporting that it works.
            tokio::spawn(async move {
                loop {
                    sign.renew();
                    tokio::time::sleep(served::HEARTBEAT).await;
                }
            });
        }
        let service = Server { host: Arc::new(host), caller };
        let host = service.host.clone();
        let running = match Stdio::open() {
            Ok(stdio) => service.serve(stdio).await,
            Err(e) => return Err(format!("cannot start: {e}")),
        };
        let ended = match running {
            Ok(running) => running.waiting().await.map(drop).map_err(|e| e.to_string()),
            // It is no error if the host closes the connection before its first message. Messages of other errors may
            // show what the host sent.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(_) => Err("the host and this server could not agree on how to begin".to_owned()),
        };
        host.engine().close();
        ended
    })
}

/// Standard input and output, one message on each line. What is not a message of a client is answered with an error,
/// and a notification before the first request is dropped; the transport of the library gives no answer, or ends.
struct Stdio {
    messages: Receiver<RxJsonRpcMessage<RoleServer>>,
    output: Output,
}

/// Standard output, locked while a line is written.
type Output = Arc<Mutex<io::Stdout>>;

/// Messages that were read and wait.
const MAX_WAITING: usize = 16;
/// JSON-RPC error codes.
const NO_JSON: i64 = -32700;
const NO_REQUEST: i64 = -32600;

impl Stdio {
    fn open() -> io::Result<Self> {
        let (send, messages) = channel(MAX_WAITING);
        let output: Output = Arc::new(Mutex::new(io::stdout()));
        let errors = Arc::clone(&output);
        // The thread is not joined, because it may wait for input.
        thread::Builder::new()
            .name("tersed-input".to_owned())
            .spawn(move || read_messages(&send, &errors))?;
        Ok(Self { messages, output })
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        let write = move || {
            let item = match item {
                JsonRpcMessage::Error(mut error) => {
                    // It may repeat what the client sent.
                    let safe = redact_only(&error.error.message).map(|(safe, _)| safe);
                    error.error.message = Cow::Owned(safe.unwrap_or_else(|_| FAULT.to_owned()));
                    JsonRpcMessage::Error(error)
                }
                item => item,
            };
            write_line(&output, &serde_json::to_string(&item)?)
        };
        async move { tokio::task::spawn_blocking(write).await.unwrap_or_else(|e| Err(io::Error::other(e))) }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

fn write_line(output: &Output, line: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

/// Reads messages until the input ends or nobody takes them.
fn read_messages(send: &Sender<RxJsonRpcMessage<RoleServer>>, errors: &Output) {
    let mut lines = Lines::new(io::stdin().lock(), MAX_LINE_BYTES);
    let (mut line, mut is_inside, mut has_begun) = (Vec::new(), false, false);
    while let Ok(Some(is_whole)) = lines.next(&mut line) {
        let is_first_piece = !std::mem::replace(&mut is_inside, !is_whole && !line.ends_with(b"\n"));
        let read = match is_whole {
            true => message(&line),
            false if is_first_piece => Err(Some(refused(None, NO_REQUEST, "the message is too long"))),
            false => Err(None),
        };
        let is_over = match read {
            Ok(message) => {
                has_begun |= matches!(message, JsonRpcMessage::Request(_));
                has_begun && send.blocking_send(message).is_err()
            }
            Err(Some(error)) => write_line(errors, &error).is_err(),
            Err(None) => false,
        };
        if is_over {
            return;
        }
    }
}

/// The message on a line. The error is an answer, or none if the line needs none.
fn message(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Option<String>> {
    let text = without_lone_surrogates(unmarked(line));
    let text = text.trim();
    if text.is_empty() {
        return Err(None);
    }
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else {
        return Err(Some(refused(None, NO_JSON, "the line is not JSON")));
    };
    serde_json::from_str(text).map_err(|_| {
        let json = Json::of(raw);
        let id = json.get("id").map(Json::raw);
        let is_answer = json.get("result").is_some() || json.get("error").is_some();
        // Nobody waits for an answer to a notification or to an answer.
        if json.is_object() && (is_answer || id.is_none() && json.get("method").is_some()) {
            return None;
        }
        let id = id.filter(|id| id.starts_with(['"', '-']) || id.starts_with(|c: char| c.is_ascii_digit()));
        Some(refused(id, NO_REQUEST, "this is no request, or its members have other types than MCP allows"))
    })
}

/// An error as an answer; without a known id the id is `null`.
fn refused(id: Option<&str>, code: i64, why: &str) -> String {
    let id = id.unwrap_or("null");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{why}"}}}}"#)
}

struct Server {
    host: Arc<Host>,
    caller: Caller,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tersed", env!("CARGO_PKG_VERSION")));
        match self.caller {
            Caller::ClaudeCode => config.with_instructions(INSTRUCTIONS),
            Caller::Gemini => config,
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let ours =
            self.caller.tools().iter().map(|t| listed(t.name, t.title, t.description, &t.input_schema()));
        Ok(ListToolsResult::with_all_items(ours.chain(self.caller.tool()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (host, caller) = (self.host.clone(), self.caller);
        let name = request.name.into_owned();
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let answer = tokio::task::spawn_blocking(move || answer(&host, caller, &name, arguments)).await;
        match answer {
            Ok(answer) => answer.map(CallToolResponse::from),
            // The handler panicked: the host continues as if there were no hook.
            Err(_) => Ok(CallToolResult::error(vec![ContentBlock::text(FAULT)]).into()),
        }
    }
}

const FAULT: &str = "tersed failed on this; the next call works";

fn answer(host: &Host, caller: Caller, name: &str, arguments: Value) -> Result<CallToolResult, ErrorData> {
    match (name, caller) {
        (gemini::RESULT, Caller::Gemini) => return Ok(echo_arguments(&arguments)),
        (HOOK, Caller::ClaudeCode) => return Ok(CallToolResult::success(vec![ContentBlock::text("{}")])),
        _ => {}
    }
    let Some(tool) = caller.tools().iter().find(|tool| tool.name == name) else {
        let hook = (caller == Caller::Gemini).then_some(gemini::RESULT);
        let names: Vec<&str> = caller.tools().iter().map(|tool| tool.name).chain(hook).collect();
        let message = format!("no tool `{name}`, there are {}", names.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    };
    let blocks = |texts: Vec<String>| texts.into_iter().map(ContentBlock::text).collect();
    Ok(match tool.call(host, arguments) {
        Ok(texts) => CallToolResult::success(blocks(texts)),
        Err(message) => CallToolResult::error(blocks(vec![message])),
    })
}

/// Returns the text, or the texts and images, in the arguments.
fn echo_arguments(arguments: &Value) -> CallToolResult {
    let block = |part: &Value| match part {
        Value::String(text) => Some(ContentBlock::text(text)),
        part => Some(ContentBlock::image(part.get("data")?.as_str()?, part.get("mimeType")?.as_str()?)),
    };
    let blocks: Option<Vec<ContentBlock>> = match arguments.get("content") {
        Some(text @ Value::String(_)) => block(text).map(|block| vec![block]),
        Some(Value::Array(parts)) => parts.iter().map(block).collect(),
        _ => None,
    };
    match blocks {
        Some(blocks) => CallToolResult::success(blocks),
        None => {
            let allowed = "content: must be a string or a list of strings and images";
            CallToolResult::error(vec![ContentBlock::text(allowed)])
        }
    }
}

fn listed(name: &'static str, title: &str, description: &'static str, schema: &Value) -> rmcp::model::Tool {
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    rmcp::model::Tool::new(Cow::Borrowed(name), Cow::Borrowed(description), Arc::new(schema))
        .with_title(title)
        .with_annotations(ToolAnnotations::new().read_only(true))
}
