//! Passes output on as it comes, with secrets removed. Bytes that may be part of a secret are held for a moment. Bytes that
//! were sent are remembered as context for what follows.
//!
//! It holds a bounded number of bytes, keeps their order, and changes nothing but secrets.

use std::cell::OnceCell;

use crate::config::Policy;
use crate::sanitize::secrets;
use crate::sanitize::secrets::Finding;
use crate::sanitize::spare::Spare;

/// Bytes of sent output that are kept as context.
const CONTEXT_BYTES: usize = 16 << 10;
/// Most bytes that wait for the next tick.
const MAX_TICK_BYTES: usize = 64 << 10;
/// Most bytes that wait for the end of a secret.
const MAX_WAITING_BYTES: usize = 512 << 10;

/// One stream.
pub struct Passing<'p> {
    policy: &'p LazyPolicy<'p>,
    /// The last bytes that were sent, as they came.
    before: Vec<u8>,
    /// Bytes that wait.
    held: Vec<u8>,
    /// Whether anything came since the last tick.
    has_new: bool,
}

/// A policy that is read when the first secret is found.
pub struct LazyPolicy<'p> {
    read: &'p dyn Fn() -> Policy,
    policy: OnceCell<Policy>,
}

impl std::fmt::Debug for LazyPolicy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LazyPolicy")
    }
}

impl std::fmt::Debug for Passing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Passing({} bytes wait)", self.held.len())
    }
}

impl<'p> LazyPolicy<'p> {
    /// `read` returns the policy.
    pub fn new(read: &'p dyn Fn() -> Policy) -> Self {
        Self { read, policy: OnceCell::new() }
    }

    /// The secrets in some bytes that must be removed.
    fn find(&self, bytes: &[u8]) -> Vec<Finding> {
        let mut findings = secrets::find(bytes);
        if findings.is_empty() {
            return findings;
        }
        let policy = self.policy.get_or_init(self.read);
        if !policy.redact_secrets {
            return Vec::new();
        }
        let spare = Spare::of(&policy.secrets.allow, &policy.seal_key, &[]);
        findings.retain(|f| !spare.keeps(f.rule, &bytes[f.start..f.end]));
        findings
    }

    /// All bytes with secrets removed; `None` if there are none.
    pub fn redacted(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let findings = self.find(bytes);
        (!findings.is_empty()).then(|| written(bytes, 0..bytes.len(), &findings))
    }
}

impl<'p> Passing<'p> {
    /// An empty stream.
    pub fn new(policy: &'p LazyPolicy<'p>) -> Self {
        Self { policy, before: Vec::new(), held: Vec::new(), has_new: false }
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

    /// Call after each tick. Returns the bytes that can be sent: complete lines, and if nothing came since the last tick,
    /// also complete words of the last line.
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

    /// Sends `cut` waiting bytes, or fewer if that would split a secret.
    fn give(&mut self, cut: usize, is_end: bool) -> Vec<u8> {
        if cut == 0 {
            return Vec::new();
        }
        let from = self.before.len();
        let mut all = std::mem::take(&mut self.before);
        all.append(&mut self.held);
        let findings = self.policy.find(&all);
        let mut to = from + cut;
        if !is_end {
            // A finding at the end of the bytes may continue.
            let is_cut = |f: &&Finding| f.start < to && (f.end > to || f.end == all.len());
            if let Some(finding) = findings.iter().find(is_cut) {
                // A secret without an end is sent, redacted, as far as it came.
                let is_long = all.len() - from > MAX_WAITING_BYTES;
                to = if is_long { finding.end } else { finding.start.max(from) };
            }
        }
        let out = written(&all, from..to, &findings);
        self.held = all.split_off(to);
        self.before = all.split_off(all.len().saturating_sub(CONTEXT_BYTES));
        out
    }
}

/// A part of some bytes, with placeholders for secrets.
fn written(bytes: &[u8], part: std::ops::Range<usize>, findings: &[Finding]) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len());
    let mut at = part.start;
    for finding in findings.iter().filter(|f| f.end > part.start && f.start < part.end) {
        out.extend_from_slice(&bytes[at..finding.start.max(at)]);
        // A secret that began earlier already has its placeholder.
        if finding.start >= part.start {
            out.extend_from_slice(&secrets::placeholder(bytes, finding));
        }
        at = finding.end.min(part.end).max(at);
    }
    out.extend_from_slice(&bytes[at..part.end]);
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
        let mut stream = Passing::new(&policy);
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
    fn words_of_a_line_without_an_end_go_out_after_a_moment() {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read);
        let mut stream = Passing::new(&policy);
        assert_eq!(stream.push(b"Continue? [y/N] "), b"");
        assert_eq!(stream.moment(), b"");
        assert_eq!(stream.moment(), b"Continue? [y/N] ");
        assert!(!stream.waits());
    }

    #[test]
    fn what_waits_is_bounded() {
        let read = Policy::default;
        let policy = LazyPolicy::new(&read);
        let mut stream = Passing::new(&policy);
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
        let mut stream = Passing::new(&policy);
        let text = format!("{}\n", token());
        stream.push(text.as_bytes());
        assert_eq!(stream.end(), text.as_bytes());
        assert_eq!(policy.redacted(text.as_bytes()), None);
    }
}
