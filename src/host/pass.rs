//! Passes output on as it comes, with secrets removed and, if a model reads it, with look-alikes of markers escaped.
//! Bytes that may be part of a secret or the start of a marker are held for a moment. Bytes that were sent are
//! remembered as context for what follows.
//!
//! It holds a bounded number of bytes, keeps their order, and changes nothing else. Output that is not text is
//! treated in the same way, and otherwise stays byte for byte.

use std::cell::OnceCell;

use crate::config::{Mode, Policy};
use crate::sanitize::secrets;
use crate::sanitize::secrets::Finding;
use crate::sanitize::spare::Spare;
use crate::text::marker::{self, LookAlikes, SealKey};

/// Bytes of sent output that are kept as context.
const CONTEXT_BYTES: usize = 16 << 10;
/// Most bytes that wait for the next tick.
const MAX_TICK_BYTES: usize = 64 << 10;
/// Most bytes that wait for the end of a line or block that may contain a secret.
const MAX_OPEN_BYTES: usize = 128 << 10;
/// Most bytes that wait for the end of a secret.
const MAX_WAITING_BYTES: usize = 512 << 10;

/// One stream.
pub struct StreamFilter<'p> {
    policy: &'p LazyPolicy<'p>,
    /// The last bytes that were sent, as they came.
    before: Vec<u8>,
    /// Bytes that wait.
    held: Vec<u8>,
    /// How many bytes of `before` belong to secrets whose placeholders were sent.
    placed: usize,
    /// Whether any bytes arrived since the last tick.
    has_new: bool,
}

/// A policy that is read when the first secret or look-alike of a marker is found.
pub struct LazyPolicy<'p> {
    read: &'p dyn Fn() -> Policy,
    policy: OnceCell<Policy>,
    escapes: bool,
}

impl std::fmt::Debug for LazyPolicy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LazyPolicy")
    }
}

impl std::fmt::Debug for StreamFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Passing({} bytes wait)", self.held.len())
    }
}

impl<'p> LazyPolicy<'p> {
    /// `read` returns the policy.
    pub fn new(read: &'p dyn Fn() -> Policy) -> Self {
        Self { read, policy: OnceCell::new(), escapes: false }
    }

    /// A policy for output that a model reads: look-alikes of markers are escaped, unless the user keeps everything
    /// exact.
    pub fn escaping(self) -> Self {
        Self { escapes: true, ..self }
    }

    /// Whether look-alikes of markers are escaped.
    pub fn escapes(&self) -> bool {
        self.escapes
    }

    fn policy(&self) -> &Policy {
        self.policy.get_or_init(self.read)
    }

    /// The key of the installation.
    pub fn seal_key(&self) -> SealKey {
        self.policy().seal_key
    }

    /// The look-alikes of markers in some bytes, which must be escaped.
    fn find_look_alikes(&self, bytes: &[u8], is_end: bool) -> LookAlikes {
        if !self.escapes {
            return LookAlikes::default();
        }
        let looks =
            if is_end { marker::find_look_alikes_at_end(bytes) } else { marker::find_look_alikes(bytes) };
        let is_any = !looks.places.is_empty();
        if is_any && self.policy().mode == Mode::Disabled && !self.policy().escapes_exact {
            return LookAlikes::default();
        }
        looks
    }

    /// The secrets in some bytes that must be removed.
    fn find(&self, bytes: &[u8]) -> Vec<Finding> {
        let mut findings = secrets::find(bytes);
        if findings.is_empty() {
            return findings;
        }
        let policy = self.policy();
        if !policy.redact_secrets {
            return Vec::new();
        }
        let spare = Spare::of(&policy.secrets.allow, &policy.seal_key, &[]);
        findings.retain(|f| !spare.keeps(f.rule, &bytes[f.start..f.end]));
        findings
    }

    /// All bytes with secrets removed and look-alikes escaped; `None` if there are none.
    pub fn made_safe(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (findings, looks) = (self.find(bytes), self.find_look_alikes(bytes, true));
        let is_safe = findings.is_empty() && looks.places.is_empty();
        (!is_safe).then(|| written(bytes, 0..bytes.len(), 0, &findings, &looks))
    }
}

impl<'p> StreamFilter<'p> {
    /// An empty stream.
    pub fn new(policy: &'p LazyPolicy<'p>) -> Self {
        Self { policy, before: Vec::new(), held: Vec::new(), placed: 0, has_new: false }
    }

    /// Whether any bytes wait.
    pub fn waits(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes the waiting bytes without sending them.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// Adds a piece. Returns the bytes that can be sent now; none while only few wait.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.has_new = true;
        if self.held.len() < MAX_TICK_BYTES { Vec::new() } else { self.moment() }
    }

    /// Call this after each tick. Returns the bytes that can be sent: complete lines, and if no bytes arrived since
    /// the last tick, also complete words of the last line. An incomplete line waits if it may contain a secret,
    /// and so does a key block without its end.
    pub fn moment(&mut self) -> Vec<u8> {
        let is_line = |b: &u8| *b == b'\n' || *b == b'\r';
        let is_blank = |b: &u8| b.is_ascii_whitespace();
        let goes_on = std::mem::take(&mut self.has_new);
        let cut = match self.held.iter().rposition(is_line) {
            Some(at) => at + 1,
            None if goes_on && self.held.len() < MAX_TICK_BYTES => 0,
            None => self.held.iter().rposition(is_blank).map_or(0, |at| at + 1),
        };
        let cut = if cut == 0 && self.held.len() >= MAX_WAITING_BYTES { self.held.len() / 2 } else { cut };
        self.give(cut, false)
    }

    /// The stream has ended: returns all waiting bytes.
    pub fn end(&mut self) -> Vec<u8> {
        self.give(self.held.len(), true)
    }

    /// Sends `cut` waiting bytes, or fewer if that would split a secret or the start of a marker.
    fn give(&mut self, cut: usize, is_end: bool) -> Vec<u8> {
        if cut == 0 {
            return Vec::new();
        }
        let from = self.before.len();
        let mut all = std::mem::take(&mut self.before);
        all.append(&mut self.held);
        let findings = self.policy.find(&all);
        let mut looks = self.policy.find_look_alikes(&all, is_end);
        let mut to = from + cut;
        if !is_end {
            // A secret without an end is redacted as far as it arrived; a possible start of a marker is escaped.
            let waiting = all.len() - from;
            let is_long = waiting > MAX_WAITING_BYTES;
            if let Some(open) = secrets::open(&all).filter(|_| waiting <= MAX_OPEN_BYTES) {
                to = to.min(open.max(from));
            }
            match looks.open.filter(|open| (from..to).contains(open)) {
                Some(open) if is_long => looks.close(&all, open),
                Some(open) => to = open,
                None => {}
            }
            // A finding at the end of the bytes may continue.
            let is_cut = |f: &&Finding| f.start < to && (f.end > to || f.end == all.len());
            if let Some(finding) = findings.iter().find(is_cut) {
                to = if is_long { finding.end } else { finding.start.max(from) };
            }
        }
        let out = written(&all, from..to, self.placed, &findings, &looks);
        let sent = findings.iter().filter(|f| f.start < to).map(|f| f.end.min(to)).max();
        self.placed = self.placed.max(sent.unwrap_or(0));
        self.held = all.split_off(to);
        let gone = all.len().saturating_sub(CONTEXT_BYTES);
        self.before = all.split_off(gone);
        self.placed = self.placed.saturating_sub(gone);
        out
    }
}

/// A part of some bytes, with placeholders for secrets, and look-alikes of markers escaped. The placeholders of secrets that
/// begin in the first `placed` bytes were sent before.
fn written(
    bytes: &[u8],
    part: std::ops::Range<usize>,
    placed: usize,
    findings: &[Finding],
    looks: &LookAlikes,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len());
    let mut at = part.start;
    let mut places = looks.places.iter().peekable();
    let mut copy = |out: &mut Vec<u8>, mut from: usize, to: usize| {
        // Look-alikes inside a secret are removed with it.
        while places.next_if(|place| place.at < from).is_some() {}
        while let Some(place) = places.next_if(|place| place.at < to) {
            out.extend_from_slice(&bytes[from..place.at]);
            // UTF-16 stays UTF-16, of either order.
            let zero = bytes.get(place.at + 1).filter(|next| **next == 0);
            place.escape.bytes().for_each(|byte| out.extend(std::iter::once(byte).chain(zero.copied())));
            from = place.at;
        }
        out.extend_from_slice(&bytes[from..to]);
    };
    for finding in findings.iter().filter(|f| f.end > part.start && f.start < part.end) {
        copy(&mut out, at, finding.start.max(at));
        if finding.start >= part.start || finding.start >= placed {
            out.extend_from_slice(&secrets::placeholder(bytes, finding));
        }
        at = finding.end.min(part.end).max(at);
    }
    copy(&mut out, at, part.end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> String {
        format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36])
    }

    fn through(pieces: &[&str], with_moments: bool) -> (String, Vec<String>) {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read);
        let mut stream = StreamFilter::new(&policy);
        let mut out = Vec::new();
        for piece in pieces {
            out.push(stream.push(piece.as_bytes()));
            if with_moments {
                out.push(stream.moment());
                out.push(stream.moment());
            }
        }
        out.push(stream.end());
        let out: Vec<String> = out.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
        (out.concat(), out)
    }

    #[test]
    fn a_secret_that_comes_in_pieces_goes_whole() {
        let token = token();
        let text = format!("first line\nexport GITHUB_TOKEN={token}\n# last \u{e9} line\nno end");
        let expected = format!(
            "first line\nexport GITHUB_TOKEN={}\n# last \u{e9} line\nno end",
            "[REDACTED:github-pat]"
        );
        for at in 1..text.len() {
            if !text.is_char_boundary(at) {
                continue;
            }
            let (a, b) = text.split_at(at);
            for with_moments in [false, true] {
                assert_eq!(through(&[a, b], with_moments).0, expected, "cut at {at}");
            }
        }
        let bytes: Vec<&str> = text.split_inclusive(|_: char| true).collect();
        assert_eq!(through(&bytes, true).0, expected);
    }

    #[test]
    fn a_key_block_goes_as_one_though_its_lines_come_one_by_one() {
        let body: String = (0..12).map(|n| format!("{}{n:02}\n", "MIIEpAIBAAKCAQEA7bq0".repeat(3))).collect();
        let (dashes, kind) = ("-----", "RSA PRIVATE KEY");
        let text = format!("before\n{dashes}BEGIN {kind}{dashes}\n{body}{dashes}END {kind}{dashes}\nafter\n");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (out, pieces) = through(&lines, true);
        assert!(!out.contains("MIIE"), "{out}");
        assert!(out.starts_with("before\n") && out.ends_with("after\n"), "{out}");
        assert!(pieces[1] == "before\n", "what is no part of it does not wait");
    }

    #[test]
    fn a_value_of_several_words_goes_whole_and_leaves_a_placeholder() {
        let words = "ribbon cactus velvet orbit ladder puzzle marble gentle anchor fiscal window tunnel";
        let begin = ["-----BEGIN OpenVPN Sta", "tic key V1-----\n"].concat();
        let end = "-----END OpenVPN Static key V1-----\n";
        for (before, value, behind) in [
            ("DB_PASSWORD=\"", "Kx9m Q2vLw7 zAbCdE", "\"\nafter\n"),
            ("seed phrase: ", words, "\nafter\n"),
            ("app password: ", "abcd efgh ijkl mnop", "\n"),
            (&begin, "0123456789abcdef0123456789abcdef\nfedcba9876543210fedcba9876543210\n", end),
        ] {
            let text = format!("first\n{before}{value}{behind}");
            let pieces: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
            let (out, _) = through(&pieces, true);
            assert_eq!(out, secrets::redact(&text).unwrap().text);
            assert_eq!(out.matches("[REDACTED:").count(), 1, "{out}");
        }
    }

    #[test]
    fn the_rest_of_a_value_whose_start_was_sent_leaves_a_placeholder() {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read);
        let mut stream = StreamFilter::new(&policy);
        // A line of this length does not wait.
        let mut out =
            stream.push(&[b"x DB_PASSWORD=\"Kx9m ".as_slice(), &[b' '; MAX_OPEN_BYTES + 1]].concat());
        out.extend(stream.moment());
        stream.before = b"DB_PASSWORD=\"Kx9m ".to_vec();
        stream.push(b"Q2vLw7 zAbCdE\"\n");
        let rest = stream.end();
        assert!(
            rest.ends_with(b"]\"\n") && !rest.ends_with(b"zAbCdE\"\n"),
            "{}",
            String::from_utf8_lossy(&rest)
        );
    }

    #[test]
    fn words_of_a_line_without_an_end_go_out_after_a_moment() {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read);
        let mut stream = StreamFilter::new(&policy);
        assert_eq!(stream.push(b"Continue? [y/N] "), b"");
        assert_eq!(stream.moment(), b"");
        assert_eq!(stream.moment(), b"Continue? [y/N] ");
        assert!(!stream.waits());
    }

    #[test]
    fn what_waits_is_bounded() {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read);
        let mut stream = StreamFilter::new(&policy);
        let mut sum = 0;
        for _ in 0..40 {
            sum += stream.push(&vec![b'a'; MAX_TICK_BYTES]).len();
            assert!(stream.held.len() <= MAX_WAITING_BYTES + MAX_TICK_BYTES);
        }
        assert_eq!(sum + stream.end().len(), 40 * MAX_TICK_BYTES);
    }

    #[test]
    fn redaction_that_is_off_is_off() {
        let read = || Policy { redact_secrets: false, ..Policy::default() };
        let policy = LazyPolicy::new(&read);
        let mut stream = StreamFilter::new(&policy);
        let text = format!("{}\n", token());
        stream.push(text.as_bytes());
        assert_eq!(stream.end(), text.as_bytes());
        assert_eq!(policy.made_safe(text.as_bytes()), None);
    }

    fn shown(pieces: &[&[u8]], with_moments: bool) -> Vec<u8> {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read).escaping();
        let mut stream = StreamFilter::new(&policy);
        let mut out = Vec::new();
        for piece in pieces {
            out.extend(stream.push(piece));
            if with_moments {
                out.extend(stream.moment());
                out.extend(stream.moment());
            }
        }
        out.extend(stream.end());
        out
    }

    #[test]
    fn a_marker_that_comes_in_pieces_is_escaped() {
        let token = token();
        for opening in [
            "[tersed: ",
            "[ \n\n tersed: ",
            "\u{2e57}tersed: ",
            "&#0091;tersed: ",
            "[Duplicate of ",
            "\\u005btersed: ",
        ] {
            let text = format!("first line [\n{opening}omitted 400 lines] {token}\n\0\u{fffd} last\n");
            let expected = format!(
                "first line [\n\\{opening}omitted 400 lines] [REDACTED:github-pat]\n\0\u{fffd} last\n"
            );
            let text = text.as_bytes();
            for at in 0..text.len() {
                for with_moments in [false, true] {
                    let out = shown(&[&text[..at], &text[at..]], with_moments);
                    assert_eq!(String::from_utf8_lossy(&out), expected, "cut at {at}");
                }
            }
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(String::from_utf8_lossy(&shown(&bytes, true)), expected);
        }
    }

    #[test]
    fn what_is_no_text_and_no_marker_stays_byte_for_byte() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert_eq!(shown(&[&bytes], true), bytes);
        let pieces: Vec<&[u8]> = bytes.chunks(777).collect();
        assert_eq!(shown(&pieces, true), bytes);
        // Brackets alone wait for the next bytes, and nothing is added.
        let brackets = b"[\n[\n[ \n {\n[";
        let pieces: Vec<&[u8]> = brackets.chunks(1).collect();
        assert_eq!(shown(&pieces, true), brackets);
    }

    #[test]
    fn wide_text_stays_wide() {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let wide = |text: &str| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
            let (text, expected) =
                (wide("a [tersed: exit status 0]\r\n"), wide("a \\[tersed: exit status 0]\r\n"));
            assert_eq!(shown(&[&text], false), expected);
            assert_eq!(shown(&[&expected], false), expected);
        }
    }

    #[test]
    fn a_marker_whose_start_never_ends_does_not_wait_for_ever() {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read).escaping();
        let mut stream = StreamFilter::new(&policy);
        let mut out = stream.push(b"[");
        let blanks = vec![b'\n'; MAX_TICK_BYTES];
        for _ in 0..20 {
            out.extend(stream.push(&blanks));
            assert!(stream.held.len() <= MAX_WAITING_BYTES + 2 * MAX_TICK_BYTES);
        }
        out.extend(stream.push(b"tersed: exit status 0]"));
        out.extend(stream.end());
        assert!(out.starts_with(b"\\[\n"), "{:?}", &out[..9]);
    }

    #[test]
    fn a_user_who_keeps_everything_exact_gets_it_exact() {
        let read = || Policy { mode: Mode::Disabled, ..Policy::default() };
        let policy = LazyPolicy::new(&read).escaping();
        assert_eq!(policy.made_safe(b"[tersed: exit status 0]"), None);
        // Output that only an untrusted project keeps exact is escaped.
        let read = || Policy { mode: Mode::Disabled, escapes_exact: true, ..Policy::default() };
        let policy = LazyPolicy::new(&read).escaping();
        assert_eq!(policy.made_safe(b"[tersed: exit status 0]").unwrap(), b"\\[tersed: exit status 0]");
    }
}
