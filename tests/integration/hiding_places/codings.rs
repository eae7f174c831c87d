//! Encodings as tools write them: percent signs, escapes, entities, dumps, base64.

use std::fmt::Write;

pub fn percent(text: &str, all: bool) -> String {
    let keeps = |b: u8| !all && (b.is_ascii_alphanumeric() || b"-_.~".contains(&b));
    let mut out = String::new();
    for b in text.bytes() {
        if keeps(b) { out.push(b as char) } else { write!(out, "%{b:02X}").unwrap() }
    }
    out
}

pub fn style_escapes(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, b| {
        write!(out, "\\{b:06x}").unwrap();
        out
    })
}

pub fn unicode(text: &str) -> String {
    text.encode_utf16().fold(String::new(), |mut out, c| {
        write!(out, "\\u{c:04x}").unwrap();
        out
    })
}

pub fn hex_escapes(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, b| {
        write!(out, "\\x{b:02x}").unwrap();
        out
    })
}

pub fn entities(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

pub fn numeric_entities(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            c if c.is_ascii_alphanumeric() || c == ' ' || c == '\n' => out.push(c),
            c => write!(out, "&#x{:X};", c as u32).unwrap(),
        }
        out
    })
}

/// Quoted-printable with lines of 76; `all` codes every letter.
pub fn quoted_printable(text: &str, all: bool) -> String {
    let mut out = String::new();
    let mut column = 0;
    for b in text.bytes() {
        let piece = match b {
            b'\n' => "\n".to_owned(),
            b if all || b == b'=' || !(b' '..=b'~').contains(&b) => format!("={b:02X}"),
            b => char::from(b).to_string(),
        };
        if b == b'\n' {
            column = 0;
        } else if column + piece.len() > 75 {
            out.push_str("=\n");
            column = piece.len();
        } else {
            column += piece.len();
        }
        out.push_str(&piece);
    }
    out
}

/// A dump, line by line, as `line` writes sixteen bytes at an offset.
fn dump(text: &str, line: impl Fn(usize, &[u8]) -> String) -> String {
    text.as_bytes().chunks(16).enumerate().map(|(i, bytes)| line(i * 16, bytes) + "\n").collect()
}

fn letters(bytes: &[u8]) -> String {
    bytes.iter().map(|b| if (b' '..=b'~').contains(b) { *b as char } else { '.' }).collect()
}

/// An initialiser of C: numbers.
pub fn numbers(text: &str) -> String {
    text.bytes().map(|b| format!("0x{b:02x}")).collect::<Vec<_>>().join(", ")
}

/// The same in letters.
pub fn quoted_letters(text: &str) -> String {
    let letter = |b: u8| match b {
        b'\n' => "'\\n'".to_owned(),
        b'\'' | b'\\' => format!("'\\{}'", b as char),
        b' '..=b'~' => format!("'{}'", b as char),
        b => format!("'\\x{b:02x}'"),
    };
    text.bytes().map(letter).collect::<Vec<_>>().join(",")
}

pub fn xxd(text: &str) -> String {
    dump(text, |at, bytes| {
        let words: Vec<String> =
            bytes.chunks(2).map(|pair| pair.iter().map(|b| format!("{b:02x}")).collect()).collect();
        format!("{at:08x}: {:<39}  {}", words.join(" "), letters(bytes))
    })
}

pub fn hexdump_c(text: &str) -> String {
    dump(text, |at, bytes| {
        let half = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
        let (left, right) = bytes.split_at(bytes.len().min(8));
        format!("{at:08x}  {:<23}  {:<23}  |{}|", half(left), half(right), letters(bytes))
    })
}

pub fn words(text: &str) -> String {
    dump(text, |at, bytes| {
        let word = |pair: &[u8]| format!("{:02x}{:02x}", pair.get(1).copied().unwrap_or(0), pair[0]);
        format!("{at:07x} {}", bytes.chunks(2).map(word).collect::<Vec<_>>().join(" "))
    })
}

pub fn od_c(text: &str) -> String {
    dump(text, |at, bytes| {
        let cell = |b: &u8| match b {
            b'\n' => "  \\n".to_owned(),
            b'\t' => "  \\t".to_owned(),
            b if (b' '..=b'~').contains(b) => format!("   {}", *b as char),
            b => format!(" {b:03o}"),
        };
        format!("{at:07o}{}", bytes.iter().map(cell).collect::<String>())
    })
}

pub fn od_x1(text: &str) -> String {
    dump(text, |at, bytes| {
        format!("{at:07o}{}", bytes.iter().map(|b| format!(" {b:02x}")).collect::<String>())
    })
}

pub fn od_b(text: &str) -> String {
    dump(text, |at, bytes| {
        format!("{at:07o}{}", bytes.iter().map(|b| format!(" {b:03o}")).collect::<String>())
    })
}

/// `xxd -e`: words of four bytes, the last byte first.
pub fn xxd_e(text: &str) -> String {
    dump(text, |at, bytes| {
        let word = |four: &[u8]| four.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
        let words: Vec<String> = bytes.chunks(4).map(|four| format!("{:>8}", word(four))).collect();
        format!("{at:08x}: {:<35}  {}", words.join(" "), letters(bytes))
    })
}

/// `od -a`: letters, and names of other characters.
pub fn od_a(text: &str) -> String {
    dump(text, |at, bytes| {
        let cell = |b: &u8| match b {
            b' ' => "  sp".to_owned(),
            b'\n' => "  nl".to_owned(),
            b'\t' => "  ht".to_owned(),
            b => format!("{:>4}", (b & 0x7f) as char),
        };
        format!("{at:07o}{}", bytes.iter().map(cell).collect::<String>())
    })
}

/// `od -t u1`: decimal numbers.
pub fn od_u1(text: &str) -> String {
    dump(text, |at, bytes| {
        format!("{at:07o}{}", bytes.iter().map(|b| format!(" {b:>3}")).collect::<String>())
    })
}

/// `hexyl`: a table with two panels.
pub fn hexyl(text: &str) -> String {
    dump(text, |at, bytes| {
        let (left, right) = bytes.split_at(bytes.len().min(8));
        let (one, two) = (pairs(left, " "), pairs(right, " "));
        format!("│{at:08x}│ {one:<23} ┊ {two:<23} │{:<8}┊{:<8}│", letters(left), letters(right))
    })
}

/// `tcpdump -X`: words of two bytes after offsets.
pub fn tcpdump(text: &str) -> String {
    dump(text, |at, bytes| {
        let words: Vec<String> =
            bytes.chunks(2).map(|pair| pair.iter().map(|b| format!("{b:02x}")).collect()).collect();
        format!("\t0x{at:04x}:  {:<39}  {}", words.join(" "), letters(bytes))
    })
}

/// Wireshark: bytes after offsets of four digits.
pub fn wireshark(text: &str) -> String {
    dump(text, |at, bytes| format!("{at:04x}   {:<47}   {}", pairs(bytes, " "), letters(bytes)))
}

/// `x/8xb` of gdb.
pub fn gdb(text: &str) -> String {
    let line = |(i, bytes): (usize, &[u8])| {
        let bytes: String = bytes.iter().map(|b| format!("\t0x{b:02x}")).collect();
        format!("0x{:x}:{bytes}\n", 0x7fff_ffff_e000_u64 + 8 * i as u64)
    };
    text.as_bytes().chunks(8).enumerate().map(line).collect()
}

/// Two digits a byte, with something between.
pub fn pairs(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(between)
}

/// Decimal numbers.
pub fn decimals(text: &str, between: &str) -> String {
    text.bytes().map(|b| b.to_string()).collect::<Vec<_>>().join(between)
}

/// `application/x-www-form-urlencoded`.
pub fn form(text: &str) -> String {
    percent(text, false).replace("%20", "+")
}

/// `xxd -p`: digits alone, thirty bytes a line.
pub fn plain_hex(text: &str) -> String {
    let line = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>() + "\n";
    text.as_bytes().chunks(30).map(line).collect()
}

pub fn base64(text: &[u8], is_url: bool) -> String {
    use base64::Engine;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
    if is_url { BASE64_URL_SAFE_NO_PAD.encode(text) } else { BASE64_STANDARD.encode(text) }
}

/// Hard line breaks after every `width` characters.
pub fn wrapped(text: &str, width: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(width).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
}
