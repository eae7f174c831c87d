//! The conditions of a rule: their definition, their verdict, and an explanation of both.

use regex::Regex;

use super::commands::{self, Prefix};
use super::error::unknown;
use super::globs::Glob;
use super::regexes;
use crate::config::rules::RuleError;
use crate::config::rules::When;
use crate::detect::Detection;
use crate::detect::json::is_json;
use crate::text::call::ToolCall;
use crate::text::source::Source;

/// The input of conditions: one text of a result.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// The text.
    pub source: &'a Source<'a>,
    /// The properties of the text that follow from the call.
    pub detection: &'a Detection,
    /// The kind of output.
    pub kind: Option<&'a str>,
    /// Smallest text, in bytes, for a rule without its own limit.
    pub min_bytes: usize,
}

/// One condition. Cheap ones come first.
#[derive(Debug, Clone)]
enum Condition {
    Tool(Vec<Glob>, String),
    Bytes(usize, usize),
    ExitCode(Vec<Status>, String),
    Kind(Vec<String>),
    Path(Vec<Glob>, String),
    Command(Vec<Prefix>, String),
    Lines(usize, usize),
    ContentType(Vec<&'static str>),
    Text(Regex),
    NotText(Regex),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Is(i64),
    Zero,
    Nonzero,
    Unknown,
}

/// The verdict on one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Name of the condition, as a rule writes it.
    pub condition: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// The expected and the actual value.
    pub why: String,
}

/// All conditions of a rule.
#[derive(Debug, Clone)]
pub(super) struct Conditions {
    all: Vec<Condition>,
    /// Smallest text in bytes, if the rule sets it.
    pub(super) min_bytes: Option<usize>,
}

const TYPES: &[&str] = &["json", "xml", "html", "text"];
const SHAPES: &[&str] = &["file", "search", "listing", "diff"];

impl Conditions {
    pub(super) fn new(when: &When) -> Result<Self, RuleError> {
        let globs = |field: &str, list: &crate::config::rules::List| {
            let all = list.iter().enumerate();
            all.map(|(i, text)| Glob::new(&format!("{field}[{i}]"), text)).collect::<Result<Vec<_>, _>>()
        };
        let mut all = Vec::new();
        if !when.tool.is_empty() {
            all.push(Condition::Tool(globs("when.tool", &when.tool)?, when.tool.0.join(", ")));
        }
        let number =
            |n: Option<u64>, default: usize| n.map_or(default, |n| usize::try_from(n).unwrap_or(usize::MAX));
        for (low, high, name) in
            [(when.min_bytes, when.max_bytes, "Bytes"), (when.min_lines, when.max_lines, "Lines")]
        {
            if let (Some(low), Some(high)) = (low, high)
                && low > high
            {
                return Err(RuleError::new(
                    format!("when.min{name}"),
                    format!("{low} is more than max{name}, {high}"),
                ));
            }
        }
        if when.min_bytes.is_some() || when.max_bytes.is_some() {
            all.push(Condition::Bytes(number(when.min_bytes, 0), number(when.max_bytes, usize::MAX)));
        }
        if !when.exit_code.is_empty() {
            let codes = when.exit_code.iter().enumerate();
            let codes = codes.map(|(i, text)| status(i, text)).collect::<Result<_, _>>()?;
            all.push(Condition::ExitCode(codes, when.exit_code.0.join(", ")));
        }
        if !when.kind.is_empty() {
            let known = crate::text::methods::families();
            for (i, kind) in when.kind.iter().enumerate() {
                if !known.contains(&kind) && !SHAPES.contains(&kind) {
                    let mut allowed = known.clone();
                    allowed.extend(SHAPES.iter().filter(|shape| !known.contains(shape)));
                    return Err(RuleError::new(format!("when.kind[{i}]"), unknown(kind, &allowed)));
                }
            }
            all.push(Condition::Kind(when.kind.0.clone()));
        }
        if !when.path.is_empty() {
            all.push(Condition::Path(globs("when.path", &when.path)?, when.path.0.join(", ")));
        }
        if !when.command.is_empty() {
            let prefixes = when.command.iter().enumerate();
            let prefixes = prefixes.map(|(i, text)| Prefix::new(&format!("when.command[{i}]"), text));
            all.push(Condition::Command(prefixes.collect::<Result<_, _>>()?, when.command.0.join(", ")));
        }
        if when.min_lines.is_some() || when.max_lines.is_some() {
            all.push(Condition::Lines(number(when.min_lines, 0), number(when.max_lines, usize::MAX)));
        }
        if !when.content_type.is_empty() {
            let types = when.content_type.iter().enumerate();
            let types = types.map(|(i, text)| {
                content_type(text)
                    .ok_or_else(|| RuleError::new(format!("when.contentType[{i}]"), unknown(text, TYPES)))
            });
            all.push(Condition::ContentType(types.collect::<Result<_, _>>()?));
        }
        if let Some(pattern) = &when.text {
            all.push(Condition::Text(regexes::in_text("when.text", pattern)?));
        }
        if let Some(pattern) = &when.not_text {
            all.push(Condition::NotText(regexes::in_text("when.notText", pattern)?));
        }
        Ok(Self { all, min_bytes: when.min_bytes.map(|n| usize::try_from(n).unwrap_or(usize::MAX)) })
    }

    pub(super) fn hold(&self, facts: &Facts<'_>) -> bool {
        (self.min_bytes.is_some() || facts.source.text().len() >= facts.min_bytes)
            && self.all.iter().all(|condition| condition.holds(facts))
    }

    /// All conditions with their verdicts.
    pub(super) fn explain(&self, facts: &Facts<'_>) -> Vec<Verdict> {
        let mut out = Vec::with_capacity(self.all.len() + 1);
        if self.min_bytes.is_none() {
            let size = facts.source.text().len();
            let why = format!("at least {} by the policy, has {size}", facts.min_bytes);
            out.push(Verdict { condition: "minBytes", holds: size >= facts.min_bytes, why });
        }
        out.extend(self.all.iter().map(|condition| condition.explain(facts)));
        out
    }

    /// Programs that the rule applies to, in lower case; `None` for any.
    pub(super) fn programs(&self) -> Option<Vec<&str>> {
        self.all.iter().find_map(|condition| match condition {
            Condition::Command(prefixes, _) => prefixes.iter().map(Prefix::program).collect(),
            _ => None,
        })
    }

    /// Tools that the rule applies to, in lower case; `None` for any.
    pub(super) fn tools(&self) -> Option<Vec<&str>> {
        self.all.iter().find_map(|condition| match condition {
            Condition::Tool(globs, _) => globs.iter().map(Glob::name).collect(),
            _ => None,
        })
    }

    /// Literals of which every matching text contains at least one.
    pub(super) fn literals(&self) -> Option<Vec<String>> {
        self.all.iter().find_map(|condition| match condition {
            Condition::Text(regex) => regexes::literals(regex.as_str()),
            _ => None,
        })
    }
}

impl Condition {
    fn holds(&self, facts: &Facts<'_>) -> bool {
        match self {
            Self::Tool(globs, _) => globs
                .iter()
                .any(|glob| glob.matches(&facts.call.tool) || glob.matches(&facts.call.canonical_tool())),
            Self::Bytes(low, high) => (*low..=*high).contains(&facts.source.text().len()),
            Self::ExitCode(codes, _) => codes.iter().any(|code| code.is(facts.call.exit_code)),
            Self::Kind(kinds) => facts.kind.is_some_and(|kind| kinds.iter().any(|k| k == kind)),
            Self::Path(globs, _) => {
                facts.call.path.as_deref().is_some_and(|path| globs.iter().any(|g| g.matches(path)))
            }
            Self::Command(prefixes, _) => commands::fit(prefixes, &facts.detection.command).is_ok(),
            Self::Lines(low, high) => (*low..=*high).contains(&facts.source.len()),
            Self::ContentType(types) => types.contains(&type_of(facts.source.text())),
            Self::Text(regex) => regex.is_match(facts.source.text()),
            Self::NotText(regex) => !regex.is_match(facts.source.text()),
        }
    }

    fn explain(&self, facts: &Facts<'_>) -> Verdict {
        let or_none =
            |text: Option<&str>| text.map_or("none is known".to_owned(), |text| format!("is {text}"));
        let range = |low: usize, high: usize, is: usize| match high {
            usize::MAX => format!("{low} and up, has {is}"),
            high => format!("{low} to {high}, has {is}"),
        };
        let (condition, why) = match self {
            Self::Tool(_, wanted) => ("tool", format!("{wanted}; is {}", facts.call.tool)),
            Self::Bytes(low, high) => ("bytes", range(*low, *high, facts.source.text().len())),
            Self::ExitCode(_, wanted) => {
                let is = facts.call.exit_code.map_or("unknown".to_owned(), |code| code.to_string());
                ("exitCode", format!("{wanted}; is {is}"))
            }
            Self::Kind(kinds) => ("kind", format!("{}; {}", kinds.join(", "), or_none(facts.kind))),
            Self::Path(_, wanted) => ("path", format!("{wanted}; {}", or_none(facts.call.path.as_deref()))),
            Self::Command(prefixes, wanted) => {
                let why = match commands::fit(prefixes, &facts.detection.command) {
                    Ok(()) => "it is",
                    Err(_) if facts.call.command.is_none() => "none is known",
                    Err(why) => why,
                };
                ("command", format!("{wanted}; {why}"))
            }
            Self::Lines(low, high) => ("lines", range(*low, *high, facts.source.len())),
            Self::ContentType(types) => {
                ("contentType", format!("{}; is {}", types.join(", "), type_of(facts.source.text())))
            }
            Self::Text(regex) | Self::NotText(regex) => {
                let found = regex.find(facts.source.text()).map(|hit| facts.source.line_at(hit.start()));
                let found = found
                    .map_or("nowhere".to_owned(), |line| format!("in line {}", facts.source.number(line)));
                let name = if matches!(self, Self::Text(_)) { "text" } else { "notText" };
                (name, format!("{}; {found}", regex.as_str()))
            }
        };
        Verdict { condition, holds: self.holds(facts), why }
    }
}

impl Status {
    fn is(self, code: Option<i64>) -> bool {
        match self {
            Self::Is(wanted) => code == Some(wanted),
            Self::Zero => code == Some(0),
            Self::Nonzero => code.is_some_and(|code| code != 0),
            Self::Unknown => code.is_none(),
        }
    }
}

fn status(index: usize, text: &str) -> Result<Status, RuleError> {
    match text {
        "zero" => Ok(Status::Zero),
        "nonzero" => Ok(Status::Nonzero),
        "unknown" => Ok(Status::Unknown),
        text => text.parse().map(Status::Is).map_err(|_| {
            let reason = format!("`{text}` is not known, allowed are numbers, `zero`, `nonzero`, `unknown`");
            RuleError::new(format!("when.exitCode[{index}]"), reason)
        }),
    }
}

fn content_type(text: &str) -> Option<&'static str> {
    let short = text.trim().to_ascii_lowercase();
    let short = match short.as_str() {
        "text/plain" => "text",
        "application/x-ndjson" => "json",
        media => {
            let media = media.rsplit('/').next().unwrap_or(media);
            media.rsplit('+').next().unwrap_or(media)
        }
    };
    TYPES.iter().copied().find(|known| *known == short)
}

/// The type of a text by its content. Only its ends are read, except for JSON.
pub fn type_of(text: &str) -> &'static str {
    let text = text.trim();
    let lower = |n: usize| text.get(..text.floor_char_boundary(n)).unwrap_or_default().to_ascii_lowercase();
    match text.as_bytes().first() {
        Some(b'{' | b'[') if is_json(text) || is_json_lines(text) => "json",
        Some(b'<') if lower(200).contains("<!doctype html") || lower(200).starts_with("<html") => "html",
        Some(b'<') if text.ends_with('>') => "xml",
        _ => "text",
    }
}

/// Whether each of the first lines is an object.
fn is_json_lines(text: &str) -> bool {
    const PROBE_LINES: usize = 20;
    text.lines().nth(1).is_some()
        && text.lines().take(PROBE_LINES).all(|line| line.is_empty() || is_json(line))
}
