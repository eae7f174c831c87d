//! Lines of code and of commands without their names, and the few edits of a diff that are unlike the others. No language is
//! parsed.
//!
//! Lines of one skeleton do the same with other things. So a skeleton that hardly any other line has stands out, and so does a
//! token in which one line differs from all others of its skeleton. An edit stands out if it turns a switch, changes
//! only a number, removes a check, or has a form that hardly any other edit has: among hundreds of renames, a reader
//! has to find these.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;

use crate::text::judge::{EXCEPTION_ONE_IN, Occurrences, RARE_ONE_IN, is_few};
use crate::text::source::Source;

/// Bytes of a line that are read.
const MAX_BYTES: usize = 400;

/// Words that switch something on or off, in lower case.
const FLAGS: &[&str] = &[
    "true", "false", "yes", "no", "on", "off", "enabled", "disabled", "none", "null", "nil", "enable",
    "disable",
];

/// Words that say what a line does, in lower case.
const KEYWORDS: &[&str] = &[
    "assert", "await", "catch", "def", "del", "delete", "elif", "else", "except", "fn", "for", "from",
    "func", "function", "if", "import", "not", "raise", "return", "throw", "try", "unless", "while",
];

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, digits and `_`, not beginning with a digit.
    Word,
    /// Begins with a digit.
    Number,
    /// Between quotation marks.
    Text,
    /// Any other character.
    Sign,
}

/// A token of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// As the line has it, with quotation marks.
    pub text: &'a str,
}

impl Token<'_> {
    /// Whether it switches something on or off.
    pub fn is_flag(&self) -> bool {
        self.kind == TokenKind::Word && is_one_of(self.text, FLAGS)
    }

    /// The digest of what the skeleton has of it.
    fn digest(&self) -> u64 {
        let hash = |text: &[u8]| FixedState::with_seed(3).hash_one(text);
        match self.kind {
            TokenKind::Word if is_one_of(self.text, FLAGS) || is_one_of(self.text, KEYWORDS) => {
                hash(self.text.to_ascii_lowercase().as_bytes())
            }
            TokenKind::Word => 1,
            TokenKind::Number => 2,
            TokenKind::Text => 3,
            TokenKind::Sign => hash(self.text.as_bytes()),
        }
    }
}

fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The tokens of a line; blanks between them do not count.
pub fn tokens(line: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = &line[..line.floor_char_boundary(MAX_BYTES)];
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let of_word = |text: &str| text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (kind, len) = match first {
            '"' | '\'' | '`' => match memchr::memchr(first as u8, &rest.as_bytes()[1..]) {
                Some(end) => (TokenKind::Text, end + 2),
                None => (TokenKind::Sign, 1),
            },
            '0'..='9' => {
                let is_number = |c: char| is_part(c) || c == '.';
                (TokenKind::Number, rest.find(|c| !is_number(c)).unwrap_or(rest.len()))
            }
            first if is_part(first) => (TokenKind::Word, of_word(rest)),
            first => (TokenKind::Sign, first.len_utf8()),
        };
        let (text, behind) = rest.split_at(len);
        rest = behind;
        Some(Token { kind, text })
    })
}

/// A digest that is the same for lines that only differ in names, numbers and strings.
pub fn skeleton(line: &str) -> u64 {
    let mut state = FixedState::with_seed(4).build_hasher();
    tokens(line).for_each(|token| state.write_u64(token.digest()));
    state.finish()
}

/// Lines of a side of an edit that are compared; of longer edits the first ones count. A choice.
const MAX_SIDE_LINES: usize = 6;
/// The most edits of one kind that stand out, and the most edits in all. Choices.
const MAX_ALIKE: usize = 6;
const MAX_EDITS: usize = 12;
/// Among fewer edits, none has a form of its own.
const MIN_EDITS: usize = 12;
/// The most edits of one form that stand out.
const MAX_OF_FORM: usize = 2;

/// How words begin that make a line a check, in lower case.
const CHECKS: &[&str] = &[
    "assert", "auth", "check", "deny", "ensure", "expect", "forbid", "guard", "if", "panic", "raise",
    "require", "sanitize", "throw", "unless", "valid", "verify",
];

/// Removed lines, and the added lines that directly follow them. One side may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The lines that are removed.
    pub removed: Range<usize>,
    /// The lines that are added.
    pub added: Range<usize>,
}

impl Edit {
    /// All lines of the edit.
    pub fn lines(&self) -> Range<usize> {
        self.removed.start..self.added.end
    }

    /// Its first lines, if it is long.
    pub fn first_lines(&self) -> Range<usize> {
        let lines = self.lines();
        lines.start..lines.end.min(lines.start + 2 * MAX_SIDE_LINES)
    }
}

/// The edits in the lines of a hunk.
pub fn edits_of(source: &Source<'_>, hunk: Range<usize>) -> Vec<Edit> {
    let mut out = Vec::new();
    let mut at = hunk.start;
    let run = |from: usize, mark: u8| {
        (from..hunk.end).find(|line| source.line(*line).as_bytes().first() != Some(&mark)).unwrap_or(hunk.end)
    };
    while at < hunk.end {
        crate::stop::check_sometimes();
        let middle = run(at, b'-');
        let end = run(middle, b'+');
        if end > at {
            out.push(Edit { removed: at..middle, added: middle..end });
        }
        at = end.max(at + 1);
    }
    out
}

/// What an edit does, if that can be told from its lines alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditKind {
    /// Only a switch differs: `verify=True`, `verify=False`.
    Switch,
    /// A line that checks something is removed.
    DropsCheck,
    /// Only numbers differ.
    Number,
    Other,
}

/// The indexes of the edits that are unlike the others, those that say most first.
pub fn unlike_edits(source: &Source<'_>, edits: &[Edit]) -> Vec<usize> {
    let mut of_kind: [Vec<usize>; 3] = Default::default();
    let mut forms = Occurrences::<u64, MAX_OF_FORM>::at_most(usize::MAX);
    for (at, edit) in edits.iter().enumerate() {
        crate::stop::check_sometimes();
        match edit_kind(source, edit) {
            EditKind::Other => {}
            kind => of_kind[kind as usize].push(at),
        }
        forms.add(form(source, edit), at);
    }
    let mut out: Vec<usize> = Vec::new();
    for of_one in of_kind {
        if of_one.len() <= MAX_ALIKE && is_few(of_one.len(), edits.len(), EXCEPTION_ONE_IN) {
            out.extend(of_one);
        }
    }
    let rare = forms.into_rare().into_iter();
    let mut rare: Vec<usize> = rare.flat_map(|(count, places)| places.into_iter().take(count)).collect();
    if edits.len() >= MIN_EDITS && rare.len() <= MAX_ALIKE && is_few(rare.len(), edits.len(), RARE_ONE_IN) {
        rare.sort_unstable();
        out.extend(rare);
    }
    let mut seen = vec![false; edits.len()];
    out.retain(|at| !std::mem::replace(&mut seen[*at], true));
    out.truncate(MAX_EDITS);
    out
}

/// The text of a line of a diff after its sign (`+`, `-` or a blank).
fn text<'a>(source: &Source<'a>, line: usize) -> &'a str {
    source.line(line).get(1..).unwrap_or_default()
}

/// The form of the lines of an edit.
fn form(source: &Source<'_>, edit: &Edit) -> u64 {
    let mut state = FixedState::with_seed(5).build_hasher();
    for (mark, side) in [(0_u8, &edit.removed), (1, &edit.added)] {
        for line in side.clone().take(MAX_SIDE_LINES) {
            state.write_u8(mark);
            state.write_u64(skeleton(text(source, line)));
        }
    }
    state.finish()
}

fn edit_kind(source: &Source<'_>, edit: &Edit) -> EditKind {
    let (removed, added) = (edit.removed.clone(), edit.added.clone());
    if added.is_empty() {
        let checks = |line: usize| {
            tokens(text(source, line)).any(|token| {
                let is_check = |word: &&str| {
                    token.text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
                    // `if` is a word of its own.
                    && (word.len() > 2 || token.text.len() == word.len())
                };
                token.kind == TokenKind::Word && CHECKS.iter().any(is_check)
            })
        };
        let is_short = removed.len() <= MAX_SIDE_LINES;
        return if is_short && removed.clone().any(checks) { EditKind::DropsCheck } else { EditKind::Other };
    }
    if removed.len() != added.len() || removed.len() > MAX_SIDE_LINES {
        return EditKind::Other;
    }
    let mut edit_kind = EditKind::Number;
    for (old, new) in removed.zip(added) {
        let (mut old, mut new) = (tokens(text(source, old)), tokens(text(source, new)));
        let mut differ = 0;
        loop {
            match (old.next(), new.next()) {
                (Some(a), Some(b)) if a == b => {}
                (Some(a), Some(b)) if a.is_flag() && b.is_flag() => {
                    differ += 1;
                    edit_kind = EditKind::Switch;
                }
                (Some(a), Some(b)) if a.kind == TokenKind::Number && b.kind == TokenKind::Number => {
                    differ += 1
                }
                (None, None) => break,
                _ => return EditKind::Other,
            }
        }
        if differ == 0 {
            return EditKind::Other;
        }
    }
    edit_kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_strings_are_no_part_of_a_skeleton() {
        let same = |a: &str, b: &str| skeleton(a) == skeleton(b);
        for (a, b) in [
            ("x = get(url, 3)", "  total = read(path, 47)"),
            ("log(\"a b\", c)", "log('d', e)"),
            ("verify=True", "check = true"),
            ("h\u{e9}ros(1.5)", "b(0x1f)"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("verify=True", "verify=False"),
            ("a(b)", "a[b]"),
            ("if a: b", "a a: b"),
            ("a(\"b\")", "a(b)"),
            ("it's", "it"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_line_is_its_tokens() {
        let line = "a.b(\"c d\", 1.5e3) != '\u{e9}";
        let all: Vec<&str> = tokens(line).map(|token| token.text).collect();
        assert_eq!(all, ["a", ".", "b", "(", "\"c d\"", ",", "1.5e3", ")", "!", "=", "'", "\u{e9}"]);
        assert!(
            tokens("off").all(|token| token.is_flag()) && !tokens("\"off\"").any(|token| token.is_flag())
        );
    }

    /// The lines of the edits that stand out among edits that rename something.
    fn found(odd: &str, usual: &dyn Fn(usize) -> String) -> Vec<String> {
        let all: String =
            (0..60).map(|i| if i == 40 { format!("{odd} same\n") } else { usual(i) + " same\n" }).collect();
        let source = Source::new(&all);
        let edits = edits_of(&source, 0..source.len());
        assert_eq!(edits.len(), 60);
        let lines =
            |at: usize| edits[at].lines().map(|line| source.line(line).to_owned()).collect::<Vec<_>>();
        unlike_edits(&source, &edits).into_iter().flat_map(lines).collect()
    }

    #[test]
    fn an_edit_unlike_the_others_stands_out() {
        let usual = |i: usize| format!("-    old_{i}(a{i})\n+    new_{i}(b{i})\n");
        for odd in [
            "-    verify = True\n+    verify = False\n",
            "-    timeout = 30\n+    timeout = 3000\n",
            "-    if not user.is_admin:\n-        raise Denied()\n",
            "+    os.system(q[\"a\"])\n",
            "-  a();\n",
        ] {
            assert_eq!(found(odd, &usual).concat(), odd.replace('\n', ""), "{odd}");
        }
        assert!(found(&usual(40), &usual).is_empty());
        // Where each edit has a form of its own, a turned switch still stands out, and a form does not.
        let many = |i: usize| format!("-    a{}\n+    b{}\n", ".c".repeat(i), "(d)".repeat(i));
        assert_eq!(found("-  on: yes\n+  on: no\n", &many).len(), 2);
        assert!(found("+  a b c d\n", &many).is_empty());
        // Where all edits change a number, such an edit is usual.
        let version = |i: usize| format!("-  v{i} = 1\n+  v{i} = 2\n");
        assert!(found("-  w = 7\n+  w = 9\n", &version).is_empty());
    }
}
