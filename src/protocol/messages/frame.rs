//! The frame that hosts write around the output of a command, with its duration and exit code. The frame stays
//! unchanged, and only the text inside is the output, so that it is compressed and compared like any other.
//!
//! Only lines of numbers and fixed words are a frame. Everything else is output, and is redacted.

use std::borrow::Cow;

use super::find::{Answer, Frame};

/// Removes a known frame from the only text of an answer, and records how the command ended.
pub(super) fn take_off(answer: &mut Answer<'_>) {
    let [text] = answer.texts.as_mut_slice() else { return };
    if text.inside.is_some() {
        return;
    }
    let Some((from, to, code)) = of_codex(&text.text).or_else(|| of_gemini(&text.text)) else { return };
    let parts = (text.text.get(..from), text.text.get(from..to), text.text.get(to..));
    let (Some(before), Some(inside), Some(after)) = parts else { return };
    if inside.is_empty() {
        return;
    }
    let frame = Frame { before: before.to_owned(), after: after.to_owned() };
    text.text = Cow::Owned(inside.to_owned());
    text.frame = Some(frame);
    match code {
        Some(0) => answer.exit_code = answer.exit_code.or(Some(0)),
        // The frame already shows the exit code.
        Some(_) => answer.is_error = answer.is_error.or(Some(true)),
        None => {}
    }
}

/// The start and the end of the output, and the exit code.
type Found = (usize, usize, Option<i64>);

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Codex: lines such as `Wall time: 0.1 seconds` and then `Output:`.
fn of_codex(text: &str) -> Option<Found> {
    /// More lines than Codex ever writes.
    const MAX_LINES: usize = 8;
    let mut code = None;
    let mut at = 0;
    for n in 0..MAX_LINES {
        let rest = text.get(at..)?;
        let line = &rest[..memchr::memchr(b'\n', rest.as_bytes())?];
        at += line.len() + 1;
        if line == "Output:" {
            return (n > 0).then_some((at, text.len(), code));
        }
        let (name, value) = line.split_once(": ").or_else(|| line.rsplit_once(' '))?;
        let is_known = match name {
            "Chunk ID" => value.len() <= 16 && value.bytes().all(|b| b.is_ascii_alphanumeric()),
            "Wall time" => value.strip_suffix(" seconds").is_some_and(is_number),
            "Process exited with code" | "Exit code" => {
                code = value.parse().ok();
                code.is_some()
            }
            "Process running with session ID" | "Original token count" | "Total output lines" => {
                is_number(value)
            }
            _ => false,
        };
        if !is_known {
            return None;
        }
    }
    None
}

/// Gemini CLI: a tag around everything, `Output: ` before the output, and lines such as `Exit Code: 1` after it.
fn of_gemini(text: &str) -> Option<Found> {
    const START: &str = "<untrusted_context>\n";
    const END: &str = "\n</untrusted_context>";
    let inside = text.strip_prefix(START)?.strip_suffix(END)?;
    let from = START.len() + if inside.starts_with("Output: ") { "Output: ".len() } else { 0 };
    let mut to = START.len() + inside.len();
    let mut code = None;
    while let Some(at) = text.get(from..to).and_then(|rest| memchr::memrchr(b'\n', rest.as_bytes())) {
        let Some((name, value)) = text.get(from + at + 1..to).and_then(|line| line.split_once(": ")) else {
            break;
        };
        match name {
            "Exit Code" if is_number(value) => code = value.parse().ok(),
            "Process Group PGID" if is_number(value) => {}
            _ => break,
        }
        to = from + at;
    }
    Some((from, to, code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::messages::Text;

    /// The texts before, inside and after the frame, the exit code, and whether the command failed.
    type Taken = (String, String, String, Option<i64>, Option<bool>);

    fn taken(text: &str) -> Option<Taken> {
        let mut answer = Answer::default();
        answer.texts.push(Text { range: 0..0, text: text.into(), inside: None, frame: None });
        take_off(&mut answer);
        let text = answer.texts.pop()?;
        let frame = text.frame?;
        Some((frame.before, text.text.into_owned(), frame.after, answer.exit_code, answer.is_error))
    }

    #[test]
    fn frames_of_codex() {
        let before = "Chunk ID: a1b2c3\nWall time: 0.0512 seconds\nProcess exited with code 0\nOriginal token count: 842\nOutput:\n";
        let found = taken(&format!("{before}one\ntwo\n")).unwrap();
        assert_eq!(found, (before.into(), "one\ntwo\n".into(), String::new(), Some(0), None));
        let before = "Exit code: 101\nWall time: 3 seconds\nTotal output lines: 9\nOutput:\n";
        let found = taken(&format!("{before}one")).unwrap();
        assert_eq!(found, (before.into(), "one".into(), String::new(), None, Some(true)));
        for text in [
            "Output:\none",
            "Wall time: 1 seconds\none\nOutput:\n",
            "Wall time: soon seconds\nOutput:\none",
            "Chunk ID: password=hunter2\nOutput:\none",
            "Wall time: 1 seconds\nOutput:\n",
            "Wall time: 1 seconds",
        ] {
            assert_eq!(taken(text), None, "{text}");
        }
    }

    #[test]
    fn frames_of_gemini() {
        let (start, end) =
            ("<untrusted_context>\nOutput: ", "\nExit Code: 2\nProcess Group PGID: 71\n</untrusted_context>");
        let found = taken(&format!("{start}one\nExit Code: x{end}")).unwrap();
        assert_eq!(found, (start.into(), "one\nExit Code: x".into(), end.into(), None, Some(true)));
        let found = taken("<untrusted_context>\none\n\n</untrusted_context>").unwrap();
        let parts = ("<untrusted_context>\n".into(), "one\n".into(), "\n</untrusted_context>".into());
        assert_eq!(found, (parts.0, parts.1, parts.2, None, None));
        for text in [
            "<untrusted_context>\n",
            "<untrusted_context>\n\n</untrusted_context>",
            "one\n</untrusted_context>",
        ] {
            assert_eq!(taken(text), None, "{text}");
        }
    }
}
