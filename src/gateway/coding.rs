//! Bodies that clients compressed.

use std::io::Read;

use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;

/// The content encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// None.
    Identity,
    Gzip,
    Zstd,
}

impl Coding {
    /// The content encoding that the headers name; `None` if it is unknown here.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut all = headers.get_all(CONTENT_ENCODING).iter();
        let (first, None) = (all.next(), all.next()) else { return None };
        let Some(first) = first else { return Some(Self::Identity) };
        match first.to_str().ok()?.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Some(Self::Identity),
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The decoded body. `None` if it is damaged or longer than `most` bytes.
    pub(super) fn decoded(self, body: &[u8], most: usize) -> Option<Vec<u8>> {
        let read = |decoder: &mut dyn Read| {
            let mut out = Vec::new();
            decoder.take(most as u64 + 1).read_to_end(&mut out).ok()?;
            (out.len() <= most).then_some(out)
        };
        match self {
            Self::Identity => (body.len() <= most).then(|| body.to_vec()),
            Self::Gzip => read(&mut flate2::read::MultiGzDecoder::new(body)),
            Self::Zstd => read(&mut zstd::stream::read::Decoder::new(body).ok()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn coding(values: &[&str]) -> Option<Coding> {
        Coding::of(&values.iter().map(|value| (CONTENT_ENCODING, value.parse().unwrap())).collect())
    }

    #[test]
    fn headers_tell_the_coding() {
        assert_eq!(coding(&[]), Some(Coding::Identity));
        assert_eq!(coding(&["GZip"]), Some(Coding::Gzip));
        assert_eq!(coding(&["zstd"]), Some(Coding::Zstd));
        for unknown in [&["br"][..], &["gzip, zstd"], &["gzip", "gzip"]] {
            assert_eq!(coding(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn bodies_are_read_up_to_a_bound() {
        let text = b"a body ".repeat(1000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let gzip = gzip.finish().unwrap();
        let zstd = zstd::stream::encode_all(&text[..], 1).unwrap();
        for (coding, body) in [(Coding::Gzip, &gzip), (Coding::Zstd, &zstd), (Coding::Identity, &text)] {
            assert_eq!(coding.decoded(body, text.len()).as_ref(), Some(&text));
            assert_eq!(coding.decoded(body, text.len() - 1), None);
        }
        assert_eq!(Coding::Gzip.decoded(&gzip[..20], 10_000), None);
        assert_eq!(Coding::Zstd.decoded(b"no zstd", 10_000), None);
    }
}
