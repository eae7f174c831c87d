//! `tersed protocol`: prints the protocol, generated from the table that serves it.

use super::Failure;
use super::out::print;
use crate::engine::protocol_schema;

/// Arguments of `protocol`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tersed protocol methods\n  tersed protocol schema > schema.json")]
pub struct Args {
    /// What to print: `schema` (JSON Schema of all types), `meta` (methods, errors, reason codes,
    /// reducers as JSON), `methods` (a table for people).
    #[arg(value_parser = ["schema", "meta", "methods"])]
    what: String,
}

/// Prints it.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let text = match args.what.as_str() {
        "schema" => protocol_schema::schema_json(),
        "meta" => protocol_schema::meta_json(),
        _ => protocol_schema::methods_table(),
    };
    print(text)
}
