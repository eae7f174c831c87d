//! Finds tool results in a body that no reader accepts, for example because a member is repeated. Every occurrence is
//! used, since nobody knows which one the model will see. Results are recognized by their names in all formats.
//! Nothing is compressed.

use crate::protocol::redact::Region;
use crate::protocol::skim::Json;

/// Deeper values are not read: no result of any API is that deep.
const MAX_DEPTH: usize = 16;
/// Members of a result that describe it.
const OF_RESULT: &[&str] = &[
    "type",
    "id",
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "name",
    "role",
    "status",
    "is_error",
    "cache_control",
];
/// Members that are a result in themselves.
const RESULTS: &[&str] = &[
    "functionResponse",
    "function_response",
    "toolResponse",
    "tool_response",
    "codeExecutionResult",
    "code_execution_result",
];

/// The values that came from tools, in order, without overlap.
pub fn every_given(body: Json<'_>) -> Vec<Region> {
    let mut regions = Vec::new();
    let mut left = vec![(body, 0)];
    while let Some((json, depth)) = left.pop() {
        crate::stop::check_sometimes();
        if is_result(json) {
            let given = json.members().filter(|member| !OF_RESULT.contains(&&*member.name));
            regions.extend(given.map(|member| {
                let is_free = !matches!(&*member.name, "content" | "source");
                Region { range: member.value.range(), is_free }
            }));
            continue;
        }
        if depth == MAX_DEPTH {
            continue;
        }
        for member in json.members() {
            match RESULTS.contains(&&*member.name) {
                true => regions.push(Region { range: member.value.range(), is_free: true }),
                false => left.push((member.value, depth + 1)),
            }
        }
        left.extend(json.items().map(|item| (item, depth + 1)));
    }
    regions.sort_by_key(|region| region.range.start);
    regions
}

/// Whether any occurrence of a member marks an object as the result of a tool.
fn is_result(json: Json<'_>) -> bool {
    json.members().any(|member| {
        let Some(text) = member.value.string() else { return false };
        match &*member.name {
            "type" => {
                text.ends_with("tool_result")
                    || text.ends_with("_output")
                    || matches!(&*text, "document" | "search_result")
            }
            "role" => matches!(&*text, "tool" | "function"),
            _ => false,
        }
    })
}
