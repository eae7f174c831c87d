//! `openssl x509`, `req`, `s_client`, `crl`: keys, signatures, certificates and session tickets in hexadecimal or
//! base64 are left out. Subject, issuer, validity, names, algorithms and the result of the verification are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static CERTIFICATE: Format = Format::new(
    Meta {
        id: "certificate",
        family: "system",
        reads: "`openssl x509 -text`, `openssl req -text`, `openssl s_client`",
        keeps: "subject, issuer, dates, names, extensions, fingerprints, protocol, cipher, verification",
        omits: "moduli, signatures, certificates and session tickets in hexadecimal or base64",
        anchors: &["Certificate:", "CONNECTED(", "-----BEGIN CERTIFICATE", "Certificate Request:"],
    },
    &["openssl"],
    2,
    &[
        (
            r"Certificate:|Certificate Request:|CONNECTED\([0-9A-F]+\)|Certificate chain|SSL-Session:|Server certificate",
            Shows,
        ),
        (r" +(?:Version|Serial Number|Signature Algorithm): ?.*", Shows),
        (r" +(?:Issuer|Subject|Not Before|Not After ?): ?.*", Keep),
        (r"-----(?:BEGIN|END) [A-Z0-9 ]+-----", Hide(Reason::EncodedBytes)),
        // Moduli are indented by 20 blanks and signatures by 8 or 9. A serial number is indented by 12 and kept, and
        // so is the identifier of a key.
        (r" {20}(?:[0-9a-f]{2}:){1,15}(?:[0-9a-f]{2})?", Hide(Reason::EncodedBytes)),
        (r" {8,9}(?:[0-9a-f]{2}:){1,18}(?:[0-9a-f]{2})?", Hide(Reason::EncodedBytes)),
        (r"[A-Za-z0-9+/]{64}", Hide(Reason::EncodedBytes)),
        (r"[A-Za-z0-9+/]{1,63}={1,2}", Hide(Reason::EncodedBytes)),
        (r" {4}[0-9a-f]{4} - (?:[0-9a-f]{2}[ -]){8,16} .*", Hide(Reason::EncodedBytes)),
        (r" {4}(?:Master-Key|Session-ID|Resumption PSK): [0-9A-F]+", Hide(Reason::EncodedBytes)),
        (
            r" {4}(?:Session-ID-ctx|PSK identity|PSK identity hint|SRP username): ?(?:None)?",
            Hide(Reason::Defaults),
        ),
        (r"---", Keep),
        (
            r"(?:depth=|verify |subject|issuer| ?\d? ?[si]:| +[a-z]:| {4,}[A-Z]|Verification|SSL handshake|New, |Server |Protocol|Cipher|No |Peer |Secure |Compression|Expansion|Early ).*",
            Keep,
        ),
    ],
);
