//! Writes the character class table: a block index for each 128 code points, and the distinct blocks.

use super::class;
use regex_syntax::hir::{Class, HirKind};

const CODE_POINTS: usize = 0x11_0000;

/// The class table as (index, blocks): `blocks[index[c / BLOCK] * BLOCK + c % BLOCK]`.
pub fn tables() -> (Vec<u8>, Vec<u8>) {
    let mut flat = vec![class::OTHER; CODE_POINTS];
    for (pattern, bit) in [
        (r"[\p{Lu}\p{Lt}]", class::UPPER),
        (r"\p{Ll}", class::LOWER),
        (r"[\p{Lm}\p{Lo}]", class::UNCASED),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"\s", class::SPACE),
        (r"[\r\n]", class::NEWLINE),
    ] {
        for (start, end) in ranges(pattern) {
            flat[start as usize..=end as usize].fill(bit);
        }
    }
    blocks(&flat, class::BLOCK)
}

/// A table in blocks, in which equal blocks are stored once: the number of each block, and the blocks.
pub fn blocks(flat: &[u8], size: usize) -> (Vec<u8>, Vec<u8>) {
    let mut index = Vec::new();
    let mut blocks: Vec<&[u8]> = Vec::new();
    for block in flat.chunks(size) {
        let at = blocks.iter().position(|known| *known == block).unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(u8::try_from(at).expect("more than 256 distinct blocks: make BLOCK larger"));
    }
    (index, blocks.concat())
}

fn ranges(pattern: &str) -> Vec<(u32, u32)> {
    let parsed = regex_syntax::parse(pattern).expect("a pattern of this file");
    match parsed.kind() {
        HirKind::Class(Class::Unicode(set)) => {
            set.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        HirKind::Class(Class::Bytes(set)) => {
            set.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        other => panic!("{pattern} is not a class: {other:?}"),
    }
}
