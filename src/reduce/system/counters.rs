//! Counters of interfaces and drivers (`ifconfig`, `ip -s`, `ethtool -S`, `show interfaces` of network gear): lines
//! with nothing but counters that are all zero are left out. A line with any other number or with a property
//! besides its counters is kept. A line with zeros is kept if most lines of its form are not zero.

use std::collections::HashSet;
use std::ops::Range;

use crate::input::{Claim, Input};
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::reduce::{Meta, Reducer};
use crate::text::details::similarity_hash;
use crate::text::maps::Map;
use crate::text::reason::Reason;
use crate::text::reduction::Reduction;

/// The reducer of this module.
pub struct Counters;

/// Reads a single line.
static ROWS: Rows = Rows {
    meta: Meta {
        id: "counters",
        family: "system",
        reads: "`ifconfig`, `ethtool -S`, `show interfaces`, `display interface`, `show controllers` of network gear",
        keeps: "names, states, addresses, rates, every line with a number that is not zero or with a property, a zero where at least as many lines of its form are not zero",
        omits: "lines that hold only counters, all of them zero",
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

impl Reducer for Counters {
    fn meta(&self) -> &Meta {
        &ROWS.meta
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        ROWS.claim(input)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        ROWS.reduce_but(input, &exceptions(input))
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        ROWS.extent(input)
    }
}

/// Zero lines of a form in which at least half of the lines are not zero: there the zero is the exception.
fn exceptions(input: &Input<'_>) -> HashSet<usize> {
    let source = input.source;
    let at = Place { header: "", mode: input.policy.mode };
    // For each form, the number of lines with other numbers and of those with zeros.
    let mut forms: Map<u64, (usize, usize)> = Map::default();
    let mut zeros: Vec<(usize, u64)> = Vec::new();
    for line in 0..source.len() {
        crate::stop::check_sometimes();
        let text = source.line(line).trim_end();
        if text.len() >= MAX_LINE_BYTES {
            continue;
        }
        match read(at, text) {
            Row::Keep => forms.entry(similarity_hash(text)).or_default().0 += 1,
            Row::Hide(..) => {
                let form = similarity_hash(text);
                forms.entry(form).or_default().1 += 1;
                zeros.push((line, form));
            }
            _ => {}
        }
    }
    let is_exception = |form: &u64| forms.get(form).is_some_and(|(others, zeros)| others >= zeros);
    zeros.into_iter().filter(|(_, form)| is_exception(form)).map(|(line, _)| line).collect()
}

/// Words for counted things: every counter has one of these.
const COUNTED: &[&str] = &[
    "error",
    "drop",
    "babble",
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
            // An address, a version or a rate is not a counter.
            return Row::Other;
        }
    }
    let low = line.to_ascii_lowercase();
    if numbers == 0 || !COUNTED.iter().any(|word| low.contains(word)) {
        return Row::Other;
    }
    match numbers == zeros && low.len() < MAX_LINE_BYTES && holds_only_counters(&low) {
        true => Row::Hide(Reason::ZeroCounters, "".into()),
        false => Row::Keep,
    }
}

/// Whether every part of a line has a number and a word for what it counts, and no part states a property.
fn holds_only_counters(low: &str) -> bool {
    low.split([',', ';', '(']).map(str::trim).filter(|part| !part.is_empty()).all(|part| {
        // The text after the last counter, such as a closing parenthesis, has no words.
        let is_counted = COUNTED.iter().any(|word| part.contains(word));
        let has_number = part.bytes().any(|b| b.is_ascii_digit());
        let mut words = part.split(|c: char| !c.is_ascii_alphanumeric());
        is_counted && has_number && !words.any(|word| PROPERTIES.contains(&word))
    })
}

/// Words of properties: a line with one of them states more than zero counts.
const PROPERTIES: &[&str] = &[
    "auto", "disabled", "down", "duplex", "enabled", "false", "full", "half", "is", "limit", "max", "metric",
    "min", "mode", "mtu", "never", "none", "off", "on", "priority", "prio", "rate", "size", "speed", "state",
    "status", "true", "type", "up", "vlan", "yes",
];

/// Longer lines, in bytes, have more than counters. A choice.
const MAX_LINE_BYTES: usize = 160;

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
        for line in [
            "     Flow control: off, 0 pause input",
            "     output flow-control is off, 0 errors",
            "     queue state up, 0 drops",
            "     input queue 0, size 0",
            "     tx queue limit: 0",
        ] {
            assert_eq!(of(line), Row::Keep, "{line}");
        }
        assert_eq!(of("        RX packets 12  bytes 0 (0.0 B)"), Row::Keep);
        assert_eq!(of("     1 input errors, 0 CRC"), Row::Keep);
        assert_eq!(of("0 errors"), Row::Other);
        assert_eq!(of("  Input rate 0 bps, 10.0.0.1/24 packets 0"), Row::Other);
        assert_eq!(of("  x = 0"), Row::Other);
    }

    fn excepted(text: &str) -> Vec<usize> {
        let source = crate::text::source::Source::new(text);
        let (call, detection, policy, relevance) = Default::default();
        let input = Input {
            source: &source,
            call: &call,
            detection: &detection,
            policy: &policy,
            relevance: &relevance,
        };
        let mut lines: Vec<usize> = exceptions(&input).into_iter().collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn the_zero_among_others_stays() {
        let of = |zeros: &[usize]| -> String {
            (0..12)
                .map(|i| {
                    let packets = if zeros.contains(&i) { 0 } else { i + 40 };
                    format!("     rx_queue_{i}_packets: {packets}\n     rx_queue_{i}_drops: 0\n")
                })
                .collect()
        };
        assert_eq!(excepted(&of(&[])), [0; 0]);
        assert_eq!(excepted(&of(&[3])), [6]);
        assert_eq!(excepted(&of(&[3, 5])), [6, 10]);
        // If most are zero, the others are the exceptions.
        assert_eq!(excepted(&of(&[0, 1, 2, 3, 4, 5, 6])), [0; 0]);
    }
}
