//! Numbers of orders, invoices, tickets and the like that a line names. A record of a form may be left out, but the
//! number of its order must not be lost: the marker lists the numbers in the records that it replaces.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::mask;

/// Things that people look up by number: the name in a marker, and the start of the name in texts.
const THINGS: &[(&str, &str)] = &[
    ("order", "order"),
    ("order", "ord"),
    ("invoice", "invoice"),
    ("invoice", "inv"),
    ("ticket", "ticket"),
    ("ticket", "tkt"),
    ("issue", "issue"),
    ("payment", "payment"),
    ("refund", "refund"),
    ("transaction", "transaction"),
    ("transaction", "txn"),
    ("shipment", "shipment"),
    ("booking", "booking"),
    ("reservation", "reservation"),
    ("incident", "incident"),
];
/// The text between the name of a thing and its number, in lower case.
const LINKS: &[&[u8]] = &[b"id", b"ids", b"no", b"nr", b"num", b"number", b"key", b"ref", b"s"];
/// Longest run of signs between the name, these words and the number, in bytes: `":"`, ` #`. A choice.
const MAX_SIGNS: usize = 4;
/// Most bytes of all numbers in a marker. A choice: an order must be found, but the list must not be endless.
const MAX_LIST_BYTES: usize = 2048;
/// Longest number, in bytes: a hash in hexadecimal digits.
const MAX_NUMBER_BYTES: usize = 40;

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names = THINGS.iter().map(|(_, name)| name);
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(aho_corasick::MatchKind::LeftmostLongest)
        .build(names)
        .ok()
});

/// Calls `each` with every thing that a line names and its number, as it is written.
fn each_of<'a>(line: &'a str, mut each: impl FnMut(&'static str, &'a str)) {
    let Some(search) = SEARCH.as_ref() else { return };
    let mut done = 0;
    for found in search.find_iter(line) {
        if found.start() >= done
            && starts_name(line.as_bytes(), found.start())
            && let Some(number) = number_behind(line, found.end())
            && let Some((thing, _)) = THINGS.get(found.pattern().as_usize())
        {
            done = number.as_ptr() as usize - line.as_ptr() as usize + number.len();
            each(thing, without_name(number));
        }
    }
}

/// A number without the short name of its thing: `7001` of `INV-7001`.
fn without_name(number: &str) -> &str {
    let is_name = |name: &str| THINGS.iter().any(|(_, known)| name.eq_ignore_ascii_case(known));
    let rest = number.split_once('-').filter(|(name, _)| is_name(name)).map(|(_, rest)| rest);
    rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(number)
}

/// Whether a name starts at `at`: at the start of a word, or of a part of one as in `purchaseOrder`. `/goods/order-389` is the name
/// of a page.
fn starts_name(line: &[u8], at: usize) -> bool {
    let is_page = |before: u8| {
        let len = line[at..].iter().take_while(|b| b.is_ascii_lowercase()).count();
        before == b'/' && len > 0 && line.get(at + len) == Some(&b'-')
    };
    if at > 0 && is_page(line[at - 1]) {
        return false;
    }
    at == 0
        || !line[at - 1].is_ascii_alphanumeric()
        || line[at - 1].is_ascii_lowercase() && line[at].is_ascii_uppercase()
}

/// The number that belongs to the name which ends at `at`: `order 7`, `order_id=7`, `"orderId": "A-7"`,
/// `orders/7`, `ORD-7`, `order no. #7`.
fn number_behind(line: &str, mut at: usize) -> Option<&str> {
    let bytes = line.as_bytes();
    let run = |at: usize, is: fn(&u8) -> bool| bytes[at..].iter().take_while(|b| is(b)).count();
    // Two words at most: `order ref no 7`.
    for _ in 0..3 {
        let signs = run(at, |b| b" \t#:=\"'_-/([{.\\".contains(b));
        let start = at + signs;
        let letters = run(start, u8::is_ascii_alphabetic);
        let end = start + run(start, |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        let word = bytes.get(start..start + letters)?;
        let is_link = LINKS.iter().any(|link| word.eq_ignore_ascii_case(link));
        // Letters directly after the name make it another word: `ordering`, `payments`.
        if signs > MAX_SIGNS || (signs == 0 && !is_link) {
            return None;
        }
        if is_link {
            at = start + letters;
            // `orders: 7` counts them, `orders/7` is one.
            if word.eq_ignore_ascii_case(b"s") && bytes.get(at) != Some(&b'/') {
                return None;
            }
            continue;
        }
        let number = line[start..end].trim_end_matches(['-', '_']);
        let is_number = number.len() <= MAX_NUMBER_BYTES && number.bytes().any(|b| b.is_ascii_digit());
        // `payment 12ms`, `order 10:02`, `issue 1.5`: a quantity, a time.
        let mut masked = Vec::new();
        mask::strict(number.as_bytes(), None, &mut masked);
        let goes_on = matches!(&bytes[end..], [b':' | b'.' | b'%' | b',', b, ..] if b.is_ascii_digit())
            || bytes.get(end) == Some(&b'%');
        return (is_number && !goes_on && masked == number.as_bytes()).then_some(number);
    }
    None
}

/// The numbers that some lines name, each once, in order; those that follow each other as a range.
#[derive(Default)]
pub struct Numbers<'a> {
    seen: HashSet<(&'static str, &'a str)>,
    of: Vec<(&'static str, Vec<&'a str>)>,
}

impl<'a> Numbers<'a> {
    /// Adds those of a line.
    pub fn read(&mut self, line: &'a str) {
        let Self { seen, of } = self;
        each_of(line, |thing, number| {
            if !seen.insert((thing, number)) {
                return;
            }
            match of.iter_mut().find(|(other, _)| *other == thing) {
                Some((_, numbers)) => numbers.push(number),
                None => of.push((thing, vec![number])),
            }
        });
    }

    /// `order 1001..1040 1047`, a text for each kind of thing, together at most as long as a list in a marker may be.
    pub fn texts(&self) -> impl Iterator<Item = String> + '_ {
        let mut room = MAX_LIST_BYTES;
        self.of.iter().map(move |(thing, numbers)| {
            let mut out = (*thing).to_owned();
            let mut left = numbers.len();
            for run in numbers.chunk_by(|a, b| follows(a, b)) {
                let last = run.last().copied().unwrap_or_default();
                if run[0].len() + last.len() + 3 > room {
                    break;
                }
                let start = out.len();
                out.push(' ');
                out.push_str(run[0]);
                match run {
                    [_] => {}
                    [_, last] => {
                        out.push(' ');
                        out.push_str(last);
                    }
                    _ => {
                        out.push_str("..");
                        out.push_str(last);
                    }
                }
                room -= out.len() - start;
                left -= run.len();
            }
            if left > 0 {
                out.push_str(&format!(" and {left} others"));
            }
            out
        })
    }
}

/// Whether two numbers are of the same form and the second is the next one: `7` and `8`, `A-07` and `A-08`.
fn follows(a: &str, b: &str) -> bool {
    let digits = |text: &str| text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (at, other) = (digits(a), digits(b));
    let is_number = |text: &str| text.len() == 1 || !text.starts_with('0');
    let (x, y) = (&a[at..], &b[other..]);
    a[..at] == b[..other]
        && (x.len() == y.len() || is_number(x) && is_number(y))
        && matches!((x.parse::<u64>(), y.parse::<u64>()), (Ok(x), Ok(y)) if x.checked_add(1) == Some(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> String {
        let mut numbers = Numbers::default();
        lines.iter().for_each(|line| numbers.read(line));
        numbers.texts().collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        for line in [
            "order 1047 accepted",
            "order #1047: accepted",
            "order_id=1047 accepted",
            "{\"orderId\":1047}",
            "{\"order_id\": \"1047\", \"n\": 3}",
            "GET /api/orders/1047/items",
            "ORD-1047 accepted",
            "order no. 1047, accepted",
            "purchaseOrder(1047)",
            "Order ID: 1047.",
        ] {
            assert_eq!(text(&[line]), "order 1047", "{line}");
        }
        assert_eq!(text(&["invoice INV-7001 paid", "orders ORD-7, ORD-8"]), "invoice 7001; order 7 8");
        assert_eq!(text(&["ticket OPS-7 of invoice 2024-0012"]), "ticket OPS-7; invoice 2024-0012");
    }

    #[test]
    fn what_is_no_number_of_a_thing_is_not_read() {
        for line in [
            "in order to wait 5 s",
            "GET /goods/order-389",
            "border 12",
            "ordering 12",
            "payment took 12 ms",
            "payment 12ms",
            "orders: 80%",
            "orders: 80",
            "issue at 10:02:31",
            "issue 10:02:31",
            "refund, 12 left",
            "record 12",
        ] {
            assert_eq!(text(&[line]), "", "{line}");
        }
    }

    #[test]
    fn numbers_that_follow_each_other_are_a_range() {
        let lines = ["order 7", "order 8", "order 9", "order 9", "order 10", "order 12", "order 13"];
        assert_eq!(text(&lines), "order 7..10 12 13");
        assert_eq!(text(&["order A-08", "order A-09", "order A-10"]), "order A-08..A-10");
        assert_eq!(text(&["order 099", "order 0100"]), "order 099 0100");
        let many: Vec<String> = (0..2000).map(|i| format!("order {}", 1000 + i * 7)).collect();
        let out = text(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(out.len() <= 2100 && out.ends_with(" others"), "{out}");
    }
}
