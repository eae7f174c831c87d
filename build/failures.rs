//! Compiles the regexes of `src/text/signals/patterns.rs` to automata that are read where they lie.

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
