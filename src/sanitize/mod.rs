//! The safe stage: decodes, redacts, cleans up, escapes. Later steps see only its result.
//!
//! Redaction runs first, and again after each step that could join parts of a secret. Nothing here shortens a text because
//! of its length.

pub mod allowed;
pub mod binary;
pub mod encoding;
pub mod invisible;
pub mod secrets;
pub mod spare;
pub mod terminal;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use spare::Spare;

use crate::stop;
use crate::text::marker;
use crate::text::marker::SealKey;

/// The input: text that the host decoded, or bytes.
#[derive(Debug, Clone, Copy)]
pub enum Raw<'a> {
    /// Text.
    Text(&'a str),
    /// Bytes of unknown encoding.
    Bytes(&'a [u8]),
}

impl<'a> Raw<'a> {
    /// The bytes.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The text, unless the bytes are in another encoding.
    fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        self.bytes().len()
    }
}

/// The search for secrets panicked or was cancelled, so no content may be returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedactionFailed;

/// Names and counts, in a fixed order.
pub type Counts = Vec<(&'static str, usize)>;

/// A text that is safe to read, and what was done to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sanitized {
    /// The text; empty when the data are binary.
    pub text: Arc<str>,
    /// The redacted text before clean-up, if the clean-up changed it and it is safe to keep.
    pub original: Option<String>,
    /// Set when the data are not text.
    pub binary: Option<binary::Binary>,
    /// Secrets removed, by rule.
    pub redactions: Counts,
    /// Characters and sequences removed or escaped, by class.
    pub removals: Counts,
}

/// The removal class of text that only looks like a marker.
pub const LOOK_ALIKE: &str = "marker_look_alike";
/// Most rounds of redaction after look-alikes were escaped. One round suffices, except for hostile texts.
const ESCAPE_ROUNDS: usize = 3;
/// Longest marker for binary data, in bytes.
const MAX_BINARY_MARKER_BYTES: usize = 128;

/// Options of the stage.
#[derive(Clone, Copy)]
pub struct How<'a> {
    /// Whether to remove secrets.
    pub redact: bool,
    /// Keeps escape sequences and overwritten text, unless they hide a secret.
    pub keeps_terminal: bool,
    /// The key that seals outputs.
    pub key: &'a SealKey,
    /// The values that are not removed although a rule finds them.
    pub spare: &'a Spare<'a>,
    /// Recognises texts that this session gave in place of repeated results.
    pub is_ours: &'a dyn Fn(&str) -> bool,
    /// Recognises texts that are dictionaries as a whole.
    pub is_dictionary: fn(&str) -> bool,
}

/// Runs the whole stage.
pub fn run(raw: Raw<'_>, how: How<'_>) -> Result<Sanitized, RedactionFailed> {
    let mut out = Sanitized::default();
    // Data that is shorter than the marker for binary data is shown as text.
    let classify = |bytes: &[u8]| binary::classify(bytes).filter(|_| bytes.len() > MAX_BINARY_MARKER_BYTES);
    let decoded: Cow<'_, str> = match raw {
        Raw::Text(text) => match (encoding::narrowed(text), classify(text.as_bytes())) {
            (Some(narrow), _) => {
                add(&mut out.removals, "control_character", text.len() - narrow.len());
                Cow::Owned(narrow)
            }
            (None, Some(binary)) => return Ok(Sanitized { binary: Some(binary), ..out }),
            (None, None) => Cow::Borrowed(text),
        },
        Raw::Bytes(bytes) => match classify(bytes) {
            Some(binary) => return Ok(Sanitized { binary: Some(binary), ..out }),
            None => {
                let decoded = encoding::decode(bytes);
                add(&mut out.removals, "invalid_utf8", decoded.replaced);
                add(&mut out.removals, "byte_order_mark", usize::from(decoded.bom));
                decoded.text
            }
        },
    };
    let is_sealed = marker::is_sealed(&decoded, how.key);
    let len = decoded.len();
    stop::check();
    let redacted = if how.redact { redact_into(decoded, how.spare, &mut out.redactions)? } else { decoded };
    stop::check();
    clean(redacted, how, &mut out)?;
    stop::check();
    if is_sealed {
        // An output of tersed contains no look-alikes. Secrets that older rules did not know are removed, and the
        // output stays sealed.
        if !out.redactions.is_empty() || out.text.len() != len {
            let mut text = out.text.to_string();
            marker::seal(&mut text, how.key);
            out.text = text.into();
        }
    } else {
        escape_look_alikes(how, &mut out)?;
    }
    Ok(out)
}

/// Escapes text that looks like a marker. An added backslash may turn the text before it into a secret, and a removed secret
/// may take a backslash with it. So both are repeated until nothing changes.
fn escape_look_alikes(how: How<'_>, out: &mut Sanitized) -> Result<(), RedactionFailed> {
    for round in 0..=ESCAPE_ROUNDS {
        let Some((escaped, count)) = marker::escape(&out.text, how.is_ours, how.is_dictionary) else { break };
        add(&mut out.removals, LOOK_ALIKE, count);
        let before = total(&out.redactions);
        let is_redacted = how.redact && round < ESCAPE_ROUNDS;
        let text = match is_redacted {
            true => redact_into(Cow::Owned(escaped), how.spare, &mut out.redactions)?,
            false => Cow::Owned(escaped),
        };
        out.text = text.into();
        if total(&out.redactions) == before {
            break;
        }
        out.original = None;
    }
    Ok(())
}

/// Cleans up terminal sequences and invisible characters. After each change redaction runs again, because an escape sequence
/// inside a token hides it from the first pass.
fn clean(redacted: Cow<'_, str>, how: How<'_>, out: &mut Sanitized) -> Result<(), RedactionFailed> {
    let How { redact, keeps_terminal, spare, .. } = how;
    let secrets_before = total(&out.redactions);
    let mut text = match terminal::parted(&redacted).filter(|_| redact) {
        Some(parted) => Cow::Owned(parted),
        None => redacted,
    };
    let mut original: Option<Cow<'_, str>> = None;
    let mut hides = false;
    let is_kept = |shown: &str| {
        keeps_terminal && (!redact || redact_but(shown, spare).is_ok_and(|(_, counts)| counts.is_empty()))
    };
    if let Some(rendered) = terminal::render(&text).filter(|rendered| !is_kept(&rendered.text)) {
        add(&mut out.removals, "escape_sequence", rendered.escapes);
        add(&mut out.removals, "overwritten", rendered.overwrites);
        add(&mut out.removals, "control_character", rendered.controls);
        // The text that is searched below lacks overwritten text.
        hides =
            redact && rendered.overwrites > 0 && !redact_but(&without_escapes(&text), spare)?.1.is_empty();
        original = Some(std::mem::replace(&mut text, Cow::Owned(rendered.text)));
    }
    stop::check();
    if let Some(stripped) = invisible::strip(&text) {
        for (class, count) in stripped.removed {
            add(&mut out.removals, class, count);
        }
        let before = std::mem::replace(&mut text, Cow::Owned(stripped.text));
        original.get_or_insert(before);
    }
    stop::check();
    if original.is_some() && redact {
        text = redact_into(text, spare, &mut out.redactions)?;
    }
    // The clean-up made a secret visible that is still in the original, in pieces.
    if total(&out.redactions) == secrets_before && !hides {
        out.original = original.map(Cow::into_owned);
    }
    out.text = text.into();
    Ok(())
}

/// The text without escape sequences and invisible characters; nothing is overwritten.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        stop::check_sometimes();
        if c != '\u{1b}' {
            if !c.is_control() || matches!(c, '\n' | '\t' | '\r') {
                out.push(c);
            }
            continue;
        }
        match chars.next() {
            Some('[') => drop(chars.find(|c| ('@'..='~').contains(c))),
            // Strings end with BEL, or with ESC and a backslash.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(c) = chars.next() {
                    if c == '\u{7}' || c == '\u{1b}' && chars.next_if_eq(&'\\').is_some() {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    invisible::strip(&out).map_or(out, |stripped| stripped.text)
}

/// Removes the secrets of a text. An error in the rules counts as failed redaction.
fn redact_into<'a>(
    text: Cow<'a, str>,
    spare: &Spare<'_>,
    counts: &mut Counts,
) -> Result<Cow<'a, str>, RedactionFailed> {
    let mut keeps = |rule, value: &[u8]| spare.keeps(rule, value);
    let mut run = || {
        let named = spare.output_name().and_then(|name| secrets::redact_value(&text, name, &mut keeps));
        named.or_else(|| match spare.is_idle() {
            true => secrets::redact(&text),
            false => secrets::redact_but(&text, &mut keeps),
        })
    };
    let redacted = catch_unwind(AssertUnwindSafe(&mut run)).map_err(|_| RedactionFailed)?;
    Ok(match redacted {
        None => text,
        Some(redacted) => {
            for (rule, count) in redacted.hits {
                add(counts, rule, count);
            }
            Cow::Owned(redacted.text)
        }
    })
}

/// The parts of a result that hold a piece of a secret whose rest is in the next part, without these pieces, and the
/// number of such secrets by rule; a part that holds none is `None`. No parts if no secret is divided.
pub fn redact_divided(
    parts: &[Raw<'_>],
    spare: &Spare<'_>,
) -> Result<(Vec<Option<String>>, Counts), RedactionFailed> {
    let mut counts = Counts::new();
    if parts.len() < 2 {
        return Ok((Vec::new(), counts));
    }
    let texts: Vec<&str> = parts.iter().map(|raw| raw.as_text().unwrap_or_default()).collect();
    let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    let mut divided =
        catch_unwind(AssertUnwindSafe(|| secrets::divided(&bytes))).map_err(|_| RedactionFailed)?;
    divided.retain(|secret| !spare.keeps(secret.rule, &secret.value));
    if divided.is_empty() {
        return Ok((Vec::new(), counts));
    }
    let mut out = vec![None; parts.len()];
    // From the end, so that the places before stay.
    for secret in divided.iter().rev() {
        add(&mut counts, secret.rule, 1);
        for (number, piece) in secret.pieces.iter().rev() {
            let text: &mut String = out[*number].get_or_insert_with(|| texts[*number].to_owned());
            let piece = text.floor_char_boundary(piece.start)..text.ceil_char_boundary(piece.end);
            text.replace_range(piece, &format!("{}{}]", secrets::PLACEHOLDER, secret.rule));
        }
    }
    Ok((out, counts))
}

/// Redacts without cleaning up, for results that must otherwise stay exact.
pub fn redact_only(text: &str) -> Result<(String, Counts), RedactionFailed> {
    redact_but(text, &Spare::nothing())
}

/// Like [`redact_only`], but keeps values that `spare` allows.
pub fn redact_but(text: &str, spare: &Spare<'_>) -> Result<(String, Counts), RedactionFailed> {
    let mut counts = Counts::new();
    let text = redact_into(Cow::Borrowed(text), spare, &mut counts)?.into_owned();
    Ok((text, counts))
}

/// Like [`redact_but`], but returns the cleaned-up text if the clean-up reveals a secret. A rule that keeps a
/// result exact must not keep a secret that redaction would otherwise remove.
pub fn redact_exact(text: &str, spare: &Spare<'_>) -> Result<(String, Counts), RedactionFailed> {
    let (text, mut counts) = redact_but(text, spare)?;
    let mut cleaned = Sanitized::default();
    let key = SealKey::default();
    let how = How {
        redact: true,
        keeps_terminal: false,
        key: &key,
        spare,
        is_ours: &|_| false,
        is_dictionary: |_| false,
    };
    clean(Cow::Borrowed(&text), how, &mut cleaned)?;
    if cleaned.redactions.is_empty() {
        return Ok((text, counts));
    }
    for (class, count) in &cleaned.redactions {
        add(&mut counts, class, *count);
    }
    Ok((cleaned.text.to_string(), counts))
}

/// Whether the stage would leave a text of tersed unchanged, apart from markers.
pub fn is_clean(text: &str, redact: bool) -> bool {
    let run = || {
        let secret = redact && secrets::redact(text).is_some();
        !secret && terminal::render(text).is_none() && invisible::strip(text).is_none()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(false)
}

/// Redacts binary data. If a secret only appears after NULs are removed (UTF-16) or after clean-up, it cannot be cut out
/// safely, so nothing is kept.
pub fn redact_binary(bytes: Vec<u8>) -> Vec<u8> {
    let run = || {
        let redacted = secrets::redact_bytes(&bytes).map_or_else(|| bytes.clone(), |(redacted, _)| redacted);
        let narrow: Vec<u8> = redacted.iter().copied().filter(|b| *b != 0).collect();
        let text = String::from_utf8_lossy(&redacted);
        let shown = terminal::render(&text).map_or_else(|| text.into_owned(), |r| r.text);
        let shown = invisible::strip(&shown).map_or(shown, |s| s.text);
        let hidden = secrets::redact_bytes(&narrow).is_some() || secrets::redact(&shown).is_some();
        if hidden { Vec::new() } else { redacted }
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_default()
}

fn add(counts: &mut Counts, name: &'static str, count: usize) {
    match counts.iter_mut().find(|(n, _)| *n == name) {
        _ if count == 0 => {}
        Some((_, sum)) => *sum += count,
        None => counts.push((name, count)),
    }
}

fn total(counts: &Counts) -> usize {
    counts.iter().map(|(_, n)| n).sum()
}
