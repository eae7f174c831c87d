//! How git, hg and svn write a commit in a log of blocks: its first line, the fields under it, and the
//! lines of its message. Reads single lines and changes nothing.

use crate::text::source::Source;

/// The program that wrote the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Git,
    Hg,
    Svn,
}

impl Style {
    /// The style of the commit that starts with a line, and the width of the graph before it.
    pub(super) fn of(source: &Source<'_>, i: usize) -> Option<(Self, usize)> {
        let line = source.line(i);
        let width =
            line.find(|c| !matches!(c, '*' | '|' | '/' | '\\' | ' ' | '_' | '.' | '-' | 'o' | '@'))?;
        let body = line.get(width..)?;
        let next = |n: usize| if i + n < source.len() { source.line(i + n) } else { "" };
        let style = match body.as_bytes().first()? {
            b'c' if is_git_head(body) && is_git_field(inner(next(1), width)) => Self::Git,
            b'c' if body.starts_with("changeset:   ") && inner(next(1), width).contains(":  ") => Self::Hg,
            b'r' if width == 0 && i > 0 && is_svn_line(source.line(i - 1)) && is_svn_head(body) => Self::Svn,
            _ => return None,
        };
        Some((style, width))
    }

    /// The name of a field that tends to be the same from commit to commit.
    pub(super) fn repeating_key(self, line: &str) -> Option<&str> {
        let keys: &[&str] = match self {
            Self::Git => &["Author:", "AuthorDate:", "Commit:", "CommitDate:", "Date:"],
            Self::Hg => &["user:", "branch:", "date:"],
            Self::Svn => &[],
        };
        keys.iter().copied().find(|key| line.starts_with(key))
    }

    /// Whether a repeated field names the author or committer of the commit.
    pub(super) fn is_author(key: &str) -> bool {
        matches!(key, "Author:" | "Commit:" | "user:")
    }

    /// The text of the marker if those fields are left out from a commit on. `known` are the fields of the log.
    pub(super) fn undated(self, known: &[(&str, &str)]) -> &'static str {
        let has = |end: &str| known.iter().any(|(key, _)| key.ends_with(end));
        match self {
            Self::Git if !has("Date:") && has("Commit:") => {
                "author and committer where they are those before, of this commit and all below"
            }
            Self::Git if !has("Date:") => {
                "the author where it is the one before, of this commit and all below"
            }
            Self::Git if has("Commit:") => {
                "the dates, and author and committer where they are those before, of this commit and all below"
            }
            Self::Git => "the date, and the author where it is the one before, of this commit and all below",
            Self::Hg => {
                "branch and date, and the user where it is the one before, of this commit and all below"
            }
            Self::Svn => "",
        }
    }

    /// Whether a line belongs to the message.
    pub(super) fn is_body(self, line: &str) -> bool {
        match self {
            Self::Git => line.is_empty() || line.starts_with("    "),
            Self::Hg => false,
            Self::Svn => !is_svn_line(line),
        }
    }
}

/// A line without the graph before it: as many columns as before the commit, at most.
pub(super) fn inner(line: &str, width: usize) -> &str {
    let is_graph = |b: &u8| matches!(b, b'*' | b'|' | b'/' | b'\\' | b' ' | b'_' | b'.' | b'-');
    let cut = line.bytes().take(width).take_while(|b| is_graph(b)).count();
    line.get(cut..).unwrap_or(line)
}

/// `commit 8ab1…`, with references or parents after it.
fn is_git_head(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("commit ") else { return false };
    let hash = rest.trim_start_matches(['<', '>', '-', '=', '+', '^']).split(' ').next().unwrap_or_default();
    (7..=64).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The line under a commit.
fn is_git_field(line: &str) -> bool {
    const KEYS: &[&str] =
        &["Author: ", "Author:\t", "Merge: ", "Reflog: ", "tree ", "log size ", "Date: ", "parent "];
    KEYS.iter().any(|key| line.starts_with(key))
}

/// The line of dashes between two revisions.
fn is_svn_line(line: &str) -> bool {
    line.len() == 72 && line.bytes().all(|b| b == b'-')
}

/// `r12 | ada | 2024-05-01 10:00:00 +0000 (Wed, 01 May 2024) | 2 lines`
fn is_svn_head(line: &str) -> bool {
    let mut parts = line.split(" | ");
    let number = parts.next().and_then(|p| p.strip_prefix('r'));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        && parts.next().is_some()
        && parts.next().is_some_and(|date| date.len() > 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_commits() {
        let of = |text: &str, i| Style::of(&Source::new(text), i);
        let hash = "8ab1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9";
        assert_eq!(of(&format!("commit {hash} (HEAD -> main)\nAuthor: A <a>\n"), 0), Some((Style::Git, 0)));
        assert_eq!(of(&format!("| * commit {hash}\n| | Author: A <a>\n"), 0), Some((Style::Git, 4)));
        assert_eq!(of("changeset:   1:8ab1c2d3e4f5\nuser:        Ada\n", 0), Some((Style::Hg, 0)));
        let dashes = "-".repeat(72);
        let text =
            format!("{dashes}\nr3 | ada | 2024-05-01 10:00:00 +0000 (Wed, 01 May 2024) | 1 line\n\nText\n");
        assert_eq!(of(&text, 1), Some((Style::Svn, 0)));
        assert_eq!(of("commit early and often\nAuthor: me\n", 0), None);
        assert_eq!(of(&format!("commit {hash}\nis the one\n"), 0), None);
    }

    #[test]
    fn the_marker_names_the_fields_that_the_log_has() {
        let of = |keys: &[&'static str]| {
            Style::Git.undated(&keys.iter().map(|key| (*key, "")).collect::<Vec<_>>())
        };
        assert!(of(&["Author:", "Date:"]).starts_with("the date, and the author where"));
        assert!(of(&["Author:", "Commit:"]).starts_with("author and committer where"));
        assert!(
            of(&["Author:", "AuthorDate:", "Commit:"]).starts_with("the dates, and author and committer")
        );
        assert!(of(&["Author:"]).starts_with("the author where"));
    }
}
