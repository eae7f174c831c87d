//! The long format of `ls`: mode and links, owner and group, and the date are written once if most lines share them,
//! without padding.
//!
//! Size and name of every line are kept, and so are each mode with its links, each owner with its group, and each
//! date that differ from those at the top. A line begins with its mode or, without one, with the text after it.

use std::collections::HashMap;

use super::entry;
use super::sheet::Sheet;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// With fewer lines, common values are not written once above the list.
const MIN_ROWS: usize = 8;

/// One line, in columns.
struct Row<'a> {
    mode: &'a str,
    links: &'a str,
    /// Owner and group.
    owner: (&'a str, &'a str),
    size: &'a str,
    /// Two or three words.
    date: [&'a str; 3],
    name: &'a str,
}

impl Row<'_> {
    /// The line without the values at the top.
    fn written(&self, shared: &Shared<'_>) -> String {
        let mut words = Vec::with_capacity(8);
        if shared.mode != Some((self.mode, self.links)) {
            words.extend([self.mode, self.links]);
        }
        if shared.owner != Some(self.owner) {
            words.extend([self.owner.0, self.owner.1]);
        }
        words.push(self.size);
        if shared.date != Some(self.date) {
            words.extend(self.date.iter().filter(|word| !word.is_empty()));
        }
        words.push(self.name);
        words.join(" ")
    }
}

/// The values that most lines share: see the module.
#[derive(Default)]
pub struct Shared<'a> {
    /// Mode and links.
    mode: Option<(&'a str, &'a str)>,
    owner: Option<(&'a str, &'a str)>,
    date: Option<[&'a str; 3]>,
}

impl<'a> Shared<'a> {
    fn of(rows: &[&Row<'a>]) -> Self {
        let owner = most(rows.iter().map(|r| r.owner)).filter(|(_, n)| n * 4 >= rows.len() * 3);
        // A row without a mode looks like a file, so the mode of folders and links is never left out.
        let mode = most(rows.iter().map(|r| (r.mode, r.links)))
            .filter(|((mode, _), n)| mode.starts_with('-') && n * 4 >= rows.len() * 3);
        let date = most(rows.iter().map(|r| r.date)).filter(|(_, n)| n * 2 >= rows.len());
        Self {
            mode: mode.map(|(mode, _)| mode),
            owner: owner.map(|(owner, _)| owner),
            date: date.map(|(date, _)| date),
        }
    }

    /// The values that most lines of `find -ls` and `ls -l` share, if there are enough such lines.
    pub fn of_lines(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut has_numbers = false;
        let mut read = |line| {
            let (numbers, rest) = split_before_mode(line);
            has_numbers |= !numbers.is_empty();
            read(rest)
        };
        let rows: Option<Vec<Row<'_>>> = lines.map(&mut read).collect();
        let rows = rows.filter(|rows| rows.len() >= MIN_ROWS).unwrap_or_default();
        if rows.is_empty() {
            return Self::default();
        }
        let shared = Self::of(&rows.iter().collect::<Vec<_>>());
        // The mode separates the inode and blocks from the size, so it is kept.
        Self { mode: shared.mode.filter(|_| !has_numbers), ..shared }
    }

    /// A line with the values that are not shown below; empty if there are none.
    pub fn head(&self) -> String {
        let date = self.date.map(|date| format!("date {}", date.join(" ").trim_end()));
        let owner = self.owner.map(|(owner, group)| format!("owner {owner}, group {group}"));
        let mode = self.mode.map(|(mode, links)| format!("mode {mode}, links {links}"));
        let said: Vec<String> = [mode, owner, date].into_iter().flatten().collect();
        if said.is_empty() { String::new() } else { format!("where not shown: {}\n", said.join(", ")) }
    }

    /// A line without those values, with another name for its path; `None` if it has another form.
    pub fn short(&self, line: &str, name: &str) -> Option<String> {
        let (numbers, rest) = split_before_mode(line);
        let row = read(rest).map(|row| Row { name, ..row })?;
        let mut words: Vec<&str> = numbers.split_whitespace().collect();
        let written = row.written(self);
        words.push(&written);
        Some(words.join(" "))
    }
}

/// The inode and blocks before the mode of a file, and the rest.
fn split_before_mode(line: &str) -> (&str, &str) {
    let mut at = 0;
    for word in line.split(' ') {
        if entry::is_mode(word) {
            return line.split_at(at);
        }
        at += word.len() + 1;
    }
    ("", line)
}

/// Writes the lines of the long format again, except hidden ones.
pub fn write(source: &Source<'_>, shown: &[bool], sheet: &mut Sheet<'_, '_>) {
    let of_mode = |line: &&str| line.split(' ').next().is_some_and(entry::is_mode);
    let lines = || (0..source.len()).filter(|&i| shown[i] && of_mode(&super::text(source, i)));
    let rows: Option<Vec<(usize, Row<'_>)>> =
        lines().map(|i| read(super::text(source, i)).map(|row| (i, row))).collect();
    // If one line has another form, the columns of no line are certain.
    let Some(rows) = rows.filter(|rows| rows.len() >= MIN_ROWS) else { return };
    let shared = Shared::of(&rows.iter().map(|(_, row)| row).collect::<Vec<_>>());
    let mut head = shared.head();
    if head.is_empty() {
        return;
    }
    for (line, row) in rows {
        sheet.line(line, std::mem::take(&mut head) + &row.written(&shared), Reason::ListingLayout);
    }
}

/// The most frequent value, the first of equals, and its count.
fn most<T: Copy + Eq + std::hash::Hash>(values: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: HashMap<T, (usize, usize)> = HashMap::new();
    for (at, value) in values.enumerate() {
        counts.entry(value).or_insert((0, at)).0 += 1;
    }
    let best = counts.into_iter().max_by_key(|(_, (count, first))| (*count, std::cmp::Reverse(*first)));
    best.map(|(value, (count, _))| (value, count))
}

/// Reads `mode links owner group size date name`; `None` for any other order or number of columns.
fn read(line: &str) -> Option<Row<'_>> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.trim_start_matches(' ').split_once(' ')?;
        rest = after;
        Some(word)
    };
    let (mode, links) = (word()?, word()?);
    let owner = (word()?, word()?);
    let size = word()?;
    let (first, second) = (word()?, word()?);
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let is_time = |s: &str| s.len() >= 4 && s.bytes().all(|b| b.is_ascii_digit() || b":.".contains(&b));
    let is_iso =
        first.len() == 10 && first.bytes().all(|b| b.is_ascii_digit() || b == b'-') && is_time(second);
    let third = match is_iso {
        // `--full-time` has a zone too.
        true if second.contains('.') => word()?,
        true => "",
        false => word()?,
    };
    let is_day = |s: &str| s.len() <= 2 && digits(s);
    let is_month = |s: &str| s.starts_with(char::is_alphabetic);
    let is_date = is_iso
        || ((is_month(first) && is_day(second)) || (is_day(first) && is_month(second))) && is_time(third);
    let is_size = size.starts_with(|c: char| c.is_ascii_digit()) && !size.ends_with(',');
    let is_owner = !digits(owner.0) && !digits(owner.1);
    let fits = digits(links) && is_size && is_owner && is_date && !rest.is_empty() && rest.trim() == rest;
    fits.then_some(Row { mode, links, owner, size, date: [first, second, third], name: rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_styles() {
        for (line, date) in [
            ("-rw-r--r--  1 ada  staff   9 Feb  3 11:05 a b", "Feb 3 11:05"),
            ("-rw-r--r-- 1 ada staff 1.2K Feb 13 2025 a b", "Feb 13 2025"),
            ("-rw-------@ 1 ada staff 9 13 févr. 14:32 a b", "13 févr. 14:32"),
            ("-rw-r--r-- 1 ada staff 9 2025-02-13 11:05 a b", "2025-02-13 11:05"),
            (
                "-rw-r--r-- 1 ada staff 9 2025-02-13 11:05:01.123456789 +0100 a b",
                "2025-02-13 11:05:01.123456789 +0100",
            ),
        ] {
            let row = read(line).unwrap();
            assert_eq!((row.date.join(" ").trim_end(), row.name), (date, "a b"), "{line}");
        }
    }

    #[test]
    fn what_most_lines_have_is_written_once() {
        let file = |i: usize| format!("-rw-r--r-- 1 ada staff {} Feb 3 11:0{} f{i}.py", i * 7, i % 9);
        let folder = "drwxr-xr-x 2 ada staff 40 Feb 3 11:05 src".to_owned();
        let lines: Vec<String> = (0..12).map(file).chain([folder]).collect();
        let rows: Vec<Row<'_>> = lines.iter().map(|line| read(line).unwrap()).collect();
        let shared = Shared::of(&rows.iter().collect::<Vec<_>>());
        assert_eq!(shared.head(), "where not shown: mode -rw-r--r--, links 1, owner ada, group staff\n");
        assert_eq!(rows[1].written(&shared), "7 Feb 3 11:01 f1.py");
        assert_eq!(rows[12].written(&shared), "drwxr-xr-x 2 40 Feb 3 11:05 src");
        let folders: Vec<Row<'_>> = (0..12).map(|_| read(&lines[12]).unwrap()).collect();
        assert!(!Shared::of(&folders.iter().collect::<Vec<_>>()).head().contains("mode"));
        let half: Vec<&Row<'_>> = rows.iter().skip(11).collect();
        assert!(!Shared::of(&half).head().contains("mode"));
    }

    #[test]
    fn other_columns_are_not_read() {
        for line in [
            "-rw-r--r-- 1 ada Domain Users 9 Feb 3 11:05 a",
            "-rw-r--r-- 1 1000 1000 9 Feb 3 11:05 a",
            "crw-rw-rw- 1 root tty 5, 0 Feb 3 11:05 tty",
            "-rw-r--r-- 1 9 Feb 3 11:05 a",
            "-rw-r--r-- 1 ada 9 Feb 3 11:05 a",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
