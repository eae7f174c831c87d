//! `tersed protocol`: prints the protocol, generated from the table that serves it.

use std::io::Write;

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
pub fn run(args: &Args) -> Result<(), String> {
    let text = match args.what.as_str() {
        "schema" => protocol_schema::schema_json(),
        "meta" => protocol_schema::meta_json(),
        _ => protocol_schema::methods_table(),
    };
    std::io::stdout().lock().write_all(text.as_bytes()).map_err(|e| format!("standard output: {e}"))
}
