//! The facts about a result that decide whether it may be removed.

use super::hits::Hits;
use super::place::{Folder, Place};
use super::view::{Again, View, heading};
use super::{Words, label, rest};
use crate::detect::{Detection, Shape, detect, edit, viewed};
use crate::pipeline::Outcome;
use crate::pipeline::evidence::Status;
use crate::text::call::ToolCall;
use crate::text::marker::{self, Marker};
use crate::text::source::Source;

/// Smaller results are not removed: their replacement would cost half of them.
const MIN_TOKENS: usize = 80;
/// Tokens of a marker that replaces a result: in 40 real sessions 28 to 54, on average 37.
const MARKER_TOKENS: usize = 37;
/// The estimated bytes of a token in a text that is not counted.
pub(super) const BYTES_OF_TOKEN: usize = 4;

/// The facts that decide whether a result may be removed.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The call.
    pub call: String,
    /// Tokens of the text that the model sees.
    pub tokens: usize,
    /// Lines of the original.
    pub lines: usize,
    /// What the call was about, or its tool, as a marker names it.
    pub of: String,
    /// The lines that stay below its marker: for an edit its outcome, for a command its failure, its totals and its status.
    pub rest: String,
    /// Words by which an answer would cite it.
    pub(super) words: Words,
    /// The file lines that it shows.
    pub(super) view: Option<View>,
    /// The file that the call looks at or changes.
    pub(super) file: Option<String>,
    /// Whether the call edits that file.
    pub(super) is_edit: bool,
    /// The files that its command changes.
    pub(super) edits: Vec<String>,
    /// What the call says about the folder in which it runs.
    pub(super) folder: Folder,
    /// The places that a small search or listing found.
    pub(super) hits: Hits,
    /// Whether it is the output of a test run or a build.
    pub(super) is_run: bool,
    /// Digest of the call.
    pub(super) asked: Option<[u8; 16]>,
    /// Whether it reports a failure.
    pub(super) has_failed: bool,
    /// Earlier results to which its text points.
    pub(super) refers_to: Vec<String>,
    /// Whether its text refers to earlier results that are unknown here, because it was already compressed when it
    /// came.
    pub(super) refers_to_others: bool,
    /// Whether a replacement may take its place.
    pub is_removable: bool,
}

impl Facts {
    /// The facts of a result. `asked` is a digest of its call, `about` its file or command.
    pub fn of(call: &ToolCall, outcome: &Outcome, asked: Option<[u8; 16]>, about: Option<&str>) -> Self {
        let evidence = &outcome.evidence;
        let mut facts = Self {
            call: call.id.clone().unwrap_or_default(),
            tokens: evidence.tokens.after,
            lines: evidence.lines.before,
            of: label::or_tool(call, label::of(call, ("", 0), about)),
            asked,
            is_run: outcome.is_run(),
            edits: viewed::changed(call),
            folder: Folder::of(call),
            ..Self::default()
        };
        let [text] = &outcome.texts[..] else { return facts };
        let shown = evidence.omissions.iter().filter_map(|o| o.shown_by.as_ref());
        let shown = shown.map(|shown| &shown.tool_call_id).chain(&evidence.duplicate_of);
        let shown: Vec<&String> = shown.collect();
        facts.refers_to_others = references(text) > shown.len();
        facts.refers_to = shown.into_iter().filter(|id| **id != facts.call).cloned().collect();
        facts.refers_to.sort_unstable();
        facts.refers_to.dedup();
        let detection = detect(call, &Source::new(text));
        facts.find_view(call, text, about);
        let reports_failure = || evidence.guard.signals > 0 && detection.reports_failures();
        facts.has_failed = match call.succeeded() {
            Some(false) => true,
            // The exit status covers all programs that ran.
            Some(true) if !facts.folder.is_status_masked() => false,
            _ => reports_failure() && !detection.only_looks(),
        };
        // Exact results are kept, and so are originals that were read back.
        let is_exact = matches!(evidence.status, Status::Suppressed | Status::Bypassed);
        if facts.tokens < MIN_TOKENS || is_exact || person_speaks(call, text) {
            return facts;
        }
        facts.is_removable = true;
        facts.rest = facts.leaves(call, text, &detection);
        if matches!(detection.shape, Shape::Search | Shape::Listing) {
            facts.hits = Hits::of(text);
        }
        let asked = call.texts();
        facts.words = Words::of([text.as_str()].into_iter().chain(asked).chain(call.path.as_deref()));
        facts
    }

    /// Determines which lines of which file the result shows.
    fn find_view(&mut self, call: &ToolCall, text: &str, about: Option<&str>) {
        let looked_at = viewed::file(call).filter(|file| !file.is_empty());
        let file = looked_at.or_else(|| call.path.clone());
        // The head of an editor's window has the file with its folder.
        let is_whole = |head: &&str| {
            head.starts_with('/')
                && file.as_deref().is_some_and(|file| viewed::name(file) == viewed::name(head))
        };
        let head = heading(text).filter(is_whole).map(str::to_owned);
        let file = head.or(file);
        let view = View::of(text, file.as_deref());
        self.of = label::or_tool(call, label::of(call, (text, self.lines), about));
        self.is_edit = edit::is_edit(call) || edit::is_named_edit(call);
        self.file = file.or_else(|| Some(view.as_ref()?.file.clone()));
        // The lines in a rejected edit are not the lines of the file.
        self.view = view.filter(|_| !edit::is_rejected(call, text));
    }

    /// Makes its file names absolute, by the folder in which the call ran.
    pub(super) fn resolve(&mut self, place: &Place) {
        let view = self.view.as_mut().map(|view| &mut view.file);
        for file in self.file.iter_mut().chain(view).chain(&mut self.edits) {
            *file = place.file(file);
        }
    }

    /// The lines that stay below the marker when the result is removed.
    fn leaves(&self, call: &ToolCall, text: &str, detection: &Detection) -> String {
        if call.has_side_effects() {
            return rest::of_edit(text);
        }
        let is_view = self.view.is_some() || viewed::file(call).is_some() || call.path.is_some();
        // If several commands only look, the last line says nothing about the others.
        let is_plain = call.command.is_some() && detection.shape == Shape::Other && !detection.only_looks();
        match !is_view && (self.has_failed || self.is_run || is_plain) {
            true => rest::of_command(call, text),
            false => String::new(),
        }
    }

    /// The facts of a result that the model sees only in part: it is kept, and replaces no other result.
    #[must_use]
    pub fn in_part(self) -> Self {
        Self { is_removable: false, view: None, asked: None, ..self }
    }

    /// The facts of an item that is not a known result and takes this many tokens of the context.
    pub fn of_tokens(tokens: usize) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// Earlier results to which its text points.
    pub fn refers_to(&self) -> &[String] {
        &self.refers_to
    }

    /// Approximate tokens of its replacement.
    pub fn tokens_in_its_place(&self) -> usize {
        MARKER_TOKENS + self.rest.len().div_ceil(BYTES_OF_TOKEN)
    }

    /// Whether `other` shows nearly all file lines that this result shows, and how.
    pub(super) fn shown_by(&self, other: &Self) -> Option<Again> {
        self.view.as_ref()?.shown_by(other.view.as_ref()?)
    }

    /// Whether it can replace an earlier result of the same call: both are runs, or it has at least half of the words
    /// of the earlier one.
    pub(super) fn is_like(&self, earlier: &Self) -> bool {
        self.is_run && earlier.is_run || earlier.words.common(&self.words) * 2 >= earlier.words.hashes().len()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.call.capacity()
            + self.of.capacity()
            + self.rest.capacity()
            + self.words.bytes()
            + self.view.as_ref().map_or(0, View::bytes)
            + self.file.as_ref().map_or(0, String::capacity)
            + self.edits.iter().map(|file| size_of::<String>() + file.capacity()).sum::<usize>()
            + self.folder.bytes()
            + self.hits.bytes()
            + self.refers_to.iter().map(|id| size_of::<String>() + id.capacity()).sum::<usize>()
    }
}

/// The number of references to earlier results in a text. Look-alikes count too, although they are escaped:
/// then more results are kept than necessary.
fn references(text: &str) -> usize {
    let is_reference = |marker: &&Marker| {
        matches!(
            marker,
            Marker::Shown { .. } | Marker::There { .. } | Marker::Same { .. } | Marker::Duplicate { .. }
        )
    };
    let count = |line: &str| {
        let start = line.find("[tersed").or_else(|| line.find("[Duplicate of "));
        let marker = start.and_then(|start| Marker::parse(&line[start..]));
        marker.map_or(0, |(marker, _)| marker.references().iter().filter(is_reference).count())
    };
    text.lines().filter(|line| marker::may_hold(line)).map(count).sum()
}

/// Parts of the names of tools that ask a person or keep a to-do list, in lower case without separators.
const USER_TOOL_PARTS: &[&str] = &[
    "askuser",
    "askhuman",
    "askfollowup",
    "askquestion",
    "asktheuser",
    "askclarif",
    "userinput",
    "humaninput",
    "userquestion",
    "requestinput",
    "userfeedback",
    "userresponse",
    "promptuser",
    "elicit",
    "todo",
    "updateplan",
    "exitplanmode",
    "presentplan",
    "tasklist",
];
/// Whole names of such tools.
const USER_TOOL_NAMES: &[&str] = &["ask", "question", "questions", "clarify", "human", "plan", "confirm"];
/// What hosts write before the words of a person.
const USER_REPLY_PREFIXES: &[&str] = &[
    "the user said:",
    "The user said:",
    "<feedback>",
    "<user_message>",
    "user provided the following feedback",
    "User has answered your question",
];

/// Whether a result has the words of a person, or the call keeps a to-do list.
fn person_speaks(call: &ToolCall, text: &str) -> bool {
    let mut name = call.canonical_tool();
    name.retain(|c| c.is_ascii_alphanumeric());
    USER_TOOL_NAMES.contains(&&*name)
        || USER_TOOL_PARTS.iter().any(|part| name.contains(part))
        || call.command.is_none()
            && USER_REPLY_PREFIXES
                .iter()
                .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::marker::Ago;
    use crate::text::origin::Origin;

    fn facts(call: &ToolCall, text: &str) -> Facts {
        let outcome = compress(call, &[Raw::Text(text)], &Policy::default(), false, &NoHistory).unwrap();
        Facts::of(call, &outcome, Some([1; 16]), None)
    }

    #[test]
    fn references_of_another_process_are_seen() {
        let origin = Origin { call: String::new(), tool: "bash".into(), argument: None, label: None };
        let there = marker::NumbersThere::NoNumbers;
        let marker = Marker::Shown { first: 2, last: 9, there, origin, ago: Some(Ago::Results(2)) }.write();
        let call = ToolCall { tool: "bash".into(), command: Some("cat a".into()), ..ToolCall::default() };
        let text: String = (0..90).map(|n| format!("line {n} of it\n")).collect();
        assert!(facts(&call, &format!("{text}{marker}\nend\n")).refers_to_others);
        assert!(!facts(&call, &text).refers_to_others);
    }

    #[test]
    fn a_rejected_edit_shows_no_lines_of_its_file() {
        let call = ToolCall {
            tool: "edit".into(),
            command: Some("edit 3:4\nlet a = 1\nend_of_edit\n".into()),
            ..ToolCall::default()
        };
        let lines: String = (1..90).map(|n| format!("{n}:let value_{n} = {n}\n")).collect();
        let window = format!("[File: /w/a.py (90 lines total)]\n{lines}");
        let done = facts(&call, &format!("{window}[File updated. Please review the changes.]\n"));
        assert!(done.view.is_some());
        assert_eq!((&*done.rest, &*done.of), ("File updated.", "edit 3:4 of /w/a.py"));
        let no = facts(&call, &format!("Your edit was not applied. It reads:\n{window}"));
        assert!(no.view.is_none());
        assert_eq!(no.rest, "Your edit was not applied.");
    }

    #[test]
    fn what_failed_leaves_its_failure_and_its_last_line() {
        let log: String = (0..200).map(|n| format!("step {n} of the long build went by\n")).collect();
        let call = ToolCall { tool: "bash".into(), command: Some("make all".into()), ..ToolCall::default() };
        let failed = facts(&call, &format!("{log}error: no such file a.c\n{log}make: *** [all] Error 2\n"));
        assert!(failed.has_failed && failed.rest.contains("error: no such file a.c"), "{failed:?}");
        assert!(failed.rest.ends_with("make: *** [all] Error 2"), "{}", failed.rest);
        let passed = facts(&call, &format!("{log}done\n"));
        assert_eq!((passed.has_failed, &*passed.rest), (false, "done"));
        assert!(!facts(&call, "short\n").is_removable);
        // A pipe, a list or a script can hide the status of a failed command; a single command cannot.
        let with =
            |command: &str| ToolCall { command: Some(command.into()), exit_code: Some(0), ..call.clone() };
        let report = format!("{log}error: no such file a.c\n{log}");
        for command in
            ["make 2>&1 | tail", "make; true", "make || true", "make | tee log", "bash run_tests.sh"]
        {
            assert!(facts(&with(command), &report).has_failed, "{command}");
        }
        assert!(!facts(&with("make"), &report).has_failed);
        // Commands that only look may quote failures.
        let looks = ToolCall { command: Some("echo here; cat a.py; ls".into()), ..call.clone() };
        assert!(!facts(&looks, &format!("{log}error: no such file a.c\n{log}")).has_failed);
        let looks = ToolCall { exit_code: Some(1), ..looks };
        assert!(facts(&looks, &format!("{log}error: no such file a.c\n{log}")).has_failed);
    }

    #[test]
    fn what_a_person_said_is_known() {
        let speaks = |tool: &str, text: &str| {
            person_speaks(&ToolCall { tool: tool.into(), ..ToolCall::default() }, text)
        };
        for tool in [
            "ask_user",
            "AskUserQuestion",
            "ask_followup_question",
            "request_user_input",
            "mcp__ui__ask-human",
            "TodoWrite",
            "update_todo_list",
            "update_plan",
            "question",
        ] {
            assert!(speaks(tool, ""), "{tool}");
        }
        assert!(speaks("Edit", "The tool use was rejected. To proceed, the user said:\nno"));
        assert!(!speaks("bash", "") && !speaks("task", "") && !speaks("Read", "a question"));
    }
}
