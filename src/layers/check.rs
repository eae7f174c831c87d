//! Checks values against the definition of settings. Every error names the place, the key, the value and what is allowed.

use super::document::{Data, Node};
use crate::config::elsewhere;
use crate::config::kind::{Kind, Member};
use crate::config::schema::settings;
use crate::text::nearest::{nearest, plain_form};

/// Longest value that an error quotes, in bytes.
const MAX_QUOTED_BYTES: usize = 60;

/// Most names that an error lists.
const MAX_LISTED_NAMES: usize = 24;

/// Most faults of one file that are reported, because each unknown name is compared with all names. A choice: more than other
/// programs have settings.
const MAX_REPORTED_FAULTS: usize = 64;

/// A fault of a value, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The line of the value, from 1; 0 if it does not come from a file.
    pub line: usize,
    /// Key, value and what is allowed.
    pub text: String,
}

/// The faults of a value at `key`; `key` is empty for a whole file. If there are too many, returns the first ones,
/// and one that says that there are more.
pub fn check(node: &Node, kind: &Kind, key: &str) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    check_value(node, node.line, kind, key, &mut wrong);
    if wrong.len() > MAX_REPORTED_FAULTS {
        wrong.truncate(MAX_REPORTED_FAULTS);
        let text = format!("there are more than these {MAX_REPORTED_FAULTS} faults");
        wrong.push(Wrong { line: 0, text });
    }
    wrong
}

/// The valid part of a value: without invalid items and members; `None` if nothing is left.
pub(super) fn sound(node: &Node, kind: &Kind) -> Option<Node> {
    let data = match (kind, &node.data) {
        (Kind::List(of), Data::List(items)) => {
            let items = items.iter().filter(|item| item.data != Data::Null);
            Data::List(items.filter_map(|item| sound(item, of)).collect())
        }
        (Kind::Table(of), Data::Table(members)) => {
            let sound =
                |(name, line, node): &(String, usize, Node)| Some((name.clone(), *line, sound(node, of)?));
            Data::Table(members.iter().filter_map(sound).collect())
        }
        (Kind::Group(known), Data::Table(members)) => {
            let sound = |(name, line, node): &(String, usize, Node)| {
                let member = known.iter().find(|member| member.name == *name)?;
                Some((name.clone(), *line, sound(node, &member.kind)?))
            };
            Data::Table(members.iter().filter_map(sound).collect())
        }
        (kind, data) => return fits(kind, data).then(|| node.clone()),
    };
    // A list or group whose items were all invalid is dropped.
    let is_empty = |data: &Data| match data {
        Data::List(items) => items.is_empty(),
        Data::Table(members) => members.is_empty(),
        _ => false,
    };
    (!is_empty(&data) || is_empty(&node.data)).then_some(Node { line: node.line, data })
}

/// Whether a single value is valid.
fn fits(kind: &Kind, data: &Data) -> bool {
    match (kind, data) {
        (_, Data::Null) | (Kind::Other, _) | (Kind::Flag, Data::Flag(_)) | (Kind::Text, Data::Text(_)) => {
            true
        }
        (Kind::Whole { min, max }, Data::Number(number)) => {
            number.as_u64().is_some_and(|number| (*min..=*max).contains(&number))
        }
        (Kind::Number, Data::Number(number)) => number.as_f64().is_some_and(|number| number >= 0.0),
        (Kind::Choice(names), Data::Text(text)) => names.contains(text),
        _ => false,
    }
}

fn check_value(node: &Node, line: usize, kind: &Kind, key: &str, wrong: &mut Vec<Wrong>) {
    if wrong.len() > MAX_REPORTED_FAULTS {
        return;
    }
    let fits = match (kind, &node.data) {
        (Kind::List(of), Data::List(items)) => {
            for (i, item) in items.iter().enumerate() {
                if wrong.len() > MAX_REPORTED_FAULTS {
                    break;
                }
                let key = format!("{key}[{i}]");
                match item.data {
                    Data::Null => wrong.push(bad(item, item.line, of, &key)),
                    _ => check_value(item, item.line, of, &key, wrong),
                }
            }
            true
        }
        (Kind::Table(of), Data::Table(members)) => {
            members
                .iter()
                .for_each(|(name, line, node)| check_value(node, *line, of, &joined(key, name), wrong));
            true
        }
        (Kind::Group(known), Data::Table(members)) => {
            for (name, line, node) in members {
                if wrong.len() > MAX_REPORTED_FAULTS {
                    break;
                }
                match known.iter().find(|member| member.name == *name) {
                    Some(member) => check_value(node, *line, &member.kind, &joined(key, name), wrong),
                    None => {
                        wrong.push(Wrong { line: *line, text: unknown(key, name, known) });
                        // Settings in a group of another program get one error each.
                        if let (true, Data::Table(members)) = (name == FOREIGN_GROUP, &node.data) {
                            let key = joined(key, name);
                            let left = MAX_REPORTED_FAULTS.saturating_sub(wrong.len());
                            for (name, line, node) in members.iter().take(left + 1) {
                                foreign(&key, name, *line, node, wrong);
                            }
                        }
                    }
                }
            }
            true
        }
        (kind, data) => fits(kind, data),
    };
    if !fits {
        wrong.push(bad(node, line, kind, key));
    }
}

/// The group in which another program has all its settings.
const FOREIGN_GROUP: &str = "dynamic_compression";

/// Reports the names that the settings in such a group have here.
fn foreign(group: &str, name: &str, line: usize, node: &Node, wrong: &mut Vec<Wrong>) {
    if let (Data::Table(members), false) = (&node.data, group.contains('.')) {
        let group = joined(group, name);
        members.iter().for_each(|(name, line, node)| foreign(&group, name, *line, node, wrong));
        return;
    }
    wrong.push(Wrong { line, text: unknown(group, name, &[]) });
}

fn joined(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}

fn bad(node: &Node, line: usize, kind: &Kind, key: &str) -> Wrong {
    let value = match &node.data {
        Data::Null => "nothing".to_owned(),
        Data::Flag(is) => is.to_string(),
        Data::Number(number) => number.to_string(),
        Data::Text(text) => quoted(text),
        Data::List(_) => "a list".to_owned(),
        Data::Table(_) => "a group".to_owned(),
    };
    let key = if key.is_empty() { "the whole" } else { key };
    let allowed = match kind {
        Kind::Choice(names) if names.len() > MAX_LISTED_NAMES => {
            "what `tersed config schema` lists".to_owned()
        }
        kind => kind.allowed(),
    };
    let mut text = format!("{key}: {value} is not allowed, allowed is {allowed}");
    if let (Kind::Choice(names), Data::Text(given)) = (kind, &node.data) {
        let near = || nearest(given, names.iter().map(String::as_str));
        let answer = elsewhere::of_value(given);
        let answer = answer.or_else(|| near().map(|name| format!("; did you mean `{name}`?")));
        text.push_str(&answer.unwrap_or_default());
    }
    Wrong { line, text }
}

/// A value as an error quotes it: on one line and shortened.
pub fn quoted(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(MAX_QUOTED_BYTES)];
    let more = if shown.len() < text.len() { " ..." } else { "" };
    format!("`{}{more}`", shown.escape_debug())
}

/// The error for an unknown name.
fn unknown(group: &str, name: &str, known: &[Member]) -> String {
    let key = joined(group, name);
    let no_such = format!("{}: there is no such setting", key.escape_debug());
    let names = || known.iter().map(|member| member.name.as_str());
    let same = names().find(|known| plain_form(known) == plain_form(name));
    if let Some(same) = same {
        return format!("{no_such}; did you mean `{}`?", joined(group, same));
    }
    // The name may be from another program: the whole key, or only the name if that program has our settings in one
    // group.
    if let Some(answer) = elsewhere::of_key(&key) {
        return no_such + &answer;
    }
    // It may be in the wrong group.
    let near = nearest(name, names()).map(|name| joined(group, name));
    let placed = near.or_else(|| {
        let mut known = settings().iter().map(|setting| setting.key.as_str());
        let last = |key: &str| plain_form(key.rsplit('.').next().unwrap_or(key));
        known.find(|key| last(key) == plain_form(name)).map(str::to_owned)
    });
    match (placed, elsewhere::of_key(name)) {
        (Some(near), _) => format!("{no_such}; did you mean `{near}`?"),
        (None, Some(answer)) => no_such + &answer,
        (None, None) if known.is_empty() => no_such,
        (None, None) if known.len() > MAX_LISTED_NAMES => {
            format!("{no_such}; `tersed config show` lists all")
        }
        (None, None) => format!("{no_such}, there are {}", names().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::root;
    use crate::layers::document::yaml;

    #[test]
    fn of_many_faults_the_first_are_told_and_all_fall_away() {
        let keys: String = (0..5000).map(|i| format!("k{i}: {i}\n")).collect();
        let node = yaml(&format!("{keys}policy: {{excludeTools: [{}a], minBytes: 7}}\n", "7, ".repeat(5000)))
            .unwrap();
        let told = check(&node, root(), "");
        assert_eq!(told.len(), MAX_REPORTED_FAULTS + 1);
        assert_eq!(told.last().unwrap().text, "there are more than these 64 faults");
        let sound = serde_json::Value::from(&sound(&node, root()).unwrap());
        assert_eq!(sound, serde_json::json!({"policy": {"excludeTools": ["a"], "minBytes": 7}}));
        let none = yaml("policy: {excludeTools: [7], budget: {bogus: 1}}\n").unwrap();
        assert_eq!(super::sound(&none, root()), None);
    }

    #[test]
    fn settings_of_another_program_are_told_one_by_one() {
        let told = |text: &str| -> Vec<String> {
            check(&yaml(text).unwrap(), root(), "").into_iter().map(|wrong| wrong.text).collect()
        };
        let group = "dynamic_compression:\n  enabled: true\n  alerts: {window_seconds: 3}\n  bogus: 1\n";
        let all = told(group);
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all[0].contains("`policy`, `alerts`"), "{all:?}");
        assert!(all[1].contains("did you mean `policy.mode`?"), "{all:?}");
        assert!(all[2].contains("did you mean `alerts.windowSeconds`?"), "{all:?}");
        assert_eq!(all[3], "dynamic_compression.bogus: there is no such setting");
        for (text, ours) in [
            ("enabled: true\n", "`policy.mode`"),
            ("policy: {enabled: true}\n", "`policy.mode`"),
            ("policy: {method: lzw}\n", "`policy.dictionary`"),
            ("policy: {alerts: {}}\n", "`alerts`"),
            ("policy: {excludeMethods: [line_dedupe]}\n", "`repeated_lines`"),
            ("policy: {excludeCategories: [command_execution]}\n", "`command`"),
            ("recovery: {storage_dir: x}\n", "`recovery.directory`"),
        ] {
            assert!(told(text)[0].contains(&format!("did you mean {ours}?")), "{:?}", told(text));
        }
    }
}
