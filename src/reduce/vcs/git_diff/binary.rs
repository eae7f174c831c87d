//! `GIT binary patch`: the data of a binary file inside a diff, in base85. Its type and size are kept.

use std::ops::Range;

use crate::text::source::Source;

/// The line before the data.
pub const HEADER: &str = "GIT binary patch";

/// The lines of data of the patch whose header is at a line: one run for each way, forth and back. Lines that do not
/// follow the format of git's `diff.c` are in no run.
pub fn data(source: &Source<'_>, header: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    if source.line(header) != HEADER {
        return runs;
    }
    let mut at = header + 1;
    while at < source.len() && is_size(source.line(at)) {
        let start = at + 1;
        let end = (start..source.len()).find(|&i| !is_base85(source.line(i))).unwrap_or(source.len());
        if start < end {
            runs.push(start..end);
        }
        // An empty line ends each way.
        at = end + 1;
    }
    runs
}

/// `literal 1024`, `delta 77`: bytes when unpacked.
fn is_size(line: &str) -> bool {
    let size = line.strip_prefix("literal ").or_else(|| line.strip_prefix("delta "));
    size.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a line is data: a letter for 1 to 52 bytes, then five characters for each four of them.
fn is_base85(line: &str) -> bool {
    const OTHERS: &[u8] = b"!#$%&()*+-;<=>?@^_`{|}~";
    let Some((first, rest)) = line.as_bytes().split_first() else { return false };
    let bytes = match first {
        b'A'..=b'Z' => first - b'A' + 1,
        b'a'..=b'z' => first - b'a' + 27,
        _ => return false,
    };
    rest.len() == usize::from(bytes).div_ceil(4) * 5
        && rest.iter().all(|b| b.is_ascii_alphanumeric() || OTHERS.contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_ways_and_nothing_else() {
        let text =
            "GIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\ndiff --git a/x b/x\n";
        let source = Source::new(text);
        assert_eq!(data(&source, 0), [2..3, 5..6]);
        assert!(data(&source, 1).is_empty());
        let cut = Source::new("GIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~\n\nliteral 0\nHcmV?d00001\n");
        assert!(data(&cut, 0).len() < 2);
        assert!(!is_base85("Hello there") && !is_base85("") && is_base85("HcmV?d00001"));
    }
}
