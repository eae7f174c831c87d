//! `tersed mcp`: an MCP server that offers the tools of [`super::tools`] to the model.
//!
//! Hooks that run a command ask the resident process, so this server lists no tool for hooks. The one exception is Gemini
//! CLI, which can replace a result only through a tool.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use serde_json::{Value, json};

use super::tools::{TOOLS, Tool};
use super::{Host, gemini, served};

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
            let content = json!({ "anyOf": [text, { "type": "array", "items": text }] });
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
        let running = service.serve(rmcp::transport::stdio()).await;
        let ended = match running {
            Ok(running) => running.waiting().await.map(drop).map_err(|e| e.to_string()),
            // It is no error if the host closes the connection before its first message.
            Err(e) => match e {
                rmcp::service::ServerInitializeError::ConnectionClosed(_) => Ok(()),
                e => Err(e.to_string()),
            },
        };
        host.engine().close();
        ended
    })
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

/// Returns the text or texts in the arguments.
fn echo_arguments(arguments: &Value) -> CallToolResult {
    let texts: Option<Vec<&str>> = match arguments.get("content") {
        Some(Value::String(text)) => Some(vec![text]),
        Some(Value::Array(texts)) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    };
    match texts {
        Some(texts) => CallToolResult::success(texts.into_iter().map(ContentBlock::text).collect()),
        None => {
            CallToolResult::error(vec![ContentBlock::text("content: must be a string or a list of strings")])
        }
    }
}

fn listed(name: &'static str, title: &str, description: &'static str, schema: &Value) -> rmcp::model::Tool {
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    rmcp::model::Tool::new(Cow::Borrowed(name), Cow::Borrowed(description), Arc::new(schema))
        .with_title(title)
        .with_annotations(ToolAnnotations::new().read_only(true))
}
