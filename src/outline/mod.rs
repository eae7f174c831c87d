//! Where the declarations of a source file are, line by line.
//!
//! Text in, line ranges out: no syntax tree, no types, no file. The lines may be a window that starts
//! and ends in the middle of a file. It never changes a text and never decides what to leave out.
//!
//! One scanner per way of nesting: `brace` for languages of braces, `indent` for Python, `ends` for languages that
//! close with a word, `sections`, `markup`, `rules`, `data` and `sql`. Each reports how many lines at its outermost
//! level it could not explain, and [`outline`] returns nothing if there are too many of them.

mod brace;
mod data;
mod ends;
mod indent;
mod language;
mod markup;
mod rules;
mod sections;
mod sql;

use std::ops::Range;

pub use language::Language;

/// The kind of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Import, include, package clause.
    Import,
    /// Class, struct, enum, trait, interface, impl, module, namespace, table.
    Type,
    /// Function, method, macro, test.
    Function,
    /// Constant, static, assignment at the top level, field where cheap.
    Value,
    /// Heading, rule, key, tag.
    Section,
}

impl Kind {
    /// One lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Type => "type",
            Self::Function => "function",
            Self::Value => "value",
            Self::Section => "section",
        }
    }
}

/// One declaration. Lines are indices into the given lines, ends exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// Its kind.
    pub kind: Kind,
    /// All of it: comment above, attributes, signature, body, closing line.
    pub lines: Range<usize>,
    /// First to last line of the signature: up to the `{`, `:`, `=>` or `;`.
    pub signature: Range<usize>,
    /// The lines strictly inside, without the closing line; empty when there are none.
    pub body: Range<usize>,
    /// First line of its doc comment or docstring that has text.
    pub doc: Option<usize>,
    /// The number of items around it.
    pub depth: u8,
    /// Its name as written; a piece of one of the lines.
    pub name: &'a str,
}

/// The result of a scanner.
#[derive(Debug, Default)]
struct Found<'a> {
    items: Vec<Item<'a>>,
    /// Lines at the outermost level that the grammar does not know.
    unknown: usize,
}

/// Adds the lines `at..next` to the lines above a declaration, if they follow them. Otherwise they replace these, and
/// the result is false.
fn extend_lead(lead: &mut Option<(usize, usize)>, at: usize, next: usize) -> bool {
    let start = lead.filter(|(_, end)| *end == at).map(|(start, _)| start);
    *lead = Some((start.unwrap_or(at), next));
    start.is_some()
}

/// Lines outside the grammar that any file may have. A choice.
const ALLOWED_UNKNOWN_LINES: usize = 2;

/// With more than 1 line in this many that the grammar does not know, the text is not read as source code.
const UNKNOWN_ONE_IN: usize = 12;

/// Items in order of their first line, nested ones after the item around them. Other items share no lines, and a
/// nested item is within the body of the item around it.
///
/// `None` if the text does not look like the language, or too little of it could be parsed.
pub fn outline<'a>(language: Language, lines: &[&'a str]) -> Option<Vec<Item<'a>>> {
    if u32::try_from(lines.len()).is_err() || lines.iter().any(|l| u32::try_from(l.len()).is_err()) {
        return None;
    }
    // A window of a file with Windows line ends still carries their first half.
    let bare: Vec<&str> = lines.iter().map(|l| l.strip_suffix('\r').unwrap_or(l)).collect();
    let lines = bare.as_slice();
    let found = match language {
        Language::Python => indent::scan(lines),
        Language::Ruby | Language::Lua | Language::Elixir | Language::Shell => ends::scan(language, lines),
        Language::Sql => sql::scan(lines),
        Language::Markdown => sections::scan(lines),
        Language::Html => markup::scan(lines),
        Language::Css => rules::scan(lines),
        Language::Yaml | Language::Toml | Language::Json => data::scan(language, lines),
        _ => brace::scan(language, lines),
    };
    let filled = lines.iter().filter(|l| !l.trim_start().is_empty()).count();
    if found.items.is_empty() || found.unknown > ALLOWED_UNKNOWN_LINES + filled / UNKNOWN_ONE_IN {
        return None;
    }
    let items = normalize(found.items, lines.len());
    (!items.is_empty()).then_some(items)
}

/// The most lines of a statement that is shown whole where only some lines of a body are. A choice.
pub const MAX_STATEMENT_LINES: usize = 6;

/// For each line, whether a statement starts there. Lines of a comment that follow each other count as one; the lines of a
/// block are statements of their own.
pub fn statements(language: Language, lines: &[&str]) -> Vec<bool> {
    let bare: Vec<&str> = lines.iter().map(|l| l.strip_suffix('\r').unwrap_or(l)).collect();
    let lines = bare.as_slice();
    match language {
        Language::Python => indent::statements(lines),
        Language::Ruby | Language::Lua | Language::Elixir | Language::Shell | Language::Sql => {
            ends::statements(language, lines)
        }
        _ if language.is_code() => brace::statements(language, lines),
        _ => vec![true; lines.len()],
    }
}

/// Sorts the items, drops those that cross another, and counts the depth of each.
fn normalize(mut items: Vec<Item<'_>>, count: usize) -> Vec<Item<'_>> {
    for item in &mut items {
        item.lines.end = item.lines.end.min(count);
        item.lines.start = item.lines.start.min(item.lines.end);
        item.signature = within(&item.signature, &item.lines);
        item.body = within(&item.body, &(item.signature.end..item.lines.end));
        if item.body.is_empty() {
            item.body = item.signature.end..item.signature.end;
        }
        item.doc = item.doc.filter(|d| item.lines.contains(d));
    }
    items.retain(|i| !i.signature.is_empty());
    items.sort_by_key(|i| (i.lines.start, usize::MAX - i.lines.end));
    let mut open: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    items.retain_mut(|item| {
        while open.last().is_some_and(|(lines, _)| lines.end <= item.lines.start) {
            open.pop();
        }
        let fits =
            open.last().is_none_or(|(_, body)| body.start <= item.lines.start && item.lines.end <= body.end);
        if fits {
            item.depth = u8::try_from(open.len()).unwrap_or(u8::MAX);
            open.push((item.lines.clone(), item.body.clone()));
        }
        fits
    });
    items
}

/// A range cut to another.
fn within(range: &Range<usize>, outer: &Range<usize>) -> Range<usize> {
    let start = range.start.clamp(outer.start, outer.end.max(outer.start));
    start..range.end.clamp(start, outer.end.max(start))
}

/// Blanks before a line's text, in bytes.
fn indent_of(line: &str) -> usize {
    line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Whether a line of comment has a word.
fn has_word(line: &str) -> bool {
    line.bytes().any(|b| b.is_ascii_alphanumeric() || b >= 0x80)
}

/// The word at the start of a text: letters, digits, `_` and all characters beyond ASCII.
fn word(text: &str) -> &str {
    let end = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80).count();
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(lines: Range<usize>, body: Range<usize>) -> Item<'static> {
        let signature = lines.start..lines.start + 1;
        Item { kind: Kind::Type, lines, signature, body, doc: None, depth: 9, name: "" }
    }

    #[test]
    fn what_crosses_is_dropped() {
        let items = vec![
            item(4..12, 5..11),
            item(0..9, 1..8),
            item(2..4, 3..3),
            item(8..20, 9..19),
            item(9..12, 10..11),
        ];
        let kept: Vec<_> = normalize(items, 15).iter().map(|i| (i.lines.clone(), i.depth)).collect();
        assert_eq!(kept, [(0..9, 0), (2..4, 1), (9..12, 0)]);
    }

    #[test]
    fn prose_has_no_outline() {
        let prose =
            ["The file was not found.", "Try another one, or ask for a list.", "No such thing here", "x"];
        for language in [Language::Rust, Language::Go, Language::Java, Language::C, Language::TypeScript] {
            assert_eq!(outline(language, &prose), None, "{}", language.name());
        }
        for language in [Language::Python, Language::Ruby, Language::Json, Language::Toml, Language::Sql] {
            assert_eq!(outline(language, &prose), None, "{}", language.name());
        }
    }

    #[test]
    fn statements_of_languages_without_braces() {
        let cases: [(Language, &str, &str); 6] = [
            (
                Language::Python,
                "def f(\n    a,\n):\n    raise E(\n        'a'\n    )\n    # b\n    # c\n    g()\n",
                "s--s--s-s",
            ),
            // A long one is taken apart.
            (Language::Python, "x = [\n 1,\n 2,\n 3,\n 4,\n 5 +\n 6,\n]\n", "ssssss-s"),
            (Language::Ruby, "raise E,\n  'a'\nx = a\n  .b\nif x &&\n    y\n  z {\n  }\nend\n", "s-s-s-sss"),
            (Language::Elixir, "x\n|> f()\n|> g()\nraise E\n", "s--s"),
            (Language::Lua, "-- a\n-- b\nerror('a' ..\n  b)\n", "s-s-"),
            (Language::Shell, "curl a \\\n  -b\nif x; then\n  exit 1\nfi\n", "s-sss"),
        ];
        for (language, text, expected) in cases {
            let lines: Vec<&str> = text.lines().collect();
            let marks = |is_start: bool| if is_start { 's' } else { '-' };
            let found: String = statements(language, &lines).into_iter().map(marks).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
