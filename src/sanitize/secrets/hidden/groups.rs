//! Tokens in groups of one length, separated by blanks, as in `ghp_abcd efgh1234 …`, and tokens that continue in the
//! cells below, because a table wrapped them, or in the lines below, because a terminal, a box or an editor wrapped
//! them.
//!
//! It reads only positions at which a token with a known prefix is too short.

use super::columns;
use super::strings::is_mixed;
use super::view::is_inside;
use super::view::{View, line_end, line_start};
use super::wrapped::ahead;
use crate::sanitize::secrets::judge::{ByteSet, oddity, skip};
use crate::stop;
use std::ops::Range;

/// Bytes after the beginning of a token that are examined.
const REACH_BYTES: usize = 512;
/// Bytes before it that the rules may need.
const BEFORE_BYTES: usize = 128;

/// The lines on which a token is too short at one of `cut` and continues in groups, with the groups joined. `cut` is
/// in order.
pub(super) fn view(text: &[u8], cut: &[usize]) -> Option<View> {
    let (mut view, mut done) = (View::default(), 0);
    let mut blanks = Vec::new();
    for &start in cut {
        stop::check_sometimes();
        if start < done {
            continue;
        }
        let end = line_end(&text[..text.len().min(start + REACH_BYTES)], start);
        done = end;
        let mut groups = Groups::default();
        blanks.clear();
        blanks.extend(memchr::memchr_iter(b' ', &text[start..end]).map(|n| start + n));
        blanks.retain(|&at| groups.go_on(text, at));
        if blanks.is_empty() {
            continue;
        }
        let mut copied = line_start(text, start, BEFORE_BYTES);
        for &at in &blanks {
            view.copy(text, copied..at);
            copied = at + 1;
        }
        view.copy(text, copied..end);
        view.stand(b"\n", end..end);
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// The groups of one token.
#[derive(Default)]
struct Groups {
    /// Where the last group begins; 0 without one.
    last: usize,
    /// Bytes of each but the last one, which may be shorter and ends the token.
    size: usize,
    /// Where the last token ended.
    end: usize,
}

impl Groups {
    /// Whether the words around the blank at `at` are two groups.
    fn go_on(&mut self, text: &[u8], at: usize) -> bool {
        let next = ahead(text, at + 1);
        // A flag, an address, or another pair.
        if text[next.clone()].starts_with(b"-")
            || text[next.clone()].starts_with(b"0x")
            || is_pair(&text[next.clone()])
        {
            self.last = 0;
            return false;
        }
        let goes_on = self.last > 0 && at - self.last == self.size && !next.is_empty();
        let size = if goes_on { self.size } else { next.len() };
        let (fits, ends) = (next.len() <= size, next.len() < size);
        if at == self.end || !fits || !(4..=32).contains(&size) || size > at {
            self.last = 0;
            return false;
        }
        let before = at - size..at;
        // After any other sign, the group is the middle of a password.
        let starts = before.start == 0 || b" \t\n\r=:\"'`([<>|,".contains(&text[before.start - 1]);
        let whole = goes_on || (starts && text[before.clone()].iter().all(|b| is_inside(*b)));
        // Two words are not groups just because the second one is shorter.
        let is = whole && (goes_on && ends || is_mixed(&text[before]) || is_mixed(&text[next.clone()]));
        (self.last, self.size) = if is && !ends { (next.start, size) } else { (0, 0) };
        if is && ends {
            self.end = next.end;
        }
        is
    }
}

/// The tokens that begin at one of `cut` and continue in the cells below, with their pieces joined. `cut` is in
/// order.
pub(super) fn wrapped(text: &[u8], cut: &[usize]) -> Option<View> {
    let (mut view, mut done) = (View::default(), 0);
    for &start in cut {
        stop::check_sometimes();
        if start < done {
            continue;
        }
        let near = &text[..text.len().min(start + columns::MAX_LINE_BYTES)];
        let line = line_start(text, start, columns::MAX_LINE_BYTES)..line_end(near, start);
        done = line.end;
        let Some(pieces) = pieces(text, line, start) else { continue };
        for piece in &pieces {
            view.copy(text, piece.clone());
        }
        let end = pieces.last().map_or(start, |piece| piece.end);
        view.stand(b"\n", end..end);
        done = end;
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// The tokens that end their line and continue in the next, with their pieces joined, and the end of the first piece
/// of each. They begin at one of `cut`, which is in order, or where lines of one length were cut. Only the joined
/// pieces are a token.
pub(super) fn folded(text: &[u8], cut: &[usize]) -> Option<(View, Vec<usize>)> {
    let (mut view, mut ends, mut done) = (View::default(), Vec::new(), 0);
    let mut starts = breaks(text);
    starts.extend_from_slice(cut);
    starts.sort_unstable();
    for start in starts {
        stop::check_sometimes();
        if start < done {
            continue;
        }
        let first = piece(text, start);
        done = first.end;
        let Some(pieces) = lines_of_token(text, first) else { continue };
        ends.push(pieces[0].end);
        view.stand(b"\n", start..start);
        for piece in pieces {
            done = piece.end;
            view.copy(text, piece);
        }
        view.stand(b"\n", done..done);
    }
    (!ends.is_empty()).then_some((view, ends))
}

/// Widths at which terminals and mails cut lines.
const WIDTHS: &[usize] = &[40, 60, 64, 72, 76, 80, 100, 120];

/// Whether the lines after `end` up to `last` look like the rest of a token that may also end at `end`: a word that
/// mixes letters and digits as no name does, after a line of a usual width; or a word alone in its line, unlike words
/// that people write.
pub(super) fn is_rest(text: &[u8], end: usize, last: usize) -> bool {
    /// Shortest rest, in bytes. A choice: shorter words are names and values of the next line.
    const MIN_BYTES: usize = 6;
    let word = text[end..last].iter().rev().take_while(|b| is_token(**b)).count();
    let word = &text[last - word..last];
    let is_cut = WIDTHS.contains(&(end - line_start(text, end, BEFORE_BYTES)));
    let is_name = matches!(text.get(last), Some(b'=' | b':'));
    let is_alone = last == text.len() || behind_line(text, last).is_some();
    word.len() >= MIN_BYTES && is_mixed(word) && (is_cut && !is_name || is_alone && oddity(word) > 0)
}

/// The pieces of a token whose first one may end its line; `None` without a second one.
fn lines_of_token(text: &[u8], first: Range<usize>) -> Option<Vec<Range<usize>>> {
    /// Most lines of a token. A choice.
    const MAX_LINES: usize = 16;
    let mut line = behind_line(text, first.end)?;
    let head = line_start(text, first.start, BEFORE_BYTES);
    // A line of a block of base64 continues the line above.
    let is_whole = text[head..first.start].iter().all(u8::is_ascii_whitespace);
    let above = line_start(text, head.saturating_sub(1), BEFORE_BYTES)..head.saturating_sub(1);
    if is_whole && above.len() == first.end - head && text[above].last().is_some_and(|b| is_token(*b)) {
        return None;
    }
    let width = first.end - head;
    let mut pieces = vec![first];
    for _ in 0..MAX_LINES {
        let next = piece(text, behind_mark(text, head, line));
        if next.is_empty() {
            break;
        }
        // A line that is shorter than the first ends the token.
        let goes_on = next.end - line == width;
        let behind = behind_line(text, next.end).filter(|_| goes_on);
        pieces.push(next);
        let Some(behind) = behind else { break };
        line = behind;
    }
    (pieces.len() > 1).then_some(pieces)
}

/// The short words at the end of a line that is as long as the one before or after it, if the next line begins with a
/// long word that is not of a natural language: there a token may be cut inside its prefix.
fn breaks(text: &[u8]) -> Vec<usize> {
    const COLUMNS: Range<usize> = 16..256;
    /// Longest piece of a prefix, and shortest rest of its token, in bytes.
    const MAX_START_BYTES: usize = 18;
    const MIN_REST_BYTES: usize = 12;
    let (mut starts, mut line, mut before) = (Vec::new(), 0, 0);
    while let Some(len) = memchr::memchr(b'\n', &text[line..]) {
        stop::check_sometimes();
        let (end, next) = (line + len, line + len + 1);
        let is_piece = COLUMNS.contains(&len) && is_token(text[end - 1]);
        if is_piece {
            let start = skip(text, next, const { ByteSet::parse(" \t") }, BEFORE_BYTES);
            let word = piece(text, start);
            let near = &text[next..text.len().min(next + COLUMNS.end)];
            let is_full = || before == len || memchr::memchr(b'\n', near).unwrap_or(near.len()) == len;
            if word.len() >= MIN_REST_BYTES && is_mixed(&text[word]) {
                let tail = text[line..end].iter().rev().take(MAX_START_BYTES + 1);
                let tail = tail.take_while(|b| is_token(**b)).count();
                if tail <= MAX_START_BYTES && is_full() {
                    starts.push(end - tail);
                }
            }
        }
        (line, before) = (next, len);
    }
    starts
}

/// Whether a byte may be in a token.
fn is_token(byte: u8) -> bool {
    const { ByteSet::parse("a-zA-Z0-9_./+-") }.has(byte)
}

/// The bytes of a token from `start` on.
fn piece(text: &[u8], start: usize) -> Range<usize> {
    let near = &text[start..text.len().min(start + REACH_BYTES)];
    start..start + near.iter().take_while(|b| is_token(**b)).count()
}

/// The start of the next line, if nothing but the side of a box follows in this one.
fn behind_line(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at..text.len().min(at + BEFORE_BYTES)];
    let len = memchr::memchr(b'\n', near)?;
    let rest = near[..len].trim_ascii();
    let is_side = |bar: &&[u8]| rest == *bar;
    (rest.is_empty() || columns::BARS.iter().any(is_side)).then_some(at + len + 1)
}

/// The start of the text of the line at `at`, after blanks and the mark with which the line at `head` begins too.
fn behind_mark(text: &[u8], head: usize, at: usize) -> usize {
    const BLANKS: ByteSet = ByteSet::parse(" \t");
    let first = skip(text, head, BLANKS, BEFORE_BYTES);
    let here = skip(text, at, BLANKS, BEFORE_BYTES);
    let mark =
        text[first..].iter().take(4).take_while(|b| !b.is_ascii_alphanumeric() && !b.is_ascii_whitespace());
    let mark = mark.count();
    let is_same = mark > 0 && text.get(here..here + mark) == text.get(first..first + mark);
    if is_same { skip(text, here + mark, BLANKS, BEFORE_BYTES) } else { here }
}

/// Whether a word is a pair, such as `PORT=8080`. Base64 has the sign too, but only at its end.
fn is_pair(bytes: &[u8]) -> bool {
    bytes.iter().rposition(|b| *b != b'=').is_some_and(|last| bytes[..last].contains(&b'='))
}

/// The pieces of a token in a cell of `line` and in the cells below it, whose lines have nothing else.
fn pieces(text: &[u8], line: Range<usize>, start: usize) -> Option<Vec<Range<usize>>> {
    /// Most lines of a token. A choice.
    const MAX_LINES: usize = 16;
    let is_word = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic);
    columns::has_bar(&text[line.clone()]).then_some(())?;
    let cells = columns::cells(text, line.clone(), columns::Cut::Bar);
    let column = cells.iter().position(|cell| cell.contains(&start))?;
    let first = start..cells[column].end;
    let mut pieces = vec![first];
    is_word(&text[pieces[0].clone()]).then_some(())?;
    let mut end = line.end;
    for _ in 0..MAX_LINES {
        let at = end + 1;
        let near = text.get(at..text.len().min(at + columns::MAX_LINE_BYTES))?;
        let line = at..at + memchr::memchr(b'\n', near).unwrap_or(near.len());
        if columns::is_ruler(&text[line.clone()]) || !columns::has_bar(&text[line.clone()]) {
            break;
        }
        let here = columns::cells(text, line.clone(), columns::Cut::Bar);
        let is_alone = here.iter().enumerate().all(|(i, cell)| (i == column) != cell.is_empty());
        let cell = &text[here.get(column).cloned().unwrap_or_default()];
        if here.len() != cells.len() || !is_alone || !is_word(cell) || is_pair(cell) {
            break;
        }
        let (last, mut next) = (pieces.last_mut()?, here[column].clone());
        // psql writes a full stop at the end of a cell and before its rest.
        if text[last.clone()].ends_with(b".") && text[next.clone()].starts_with(b".") {
            last.end -= 1;
            next.start += 1;
        }
        pieces.push(next);
        end = line.end;
    }
    (pieces.len() > 1).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn the_line_below_a_whole_token_stays() {
        let token = ["gh", "s_WYdFRzTOwyG2kIUcHfZqOgrV6f9iXN0V2y7v"].concat();
        let hidden = "[REDACTED:github-app-token]";
        for text in [
            "GITHUB_TOKEN=%\nHOME=/root\n",
            "     1\tGITHUB_TOKEN=%\n     2\tPORT=8080\n",
            "- name: K\n  value: %\n- name: PORT\n  value: \"80\"\n",
            "- **Token:** `%`\n- **User:** app\n",
            "│ GITHUB_TOKEN=% │\n│ PORT=8080 │\n",
            "{\"content\": \"GITHUB_TOKEN=%\\nPORT=8080\\n\"}\n",
        ] {
            let shown = redact(&text.replace('%', &token)).map(|redacted| redacted.text);
            assert_eq!(shown, Some(text.replace('%', hidden)));
        }
    }

    #[test]
    fn the_pair_beside_a_password_of_its_length_stays() {
        for (before, value, behind) in [
            ("password=", "s3cr3tLdap8", " dbname=shop x\n"),
            ("Env: [A=1 DB_PASSWORD=", "tR4$kLm9Qz", " HOME=/root PATH=/bin]\n"),
            ("mysql -u root -p", "Violet589?rJkW", " shop\n"),
        ] {
            let shown = redact(&format!("{before}{value}{behind}")).map(|redacted| redacted.text);
            let shown = shown.unwrap_or_default();
            let is_whole = shown.starts_with(&format!("{before}[REDACTED:")) && shown.ends_with(behind);
            assert!(is_whole && !shown.contains(value), "{shown}");
        }
        let settings = "signing.password=*\nsonatypePassword=*\n";
        let shown = redact(&settings.replace('*', "Kx9mQ2vLw7zT")).map(|redacted| redacted.text);
        assert_eq!(shown, Some(settings.replace('*', "[REDACTED:generic-password]")));
    }

    #[test]
    fn the_rest_of_a_token_that_may_end_before_goes() {
        let letters = "a1B2c3D4e5F6g7H8i9J0".repeat(4);
        let token = ["sk-", "ant-api03-", &letters, "kLmNoPqRsTuVwDGOSSgAA"].concat();
        for prefix in ["- ", "Authorization: Bearer "] {
            let line = format!("{prefix}{token}");
            let text = format!("{}\n{}\nHOME=/root\n", &line[..100], &line[100..]);
            let shown = redact(&text).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("{prefix}[REDACTED:anthropic-api-key]\nHOME=/root\n")));
        }
    }

    #[test]
    fn a_token_in_lines_of_any_length_goes_whole() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let [first, second, third] = [&token[..14], &token[14..30], &token[30..]];
        let hidden = "[REDACTED:github-pat]";
        for (before, between, behind) in [
            ("see ", "\n", "\nnext line\n"),
            ("│ see ", " │\n│ ", "           │\n"),
            ("> see ", "\n> ", "\n"),
            ("  # see ", "\n  # ", " there\n"),
            ("see\n    ", "\n    ", "\n"),
        ] {
            let text = format!("{before}{first}{between}{second}{between}{third}{behind}");
            let shown = redact(&text).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("{before}{hidden}{behind}")));
        }
        for text in [
            "the prefix gh\np_ is\n",
            "tokens begin with ghp_\nfollowed by letters\n",
            "ghp_",
            "ghp_\n",
            "ghp_a\n│",
        ] {
            assert_eq!(redact(text), None);
        }
    }
}
