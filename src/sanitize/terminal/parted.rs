//! Keeps placeholders of secrets from being overwritten: otherwise a reader could not see that a value was removed.

use crate::sanitize::secrets::PLACEHOLDER;
use crate::stop;

/// The text with a line end for the carriage return after the last placeholder of a line, where what follows on that
/// line would overwrite it; `None` if there is no such line.
pub(in crate::sanitize) fn parted(text: &str) -> Option<String> {
    if !text.contains(PLACEHOLDER) || !text.contains('\r') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        stop::check_sometimes();
        match overwritten_at(line) {
            Some((before, behind)) => out.extend([before, "\n", behind]),
            None => out.push_str(line),
        }
    }
    (out != text).then_some(out)
}

/// The text before and after the carriage return after which a line overwrites its last placeholder.
fn overwritten_at(line: &str) -> Option<(&str, &str)> {
    let last = line.rfind(PLACEHOLDER)?;
    let (before, rest) = line.split_at(last);
    let (placeholder, behind) = rest.split_once('\r')?;
    let goes_on = !behind.trim_start_matches('\r').trim_end_matches(['\r', '\n']).is_empty();
    goes_on.then(|| (line.get(..before.len() + placeholder.len()).unwrap_or_default(), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_not_overwritten() {
        let parted = |text: &str| parted(text).unwrap_or_else(|| text.to_owned());
        let one = "password=[REDACTED:generic-password]";
        assert_eq!(parted(&format!("a\n{one}\rxxxx\nb\n")), format!("a\n{one}\nxxxx\nb\n"));
        // The last state of a progress bar has its own placeholder.
        let bar = format!("1% {one}\r2% {one}\n");
        assert_eq!(parted(&bar), bar);
        for text in [format!("{one}\r\nb\r\n"), format!("{one}\r\r\n"), "a\rb\n".to_owned()] {
            assert_eq!(parted(&text), text);
        }
    }
}
