//! All settings together: what somebody gave, and what is in force.

use std::path::PathBuf;

use super::table::{PathUse, settings};
use super::{Accounting, Alerts, Policy, Profile, Recovery, Server, Telemetry};

settings! {
    section "";

    /// The settings that are in force. A profile is only noted: what it stands for is a layer of its own.
    pub struct Config;

    /// The settings of a file, of the environment, of flags or of a host; what is absent stays as it was.
    pub struct ConfigPatch;

    /// Named settings that lie right above the defaults. Default none.
    profile: Option<Profile> = None;
    /// What may be done to a result.
    policy: Policy = Policy::default();
    /// Which originals are kept on disk.
    recovery: Recovery = Recovery::default();
    /// Events about what was done.
    telemetry: Telemetry = Telemetry::default();
    /// When an operator is told of failures.
    alerts: Alerts = Alerts::default();
    /// What savings are counted against, and what tokens cost.
    accounting: Accounting = Accounting::default();
    /// How the process talks and what it holds; read once, at its start.
    server: Server = Server::default();
    /// Files of rules, read beside those of `policy.rules`; a relative one lies beside the file that names it.
    /// Default none.
    rule_files: Vec<PathBuf> = Vec::new(), path: Some(PathUse::Read);
}
