//! Decides how much of a file view is shown: all of it, or its outline without bodies.
//!
//! Lines that stay are exact, so an edit tool can match them. A requested range and a file without a known outline are never
//! changed. Every gap lists its lines and the names in them, so that a reader knows what to ask for. It changes only lines
//! that no earlier step changed, and does not decide what a failure is.

mod outliers;
mod plan;

use std::ops::Range;

use crate::config::{FileDetail, Mode};
use crate::detect::Shape;
use crate::input::Input;
use crate::outline::{Item, Kind, Language, outline, statements};
use crate::text::ledger::{Action, Ledger, Reduction};
use crate::text::maps::Set;
use crate::text::names::{Code, MAX_LISTED_BYTES, Names};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;
use plan::Plan;
pub use plan::conflicts;

/// Most terms of the session that are used for one text.
pub const MAX_TERMS: usize = 64;

/// Whether the session's terms could affect this text.
pub fn wants_terms(input: &Input<'_>) -> bool {
    level(input).is_some()
}

/// Whether the call names a file of settings or data, in which single lines can be outliers.
pub fn is_data(input: &Input<'_>) -> bool {
    let language = || paths(input).find_map(|path| Language::of(Some(path), ""));
    level(input).is_some() && language().is_some_and(|language| !language.is_code())
}

/// Whether the call names an HTML page. Its lines are not records, but most of them are similar.
pub fn is_markup(input: &Input<'_>) -> bool {
    paths(input).any(|path| [".html", ".htm", ".xhtml"].iter().any(|end| path.ends_with(end)))
}

/// The lines to leave out of a file view. Outliers stay, and so do protected lines, which the guard would restore.
pub fn reduce(
    input: &Input<'_>,
    ledger: &Ledger,
    outliers: &[usize],
    protected: &[usize],
) -> Result<Reduction, Reason> {
    if let Some(step) = limited(input, ledger) {
        return Ok(step);
    }
    let level = level(input).ok_or(Reason::NothingToDo)?;
    let source = input.source;
    let view = source.view();
    // Text around a numbered view is not part of the file.
    let numbered = view.numbered() * 2 > source.len();
    let text = |i: usize| if numbered && view.number(i).is_none() { "" } else { view.text(source.raw(i), i) };
    let lines: Vec<&str> = (0..source.len()).map(text).collect();
    let first = lines.iter().copied().find(|line| !line.is_empty()).unwrap_or_default();
    let language = paths(input).find_map(|path| Language::of(Some(path), ""));
    let language = language.or_else(|| Language::of(None, first)).ok_or(Reason::NotRecognized)?;
    // JSON without line numbers stays JSON: only the step for structured data leaves parts of it out.
    let is_json = language == Language::Json && !numbered;
    let is_kept =
        input.policy.mode < Mode::Aggressive && !language.is_code() && !is_long_page(input, language);
    if input.policy.file_detail == FileDetail::Auto && (is_json || is_kept) {
        return Err(Reason::NothingToDo);
    }
    let items: Vec<Item<'_>> = outline(language, &lines).ok_or(Reason::NotRecognized)?;
    let with_values = input.policy.mode == Mode::Aggressive
        || input.policy.file_detail != FileDetail::Auto
        || is_huge(input);
    let mut plan = Plan::new(&lines, &items, level, with_values);
    keep_reports(input, &lines, &items, numbered, &mut plan);
    if !language.is_code() {
        plan.join_over_blank_lines(&lines);
    }
    plan.keep(outliers);
    if language.is_code() {
        plan.hold(outliers::unlike(&lines, &items));
    }
    if language == Language::Sql {
        plan.keep(&outliers::odd_rows(&lines));
    }
    plan.hold(conflicts(&lines));
    plan.keep_edited(source, &items, input.relevance.edited());
    plan.keep_pointed(source, &items, input.relevance.pointed());
    plan.keep_relevant(source, input.relevance, input.call.query.is_some());
    // A statement of SQL may be a table of many rows.
    if language.is_code() && language != Language::Sql {
        plan.hold(said_once(source, protected));
        plan.complete(&lines, &statements(language, &lines));
    }
    let gaps = plan.gaps(source, ledger);
    let mut names = Names::new(source, ledger, &gaps);
    let functions = items.iter().filter(|item| item.kind == Kind::Function).map(|item| item.name);
    let mut code = Code::new(functions, input.relevance);
    let mut step = Reduction::default();
    let mut hidden = 0;
    for gap in gaps {
        let bytes = unpadded(source, gap.clone());
        let most = MAX_LISTED_BYTES.min(bytes / NAMES_ONE_IN);
        let named = match language.is_code() {
            true => names.of_code(&gap, most, &mut code),
            false => names.of(std::slice::from_ref(&gap), &gap, most),
        };
        // If the names are nearly as long as the lines, the lines stay.
        if named.own_bytes * 2 < bytes {
            hidden += bytes - named.text.len();
            step.omit_named(gap, Reason::FileBody, 0, &named.text);
        }
    }
    // A few gaps in a text that stays large are not worth it.
    if hidden * MIN_SAVED_ONE_IN < unpadded(source, 0..source.len()) {
        return Err(Reason::NotPaying);
    }
    if input.policy.file_line_numbers && view.numbered() == 0 {
        number(input, &items, ledger, &mut step);
    }
    Ok(step)
}

/// Those of the protected lines that stay: each text once. Lines without a letter or digit, such as a lone bracket,
/// are left to the guard.
fn said_once<'a>(source: &'a Source<'_>, lines: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let mut seen: Set<&str> = Set::default();
    lines.iter().copied().filter(move |line| {
        let text = source.line(*line).trim();
        text.contains(char::is_alphanumeric) && seen.insert(text)
    })
}

/// Keeps lines that report failures, and text around a numbered view, which is not in the file.
fn keep_reports(input: &Input<'_>, lines: &[&str], items: &[Item<'_>], is_numbered: bool, plan: &mut Plan) {
    let source = input.source;
    // Output of a shell command may be a report after all.
    if input.detection.is_by_command {
        let mut failures = signals::failure_lines(source);
        // A cap would cut the middle of the file anyway, failure words or not: so lines inside function bodies count as
        // code here.
        if is_capped(input) {
            let is_code = in_bodies(lines, items);
            failures.retain(|line| !is_code[*line]);
        }
        plan.keep(&failures);
    }
    if is_numbered {
        let view = source.view();
        let around: Vec<usize> = (0..source.len()).filter(|i| view.number(*i).is_none()).collect();
        plan.hold(around);
    }
}

/// For each line, whether it is in the body of a function and deeper than the line that declares it.
fn in_bodies(lines: &[&str], items: &[Item<'_>]) -> Vec<bool> {
    let depth = |line: &str| line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let mut inside = vec![false; lines.len()];
    let mut seen = 0;
    for item in items.iter().filter(|item| item.kind == Kind::Function) {
        let declared = lines.get(item.signature.start).map_or(0, |line| depth(line));
        // A nested function is inside the body of the outer one: look at each line once.
        for line in item.body.start.max(seen)..item.body.end {
            inside[line] = depth(lines[line]) > declared;
        }
        seen = seen.max(item.body.end);
    }
    inside
}

/// Bytes of lines without the blanks before their numbers, which a later step removes. A text without these blanks must be
/// judged the same.
fn unpadded(source: &Source<'_>, lines: Lines) -> usize {
    let view = source.view();
    let blanks = |i: usize| source.raw(i).bytes().take_while(|b| *b == b' ').count();
    let padding: usize = lines.clone().filter(|i| view.number(*i).is_some()).map(blanks).sum();
    source.byte_range(lines).len() - padding
}

/// A marker may spend 1 byte on names for this many bytes that are left out. A choice.
const NAMES_ONE_IN: usize = 2;
/// An outline is used only if it saves at least 1/N of the bytes of the text. A choice.
const MIN_SAVED_ONE_IN: usize = 8;

/// A file of more than this many times `fileOutlineBytes` is huge. In `standard`, less is shown of it than of other
/// long files: signatures alone, and of a page of Markdown its titles. A choice: on 622 recorded sessions agents used
/// as much of such files as before.
const HUGE_TIMES: usize = 2;

/// Whether a file is huge.
fn is_huge(input: &Input<'_>) -> bool {
    let from = input.policy.outline_bytes().map(|bytes| bytes.saturating_mul(HUGE_TIMES));
    from.is_some_and(|from| input.source.text().len() > from)
}

/// Whether a text is a page of prose that `standard` shows by its titles too.
fn is_long_page(input: &Input<'_>, language: Language) -> bool {
    language == Language::Markdown && is_huge(input)
}

/// Whether the byte cap would cut the file.
fn is_capped(input: &Input<'_>) -> bool {
    input.source.text().len() > input.policy.max_output_bytes
}

/// How a file is shown; `None` for all of it.
fn level(input: &Input<'_>) -> Option<FileDetail> {
    let detection = input.detection;
    let is_chosen = detection.is_range || detection.starts_later;
    if detection.shape != Shape::File || is_chosen || !detection.is_written {
        return None;
    }
    let policy = input.policy;
    let (size, lines) = (input.source.text().len(), input.source.len());
    match policy.file_detail {
        FileDetail::Full => None,
        FileDetail::Auto => {
            let large = policy.outline_bytes().is_some_and(|bytes| size > bytes || is_capped(input));
            // A file that is open in an editor is about to be edited.
            let is_edited = detection.is_window;
            let asked = match lines {
                n if n <= policy.file_full_max_lines => return None,
                n if n > policy.file_structure_max_lines
                    && (policy.mode == Mode::Aggressive || is_huge(input)) =>
                {
                    FileDetail::Signatures
                }
                _ => FileDetail::Structure,
            };
            (large && !is_edited).then_some(asked)
        }
        asked => Some(asked),
    }
}

/// Applies the limits on lines that were set.
fn limited(input: &Input<'_>, ledger: &Ledger) -> Option<Reduction> {
    let policy = input.policy;
    if input.detection.shape != Shape::File || input.detection.is_range {
        return None;
    }
    let len = input.source.len();
    let head = policy.file_max_lines.filter(|n| *n > 0);
    let tail = policy.file_last_lines.filter(|n| *n > 0);
    let gone = match (head, tail) {
        (None, None) => return None,
        (Some(head), None) => head.min(len)..len,
        (None, Some(tail)) => 0..len.saturating_sub(tail),
        (Some(head), Some(tail)) => head.min(len)..len.saturating_sub(tail).max(head.min(len)),
    };
    let mut step = Reduction::default();
    // Changes only whole spans: a reference or gap of another step at the edge stays as it is.
    for span in ledger.spans() {
        let lines = span.lines.start.max(gone.start)..span.lines.end.min(gone.end);
        if !lines.is_empty() && (span.action == Action::Keep || lines == span.lines) {
            step.omit(lines, Reason::FileLimit);
        }
    }
    (!step.is_empty()).then_some(step)
}

/// Paths that the call names, or that a view names in its first lines.
fn paths<'a>(input: &'a Input<'_>) -> impl Iterator<Item = &'a str> {
    let words = input.detection.command.pipelines.iter().flatten().flat_map(|simple| &simple.argv);
    // `[File: src/a.py (12 lines total)]`, "running `cat -n` on /src/a.py:"
    let head = input.source.lines().take(3).filter(|line| line.ends_with([']', ':']));
    let named = head.flat_map(|line| line.split([' ', '`', '[', ']'])).map(|word| word.trim_end_matches(':'));
    let tidy = |word: &'a str| word.trim_matches(['`', '\'', '"']);
    input.call.path.as_deref().into_iter().chain(words.map(String::as_str)).map(tidy).chain(named)
}

/// Adds the line number before the first line of every shown signature.
fn number(input: &Input<'_>, items: &[Item<'_>], ledger: &Ledger, step: &mut Reduction) {
    let source = input.source;
    let mut lines: Vec<usize> = items.iter().map(|item| item.signature.start).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut next = lines.into_iter().peekable();
    let gaps = std::mem::take(&mut step.spans);
    let mut cut = gaps.into_iter().peekable();
    for kept in ledger.kept() {
        while next.next_if(|line| *line < kept.start).is_some() {}
        while let Some(line) = next.next_if(|line| *line < kept.end) {
            while let Some(gap) = cut.next_if(|gap| gap.lines.start <= line) {
                step.spans.push(gap);
            }
            if step.spans.last().is_none_or(|last| last.lines.end <= line) {
                // The `\r` of a line end is part of the line.
                let raw = source.raw(line);
                let text = format!("{}:{}", source.number(line), raw.strip_suffix('\n').unwrap_or(raw));
                step.replace(line..line + 1, text, Reason::LineNumbers);
            }
        }
    }
    step.spans.extend(cut);
}

/// A run of lines.
type Lines = Range<usize>;
