//! Counters of interfaces and drivers (`ifconfig`, `ip -s`, `ethtool -S`, `show interfaces` of network gear):
//! lines in which every number is zero are left out. A line with any other number is kept.

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::text::reason::Reason;

/// See the module.
pub static COUNTERS: Rows = Rows {
    meta: Meta {
        id: "counters",
        family: "system",
        reads: "`ifconfig`, `ethtool -S`, `show interfaces`, `display interface`, `show controllers` of network gear",
        keeps: "names, states, addresses, rates, every line with a number that is not zero",
        folds: "lines of counters that are all zero",
        anchors: &[
            "RX packets",
            "statistics:",
            "packets input",
            "line protocol ",
            "Counter",
            "counters",
            "NIC statistics",
            " CRC",
        ],
    },
    commands: &["ifconfig", "ethtool", "show", "display", "sh"],
    unless: &[],
    asks: never,
    content: 6,
    read,
};

/// What counters count: one of these stands in each.
const COUNTED: &[&str] = &[
    "error",
    "drop",
    "discard",
    "collision",
    "overrun",
    "underrun",
    "runt",
    "giant",
    "throttle",
    "crc",
    "frame",
    "packet",
    "byte",
    "octet",
    "abort",
    "ignored",
    "carrier",
    "pause",
    "broadcast",
    "multicast",
    "unicast",
    "buffer",
    "fifo",
    "missed",
    "reset",
    "jabber",
    "fragment",
    "oversize",
    "undersize",
    "jumbo",
    "deferred",
    "watchdog",
    "input",
    "output",
    "rx",
    "tx",
    "queue",
    "overflow",
    "fail",
    "retrans",
    "timeout",
    "lost",
];

fn read<'a>(_: Place<'a>, line: &'a str) -> Row<'a> {
    if !line.starts_with([' ', '\t']) || !line.bytes().any(|b| b.is_ascii_digit()) {
        return Row::Other;
    }
    let (mut numbers, mut zeros) = (0, 0);
    for word in line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '=' | '(' | ')' | '/')) {
        let digits = word.bytes().all(|b| b.is_ascii_digit() || b == b'.') && word.matches('.').count() < 2;
        if !word.is_empty() && digits && word.as_bytes()[0].is_ascii_digit() {
            numbers += 1;
            zeros += usize::from(word.bytes().all(|b| b == b'0'));
        } else if word.bytes().any(|b| b.is_ascii_digit()) && !is_name(word) {
            // An address, a version, a rate: no counter.
            return Row::Other;
        }
    }
    let low = line.to_ascii_lowercase();
    if numbers == 0 || !COUNTED.iter().any(|word| low.contains(word)) {
        return Row::Other;
    }
    match numbers == zeros && low.len() < LONGEST {
        true => Row::Hide(Reason::ZeroCounters, "".into()),
        false => Row::Keep,
    }
}

/// Longer lines tell more than counters.
const LONGEST: usize = 160;

/// `rx_queue_0_drops`: a word that starts with a letter.
fn is_name(word: &str) -> bool {
    word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-[].".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    #[test]
    fn zeros() {
        let of = |line| read(Place { header: "", mode: Mode::Standard }, line);
        let goes = Row::Hide(Reason::ZeroCounters, "".into());
        for line in [
            "        RX errors 0  dropped 0  overruns 0  frame 0",
            "     0 runts, 0 giants, 0 throttles",
            "     rx_queue_0_drops: 0",
            "     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored, 0 abort",
        ] {
            assert_eq!(of(line), goes, "{line}");
        }
        assert_eq!(of("        RX packets 12  bytes 0 (0.0 B)"), Row::Keep);
        assert_eq!(of("     1 input errors, 0 CRC"), Row::Keep);
        assert_eq!(of("0 errors"), Row::Other);
        assert_eq!(of("  Input rate 0 bps, 10.0.0.1/24 packets 0"), Row::Other);
        assert_eq!(of("  x = 0"), Row::Other);
    }
}
