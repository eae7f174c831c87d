//! Reads members, items and strings of a JSON text as places in the text, without building values, so that unchanged
//! parts are returned byte for byte.
//!
//! The text must be valid JSON, as that of a `RawValue` is. It allocates only for strings with escapes, and never
//! parses a number unless asked.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;

use super::error::{INTERNAL_ERROR, RpcError};
use crate::formats::json::{skip_blanks, unescaped, value_end, without_lone_surrogates};

/// A value and its place in the text.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// One member of an object.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// The name, decoded.
    pub name: Cow<'a, str>,
    /// Where its quoted name starts in the text.
    pub start: usize,
    /// The value.
    pub value: Json<'a>,
}

impl<'a> Json<'a> {
    /// The whole of a text.
    pub fn of(raw: &'a RawValue) -> Self {
        Self::of_text(raw.get())
    }

    /// The whole of a text that is known to be valid JSON.
    pub fn of_text(text: &'a str) -> Self {
        let start = skip_blanks(text.as_bytes(), 0);
        Self { text, start, end: text.trim_end_matches([' ', '\n', '\r', '\t']).len().max(start) }
    }

    /// Its place in the text.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Its JSON text.
    pub fn raw(self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// The first byte of its JSON text, which shows its type.
    pub fn first(self) -> u8 {
        self.text.as_bytes().get(self.start).copied().unwrap_or(0)
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.first() == b'{'
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.first() == b'['
    }

    /// Whether it is a string.
    pub fn is_string(self) -> bool {
        self.first() == b'"'
    }

    /// Its value if it is a string. Halves of surrogate pairs, which are not characters, become U+FFFD.
    pub fn string(self) -> Option<Cow<'a, str>> {
        let lossy =
            || serde_json::from_str(&without_lone_surrogates(self.raw().as_bytes())).ok().map(Cow::Owned);
        self.exact_string().or_else(|| self.is_string().then(lossy)?)
    }

    /// Its value if it is a string without halves of surrogate pairs.
    pub fn exact_string(self) -> Option<Cow<'a, str>> {
        let inner = self.is_string().then(|| self.text.get(self.start + 1..self.end.checked_sub(1)?))??;
        match memchr::memchr(b'\\', inner.as_bytes()) {
            None => Some(Cow::Borrowed(inner)),
            Some(_) => unescaped(inner).map(Cow::Owned),
        }
    }

    /// Its bytes if it is a string; half a surrogate pair is encoded as if it were a character.
    pub fn wtf8(self) -> Option<Vec<u8>> {
        serde_json::from_str::<Wtf8>(self.raw()).ok().map(|bytes| bytes.0)
    }

    /// Its value if it is a whole number.
    pub fn integer(self) -> Option<i64> {
        serde_json::from_str(self.raw()).ok()
    }

    /// Its value if it is a boolean.
    pub fn boolean(self) -> Option<bool> {
        serde_json::from_str(self.raw()).ok()
    }

    /// The members of an object, in order; none of anything else.
    pub fn members(self) -> impl Iterator<Item = Member<'a>> {
        let mut at = if self.is_object() { self.start + 1 } else { self.end };
        std::iter::from_fn(move || {
            let bytes = self.text.as_bytes();
            let start = self.next(at)?;
            let name = Json { start, end: value_end(bytes, start).end, ..self };
            let colon = skip_blanks(bytes, name.end);
            let start = skip_blanks(bytes, colon + 1);
            let value = Json { start, end: value_end(bytes, start).end, ..self };
            at = value.end;
            Some(Member { name: name.string()?, start: name.start, value })
        })
    }

    /// The items of an array, in order; none of anything else.
    pub fn items(self) -> impl Iterator<Item = Json<'a>> {
        let mut at = if self.is_array() { self.start + 1 } else { self.end };
        std::iter::from_fn(move || {
            let start = self.next(at)?;
            let item = Json { start, end: value_end(self.text.as_bytes(), start).end, ..self };
            at = item.end;
            Some(item)
        })
    }

    /// The member of that name that is not null; of several, the last one.
    pub fn get(self, name: &str) -> Option<Json<'a>> {
        self.members().filter(|m| m.name == name && m.value.raw() != "null").last().map(|m| m.value)
    }

    /// The string member of that name, if it is not empty.
    pub fn text_of(self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.string().filter(|text| !text.is_empty())
    }

    /// The start of the next member or item at or after `at`; `None` after the last.
    fn next(self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = skip_blanks(bytes, at);
        if at < self.end && bytes[at] == b',' {
            at = skip_blanks(bytes, at + 1);
        }
        (at + 1 < self.end).then_some(at)
    }
}

/// A string that may contain half a surrogate pair.
struct Wtf8(Vec<u8>);

impl<'de> Deserialize<'de> for Wtf8 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Wtf8;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Wtf8, E> {
                Ok(Wtf8(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// New texts for places of a text.
#[derive(Debug, Clone, Default)]
pub struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Replaces `range` by `text`. Ranges must not overlap.
    pub fn replace(&mut self, range: Range<usize>, text: String) {
        self.0.push((range, text));
    }

    /// Replaces `range` by the JSON string of `text`.
    pub fn replace_string(&mut self, range: Range<usize>, text: &str) {
        // A string can always be written.
        self.replace(range, serde_json::to_string(text).unwrap_or_default());
    }

    /// Removes the members that `gone` selects, each with one comma.
    pub fn remove_members(&mut self, object: Json<'_>, mut gone: impl FnMut(&Member<'_>) -> bool) {
        let members: Vec<Member<'_>> = object.members().collect();
        let mut kept_end = None;
        for (i, member) in members.iter().enumerate() {
            if !gone(member) {
                kept_end = Some(member.value.end);
                continue;
            }
            let from = kept_end.unwrap_or(member.start);
            let to = match members.get(i + 1) {
                Some(next) if kept_end.is_none() => next.start,
                _ => member.value.end,
            };
            self.replace(from..to, String::new());
            // Text before `to` is already removed.
            kept_end = kept_end.map(|_| to);
        }
    }

    /// Discards the edits inside a range.
    pub fn forget(&mut self, range: &Range<usize>) {
        self.0.retain(|(own, _)| own.start < range.start || own.end > range.end);
    }

    /// Adds the edits of another list for other places of the same text.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// The edits with ranges relative to the part of the text that starts at `start`.
    #[must_use]
    pub fn shifted_back(mut self, start: usize) -> Self {
        for (range, _) in &mut self.0 {
            *range = range.start - start..range.end - start;
        }
        self
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The JSON text after all edits.
    pub fn written(self, text: &RawValue) -> Result<Box<RawValue>, RpcError> {
        if self.is_empty() {
            return Ok(text.to_owned());
        }
        RawValue::from_string(self.apply(text.get())).map_err(|e| {
            RpcError::new(INTERNAL_ERROR, "internal", format!("the answer cannot be written: {e}"))
        })
    }

    /// The text after all edits.
    pub fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (range, new) in &self.0 {
            out.push_str(text.get(done..range.start).unwrap_or_default());
            out.push_str(new);
            done = range.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\{}\\[\\],: \n\u{e9}]{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-z\"\\\\]{0,4}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn rebuilt(json: Json<'_>) -> Value {
        match json.first() {
            b'{' => Value::Object(
                json.members()
                    .map(|m| (m.name.into_owned(), rebuilt(m.value)))
                    .collect::<serde_json::Map<_, _>>(),
            ),
            b'[' => json.items().map(rebuilt).collect(),
            b'"' => Value::from(json.string().unwrap().into_owned()),
            _ => serde_json::from_str(json.raw()).unwrap(),
        }
    }

    proptest! {
        #[test]
        fn strings_are_read_as_the_library_reads_them(
            pieces in prop::collection::vec(prop_oneof![
                Just("\\n"), Just("\\\""), Just("\\\\"), Just("\\/"), Just("\\b\\f\\r\\t"), Just("é"), Just("plain "),
                Just("\\u00e9"), Just("\\ud83d\\uDE00"), Just("\\ud83d"), Just("\\ude00"), Just("\\u0041"), Just("\\ud83d\\u0041"),
            ], 0..12)
        ) {
            let inner = pieces.concat();
            let expected = serde_json::from_str::<String>(&format!("\"{inner}\"")).ok();
            let read = unescaped(&inner);
            prop_assert!(read.iter().all(|text| text.capacity() <= inner.len()));
            prop_assert_eq!(read, expected);
        }
    }

    proptest! {
        #[test]
        fn what_is_skimmed_is_what_serde_reads(value in any_json(), pretty in any::<bool>()) {
            let text = match pretty {
                true => serde_json::to_string_pretty(&value).unwrap(),
                false => value.to_string(),
            };
            prop_assert_eq!(rebuilt(Json::of(raw(&text))), value);
        }

        #[test]
        fn members_are_removed_and_the_rest_stays(
            names in prop::collection::vec("[a-c]", 0..7), gone in "[a-c]", pretty in any::<bool>(),
        ) {
            let space = if pretty { "\n  " } else { "" };
            let members: Vec<String> = names.iter().enumerate().map(|(i, n)| format!("{space}\"{n}\" : {i}")).collect();
            let text = format!("{{{}{}}}", members.join(" ,"), if pretty { "\n" } else { "" });
            let json = raw(&text);
            let mut edits = Edits::default();
            edits.remove_members(Json::of(json), |m| m.name == gone);
            prop_assert_eq!(edits.is_empty(), !names.contains(&gone));
            let out = edits.apply(&text);
            let left: Vec<(String, String)> = Json::of(raw(&out))
                .members().map(|m| (m.name.into_owned(), m.value.raw().to_owned())).collect();
            let expected: Vec<(String, String)> = names.iter().enumerate()
                .filter(|(_, n)| **n != gone).map(|(i, n)| (n.clone(), i.to_string())).collect();
            prop_assert_eq!(left, expected, "{}", out);
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = " {\"a\" : [1, {\"b\":\"x\\u0041\"} ] , \"a\":2, \"n\":null} ";
        let json = Json::of(raw(text));
        assert_eq!(json.get("a").unwrap().raw(), "2");
        assert!(json.get("n").is_none() && json.get("b").is_none());
        let first = json.members().next().unwrap();
        let string = first.value.items().nth(1).unwrap().get("b").unwrap();
        assert_eq!(string.string().unwrap(), "xA");
        let mut edits = Edits::default();
        edits.replace_string(string.range(), "\"");
        let at = text.trim();
        assert_eq!(edits.apply(at), at.replace("\"x\\u0041\"", "\"\\\"\""));
        assert_eq!(Json::of(raw(r#""a\ud83d""#)).string().unwrap(), "a\u{fffd}");
    }
}
