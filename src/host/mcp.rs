//! `tersed mcp`: an MCP server with the tools of [`super::tools`] for the model, and one for hooks that call a
//! tool of a connected server instead of starting a process.

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

use super::event::Event;
use super::tools::{TOOLS, Tool};
use super::{Host, claude_code};

/// The tool that a hook calls with its event.
pub const HOOK: &str = "tersed_hook";

const INSTRUCTIONS: &str = "Results of tools may show lines such as `[tersed#1a2b3c: omitted 120 lines 5-124, ..., id 3fa9c1d2]`. \
    What they stand for can be read with tersed_expand and searched with tersed_search.";
const HOOK_DESCRIPTION: &str = "Called by the host's hooks, not by the model: takes the event of a tool result and answers what the hook prints.";

/// Serves on standard input and output until the host closes them.
///
/// # Errors
/// What the transport says, in one line.
pub fn serve(host: Host) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("tersed")
        .build()
        .map_err(|e| format!("cannot start: {e}"))?;
    runtime.block_on(async {
        let service = Server { host: Arc::new(host) };
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
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tersed", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let hook = listed(HOOK, "Hook", HOOK_DESCRIPTION, &json!({ "type": "object", "properties": {} }));
        let ours = TOOLS.iter().map(|t| listed(t.name, t.title, t.description, &t.input_schema()));
        Ok(ListToolsResult::with_all_items(ours.chain([hook]).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let host = self.host.clone();
        let name = request.name.into_owned();
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let answer = tokio::task::spawn_blocking(move || answer(&host, &name, arguments)).await;
        match answer {
            Ok(answer) => answer.map(CallToolResponse::from),
            // A panic: the host goes on as without a hook.
            Err(_) => Ok(CallToolResult::error(vec![ContentBlock::text(FAULT)]).into()),
        }
    }
}

const FAULT: &str = "tersed failed on this; the next call works";

fn answer(host: &Host, name: &str, arguments: Value) -> Result<CallToolResult, ErrorData> {
    if name == HOOK {
        let reply = Event::read(arguments).and_then(|event| claude_code::reply(host, &event));
        let text = reply.map_or_else(|| "{}".to_owned(), |reply| reply.to_string());
        return Ok(CallToolResult::success(vec![ContentBlock::text(text)]));
    }
    let Some(tool) = Tool::named(name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).chain([HOOK]).collect();
        let message = format!("no tool `{name}`, there are {}", names.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    };
    let blocks = |texts: Vec<String>| texts.into_iter().map(ContentBlock::text).collect();
    Ok(match tool.call(host, arguments) {
        Ok(texts) => CallToolResult::success(blocks(texts)),
        Err(message) => CallToolResult::error(blocks(vec![message])),
    })
}

fn listed(name: &'static str, title: &str, description: &'static str, schema: &Value) -> rmcp::model::Tool {
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    rmcp::model::Tool::new(Cow::Borrowed(name), Cow::Borrowed(description), Arc::new(schema))
        .with_title(title)
        .with_annotations(ToolAnnotations::new().read_only(true))
}
