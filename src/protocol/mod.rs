//! The wire: one file per noun, and the one table of methods that the server, the in-process door,
//! the schema and the documentation are made from.

pub mod error;

use serde_json::Value;

use crate::engine::{Cancel, Engine};
pub use error::RpcError;

/// Whether a method is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Answered with a result or an error.
    Request,
    /// Never answered.
    Notification,
}

/// One row of the method table.
#[derive(Debug)]
pub struct Method {
    /// Name on the wire, `noun/verb`.
    pub name: &'static str,
    /// Request or notification.
    pub kind: Kind,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// Does the work: synchronous, may use a whole core, may panic only by mistake.
    pub handle: fn(&Engine, Value, &Cancel) -> Result<Value, RpcError>,
}

/// All methods, in the order of the documentation.
pub static METHODS: &[Method] = &[];
