//! The same method table without a child process: a `jsonrpc-core` handler for Rust hosts and tests. It has no
//! lifecycle and no framing, and does not order calls; they run on the caller's thread.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use jsonrpc_core::{Error, ErrorCode, MetaIoHandler, Params};
use serde_json::{Map, Value};

use crate::engine::{Cancel, Engine, METHODS, Method, guarded};
use crate::formats::json::without_lone_surrogates;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::{Kind, RpcError};

/// Mounts [`METHODS`] over `engine`.
pub fn io_handler(engine: Arc<Engine>) -> MetaIoHandler<()> {
    io_handler_methods(engine, METHODS)
}

/// [`io_handler`] with another method table.
pub fn io_handler_methods(engine: Arc<Engine>, methods: &'static [Method]) -> MetaIoHandler<()> {
    let mut handler = MetaIoHandler::default();
    for method in methods {
        let engine = engine.clone();
        match method.kind {
            Kind::Request => handler.add_sync_method(method.name, move |params: Params| {
                call(&engine, method, params).map_err(to_core)
            }),
            Kind::Notification => handler.add_notification(method.name, move |params: Params| {
                // A notification has no answer.
                let _ = call(&engine, method, params);
            }),
        }
    }
    handler
}

/// Answers one message on the caller's thread, without an executor; `None` for a notification. For handlers of
/// [`io_handler`], whose methods never wait.
pub fn answer(handler: &MetaIoHandler<()>, message: &str) -> Option<String> {
    let message = without_lone_surrogates(message.as_bytes());
    let future = pin!(handler.handle_request(&message, ()));
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => None,
    }
}

fn call(engine: &Engine, method: &Method, params: Params) -> Result<Value, RpcError> {
    let params = match params {
        Params::None => Value::Object(Map::new()),
        Params::Array(items) => Value::Array(items),
        Params::Map(members) => Value::Object(members),
    };
    let answer = guarded(method.name, || (method.handle)(engine, &params.to_string(), &Cancel::default()))?;
    serde_json::from_str(&answer)
        .map_err(|e| RpcError::new(INTERNAL_ERROR, "internal", format!("the answer is no JSON: {e}")))
}

fn to_core(error: RpcError) -> Error {
    let data = error.data.and_then(|data| serde_json::to_value(data).ok());
    Error { code: ErrorCode::from(error.code), message: error.message, data }
}
