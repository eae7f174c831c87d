//! `docker compose up`, `down`, `start`, `stop`: that something is about to happen goes once it has
//! happened. What was created, started, stopped, removed or is unhealthy stays, and so does all that
//! services print.

use crate::pipeline::reason::Reason;
use crate::reduce::Meta;
use crate::reduce::format::Fate::{Goes, Shows, State};
use crate::reduce::format::Format;

/// See the module.
pub static COMPOSE: Format = Format::new(
    Meta {
        id: "compose",
        family: "container",
        reads: "`docker compose up`, `down`, `start`, `stop`, `restart`, `pull`",
        keeps: "what was created, started, stopped, removed, is healthy or not, warnings, errors, logs",
        folds: "steps that are announced and then done, layers that are pulled",
        anchors: &["Container ", "Network ", "Volume ", "Creating ", "Starting ", " Pulled", " Pulling"],
    },
    &["docker compose", "docker-compose", "podman compose", "podman-compose"],
    2,
    &[
        (
            r" (?:Container|Network|Volume|Image|Secret|Config) \S+ {1,20}(?:Created|Started|Running|Recreated|Stopped|Removed|Healthy|Exited|Killed|Restarted|Pulled|Unhealthy|Error|Exists|Built|Resource is still in use|Skipped.*)(?: +[\d.]+s)?",
            Shows,
        ),
        (
            r" (?:Container|Network|Volume|Image|Secret|Config) \S+ {1,20}(?:Creating|Starting|Recreate|Recreating|Stopping|Removing|Waiting|Killing|Restarting|Pulling|Building)(?: +[\d.]+s)?",
            State,
        ),
        (r" ?(?:\S+ )?Pulled ?(?: +[\d.]+s)?| \S+ Pulled", Shows),
        (r" ?\S+ Pulling ?", State),
        (
            r" ?[0-9a-f]{12} (?:Pulling fs layer|Waiting|Downloading|Download complete|Verifying Checksum|Extracting|Pull complete|Already exists).*",
            Goes(Reason::Progress),
        ),
        (r"\[\+\] (?:Running|Pulling|Building|Stopping|up|down) \d+/\d+.*", State),
        (r"(?:Creating|Starting|Recreating|Stopping|Removing) \S+ +\.\.\. (?:\S+done\S+|done)", Shows),
        (r"(?:Creating|Starting|Recreating|Stopping|Removing) \S+ +\.\.\.", State),
    ],
);
