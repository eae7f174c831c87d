//! The report of an audit as data: `--format json` prints it, text and page are made from it. Texts of histories in
//! it are redacted, shortened and on one line.

use schemars::JsonSchema;
use serde::Serialize;

/// Version of this document.
pub const VERSION: u32 = 1;

/// A report.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Version of this document: 1.
    pub version: u32,
    /// Version of tersed.
    pub tersed: String,
    /// The mode that was played.
    pub mode: String,
    /// The counter of all tokens here.
    pub tokenizer: String,
    /// Where histories were looked for, and what was there.
    pub places: Vec<PlaceFound>,
    /// The hosts of the histories, as they are set up on this machine.
    pub hosts: Vec<HostFound>,
    /// All results together.
    pub total: Figures,
    /// By format.
    pub formats: Vec<Group>,
    /// By tool, those that would save most first.
    pub tools: Vec<Group>,
    /// Results that a host, as `tersed install` sets it up, does not hand over; those that would save most first.
    pub not_reached: Vec<NotReached>,
    /// By session, those that would save most first; with `--top`, the first of them.
    pub sessions: Vec<SessionGroup>,
    /// Sessions in all.
    pub session_count: usize,
    /// The results with most tokens, the largest first.
    pub largest: Vec<LargeResult>,
    /// Results by the share of their tokens that would be saved: unchanged, then more than 0 up to 20, 40, 60, 80, 100
    /// percent.
    pub distribution: [usize; 6],
    /// Names that agents used later and would not have seen, in order; the first 1,000 of them.
    pub hidden: Vec<Hidden>,
    /// Lines that report a failure and would not have been shown, in order; the first 1,000 of them.
    pub failures_hidden: Vec<Hidden>,
    /// Files that could not be used, or only in part.
    pub not_understood: NotUnderstood,
}

/// One result, a line of `--format jsonl`. The sums over all lines equal the figures of a report of the same
/// histories.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultRow<'a> {
    /// The format of the history, which names the host.
    pub format: &'a str,
    /// Its file, `~` for the home folder.
    pub file: &'a str,
    /// The session, as the host calls it.
    pub session: &'a str,
    /// The place of the result in its session, from 0.
    pub index: usize,
    /// The tool.
    pub tool: String,
    /// Its figures with tersed.
    #[serde(flatten)]
    pub figures: &'a Figures,
}

/// A place that was searched.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceFound {
    /// The path, `~` for the home folder.
    pub path: String,
    /// The host whose place it is, if no path was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Whether it is there.
    pub is_there: bool,
    /// Files that were read.
    pub files: usize,
    /// Sessions in them.
    pub sessions: usize,
    /// Results in them.
    pub results: usize,
}

/// A host on this machine.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostFound {
    /// Its name, as `tersed install` takes it.
    pub host: String,
    /// Its official name.
    pub title: String,
    /// `wired`; `part`: some parts are missing or are another version's; `fault`; `none`. Only `wired` counts.
    pub state: String,
    /// Details of the setup, or the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The command that starts it behind the gateway, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway: Option<String>,
}

/// Results of a tool that a host does not hand over.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotReached {
    /// The host; the format if no host of tersed writes it.
    pub host: String,
    /// The tool.
    pub tool: String,
    /// A code: `failed`, `tool`, `program`, `unseen`, `asked`, `notWrapped`, `rules`, `noHost`.
    pub why: String,
    /// The reason in words.
    pub reason: String,
    /// Results.
    pub results: usize,
    /// Their tokens.
    pub tokens: u64,
    /// Tokens that would be saved if the results were reached.
    pub could_save: u64,
}

/// How much of the savings arrives.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// Results that are reached.
    pub results: usize,
    /// Tokens saved.
    pub tokens: u64,
    /// The same, counted for each request to the model that held the result.
    pub sent: u64,
}

impl Saved {
    fn add(&mut self, other: &Self) {
        self.results += other.results;
        self.tokens += other.tokens;
        self.sent += other.sent;
    }
}

/// How much of the savings arrives, by the way into the host.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arrives {
    /// As the host is set up on this machine: nothing if it is not.
    pub here: Saved,
    /// As `tersed install` sets it up.
    pub installed: Saved,
    /// Through `tersed gateway`: nothing if it knows no way to pass on the requests of the host.
    pub gateway: Saved,
}

/// Sums over some results. Tokens are those of the results alone, not of all that a model was sent.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Results.
    pub results: usize,
    /// Results that would not change.
    pub unchanged: usize,
    /// Tokens of the results.
    pub tokens_before: u64,
    /// Their tokens after compression.
    pub tokens_after: u64,
    /// Tokens of the results, counted for each request to the model that held them.
    pub sent_before: u64,
    /// The same after compression.
    pub sent_after: u64,
    /// How much of the savings arrives at the model.
    pub arrives: Arrives,
    /// Names that agents learned from results and used later.
    pub references: usize,
    /// Those that they would still have seen.
    pub references_visible: usize,
    /// Distinct lines of each result that report a failure.
    pub failure_lines: usize,
    /// Those that would be shown.
    pub failure_lines_visible: usize,
}

impl Figures {
    /// Adds others.
    pub(super) fn add(&mut self, other: &Self) {
        self.results += other.results;
        self.unchanged += other.unchanged;
        self.tokens_before += other.tokens_before;
        self.tokens_after += other.tokens_after;
        self.sent_before += other.sent_before;
        self.sent_after += other.sent_after;
        self.arrives.here.add(&other.arrives.here);
        self.arrives.installed.add(&other.arrives.installed);
        self.arrives.gateway.add(&other.arrives.gateway);
        self.references += other.references;
        self.references_visible += other.references_visible;
        self.failure_lines += other.failure_lines;
        self.failure_lines_visible += other.failure_lines_visible;
    }

    /// Tokens that would be saved.
    pub(super) fn saved(&self) -> u64 {
        self.tokens_before.saturating_sub(self.tokens_after)
    }
}

/// Sums under a name.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// The name.
    pub name: String,
    /// Sessions, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<usize>,
    /// The sums.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A session.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionGroup {
    /// Its number in this report, from 1, in the order in which it was read.
    pub number: usize,
    /// The host's name of it.
    pub session: String,
    /// The format.
    pub format: String,
    /// The file, `~` for the home folder.
    pub file: String,
    /// Requests to the model.
    pub requests: usize,
    /// Its sums.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A result.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LargeResult {
    /// Number of the session.
    pub session: usize,
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The request of the call: a command line, a path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// Its tokens.
    pub tokens_before: u64,
    /// Its tokens after compression.
    pub tokens_after: u64,
}

/// Something that would not have been seen.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hidden {
    /// Number of the session.
    pub session: usize,
    /// The call whose result had it.
    pub call: String,
    /// Its tool.
    pub tool: String,
    /// What was named, or the line.
    pub text: String,
    /// `path`, `pathline`, `ident`, `number`, or another kind that a record gives; `failure` for a line.
    pub kind: String,
    /// The gap in which it was left out: the lines of the result, and the reason code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The call that used it; absent if the agent used it in its own text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by: Option<String>,
}

/// What could not be used.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotUnderstood {
    /// Files that were not read, and why; the first 1,000 of them.
    pub files: Vec<Unread>,
    /// All of them.
    pub file_count: usize,
    /// Files with lines that could not be read; the rest of each was used.
    pub broken: Vec<Broken>,
    /// Lines that could not be read, in all.
    pub broken_lines: usize,
    /// Results without a text, such as images, and calls whose result is not in the history.
    pub without_text: usize,
    /// Results that the engine refused, by reason.
    pub refused: Vec<Refused>,
}

/// A file that was not read.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub struct Unread {
    /// The file, `~` for the home folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// A file of which some lines were not read.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub struct Broken {
    /// The file, `~` for the home folder.
    pub path: String,
    /// Numbers of the first lines that were not read, or of files in a folder.
    pub lines: Vec<usize>,
    /// All of them.
    pub count: usize,
}

/// Results that were refused.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub struct Refused {
    /// What the engine said.
    pub reason: String,
    /// How many.
    pub results: usize,
}

/// JSON Schema of [`Report`].
pub fn schema_json() -> String {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("title".to_owned(), "tersed audit, version 1".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
