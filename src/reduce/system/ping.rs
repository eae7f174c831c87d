//! `ping`: replies between the first and the last of a run without a gap are left out. A lost, late, repeated or
//! unusual reply ends the run. Replies that took many times as long as the others, and the statistics, are kept.

use crate::input::{Claim, Input};
use crate::reduce::format::is_command;
use crate::reduce::quantities::{MILLI, nanoseconds};
use crate::reduce::{Meta, Reducer};
use crate::text::judge;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct Ping;

static META: Meta = Meta {
    id: "ping",
    family: "system",
    reads: "`ping`, `ping6`",
    keeps: "the first and last reply of each run without a gap and the three at most that took far longer, losses, errors, duplicates, the statistics",
    omits: "the replies between",
    anchors: &["PING ", "bytes from ", "Reply from ", "Pinging "],
};

/// A reply: its number if it has one, the text that must be the same in the next, and its time in nanoseconds.
struct Reply<'a> {
    number: Option<u64>,
    from: &'a str,
    /// The hops that were left, which change with the route.
    ttl: &'a str,
    time: u64,
}

/// Fewest replies of a run that is folded. A choice.
const MIN_RUN_REPLIES: usize = 5;
/// Most slow replies of a run that are kept. A choice.
const MAX_SLOW_REPLIES: usize = 3;

impl Reducer for Ping {
    fn meta(&self) -> &Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let command = &input.detection.command;
        let starts = |l: &str| l.starts_with("PING ") || l.starts_with("PING6(") || l.starts_with("Pinging ");
        if !input.source.lines().take(5).any(starts)
            && !input.source.lines().take(5).any(|l| reply(l).is_some())
        {
            return Claim::No;
        }
        match () {
            () if command.runs(|s| is_command(s, "ping") || is_command(s, "ping6")) => Claim::Command,
            () if command.is_filtered() || !input.source.lines().take(5).any(starts) => Claim::No,
            () => Claim::Content,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut run: Option<(usize, Reply<'_>)> = None;
        let mut times = Vec::new();
        for i in 0..=source.len() {
            let now = if i < source.len() { reply(source.line(i)) } else { None };
            let continues = match (&run, &now) {
                (Some((_, last)), Some(now)) => {
                    last.from == now.from
                        && last.ttl == now.ttl
                        && match (last.number, now.number) {
                            (Some(last), Some(now)) => now == last + 1,
                            (last, now) => last == now,
                        }
                }
                _ => false,
            };
            match (run.as_mut(), now) {
                (Some((_, last)), Some(now)) if continues => {
                    times.push(now.time);
                    *last = now;
                }
                (_, now) => {
                    if let Some((start, _)) = run.take()
                        && i - start >= MIN_RUN_REPLIES
                    {
                        let mut next = start + 1;
                        let slow = judge::much_larger(&times, MILLI, MAX_SLOW_REPLIES)
                            .into_iter()
                            .map(|at| start + at);
                        for stays in slow.filter(|at| (start + 1..i - 1).contains(at)).chain([i - 1]) {
                            out.omit(next..stays, Reason::SteadyReplies);
                            next = stays + 1;
                        }
                    }
                    times.clear();
                    times.extend(now.as_ref().map(|now| now.time));
                    run = now.map(|now| (i, now));
                }
            }
        }
        out.unless_empty()
    }
}

/// `64 bytes from a (1.2.3.4): icmp_seq=1 ttl=57 time=12.1 ms`, `Reply from 1.2.3.4: bytes=32 time=3ms TTL=57`; no
/// further text, such as `(DUP!)`, is allowed.
fn reply(line: &str) -> Option<Reply<'_>> {
    let line = line.trim_end();
    if let Some(rest) = line.strip_prefix("Reply from ") {
        let (from, rest) = rest.split_once(": bytes=")?;
        let (_, ttl) = rest.split_once(" TTL=")?;
        return Some(Reply { number: None, from, ttl: first_digits(ttl), time: time(rest) });
    }
    // `-D` puts the time before it.
    let text = match line.starts_with('[') {
        true => line.split_once("] ")?.1,
        false => line,
    };
    let (_, rest) = text.split_once(" bytes from ")?;
    let (from, rest) = ["icmp_seq=", "icmp_seq:", "seq="].iter().find_map(|seq| rest.split_once(seq))?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let whole = rest.ends_with(" ms") && rest.contains("time=");
    let ttl = rest.split_once("ttl=").or_else(|| rest.split_once("hlim="));
    let ttl = ttl.map_or("", |(_, ttl)| first_digits(ttl));
    whole.then_some(Reply { number: Some(number), from, ttl, time: time(rest) })
}

/// The digits at the start of a text.
fn first_digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

/// The nanoseconds of `time=12.1 ms` or `time<1ms`, 0 without a time.
fn time(text: &str) -> u64 {
    let time = text.split_once("time=").or_else(|| text.split_once("time<")).map_or("", |(_, time)| time);
    nanoseconds(time.split(" TTL=").next().unwrap_or_default().as_bytes()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_that_came_another_way_is_not_steady() {
        let line =
            |i| format!("64 bytes from a: icmp_seq={i} ttl={} time=0.2 ms\n", if i == 20 { 58 } else { 63 });
        let text: String = (0..40).map(line).collect();
        let source = crate::text::source::Source::new(&text);
        let reply = |i| reply(source.line(i)).map(|r| r.ttl);
        assert_eq!((reply(19), reply(20)), (Some("63"), Some("58")));
    }

    #[test]
    fn replies() {
        let of = |line| reply(line).map(|r| r.number);
        assert_eq!(of("64 bytes from a (1.2.3.4): icmp_seq=7 ttl=57 time=12.1 ms"), Some(Some(7)));
        assert_eq!(of("[1600000000.1] 64 bytes from 1.2.3.4: icmp_seq=7 ttl=57 time=12 ms"), Some(Some(7)));
        assert_eq!(of("Reply from 1.2.3.4: bytes=32 time=3ms TTL=57"), Some(None));
        assert_eq!(of("64 bytes from a: icmp_seq=7 ttl=57 time=12.1 ms (DUP!)"), None);
        assert_eq!(of("From 10.0.0.1 icmp_seq=1 Destination Host Unreachable"), None);
        assert_eq!(of("Request timeout for icmp_seq 3"), None);
        let time = |line| reply(line).map(|r| r.time);
        assert_eq!(time("64 bytes from 1.2.3.4: icmp_seq=7 ttl=57 time=1203 ms"), Some(1203 * MILLI));
        assert_eq!(time("Reply from 1.2.3.4: bytes=32 time<1ms TTL=57"), Some(MILLI));
    }
}
