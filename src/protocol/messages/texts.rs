//! Where the texts of a result's content are: a string, blocks with text, members of an object.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::value::RawValue;

use super::find::{Answer, Text};
use crate::protocol::content::TEXT_TYPES;
use crate::protocol::error::RpcError;
use crate::protocol::params::invalid;
use crate::protocol::skim::Json;

/// Members of an object that hold the output of a tool.
const TEXT_MEMBERS: &[&str] = &["output", "result", "content", "text", "stdout", "stderr", "error"];
/// Members that hold the exit code.
const EXIT_MEMBERS: &[&str] = &["exit_code", "exitCode", "returncode", "returnCode", "return_code"];
/// How many levels of objects are searched for texts.
const MAX_DEPTH: usize = 3;
/// Most bytes of a string that is parsed as JSON.
const MAX_INSIDE_BYTES: usize = 32 << 20;

/// The one member of that name. If a member occurs twice, it is unknown which one the model will see, so neither could be
/// passed on with its secrets removed.
pub(super) fn once<'a>(object: Json<'a>, name: &str, place: &str) -> Result<Option<Json<'a>>, RpcError> {
    let mut all = object.members().filter(|m| m.name == name);
    let first = all.next().map(|m| m.value);
    match all.next() {
        Some(_) => Err(invalid(&format!("body.{place}.{name}"), "is given twice")),
        None => Ok(first.filter(|value| value.raw() != "null")),
    }
}

/// The members of these names, each at most once, in one pass.
pub(super) fn fields<'a, const N: usize>(
    object: Json<'a>,
    names: [&str; N],
    place: &dyn Fn() -> String,
) -> Result<[Option<Json<'a>>; N], RpcError> {
    let mut found = [None; N];
    for member in object.members() {
        let Some(i) = names.iter().position(|name| *name == member.name) else { continue };
        if found[i].replace(member.value).is_some() {
            return Err(invalid(&format!("body.{}.{}", place(), member.name), "is given twice"));
        }
    }
    Ok(found.map(|value| value.filter(|value| value.raw() != "null")))
}

/// A string that is not empty.
pub(super) fn name<'a>(json: Option<Json<'a>>) -> Option<Cow<'a, str>> {
    json?.string().filter(|text| !text.is_empty())
}

/// The texts of a string or of an array of blocks. Other values have none.
pub(super) fn content<'a>(json: Json<'a>, place: &str, out: &mut Answer<'a>) -> Result<(), RpcError> {
    if let Some(text) = json.string()
        && !inside(json, &text, out)
    {
        out.texts.push(Text { range: json.range(), text, inside: None, frame: None });
    }
    for (i, block) in json.items().enumerate() {
        let [kind, json] = fields(block, ["type", "text"], &|| format!("{place}[{i}]"))?;
        if name(kind).is_some_and(|kind| TEXT_TYPES.contains(&&*kind))
            && let Some(json) = json
            && let Some(text) = json.string()
        {
            out.texts.push(Text { range: json.range(), text, inside: None, frame: None });
        }
    }
    Ok(())
}

/// Adds the texts of a string that is the JSON text of an object with an exit code and a command's output, as shells
/// of some hosts return it. Returns whether the string is such an object.
fn inside(json: Json<'_>, text: &str, out: &mut Answer<'_>) -> bool {
    const WRITTEN: &[&str] = &["output", "stdout", "stderr"];
    if !text.starts_with('{') || text.len() > MAX_INSIDE_BYTES {
        return false;
    }
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else { return false };
    let object = Json::of(raw);
    let code = |object: Json<'_>| EXIT_MEMBERS.iter().find_map(|name| object.get(name)?.integer());
    let Some(code) = code(object).or_else(|| object.get("metadata").and_then(code)) else { return false };
    let members: Vec<_> = object.members().filter(|m| WRITTEN.contains(&&*m.name)).collect();
    let is_plain = members.iter().all(|m| m.value.is_string())
        && members.iter().enumerate().all(|(i, m)| members[..i].iter().all(|n| n.name != m.name));
    if members.is_empty() || !is_plain {
        return false;
    }
    let whole: Rc<str> = raw.get().into();
    for member in members {
        let Some(text) = member.value.string() else { continue };
        let inside = Some((Rc::clone(&whole), member.value.range()));
        out.texts.push(Text {
            range: json.range(),
            text: Cow::Owned(text.into_owned()),
            inside,
            frame: None,
        });
    }
    out.exit_code = out.exit_code.or(Some(code));
    true
}

/// Adds the texts of the members of an object that hold a tool's output, including blocks of text, and the exit code.
/// Every other member stays unchanged.
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
            b'{' if depth < MAX_DEPTH => members(member.value, &place, depth + 1, out)?,
            _ => content(member.value, &place, out)?,
        }
    }
    Ok(())
}
