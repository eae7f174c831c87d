//! Changes of seeds that are the same in every run, for tests without a fuzzer.

use fastrand::Rng;

/// Longest input that is made, in bytes.
const LONGEST: usize = 32 << 10;

/// One to four changes of one of `seeds`; `words` are put in here and there.
pub fn mutated(rng: &mut Rng, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut data = seeds[rng.usize(..seeds.len())].clone();
    for _ in 0..rng.usize(1..=4) {
        change(rng, &mut data, seeds, words);
        data.truncate(LONGEST);
    }
    data
}

fn change(rng: &mut Rng, data: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
    let at = rng.usize(..=data.len());
    let end = (at + rng.usize(..=64)).min(data.len());
    match rng.u8(..8) {
        0 => drop(data.drain(at..end)),
        1 if !data.is_empty() => {
            let at = at.min(data.len() - 1);
            data[at] = if rng.bool() { rng.u8(..) } else { data[at] ^ (1 << rng.u8(..8)) };
        }
        2 if !words.is_empty() => {
            let word =
                words[rng.usize(..words.len())].repeat(if rng.u8(..8) == 0 { rng.usize(1..200) } else { 1 });
            insert(data, at, word.as_bytes());
        }
        3 => {
            let piece = data[at..end].repeat(rng.usize(1..30));
            insert(data, at, &piece);
        }
        4 => {
            let other = &seeds[rng.usize(..seeds.len())];
            let from = rng.usize(..=other.len());
            let piece = other[from..(from + rng.usize(..=512)).min(other.len())].to_vec();
            insert(data, at, &piece);
        }
        5 => {
            let line = data[at..].iter().position(|b| *b == b'\n').map_or(data.len(), |n| at + n);
            insert(data, line, b"\n");
        }
        6 => data.truncate(at),
        _ => {
            let bytes: Vec<u8> = (0..rng.usize(1..8)).map(|_| rng.u8(..)).collect();
            insert(data, at, &bytes);
        }
    }
}

fn insert(data: &mut Vec<u8>, at: usize, piece: &[u8]) {
    if data.len() + piece.len() <= LONGEST {
        data.splice(at..at, piece.iter().copied());
    }
}
