//! References to what the model can still see: whatever a session does, every original can be rebuilt
//! from what is visible and from artifacts, and no reference points at what left the context.

use std::collections::HashMap;

use crate::common::call;
use proptest::prelude::*;
use serde_json::{Value, json};
use tersed::engine::Engine;
use tersed::text::marker::{Ago, Marker, NumbersThere};

const COMPRESS: &str = "toolResult/compress";

/// How a view numbers its lines.
#[derive(Debug, Clone, Copy)]
enum Style {
    Bare,
    Colon,
    Tab,
    Padded,
    Arrow,
    Bar,
}

impl Style {
    fn line(self, number: usize, text: &str) -> String {
        match self {
            Self::Bare => text.to_owned(),
            Self::Colon => format!("{number}:{text}"),
            Self::Tab => format!("{number}\t{text}"),
            Self::Padded => format!("{number:>6}\t{text}"),
            Self::Arrow => format!("{number:>6}→{text}"),
            Self::Bar => format!("{number}|{text}"),
        }
    }
}

/// A step of a session.
#[derive(Debug, Clone)]
enum Step {
    /// A part of a file is shown.
    Read { file: usize, from: usize, len: usize, style: Style },
    /// Lines of a file are replaced, and the call's result shows the file around them.
    Edit { file: usize, at: usize, remove: usize, lines: Vec<usize>, style: Style, tells: bool },
    /// The request of an earlier call, under a new id.
    AskAgain(usize),
    /// An earlier result is sent again unchanged.
    Resend(usize),
    /// Results leave the context.
    Evict(Vec<usize>),
    /// Only these stay.
    Keep(Vec<usize>),
    /// The conversation is summarized, and only these stay.
    Compact(Vec<usize>),
    /// It continues in a new session.
    Fork,
    /// As `Fork`, from a point at which only these were visible.
    ForkAt(Vec<usize>),
}

fn style() -> impl Strategy<Value = Style> {
    use Style::{Arrow, Bar, Bare, Colon, Padded, Tab};
    prop_oneof![Just(Bare), Just(Colon), Just(Tab), Just(Padded), Just(Arrow), Just(Bar)]
}

fn step() -> impl Strategy<Value = Step> {
    let lines = || prop::collection::vec(0usize..40, 0..12);
    prop_oneof![
        6 => (0usize..2, 0usize..80, 1usize..90, style())
            .prop_map(|(file, from, len, style)| Step::Read { file, from, len, style }),
        3 => (0usize..2, 0usize..90, 0usize..4, lines(), style(), any::<bool>()).prop_map(
            |(file, at, remove, lines, style, tells)| Step::Edit { file, at, remove, lines, style, tells }
        ),
        2 => any::<usize>().prop_map(Step::AskAgain),
        1 => any::<usize>().prop_map(Step::Resend),
        1 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Evict),
        1 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Keep),
        1 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Compact),
        1 => Just(Step::Fork),
        1 => prop::collection::vec(any::<usize>(), 0..6).prop_map(Step::ForkAt),
    ]
}

/// Lines as in files: some are specific, some are in every file.
fn phrase(n: usize) -> String {
    match n % 8 {
        0 => String::new(),
        1 => "}".to_owned(),
        2 => "    return Err(error);".to_owned(),
        3 => format!("fn step_{n}(input: &str) -> Result<usize, Error> {{"),
        4 => format!("    let value_{n} = input.trim().parse::<usize>()?; // 12: not a number"),
        5 => format!("3:    {n}\tkey"),
        6 => format!("    // Why step {n} is needed: the error must not be lost."),
        _ => format!("\tself.total += value_{n} * {n};"),
    }
}

/// One line of a result as it was.
#[derive(Debug, Clone)]
struct Line {
    number: Option<usize>,
    text: String,
    full: String,
}

/// A call as a host would send it.
#[derive(Debug, Clone)]
struct Sent {
    request: Value,
    original: Vec<Line>,
    content: String,
}

/// The lines that the model can see under a call id, by their number in the result.
#[derive(Debug, Default)]
struct Seen {
    lines: HashMap<usize, Line>,
    /// Lines that the result itself replaces by a reference to its own earlier lines. A result that is equal as a
    /// whole may refer to them, but a part of another result may not.
    repeated: HashMap<usize, Line>,
    arguments: HashMap<String, Vec<String>>,
    /// How many lines the result had.
    len: usize,
}

struct World {
    engine: Engine,
    /// The session in which it continues, and those that it was in before.
    session: String,
    left: Vec<String>,
    policy: Value,
    files: Vec<Vec<String>>,
    sent: Vec<Sent>,
    visible: HashMap<String, Seen>,
    references: usize,
    /// Calls before the first fork: all sessions know them.
    before: usize,
}

impl World {
    fn new(policy: Value) -> Self {
        let files = (0..2).map(|f| (0..90).map(|i| phrase(i * 7 + f * 3)).collect()).collect();
        let engine = Engine::default();
        Self {
            engine,
            session: "s".to_owned(),
            left: Vec::new(),
            policy,
            files,
            sent: Vec::new(),
            visible: HashMap::new(),
            references: 0,
            before: 0,
        }
    }

    fn id(&self, n: usize) -> String {
        format!("toolu_{n:04}")
    }

    fn view(&self, file: usize, from: usize, len: usize, style: Style) -> Vec<Line> {
        let file = &self.files[file];
        let lines = file.iter().enumerate().skip(from).take(len);
        let line = |(i, text): (usize, &String)| Line {
            number: (!matches!(style, Style::Bare)).then_some(i + 1),
            text: text.clone(),
            full: style.line(i + 1, text),
        };
        lines.map(line).collect()
    }

    fn play(&mut self, step: &Step) {
        match step {
            Step::Read { file, from, len, style } => {
                let lines = self.view(*file, *from, *len, *style);
                let arguments = json!({"path": format!("src/file{file}.rs"), "offset": from, "limit": len, "as": format!("{style:?}")});
                self.send("read_file", arguments, lines);
            }
            Step::Edit { file, at, remove, lines, style, tells } => {
                let at = (*at).min(self.files[*file].len());
                let end = (at + remove).min(self.files[*file].len());
                let new: Vec<String> = lines.iter().map(|n| phrase(*n)).collect();
                let len = new.len();
                self.files[*file].splice(at..end, new.clone());
                let lines = self.view(*file, at.saturating_sub(9), len + 18, *style);
                let arguments = match tells {
                    true => {
                        json!({"path": format!("src/file{file}.rs"), "line": at, "new_text": new.join("\n")})
                    }
                    false => json!({"path": format!("src/file{file}.rs"), "line": at}),
                };
                self.send("edit", arguments, lines);
            }
            Step::AskAgain(n) if !self.sent.is_empty() => {
                let earlier = self.sent[n % self.sent.len()].clone();
                let tool = earlier.request["tool"].as_str().unwrap().to_owned();
                self.send(&tool, earlier.request["arguments"].clone(), earlier.original);
            }
            Step::Resend(n) if !self.sent.is_empty() => {
                let (n, earlier) = (n % self.sent.len(), &self.sent[n % self.sent.len()]);
                let answer = self.compress(&earlier.request);
                assert_eq!(answer["content"], earlier.content.as_str(), "a resend changed");
                // Also where it was before, unless it was not there yet.
                for session in self.left.iter().filter(|_| n < self.before) {
                    let answer = self.compress_in(session, &earlier.request);
                    assert_eq!(answer["content"], earlier.content.as_str(), "a resend changed in {session}");
                }
            }
            Step::Evict(which) => {
                let ids: Vec<String> = which.iter().map(|n| self.id(n % self.sent.len().max(1))).collect();
                ids.iter().for_each(|id| drop(self.visible.remove(id)));
                call(
                    &self.engine,
                    "session/evicted",
                    &json!({"sessionId": self.session, "toolCallIds": ids}),
                );
            }
            Step::Keep(which) => {
                let ids: Vec<String> = which.iter().map(|n| self.id(n % self.sent.len().max(1))).collect();
                self.visible.retain(|id, _| ids.contains(id));
                call(&self.engine, "session/evicted", &json!({"sessionId": self.session, "visible": ids}));
            }
            Step::Compact(which) => {
                let ids: Vec<String> = which.iter().map(|n| self.id(n % self.sent.len().max(1))).collect();
                self.visible.retain(|id, _| ids.contains(id));
                call(&self.engine, "session/compacted", &json!({"sessionId": self.session, "visible": ids}));
            }
            Step::Fork => self.fork(None),
            Step::ForkAt(which) => {
                let ids: Vec<String> = which.iter().map(|n| self.id(n % self.sent.len().max(1))).collect();
                self.visible.retain(|id, _| ids.contains(id));
                self.fork(Some(ids));
            }
            Step::AskAgain(_) | Step::Resend(_) => {}
        }
    }

    fn compress(&self, result: &Value) -> Value {
        self.compress_in(&self.session, result)
    }

    fn compress_in(&self, session: &str, result: &Value) -> Value {
        call(&self.engine, COMPRESS, &json!({"sessionId": session, "result": result, "policy": self.policy}))
    }

    fn fork(&mut self, visible: Option<Vec<String>>) {
        let new = format!("s{}", self.left.len() + 1);
        let params = json!({"sessionId": self.session, "newSessionId": new, "visible": visible});
        let answer = call(&self.engine, "session/fork", &params);
        assert_eq!(answer, json!({"sessionId": new, "created": true, "calls": self.sent.len()}));
        // The session that was left receives another result. The new session must not refer to it.
        let other =
            json!({"toolCallId": format!("other{new}"), "tool": "read_file", "content": self.text_of(0)});
        self.compress_in(&self.session, &other);
        self.left.push(std::mem::replace(&mut self.session, new));
        self.before = if self.left.len() == 1 { self.sent.len() } else { self.before };
    }

    fn text_of(&self, file: usize) -> String {
        self.files[file].iter().map(|line| format!("{line}\n")).collect()
    }

    fn send(&mut self, tool: &str, arguments: Value, original: Vec<Line>) {
        let id = self.id(self.sent.len());
        let content: String = original.iter().map(|l| format!("{}\n", l.full)).collect();
        let request = json!({"toolCallId": id, "tool": tool, "arguments": arguments, "content": content});
        let answer = self.compress(&request);
        let mut seen = Seen { len: original.len(), ..Seen::default() };
        for (name, value) in request["arguments"].as_object().unwrap() {
            let lines = value.as_str().unwrap_or_default().split('\n').map(str::to_owned);
            seen.arguments.insert(name.clone(), lines.collect());
        }
        self.visible.insert(id.clone(), seen);
        self.rebuild(&id, &answer, &original);
        let content = answer["content"].as_str().unwrap().to_owned();
        self.sent.push(Sent { request, original, content });
    }

    /// Rebuilds the original from the answer and the visible results; fails if that is impossible.
    fn rebuild(&mut self, id: &str, answer: &Value, original: &[Line]) {
        let text = answer["content"].as_str().unwrap();
        let mut omissions = answer["evidence"]["omissions"].as_array().unwrap().iter();
        let mut at = 0;
        let mut named = None;
        let read = |line| Marker::parse(line).filter(|(_, len)| *len == line.len()).map(|(marker, _)| marker);
        let parts = text.lines().flat_map(|line| match read(line) {
            Some(marker) => marker.references().iter().cloned().map(|one| (line, Some(one))).collect(),
            None => vec![(line, None)],
        });
        let mut before = "";
        for (line, marker) in parts {
            // A marker of several references names a file only once.
            let is_further = std::mem::replace(&mut before, line) == line;
            let marker = match marker {
                Some(Marker::There { first, last, there }) => {
                    let origin = Option::clone(&named).expect("a reference before says where");
                    Some(Marker::Shown { first, last, there, origin, ago: Some(Ago::Results(1)) })
                }
                other => other,
            };
            match marker {
                None => {
                    let expected = original.get(at).unwrap_or_else(|| panic!("`{line}` was not there"));
                    assert_eq!(line, expected.full, "line {} of {id}", at + 1);
                    self.visible.get_mut(id).unwrap().lines.insert(at, expected.clone());
                    at += 1;
                }
                Some(Marker::Duplicate { call, .. }) => {
                    let seen = self.visible.get(&call).unwrap_or_else(|| panic!("{call} is not visible"));
                    assert!(call != id && seen.len == original.len());
                    for (i, line) in original.iter().enumerate() {
                        let there = seen.lines.get(&i).or_else(|| seen.repeated.get(&i));
                        assert_eq!(there.expect("shown, or told to repeat").full, line.full);
                    }
                    self.references += 1;
                    at = original.len();
                }
                Some(Marker::Shown { first, last, there, origin, ago }) => {
                    assert!(ago.is_some() && (origin.label.is_some() || is_further), "{line}");
                    named = Some(origin.clone());
                    let by = &omissions.next().unwrap()["shownBy"];
                    let own = by["lines"][0].as_u64().unwrap() as usize;
                    let lines = &original[at..=at + last - first];
                    assert_eq!(by["toolCallId"], origin.call.as_str());
                    let seen = self.visible.get(&origin.call).expect("the call is visible");
                    for (i, line) in lines.iter().enumerate() {
                        assert_eq!(line.number.unwrap_or(at + i + 1), first + i, "what the lines are called");
                        if let Some(argument) = &origin.argument {
                            assert_eq!(seen.arguments[argument][own - 1 + i], line.text);
                            assert_eq!(there, NumbersThere::NoNumbers, "no argument shows numbers");
                            continue;
                        }
                        let shown = seen.lines.get(&(own - 1 + i)).expect("no reference points into a gap");
                        assert_eq!(shown.text, line.text);
                        match there {
                            NumbersThere::From(there) => {
                                assert_eq!(shown.number, Some(there + i), "what they are called there")
                            }
                            NumbersThere::SameNumbers => {
                                assert_eq!(shown.number, Some(first + i), "{}", origin.call)
                            }
                            NumbersThere::NoNumbers => assert_eq!(shown.number, None, "{}", origin.call),
                        }
                    }
                    self.references += 1;
                    at += lines.len();
                }
                Some(Marker::Repeats { period, first, last, .. }) => {
                    for i in at..=at + last - first {
                        assert_eq!(original[i].full, original[i - period].full);
                        self.visible.get_mut(id).unwrap().repeated.insert(i, original[i].clone());
                    }
                    omissions.next();
                    at += last - first + 1;
                }
                Some(other) => panic!("{other:?} in a small view"),
            }
        }
        assert_eq!(at, original.len(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_original_can_be_rebuilt(steps in prop::collection::vec(step(), 1..40), small in any::<bool>()) {
        let mut world = World::new(if small { json!({"minBytes": 0}) } else { json!({}) });
        for step in &steps {
            world.play(step);
        }
        // At the end the whole history again: the same bytes.
        for n in 0..world.sent.len() {
            world.play(&Step::Resend(n));
        }
    }
}

fn read(file: usize, from: usize, len: usize, style: Style) -> Step {
    Step::Read { file, from, len, style }
}

fn played(policy: Value, steps: &[Step]) -> World {
    let mut world = World::new(policy);
    steps.iter().for_each(|step| world.play(step));
    world
}

#[test]
fn overlapping_views_match_by_content_in_every_numbering() {
    for (a, b) in [
        (Style::Arrow, Style::Arrow),
        (Style::Padded, Style::Colon),
        (Style::Bar, Style::Tab),
        (Style::Bare, Style::Arrow),
        (Style::Tab, Style::Bare),
    ] {
        let world = played(json!({}), &[read(0, 0, 60, a), read(0, 20, 60, b)]);
        let content = &world.sent[1].content;
        assert!(world.references == 1 && content.lines().count() < 30, "{a:?} {b:?}: {content}");
        let numbers = |from: usize, to: usize, style: Style| match style {
            Style::Bare => (1, to - from + 1),
            _ => (from, to),
        };
        let (first, last) = numbers(21, 60, b);
        let here = if matches!(a, Style::Bare) { " here" } else { "" };
        // The heading of the lines below is kept: of lines without numbers also one that is some lines above.
        let kept = if matches!(b, Style::Bare) { 8 } else { 1 };
        let mut ends = (last - kept..=last).map(|last| format!("lines {first}-{last}{here} as "));
        assert!(ends.any(|marker| content.contains(&marker)), "{content}");
    }
}

#[test]
fn after_an_edit_the_change_is_shown_with_what_stands_around_it() {
    let edit = Step::Edit { file: 0, at: 40, remove: 1, lines: vec![4, 6], style: Style::Tab, tells: false };
    let world = played(json!({}), &[read(0, 0, 90, Style::Tab), edit, read(0, 0, 91, Style::Tab)]);
    let content = &world.sent[2].content;
    assert!(world.references >= 3, "{content}");
    assert!(content.lines().count() <= 12, "{content}");
    assert!(content.contains("as in toolu_0000") && content.contains("as lines "), "{content}");
}

#[test]
fn a_result_whose_own_lines_repeat_can_be_referred_to_whole() {
    let mut world = World::new(json!({"minBytes": 0}));
    world.files[0].splice(29..29, (0..3).map(|_| phrase(12)));
    let lines = world.view(0, 10, 40, Style::Bare);
    world.send("query", json!({"text": "one"}), lines.clone());
    world.send("query", json!({"text": "two"}), lines);
    let contents: Vec<&str> = world.sent.iter().map(|sent| sent.content.as_str()).collect();
    assert!(contents[0].contains(" repeats 2 times more"), "{}", contents[0]);
    assert!(contents[1].starts_with("[Duplicate of ") && contents[1].lines().count() <= 7, "{}", contents[1]);
}

#[test]
fn what_the_model_wrote_into_a_call_is_not_told_again() {
    let written = |style| {
        let mut world = World::new(json!({}));
        let lines = world.view(0, 0, 60, style);
        let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let arguments = json!({"path": "src/file0.rs", "content": text.join("\n")});
        world.send("write_file", arguments, lines);
        world
    };
    let bare = written(Style::Bare);
    let content = &bare.sent[0].content;
    assert!(
        content.contains(" as in content of toolu_0000 (write_file); src/file0.rs, this call]"),
        "{content}"
    );
    // Where the lines carry numbers these would be lost: agents cite them.
    assert_eq!(written(Style::Colon).references, 0);
    // An agent that reads a file it wrote wants to see the file.
    let mut looked = written(Style::Bare);
    let shown = looked.view(0, 0, 60, Style::Bare);
    let before = looked.references;
    looked.send("bash", json!({"command": "cat src/file0.rs"}), shown);
    assert_eq!(looked.references, before, "{}", looked.sent[1].content);
    // Lines that an edit changed are shown, although the model wrote them.
    let lines: Vec<usize> = (100..140).filter(|n| ![2, 3, 6].contains(&(n % 8))).collect();
    let edit = Step::Edit { file: 0, at: 40, remove: 0, lines, style: Style::Bare, tells: true };
    assert_eq!(played(json!({}), &[edit]).references, 0);
}

#[test]
fn the_newest_place_that_shows_the_lines_is_named() {
    let steps = [
        read(0, 0, 60, Style::Tab),
        Step::Evict(vec![7]),
        Step::Keep(vec![]),
        read(0, 0, 60, Style::Colon),
        read(0, 10, 60, Style::Arrow),
    ];
    let world = played(json!({}), &steps);
    assert!(world.sent[2].content.contains("as in toolu_0001"), "{}", world.sent[2].content);
}

#[test]
fn outputs_are_referred_to_within_the_window_only() {
    let far = |policy: Value| {
        let world = played(
            policy,
            &[read(0, 0, 60, Style::Tab), read(1, 0, 60, Style::Tab), read(0, 0, 60, Style::Colon)],
        );
        world.sent[2].content.contains("as in toolu_0000")
    };
    assert!(far(json!({})));
    assert!(!far(json!({"dedupWindowResults": 0})) && far(json!({"dedupWindowResults": 1})));
    assert!(!far(json!({"dedupWindowTokens": 500})) && far(json!({"dedupWindowTokens": 5000})));
    assert!(!far(json!({"dedup": false})) && !far(json!({"mode": "safe"})));
}

#[test]
fn a_host_that_tells_what_is_visible_needs_no_window() {
    let steps = [
        read(0, 0, 60, Style::Tab),
        Step::Evict(vec![]),
        read(1, 0, 60, Style::Tab),
        read(0, 0, 60, Style::Colon),
    ];
    let world = played(json!({"dedupWindowResults": 0}), &steps);
    assert!(world.sent[2].content.contains("as in toolu_0000"), "{}", world.sent[2].content);
}

#[test]
fn asking_again_gets_it_in_full_once() {
    let steps = [read(0, 0, 60, Style::Tab), Step::AskAgain(0), Step::AskAgain(0), Step::AskAgain(0)];
    let world = played(json!({}), &steps);
    let in_full = |n: usize| world.sent[n].content.lines().count() == 60;
    assert_eq!((0..4).map(in_full).collect::<Vec<_>>(), [true, false, true, false]);
    let same = played(json!({"onRepeat": "same"}), &steps);
    assert!((1..4).all(|n| same.sent[n].content.lines().count() == 1));
    // The calls of one turn were made before the model saw any of their results.
    let engine = Engine::default();
    let text: String = (0..60).map(|n| format!("{}\n", phrase(n))).collect();
    let item = |id: &str| json!({"toolCallId": id, "tool": "bash", "command": "cat a.rs", "content": text});
    let batch = json!({"sessionId": "s", "results": [item("a"), item("b"), item("c")]});
    let answer = call(&engine, "toolResult/compressBatch", &batch);
    let bytes: Vec<usize> = (0..3).map(|i| answer["results"][i]["content"].as_str().unwrap().len()).collect();
    assert!(bytes[0] == text.len() && bytes[1] < 120 && bytes[2] < 120, "{bytes:?}");
}

#[test]
fn failures_and_the_end_of_a_report_are_told_every_time() {
    let engine = Engine::default();
    let report = |seconds: &str| {
        let steps: String =
            (0..40).map(|n| format!("step {n}: reading the settings of the service\n")).collect();
        format!("{steps}error: the file is missing\n{steps}3 steps failed in {seconds} s\nbye\n")
    };
    let run = |id: &str, seconds: &str| {
        let result = json!({"toolCallId": id, "tool": "bash", "command": format!("run {id}"), "content": report(seconds)});
        let answer = call(&engine, COMPRESS, &json!({"sessionId": "s", "result": result}));
        answer["content"].as_str().unwrap().to_owned()
    };
    run("a", "1.5");
    let second = run("b", "1.7");
    assert!(
        second.contains("as in a (bash)") && second.contains("\nerror: the file is missing\n"),
        "{second}"
    );
    assert!(second.ends_with("3 steps failed in 1.7 s\nbye\n"), "{second}");
}

#[test]
fn lines_can_be_asked_for_by_the_numbers_that_markers_name() {
    let world = played(json!({}), &[read(0, 30, 50, Style::Arrow), read(0, 35, 40, Style::Tab)]);
    assert!(world.sent[1].content.contains("lines 36-75 as in toolu_0000"), "{}", world.sent[1].content);
    let list = call(&world.engine, "artifact/list", &json!({"sessionId": "s"}));
    let stored =
        list["artifacts"].as_array().unwrap().iter().find(|a| a["toolCallId"] == "toolu_0001").unwrap();
    let lines = |numbering: &str, lines: [usize; 2]| {
        let params = json!({"sessionId": "s", "id": stored["id"], "lines": [lines], "numbering": numbering});
        call(&world.engine, "artifact/read", &params)
    };
    let shown = lines("shown", [40, 41]);
    assert_eq!(shown["lines"], json!([[5, 6]]));
    assert!(shown["text"].as_str().unwrap().starts_with("40\t"), "{shown}");
    assert_eq!(lines("result", [5, 6])["text"], shown["text"]);
    assert_eq!(lines("shown", [5, 6])["text"], shown["text"], "no line carries 5: its place");
}

#[test]
fn what_has_gaps_is_never_pointed_into() {
    let engine = Engine::default();
    let passed: String = (0..40).map(|i| format!("test area::case_number_{i} ... ok\n")).collect();
    let log = format!(
        "\nrunning 40 tests\n{passed}\ntest result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"
    );
    let first = json!({"toolCallId": "a", "tool": "bash", "command": "cargo test", "content": log});
    let answer = call(&engine, COMPRESS, &json!({"sessionId": "s", "result": first}));
    assert!(answer["content"].as_str().unwrap().contains("omitted 40"), "{answer}");
    // The same lines in a file: none of them was shown.
    let file = json!({"toolCallId": "b", "tool": "read_file", "path": "notes.md", "content": format!("# Notes\n{passed}")});
    let answer =
        call(&engine, COMPRESS, &json!({"sessionId": "s", "result": file, "policy": {"fileDetail": "full"}}));
    assert!(!answer["content"].as_str().unwrap().contains("(bash)"), "{answer}");
}
