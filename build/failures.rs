//! The automata of the regexes in `src/text/signals/patterns.rs`. At run time they are used in place, without
//! copying.
//!
//! A build script is not optimized and would take twelve seconds to compile them. They are therefore stored in
//! `failures.zst`, with a digest of their regexes. If the regexes or the byte order differ, they are compiled.

use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;

/// The automaton of a regex over bytes, in the byte order of the target.
pub fn automaton(regex: &str, is_little_endian: bool) -> Vec<u8> {
    let config = dense::Config::new().minimize(true).start_kind(StartKind::Unanchored);
    let dfa = dense::Builder::new()
        .configure(config)
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(thompson::Config::new().utf8(false))
        .build(regex)
        .expect("a regex that an automaton can hold");
    let (bytes, padding) =
        if is_little_endian { dfa.to_bytes_little_endian() } else { dfa.to_bytes_big_endian() };
    bytes[padding..].to_vec()
}

/// The automata in the stored file, after decompression. The file has a digest of the regexes, and for each automaton
/// its length in four bytes and its bytes. `None` if they are for other regexes.
pub fn unpacked(stored: &[u8], regexes: &[&str]) -> Option<Vec<Vec<u8>>> {
    let (head, mut rest) = stored.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*head) != digest(regexes) {
        return None;
    }
    let mut out = Vec::new();
    while let Some((len, after)) = rest.split_first_chunk::<4>() {
        let (automaton, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        out.push(automaton.to_vec());
        rest = after;
    }
    (out.len() == regexes.len()).then_some(out)
}

/// FNV-1a over the regexes, each with a zero after it.
pub fn digest(regexes: &[&str]) -> u64 {
    let bytes = regexes.iter().flat_map(|regex| regex.bytes().chain([0]));
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3))
}
