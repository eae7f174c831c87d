//! The tools with which a model reads what was left out, and their answers as MCP content. All interfaces use this
//! list.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Host;
use super::resident::elsewhere::{self, Reach};
use crate::artifact::handle::{self, Name};
use crate::artifact::vault::Copy;
use crate::engine::Cancel;
use crate::protocol::RpcError;
use crate::protocol::artifact::{Found, List, ListParams, Numbering, Read, ReadParams, SearchParams};

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name, unlikely to be used by another server.
    pub name: &'static str,
    /// The name that people see.
    pub title: &'static str,
    /// The description that the model gets.
    pub description: &'static str,
    schema: fn() -> Value,
    run: fn(&Host, Value) -> Result<Vec<String>, String>,
}

/// The tool that lists all originals.
const LIST: &str = "`tersed_list`";

/// The tools, in their listed order.
pub static TOOLS: &[Tool] = &[
    Tool {
        name: "tersed_expand",
        title: "Read omitted output",
        description: "Reads back what was left out of an earlier tool result. Where a result shows a line such as \
            `[tersed#493027516823: omitted 120 lines 5-124, ..., id 3fa9c1d2]`, give that `id`, or the whole line. A line without one has \
            that of the line above it, or of a line of the same result such as `[tersed: all 404 lines: tersed artifacts show \
            3fa9c1d2]`; the 12 digits behind `tersed#` are no id. To get less than the whole original, give the `first` and `last` \
            line. Long answers come in pages.",
        schema: schema::<Expand>,
        run: |host, arguments| expand(host, arguments),
    },
    Tool {
        name: "tersed_search",
        title: "Search omitted output",
        description: "Finds lines in the original of an earlier tool result, by the `id` that its omissions show, \
            with a regular expression. Matching lines come as `number:text`, lines of context as `number-text`.",
        schema: schema::<Search>,
        run: |host, arguments| search(host, arguments),
    },
    Tool {
        name: "tersed_list",
        title: "List originals",
        description: "Lists the originals of earlier tool results that can be read back, newest first.",
        schema: schema::<ListAll>,
        run: |host, arguments| list(host, arguments),
    },
];

impl Tool {
    /// The tool with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Whether a host's tool name is one of ours, with any prefix of the host.
    pub fn is_ours(name: &str) -> bool {
        name.split("__").last().is_some_and(|last| Self::named(last).is_some())
    }

    /// JSON Schema of its arguments.
    pub fn input_schema(&self) -> Value {
        (self.schema)()
    }

    /// The tool as `tools/list` shows it.
    pub fn listed(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema(),
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    }

    /// The texts of its answer, or the error for the model.
    ///
    /// # Errors
    ///
    /// One sentence that names the argument, its value and what is allowed.
    pub fn call(&self, host: &Host, arguments: Value) -> Result<Vec<String>, String> {
        (self.run)(host, arguments)
    }
}

/// Arguments for reading a part of an original.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Expand {
    /// The id that the omission shows, or its whole line, or one of `tersed_list`.
    id: String,
    /// First line, as the omission names it, from 1. Absent for the start.
    #[serde(default)]
    first: Option<usize>,
    /// Last line. Absent for the end.
    #[serde(default)]
    last: Option<usize>,
    /// Where the page before ended.
    #[serde(default)]
    cursor: Option<String>,
}

/// Arguments for the search in an original.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Search {
    /// The id that the omission shows, or its whole line, or one of `tersed_list`.
    id: String,
    /// Regular expression.
    pattern: String,
    /// Ignores letter case.
    #[serde(default)]
    ignore_case: bool,
    /// Lines before and after each match, 0 to 20.
    #[serde(default)]
    context: usize,
    /// Where the page before ended.
    #[serde(default)]
    cursor: Option<String>,
}

/// Nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListAll {}

fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("$schema");
        members.shift_remove("title");
        members.shift_remove("description");
        // A tool without arguments is still called with an object.
        members.entry("properties").or_insert_with(|| json!({}));
    }
    schema
}

fn arguments<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    let arguments = if arguments.is_null() { json!({}) } else { arguments };
    serde_path_to_error::deserialize(arguments).map_err(|e| {
        let why = e.inner().to_string().replace("expected usize", "expected a whole number from 0");
        match e.path().to_string() {
            path if path == "." => why,
            path => format!("{path}: {why}"),
        }
    })
}

/// Asks the sessions, latest first, until one has the original.
pub(super) fn find<T>(host: &Host, ask: impl Fn(Option<String>) -> Result<T, RpcError>) -> Result<T, String> {
    let mut refused = None;
    for session in host.sessions() {
        match ask(session) {
            Ok(found) => return Ok(found),
            Err(e) if e.data.as_ref().is_some_and(|data| data.kind == "artifact_not_found") => {
                refused = refused.or(Some(e));
            }
            Err(e) => return Err(e.message),
        }
    }
    Err(refused.map_or_else(|| "no original is kept".to_owned(), |e| e.message))
}

/// The originals that are listed for the model: those of this workspace, unless the user's settings allow more.
fn reach(host: &Host) -> Reach {
    if host.engine.lists_other_workspaces() { Reach::Everything } else { Reach::Workspace }
}

/// The handle in the argument of the model, or of the original whose text has the check in it.
fn named(given: &str) -> Result<String, String> {
    let name = handle::read(given, LIST).map_err(|why| format!("id: {why}"))?;
    let check = match &name {
        Name::Check(check) => check.as_str(),
        Name::Handle(handle) if handle::is_check(handle) => handle,
        Name::Handle(handle) => return Ok(handle.clone().into_owned()),
    };
    let all = elsewhere::shown_with(check);
    let mut ids: Vec<&str> = all.iter().map(Copy::id).collect();
    ids.sort_unstable();
    ids.dedup();
    match (handle::only(check, &ids, LIST), &name) {
        (Ok(id), _) => Ok(id.to_owned()),
        // Digits alone may be a handle after all.
        (Err(_), Name::Handle(handle)) => Ok(handle.clone().into_owned()),
        (Err(why), Name::Check(_)) => Err(format!("id: {why}")),
    }
}

/// Why an original was not found, with a hint at what a model may have mistaken for its handle.
fn explained(id: &str, why: String) -> String {
    match why.starts_with("no artifact") || why.starts_with("no original") {
        true => handle::explained(id, why).replace('\n', "; "),
        false => why,
    }
}

/// Fetches an original that another process has: a command in `tersed run` left it there.
fn adopt(host: &Host, id: &str) {
    let is_here = host.sessions().into_iter().any(|session| host.engine.has_artifact(session.as_deref(), id));
    if !is_here && let Some((_, artifact)) = elsewhere::find(id) {
        host.engine.adopt_artifact(&artifact);
    }
}

fn expand(host: &Host, given: Value) -> Result<Vec<String>, String> {
    let Expand { id, first, last, cursor } = arguments(given)?;
    let id = named(&id)?;
    let lines = (first.or(last).is_some()).then(|| vec![[first.unwrap_or(1), last.unwrap_or(usize::MAX)]]);
    adopt(host, &id);
    let read: Read = find(host, |session_id| {
        host.engine.read_artifact(&ReadParams {
            session_id,
            id: id.clone(),
            lines: lines.clone(),
            numbering: Numbering::Shown,
            max_bytes: None,
            cursor: cursor.clone(),
        })
    })
    .map_err(|why| explained(&id, why))?;
    let mut note = match read.encoding.as_str() {
        "utf-8" => String::new(),
        encoding => format!("{} bytes of no text, as {encoding}. ", read.total_bytes),
    };
    if let Some(cursor) = &read.next_cursor {
        note += &format!("More follows: call again with cursor \"{cursor}\".");
    }
    let mut texts = vec![read.text];
    texts.extend(Some(note.trim_end().to_owned()).filter(|note| !note.is_empty()));
    Ok(texts)
}

fn search(host: &Host, given: Value) -> Result<Vec<String>, String> {
    let Search { id, pattern, ignore_case, context, cursor } = arguments(given)?;
    let id = named(&id)?;
    adopt(host, &id);
    let found: Found = find(host, |session_id| {
        let params = SearchParams {
            session_id,
            id: id.clone(),
            pattern: pattern.clone(),
            fixed: false,
            ignore_case,
            context,
            max_matches: None,
            cursor: cursor.clone(),
        };
        host.engine.search_artifact(&params, &Cancel::default())
    })
    .map_err(|why| explained(&id, why))?;
    // Context windows may overlap. A line that is a match stays marked as a match if another window shows it as
    // context.
    let mut lines: BTreeMap<usize, (char, &str)> = BTreeMap::new();
    for found in &found.matches {
        for context in found.before.iter().chain(&found.after) {
            lines.entry(context.line).or_insert(('-', &context.text));
        }
        lines.insert(found.line, (':', &found.text));
    }
    let mut text = String::new();
    let mut last = None;
    for (number, (mark, line)) in lines {
        if context > 0 && last.is_some_and(|last| number > last + 1) {
            text += "--\n";
        }
        text += &format!("{number}{mark}{line}\n");
        last = Some(number);
    }
    let mut note = format!("{} of {} matching lines.", found.matches.len(), found.total_matches);
    if let Some(cursor) = &found.next_cursor {
        note += &format!(" More follow: call again with cursor \"{cursor}\".");
    }
    Ok(if text.is_empty() { vec![note] } else { vec![text, note] })
}

/// Most originals in one answer.
const MAX_LISTED: usize = 200;

fn list(host: &Host, given: Value) -> Result<Vec<String>, String> {
    let ListAll {} = arguments(given)?;
    let mut all = own_originals(host);
    let has = |all: &[Value], id: &Value| all.iter().any(|known| known["id"] == *id);
    for other in elsewhere::list(reach(host)) {
        if all.len() <= MAX_LISTED && !has(&all, &other["id"]) {
            all.push(other);
        }
    }
    if all.is_empty() {
        return Ok(vec!["No original is kept: nothing was left out of any result so far.".to_owned()]);
    }
    let word = |one: &Value, name: &str| match &one[name] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = |one: &Value| {
        let call = one["toolCallId"].as_str().map(|id| format!(", call {id}")).unwrap_or_default();
        let [id, tool, lines, bytes] = ["id", "tool", "lines", "bytes"].map(|name| word(one, name));
        format!("{id}  {tool}, {lines} lines, {bytes} bytes{call}\n")
    };
    let mut texts = vec![all.iter().take(MAX_LISTED).map(line).collect::<String>()];
    if all.len() > MAX_LISTED {
        texts.push(format!("Only the newest {MAX_LISTED} are listed."));
    }
    Ok(texts)
}

/// The originals of this process, latest session first, up to one more than are listed.
fn own_originals(host: &Host) -> Vec<Value> {
    let mut all = Vec::new();
    for session_id in host.sessions() {
        let mut cursor = None;
        loop {
            let params = ListParams { session_id: session_id.clone(), cursor };
            // A closed session has no originals.
            let Ok(List { artifacts, next_cursor }) = host.engine.list_artifacts(&params) else { break };
            all.extend(artifacts.iter().filter_map(|one| serde_json::to_value(one).ok()));
            match next_cursor {
                Some(next) if all.len() <= MAX_LISTED => cursor = Some(next),
                _ => break,
            }
        }
    }
    all.truncate(MAX_LISTED + 1);
    all
}
