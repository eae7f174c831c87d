//! Answers to the hooks of Claude Code.
//!
//! A replacement must keep the shape of the tool's own result, or the host drops it. `view` does that for views of files. A
//! failed command causes another event, which ignores replacements.
//!
//! The shapes come from events recorded from Claude Code 2.1.197, the same in 2.1.332, in `editors/claude-code/recorded`.

pub mod view;

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Host;
use super::event::Event;
use super::home;
use super::reach::{CLAUDE_CODE, Place, ResultHandling, Text, UnchangedReason};
use super::replace::{
    asks_for_exact_output, beside, compress, forget, made_safe, note_call, redacted, undelivered, unseen,
};
use super::run::Shown;
use super::tools::Tool;
use super::wrap::{self, Wrap};
use crate::encode::dictionary;
use crate::files::{LARGEST_SETTINGS, Links, Refused, Writers, read_regular, text_of_host};
use crate::text::marker::{self, Marker};

/// Token budget for an output of which the host would show only the first 2 KB.
const PERSISTED_BUDGET: usize = 2000;
/// Largest output, in bytes, that is read from the file where the host saved it.
const MAX_PERSISTED_BYTES: u64 = 32 << 20;

/// Events after which nothing is certainly visible. A conversation that begins may have been cleared, forked or resumed from
/// an earlier point; one that ends may be resumed.
const FORGETS: &[&str] = &["PreCompact", "PostCompact", "SessionStart", "SessionEnd", "SubagentStart"];

/// Default number of characters of a command's output that the host shows, and the most that it allows.
const HOST_LIMIT: usize = 30_000;
const MAX_HOST_LIMIT: usize = 150_000;
/// Number of characters that the host shows of a failed command's output; it cannot be changed.
const HOST_LIMIT_FAILED: usize = 10_000;
/// The host's environment variable that changes the default.
const LIMIT_VARIABLE: &str = "BASH_MAX_OUTPUT_LENGTH";

/// The host's default time limit for a command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(120);
/// Time left for the host after a command's output is passed on unchanged.
const TIME_MARGIN: Duration = Duration::from_secs(10);

/// What the hook prints; `None` if the host should continue as if there were no hook.
pub fn reply(host: &Host, event: &Event) -> Option<Value> {
    if FORGETS.contains(&event.hook_event_name.as_str()) {
        forget(host, event);
        return None;
    }
    if Tool::is_ours(&event.tool_name) {
        return None;
    }
    let is_known = !event.session_id.is_empty() && !event.tool_use_id.is_empty();
    if event.hook_event_name == "PreToolUse" {
        if !is_known {
            return None;
        }
        let answer = wrapped(event);
        // No other hook sees the result of a command that fails, or of one that asks for its exact output.
        if answer.is_none() || asks_for_exact_output(event) {
            // A command that succeeds is counted when its result arrives.
            unseen(host, event, false);
        }
        return answer;
    }
    let mut context = None;
    let treatment = CLAUDE_CODE.treatment(&event.tool_name, false);
    // The result of any other tool may be JSON text itself.
    let event = match treatment {
        ResultHandling::Replaced(Text::Streams | Text::At(_)) | ResultHandling::Seen => event.opened(),
        _ => Cow::Borrowed(event),
    };
    let event = event.as_ref();
    let output = match (treatment, &event.tool_response) {
        // Without its session, a result is only made safe.
        (ResultHandling::Noted, _) if !is_known => None,
        (_, response) if !is_known => made_safe(host, response),
        // The session records the text that the model wrote into such a call, which is not secret from the model when
        // it reads the file.
        (ResultHandling::Noted, _) => {
            note_call(host, event);
            None
        }
        (ResultHandling::Replaced(Text::Streams), Value::Object(response)) => {
            let new = bash(host, event, response, &mut context);
            let before = &event.tool_response;
            beside(host, before, new.unwrap_or_else(|| before.clone()), &streams)
        }
        (ResultHandling::Seen, Value::Object(response)) => {
            let before = &event.tool_response;
            match view::reply(host, event, response) {
                // No known version sends such a shape.
                None => made_safe(host, before),
                Some(None) => beside(host, before, before.clone(), &view::texts),
                Some(Some(view)) => {
                    context = view.context;
                    beside(host, before, view.output, &view::texts)
                }
            }
        }
        (ResultHandling::Replaced(Text::At(places)), response) => at(host, event, response, places),
        // The result of an unknown tool also keeps its shape.
        (ResultHandling::Unchanged(UnchangedReason::Data | UnchangedReason::Tool), response) => {
            made_safe(host, response)
        }
        (ResultHandling::Replaced(Text::Whole), response @ (Value::String(_) | Value::Array(_))) => {
            compress(host, event, response, None, None)
        }
        // An object from an MCP server, or a shape that no version is known to send.
        (ResultHandling::Replaced(_) | ResultHandling::Seen, response) => made_safe(host, response),
        _ => None,
    };
    if output.is_none() && context.is_none() {
        return None;
    }
    let mut specific = json!({ "hookEventName": "PostToolUse" });
    if let Some(output) = output {
        specific["updatedToolOutput"] = output;
    }
    if let Some(context) = context {
        specific["additionalContext"] = json!(context);
    }
    Some(json!({ "hookSpecificOutput": specific }))
}

/// The command inside `tersed run`, if the user asked for that: a failed result cannot be replaced afterwards.
///
/// The answer contains no permission decision. A decision to allow would grant what the user did not grant. Without one the
/// host applies its own rules, but to the new command line, which rules for the old one do not match. That is why the user
/// must ask for it.
fn wrapped(event: &Event) -> Option<Value> {
    if CLAUDE_CODE.treatment(&event.tool_name, true) != ResultHandling::WrappedIfAsked || !wrap::is_wanted() {
        return None;
    }
    let is_in_background =
        event.tool_input.get("run_in_background").and_then(Value::as_bool).unwrap_or(false);
    if is_in_background || has_rules(event) {
        return None;
    }
    let limit = event
        .tool_input
        .get("timeout")
        .and_then(Value::as_u64)
        .map_or(COMMAND_TIMEOUT, Duration::from_millis);
    let session = event.context();
    let wrap = Wrap {
        session: &session,
        call: &event.tool_use_id,
        // If the host kills the command, output that is still held would be lost. So it is held for less than the
        // host's limit.
        patience: Some(limit.saturating_sub(TIME_MARGIN).max(limit / 2)),
        shown: Some(shown(HOST_LIMIT)),
        ..Wrap::default()
    };
    let command = event.tool_input.get("command")?.as_str()?;
    let mut input = event.tool_input.clone();
    input["command"] = json!(wrap.around(command)?);
    Some(json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "updatedInput": input } }))
}

/// Whether rules of this user would keep every command from being wrapped, wherever it runs.
pub fn user_has_rules() -> bool {
    has_rules(&Event::default())
}

/// The bytes that the host shows, from its limit in characters for a successful command. A text never has fewer bytes than
/// characters.
fn shown(whole: usize) -> Shown {
    Shown { whole, failed: whole.min(HOST_LIMIT_FAILED) }
}

/// The limits of `shown`, read from the environment of a command; `None` under another host.
pub fn shown_by_environment() -> Option<Shown> {
    std::env::var_os("CLAUDECODE")?;
    let given = std::env::var(LIMIT_VARIABLE).ok().and_then(|text| text.trim().parse().ok());
    let given = given.filter(|limit: &usize| *limit > 0);
    Some(shown(given.map_or(HOST_LIMIT, |limit| limit.min(MAX_HOST_LIMIT))))
}

/// Whether readable settings forbid a command or require the user's approval: such a rule would not recognise the wrapped
/// command. Settings on the host's command line cannot be read here.
fn has_rules(event: &Event) -> bool {
    let home = home().map(|home| home.join(".claude"));
    let own = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).or(home);
    let of_project = Path::new(&event.cwd).ancestors().map(|folder| folder.join(".claude"));
    let folders = own.into_iter().chain(of_project.filter(|_| !event.cwd.is_empty()));
    let managed = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"].map(PathBuf::from);
    let files = folders.flat_map(|folder| [folder.join("settings.json"), folder.join("settings.local.json")]);
    files.chain(managed.map(|folder| folder.join("managed-settings.json"))).any(|file| {
        let text = match text_of_host(&file, LARGEST_SETTINGS) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return false;
            }
            text => text.unwrap_or_default(),
        };
        // Settings that cannot be read may hold any rule.
        let Ok(settings) = serde_json::from_str::<Value>(&text) else { return true };
        let rules = ["deny", "ask"].into_iter().filter_map(|kind| settings["permissions"][kind].as_array());
        let mut rules = rules.flatten().filter_map(Value::as_str);
        rules.any(|rule| rule.starts_with("Bash") || rule.starts_with('*'))
    })
}

/// `{stdout, stderr, interrupted, isImage, persistedOutputPath?, …}`
fn bash(
    host: &Host,
    event: &Event,
    response: &Map<String, Value>,
    context_of_host: &mut Option<String>,
) -> Option<Value> {
    let is = |name: &str| response.get(name).and_then(Value::as_bool).unwrap_or(false);
    if is("isImage") {
        return redact_beside_image(host, response);
    }
    if TEXTS.iter().any(|name| response.get(*name).is_some_and(|text| !text.is_string() && !text.is_null())) {
        // No known version sends such a shape.
        return made_safe(host, &event.tool_response);
    }
    // The event is sent for exit code 0, and for codes that the host explains, such as "No matches found".
    let exit_code = (!response.contains_key("returnCodeInterpretation")).then_some(0);
    let text = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default();
    let command = event.tool_input.get("command").and_then(Value::as_str).unwrap_or_default();
    let persisted = response.get("persistedOutputPath").and_then(Value::as_str);
    let context = event.context();
    // `tersed run` already told the session about this text, except for lines around it.
    if persisted.is_none()
        && wrap::is_of_call(command, &context, &event.tool_use_id)
        && host.engine().knows_call(&context, &event.tool_use_id)
    {
        return redact_wrapped_output(host, event, response);
    }
    if is("interrupted") || response.contains_key("backgroundTaskId") {
        // The host already cut this text, and the missing part is unknown.
        return kept(host, event, response);
    }
    if let Some(path) = persisted {
        let (output, context) = saved(host, event, response, exit_code, path);
        *context_of_host = context;
        return output;
    }
    let mut updated = response.clone();
    let (stdout, stderr) = (text("stdout"), text("stderr"));
    // The host removed the final line end, without which our seal does not match.
    let whole = format!("{stdout}\n");
    let is_ours = wrap::is_wrapped(command) && marker::is_sealed(&whole, &host.engine().seal_key());
    let stdout = if is_ours { &whole } else { stdout };
    match (stdout.is_empty(), stderr.is_empty()) {
        (true, true) => return None,
        (false, true) => {
            let output = compress(host, event, &json!(stdout), exit_code, None)?;
            updated.insert("stdout".to_owned(), output);
        }
        _ => {
            let parts = json!([{ "type": "text", "text": stdout }, { "type": "text", "text": stderr }]);
            let output = compress(host, event, &parts, exit_code, None)?;
            for (name, part) in TEXTS.into_iter().zip(output.as_array()?) {
                if let Some(text) = updated.get_mut(name).filter(|text| text.is_string()) {
                    *text = part.get("text")?.clone();
                }
            }
        }
    }
    Some(Value::Object(updated))
}

/// A response whose texts stay, with secrets removed and forged markers escaped; `None` if it has none.
fn kept(host: &Host, event: &Event, response: &Map<String, Value>) -> Option<Value> {
    let new = changed(host, event, response, texts_of(response).map(str::to_owned));
    made_safe(host, new.as_ref().unwrap_or(&event.tool_response)).or(new)
}

/// A response of which the model would see only a preview: the host saved the whole text in a file. If that cannot be used,
/// the preview stays, with secrets removed, and the additional context says why.
fn saved(
    host: &Host,
    event: &Event,
    response: &Map<String, Value>,
    exit_code: Option<i64>,
    path: &str,
) -> (Option<Value>, Option<String>) {
    let compressed = |whole| compress(host, event, &Value::String(whole), exit_code, Some(PERSISTED_BUDGET));
    let why = match read(path).map(compressed) {
        Ok(Some(output)) => {
            let mut updated = response.clone();
            updated.insert("stdout".to_owned(), output);
            updated.retain(|name, _| !name.starts_with("persisted"));
            return (Some(Value::Object(updated)), None);
        }
        Ok(None) => {
            // The model sees only the preview.
            undelivered(host, event);
            "it did not become smaller".to_owned()
        }
        Err(refused) => refused.why.to_string(),
    };
    let context = format!(
        "tersed shows the preview of this output, not all of it: the saved file was not used ({why})"
    );
    (kept(host, event, response), Some(context))
}

/// A response whose standard output is an image, which stays as it is.
fn redact_beside_image(host: &Host, response: &Map<String, Value>) -> Option<Value> {
    let is_image =
        |text: &Value| text.as_str().is_some_and(|text| text.trim_start().starts_with("data:image/"));
    let mut rest = response.clone();
    let image = rest.get_mut("stdout").filter(|text| is_image(text)).map(Value::take);
    let mut new = made_safe(host, &Value::Object(rest))?;
    if let Some(image) = image {
        new["stdout"] = image;
    }
    Some(new)
}

/// The output of `tersed run`, for a command line that the hook wrapped: it is not compressed again. Text before the sealed
/// output comes from setup commands or was passed on early. It can come from anyone, so it may hold no markers, and all of
/// it is redacted.
fn redact_wrapped_output(host: &Host, event: &Event, response: &Map<String, Value>) -> Option<Value> {
    let (engine, context) = (host.engine(), event.context());
    let key = engine.seal_key();
    let was_given = |text: &str| engine.gave_reference(&context, text);
    let texts = texts_of(response).map(|text| {
        let (before, ours) = text.split_at(marker::sealed_from(text, &key).unwrap_or(text.len()));
        // A pointer to an original has no seal unless other text is before it.
        let pointer = match Marker::parse(before) {
            Some((Marker::Externalized { .. }, length))
                if engine.gave_pointer(&context, &before[..length]) =>
            {
                length
            }
            _ => 0,
        };
        match marker::escape(&before[pointer..], was_given, dictionary::is_own) {
            Some((escaped, _)) => [&before[..pointer], &escaped, ours].concat(),
            None => text.to_owned(),
        }
    });
    changed(host, event, response, texts)
}

/// Members of a response that hold text.
const TEXTS: [&str; 2] = ["stdout", "stderr"];

/// The texts of a response to a command.
fn streams(response: &mut Value) -> Vec<&mut Value> {
    let members = response.as_object_mut().into_iter().flatten();
    let is_text = |value: &Value| value.is_string() || value.is_null();
    let texts = members.filter(|(name, value)| TEXTS.contains(&name.as_str()) && is_text(value));
    texts.map(|(_, value)| value).collect()
}

fn texts_of(response: &Map<String, Value>) -> [&str; 2] {
    TEXTS.map(|name| response.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// A response with these texts, redacted; `None` if nothing changed.
fn changed(host: &Host, event: &Event, response: &Map<String, Value>, texts: [String; 2]) -> Option<Value> {
    let parts = json!(texts.each_ref().map(|text| json!({ "type": "text", "text": text })));
    let parts = redacted(host, event, &parts).unwrap_or(parts);
    let mut updated = response.clone();
    for (name, part) in TEXTS.into_iter().zip(parts.as_array()?) {
        if let Some(text) = updated.get_mut(name).filter(|text| text.is_string()) {
            *text = part.get("text")?.clone();
        }
    }
    (updated != *response).then_some(Value::Object(updated))
}

/// A result in which the text in the first of these places that has one is compressed, and all other members, such
/// as names of files, are redacted; `None` if nothing changed.
fn at(host: &Host, event: &Event, response: &Value, places: &[Place]) -> Option<Value> {
    let mut updated = response.clone();
    let holds = |response: &mut Value, place| slots(response, place).iter().any(|text| !text.is_null());
    let Some(place) = places.iter().copied().find(|place| holds(&mut updated, *place)) else {
        return made_safe(host, response);
    };
    let _ = replace_at(host, event, response, &mut updated, place);
    beside(host, response, updated, &|response| slots(response, place))
}

/// Replaces the text in a place by the smaller one; `None` if it stays unchanged.
fn replace_at(host: &Host, event: &Event, response: &Value, updated: &mut Value, place: Place) -> Option<()> {
    // A task that ended has an exit code.
    let exit_code = response.pointer("/task/exitCode").and_then(Value::as_i64);
    let mut slots = slots(updated, place);
    match place {
        Place::Member(_) => {
            let [text] = &mut slots[..] else { return None };
            **text = compress(host, event, text, exit_code, None)?;
        }
        Place::Lines(_) => {
            let [list] = &mut slots[..] else { return None };
            let lines: Option<Vec<&str>> = list.as_array()?.iter().map(Value::as_str).collect();
            let output = compress(host, event, &json!(lines?.join("\n")), None, None)?;
            **list = output.as_str()?.split('\n').collect();
        }
        Place::Items(..) => {
            let parts: Vec<Value> =
                slots.iter().map(|text| json!({ "type": "text", "text": text })).collect();
            let output = compress(host, event, &json!(parts), None, None)?;
            let output = output.as_array().filter(|output| output.len() == slots.len())?;
            for (slot, part) in slots.into_iter().zip(output) {
                *slot = part.get("text")?.clone();
            }
        }
    }
    Some(())
}

/// The values that hold the text of a place: the member, the list of lines, or the texts of a list.
fn slots(response: &mut Value, place: Place) -> Vec<&mut Value> {
    let is_text = |value: &Value| value.is_string() || value.is_null();
    match place {
        Place::Member(names) => {
            let member = names.iter().try_fold(response, |at, name| at.get_mut(name));
            member.filter(|member| is_text(member) || member.is_array()).into_iter().collect()
        }
        Place::Lines(name) => {
            let list = response.get_mut(name);
            let is_list =
                |list: &Value| list.is_null() || list.as_array().is_some_and(|list| !list.is_empty());
            list.filter(|list| is_list(list)).into_iter().collect()
        }
        Place::Items(list, name) => {
            let items = response.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            let text = items.filter_map(|item| match item {
                Value::Object(members) => members.get_mut(name),
                item => Some(item),
            });
            text.filter(|text| is_text(text)).collect()
        }
    }
}

/// The text of a file where the host saved an output.
fn read(path: &str) -> Result<String, Refused> {
    let bytes = read_regular(Path::new(path), MAX_PERSISTED_BYTES, Links::Follow, Writers::Any)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}
