//! Diagnostics of compilers and linters: one grammar for all of them.
//!
//! A diagnostic begins with a headline, which names a place and the problem. Each family of tools has its own forms
//! of headlines, listed in a [`Dialect`]. [`below`] classifies the lines below a headline: code, carets, notes.
//! [`message`] reads the severity, the code and the rule of a message.
//!
//! Nothing here decides what is left out: that is for the reducer of each tool.

pub mod below;
mod dialects;
mod forms;
pub mod message;

use std::borrow::Cow;

pub use dialects::{C, GO, JAVA, LINTERS, MICROSOFT, ONE_LINE, RUST, TYPESCRIPT};
pub use forms::{at_end, is_path, without_node};
pub use message::Severity;

/// A parsed headline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic<'a> {
    /// The file; empty where the form names none.
    pub path: &'a str,
    /// Line and column as `3:5`, or the line alone; empty as above.
    pub place: Cow<'a, str>,
    /// The line without path and place, but with its severity.
    pub message: Cow<'a, str>,
    /// How severe it is, if its dialect has words for that.
    pub severity: Option<Severity>,
    /// The text after severity and place.
    pub text: &'a str,
    /// Whether the message has a severity or a rule, which only a tool writes.
    pub is_marked: bool,
}

/// Parses one form of headlines; `None` if the line does not have this form.
type Form = for<'a> fn(&'a str) -> Option<Diagnostic<'a>>;

/// How the tools of one family write headlines.
#[derive(Debug)]
pub struct Dialect {
    /// The forms, in the order in which they are tried.
    forms: &'static [Form],
    /// How the names of its files end; if empty, any file is allowed.
    extensions: &'static [&'static str],
}

impl Dialect {
    /// Reads a line: `None` if it is no headline of this family.
    pub fn read<'a>(&self, line: &'a str) -> Option<Diagnostic<'a>> {
        let is_of_it = |path: &str| self.extensions.iter().any(|end| path.ends_with(end));
        let found = self.forms.iter().find_map(|form| form(line))?;
        (self.extensions.is_empty() || is_of_it(found.path)).then_some(found)
    }

    /// Whether a line is a headline of this family.
    pub fn reads(&self, line: &str) -> bool {
        self.read(line).is_some()
    }
}

impl<'a> Diagnostic<'a> {
    /// A diagnostic whose message has a rule or a severity, which only a tool writes.
    pub fn marked(path: &'a str, place: impl Into<Cow<'a, str>>, message: impl Into<Cow<'a, str>>) -> Self {
        let (place, message) = (place.into(), message.into());
        Self { path, place, message, severity: None, text: "", is_marked: true }
    }
}
