//! The grammar of a command line, far enough to know which programs ran, in which order, and where
//! their output went: lists, pipelines, groups, conditions, loops, functions, wrappers and scripts
//! inside arguments.
//!
//! Compound commands are flattened into the pipelines in them. A loop over literal words is unrolled, so that its
//! printed lines can be found. Bounded in depth and in pipelines.

use std::collections::HashMap;

use super::lex::{Dialect, STDOUT_AND_STDERR, Target, Token, Word, lex};
use super::wrap::{Unwrapped, unwrap};
use super::{CommandLine, Join, Pipeline, Simple};

/// Most levels of commands within commands. A choice; bounds the stack.
pub(super) const MAX_DEPTH: usize = 12;
/// Most pipelines of a command line. Bounds the work.
pub(super) const MAX_PIPELINES: usize = 256;
/// Most pipelines that calls of functions add. Bounds the work.
const MAX_CALLED_PIPELINES: usize = 16 * MAX_PIPELINES;
/// Most programs of all pipelines together; then no more are added. Bounds the work.
const MAX_PROGRAMS: usize = 16 * MAX_PIPELINES;
/// Keywords of PowerShell that script blocks follow.
const BLOCKS: &[&str] =
    &["if", "elseif", "else", "foreach", "for", "while", "do", "try", "catch", "finally", "switch"];

/// Commands that write nothing of interest.
const SETUP_BUILTINS: &[&str] = &[
    "cd",
    "pushd",
    "popd",
    "export",
    "set",
    "source",
    ".",
    "unset",
    "alias",
    "umask",
    "ulimit",
    "true",
    ":",
    "mkdir",
    "clear",
    "cls",
    "sleep",
    "wait",
    "shopt",
    "shift",
    "return",
    "exit",
    "local",
    "declare",
    "typeset",
    "readonly",
    "trap",
    "read",
    "test",
    "[",
    "setlocal",
    "endlocal",
    "rem",
    "param",
    "break",
    "continue",
    "Set-Location",
    "Start-Sleep",
    "Clear-Host",
    "Set-StrictMode",
    "Import-Module",
    "Set-ExecutionPolicy",
];

/// Reads a command line.
pub(super) fn parse(text: &str, dialect: Dialect) -> CommandLine {
    let mut line = CommandLine::default();
    let mut functions = Functions::default();
    line.pipelines = script(text, dialect, 0, &mut functions);
    line.is_traced = traces(text);
    line.pipelines.retain(|p| !(p.len() == 1 && is_setup(&p[0])));
    line
}

/// Whether the shell prints each command before it runs.
fn traces(text: &str) -> bool {
    /// Words before an option, each with the options that mean it.
    const SIGNS: &[(&[u8], &[&[u8]])] = &[
        (b"set ", &[b"-x", b"-ex", b"-xe", b"-eux", b"-o xtrace"]),
        (b"sh ", &[b"-x"]),
        (b"bash ", &[b"-ex", b"-xe"]),
    ];
    let text = text.as_bytes();
    memchr::memchr_iter(b'-', text).any(|at| {
        let (before, option) = text.split_at(at);
        SIGNS.iter().any(|(word, options)| {
            before.ends_with(word) && options.iter().any(|sign| option.starts_with(sign))
        })
    })
}

fn is_setup(simple: &Simple) -> bool {
    let prints = matches!(simple.program(), "set" | "export" | "alias" | "declare" | "trap") && {
        simple.argv.len() == 1 || simple.has_flag(&["-p"])
    };
    SETUP_BUILTINS.contains(&simple.program()) && !prints
}

/// Functions of a script, by name, and how many pipelines their calls gave.
#[derive(Default)]
pub(super) struct Functions {
    known: HashMap<String, Vec<Pipeline>>,
    called: usize,
}

impl Functions {
    pub(super) fn insert(&mut self, name: String, body: Vec<Pipeline>) {
        self.known.insert(name, body);
    }

    /// The pipelines of a call; none once all calls together have added too many.
    fn call(&mut self, name: &str) -> Option<Vec<Pipeline>> {
        let body = self.known.get(name)?;
        if self.called > MAX_CALLED_PIPELINES {
            return Some(Vec::new());
        }
        self.called += body.len();
        Some(body.clone())
    }
}

pub(super) fn script(text: &str, dialect: Dialect, depth: usize, functions: &mut Functions) -> Vec<Pipeline> {
    let tokens = lex(text, dialect);
    let mut parser = Parser { tokens: &tokens, at: 0, dialect, depth, functions };
    let mut out = Vec::new();
    while parser.at < tokens.len() && out.len() < MAX_PIPELINES {
        let before = parser.at;
        out.extend(parser.list(&[]));
        // A closing bracket or keyword without an opening one.
        if parser.at == before || parser.at < tokens.len() {
            parser.at += 1;
        }
    }
    out.truncate(MAX_PIPELINES);
    out
}

pub(super) struct Parser<'t, 'f> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) depth: usize,
    pub(super) functions: &'f mut Functions,
}

/// An element of a pipeline.
pub(super) enum Element {
    /// Programs whose pipelines are known.
    Known(Vec<Pipeline>),
    /// A program that takes what the others wrote as its arguments.
    Consumer(Simple),
    Simple(Simple),
}

impl Parser<'_, '_> {
    pub(super) fn op(&self) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Op(op)) => Some(op),
            _ => None,
        }
    }

    /// The next word, where it may be a keyword.
    pub(super) fn keyword(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some(Token::Word(Word { text, is_quoted: false })) => Some(text),
            _ => None,
        }
    }

    /// Pipelines up to one of the keywords, a closing bracket or the end.
    pub(super) fn list(&mut self, stop: &[&str]) -> Vec<Pipeline> {
        let mut out: Vec<Pipeline> = Vec::new();
        let mut join = Join::Then;
        while self.at < self.tokens.len() {
            match self.op() {
                Some(")") => break,
                Some(op) if op != "(" => {
                    join = match op {
                        "&&" => Join::And,
                        "||" => Join::Or,
                        "\n" if matches!(join, Join::And | Join::Or) => join,
                        _ => Join::Then,
                    };
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if self.keyword().is_some_and(|word| stop.contains(&word)) {
                break;
            }
            let before = self.at;
            let mut found = self.pipeline();
            if let Some(first) = found.first_mut() {
                first.join = join;
            }
            if out.len() < MAX_PIPELINES {
                out.append(&mut found);
            }
            if self.at == before {
                self.at += 1;
            }
            join = Join::Then;
        }
        out
    }

    pub(super) fn pipeline(&mut self) -> Vec<Pipeline> {
        let mut current: Vec<Pipeline> = Vec::new();
        let mut is_first = true;
        loop {
            if let Some(element) = self.element() {
                current = joined(current, element, is_first);
                is_first = false;
            }
            match self.op() {
                Some("|") => {
                    self.at += 1;
                    while self.op() == Some("\n") {
                        self.at += 1;
                    }
                }
                _ => return current,
            }
        }
    }

    pub(super) fn element(&mut self) -> Option<Element> {
        while self.keyword() == Some("!") {
            self.at += 1;
        }
        if self.depth >= MAX_DEPTH {
            self.at = self.tokens.len();
            return None;
        }
        self.depth += 1;
        let group = match (self.op(), self.keyword()) {
            (Some("("), _) => {
                self.at += 1;
                let list = self.list(&[]);
                self.at += usize::from(self.op() == Some(")"));
                Some(list)
            }
            (_, Some(word)) if self.dialect == Dialect::PowerShell => {
                BLOCKS.contains(&word).then(|| self.script_blocks())
            }
            (_, Some("{")) => Some(self.block(&["}"])),
            (_, Some("if")) => {
                let mut list = self.block(&["then"]);
                loop {
                    list.extend(self.list(&["else", "elif", "fi"]));
                    let is_end = !matches!(self.keyword(), Some("else" | "elif"));
                    self.at += usize::from(self.at < self.tokens.len());
                    if is_end {
                        break Some(list);
                    }
                }
            }
            (_, Some("while" | "until")) => {
                let mut list = self.block(&["do"]);
                list.extend(self.list(&["done"]));
                self.at += usize::from(self.at < self.tokens.len());
                Some(list)
            }
            (_, Some("for" | "select")) => Some(self.loop_over()),
            (_, Some("case")) => Some(self.case()),
            (_, Some("function")) => {
                self.at += 1;
                None
            }
            _ => None,
        };
        let element = match group {
            Some(list) => self.redirected(list),
            None => self.simple(),
        };
        self.depth -= 1;
        element
    }

    /// Redirections after a group may send its output elsewhere.
    fn redirected(&mut self, mut list: Vec<Pipeline>) -> Option<Element> {
        while let Some(Token::Redirect(stream, target)) = self.tokens.get(self.at) {
            if let Some((stdout, stderr)) = hides(*stream, target) {
                for simple in list.iter_mut().filter_map(|p| p.parts.last_mut()) {
                    simple.to_file |= stdout;
                    simple.stderr_to_file |= stderr;
                }
            }
            self.at += 1;
        }
        Some(Element::Known(list))
    }

    fn simple(&mut self) -> Option<Element> {
        let mut simple = Simple::default();
        let mut words: Vec<Word> = Vec::new();
        let mut input = None;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Op("(")
                    if words.len() == 1 && self.tokens.get(self.at + 1) == Some(&Token::Op(")")) =>
                {
                    return self.function(&words[0].text);
                }
                Token::Op(_) => break,
                Token::Word(word) => {
                    let ends = matches!(
                        word.text.as_str(),
                        "}" | "then" | "do" | "done" | "fi" | "else" | "elif" | "esac"
                    );
                    if ends && words.is_empty() && !word.is_quoted {
                        break;
                    }
                    words.push(word.clone());
                }
                Token::Redirect(_, Target::Text(text)) => input = Some(text.as_str()),
                Token::Redirect(stream, target) => {
                    let (stdout, stderr) = match target {
                        Target::Stream(to) => (
                            *stream == 1 && *to == 2 && simple.stderr_to_file,
                            *stream == 2 && *to == 1 && simple.to_file,
                        ),
                        target => hides(*stream, target).unwrap_or_default(),
                    };
                    simple.to_file |= stdout;
                    simple.stderr_to_file |= stderr;
                }
            }
            self.at += 1;
        }
        if words.is_empty() {
            return None;
        }
        self.command(words, simple, input)
    }

    fn command(&mut self, words: Vec<Word>, mut simple: Simple, input: Option<&str>) -> Option<Element> {
        if let Some(body) = words.first().and_then(|word| self.functions.call(&word.text)) {
            return Some(Element::Known(body));
        }
        // Output that goes into a variable is not visible.
        if self.dialect == Dialect::PowerShell && words.first().is_some_and(|w| w.text.starts_with('$')) {
            let is_set = words.get(1).is_some_and(|w| w.text == "=") || words[0].text.contains('=');
            return if is_set {
                None
            } else {
                Some(Element::Simple(Simple { argv: texts(words), ..simple }))
            };
        }
        let words = texts(words);
        match unwrap(words, input, &mut simple.via) {
            Unwrapped::Nothing => None,
            Unwrapped::Argv(argv) => {
                simple.argv = argv;
                Some(Element::Simple(simple))
            }
            Unwrapped::Consumer(argv) => {
                simple.argv = argv;
                Some(Element::Consumer(simple))
            }
            Unwrapped::Script(text, dialect) if self.depth < MAX_DEPTH => {
                let mut list = script(&text, dialect, self.depth + 1, self.functions);
                for part in list.iter_mut().flat_map(|p| &mut p.parts) {
                    part.via.splice(0..0, simple.via.iter().cloned());
                }
                if let Some(last) = list.iter_mut().filter_map(|p| p.parts.last_mut()).next_back() {
                    last.stderr_to_file |= simple.stderr_to_file;
                }
                if simple.to_file {
                    list.iter_mut().filter_map(|p| p.parts.last_mut()).for_each(|s| s.to_file = true);
                }
                Some(Element::Known(list))
            }
            Unwrapped::Script(text, _) => {
                simple.argv = vec!["sh".into(), text];
                Some(Element::Simple(simple))
            }
        }
    }
}

fn texts(words: Vec<Word>) -> Vec<String> {
    words.into_iter().map(|word| word.text).collect()
}

/// Whether a redirection hides standard output and standard error from the reader of the result.
fn hides(stream: u8, target: &Target) -> Option<(bool, bool)> {
    let Target::File(name) = target else { return None };
    let is_shown =
        matches!(name.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2");
    (!is_shown).then_some((matches!(stream, 1 | STDOUT_AND_STDERR), matches!(stream, 2 | STDOUT_AND_STDERR)))
}

/// Adds an element to the pipelines that feed it.
fn joined(mut current: Vec<Pipeline>, element: Element, is_first: bool) -> Vec<Pipeline> {
    match element {
        Element::Simple(simple) if is_first || current.is_empty() => {
            vec![Pipeline { join: Join::Then, parts: vec![simple] }]
        }
        Element::Consumer(simple) => vec![Pipeline { join: Join::Then, parts: vec![simple] }],
        _ if current.len() > 1 && current.len() * current[0].parts.len() > MAX_PROGRAMS => current,
        Element::Simple(simple) => {
            for pipeline in &mut current {
                pipeline.parts.push(simple.clone());
            }
            current
        }
        Element::Known(list) if is_first || current.is_empty() => list,
        Element::Known(list) => match list.as_slice() {
            [one] => {
                for pipeline in &mut current {
                    pipeline.parts.extend(one.parts.iter().cloned());
                }
                current
            }
            [] => current,
            _ => list,
        },
    }
}
