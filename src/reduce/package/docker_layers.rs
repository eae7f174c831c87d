//! `docker pull`, `push` and `compose`: earlier states of layers and containers are left out. The last state of each
//! is kept, unless a layer was fetched or sent successfully.
//!
//! The last state of a layer or container that did not succeed is never hidden, nor are digests and statuses.

use std::collections::BTreeMap;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{SHORT_CLAIM_LINES, Tally};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct DockerLayers;

static META: Meta = Meta {
    id: "docker_layers",
    family: "package",
    reads: "`docker pull`, `docker push`, `docker run` that pulls, `docker compose up`, `pull`, `down`, and their like of podman",
    keeps: "digests, statuses, the last state of each container, network, volume and image, layers that did not finish, errors",
    omits: "states that another followed, layers that were pulled, pushed or there already",
    anchors: &[
        ": Pulling fs layer",
        ": Pull complete",
        ": Already exists",
        ": Preparing",
        ": Pushed",
        ": Layer already exists",
        "Container ",
        "Network ",
        " Pulling",
        " Pulled",
        "Copying blob ",
        " ... done",
    ],
};

/// The final states of a layer that succeeded; their lines are left out.
const LAYER_DONE: &[&str] =
    &["Pull complete", "Already exists", "Pushed", "Layer already exists", "Download complete"];
/// States of a layer that are not final.
const LAYER: &[&str] = &[
    "Pulling fs layer",
    "Waiting",
    "Downloading",
    "Verifying Checksum",
    "Extracting",
    "Preparing",
    "Pushing",
    "Retrying in",
    "Mounted from",
];
/// States of a container, network, volume, image or service.
const CONTAINER_STATES: &[&str] = &[
    "Creating",
    "Created",
    "Starting",
    "Started",
    "Recreate",
    "Recreated",
    "Waiting",
    "Healthy",
    "Running",
    "Stopping",
    "Stopped",
    "Removing",
    "Removed",
    "Pulling",
    "Pulled",
    "Building",
    "Built",
    "Exited",
    "Restarting",
    "Killing",
    "Killed",
    "Error",
    "Skipped",
    "Interrupted",
    "Restarted",
];

/// The lines of `docker-compose` 1 about an image that it pulls.
const PULL: &[&str] = &[
    "pulling from ",
    "pulling fs layer",
    "waiting",
    "downloading",
    "verifying checksum",
    "download complete",
    "extracting",
    "pull complete",
    "already exists",
];

/// The layer or container whose state a line reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State<'a> {
    /// The layer or container.
    of: &'a str,
    /// Whether it is a layer that is complete.
    is_done: bool,
}

impl Reducer for DockerLayers {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let Tally { known, all, .. } =
            Tally::of(input.source, SHORT_CLAIM_LINES, |line| read(line).is_some());
        FormatProof::of(known >= 2, known >= 4 && known * 2 >= all)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "docker" | "podman" | "docker-compose" | "podman-compose" | "nerdctl")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, line) in source.lines().enumerate() {
            if let Some(state) = read(line) {
                last.insert(state.of, i);
            }
        }
        let mut actions = LineActions::new(source);
        for (i, line) in source.lines().enumerate() {
            let Some(state) = read(line) else { continue };
            if state.is_done || last.get(state.of) != Some(&i) {
                actions.omit_unless_failure(i, Reason::Progress, 1);
            }
        }
        actions.keep_last().finish(Blanks::Between)
    }

    fn is_format_line(&self, line: &str) -> bool {
        read(line).is_some()
            || ["Digest: ", "Status: ", "Using default tag", "docker.io/"].iter().any(|p| line.starts_with(p))
            || line.contains(": Pulling from ")
    }
}

/// Reads the state that a line reports.
fn read(line: &str) -> Option<State<'_>> {
    let text = line.trim();
    if let Some((id, state)) = text.split_once(": ").filter(|(id, _)| is_layer(id)) {
        return layer(id, state);
    }
    if let Some((id, state)) = text.split_once(' ').filter(|(id, _)| is_layer(id)) {
        return layer(id, state.trim_start());
    }
    if let Some(digest) = text.strip_prefix("Copying blob ").or(text.strip_prefix("Copying config ")) {
        let (of, rest) = digest.split_once(' ').unwrap_or((digest, ""));
        return Some(State {
            of,
            is_done: rest.starts_with("done") || rest.starts_with("skipped: already exists"),
        });
    }
    container_state(text)
}

fn layer<'a>(of: &'a str, state: &str) -> Option<State<'a>> {
    let starts = |states: &[&str]| states.iter().any(|s| state.starts_with(s));
    let is_done = starts(LAYER_DONE) || state.starts_with("Mounted from");
    (is_done || starts(LAYER)).then_some(State { of, is_done })
}

/// `Container web-1  Started`, ` ✔ Network x_default  Created  0.1s`, `db Pulled`, `Creating web_1 ... done`
fn container_state(text: &str) -> Option<State<'_>> {
    let text =
        text.trim_start_matches(['✔', '✘', '⠿', '⠿', '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏', ' ']);
    if let Some((head, state)) = text.split_once(" ... ").or(text.split_once(" ...")) {
        let (verb, of) = head.split_once(' ')?;
        if !(matches!(state, "" | "done") || verb == "Pulling" && PULL.iter().any(|s| state.starts_with(s))) {
            return None;
        }
        let verbs = ["Creating", "Starting", "Recreating", "Stopping", "Removing", "Pulling", "Restarting"];
        return verbs.contains(&verb).then_some(State { of: of.trim_end(), is_done: false });
    }
    let mut words = text.split_whitespace();
    let kind = words.next()?;
    let is_kind = matches!(kind, "Container" | "Network" | "Volume" | "Image" | "Service");
    let of = if is_kind { words.next()? } else { kind };
    let state = words.next()?;
    let rest = words.next();
    // Only a service that is pulled or built is written without its kind.
    let fits = if is_kind {
        CONTAINER_STATES.contains(&state)
    } else {
        matches!(state, "Pulling" | "Pulled" | "Building" | "Built")
    };
    let is_time = |word: &str| word.ends_with('s') && word.starts_with(|c: char| c.is_ascii_digit());
    (fits && rest.is_none_or(is_time) && words.next().is_none()).then_some(State { of, is_done: false })
}

/// The short digest of a layer.
fn is_layer(word: &str) -> bool {
    word.len() == 12 && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_states() {
        let of = |line| read(line).map(|s| (s.of, s.is_done));
        assert_eq!(of("a1b2c3d4e5f6: Pull complete "), Some(("a1b2c3d4e5f6", true)));
        assert_eq!(of("a1b2c3d4e5f6: Downloading [==>  ] 1MB/3MB"), Some(("a1b2c3d4e5f6", false)));
        assert_eq!(of(" Container app-db-1  Started"), Some(("app-db-1", false)));
        assert_eq!(of(" ✔ Network app_default  Created   0.1s"), Some(("app_default", false)));
        assert_eq!(of("Creating app_web_1 ... done"), Some(("app_web_1", false)));
        assert_eq!(of("Creating app_web_1 ... error"), None);
        assert_eq!(of("Pulling db ... extracting (33.3%)"), Some(("db", false)));
        assert_eq!(of("Pulling db ... error"), None);
        assert_eq!(of("Container orchestration Started small in 2014"), None);
        assert_eq!(of("deadbeef: Pull complete"), None);
    }
}
