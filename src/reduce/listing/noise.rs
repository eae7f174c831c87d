//! Noise folders: which of them a listing may fold, and where a path enters one.
//!
//! A folder that the call itself names is never folded.

use serde_json::Value;

use crate::input::Input;

/// Names of folders whose content is rarely wanted.
pub struct Noise<'a> {
    names: Vec<&'a str>,
}

impl<'a> Noise<'a> {
    /// The policy's noise folders, except those that the call names.
    pub fn new(input: &Input<'a>) -> Self {
        let mut words: Vec<&str> =
            input.call.command.iter().chain(&input.call.path).map(String::as_str).collect();
        strings(&input.call.arguments, &mut words);
        let is_edge = |b: Option<&u8>| b.is_none_or(|b| !(b.is_ascii_alphanumeric() || b"_-.".contains(b)));
        let stands_in = |word: &str, name: &str| {
            let bytes = word.as_bytes();
            memchr::memmem::find_iter(bytes, name).any(|at| {
                is_edge(at.checked_sub(1).and_then(|i| bytes.get(i))) && is_edge(bytes.get(at + name.len()))
            })
        };
        let names = input.policy.noise_directories.iter().map(String::as_str);
        let is_inventory = super::is_inventory(input);
        let asked =
            |name: &&str| !is_inventory || name.is_empty() || words.iter().any(|word| stands_in(word, name));
        Self { names: names.filter(|name| !asked(name)).collect() }
    }

    /// Whether a name, with or without a final separator, is that of a noise folder.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(&name.trim_end_matches(['/', '\\']))
    }

    /// The noise folder that contains a path, from its start to the folder's name.
    pub fn root<'p>(&self, path: &'p str) -> Option<&'p str> {
        let mut start = 0;
        for at in memchr::memchr2_iter(b'/', b'\\', path.as_bytes()) {
            if at + 1 < path.len() && self.names.contains(&&path[start..at]) {
                return Some(&path[..at]);
            }
            start = at + 1;
        }
        None
    }
}

/// All strings of the arguments.
fn strings<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.values().for_each(|member| strings(member, found)),
        _ => {}
    }
}
