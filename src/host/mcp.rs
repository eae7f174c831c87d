//! `tersed mcp`: an MCP server with the tools of [`super::tools`] for the model.
//!
//! Hooks that are commands ask the resident process, so that nothing here is meant for a hook and listed to the model all
//! the same. Gemini CLI alone has no other way to replace a result than a tool.

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

/// The tool that hooks of earlier versions call with their event. It is not listed, and says that the host is to go on as
/// without it: the memory of a conversation is in the resident process alone.
pub const HOOK: &str = "tersed_hook";

const INSTRUCTIONS: &str = "Results of tools may show lines such as `[tersed#493027516823: omitted 120 lines 5-124, ..., id 3fa9c1d2]`. \
    What they stand for can be read with tersed_expand and searched with tersed_search.";
const RESULT_DESCRIPTION: &str =
    "Called by the host's hooks, not by the model: gives back the text that it is given.";

/// For which host the server works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Caller {
    /// Claude Code, and every host whose model is to have the tools that read originals.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "other"))]
    ClaudeCode,
    /// Gemini CLI: its hooks give [`gemini::RESULT`] the text that the model is to get. The originals are in the process
    /// that the hooks share, so that there are no tools to read them here.
    Gemini,
}

impl Caller {
    /// The tool that its hooks call, as `tools/list` shows it.
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
/// What the transport says, in one line.
pub fn serve(host: Host, caller: Caller) -> Result<(), String> {
    // Hooks look whether somebody is there before they ask that a tool is called.
    let sign = (caller == Caller::Gemini)
        .then(|| served::serve(gemini::NAME, &std::env::current_dir().ok()?))
        .flatten();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("tersed")
        .build()
        .map_err(|e| format!("cannot start: {e}"))?;
    runtime.block_on(async {
        if let Some(sign) = sign {
            // In here, so that a server that answers nobody does not say that it works.
            tokio::spawn(async move {
                loop {
                    sign.beat();
                    tokio::time::sleep(served::BEAT).await;
                }
            });
        }
        let service = Server { host: Arc::new(host), caller };
        let host = service.host.clone();
        let running = service.serve(rmcp::transport::stdio()).await;
        let ended = match running {
            Ok(running) => running.waiting().await.map(drop).map_err(|e| e.to_string()),
            // A host that goes before it has said anything did nothing wrong.
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
            // A panic: the host goes on as without a hook.
            Err(_) => Ok(CallToolResult::error(vec![ContentBlock::text(FAULT)]).into()),
        }
    }
}

const FAULT: &str = "tersed failed on this; the next call works";

fn answer(host: &Host, caller: Caller, name: &str, arguments: Value) -> Result<CallToolResult, ErrorData> {
    match (name, caller) {
        (gemini::RESULT, Caller::Gemini) => return Ok(given_back(&arguments)),
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

/// The text or texts that the arguments hold.
fn given_back(arguments: &Value) -> CallToolResult {
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
