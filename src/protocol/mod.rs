//! The wire: one file per noun, and the one table of methods that the server, the in-process door,
//! the schema and the documentation are made from.

pub mod artifact;
pub mod config;
pub mod content;
pub mod error;
pub mod initialize;
pub mod messages;
mod methods;
pub mod notification;
pub mod params;
pub mod redact;
pub mod rules;
pub mod schema;
pub mod session;
pub mod skim;
pub mod stream;
pub mod tool_result;
pub mod tool_schema;

use schemars::{Schema, SchemaGenerator};

use crate::engine::{Cancel, Engine};
pub use error::RpcError;
pub use methods::METHODS;

/// Major version of the protocol.
pub const VERSION: u32 = 1;

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
    /// Schema of the parameters.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// Schema of the result.
    pub result: fn(&mut SchemaGenerator) -> Schema,
    /// Does the work: takes the JSON text of the parameters, gives the JSON text of the result.
    /// Synchronous, may use a whole core, panics only by mistake.
    pub handle: fn(&Engine, &str, &Cancel) -> Result<String, RpcError>,
}
