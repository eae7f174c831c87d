//! Distinguishes binary data from text.
//!
//! It recognises kinds by magic number; otherwise it counts bytes that text does not contain. Terminal recordings, UTF-16,
//! legacy encodings and text around base64 count as text. It never decodes or changes anything.

use super::encoding;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use infer::MatcherType;
use std::ops::Range;

/// Binary data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binary {
    /// The media type, `application/octet-stream` when the magic number is unknown.
    pub mime: &'static str,
    /// Bytes.
    pub size: usize,
}

/// A base64 run that holds binary data of a known kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base64Run {
    /// Where the base64 characters are, in bytes of the text; a `data:` prefix is not part of it.
    pub range: Range<usize>,
    /// The media type of the decoded data, by its first bytes.
    pub mime: &'static str,
}

/// Bytes that are examined at the start of the data.
const PROBE_BYTES: usize = 8192;
/// Data is binary if more than 1 byte in this many is a byte that text does not contain.
const ONE_IN: usize = 10;
/// The shortest base64 run that is examined, in characters.
const LEAST_BASE64: usize = 1024;
const OCTETS: &str = "application/octet-stream";

/// The kind of the data, if it is not text.
#[must_use]
pub fn classify(bytes: &[u8]) -> Option<Binary> {
    let binary = |mime| Some(Binary { mime, size: bytes.len() });
    if bytes.is_empty() || encoding::utf16(bytes).is_some() {
        return None;
    }
    let head = &bytes[..bytes.len().min(PROBE_BYTES)];
    let head_is_text = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    // Short magic numbers (`BM`, `MZ`, `II*`) also begin sentences, so data whose head is clean text count as text.
    let is_clean = head_is_text && !has_odd_control(head);
    if is_clean && memchr::memmem::find(head, b"%PDF").is_none() {
        return None;
    }
    let known = magic(head);
    if is_clean && known != Some("application/pdf") {
        return None;
    }
    if let Some(mime) = known
        && (mime == "application/pdf" || !head_is_text && head.contains(&0))
    {
        return binary(mime);
    }
    if !mostly_odd(head) || !mostly_odd(bytes) || encoding::guess_legacy(head_without_cut(head)).is_some() {
        return None;
    }
    binary(known.unwrap_or(OCTETS))
}

/// Unbroken runs of at least 1,024 base64 characters that decode to binary data of a known kind. Keys, certificates, hashes
/// and tokens are not among them.
#[must_use]
pub fn base64_runs(text: &str) -> Vec<Base64Run> {
    let bytes = text.as_bytes();
    let mut runs = Vec::new();
    let mut at = 0;
    // A run covers at least one stride, so testing one byte per stride finds every run.
    while let Some(&probe) = bytes.get(at + LEAST_BASE64 - 1) {
        if !is_base64(probe) {
            at += LEAST_BASE64;
            continue;
        }
        let probe = at + LEAST_BASE64 - 1;
        let start =
            bytes[at..probe].iter().rposition(|&byte| !is_base64(byte)).map_or(at, |last| at + last + 1);
        let body =
            bytes[probe..].iter().position(|&byte| !is_base64(byte)).map_or(bytes.len(), |len| probe + len);
        let padding = bytes[body..].iter().take(2).take_while(|&&byte| byte == b'=').count();
        if body - start >= LEAST_BASE64
            && let Some(mime) = base64_kind(&bytes[start..body])
        {
            runs.push(Base64Run { range: start..body + padding, mime });
        }
        at = body + padding;
    }
    runs
}

/// The kind of data that base64 characters encode, by their decoded first bytes.
fn base64_kind(run: &[u8]) -> Option<&'static str> {
    const SNIFFED: usize = 512;
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);
    let head = &run[..run.len().min(SNIFFED)];
    let decoded = STANDARD.decode(head).or_else(|_| URL_SAFE.decode(head)).ok()?;
    let is_data = std::str::from_utf8(&decoded).is_err() || decoded.iter().any(|&byte| is_odd_control(byte));
    magic(&decoded).filter(|&mime| is_data || mime == "application/pdf")
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The media type by magic number, of binary kinds only.
fn magic(bytes: &[u8]) -> Option<&'static str> {
    /// The first bytes of Office documents. Their kind is stored in a folder inside, which is only read with the feature
    /// `office`.
    const COMPOUND: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    if cfg!(not(feature = "office")) && bytes.starts_with(&COMPOUND) {
        return Some("application/x-ole-storage");
    }
    let kind = infer::get(bytes)?;
    (kind.matcher_type() != MatcherType::Text).then(|| kind.mime_type())
}

/// Whether the bytes contain a control that text does not have. Checked in fixed blocks without early exit.
fn has_odd_control(bytes: &[u8]) -> bool {
    const BLOCK: usize = 64;
    bytes.chunks(BLOCK).any(|block| block.iter().fold(false, |odd, &byte| odd | is_odd_control(byte)))
}

/// Controls that neither text nor a terminal stream contains. BEL to CR, ESC, SO and SI occur in such text.
fn is_odd_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, 0x07..=0x0F | 0x1B)
}

/// Whether more than a tenth of the bytes are such controls or invalid UTF-8.
fn mostly_odd(bytes: &[u8]) -> bool {
    let odd: usize = head_without_cut(bytes)
        .utf8_chunks()
        .map(|chunk| {
            chunk.invalid().len() + chunk.valid().bytes().filter(|&byte| is_odd_control(byte)).count()
        })
        .sum();
    odd * ONE_IN > bytes.len()
}

/// The bytes without an incomplete character at the end.
fn head_without_cut(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

    /// Bytes without a pattern.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 0x2545_F491_4F6C_DD1Du64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    fn png() -> Vec<u8> {
        [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0"[..], &noise(3000)].concat()
    }

    fn mime(bytes: &[u8]) -> Option<&'static str> {
        let found = classify(bytes)?;
        assert_eq!(found.size, bytes.len());
        Some(found.mime)
    }

    #[test]
    fn binary_kinds_are_named() {
        assert_eq!(mime(&png()), Some("image/png"));
        assert_eq!(
            mime(&[b"\x1f\x8b\x08\0\0\0\0\0\0\x03", &noise(500)[..]].concat()),
            Some("application/gzip")
        );
        assert_eq!(mime(&[b"PK\x03\x04\x14\0\0\0\x08\0", &noise(500)[..]].concat()), Some("application/zip"));
        assert_eq!(
            mime(&[b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0", &noise(9000)[..]].concat()),
            Some("application/x-executable")
        );
        assert_eq!(
            mime(&[b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", &noise(500)[..]].concat()),
            Some("application/pdf")
        );
        assert_eq!(mime(&noise(5000)), Some(OCTETS));
        assert_eq!(mime(&[0; 64]), Some(OCTETS));
    }

    #[test]
    fn text_is_text() {
        let french =
            encoding_rs::WINDOWS_1252.encode("déjà créé à l'été, où ça a été vérifié\n").0.into_owned();
        let chinese = encoding_rs::GBK
            .encode("错误：无法打开文件，系统找不到指定的路径。请检查文件名是否正确。\n")
            .0
            .into_owned();
        let wide: Vec<u8> = "hello wide world\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut cut = "漢".repeat(PROBE_BYTES);
        cut.insert(0, 'x');
        let texts: [&[u8]; 15] = [
            b"",
            b"plain\n",
            b"BM is how a bitmap begins\n",
            b"MZ too\n",
            b"BM one bad byte \xFF in a line of text\n",
            b"#!/bin/sh\necho\n",
            b"<!DOCTYPE html><html></html>",
            b"<?xml version=\"1.0\"?><a/>",
            b"\x1b[31mred\x1b[0m\r\n\x07\x1b]0;t\x07\x1b[K\r50%\x08\x08",
            b"a log line\0\nwith two stray NULs\0\nin it and more text to follow\n",
            b"base64: aGVsbG8gd29ybGQ=\n",
            &french,
            &chinese,
            &wide,
            cut.as_bytes(),
        ];
        for text in texts {
            assert_eq!(classify(text), None, "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn both_head_and_whole_must_be_odd() {
        let text = "a line of an ordinary log with words in it\n".repeat(2000).into_bytes();
        assert_eq!(classify(&[text.clone(), noise(2000)].concat()), None);
        assert_eq!(classify(&[noise(4000), text].concat()), None);
        let mixed: Vec<u8> =
            noise(20_000).chunks(20).flat_map(|part| [part, &b"some words\n"[..]].concat()).collect();
        assert_eq!(mime(&mixed), Some(OCTETS));
    }

    #[test]
    fn base64_of_known_kinds_is_found_exactly() {
        let image = BASE64_STANDARD.encode(png());
        let text = format!("see ![x](data:image/png;base64,{image}) and\n\"{image}\"\n");
        let runs = base64_runs(&text);
        assert_eq!(runs.len(), 2);
        for run in &runs {
            assert_eq!((&text[run.range.clone()], run.mime), (image.as_str(), "image/png"));
        }
        let safe = BASE64_URL_SAFE_NO_PAD.encode(png());
        assert_eq!(base64_runs(&safe)[0].range, 0..safe.len());
        for pad in [0, 1, 500, 1022, 1023, 1024, 1500] {
            let moved = format!("{}{image}", " ".repeat(pad));
            assert_eq!(base64_runs(&moved)[0].range, pad..moved.len(), "{pad}");
        }
    }

    #[test]
    fn other_base64_stays() {
        let key = BASE64_STANDARD.encode(noise(2000));
        let prose = BASE64_STANDARD.encode("BM just some text that was encoded. ".repeat(60));
        let short = BASE64_STANDARD.encode(&png()[..600]);
        let path = "/usr/lib/python3/dist-packages".repeat(50);
        let hex = "deadbeef".repeat(400);
        for text in [key, prose, short, path, hex, "é".repeat(2000), String::new()] {
            assert_eq!(base64_runs(&text), [], "{}", &text[..text.len().min(40)]);
        }
    }
}
