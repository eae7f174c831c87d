//! `toolSchema/minify`: finds the descriptions of tools in the formats of all hosts, and minifies them. Names, types,
//! enumerations and every other byte stay.

mod description;

use super::{Engine, resolve};
#[cfg(feature = "hosts")]
use crate::config::ToolSchemas;
use crate::pipeline::evidence::BeforeAfter;
use crate::protocol::RpcError;
use crate::protocol::params::invalid;
use crate::protocol::skim::{Edits, Json};
use crate::protocol::tool_schema::{Minified, Params};
use crate::tokens;

/// How deep in a schema descriptions are searched: the schema itself is depth 0.
const MAX_DEPTH: usize = 32;
/// Members of a tool that hold the tool itself or a list of tools.
const TOOLS: &[&str] = &["function", "custom", "functionDeclarations", "function_declarations"];
/// Members of a tool that are schemas.
const SCHEMAS: &[&str] = &[
    "parameters",
    "input_schema",
    "inputSchema",
    "output_schema",
    "outputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "response",
    "responseJsonSchema",
    "response_json_schema",
];
/// Members of a schema whose keys are chosen by the author of the tool, such as property names.
const NAMED: &[&str] =
    &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/// Members of a schema that hold values, not schemas.
const DATA: &[&str] = &["enum", "const", "default", "example", "examples", "required", "dependentRequired"];

impl Engine {
    /// Answers `toolSchema/minify`.
    pub fn minify_tools(&self, params: &Params<'_>) -> Result<Minified, RpcError> {
        let policy = resolve(&self.policy(), params.policy.as_ref())?;
        let tools = Json::of(params.tools);
        if !tools.is_array() {
            return Err(invalid("tools", "expected an array"));
        }
        let mut edits = Edits::default();
        minify(tools, &mut edits);
        let counter = tokens::counter(policy.tokenizer);
        let before = counter.count(tools.raw());
        let tools = edits.written(params.tools)?;
        Ok(Minified { tokens: BeforeAfter { before, after: counter.count(tools.get()) }, tools })
    }
}

impl Engine {
    /// Collects the edits for the tools that a server lists, where the settings ask for that.
    #[cfg(feature = "hosts")]
    pub(crate) fn minify_listed(&self, tools: Json<'_>, edits: &mut Edits) {
        if self.policy().tool_schemas == ToolSchemas::Minify {
            minify(tools, edits);
        }
    }
}

/// Collects the edits for one tool or an array of tools.
pub(super) fn minify(tools: Json<'_>, edits: &mut Edits) {
    tools.items().for_each(|tool| minify(tool, edits));
    if !tools.is_object() {
        return;
    }
    describe(tools, edits);
    for member in tools.members() {
        match &*member.name {
            name if TOOLS.contains(&name) => minify(member.value, edits),
            name if SCHEMAS.contains(&name) => schema(member.value, 0, edits),
            _ => {}
        }
    }
}

/// A schema, or an array of schemas.
fn schema(json: Json<'_>, depth: usize, edits: &mut Edits) {
    if depth > MAX_DEPTH {
        return;
    }
    json.items().for_each(|item| schema(item, depth + 1, edits));
    if !json.is_object() {
        return;
    }
    describe(json, edits);
    for member in json.members() {
        match &*member.name {
            name if DATA.contains(&name) => {}
            // All members of this object are schemas; their names are chosen by the author of the tool.
            name if NAMED.contains(&name) && member.value.is_object() => {
                member.value.members().for_each(|m| schema(m.value, depth + 2, edits));
            }
            _ => schema(member.value, depth + 1, edits),
        }
    }
}

/// The description of a tool or schema.
fn describe(object: Json<'_>, edits: &mut Edits) {
    edits.remove_members(object, |member| {
        member.name == "description"
            && member.value.exact_string().is_some_and(|text| description::minify(&text).is_empty())
    });
    for member in object.members().filter(|m| m.name == "description") {
        let Some(old) = member.value.exact_string() else { continue };
        let new = description::minify(&old);
        if new != old && !new.is_empty() {
            edits.replace_string(member.value.range(), &new);
        }
    }
}

#[cfg(test)]
mod tests;
