//! The pointer that replaces an externalized text: its key, the kind of the text, and a summary. The preview below it
//! is made by `fit_parts`. This module stores nothing.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::detect::json::is_json;
use crate::detect::{Detection, Shape};
use crate::pipeline::Retain;
use crate::text::marker::Marker;
use crate::text::source::Source;

/// The name of the step in the evidence.
pub const STEP: &str = "externalize";
/// The most tokens of the marker of binary data.
pub const BINARY_TOKENS: usize = 40;
/// The key consists of this many hexadecimal digits of an artifact's id.
pub const KEY_DIGITS: usize = 16;
/// The most lines that are checked to recognise YAML.
const YAML_PROBE_LINES: usize = 200;

/// The kind of an externalized text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::pipeline) enum Kind {
    Json,
    Xml,
    Yaml,
    Diff,
    Log,
    Error,
    Binary,
    #[default]
    Text,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Xml => "XML",
            Self::Yaml => "YAML",
            Self::Diff => "DIFF",
            Self::Log => "LOG",
            Self::Error => "ERROR",
            Self::Binary => "BINARY",
            Self::Text => "TEXT",
        }
    }

    /// The kind of a text; its content decides before the call does.
    pub(in crate::pipeline) fn of(
        source: &Source<'_>,
        detection: &Detection,
        family: Option<&str>,
        failures: usize,
    ) -> Self {
        let text = source.text().trim();
        match () {
            () if is_json(text) => Self::Json,
            () if detection.shape == Shape::Diff || family == Some("diff") => Self::Diff,
            () if text.starts_with("<?xml") || (text.starts_with('<') && text.ends_with('>')) => Self::Xml,
            () if failures > 0 && detection.reports_failures() => Self::Error,
            () if is_yaml(source) => Self::Yaml,
            () if matches!(family, Some("log" | "test" | "build" | "package" | "container")) => Self::Log,
            () => Self::Text,
        }
    }
}

/// The facts in a summary.
pub(in crate::pipeline) struct SummaryFacts<'a> {
    pub(in crate::pipeline) kind: Kind,
    /// Media type of binary data.
    pub(in crate::pipeline) mime: Option<&'a str>,
    pub(in crate::pipeline) bytes: usize,
    pub(in crate::pipeline) lines: usize,
    pub(in crate::pipeline) failures: usize,
    /// The text, if it is the only part.
    pub(in crate::pipeline) text: Option<&'a str>,
}

/// The pointer line.
pub(in crate::pipeline) fn line(key: &str, what: &SummaryFacts<'_>) -> String {
    let kind = if what.mime.is_some() { Kind::Binary } else { what.kind };
    Marker::Externalized { key: key.to_owned(), kind: kind.name().to_owned(), summary: summary(kind, what) }
        .write()
}

fn summary(kind: Kind, what: &SummaryFacts<'_>) -> String {
    let SummaryFacts { bytes, lines, .. } = *what;
    let of = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    match (kind, what.text.filter(|_| kind == Kind::Json).and_then(shape)) {
        (_, Some(Json::Object(n))) => format!("JSON object with {}, {bytes} bytes", of(n, "field")),
        (_, Some(Json::Array(n))) => format!("JSON array with {}, {bytes} bytes", of(n, "item")),
        (Kind::Binary, _) => format!("{}, {bytes} bytes", what.mime.unwrap_or("data")),
        _ if what.failures > 0 => {
            let failures = of(what.failures, "failure line");
            format!("{}, {failures}, {bytes} bytes", of(lines, "line"))
        }
        _ => format!("{}, {bytes} bytes", of(lines, "line")),
    }
}

/// The pointer at the start of an output, if there is one.
pub fn first(texts: &[String]) -> Option<&str> {
    let text = texts.first()?;
    match Marker::parse(text) {
        Some((Marker::Externalized { .. }, length)) => text.get(..length),
        _ => None,
    }
}

/// The key of an original, under which the store keeps it.
pub(in crate::pipeline) fn key(retain: &Retain) -> String {
    retain.hash(KEY_DIGITS)
}

/// The top level of a JSON document.
enum Json {
    Object(usize),
    Array(usize),
}

fn shape(text: &str) -> Option<Json> {
    struct Top;
    impl<'de> Visitor<'de> for Top {
        type Value = Json;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object or an array")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
            let mut fields = 0;
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                fields += 1;
            }
            Ok(Json::Object(fields))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
            let mut count = 0;
            while items.next_element::<IgnoredAny>()?.is_some() {
                count += 1;
            }
            Ok(Json::Array(count))
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    serde::Deserializer::deserialize_any(&mut reader, Top).ok()
}

/// Whether nearly every line is YAML: a key, an item, a comment, or indented text below one of them.
fn is_yaml(source: &Source<'_>) -> bool {
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        let key = line.split(':').next().unwrap_or_default();
        let rest = line.get(key.len()..).unwrap_or_default();
        let is_name =
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./\"'$".contains(&b));
        is_name && (rest == ":" || rest.starts_with(": "))
    };
    let lines: Vec<&str> =
        source.lines().take(YAML_PROBE_LINES).filter(|line| !line.trim().is_empty()).collect();
    let keys = lines.iter().filter(|line| is_key(line)).count();
    let fits = |line: &&&str| {
        is_key(line) || line.starts_with(' ') || line.starts_with('-') || line.trim_start().starts_with('#')
    };
    lines.len() >= 3 && keys * 2 >= lines.len() && lines.iter().filter(fits).count() == lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(kind: Kind, text: &str) -> String {
        let what =
            SummaryFacts { kind, mime: None, bytes: text.len(), lines: 2, failures: 0, text: Some(text) };
        line("0123456789abcdef", &what)
    }

    #[test]
    fn the_summary_tells_the_shape() {
        assert_eq!(
            pointer(Kind::Json, "{\"a\": 1, \"b\": [2]}"),
            "[EXTERNALIZED: 0123456789abcdef | JSON | JSON object with 2 fields, 18 bytes]"
        );
        assert_eq!(
            pointer(Kind::Json, "[1]"),
            "[EXTERNALIZED: 0123456789abcdef | JSON | JSON array with 1 item, 3 bytes]"
        );
        assert_eq!(pointer(Kind::Text, "a\nb"), "[EXTERNALIZED: 0123456789abcdef | TEXT | 2 lines, 3 bytes]");
    }

    #[test]
    fn yaml_is_told_by_its_lines() {
        let is = |text: &str| is_yaml(&Source::new(text));
        assert!(is("---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n"));
        assert!(!is("Note: this is prose\nthat goes on\nand on: and on\n"));
        assert!(!is("a: b\n"));
    }
}
