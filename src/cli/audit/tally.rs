//! Plays sessions and adds up their results.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde_json::Value;

use super::history::{History, asked};
use super::missed::{MAX_LISTED, failures, references};
use super::reached::{PlayedSession, Reached};
use super::report::{
    Figures, Group, LargeResult, PlaceFound, Refused, Report, ResultRow, SessionGroup, Unread, VERSION,
};
use super::shown::{path, shown};
use super::walk::{Found, walk};
use super::{formats::Format, notes::Notes, report::Broken};
use crate::cli::replay::child::{Answer, Child};
use crate::cli::replay::play::{Played, play};
use crate::cli::replay::record::{Record, Session, Transcript};

/// Receives the row of a result.
type Each<'a> = Box<dyn FnMut(&ResultRow<'_>) -> Result<(), String> + 'a>;

/// A running audit.
pub(super) struct Audit<'a> {
    child: &'a mut Child,
    policy: Value,
    seen: HashSet<std::path::PathBuf>,
    tools: BTreeMap<String, Figures>,
    formats: BTreeMap<&'static str, (usize, Figures)>,
    refused: BTreeMap<String, usize>,
    reached: Reached,
    top: usize,
    report: Report,
    /// Reports progress.
    tick: Box<dyn FnMut(&str) + 'a>,
    /// Gets the row of each result.
    each: Option<Each<'a>>,
}

impl<'a> Audit<'a> {
    pub(super) fn new(child: &'a mut Child, policy: Value, top: usize, tick: impl FnMut(&str) + 'a) -> Self {
        let report =
            Report { version: VERSION, tersed: env!("CARGO_PKG_VERSION").to_owned(), ..Report::default() };
        let (seen, tools, formats, refused) = Default::default();
        let reached = Reached::of_process();
        Self {
            child,
            policy,
            seen,
            tools,
            formats,
            refused,
            reached,
            top,
            report,
            tick: Box::new(tick),
            each: None,
        }
    }

    /// The same audit, but it also passes the row of each result to `each` as soon as its session was processed.
    pub(super) fn with_rows(self, each: impl FnMut(&ResultRow<'_>) -> Result<(), String> + 'a) -> Self {
        Self { each: Some(Box::new(each)), ..self }
    }

    /// Reads and plays everything below a path.
    pub(super) fn place(&mut self, root: &Path, host: Option<&str>) -> Result<(), String> {
        let place = self.report.places.len();
        let is_there = root.exists();
        let host_name = host.map(str::to_owned);
        self.report.places.push(PlaceFound {
            path: path(root),
            host: host_name,
            is_there,
            ..PlaceFound::default()
        });
        if !is_there && host.is_some() {
            return Ok(());
        }
        let mut seen = std::mem::take(&mut self.seen);
        let done = walk(root, &mut seen, &mut |found| match found {
            Found::Claimed(format, unit) => self.unit(format, &unit, place),
            Found::Part => Ok(()),
            Found::Unknown(file, reason) => {
                self.unread(&file, reason);
                Ok(())
            }
        });
        self.seen = seen;
        done
    }

    fn unread(&mut self, file: &Path, reason: String) {
        let files = &mut self.report.not_understood;
        files.file_count += 1;
        if files.files.len() < MAX_LISTED {
            files.files.push(Unread { path: path(file), reason: shown(&reason) });
        }
    }

    fn unit(&mut self, format: &'static Format, file: &Path, place: usize) -> Result<(), String> {
        (self.tick)(&path(file));
        let mut notes = Notes::default();
        let mut played = Ok(());
        let read = (format.read)(file, &mut notes, &mut |history| {
            if let Some(place) = self.report.places.get_mut(place) {
                place.sessions += 1;
                place.results += history.records.len();
            }
            if played.is_ok() {
                played = self.session(format, file, history);
            }
        });
        played?;
        match read {
            Ok(()) => self.report.places.get_mut(place).into_iter().for_each(|place| place.files += 1),
            Err(reason) => self.unread(file, format!("looks like {}, but: {reason}", format.title)),
        }
        let noted = &mut self.report.not_understood;
        noted.without_text += notes.without_text;
        noted.broken_lines += notes.broken_count;
        if notes.broken_count > 0 {
            noted.broken.push(Broken { path: path(file), lines: notes.broken, count: notes.broken_count });
        }
        Ok(())
    }

    fn session(&mut self, format: &'static Format, file: &Path, mut history: History) -> Result<(), String> {
        self.report.session_count += 1;
        let number = self.report.session_count;
        let id = (!history.is_loose).then(|| format!("audit-{number}"));
        let session = Session {
            id,
            records: std::mem::take(&mut history.records),
            needs: Vec::new(),
            transcript: Transcript::default(),
        };
        let mut rows: Vec<Figures> = Vec::with_capacity(session.records.len());
        let (child, policy) = (&mut *self.child, &self.policy);
        let (report, refused, top) = (&mut self.report, &mut self.refused, self.top);
        let answers = play(&session, policy, child, |played| {
            let row = match &played.answer {
                Ok(answer) => {
                    large(report, top, number, &played, answer);
                    let failures = failures(report, number, &played, answer);
                    row(&played, answer, history.sent(played.index), failures, report)
                }
                Err(reason) => {
                    *refused.entry(shown(reason)).or_default() += 1;
                    Figures::default()
                }
            };
            rows.push(row);
            Ok(())
        })?;
        if let Some(id) = &session.id {
            self.child.close(id)?;
        }
        references(&mut self.report, number, &session, &answers, &history.references, &mut rows);
        let of =
            PlayedSession { number, format: format.id, file, history: &history, records: &session.records };
        self.reached.count(self.child, &self.policy, &of, &mut rows)?;
        if let Some(each) = &mut self.each {
            let (file, name) = (path(file), shown(&history.id));
            for (index, (record, figures)) in session.records.iter().zip(&rows).enumerate() {
                let tool = shown(record.tool.as_deref().unwrap_or("(no name)"));
                each(&ResultRow { format: format.id, file: &file, session: &name, index, tool, figures })?;
            }
        }
        let mut sum = Figures::default();
        for (record, row) in session.records.iter().zip(&rows) {
            sum.add(row);
            self.tools.entry(shown(record.tool.as_deref().unwrap_or("(no name)"))).or_default().add(row);
        }
        self.report.total.add(&sum);
        let of_format = self.formats.entry(format.id).or_default();
        of_format.0 += 1;
        of_format.1.add(&sum);
        self.report.sessions.push(SessionGroup {
            number,
            session: shown(&history.id),
            format: format.id.to_owned(),
            file: path(file),
            requests: history.requests,
            figures: sum,
        });
        if self.report.sessions.len() > self.top * 2 + 1000 {
            self.best();
        }
        Ok(())
    }

    /// Sorts sessions by the tokens that they would save, most first.
    fn best(&mut self) {
        self.report.sessions.sort_by_key(|s| (std::cmp::Reverse(s.figures.saved()), s.number));
        self.report.sessions.truncate(self.top);
    }

    /// The report.
    pub(super) fn done(mut self, mode: &str) -> Report {
        self.best();
        mode.clone_into(&mut self.report.mode);
        "o200k".clone_into(&mut self.report.tokenizer);
        let group = |(name, figures): (String, Figures)| Group { name, sessions: None, figures };
        let mut tools: Vec<Group> = std::mem::take(&mut self.tools).into_iter().map(group).collect();
        tools.sort_by_key(|g| {
            (std::cmp::Reverse(g.figures.saved()), std::cmp::Reverse(g.figures.tokens_before))
        });
        self.report.tools = tools;
        let formats = std::mem::take(&mut self.formats).into_iter();
        self.report.formats = formats
            .map(|(name, (sessions, figures))| Group {
                name: name.to_owned(),
                sessions: Some(sessions),
                figures,
            })
            .collect();
        let refused = std::mem::take(&mut self.refused).into_iter();
        (self.report.hosts, self.report.not_reached) = self.reached.done();
        self.report.not_understood.refused =
            refused.map(|(reason, results)| Refused { reason, results }).collect();
        self.report
    }
}

fn number(evidence: &Value, pointer: &str) -> u64 {
    evidence.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// The sums of one result, without references.
fn row(
    played: &Played<'_>,
    answer: &Answer,
    sent: usize,
    failures: (usize, usize),
    report: &mut Report,
) -> Figures {
    let before = number(&answer.evidence, "/tokens/before");
    let after = number(&answer.evidence, "/tokens/after");
    let is_same = answer.content == played.record.output;
    let bucket = match before.saturating_sub(after) {
        _ if is_same => 0,
        saved => 1 + (saved * 5).div_ceil(before.max(1)).saturating_sub(1).min(4) as usize,
    };
    if let Some(bucket) = report.distribution.get_mut(bucket) {
        *bucket += 1;
    }
    let times = sent as u64;
    Figures {
        results: 1,
        unchanged: usize::from(is_same),
        tokens_before: before,
        tokens_after: after,
        sent_before: before.saturating_mul(times),
        sent_after: after.saturating_mul(times),
        failure_lines: failures.0,
        failure_lines_visible: failures.1,
        ..Figures::default()
    }
}

/// Keeps the largest results.
fn large(report: &mut Report, top: usize, session: usize, played: &Played<'_>, answer: &Answer) {
    let before = number(&answer.evidence, "/tokens/before");
    let place = report.largest.partition_point(|other| other.tokens_before >= before);
    if place >= top {
        return;
    }
    let record: &Record = played.record;
    let call = asked(record);
    let what = record.command.clone().or(call.path).unwrap_or_default();
    let large = LargeResult {
        session,
        call: shown(&record.id),
        tool: shown(record.tool.as_deref().unwrap_or_default()),
        asked: shown(&what),
        tokens_before: before,
        tokens_after: number(&answer.evidence, "/tokens/after"),
    };
    report.largest.insert(place, large);
    report.largest.truncate(top);
}
