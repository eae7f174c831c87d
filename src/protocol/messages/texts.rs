//! Where the texts of a result's content are: a string, blocks with text, members of an object.

use super::find::{Answer, Text};
use crate::protocol::content::TEXT_TYPES;
use crate::protocol::error::RpcError;
use crate::protocol::params::invalid;
use crate::protocol::skim::Json;

/// Members of an object that hold what a tool wrote.
const TEXT_MEMBERS: &[&str] = &["output", "result", "content", "text", "stdout", "stderr", "error"];
/// Members that hold the exit code.
const EXIT_MEMBERS: &[&str] = &["exit_code", "exitCode", "returncode", "returnCode", "return_code"];
/// How deep in an object texts are looked for.
const DEPTH: usize = 3;

/// The one member of that name. Of a member that stands twice nobody knows which one the model will see, so
/// that neither could be passed on with its secrets removed.
pub(super) fn once<'a>(object: Json<'a>, name: &str, place: &str) -> Result<Option<Json<'a>>, RpcError> {
    let mut all = object.members().filter(|m| m.name == name);
    let first = all.next().map(|m| m.value);
    match all.next() {
        Some(_) => Err(invalid(&format!("body.{place}.{name}"), "stands there twice")),
        None => Ok(first.filter(|value| value.raw() != "null")),
    }
}

/// The texts of a string or of an array of blocks. What is neither has none.
pub(super) fn content<'a>(json: Json<'a>, place: &str, out: &mut Answer<'a>) -> Result<(), RpcError> {
    if let Some(text) = json.string() {
        out.texts.push(Text { range: json.range(), text });
    }
    for (i, block) in json.items().enumerate() {
        let place = || format!("{place}[{i}]");
        let kind = once(block, "type", &place())?.and_then(Json::string);
        if !kind.is_some_and(|kind| TEXT_TYPES.contains(&&*kind)) {
            continue;
        }
        if let Some(json) = once(block, "text", &place())?
            && let Some(text) = json.string()
        {
            out.texts.push(Text { range: json.range(), text });
        }
    }
    Ok(())
}

/// The texts of the members of an object that hold what a tool wrote, the blocks among them, and the exit
/// code. Every other member stays.
pub(super) fn members<'a>(
    object: Json<'a>,
    place: &str,
    depth: usize,
    out: &mut Answer<'a>,
) -> Result<(), RpcError> {
    for member in object.members() {
        let name = &*member.name;
        if EXIT_MEMBERS.contains(&name) {
            out.exit_code = member.value.integer().or(out.exit_code);
        }
        if !TEXT_MEMBERS.contains(&name) {
            continue;
        }
        once(object, name, place)?;
        let place = format!("{place}.{name}");
        match member.value.first() {
            b'{' if depth < DEPTH => members(member.value, &place, depth + 1, out)?,
            _ => content(member.value, &place, out)?,
        }
    }
    Ok(())
}
