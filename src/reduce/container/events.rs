//! `kubectl get events`: in mode `aggressive`, the steps of starting a pod are left out and counted by reason.
//! Warnings are kept, and in other modes everything.

use crate::config::Mode;
use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, cell, column, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static EVENTS: Rows = Rows {
    meta: Meta {
        id: "kubectl_events",
        family: "container",
        reads: "`kubectl get events`, `kubectl events`",
        keeps: "warnings, every event that is no routine step; outside of aggressive mode all",
        omits: "in aggressive mode, steps of starts, stops and scaling that succeeded; counted by reason",
        anchors: &["LAST SEEN "],
    },
    commands: &[
        "kubectl get events",
        "kubectl events",
        "kubectl get event",
        "kubectl get ev",
        "oc get events",
        "k get events",
    ],
    unless: &["--field-selector", "--for", "--types"],
    asks: never,
    content: 1,
    read,
};

const ROUTINE: &[&str] = &[
    "Scheduled",
    "Pulling",
    "Pulled",
    "Created",
    "Started",
    "Killing",
    "SuccessfulCreate",
    "SuccessfulDelete",
    "ScalingReplicaSet",
    "SuccessfulAttachVolume",
    "ProvisioningSucceeded",
    "LeaderElection",
    "Completed",
    "SawCompletedJob",
    "RegisteredNode",
];

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    if line.contains("LAST SEEN ") && line.contains(" REASON ") && line.contains(" MESSAGE") {
        return Row::Header;
    }
    if at.header.is_empty() {
        return Row::Other;
    }
    // The header has a blank in `LAST SEEN`; a row has blanks in an age with a count: `5m (x30 over 2h)`.
    let names = at.header.replacen("LAST SEEN", "LAST_SEEN", 1).replacen("FIRST SEEN", "FIRST_SEEN", 1);
    let counts = cell(&names, line, "TYPE").is_some_and(|word| word.starts_with("(x"));
    let at_column = |name| {
        let place = column(&names, name)? + if counts { 3 } else { 0 };
        line.split_whitespace().nth(place)
    };
    let reason = at_column("REASON").unwrap_or_default();
    match at_column("TYPE") {
        Some("Normal") if at.mode == Mode::Aggressive && ROUTINE.contains(&reason) => {
            Row::Hide(Reason::Progress, reason.to_owned().into())
        }
        Some("Normal" | "Warning") => Row::Keep,
        _ => Row::Other,
    }
}
