//! A store of things.

use std::collections::BTreeMap;
use std::{
    fmt,
    io::{self, Read},
};

/// How many are kept.
pub const LIMIT: usize = 10;

static TABLE: &[(&str, u8)] = &[
    ("{", b'{'),
    ("'", b'\''),
];

/// A thing.
///
/// With a second paragraph.
#[derive(Debug, Clone)]
pub struct Thing<'a> {
    name: &'a str,
    size: usize,
}

struct Unit;

pub(crate) enum State {
    Open { since: u64 },
    Closed,
}

pub trait Store: Send {
    const KEY: &'static str;
    type Error;

    /// Puts it in.
    fn put(&mut self, thing: Thing<'_>) -> Result<(), Self::Error>;

    fn len(&self) -> usize {
        0
    }
}

impl<'a, T: Clone> From<Vec<T>> for Thing<'a>
where
    T: fmt::Debug,
{
    fn from(list: Vec<T>) -> Self {
        let brace = '{';
        let raw = r#"a "quoted" }}} text"#;
        let text = "runs
over } lines";
        /* nested /* comment } */ */
        Self { name: "x", size: list.len() + brace.len_utf8() + raw.len() + text.len() }
    }
}

pub async unsafe extern "C" fn long<'x, const N: usize>(
    first: &'x [u8; N],
    second: impl Fn(u8) -> u8,
) -> Option<&'x u8> {
    fn inner(x: u8) -> u8 {
        x
    }
    first.iter().find(|b| inner(**b) == second(1))
}

macro_rules! twice {
    ($e:expr) => {{
        fn hidden() {}
        $e + $e
    }};
}

thread_local! {
    static SEEN: u8 = 1;
}

fn one_line() -> u8 { 7 }

mod other;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(one_line(), 7, "{}", io::stdout().is_terminal());
    }
}
