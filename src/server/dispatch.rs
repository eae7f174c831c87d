//! Decides in order of arrival what happens to each message. Runs on the reader's thread and never waits, except for
//! `initialize`, changes of settings, and a brief call if no further message has arrived. So cancels and `exit` take
//! effect however busy the handlers are.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tower::Service;
use tower_lsp::jsonrpc::{Request, Response};
use tower_lsp::{ExitedError, LspService};

use super::envelope::{self, Call, Message};
use super::jobs::{Entry, Job, Jobs};
use super::outbox::Outbox;
use super::phase::Phase;
use super::service::{Backend, CONFIGURE, Shared, UNSUPPORTED, from_lsp, router};
use super::turns::{self, Size};
use crate::engine::Method;
use crate::protocol::error::{INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR};
use crate::protocol::params::invalid;
use crate::protocol::{Kind, RpcError};

type Answer = BoxFuture<'static, Result<Option<Response>, ExitedError>>;

/// Whether to continue reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Read the next message.
    Continue,
    /// The client sent `exit`.
    Exit,
}

/// State that depends on the order of messages.
pub(super) struct Dispatcher {
    service: LspService<Backend>,
    methods: HashMap<&'static str, &'static Method>,
    shared: Arc<Shared>,
    jobs: Arc<Jobs>,
    outbox: Arc<Outbox>,
    phase: Arc<Phase>,
    runtime: Handle,
    /// Whether no further message has arrived.
    is_last: bool,
}

impl Dispatcher {
    /// A dispatcher over `methods` whose handlers run on `runtime`.
    pub(super) fn new(
        shared: Arc<Shared>,
        methods: &'static [Method],
        outbox: Arc<Outbox>,
        phase: Arc<Phase>,
        runtime: Handle,
    ) -> Self {
        let jobs = shared.jobs.clone();
        let service = router(shared.clone(), methods);
        let methods = methods.iter().map(|method| (method.name, method)).collect();
        Self { service, methods, shared, jobs, outbox, phase, runtime, is_last: false }
    }

    /// Handles one message. `is_last` says that no further message has arrived.
    pub(super) fn accept(&mut self, body: Vec<u8>, is_last: bool) -> Step {
        self.is_last = is_last;
        let Ok(text) = String::from_utf8(body) else {
            self.outbox.refuse(None, RpcError::new(PARSE_ERROR, "parse_error", "the message is not UTF-8"));
            return Step::Continue;
        };
        match envelope::read(&text) {
            Message::Notification(call) => {
                let text = envelope::with_whole_characters(&call.method, text);
                return self.notification(call, text);
            }
            Message::Request { id, call } => {
                let text = envelope::with_whole_characters(&call.method, text);
                self.request(id, call, text);
            }
            Message::Response => {}
            Message::Invalid { id, error } => self.outbox.refuse(id.as_deref(), error),
        }
        Step::Continue
    }

    fn notification(&mut self, call: Call, text: String) -> Step {
        match call.method.as_str() {
            "exit" => return Step::Exit,
            "$/cancelRequest" => {
                if let Some(raw) = envelope::cancel_target(&text) {
                    self.jobs.cancel(&raw);
                }
            }
            CONFIGURE if self.methods.contains_key(CONFIGURE) => self.configure(&text),
            name => {
                let Some(method) = self.methods.get(name).filter(|row| row.kind == Kind::Notification) else {
                    return Step::Continue;
                };
                let name = method.name;
                if let Ok(job) = self.jobs.register(None, call.method, text, Entry::Always) {
                    let answer = self.route(Request::build(name).params(job.ticket).finish());
                    let lane = self.ordering_key(call.session, call.stream);
                    self.run(name, lane, job, answer);
                }
            }
        }
        Step::Continue
    }

    /// Handled at once, because later messages use the new settings. Waits for no handler.
    fn configure(&mut self, text: &str) {
        let params = value(envelope::params(text)).unwrap_or_default();
        let params = json!({ "settings": params.get("settings") });
        let answer = self.route(Request::build(CONFIGURE).params(params).finish());
        let _ = self.runtime.block_on(answer);
    }

    fn request(&mut self, id: String, call: Call, text: String) {
        let Call { method, session, stream } = call;
        let lifecycle = matches!(method.as_str(), "initialize" | "shutdown");
        let entry = if lifecycle { Entry::Always } else { Entry::Refusable };
        let job = match self.jobs.register(Some(id.clone()), method, text, entry) {
            Ok(job) => job,
            Err(error) => return self.outbox.refuse(Some(&id), error),
        };
        match job.method.as_str() {
            "initialize" => self.initialize(&job),
            "shutdown" => self.shutdown(job),
            "exit" | "$/cancelRequest" => self.not_a_request(&job),
            name => match self.methods.get(name) {
                Some(row) if row.kind == Kind::Notification => self.not_a_request(&job),
                row => {
                    // An unknown method uses no session, so it need not wait for one.
                    let lane = row.and_then(|_| self.ordering_key(session, stream));
                    let name = row.map_or(UNSUPPORTED, |row| row.name);
                    let answer = self.route(Request::build(name).params(job.ticket).id(job.ticket).finish());
                    self.run(name, lane, job, answer);
                }
            },
        }
    }

    /// Runs a call when it is its turn.
    fn run(&self, method: &str, session: Option<String>, job: Arc<Job>, answer: Answer) {
        let (jobs, runtime) = (self.jobs.clone(), self.runtime.clone());
        let size = Size::of(method, job.cost());
        let cost = job.cost();
        let work = Box::new(move || runtime.block_on(finish(jobs, job, answer)));
        match self.is_last && turns::is_brief(method, cost) && self.shared.budget.do_replies_fit() {
            true => self.shared.turns.run_or_push(session, work),
            false => self.shared.turns.push(session, size, work),
        }
    }

    /// The queue of a call. Requests about a stream keep the order of its session.
    fn ordering_key(&self, session: Option<String>, stream: Option<String>) -> Option<String> {
        stream.and_then(|id| self.shared.engine.ordering_key_of_stream(&id)).or(session)
    }

    fn not_a_request(&self, job: &Job) {
        let what = format!("{} is a notification; send it without an id", job.method);
        self.jobs.close_and_flush(job, &Err(RpcError::new(INVALID_REQUEST, "not_a_request", what)));
    }

    /// Handled at once: later messages depend on it, and LSP forbids the client to send anything before its answer.
    fn initialize(&mut self, job: &Arc<Job>) {
        let params = job.take_text().map_or(Ok(Value::Null), |text| value(envelope::params(&text)));
        let request = match params.and_then(initialize_params) {
            Ok(params) => Request::build("initialize").params(params).id(job.ticket).finish(),
            Err(error) => return self.jobs.close_and_flush(job, &Err(error)),
        };
        let answer = self.route(request);
        let answer = self.runtime.block_on(answer);
        if matches!(&answer, Ok(Some(response)) if response.is_ok()) {
            self.phase.set_running();
        }
        self.runtime.block_on(finish(self.jobs.clone(), job.clone(), async { answer }.boxed()));
        self.outbox.flush();
    }

    /// Refuses later requests, and answers when all earlier ones are answered.
    fn shutdown(&mut self, job: Arc<Job>) {
        let answer = self.route(Request::build("shutdown").id(job.ticket).finish());
        let (jobs, outbox) = (self.jobs.clone(), self.outbox.clone());
        let wait = self.phase.begin_shutdown();
        let work = async move {
            if wait {
                jobs.earlier_settled(job.ticket).await;
            }
            finish(jobs, job, answer).await;
            outbox.flush();
        };
        self.runtime.spawn(work);
    }

    /// Passes a call to the router, which checks the lifecycle now and runs the handler when polled.
    fn route(&mut self, request: Request) -> Answer {
        match self.service.poll_ready(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(())) => self.service.call(request),
            _ => async { Ok(None) }.boxed(),
        }
    }
}

/// Waits for the router, and queues its answer unless the handler has already answered. Whoever calls it flushes the outbox.
fn finish(jobs: Arc<Jobs>, job: Arc<Job>, answer: Answer) -> BoxFuture<'static, ()> {
    async move {
        let answer = answer.await;
        if !jobs.is_open(&job) {
            return;
        }
        let outcome = match answer {
            Ok(Some(response)) => response.into_parts().1.map(|result| result.to_string()).map_err(from_lsp),
            _ => Err(RpcError::new(INTERNAL_ERROR, "internal", "the request was not carried out")),
        };
        jobs.close(&job, &outcome);
    }
    .boxed()
}

fn value(params: &str) -> Result<Value, RpcError> {
    serde_json::from_str(params).map_err(|e| RpcError::invalid_params(format!("params of initialize: {e}")))
}

/// The members of `initialize` that are used here. Other capabilities are not parsed, so no editor extension can prevent the
/// start.
fn initialize_params(params: Value) -> Result<Value, RpcError> {
    let Value::Object(mut params) = params else {
        return Err(RpcError::invalid_params("params of initialize must be an object"));
    };
    let pid = params.remove("processId").unwrap_or(Value::Null);
    let known = pid.is_null() || pid.as_i64().is_some_and(|pid| (1..=i64::from(i32::MAX)).contains(&pid));
    if !known {
        return Err(invalid(
            "processId",
            &format!("{pid} is not allowed, expected a positive integer or null"),
        ));
    }
    let options = params.remove("initializationOptions").unwrap_or(Value::Null);
    Ok(json!({ "processId": pid, "initializationOptions": options, "capabilities": {} }))
}
