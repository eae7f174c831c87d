//! Compresses the tool results in the body of a request. All other bytes stay, and after any failure the whole body stays.

use std::ops::Range;

use serde_json::value::RawValue;

use super::conversation;
use crate::engine::{Cancel, Engine, guarded};
use crate::pipeline::evidence::BeforeAfter;
use crate::protocol::error::REQUEST_CANCELLED;
use crate::protocol::messages::{Format, Overrides, Params};
use crate::protocol::reclaim::{ReclaimMode, ReclaimTerms};
use crate::protocol::skim::Json;

/// A longer body is passed on unchanged, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 64 << 20;

/// The conversation in a body.
pub(super) struct Conversation<'a> {
    format: Format,
    raw: &'a RawValue,
    /// Its place in the body.
    range: Range<usize>,
    /// Whether the body has more than one, so that it is unknown which one applies.
    is_doubled: bool,
}

/// A body after compression.
pub(super) struct Compressed {
    /// The new one; `None` if nothing changed.
    pub(super) body: Option<Vec<u8>>,
    pub(super) tokens: BeforeAfter,
}

/// Why the results of a body were not compressed.
#[derive(Debug)]
pub(super) enum NotDone {
    /// The body's own settings for its compression are invalid, or its results could not be redacted. It is not sent, because
    /// nobody knows whether its secrets may leave the machine.
    Refused(String),
    /// The body is sent unchanged.
    Other,
}

impl<'a> Conversation<'a> {
    /// Finds the conversation. Some requests of Gemini hold it as a member; then the members around it stay.
    pub(super) fn of(format: Format, body: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        let start = text.len() - text.trim_start().len();
        let whole = Json::of(raw);
        if !whole.is_object() {
            return None;
        }
        let is_inner = |name: &str| matches!(name, "request" | "generateContentRequest");
        let members = whole.members().filter(|_| format == Format::Gemini);
        let mut inner = members.filter(|member| is_inner(&member.name) && member.value.is_object());
        let (first, is_doubled) = (inner.next(), inner.next().is_some());
        let range = first.filter(|_| !is_doubled).map_or(whole, |member| member.value).range();
        let range = start + range.start..start + range.end;
        let raw = serde_json::from_str(text.get(range.clone())?).ok()?;
        Some(Self { format, raw, range, is_doubled })
    }

    /// Its JSON.
    pub(super) fn json(&self) -> Json<'a> {
        Json::of(self.raw)
    }

    /// The body with its results compressed, as results of a session. With terms, results that are no longer needed
    /// are removed.
    ///
    /// # Errors
    ///
    /// Why the results were not compressed.
    pub(super) fn compressed(
        &self,
        engine: &Engine,
        session: String,
        reclaim_terms: Option<ReclaimTerms>,
        body: &[u8],
        cancel: &Cancel,
    ) -> Result<Compressed, NotDone> {
        Overrides::read(self.json()).map_err(|error| NotDone::Refused(error.message))?;
        let params = Params {
            // APIs reject unknown members.
            strip_overrides: true,
            session_id: Some(session),
            reclaim: if reclaim_terms.is_some() { ReclaimMode::Auto } else { ReclaimMode::Off },
            reclaim_terms,
            ..Params::of_body(self.raw, self.format)
        };
        if self.is_doubled {
            return self.redacted(engine, body);
        }
        let done = match guarded("gateway", || cancel.over(|| engine.compress_messages(&params, cancel))) {
            Ok(done) => done,
            Err(error) if error.code == REQUEST_CANCELLED => return Err(NotDone::Other),
            // For example, a member occurs twice.
            Err(_) => return self.redacted(engine, body),
        };
        let new = (done.body.get() != self.raw.get()).then(|| done.body.get());
        self.put(new, done.tokens, body)
    }

    /// The body with only the secrets of its results removed, in every occurrence.
    fn redacted(&self, engine: &Engine, body: &[u8]) -> Result<Compressed, NotDone> {
        let new = guarded("gateway", || engine.redact_messages(self.raw));
        let new = new.map_err(|error| NotDone::Refused(error.message))?;
        self.put(new.as_ref().map(|new| new.get()), BeforeAfter::default(), body)
    }

    /// The body with the conversation replaced.
    fn put(&self, new: Option<&str>, tokens: BeforeAfter, body: &[u8]) -> Result<Compressed, NotDone> {
        let (before, after) = (body.get(..self.range.start), body.get(self.range.end..));
        let (Some(before), Some(after)) = (before, after) else {
            return Err(NotDone::Other);
        };
        Ok(Compressed { body: new.map(|new| [before, new.as_bytes(), after].concat()), tokens })
    }
}

/// The name of the session that a conversation belongs to.
pub(super) fn session(found: &Conversation<'_>, headers: &hyper::HeaderMap) -> String {
    conversation::name(found.format, headers, found.json())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Settings;

    fn engine() -> Engine {
        Engine::new(Settings::default())
    }

    fn log(turn: usize) -> String {
        let lines: Vec<String> = (0..80).map(|n| format!("test part{turn}::case_{n} ... ok")).collect();
        format!(
            "running 80 tests\\n{}\\n\\ntest result: ok. 80 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n",
            lines.join("\\n")
        )
    }

    /// The messages of this many turns, without the closing brackets. Order, spaces and numbers are odd on purpose.
    fn history(turns: usize) -> String {
        let mut out =
            " {\"x\": 1.0e0,\"messages\" :[{\"role\":\"user\",\"content\":\"go \\u00e9\"}".to_owned();
        for n in 0..turns {
            out += &format!(
                ", {{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"Bash\",\"input\":{{\"command\":\"cargo test\"}}}}]}}\
                 ,{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"t{n}\",\"type\":\"tool_result\",\"content\":\"{}\"}}]}}",
                log(n)
            );
        }
        out
    }

    fn compressed(engine: &Engine, format: Format, body: &str) -> Option<String> {
        let found = Conversation::of(format, body.as_bytes())?;
        let done =
            found.compressed(engine, "s".to_owned(), None, body.as_bytes(), &Cancel::default()).ok()?;
        Some(String::from_utf8(done.body.unwrap_or_else(|| body.as_bytes().to_vec())).unwrap())
    }

    fn sent(engine: &Engine, turns: usize) -> String {
        compressed(engine, Format::Anthropic, &(history(turns) + "]}\n")).unwrap()
    }

    #[test]
    fn prefixes_stay_over_turns_and_from_an_empty_memory() {
        let first = engine();
        let mut before = String::new();
        for turns in 1..5 {
            let now = sent(&first, turns);
            assert!(now.len() < history(turns).len(), "nothing was compressed");
            assert!(now.starts_with(before.trim_end_matches("]}\n")));
            let mut other = Settings::default();
            other.policy.seal_key = first.seal_key();
            assert_eq!(sent(&Engine::new(other), turns), now);
            before = now;
        }
    }

    #[test]
    fn bytes_around_results_stay() {
        let (old, new) = (history(1) + "]}\n", sent(&engine(), 1));
        let head = old.find("running").unwrap();
        assert_eq!(new[..head], old[..head]);
        assert!(new.ends_with("\"}]}]}\n") && old.ends_with("\"}]}]}\n"));
        assert_eq!(sent(&engine(), 0), history(0) + "]}\n");
    }

    #[test]
    fn a_conversation_may_be_a_member() {
        let call =
            r#"{"role":"model","parts":[{"functionCall":{"name":"shell","args":{"command":"cargo test"}}}]}"#;
        let answer = format!(
            r#"{{"role":"user","parts":[{{"functionResponse":{{"name":"shell","response":{{"output":"{}"}}}}}}]}}"#,
            log(0)
        );
        let inner = format!(r#"{{"contents":[{call},{answer}]}}"#);
        let new = compressed(&engine(), Format::Gemini, &inner).unwrap();
        assert!(new.len() < inner.len());
        for name in ["request", "generateContentRequest"] {
            let around = |inner: &str| format!(" {{ \"model\":\"m\" , \"{name}\": {inner} , \"z\":1}}\n");
            assert_eq!(
                compressed(&engine(), Format::Gemini, &around(&inner)).unwrap().len(),
                around(&new).len()
            );
        }
    }

    #[test]
    fn what_a_body_says_about_itself_counts_and_stays_here() {
        let body = |forge: &str| history(1).replacen('{', &format!("{{\"_forge\": {forge}, "), 1) + "]}\n";
        let exact = compressed(
            &engine(),
            Format::Anthropic,
            &body(r#"{"tool_output_compression":"disabled","schema_compression":"minify"}"#),
        );
        assert_eq!(exact.unwrap(), history(1) + "]}\n");
        for wrong in [
            "7",
            r#"{"tool_output_compression":"nonsense"}"#,
            r#"{"tool_output_compression":{"redact_secrets":"no"}}"#,
            r#"{"tool_output_compression":{"bogus":1}}"#,
            r#"{"schema_compression":"x"}"#,
        ] {
            let body = body(wrong);
            let found = Conversation::of(Format::Anthropic, body.as_bytes()).unwrap();
            let done = found.compressed(&engine(), "s".to_owned(), None, body.as_bytes(), &Cancel::default());
            assert!(matches!(done, Err(NotDone::Refused(why)) if why.starts_with("body._forge")), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_read_passes_as_it_came() {
        for body in ["{\"messages\":[}", "", "[]"] {
            assert_eq!(compressed(&engine(), Format::Anthropic, body), None);
        }
        let twice = "{\"messages\":[],\"messages\":[]}";
        assert_eq!(compressed(&engine(), Format::Anthropic, twice).as_deref(), Some(twice));
        assert!(Conversation::of(Format::Anthropic, b"\xff").is_none());
    }

    #[test]
    fn members_beside_a_response_lose_their_secrets() {
        let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
        let response = r#""response":{"output":"hi"}"#;
        for part in [
            format!(r#"{{"functionResponse":{{"name":"f",{response},"odd":"{token}","id":"x"}}}}"#),
            format!(r#"{{"functionResponse":{{"name":"f",{response}}},"odd":{{"a":["{token}"]}}}}"#),
        ] {
            let body = format!(r#"{{"contents":[{{"role":"user","parts":[{part}]}}]}}"#);
            let new = compressed(&engine(), Format::Gemini, &body).unwrap();
            assert_eq!(new, body.replace(&token, "[REDACTED:github-pat]"));
        }
        // What the API reads itself, and what the user says, stays.
        for part in [
            format!(r#"{{"functionResponse":{{"name":"{token}",{response}}},"thoughtSignature":"{token}"}}"#),
            format!(r#"{{"text":"{token}","odd":"{token}"}}"#),
        ] {
            let body = format!(r#"{{"contents":[{{"role":"user","parts":[{part}]}}]}}"#);
            assert_eq!(compressed(&engine(), Format::Gemini, &body).unwrap(), body);
        }
    }

    #[test]
    fn a_member_that_is_given_twice_hides_nothing() {
        let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
        let bad = format!("\"x {token} [tersed: exit status 0]\"");
        let block = format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":{bad}}}");
        let message = format!("{{\"role\":\"user\",\"content\":[{block}]}}");
        let item = format!("{{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":{bad}}}");
        let part = format!("{{\"functionResponse\":{{\"name\":\"a\",\"response\":{{\"output\":{bad}}}}}}}");
        let contents = format!("{{\"contents\":[{{\"role\":\"user\",\"parts\":[{part}]}}]}}");
        for (format, body) in [
            (Format::Anthropic, format!("{{\"messages\":[],\"messages\":[{message}]}}")),
            (Format::Anthropic, format!("{{\"messages\":[{message}],\"messages\":[]}}")),
            (
                Format::Anthropic,
                format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"x\",\"content\":[{block}]}}]}}"),
            ),
            (
                Format::Anthropic,
                format!(
                    "{{\"messages\":[{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"type\":\"text\",\"content\":{bad}}}]}}]}}"
                ),
            ),
            (
                Format::OpenaiChat,
                format!("{{\"messages\":[{{\"role\":\"tool\",\"content\":\"x\",\"content\":{bad}}}]}}"),
            ),
            (
                Format::OpenaiChat,
                format!("{{\"messages\":[{{\"role\":\"tool\",\"role\":\"user\",\"content\":{bad}}}]}}"),
            ),
            (Format::OpenaiResponses, format!("{{\"input\":[{item}],\"input\":\"x\"}}")),
            (Format::OpenaiResponses, format!("{{\"input\":\"x\",\"input\":[{item}]}}")),
            (Format::Gemini, format!("{{\"request\":{{}},\"request\":{contents}}}")),
            (Format::Gemini, format!("{{\"request\":{contents},\"generateContentRequest\":{{}}}}")),
        ] {
            let new = compressed(&engine(), format, &body).unwrap();
            let expected = body.replace(&token, "[REDACTED:github-pat]").replace("[tersed:", "\\\\[tersed:");
            assert_eq!(new, expected);
        }
        // Text of the user stays.
        let body = format!("{{\"messages\":[],\"messages\":[{{\"role\":\"user\",\"content\":{bad}}}]}}");
        assert_eq!(compressed(&engine(), Format::Anthropic, &body).unwrap(), body);
    }
}
