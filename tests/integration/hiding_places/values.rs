//! Values of every rule, made from the shapes in `rules.toml`: the text around an example, and another value
//! of the same kind. The same ones in every run; none of them is anyone's.

use tersed::sanitize::secrets;

const RULES: &str = include_str!("../../../src/sanitize/secrets/rules.toml");
/// Values of each example.
const EACH: u64 = 2;

/// A value and the text around it where its rule knows it.
#[derive(Debug, Clone)]
pub struct Case {
    pub rule: String,
    pub before: String,
    pub value: String,
    pub after: String,
    /// Whether the rule knows the value alone.
    pub is_bare: bool,
    /// Whether it knows it after its name, in quotes.
    pub is_named: bool,
}

impl Case {
    pub fn of(rule: &str, before: &str, value: &str, after: &str) -> Case {
        let text = |text: &str| text.to_owned();
        Case {
            rule: text(rule),
            before: text(before),
            value: text(value),
            after: text(after),
            is_bare: false,
            is_named: false,
        }
    }

    /// The whole, without a line feed at the end.
    pub fn line(&self) -> String {
        format!("{}{}{}", self.before, self.value, self.after).trim_end().to_owned()
    }

    /// The same around another form of the value.
    pub fn with(&self, value: &str) -> String {
        format!("{}{value}{}", self.before, self.after).trim_end().to_owned()
    }

    pub fn is_one_line(&self) -> bool {
        !self.line().contains('\n')
    }

    /// The name that the value is given to.
    pub fn name(&self) -> Option<&str> {
        let before = self.before.trim_end_matches(['"', '\'', ' ']);
        let before = before.strip_suffix([':', '='])?.trim_end_matches(['"', '\'', ' ']);
        let start = before
            .rfind(|c: char| !c.is_ascii_alphanumeric() && !"_-.".contains(c))
            .map_or(0, |n| before.ceil_char_boundary(n + 1));
        let name = &before[start..];
        (name.len() > 2 && name.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(name)
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// Every rule's values.
pub fn cases() -> Vec<Case> {
    let table: toml::Table = toml::from_str(RULES).unwrap();
    let mut cases = Vec::new();
    for rule in table["rule"].as_array().unwrap() {
        let id = rule["id"].as_str().unwrap();
        let prefixes: Vec<&str> = rule
            .get("prefix")
            .map_or(Vec::new(), |p| p.as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect());
        for example in rule["match"].as_array().unwrap() {
            let pieces = example.as_array().unwrap().iter().map(|piece| piece.as_str().unwrap());
            let text: String = pieces.collect();
            let finds = secrets::find(text.as_bytes());
            let Some(found) = finds.iter().find(|f| f.rule == id).filter(|_| finds.len() == 1) else {
                continue;
            };
            let value = &text[found.start..found.end];
            let keep = prefixes.iter().find(|p| value.starts_with(**p)).map_or(0, |p| p.len());
            for seed in 0..EACH {
                let mut dice = Dice(seeded(id, cases.len() as u64 + seed));
                let mut case = Case::of(id, &text[..found.start], value, &text[found.end..]);
                case.value = other(&case, keep, &mut dice);
                let knows = |text: String| {
                    let found = secrets::find(text.as_bytes());
                    found.len() == 1 && found[0].end - found[0].start == case.value.len()
                };
                case.is_bare = knows(format!("see {} there", case.value));
                case.is_named = case.name().is_some_and(|name| knows(format!("{name} = \"{}\"", case.value)));
                cases.push(case);
            }
        }
    }
    cases
}

fn seeded(id: &str, more: u64) -> u64 {
    id.bytes().fold(0x9E37_79B9_7F4A_7C15 ^ more, |sum, b| sum.rotate_left(5).wrapping_mul(31) ^ u64::from(b))
        | 1
}

/// Another value of the same kind: each byte stays of its class, as far as the rule still knows the value.
fn other(case: &Case, keep: usize, dice: &mut Dice) -> String {
    let mut value = case.value.clone().into_bytes();
    let lower_hex = value[keep..].iter().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f' | b'-'));
    let words: Vec<usize> = (keep..value.len()).collect();
    for chunk in words.chunks(4) {
        let mut next = value.clone();
        for &i in chunk {
            next[i] = match next[i] {
                b'a'..=b'z' if lower_hex => b"abcdef"[dice.next(6)],
                b'a'..=b'z' => b'a' + dice.next(26) as u8,
                b'A'..=b'Z' => b'A' + dice.next(26) as u8,
                b'0'..=b'9' => b'0' + dice.next(10) as u8,
                b => b,
            };
        }
        let text = format!("{}{}{}", case.before, String::from_utf8_lossy(&next), case.after);
        let end = case.before.len() + next.len();
        let known = secrets::find(text.as_bytes())
            .iter()
            .any(|f| f.rule == case.rule && f.start == case.before.len() && f.end == end);
        if known {
            value = next;
        }
    }
    String::from_utf8(value).unwrap()
}
