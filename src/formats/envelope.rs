//! JSON that only wraps texts: the output of a command, with its exit code beside it.
//!
//! `{"output": "...", "exit_code": 1}`, `{"stdout": "...", "stderr": "", "returncode": 0}`,
//! `{"content": [{"type": "text", "text": "..."}]}`. Everything beside the texts must be short; JSON with more is a
//! document.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::json;

/// Names of the members that carry a text.
const CARRIERS: &[&str] = &[
    "output",
    "stdout",
    "stderr",
    "result",
    "text",
    "content",
    "logs",
    "log",
    "out",
    "combined_output",
    "aggregated_output",
    "formatted_output",
    "csv",
    "tsv",
];
/// Longest string or value beside the texts, in bytes.
const MAX_BESIDE_BYTES: usize = 200;
/// Most members of an object, and most texts.
const MAX_MEMBERS: usize = 24;
/// Longest head before the object, in bytes: `Script completed`, `Output:`.
const MAX_HEAD_BYTES: usize = 300;
/// Fewest bytes of text; less is not unwrapped.
const MIN_TEXT_BYTES: usize = 256;

/// A JSON object around texts, such as `{"output": "...", "exit_code": 1}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The pieces before, between and after the texts: one more than there are texts.
    pieces: Vec<String>,
    texts: Vec<String>,
}

impl Envelope {
    /// The start of an object that may be an envelope: at the start of the text, or on a line near it.
    pub fn start(text: &str) -> Option<usize> {
        if text.starts_with('{') {
            return Some(0);
        }
        let head = &text.as_bytes()[..text.len().min(MAX_HEAD_BYTES + 1)];
        memchr::memmem::find(head, b"\n{").map(|at| at + 1)
    }

    /// Reads a text that is an envelope, with or without a short head on lines before it.
    pub fn read(text: &str) -> Option<Self> {
        let start = Self::start(text)?;
        let mut reader = Reader { text, at: start, found: Vec::new() };
        reader.object(0)?;
        let has_rest = !text.get(reader.at..)?.trim().is_empty();
        let bytes: usize = reader.found.iter().map(Range::len).sum();
        if has_rest || bytes < MIN_TEXT_BYTES || reader.found.len() > MAX_MEMBERS {
            return None;
        }
        serde_json::from_str::<IgnoredAny>(&text[start..]).ok()?;
        let (mut pieces, mut texts, mut from) = (Vec::new(), Vec::new(), 0);
        for range in reader.found {
            pieces.push(text[from..range.start].to_owned());
            texts.push(serde_json::from_str::<String>(&text[range.clone()]).ok()?);
            from = range.end;
        }
        pieces.push(text[from..].to_owned());
        // A text of one line is data.
        texts.iter().any(|text| text.trim_end().contains('\n')).then_some(Self { pieces, texts })
    }

    /// Its texts.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Everything except the texts.
    pub fn wrapper(&self) -> String {
        self.pieces.join("\"\"")
    }

    /// The envelope around other texts.
    pub fn write(&self, texts: &[String]) -> String {
        let mut out = String::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            out.push_str(piece);
            if let Some(text) = texts.get(i) {
                out.push_str(&serde_json::Value::from(text.as_str()).to_string());
            }
        }
        out
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The strings that are texts, with their quotes.
    found: Vec<Range<usize>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<u8> {
        self.at = json::skip_blanks(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.at = json::string_end(self.text.as_bytes(), start, b'"')?;
        Some(start..self.at)
    }

    /// The members of an object. Inside another object, only texts of blocks are read.
    fn object(&mut self, depth: usize) -> Option<()> {
        self.take(b'{')?;
        let mut names: Vec<&'a str> = Vec::new();
        if self.next()? == b'}' {
            return self.take(b'}');
        }
        loop {
            self.next().filter(|b| *b == b'"')?;
            let name = self.string()?;
            let name = self.text.get(name.start + 1..name.end - 1)?;
            // If a member occurs twice, it is unknown which one applies.
            if names.len() == MAX_MEMBERS || names.contains(&name) {
                return None;
            }
            names.push(name);
            self.take(b':')?;
            self.value(name, depth)?;
            match self.next()? {
                b',' => self.at += 1,
                b'}' => return self.take(b'}'),
                _ => return None,
            }
        }
    }

    fn value(&mut self, name: &str, depth: usize) -> Option<()> {
        match self.next()? {
            b'"' => {
                let range = self.string()?;
                if CARRIERS.contains(&name) && range.len() > 2 {
                    self.found.push(range);
                } else if range.len() > MAX_BESIDE_BYTES {
                    return None;
                }
                Some(())
            }
            b'[' if name == "content" && depth == 0 => self.blocks(),
            b'{' if name == "result" && depth == 0 => self.object(1),
            b'{' | b'[' => self.small(),
            b'-' | b'0'..=b'9' => json::number(self.text.as_bytes(), self.at).ok().map(|end| self.at = end),
            _ => json::literal(self.text.as_bytes(), self.at).ok().map(|end| self.at = end),
        }
    }

    /// `[{"type":"text","text":"…"}, …]`
    fn blocks(&mut self) -> Option<()> {
        self.take(b'[')?;
        if self.next()? == b']' {
            return self.take(b']');
        }
        loop {
            self.object(1)?;
            match self.next()? {
                b',' => self.at += 1,
                b']' => return self.take(b']'),
                _ => return None,
            }
        }
    }

    /// A small value of any kind.
    fn small(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let near = &bytes[..bytes.len().min(self.at + MAX_BESIDE_BYTES + 1)];
        let end = json::value_end(near, self.at).end;
        let len = end - std::mem::replace(&mut self.at, end);
        (len <= MAX_BESIDE_BYTES).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> String {
        (0..40).map(|i| format!("line \"{i}\" of \u{2713}\n")).collect()
    }

    #[test]
    fn texts_are_taken_out_and_put_back() {
        let text = serde_json::Value::from(lines()).to_string();
        for (wrapper, count) in [
            (r#"{"output": T, "exit_code": 1}"#, 1),
            (r#"{"stdout":T,"stderr":"","returncode":1}"#, 1),
            ("{\n  \"stdout\": T,\n  \"stderr\": T,\n  \"code\": null\n}\n", 2),
            (r#"{"output":T,"metadata":{"exit_code":1,"duration_seconds":0.2}}"#, 1),
            (r#"{"content":[{"type":"text","text":T},{"type":"text","text":T}],"isError":false}"#, 2),
            (r#"{"jsonrpc":"2.0","id":3,"result":{"content":T,"cwd":"/srv"}}"#, 1),
            ("Script completed\nOutput:\n{\"output\":T}", 1),
        ] {
            let whole = wrapper.replace('T', &text);
            let envelope = Envelope::read(&whole).unwrap_or_else(|| panic!("{wrapper}"));
            assert_eq!(envelope.texts(), vec![lines(); count], "{wrapper}");
            assert_eq!(envelope.write(envelope.texts()), whole);
            assert_eq!(envelope.wrapper(), wrapper.replace('T', "\"\""));
        }
    }

    #[test]
    fn what_holds_more_is_a_document() {
        let text = serde_json::Value::from(lines()).to_string();
        for wrapper in [
            r#"{"output":T,"output":T}"#,
            r#"{"output":T} and more"#,
            r#"{"output":T"#,
            r#"{"output":T,"note":T}"#,
            r#"{"rows":[T]}"#,
            r#"[{"output":T}]"#,
            r#"{"output":T,"a":tru}"#,
            r#"{"output":T,"a":01}"#,
            r#"{"a":}"#,
            r#"{"output":"short\ntext"}"#,
            "",
            "{",
            "plain",
        ] {
            assert_eq!(Envelope::read(&wrapper.replace('T', &text)), None, "{wrapper}");
        }
        let one_line = format!(r#"{{"output":"{}"}}"#, "x".repeat(900));
        let lone = format!(r#"{{"output":"{}\ud83d\n\n"}}"#, "x\\n".repeat(300));
        assert_eq!((Envelope::read(&one_line), Envelope::read(&lone)), (None, None));
        let deep = format!(r#"{{"output":{text},"a":{}}}"#, "[".repeat(90));
        assert_eq!(Envelope::read(&deep), None);
    }
}
