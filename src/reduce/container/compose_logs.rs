//! `docker compose logs` and `up`: consecutive lines of one service name it only once; after the first, they start
//! with the pipe. Lines that report a failure are kept unchanged.

use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct ComposeLogs;

static META: Meta = Meta {
    id: "compose_logs",
    family: "container",
    reads: "`docker compose logs`, `docker compose up`, and other logs with `service | ` before each line",
    keeps: "every line; lines that report a failure with the service before them",
    omits: "the name of the service on lines that follow one of the same service",
    anchors: &[" | "],
};

/// Lines at the start that a claim checks. A choice: every line of the format names its service.
const HEAD_LINES: usize = 200;
/// The fewest lines with a service name for a claim. A choice.
const MIN_SERVICE_LINES: usize = 4;

impl Reducer for ComposeLogs {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let mut lines = 0;
        let mut ours = 0;
        let mut numbered = 0;
        for line in input.source.lines().take(HEAD_LINES).filter(|line| !line.trim().is_empty()) {
            lines += 1;
            if let Some((service, _)) = split(line) {
                ours += 1;
                numbered += usize::from(is_instance(service));
            }
        }
        let is_compose = |word: &str| matches!(word, "docker-compose" | "podman-compose" | "compose");
        let command = &input.detection.command;
        let by_command = command.runs(|s| s.argv.iter().take(2).any(|word| is_compose(word)));
        let is_read = ours >= MIN_SERVICE_LINES && !command.is_filtered();
        // Claimed by content only: a reducer that knows the output of the services saves more.
        FormatProof::full_if(is_read && (by_command && ours * 2 >= lines || numbered * 10 >= lines * 9))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut last: Option<&str> = None;
        for i in 0..source.len() {
            let line = source.line(i);
            let found = split(line);
            if let Some((service, rest)) = found
                && last == Some(service)
                && !signals::is_failure(line)
            {
                out.replace(i..i + 1, format!("|{rest}"), Reason::SharedName);
            }
            last = found.map(|(service, _)| service);
        }
        out.unless_empty()
    }

    fn rewrites(&self) -> bool {
        true
    }
}

/// The service and the text after the pipe: `web-1  | text`.
fn split(line: &str) -> Option<(&str, &str)> {
    let (head, rest) = line.split_once('|')?;
    let service = head.trim_end();
    let word = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    let named = !service.is_empty() && service.len() < 64 && service.bytes().all(word);
    let starts = service.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    (named && starts && head.len() > service.len() && (rest.is_empty() || rest.starts_with(' ')))
        .then_some((service, rest))
}

/// `web-1`, `app_web_1`: whether a name ends with the number of an instance.
fn is_instance(service: &str) -> bool {
    service
        .rsplit_once(['-', '_'])
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services() {
        assert_eq!(split("web-1    | GET /"), Some(("web-1", " GET /")));
        assert_eq!(split("web-1  |"), Some(("web-1", "")));
        assert_eq!(split("| a | b |"), None);
        assert_eq!(split("a b | c"), None);
        assert_eq!(split("12 | let x"), None);
        assert!(is_instance("app_web_1") && is_instance("db-2") && !is_instance("name"));
    }
}
