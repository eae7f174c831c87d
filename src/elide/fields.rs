//! Reads the items of a JSON array: their fields, their shape, whether they report a failure.
//!
//! Reads scalars of an item and of the objects and lists inside it. Decisions are made in `plan`.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;

use super::is_plain_name;
use super::plan::{Item, Ranking, Series, Value};
use super::tape::{Kind, Node};
use crate::text::dates::{Date, date};
use crate::text::details::similarity_hash;
use crate::text::judge::{form, may_be_unique};
use crate::text::relevance::Relevance;

/// Members whose value, if not empty, reports a failure.
const FAILURES: &[&str] = &[
    "error",
    "errors",
    "err",
    "exception",
    "exceptions",
    "failure",
    "failures",
    "failed",
    "fault",
    "faults",
    "stderr",
    "traceback",
    "errorMessage",
    "error_message",
    "errorCode",
    "error_code",
    "isError",
    "is_error",
];
/// Members that report a failure if they are false.
const SUCCESSES: &[&str] = &["success", "ok", "passed", "succeeded", "healthy", "ready", "Ready", "valid"];
/// Members that hold the status code of a response.
const CODES: &[&str] =
    &["status", "statusCode", "status_code", "code", "http_status", "httpStatus", "responseCode"];
/// Members that hold a word for the outcome.
const STATES: &[&str] = &[
    "status",
    "state",
    "conclusion",
    "result",
    "outcome",
    "level",
    "severity",
    "phase",
    "health",
    "kind",
    "type",
];
/// Words for failures, in lower case.
const BAD: &[&str] = &[
    "error",
    "failed",
    "failure",
    "fail",
    "fatal",
    "critical",
    "crashloopbackoff",
    "unhealthy",
    "timed_out",
    "timeout",
    "panic",
    "cancelled",
    "aborted",
    "crashed",
    "exception",
    "rejected",
    "emergency",
    "alert",
    "err",
];
/// Most words of a field that a marker counts.
const MAX_KINDS: usize = 6;
/// Levels of objects that decide on the shape of an item and on whether it fails.
const LEVELS: u32 = 2;
/// Levels of objects and lists whose values are compared, and most nodes of an item below `LEVELS`. Bounds the work.
const DEEP_LEVELS: u32 = 8;
const MAX_DEEP_NODES: usize = 96;
/// Members that name an element of a list, and the longest such name in bytes.
const NAMING_MEMBERS: &[&str] = &["type", "name", "key", "Name", "Key", "Type"];
const MAX_NAME_BYTES: usize = 40;
/// Most nodes of named elements that are read of an item.
const MAX_NAMED_NODES: usize = 64;

/// Ranks the items, given the bytes and the node of each, in the order in which limits keep them.
pub fn rank(text: &str, nodes: &[Node], items: &[(Range<usize>, u32)], about: &Relevance) -> Ranking {
    let scores = match about.is_empty() {
        true => Vec::new(),
        false => {
            let texts: Vec<&str> =
                items.iter().map(|(range, _)| text.get(range.clone()).unwrap_or_default()).collect();
            about.scores_of(&texts)
        }
    };
    let mut series = Series::default();
    for (i, (_, value)) in items.iter().enumerate() {
        let mut look = Look {
            text,
            nodes,
            series: &mut series,
            shape: 0,
            fails: false,
            deep_left: MAX_DEEP_NODES,
            named_left: MAX_NAMED_NODES,
        };
        look.item(*value);
        let (shape, fails) = (look.shape, look.fails);
        series.push(Item { shape, fails, score: scores.get(i).copied().unwrap_or(0) });
    }
    series.rank()
}

fn digest(text: &str, seed: u64) -> u64 {
    let mut hasher = FixedState::with_seed(seed).build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The state of reading one item.
struct Look<'a> {
    text: &'a str,
    nodes: &'a [Node],
    series: &'a mut Series,
    shape: u64,
    fails: bool,
    /// Nodes below `LEVELS` that may still be read.
    deep_left: usize,
    /// Nodes of named elements of lists that may still be read.
    named_left: usize,
}

impl<'a> Look<'a> {
    fn text(&self, node: Node) -> &'a str {
        self.text.get(node.start as usize..node.end as usize).unwrap_or_default()
    }

    fn item(&mut self, i: u32) {
        let node = self.nodes[i as usize];
        match node.kind {
            Kind::Object => self.members(i, 1, 0),
            Kind::Array => {
                let mut at = i + 1;
                let mut place = 0;
                while at < node.next {
                    let inner = self.nodes[at as usize];
                    self.scalar(place, inner, at);
                    self.deep(place, at, LEVELS);
                    self.shape = self.shape.rotate_left(3) ^ kind_of(inner.kind);
                    place += 1;
                    at = inner.next;
                }
            }
            kind => {
                self.shape = kind_of(kind);
                self.scalar(0, node, i);
            }
        }
    }

    /// `above` is the name of the member that holds the object: `base.ref` is another field than `head.ref`.
    fn members(&mut self, i: u32, level: u32, above: u64) {
        let end = self.nodes[i as usize].next;
        let mut at = i + 1;
        while at < end {
            let key = self.nodes[at as usize];
            let Some(value) = self.nodes.get(key.next as usize).copied() else { return };
            let name = digest(self.text(key), u64::from(level)) ^ above.rotate_left(9);
            self.shape = self.shape.rotate_left(5) ^ name ^ kind_of(value.kind);
            self.judge(key, value);
            if value.kind == Kind::Object && level < LEVELS {
                self.keys(name, key.next);
                self.members(key.next, level + 1, name);
            } else {
                self.scalar(name, value, key.next);
                self.deep(name, key.next, level);
            }
            at = value.next;
        }
    }

    /// The values in a list or a deeper object: all elements of a list form one field, and the length of the list is
    /// another field.
    fn deep(&mut self, name: u64, i: u32, level: u32) {
        let node = self.nodes[i as usize];
        if level >= DEEP_LEVELS || !matches!(node.kind, Kind::Array | Kind::Object) {
            return;
        }
        let is_list = node.kind == Kind::Array;
        match is_list {
            true => self.series.field(name.rotate_left(17), Value::Number(f64::from(node.children))),
            false => self.keys(name, i),
        }
        let mut at = i + 1;
        while at < node.next && self.deep_left > 0 {
            self.deep_left -= 1;
            let (inner_name, value) = match is_list {
                true => (name.rotate_left(9), at),
                false => {
                    let key = self.nodes[at as usize];
                    (name.rotate_left(9) ^ digest(self.text(key), u64::from(level)), key.next)
                }
            };
            let Some(inner) = self.nodes.get(value as usize).copied() else { return };
            self.scalar(inner_name, inner, value);
            self.deep(inner_name, value, level + 1);
            if let Some(own) = self.name_of(value).filter(|_| is_list) {
                self.named(name.rotate_left(11) ^ digest(own, 7), value, level);
            }
            at = inner.next;
        }
    }

    /// The keys of an object as one value: `{"waiting": {}}` among many `{"running": {}}`. Its place is that of its last member.
    fn keys(&mut self, name: u64, i: u32) {
        let end = self.nodes[i as usize].next;
        let (mut at, mut all, mut last) = (i + 1, 0u64, i);
        while at < end {
            let key = self.nodes[at as usize];
            all = all.wrapping_add(digest(self.text(key), 3));
            last = key.next;
            at = self.nodes.get(last as usize).map_or(end, |value| value.next);
        }
        self.series.field_at(name.rotate_left(23), Value::Form(all), last);
    }

    /// The name of an element of a list.
    fn name_of(&self, i: u32) -> Option<&'a str> {
        let name = |key: &&str| member(self.text, self.nodes, i, key);
        let node = NAMING_MEMBERS.iter().find_map(name).filter(|node| node.kind == Kind::String)?;
        Some(self.text(node)).filter(|name| name.len() <= MAX_NAME_BYTES)
    }

    /// The values of a named element of a list are fields of their own, because a value that is odd in this element may
    /// be usual in others.
    fn named(&mut self, name: u64, i: u32, level: u32) {
        let node = self.nodes[i as usize];
        if level >= DEEP_LEVELS || node.kind != Kind::Object {
            return;
        }
        let mut at = i + 1;
        while at < node.next && self.named_left > 0 {
            self.named_left -= 1;
            let key = self.nodes[at as usize];
            let Some(value) = self.nodes.get(key.next as usize).copied() else { return };
            let name = name.rotate_left(9) ^ digest(self.text(key), u64::from(level));
            let found = match value.kind {
                Kind::String | Kind::Word => Some(Value::Word(digest(self.text(value), 0))),
                Kind::Number => self.text(value).parse().ok().map(Value::Number),
                Kind::Object | Kind::Array => None,
            };
            if let Some(found) = found {
                self.series.field_of_named(name, found, key.next);
            }
            self.named(name, key.next, level + 1);
            at = value.next;
        }
    }

    /// `at` is the index of the node.
    fn scalar(&mut self, name: u64, node: Node, at: u32) {
        let text = self.text(node);
        let value = match node.kind {
            Kind::Number => {
                let Ok(number) = text.parse() else { return };
                // Finds the only number with a fraction, or the only one without.
                let has_fraction = memchr::memchr3(b'.', b'e', b'E', text.as_bytes()).is_some();
                self.series.field_at(name.rotate_left(41), Value::Form(u64::from(has_fraction)), at);
                Value::Number(number)
            }
            Kind::String | Kind::Word => {
                self.series.text_at(name, text.trim_matches(['"', '\'']), at);
                // Texts that are all different may differ only in numbers.
                self.series.field_at(!name, Value::Word(similarity_hash(text)), at);
                self.series.field_at(name.rotate_left(31), Value::Form(form(text.as_bytes())), at);
                if let Some(Date::Day(days)) = date(text.as_bytes()) {
                    self.series.field_at(name.rotate_left(47), Value::Number(days), at);
                }
                if may_be_unique(text.trim_matches(['"', '\'']).as_bytes()) {
                    self.series.field_at(name.rotate_left(53), Value::Id(digest(text, 0)), at);
                }
                Value::Word(digest(text, 0))
            }
            _ => return,
        };
        self.series.field_at(name, value, at);
    }

    /// Whether a member reports a failure.
    fn judge(&mut self, key: Node, value: Node) {
        if self.fails || key.end - key.start > 24 {
            return;
        }
        let name = self.text(key).trim_matches(['"', '\'']);
        let text = || self.text(value).trim_matches(['"', '\'']);
        let is_nothing = || {
            value.children == 0
                && matches!(text(), "" | "null" | "None" | "false" | "False" | "0" | "[]" | "{}" | "()")
        };
        let is_code =
            |code: &str| code.len() == 3 && code.starts_with(['4', '5']) && code.parse::<u16>().is_ok();
        self.fails = (FAILURES.contains(&name) && !is_nothing())
            || (SUCCESSES.contains(&name) && matches!(text(), "false" | "False"))
            || (CODES.contains(&name) && is_code(text()))
            || (STATES.contains(&name)
                && value.kind == Kind::String
                && value.end - value.start < 24
                && BAD.iter().any(|word| text().eq_ignore_ascii_case(word)));
    }
}

/// A digest of a kind. Missing values affect the shape, not the kind.
fn kind_of(kind: Kind) -> u64 {
    match kind {
        Kind::Object => 0x51,
        Kind::Array => 0x52,
        Kind::String | Kind::Word => 0x53,
        Kind::Number => 0x54,
    }
}

/// Counts items by the words of a member with few different values: `kind Pod 3, kind Node 1`.
pub fn kinds(text: &str, nodes: &[Node], items: &[u32]) -> Option<String> {
    STATES.iter().find_map(|name| {
        let mut words: Vec<(&str, usize)> = Vec::new();
        for &item in items {
            let value = member(text, nodes, item, name)?;
            let word = text.get(value.start as usize..value.end as usize)?.trim_matches(['"', '\'']);
            match words.iter().position(|(known, _)| *known == word) {
                Some(place) => words[place].1 += 1,
                None if words.len() < MAX_KINDS && is_plain_name(word) => words.push((word, 1)),
                None => return None,
            }
        }
        words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let words: Vec<String> = words.iter().map(|(word, count)| format!("{name} {word} {count}")).collect();
        Some(words.join(", ")).filter(|words| !words.is_empty())
    })
}

/// Members that name an item, and the longest such name in bytes.
const IDENTITY: &[&str] = &["name", "id", "key", "Name", "Id", "Key"];
const MAX_IDENTITY_BYTES: usize = 80;

/// The node that names an item: a member, or one of the objects in it, as `metadata` of Kubernetes.
pub fn identity(text: &str, nodes: &[Node], item: u32) -> Option<u32> {
    let members = |i: u32| {
        let end = nodes.get(i as usize).filter(|node| node.kind == Kind::Object).map_or(0, |node| node.next);
        let mut at = i + 1;
        std::iter::from_fn(move || {
            let key = nodes.get(at as usize).filter(|_| at < end)?;
            let value = key.next;
            at = nodes.get(value as usize)?.next;
            Some((key, value))
        })
    };
    let named = |i: u32| {
        members(i).find(|(key, value)| {
            let key = text.get(key.start as usize..key.end as usize).unwrap_or_default();
            let node = nodes[*value as usize];
            node.children == 0
                && ((node.end - node.start) as usize) < MAX_IDENTITY_BYTES
                && IDENTITY.contains(&key.trim_matches(['"', '\'']))
        })
    };
    let found = named(item).or_else(|| members(item).find_map(|(_, inner)| named(inner)));
    found.map(|(_, value)| value)
}

/// The scalar value of a member.
fn member(text: &str, nodes: &[Node], item: u32, name: &str) -> Option<Node> {
    let node = nodes.get(item as usize).filter(|node| node.kind == Kind::Object)?;
    let mut at = item + 1;
    while at < node.next {
        let key = nodes.get(at as usize)?;
        let value = nodes.get(key.next as usize)?;
        let key = text.get(key.start as usize..key.end as usize)?.trim_matches(['"', '\'']);
        if key == name {
            return Some(*value).filter(|value| value.children == 0);
        }
        at = value.next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elide::tape;

    /// Which of the items of an array stay.
    fn kept(text: &str, limit: usize) -> Vec<usize> {
        let nodes = tape::read(text, 0, false).unwrap();
        let mut items = Vec::new();
        let mut at = 1;
        while at < nodes.len() as u32 {
            let node = nodes[at as usize];
            items.push((node.start as usize..node.end as usize, at));
            at = node.next;
        }
        let keep = rank(text, &nodes, &items, &Relevance::default()).keep(limit);
        keep.iter().enumerate().filter(|(_, kept)| **kept).map(|(i, _)| i).collect()
    }

    #[test]
    fn values_deep_inside_an_item_stand_out() {
        let item = |i: usize| {
            let port = if i == 21 { 22 } else { 443 };
            let range = if i == 33 { "0.0.0.0/0" } else { "10.0.0.0/8" };
            let class = if i == 50 { "slow" } else { "fast" };
            let more = if i == 40 { ",{\"k\":\"env\",\"v\":\"a\"}" } else { "" };
            format!(
                "{{\"id\":\"sg-{i}\",\"rules\":[{{\"port\":{port},\"ranges\":[{{\"c\":\"{range}\"}}]}}],\
                 \"tags\":[{{\"k\":\"env\",\"v\":\"a\"}}{more}],\"a\":{{\"b\":{{\"c\":{{\"class\":\"{class}\"}}}}}}}}"
            )
        };
        let text = format!("[{}]", (0..60).map(item).collect::<Vec<_>>().join(","));
        let kept = kept(&text, 12);
        for i in [21, 33, 40, 50] {
            assert!(kept.contains(&i), "{i} of {kept:?}");
        }
    }

    #[test]
    fn keys_named_elements_and_pairs_stand_out() {
        let item = |i: usize| {
            let state = if i == 21 { "waiting" } else { "running" };
            let pressure = if i == 33 { "True" } else { "False" };
            let net = if i == 50 { 17 } else { i };
            format!(
                "{{\"id\":{i},\"status\":{{\"list\":[{{\"name\":\"app\",\"state\":{{\"{state}\":{{\"at\":1}}}}}}],\
                 \"conditions\":[{{\"type\":\"Disk\",\"status\":\"{pressure}\"}},{{\"type\":\"Ready\",\"status\":\"True\"}}],\
                 \"net\":\"10.42.{net}.0/24\"}}}}"
            )
        };
        let text = format!("[{}]", (0..60).map(item).collect::<Vec<_>>().join(","));
        assert_eq!(kept(&text, 2).len(), 2 + 4, "{:?}", kept(&text, 2));
        for i in [17, 21, 33, 50] {
            assert!(kept(&text, 2).contains(&i), "{i} of {:?}", kept(&text, 2));
        }
    }

    #[test]
    fn the_only_number_with_a_fraction_stays() {
        let list = |odd: &str| {
            let item = |i: usize| {
                let price = if i == 90 { odd.to_owned() } else { (1000 + i * 37 % 2000).to_string() };
                format!("{{\"id\":{i},\"price\":{price}}}")
            };
            format!("[{}]", (0..200).map(item).collect::<Vec<_>>().join(","))
        };
        for odd in ["1999.9999999998", "1e3"] {
            assert!(kept(&list(odd), 10).contains(&90), "{odd}");
        }
        assert!(!kept(&list("1999"), 10).contains(&90));
    }

    #[test]
    fn an_unlike_status_among_pairs_of_name_and_value_stays() {
        let list = |odd: &str| {
            let item = |i: usize| {
                let data = match i {
                    33 => odd.to_owned(),
                    20.. => "Not affected".to_owned(),
                    _ => format!("value {i} of its own"),
                };
                format!("{{\"field\":\"Vulnerability {i}:\",\"data\":\"{data}\"}}")
            };
            format!("[{}]", (0..40).map(item).collect::<Vec<_>>().join(","))
        };
        for odd in ["Vulnerable", "Vulnerable: no microcode", "Degraded", "Disabled by policy", "failed"] {
            assert!(kept(&list(odd), 10).contains(&33), "{odd}");
        }
        assert!(!kept(&list("Not affected"), 10).contains(&33));
        // A network inside another one, letters of another script, the lowest share.
        let values = |of: &dyn Fn(usize) -> String| {
            let item = |i: usize| format!("{{\"value\":\"{}\"}}", of(i));
            format!("[{}]", (0..60).map(item).collect::<Vec<_>>().join(","))
        };
        let cases: [(&dyn Fn(usize) -> String, &str); 4] = [
            (&|i| format!("10.{}.{}.0/19", i / 8, i % 8 * 32), "10.2.36.0/24"),
            (&|i| format!("10.{}.{}.0/19", i / 8, i % 8 * 32), "2001:db8::/32"),
            (&|i| format!("user {i} of {}", i * 7), "p\u{43b}over"),
            (&|i| format!("{}.5% of statements", 51 + (i * 7 + 3) % 40), "0.0% of statements"),
        ];
        for (usual, odd) in cases {
            let text = values(&|i| if i == 40 { odd.to_owned() } else { usual(i) });
            assert!(kept(&text, 10).contains(&40), "{odd}");
            assert!(!kept(&values(usual), 10).contains(&40), "{odd}");
        }
    }

    #[test]
    fn a_text_unlike_the_others_but_for_their_numbers_stands_out() {
        let item = |i: usize| match i {
            251 => "{\"name\":\"user251\",\"note\":\"payment overdue\"}".to_owned(),
            333 => "{\"name\":null,\"note\":\"normal account 333\"}".to_owned(),
            _ => format!("{{\"name\":\"user{i}\",\"note\":\"normal account {i}\"}}"),
        };
        let text = format!("[{}]", (0..400).map(item).collect::<Vec<_>>().join(","));
        let nodes = tape::read(&text, 0, false).unwrap();
        let mut items = Vec::new();
        let mut at = 1;
        while at < nodes.len() as u32 {
            let node = nodes[at as usize];
            items.push((node.start as usize..node.end as usize, at));
            at = node.next;
        }
        let ranking = rank(&text, &nodes, &items, &Relevance::default());
        assert_eq!(items.len(), 400);
        let keep = ranking.keep(24);
        assert!(keep[251] && keep[333], "{keep:?}");
    }
}
