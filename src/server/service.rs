//! Connects the router with the engine: the LSP lifecycle and the method table.
//!
//! The router (`tower-lsp`) gets tickets instead of parameters and results. It decides whether a call is allowed now. The
//! payload goes directly from the message to the handler and to stdout.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result as LspResult};
use tower_lsp::ls_types::{
    DidChangeConfigurationParams, InitializeParams, InitializeResult, ServerCapabilities, ServerInfo,
};
use tower_lsp::{LanguageServer, LspService};

use super::budget::Budget;
use super::jobs::{Job, Jobs};
use super::log::log;
use super::turns::Turns;
use super::{Ending, envelope, watch};
use crate::engine::{Engine, METHODS, Method, guarded};
use crate::protocol::config::DidChangeParams;
use crate::protocol::error::{ErrorData, INTERNAL_ERROR, METHOD_NOT_FOUND};
use crate::protocol::{Kind, RpcError};
use crate::text::nearest::nearest;

/// Name inside the router for every unknown method; a client that sends it gets no effect.
pub(super) const UNSUPPORTED: &str = "\0unsupported";

/// The notification that changes settings.
pub(super) const CONFIGURE: &str = "workspace/didChangeConfiguration";

/// State that all calls share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) jobs: Arc<Jobs>,
    pub(super) budget: Arc<Budget>,
    pub(super) turns: Arc<Turns>,
    pub(super) end: Sender<Ending>,
}

/// The server behind the router.
pub(super) struct Backend(Arc<Shared>);

/// Builds the router for `methods`.
pub(super) fn router(shared: Arc<Shared>, methods: &'static [Method]) -> LspService<Backend> {
    let mut builder = LspService::build(|_| Backend(shared)).custom_method(UNSUPPORTED, unsupported);
    // The router implements this one itself.
    for method in methods.iter().filter(|method| method.name != CONFIGURE) {
        builder = match method.kind {
            Kind::Request => builder.custom_method(method.name, move |backend: &Backend, ticket: i64| {
                backend.request(method, ticket)
            }),
            Kind::Notification => builder
                .custom_method(method.name, move |backend: &Backend, ticket: i64| {
                    backend.notification(method, ticket)
                }),
        };
    }
    builder.finish().0
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> LspResult<InitializeResult> {
        let options = params.initialization_options;
        let options = options.as_ref().and_then(|options| options.get("tersed"));
        let announced =
            guarded("initialize", || self.0.engine.initialize(options)).map_err(|error| to_lsp(&error))?;
        if let Some(pid) = params.process_id {
            watch::watch(pid, self.0.end.clone());
        }
        let capabilities =
            ServerCapabilities { experimental: Some(json!({ "tersed": announced })), ..Default::default() };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let server_info = Some(ServerInfo { name: env!("CARGO_PKG_NAME").to_owned(), version });
        Ok(InitializeResult { capabilities, server_info, ..Default::default() })
    }

    // Handled at once and without a queue, so that it applies to every later message.
    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let raw = serde_json::value::to_raw_value(&params.settings);
        let changed = guarded(CONFIGURE, || {
            let settings = raw.as_deref().ok();
            self.0.engine.did_change_configuration(&DidChangeParams { settings })
        });
        if let Err(error) = changed {
            log(format_args!("{CONFIGURE}: {}; the settings stay as they were", error.message));
        }
    }

    async fn shutdown(&self) -> LspResult<()> {
        guarded("shutdown", || {
            self.0.engine.shutdown();
            Ok(())
        })
        .map_err(|error| to_lsp(&error))
    }
}

impl Backend {
    fn request(&self, method: &'static Method, ticket: i64) -> BoxFuture<'static, LspResult<Value>> {
        let jobs = self.0.jobs.clone();
        // When this resolves, the job has been answered; otherwise there is a bug.
        let answer = move |()| match jobs.get(ticket) {
            None => Ok(Value::Null),
            Some(_) => {
                let fault = RpcError::new(INTERNAL_ERROR, "internal", "the request was not carried out");
                Err(to_lsp(&fault))
            }
        };
        self.call(method, ticket).map(answer).boxed()
    }

    fn notification(&self, method: &'static Method, ticket: i64) -> BoxFuture<'static, ()> {
        self.call(method, ticket)
    }

    /// Waits only for the handler: it is polled on the thread of its turn.
    fn call(&self, method: &'static Method, ticket: i64) -> BoxFuture<'static, ()> {
        let shared = self.0.clone();
        async move {
            let Some(job) = shared.jobs.get(ticket) else { return };
            shared.budget.wait_until_replies_fit();
            if shared.jobs.is_open(&job) {
                shared.work(method, &job);
            }
        }
        .boxed()
    }
}

impl Shared {
    /// Runs one handler, from the message to the queued reply.
    fn work(&self, method: &Method, job: &Job) {
        let Some(text) = job.take_text() else { return };
        let outcome = guarded(method.name, move || {
            job.cancel.over(|| {
                let params = envelope::params(&text);
                // Parsing a large message can take as long as processing a small one.
                job.cancel.check()?;
                (method.handle)(&self.engine, params, &job.cancel)
            })
        });
        if let (None, Err(error)) = (&job.id, &outcome) {
            let kind = error.data.as_ref().map_or("", |data| &data.kind);
            log(format_args!("{} failed: {kind} ({})", method.name, error.code));
        }
        self.jobs.close(job, &outcome);
    }
}

/// Answers unknown methods. They go through the router, so that lifecycle errors come first.
fn unsupported(backend: &Backend, ticket: i64) -> impl Future<Output = LspResult<Value>> + Send + use<> {
    let job = backend.0.jobs.get(ticket);
    let name: String = job.iter().flat_map(|job| job.method.chars()).take(100).collect();
    let known = METHODS.iter().map(|method| method.name).chain(["initialize", "shutdown"]);
    let near = nearest(&name, known);
    let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    let what = format!("there is no method {name:?}{near}");
    let error = RpcError::new(METHOD_NOT_FOUND, "method_not_found", what);
    ready(Err(to_lsp(&error)))
}

fn to_lsp(error: &RpcError) -> Error {
    let data = error.data.as_ref().and_then(|data| serde_json::to_value(data).ok());
    Error { code: ErrorCode::from(error.code), message: Cow::Owned(error.message.clone()), data }
}

/// Converts an error of the router. Its own refusals carry no data; the lifecycle is their only cause.
pub(super) fn from_lsp(error: Error) -> RpcError {
    let code = error.code.code();
    let data = error.data.and_then(|data| serde_json::from_value::<ErrorData>(data).ok());
    match (data, error.code) {
        (Some(data), _) => RpcError { code, message: error.message.into_owned(), data: Some(data) },
        (None, ErrorCode::ServerError(_)) => {
            RpcError::new(code, "not_initialized", "the server is not initialized; send initialize first")
                .retryable()
        }
        (None, ErrorCode::InvalidRequest) => {
            let what = "initialize is accepted once, and after shutdown nothing but exit";
            RpcError::new(code, "wrong_lifecycle_state", what)
        }
        (None, ErrorCode::InvalidParams) => RpcError::invalid_params(error.message.into_owned()),
        (None, _) => RpcError::new(INTERNAL_ERROR, "internal", "the request could not be carried out"),
    }
}
