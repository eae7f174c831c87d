//! Finds the rare records of a journal: those whose host, program or subject of the message hardly any other record
//! has, such as `Mar 14 09:27:45 host-2 kernel: EXT4-fs (dm-3): …` among thousands of
//! `host-1 kernel: veth1a2b3c4: …`.

use crate::pipeline::limit::unit::{Candidate, digest};
use crate::text::details::similarity_hash;
use crate::text::judge::{Occurrences, RARE_ONE_IN, is_share};
use crate::text::line_position::{LinePosition, place};
use crate::text::source::Source;

/// With fewer lines, a single record of a program is nothing unusual.
const MIN_LINES: usize = 40;
/// At least this many of 4 lines must name their program.
const MOST_QUARTERS: usize = 3;
/// The most words that are searched for the program.
const MAX_WORDS: usize = 7;
/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 48;
/// The most records of a program that still stand out.
const MAX_ALIKE: usize = 2;
/// The most names that are counted separately. Bounds the memory for a hostile text.
const MAX_NAMES: usize = 4096;
/// The most names of one kind that stand out; more of them are ordinary.
const MAX_RARE: usize = 8;
/// What a record names: its host, its program, and the thing that its message is about.
const KINDS: usize = 3;

/// Adds the records with a name that hardly any other record has.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < MIN_LINES {
        return;
    }
    let mut known = [(); KINDS].map(|()| Occurrences::<u64, MAX_ALIKE>::at_most(MAX_NAMES));
    let mut all = 0;
    for (at, &line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let Some(names) = names(source.line(line)) else { continue };
        all += 1;
        for (known, name) in known.iter_mut().zip(names) {
            known.add(name, at);
        }
    }
    if all * 4 < lines.len() * MOST_QUARTERS {
        return;
    }
    for known in known {
        let mut rare = known.into_rare();
        rare.retain(|(count, _)| is_share(*count, all, RARE_ONE_IN));
        if rare.len() > MAX_RARE {
            continue;
        }
        for (count, places) in rare {
            for (nth, &place) in places.iter().take(count).enumerate() {
                let key = digest(&similarity_hash(source.line(lines[place])).to_le_bytes(), KINDS);
                // Only one record comes before all other outliers.
                out.push(Candidate { place, nth, count: count - 1, key, is_word: false });
            }
        }
    }
}

/// Digests of the names in a record that starts with a time.
fn names(line: &str) -> Option<[u64; KINDS]> {
    if place(line) != LinePosition::Time {
        return None;
    }
    let mut words = line.split_ascii_whitespace().take(MAX_WORDS);
    let mut host = words.next()?;
    let program = loop {
        let word = words.next()?;
        match word.strip_suffix(':').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            Some(name) => break name,
            None => host = word,
        }
    };
    if program.len() > MAX_NAME_BYTES {
        return None;
    }
    // Without the id of the process.
    let program = program.split_once('[').map_or(program, |(name, _)| name);
    let about = words.next().unwrap_or_default();
    let program = digest(program.as_bytes(), 1);
    // A number in the place of the host is a time or an id.
    let host = if host.starts_with(|c: char| c.is_ascii_alphabetic()) { host } else { "" };
    Some([digest(host.as_bytes(), 0), program, digest(&form(about), program as usize)])
}

/// A word without digits, signs and ids.
fn form(word: &str) -> Vec<u8> {
    let word = &word.as_bytes()[..word.len().min(MAX_NAME_BYTES)];
    let runs = word.chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric());
    runs.flat_map(stem).copied().filter(u8::is_ascii_alphabetic).collect()
}

/// The shortest id after a stem, in bytes.
const MIN_ID_BYTES: usize = 6;

/// A word without the hexadecimal id at its end: `veth` of `veth1a2b3c4`.
pub(super) fn stem(word: &[u8]) -> &[u8] {
    let is_hex = |b: &&u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    let id = word.iter().rev().take_while(is_hex).count();
    let (stem, id) = word.split_at(word.len() - id);
    let is_id = id.len() >= MIN_ID_BYTES && id.iter().any(u8::is_ascii_digit);
    if is_id { stem } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut out = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
        let mut places: Vec<usize> = out.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    #[test]
    fn a_program_or_a_host_that_is_seen_once() {
        let usual = |i: usize| match i % 3 {
            0 => format!("Mar 14 09:{:02}:00 h1 kernel: veth{:07x}: up\n", i % 60, 0xa1b_2c3d + i * 977),
            1 => format!("Mar 14 09:{:02}:00 h1 CRON[{i}]: (root) CMD (run)\n", i % 60),
            _ => format!("Mar 14 09:{:02}:00 h1 systemd[1]: Started session {i}.\n", i % 60),
        };
        for odd in [
            "Mar 14 09:20:00 h1 ntpd[77]: kernel reports TIME_ERROR: 0x41\n",
            "Mar 14 09:20:00 h2 CRON[9]: (root) CMD (run)\n",
            "Mar 14 09:20:00 h1 kernel: EXT4-fs (dm-3): mounted without journal\n",
        ] {
            let text: String = (0..90).map(|i| if i == 50 { odd.to_owned() } else { usual(i) }).collect();
            assert_eq!(found(&text), [50], "{odd}");
        }
        assert_eq!(found(&(0..90).map(usual).collect::<String>()), [0; 0]);
    }

    #[test]
    fn ids_behind_a_stem() {
        for (word, expected) in
            [("veth1a2b3c4", "veth"), ("vetheef722b", "veth"), ("facade", "facade"), ("eth0", "eth0")]
        {
            assert_eq!(stem(word.as_bytes()), expected.as_bytes(), "{word}");
        }
    }
}
