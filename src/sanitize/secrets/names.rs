//! Reads names: decides whether a name with a keyword in it means a secret, or something about a secret.
//!
//! `accessToken` and `DB_PASSWORD_2` mean secrets; `token_type`, `nextPageToken` and `tokenizer` do not. It never reads
//! values.

use super::judge::{ByteSet, contains, skip, skip_back};

use std::ops::Range;

/// Longest name on either side of its keyword.
pub(super) const MAX_NAME_BYTES: usize = 64;

const HEAD: ByteSet = ByteSet::parse("a-zA-Z0-9_.$-");
const TAIL: ByteSet = ByteSet::parse("a-zA-Z0-9_-");

/// The name around the last keyword; the next keyword may be in the same name.
#[derive(Debug, Default)]
pub(super) struct Names {
    head: Range<usize>,
    tail: Range<usize>,
}

impl Names {
    /// The name that contains `hit`, at most `MAX_NAME_BYTES` on either side. Keywords come in order.
    pub(super) fn around(&mut self, text: &[u8], hit: &Range<usize>) -> Range<usize> {
        if !(self.head.start..=self.head.end).contains(&hit.start) {
            // The bytes up to the end of the last head are already classified.
            let known = self.head.end.min(hit.start);
            let from = skip_back(text, hit.start, HEAD, MAX_NAME_BYTES.min(hit.start - known));
            let start = if from == known && !self.head.is_empty() {
                self.head.start
            } else {
                skip_back(text, from, HEAD, MAX_NAME_BYTES - (hit.start - from).min(MAX_NAME_BYTES))
            };
            self.head = start..hit.start;
        }
        if !(self.tail.start..=self.tail.end).contains(&hit.end) {
            self.tail = hit.end..hit.end;
        }
        let farthest = hit.end + MAX_NAME_BYTES;
        if self.tail.end < farthest {
            self.tail.end = skip(text, self.tail.end, TAIL, farthest - self.tail.end);
        }
        self.head.start.max(hit.start.saturating_sub(MAX_NAME_BYTES))..self.tail.end.min(farthest)
    }
}

/// The part of a name after the keyword.
pub(super) enum Tail {
    /// The name ends with the keyword, or with a word that changes nothing: `_prod`, `2`, `Value`.
    Plain,
    /// Any other part: the value must look more random.
    Other,
    /// The name is about a secret: `_type`, `Count`, `_url`.
    About,
}

/// Whether the word of a keyword that ends with `last` continues in `tail`, as in `tokenizer`. A plural does not
/// continue it.
pub(super) fn goes_on(tail: &[u8], last: u8) -> bool {
    let Some(&next) = tail.first() else { return false };
    let is_one_word = next.is_ascii_alphabetic() && next.is_ascii_lowercase() == last.is_ascii_lowercase();
    let is_plural = next.eq_ignore_ascii_case(&b's') && !tail.get(1).is_some_and(u8::is_ascii_alphabetic);
    is_one_word && !is_plural
}

/// `pass` and `pwd` occur in many words; they are keywords only as separate words.
pub(super) fn stands_alone(text: &[u8], hit: &Range<usize>) -> bool {
    let Some(&before) = hit.start.checked_sub(1).and_then(|i| text.get(i)) else { return true };
    let first = text[hit.start];
    hit.len() > 4
        || !before.is_ascii_alphabetic()
        || (before.is_ascii_lowercase() && first.is_ascii_uppercase())
}

/// `PASS: TestFind/a1`: the verdict of a test, not a name.
pub(super) fn is_verdict(text: &[u8], name: Range<usize>, hit: &Range<usize>) -> bool {
    // `\nPASS: ` in a string begins a line too.
    let is_escape = hit.start - name.start == 1 && name.start > 0 && text[name.start - 1] == b'\\';
    let is_word = name.end == hit.end && (name.start == hit.start || is_escape);
    is_word && hit.len() == 4 && text.get(hit.end) == Some(&b':')
}

/// Starts of words after a keyword that make a name describe a secret instead of naming it: `token_type`.
const ABOUT: &[&str] = &[
    "type", "name", "count", "len", "size", "url", "uri", "path", "file", "dir", "id", "ids", "exp", "ttl",
    "time", "limit", "usage", "field", "label", "policy", "hint", "regex", "pattern", "prefix", "format",
    "class", "hash", "digest", "checksum", "sha", "md5", "reset", "strength", "input", "box", "param",
    "index", "env", "var", "manager", "store", "provider", "service", "ref", "arn", "version", "alg", "mode",
    "min", "max", "num", "error", "message", "msg", "help", "title", "text", "place", "valid", "rule",
    "required", "enabled", "scope", "kind", "source", "status", "state", "budget", "est", "per", "used",
    "at", "date", "is", "public", "loc", "position", "pos", "offset", "list", "map", "set", "endpoint",
    "host", "in", "out", "embed", "encod", "counter", "finger",
];

/// Last parts of names whose value is not a secret but derived from one, such as a hash.
const END: &[&str] =
    &["_hash", "_digest", "_checksum", "_fingerprint", "_sha1", "_sha256", "_md5", "KeyHash"];

/// Words after a keyword that do not change what the name means: `password_prod`.
const PLAIN: &[&str] = &[
    "value",
    "val",
    "str",
    "string",
    "plain",
    "plaintext",
    "prod",
    "production",
    "dev",
    "development",
    "test",
    "testing",
    "staging",
    "live",
    "sandbox",
    "main",
    "master",
    "primary",
    "secondary",
    "default",
    "old",
    "new",
    "base",
    "raw",
    "b64",
    "base64",
    "confirm",
    "confirmation",
    "s",
    "again",
    "base",
];

/// The part of the name after the keyword; `last` is the keyword's last byte.
pub(super) fn tail(tail: &[u8], last: u8) -> Tail {
    if tail.is_empty() {
        return Tail::Plain;
    }
    if goes_on(tail, last) {
        return Tail::About;
    }
    let word = tail.trim_ascii_start();
    let from = word.iter().position(|&b| b != b'_' && b != b'-').unwrap_or(word.len());
    let word = &word[from..];
    if word.iter().all(u8::is_ascii_digit) || PLAIN.iter().any(|p| word.eq_ignore_ascii_case(p.as_bytes())) {
        return Tail::Plain;
    }
    // Few of these words begin with the letter with which most words begin, so a table by first letters is fast.
    static BY_FIRST: [u128; 256] = {
        let (mut by_first, mut i) = ([0; 256], 0);
        while i < ABOUT.len() {
            by_first[ABOUT[i].as_bytes()[0] as usize] |= 1 << i;
            i += 1;
        }
        by_first
    };
    // `secret_key_hash`
    if END.iter().any(|end| {
        word.len().checked_sub(end.len()).is_some_and(|at| word[at..].eq_ignore_ascii_case(end.as_bytes()))
    }) {
        return Tail::About;
    }
    let Some(first) = word.first() else { return Tail::Other };
    let mut likely = BY_FIRST[usize::from(first.to_ascii_lowercase())];
    while likely != 0 {
        let about = ABOUT[likely.trailing_zeros() as usize];
        if word.get(..about.len()).is_some_and(|start| start.eq_ignore_ascii_case(about.as_bytes())) {
            return Tail::About;
        }
        likely &= likely - 1;
    }
    Tail::Other
}

/// Words before a keyword that make it harmless.
const HEADS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "pagination",
    "paging",
    "cursor",
    "csrf",
    "xsrf",
    "pad",
    "eos",
    "bos",
    "unk",
    "cls",
    "sep",
    "mask",
    "special",
    "end",
    "start",
    "max",
    "num",
    "min",
    "public",
    "publishable",
    "pub",
    "sync",
    "resume",
    "design",
    "stop",
    "image",
    "no",
    "is",
    "has",
    "csrfmiddleware",
    "cancellation",
    "publishable",
    "last",
    "first",
    "prev",
    "previous",
    "delta",
    "sequence",
    "input",
    "output",
    "prompt",
    "completion",
    "hashed",
    "publickey",
    "public_key",
    "public-key",
    "resumption",
    "scroll",
    "skip",
    "dedup",
    "deduplication",
    "forward",
    "backward",
];

/// Words that make a keyword harmless only if they are all that precedes it: `queryToken`, but not `exchangeToken`.
const WHOLE_HEADS: &[&str] = &["change", "query"];

/// Whether the part before the keyword shows that this is not a secret: paging tokens, vocabulary tokens, public keys.
pub(super) fn is_about(head: &[u8]) -> bool {
    let end = head.iter().rposition(|&b| b != b'_' && b != b'-' && b != b'.').map_or(0, |n| n + 1);
    let head = &head[..end];
    if WHOLE_HEADS.iter().any(|word| head.eq_ignore_ascii_case(word.as_bytes())) {
        return true;
    }
    // Few of these words end with the letter with which most heads end, so a table by last letters is fast.
    static BY_LAST: [u64; 256] = {
        let (mut by_last, mut i) = ([0; 256], 0);
        while i < HEADS.len() {
            let h = HEADS[i].as_bytes();
            by_last[h[h.len() - 1] as usize] |= 1 << i;
            i += 1;
        }
        by_last
    };
    let Some(last) = head.last() else { return false };
    let heads = BY_LAST[usize::from(last.to_ascii_lowercase())];
    HEADS.iter().enumerate().any(|(i, h)| {
        heads >> i & 1 == 1
            && head.len() >= h.len()
            && head[head.len() - h.len()..].eq_ignore_ascii_case(h.as_bytes())
            && (h.len() > 3 || head.len() == h.len() || !head[head.len() - h.len() - 1].is_ascii_alphabetic())
    })
}

/// Whether the value after `before` is a public key: `VAPID_PUBLIC_KEY="`.
pub(super) fn is_public(before: &[u8]) -> bool {
    /// Most bytes between a name and its value.
    const MAX_BETWEEN_BYTES: usize = 8;
    const KEYS: &[&[u8]] = &[b"public_key", b"publickey", b"pub_key", b"pubkey"];
    let end = skip_back(before, before.len(), const { ByteSet::parse("=\"'\\: ") }, MAX_BETWEEN_BYTES);
    let ends_with = |key: &&&[u8]| {
        end.checked_sub(key.len()).is_some_and(|start| before[start..end].eq_ignore_ascii_case(key))
    };
    KEYS.iter().any(|key| ends_with(&key))
}

/// Whether a name means a key that grants access, so that a UUID after it is a secret and not an id.
pub(super) fn is_name_of_key(name: &[u8]) -> bool {
    const KEYS: &[&str] = &[
        "clientsecret",
        "consumersecret",
        "appsecret",
        "apisecret",
        "apikey",
        "apitoken",
        "authtoken",
        "accesstoken",
        "refreshtoken",
        "identitytoken",
        "bearertoken",
        "deploytoken",
        "bottoken",
        "secretkey",
        "sessionsecret",
        "cookiesecret",
        "sharedsecret",
        "jwtsecret",
        "signingkey",
        "encryptionkey",
        "masterkey",
    ];
    let name: Vec<u8> = name.iter().filter(|b| b.is_ascii_alphabetic()).copied().collect();
    KEYS.iter().any(|key| {
        name.len() >= key.len() && name[name.len() - key.len()..].eq_ignore_ascii_case(key.as_bytes())
    })
}

/// `SNYK_TOKEN`, `railwayToken`: whether a name gives the service of a token or a secret, so that a UUID is a secret.
/// Names of request ids do not.
pub(super) fn is_name_of_service(name: &[u8], word: Range<usize>) -> bool {
    const OF_REQUESTS: &[&str] =
        &["request", "client", "idempot", "trace", "correl", "cancel", "progress", "upload", "lock"];
    let head = &name[..word.start];
    let is_telling =
        [&b"token"[..], b"secret"].iter().any(|end| name[word.clone()].eq_ignore_ascii_case(end));
    is_telling
        && head.iter().filter(|b| b.is_ascii_alphabetic()).count() > 2
        && !head.ends_with(b".")
        && !OF_REQUESTS.iter().any(|word| contains(head, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::redact;
    use proptest::prelude::*;

    #[test]
    fn letters_as_in_no_language_go() {
        for (text, expected) in [
            ("API_TOKEN=qsRRZlPoQjoP\n", "API_TOKEN=[REDACTED:generic-token]\n"),
            (
                "{\"id\":7,\"secret\":\"cybcvrztlnkhpzyykc\"}\n",
                "{\"id\":7,\"secret\":\"[REDACTED:generic-secret]\"}\n",
            ),
            (
                "secret: identifierOfTheRequest\ntoken = NhlNewColor(x)\n",
                "secret: identifierOfTheRequest\ntoken = NhlNewColor(x)\n",
            ),
            ("  user: bob\n  pass: h4qGsF3rgQfE\n", "  user: bob\n  pass: [REDACTED:generic-password]\n"),
            ("pass: TestFindsAll12\n", "pass: TestFindsAll12\n"),
        ] {
            let shown = redact(text).map_or_else(|| text.to_owned(), |redacted| redacted.text);
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn cursors_and_public_keys_stay() {
        let value = ["ZDHfJCiw4nTx", "IHeYjnek4nRhDnAMyWq"].concat();
        for name in [
            "\"resumptionToken\": \"*\"",
            "\"scrollToken\": \"*\"",
            "\"changeToken\": \"*\"",
            "\"queryToken\": \"*\"",
            "\"nextForwardToken\": \"f/*\"",
            "SkipToken=*",
            "https://g.lan/v1/users?$skiptoken=*&x=1",
            "\"dedupToken\": \"*\"",
            "pagination_token=*",
            "\"paging_token\": \"*\"",
            "next_page_token: *",
            "continuation_token=*",
            "WG_PUBLIC_KEY=*",
            "export VAPID_PUBLIC_KEY=\"*\"",
        ] {
            let text = format!("{}\n", name.replace('*', &value));
            assert_eq!(redact(&text), None, "{text}");
        }
        let address = format!("credential.https://x.example.org.password={value}\n");
        assert!(redact(&address).is_some());
        for name in ["exchangeToken", "passwordChangeToken", "OPENAI_KEY"] {
            let text = format!("{name}={value}\n");
            assert!(redact(&text).is_some(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_what_stands_around_its_keyword(
            text in "([a-c]{0,3}|[a-c]{50,80}|[-_.$ =]|key){0,40}",
            step in 1..4usize,
        ) {
            let text = text.as_bytes();
            let mut names = Names::default();
            for start in memchr::memmem::find_iter(text, "key").step_by(step) {
                let hit = start..start + 3;
                let expected = skip_back(text, hit.start, HEAD, MAX_NAME_BYTES)..skip(text, hit.end, TAIL, MAX_NAME_BYTES);
                for _ in 0..2 {
                    prop_assert_eq!(names.around(text, &hit), expected.clone());
                }
            }
        }
    }
}
