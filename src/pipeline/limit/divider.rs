//! What separates the fields of the rows of a table.

/// The most columns of a table that are examined. Bounds the work.
pub(super) const MAX_COLUMNS: usize = 24;

/// What separates the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Divider {
    Bar(char),
    Tab,
    /// Two or more blanks.
    Wide,
    Blank,
    /// One blank or more, but only this many fields: a command or a message follows, with words of its own.
    Leading(usize),
    /// A sign without blanks around it: `a,b,c`, `a:b:c`.
    Sign(char),
    /// The first `=` of a line: `NAME=value`.
    Equals,
}

impl Divider {
    /// The fields of a line, without blanks around them.
    pub(super) fn fields<'a>(self, line: &'a str, out: &mut Vec<&'a [u8]>) {
        let trimmed = |field: &'a str| field.trim().as_bytes();
        out.clear();
        match self {
            Self::Bar(bar) => out.extend(line.split(bar).map(trimmed)),
            Self::Tab => out.extend(line.split('\t').map(trimmed)),
            Self::Sign(sign) => out.extend(line.split(sign).map(trimmed)),
            Self::Equals => match line.split_once('=') {
                Some((name, value)) => out.extend([trimmed(name), trimmed(value)]),
                None => out.push(trimmed(line)),
            },
            Self::Wide => {
                out.extend(line.split("  ").map(trimmed).filter(|field| !field.is_empty()));
            }
            Self::Blank => words(line.as_bytes(), out),
            Self::Leading(count) => {
                words(line.as_bytes(), out);
                out.truncate(count);
            }
        }
    }

    /// Whether a line has more than one field.
    pub(super) fn divides(self, line: &str) -> bool {
        match self {
            Self::Bar(bar) => line.contains(bar),
            Self::Tab => line.contains('\t'),
            Self::Sign(sign) => line.contains(sign),
            Self::Equals => line.find([' ', '=']).is_some_and(|at| line.as_bytes()[at] == b'='),
            Self::Wide => line.contains("  "),
            Self::Blank | Self::Leading(_) => true,
        }
    }
}

/// The words of a line: runs of bytes other than blanks and control characters of ASCII.
pub(super) fn words<'a>(line: &'a [u8], out: &mut Vec<&'a [u8]>) {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = LOW << 7;
    let mut start = 0;
    let mut add = |end: usize| {
        if end > start {
            out.push(&line[start..end]);
        }
        start = end + 1;
    };
    let (eights, rest) = line.as_chunks::<8>();
    for (at, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        // The highest bit of each byte below 0x21. No borrow crosses bytes: the highest bits are set before.
        let mut found = !eight & HIGH & !((eight | HIGH) - LOW * 0x21);
        while found != 0 {
            add(at * 8 + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    for (at, _) in rest.iter().enumerate().filter(|(_, b)| **b <= b' ') {
        add(eights.len() * 8 + at);
    }
    add(line.len());
}
