//! One line of a path list: the text before the path, its folder and its name.
//!
//! Reads each line by itself.

/// A line that names a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Size, status or columns before the path, with the white space after them; mostly empty.
    pub prefix: &'a str,
    /// The folder with its final separator; empty for a bare name.
    pub folder: &'a str,
    /// The rest of the line.
    pub name: &'a str,
}

impl<'a> Entry<'a> {
    /// The whole path, given its line.
    pub fn path(&self, line: &'a str) -> &'a str {
        &line[self.prefix.len()..]
    }

    /// Whether the name can be joined with others on one line.
    pub fn is_joinable(&self) -> bool {
        self.prefix.is_empty() && !self.name.is_empty() && !self.name.contains(char::is_whitespace)
    }
}

/// Reads a line; `None` if it is not a path.
pub fn parse(line: &str) -> Option<Entry<'_>> {
    let body = line.trim_start_matches(' ');
    if body.is_empty() || body.trim() != body || line.ends_with(':') {
        return None;
    }
    // `find -ls` aligns the numbers before it; any other line starts with its first word.
    let prefix = match line.len() - body.len() {
        0 => prefix(line)?,
        indent => indent + Some(long_prefix(body)).filter(|len| *len > 0)?,
    };
    let (prefix, path) = line.split_at(prefix);
    // The target of a link is not part of the link's own path.
    let place = path.split(" -> ").next().unwrap_or(path);
    if !is_path(place, !prefix.is_empty()) {
        return None;
    }
    let separator = if is_windows(path) { '\\' } else { '/' };
    // A final separator belongs to the name of a folder.
    let body = place.strip_suffix(separator).unwrap_or(place);
    let cut = body.rfind(separator).map_or(0, |at| at + 1);
    let (folder, name) = path.split_at(cut);
    (!name.is_empty()).then_some(Entry { prefix, folder, name })
}

/// Bytes before the path.
fn prefix(line: &str) -> Option<usize> {
    let Some(tab) = memchr::memchr(b'\t', line.as_bytes()) else { return Some(long_prefix(line)) };
    let (head, rest) = line.split_at(tab);
    let is_size = head.starts_with(|c: char| c.is_ascii_digit())
        && head.bytes().all(|b| b.is_ascii_digit() || b".,KMGTPEiB".contains(&b));
    let mut bytes = head.bytes();
    let is_status = bytes.next().is_some_and(|b| b"AMDTUX".contains(&b)) && bytes.next().is_none();
    let is_git =
        head.len() > 7 && head.as_bytes()[6] == b' ' && head.bytes().take(6).all(|b| b.is_ascii_digit());
    let fits = (is_size || is_status || is_git) && !rest[1..].contains('\t');
    fits.then_some(tab + 1)
}

/// Bytes before the path in a line of `ls -l` or `find -ls` that holds one; 0 in any other line.
fn long_prefix(line: &str) -> usize {
    let mut fields = 0;
    let mut mode = None;
    let mut at = 0;
    for word in line.split(' ') {
        if !word.is_empty() {
            if mode.is_none() && is_mode(word) {
                mode = Some(fields);
            }
            // Links, owner, group, size and at least two words of date.
            let is_place = mode.is_some_and(|mode| fields >= mode + 6);
            if is_place && word.contains('/') {
                return at;
            }
            // The target of a link with a bare name is not a path here.
            if word == "->" || mode.is_none() && (fields == 2 || !word.bytes().all(|b| b.is_ascii_digit())) {
                return 0;
            }
            fields += 1;
        }
        at += word.len() + 1;
    }
    0
}

/// The mode of a file as `ls -l` writes it: type, nine letters, and a sign for further attributes.
pub fn is_mode(word: &str) -> bool {
    let bytes = word.as_bytes();
    (10..=11).contains(&bytes.len())
        && b"-dlbcpsD".contains(&bytes[0])
        && bytes[1..10].iter().all(|b| b"-rwxsStTlL".contains(b))
        && bytes.get(10).is_none_or(|b| b".+@*".contains(b))
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1..3] == *b":\\";
    drive || path.starts_with(".\\") || path.starts_with("\\\\")
}

fn is_path(path: &str, has_prefix: bool) -> bool {
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| path.starts_with(start)) || is_windows(path);
    let colon =
        memchr::memchr(b':', &path.as_bytes()[if is_windows(path) { 2.min(path.len()) } else { 0 }..]);
    // Git quotes a path as a whole, folder and all.
    if path.is_empty()
        || path.starts_with(['"', '\''])
        || path.starts_with(".../")
        || path.bytes().any(|b| b < 0x20)
    {
        return false;
    }
    // A colon is the mark of matches, errors, addresses and test names.
    if colon.is_some() && !has_prefix {
        return false;
    }
    rooted || has_prefix || !path.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(&str, &str, &str)> {
        parse(line).map(|e| (e.prefix, e.folder, e.name))
    }

    #[test]
    fn paths_and_what_stands_before_them() {
        assert_eq!(read("./src/a.rs"), Some(("", "./src/", "a.rs")));
        assert_eq!(read("src/deep/"), Some(("", "src/", "deep/")));
        assert_eq!(read("Makefile"), Some(("", "", "Makefile")));
        assert_eq!(read("/My Files/a b.txt"), Some(("", "/My Files/", "a b.txt")));
        assert_eq!(read("C:\\work\\a.txt"), Some(("", "C:\\work\\", "a.txt")));
        assert_eq!(read("4.0K\t./a/b"), Some(("4.0K\t", "./a/", "b")));
        assert_eq!(read("M\tsrc/a.rs"), Some(("M\t", "src/", "a.rs")));
        let long = "lrwxr-xr-x  1 ada  staff   9 Feb  3 11:05 /x/AGENT.md -> ../CLAUDE.md";
        assert_eq!(
            read(long),
            Some(("lrwxr-xr-x  1 ada  staff   9 Feb  3 11:05 ", "/x/", "AGENT.md -> ../CLAUDE.md"))
        );
        let ls = "   262155      4 drwxr-xr-x   2 root     root         4096 Nov 20 19:18 ./src/a";
        assert_eq!(read(ls).map(|e| e.1), Some("./src/"));
        assert_eq!(read(ls.trim_start()).map(|e| e.1), Some("./src/"));
        assert_eq!(read("  ./src/a"), None);
    }

    #[test]
    fn what_is_no_path() {
        for line in [
            "src/a.rs:12: let x",
            "tests/a.py::test_b",
            "https://example.org/a",
            "find: './x': Permission denied",
            "this and/or that",
            "src/main:",
            "\"docs/\\303\\234ber.md\"",
            "R100\ta/b\tc/d",
            "12\t15\tsrc/a.rs",
            "",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
