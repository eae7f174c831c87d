//! How a character looks: which ASCII letter it is or resembles. `build/letters.rs` writes the table. Characters are
//! read one by one, without their neighbours.

#[cfg(test)]
use super::letter;
use super::letter::{BLOCK, OTHER, UNSEEN};

/// The source from which the build script makes the table.
#[cfg(test)]
#[path = "../../../build/letters.rs"]
#[allow(dead_code, reason = "the table itself is made at build time")]
mod source;

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/letter_index.bin"));
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/letter_blocks.bin"));

/// The ASCII character that a character looks like, in lower case; `None` if it is invisible. All white space is one
/// blank; a character that looks like no ASCII character is U+FFFD.
pub(super) fn read(character: char) -> Option<char> {
    if character.is_ascii() {
        return match character {
            _ if character.is_ascii_whitespace() => Some(' '),
            _ if character.is_ascii_control() => None,
            _ => Some(character.to_ascii_lowercase()),
        };
    }
    let at = character as usize;
    let value = INDEX.get(at / BLOCK).and_then(|block| BLOCKS.get(usize::from(*block) * BLOCK + at % BLOCK));
    match value.copied().unwrap_or(OTHER) {
        UNSEEN => None,
        value if value.is_ascii() => Some(char::from(value)),
        _ => Some(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_reads_as_the_tables_of_unicode_say() {
        for c in (char::MIN..=char::MAX).filter(|c| !c.is_ascii()) {
            let told = source::fold(c).map(|letter| if letter.is_ascii() { letter } else { '\u{fffd}' });
            assert_eq!(read(c), told, "{c:?}");
            // No character that may end an opening is lost.
            assert_ne!(source::fold(c), Some('\u{2236}'), "{c:?}");
        }
    }
}
