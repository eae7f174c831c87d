//! How the hosts of histories are set up on this machine, looked up once each. Nothing is changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::host_action::Wrapping;
use super::report::HostFound;
use super::shown::shown;
use crate::doctor::setup::SetupState;
use crate::host::reach::HostSupport;
use crate::host::{claude_code, codex};
use crate::install::hosts::claude_code::wants_wrapping;
use crate::install::{Place, Row, Scope};

/// What is known of this machine.
pub(super) struct Machine {
    /// `None` if there is no home folder: then no host is set up.
    place: Option<(Place, PathBuf)>,
    known: BTreeMap<&'static str, Known>,
}

/// What is known of a host.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// Whether it is set up.
    pub setup: SetupState,
    /// How commands are wrapped if `tersed install` sets the host up.
    pub installed: Wrapping,
    /// How they are wrapped with the present setup.
    pub here: Wrapping,
}

impl Known {
    /// Whether the host is set up and the setup works.
    pub(super) fn is_wired(&self) -> bool {
        matches!(self.setup, SetupState::Whole(_))
    }
}

impl Machine {
    /// This machine, and the project in the current folder.
    pub(super) fn of_process() -> Self {
        let place = Place::of_process(Scope::User, None, None).ok().zip(std::env::current_exe().ok());
        Self { place, known: BTreeMap::new() }
    }

    /// What is known of a host.
    pub(super) fn of(&mut self, reach: &'static HostSupport) -> &Known {
        let place = &self.place;
        self.known.entry(reach.host).or_insert_with(|| inspect(reach, place.as_ref()))
    }

    /// The hosts that were asked for, for the report.
    pub(super) fn hosts(&self) -> Vec<HostFound> {
        let found = self.known.iter().filter_map(|(host, known)| {
            let row = Row::named(host)?;
            let reach = row.reach()?;
            let (state, about) = match &known.setup {
                SetupState::Whole(scope) => ("wired", Some((*scope).to_owned())),
                SetupState::Part => ("part", None),
                SetupState::Fault(fault) => ("fault", Some(shown(fault))),
                SetupState::Nothing => ("none", None),
            };
            Some(HostFound {
                host: (*host).to_owned(),
                title: row.title.to_owned(),
                state: state.to_owned(),
                about,
                gateway: reach.gateway.map(|program| format!("tersed gateway -- {program}")),
            })
        });
        found.collect()
    }
}

fn inspect(reach: &HostSupport, place: Option<&(Place, PathBuf)>) -> Known {
    let has_rules = match reach.host {
        "claude-code" => claude_code::user_has_rules(),
        "codex" => codex::user_has_rules(),
        _ => false,
    };
    let installed = Wrapping { is_asked: false, has_rules };
    let mut known = Known { setup: SetupState::Nothing, installed, here: installed };
    if let (Some(row), Some((place, own))) = (Row::named(reach.host), place) {
        known.setup = SetupState::of(row, place, own);
        known.here.is_asked = reach.host == "claude-code" && wants_wrapping(place);
    }
    known
}

/// The host that writes a format, and this file of it.
pub(super) fn host_of(format: &str, file: &Path) -> Option<&'static HostSupport> {
    // Kilo writes the same format as OpenCode, into folders of its own.
    let is_kilo = || file.iter().any(|part| part == "kilo" || part == "kilo.db");
    HostSupport::named(if format == "opencode" && is_kilo() { "kilo" } else { format })
}
