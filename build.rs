//! Writes static tables into `OUT_DIR`: the two vocabularies and the character classes of the token counters, the
//! automata of lines that report a failure, the characters that look like ASCII. It uses no network and no file
//! outside the crate and its dependencies.

#![allow(clippy::expect_used, reason = "a build that cannot make its tables must stop")]

#[path = "build/classes.rs"]
mod classes;
#[path = "build/failures.rs"]
mod failures;
#[path = "build/letters.rs"]
mod letters;
#[path = "build/vocabulary.rs"]
mod vocabulary;

#[path = "src/text/marker/letter.rs"]
mod letter;
#[path = "src/text/signals/patterns.rs"]
mod patterns;

#[path = "src/tokens/class.rs"]
mod class;
#[path = "src/tokens/table.rs"]
mod table;

use std::io::Read as _;
use std::{env, fs, path::PathBuf};

fn main() {
    for path in [
        "build.rs",
        "build",
        "src/text/marker/letter.rs",
        "src/text/signals/patterns.rs",
        "src/tokens/class.rs",
        "src/tokens/table.rs",
    ] {
        println!("cargo:rerun-if-changed={path}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let write = |name: &str, bytes: &[u8]| fs::write(out.join(name), bytes).expect("OUT_DIR is writable");

    let (index, blocks) = classes::tables();
    write("class_index.bin", &index);
    write("class_blocks.bin", &blocks);

    let (index, blocks) = classes::blocks(&letters::table(), letter::BLOCK);
    write("letter_index.bin", &index);
    write("letter_blocks.bin", &blocks);

    let is_little_endian = env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|order| order == "little");
    let names = ["failure.dfa", "no_failure.dfa", "some_failure.dfa"];
    for (name, automaton) in names.iter().zip(automata(is_little_endian)) {
        write(name, &automaton);
    }

    let mut lengths = String::new();
    for (name, file) in [("o200k_base", "o200k"), ("cl100k_base", "cl100k")] {
        let encoding = tiktoken::get_encoding(name).expect("a vocabulary of the build dependency");
        let layout = vocabulary::layout(encoding);
        write(&format!("{file}_pilots.bin"), &layout.pilots);
        write(&format!("{file}_slots.bin"), &layout.slots);
        let constant = file.to_uppercase();
        lengths.push_str(&format!(
            "/// Bytes of the longest {file} token.\npub const {constant}_LONGEST: usize = {};\n",
            layout.longest
        ));
    }
    write("longest.rs", lengths.as_bytes());
}

/// The automata of lines that report a failure: the stored ones, or newly compiled ones if the stored ones are for
/// other regexes.
fn automata(is_little_endian: bool) -> Vec<Vec<u8>> {
    let stored = || {
        let file = fs::File::open("build/failures.zst").ok()?;
        let mut bytes = Vec::new();
        ruzstd::decoding::StreamingDecoder::new(file).ok()?.read_to_end(&mut bytes).ok()?;
        failures::unpacked(&bytes, &patterns::ALL)
    };
    let compile = || patterns::ALL.iter().map(|regex| failures::automaton(regex, is_little_endian)).collect();
    Some(is_little_endian).filter(|is_little| *is_little).and_then(|_| stored()).unwrap_or_else(compile)
}
