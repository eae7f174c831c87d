//! The output of a program that ran tools itself, as Codex's models write them: texts below a head that reports how
//! the program ended. Some texts are the JSON text of the result of a tool. These are unwrapped, so that they are
//! compressed as the result of that tool; the head, and everything else in the JSON, stays unchanged.
//!
//! Only forms that leave no text unread are unwrapped: every other member must be a number, a truth value or a short
//! id. Anything else is treated as one text, so that all of it is redacted.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::value::RawValue;

use super::find::{Answer, Text};
use crate::protocol::skim::Json;

/// Longest head, in bytes.
const MAX_HEAD_BYTES: usize = 160;
/// Most bytes of a text that is parsed; a longer one is not unwrapped.
const MAX_INSIDE_BYTES: usize = 32 << 20;
/// Most results in one list.
const MAX_RESULTS: usize = 256;
/// Most members of one result.
const MAX_MEMBERS: usize = 16;
/// Longest id, in bytes.
const MAX_ID_BYTES: usize = 64;

/// Removes the head of an answer, if it has one, and unwraps the texts below it.
pub(super) fn unwrap(answer: &mut Answer<'_>) {
    let Some(has_failed) = answer.texts.first().and_then(|head| ended(&head.text)) else { return };
    let head = answer.texts.remove(0);
    let mut codes = Vec::new();
    let mut texts = Vec::with_capacity(answer.texts.len());
    for text in std::mem::take(&mut answer.texts) {
        match results(&text, &mut codes) {
            Some(inner) => texts.extend(inner),
            None => texts.push(text),
        }
    }
    if texts.is_empty() {
        // Nothing was printed: the head is the result.
        texts.push(head);
    }
    answer.texts = texts;
    codes.dedup();
    match (has_failed, &codes[..]) {
        // The program failed, whatever its commands did.
        (true, _) => answer.is_error = Some(true),
        (false, [code]) => answer.exit_code = answer.exit_code.or(Some(*code)),
        _ => {}
    }
}

/// If a text is the head of a program's output: whether the program failed.
fn ended(text: &str) -> Option<bool> {
    if text.len() > MAX_HEAD_BYTES {
        return None;
    }
    let (status, rest) = text.strip_prefix("Script ")?.split_once("\nWall time ")?;
    let seconds =
        rest.strip_suffix(" seconds\nOutput:\n").or_else(|| rest.strip_suffix(" seconds\nOutput:"))?;
    if seconds.is_empty() || !seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    match status {
        "completed" | "terminated" => Some(false),
        "failed" => Some(true),
        _ => status.strip_prefix("running with cell ID ").filter(|id| is_id(id)).map(|_| false),
    }
}

fn is_id(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !text.is_empty() && text.len() <= MAX_ID_BYTES && text.bytes().all(is_plain)
}

/// The texts inside a text that is the JSON text of a tool's result, or of a list of results; `None` for any other
/// text.
fn results<'a>(text: &Text<'a>, codes: &mut Vec<i64>) -> Option<Vec<Text<'a>>> {
    if !text.text.starts_with(['{', '[']) || text.text.len() > MAX_INSIDE_BYTES || text.inside.is_some() {
        return None;
    }
    let raw = serde_json::from_str::<&RawValue>(&text.text).ok()?;
    let json = Json::of(raw);
    let mut found = Found::default();
    match json.is_array() {
        true if json.items().count() <= MAX_RESULTS => {
            json.items().try_for_each(|one| result(one, &mut found))?;
        }
        true => return None,
        false => result(json, &mut found)?,
    }
    let whole: Rc<str> = raw.get().into();
    let mut texts = Vec::with_capacity(found.texts.len());
    for inner in found.texts {
        let inside = Some((Rc::clone(&whole), inner.range()));
        let inner = inner.string()?.into_owned();
        texts.push(Text { range: text.range.clone(), text: Cow::Owned(inner), inside, frame: None });
    }
    codes.extend(found.codes);
    (!texts.is_empty()).then_some(texts)
}

#[derive(Default)]
struct Found<'j> {
    texts: Vec<Json<'j>>,
    codes: Vec<i64>,
}

/// The result of one tool: a command's output beside numbers, or blocks of text. `None` if there is more.
fn result<'j>(object: Json<'j>, found: &mut Found<'j>) -> Option<()> {
    let mut names: Vec<Cow<'j, str>> = Vec::new();
    let before = found.texts.len();
    for member in object.members() {
        // If a member occurs twice, it is unknown which one applies.
        if names.len() == MAX_MEMBERS || names.contains(&member.name) {
            return None;
        }
        let value = member.value;
        match &*member.name {
            "output" if value.is_string() => found.texts.push(value),
            "content" if value.is_array() => value.items().try_for_each(|block| blocks(block, found))?,
            "exit_code" => found.codes.extend(value.integer()),
            "chunk_id" | "session_id" if value.string().is_some_and(|id| is_id(&id)) => {}
            _ if is_bare(value) => {}
            _ => return None,
        }
        names.push(member.name);
    }
    (found.texts.len() > before).then_some(())
}

fn blocks<'j>(block: Json<'j>, found: &mut Found<'j>) -> Option<()> {
    let mut members = block.members();
    let (one, other) = (members.next()?, members.next()?);
    let (kind, text) = if one.name == "type" { (one, other) } else { (other, one) };
    let is_text = kind.name == "type" && kind.value.string().as_deref() == Some("text");
    if !is_text || text.name != "text" || !text.value.is_string() || members.next().is_some() {
        return None;
    }
    found.texts.push(text.value);
    Some(())
}

/// Whether a value is a number, a truth value or nothing.
fn is_bare(value: Json<'_>) -> bool {
    matches!(value.first(), b'0'..=b'9' | b'-' | b't' | b'f' | b'n')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Script completed\nWall time 0.1 seconds\nOutput:\n";

    fn unwrapped(texts: &[&str]) -> (Vec<String>, Option<i64>, Option<bool>) {
        let text = |text: &&str| Text {
            range: 0..1,
            text: Cow::Owned((*text).to_owned()),
            inside: None,
            frame: None,
        };
        let mut answer = Answer { texts: texts.iter().map(text).collect(), ..Answer::default() };
        unwrap(&mut answer);
        let texts = answer.texts.into_iter().map(|text| text.text.into_owned()).collect();
        (texts, answer.exit_code, answer.is_error)
    }

    #[test]
    fn results_below_a_head_are_unwrapped() {
        let one = r#"{"chunk_id":"b3","wall_time_seconds":0.1,"exit_code":3,"original_token_count":1,"output":"a\nb"}"#;
        assert_eq!(unwrapped(&[HEAD, one]), (vec!["a\nb".into()], Some(3), None));
        let two = format!("[{one},{}]", one.replace("a\\nb", "c"));
        assert_eq!(unwrapped(&[HEAD, "plain", &two]).0, ["plain", "a\nb", "c"]);
        let other = format!("[{one},{}]", one.replace(":3", ":0"));
        assert_eq!(unwrapped(&[HEAD, &other]).1, None, "two statuses are none");
        let blocks = r#"{"content":[{"type":"text","text":"x"},{"text":"y","type":"text"}],"isError":false}"#;
        assert_eq!(unwrapped(&[HEAD, blocks]).0, ["x", "y"]);
        assert_eq!(unwrapped(&[HEAD]).0, [HEAD]);
        for status in ["terminated", "running with cell ID 7-a"] {
            assert_eq!(unwrapped(&[&HEAD.replace("completed", status), "x"]).0, ["x"]);
        }
    }

    #[test]
    fn a_program_that_failed_failed_whatever_its_commands_did() {
        let head = HEAD.replace("completed", "failed");
        let one = r#"{"exit_code":0,"output":"a"}"#;
        assert_eq!(unwrapped(&[&head, one, "Script error:\nx"]).1, None);
        assert_eq!(unwrapped(&[&head, one]).2, Some(true));
    }

    #[test]
    fn what_holds_more_than_is_read_stays_whole() {
        for text in [
            r#"{"output":"a","note":"b"}"#,
            r#"{"output":"a","output":"b"}"#,
            r#"{"output":"a","chunk_id":"two words"}"#,
            r#"{"output":"a","metadata":{"x":1}}"#,
            r#"{"content":[{"type":"text","text":"x","_meta":{}}]}"#,
            r#"{"content":[{"type":"image","data":"x"}]}"#,
            r#"{"exit_code":1}"#,
            r#"["a"]"#,
            r#"{"output":"a"} and more"#,
            "[]",
        ] {
            assert_eq!(unwrapped(&[HEAD, text]).0, [text]);
        }
        // No head, or one with more in it.
        let one = r#"{"exit_code":0,"output":"a"}"#;
        for head in ["Script completed", "x", "Script completed\nWall time 1 seconds\nOutput:\npassword: x"] {
            assert_eq!(unwrapped(&[head, one]).0, [head, one]);
        }
        assert_eq!(unwrapped(&[one]).0, [one]);
    }
}
