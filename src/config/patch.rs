//! All settings together: those given, and those in force.

use std::path::PathBuf;

use super::table::{PathUse, settings};
use super::{Accounting, Alerts, Policy, Profile, Recovery, Server, Telemetry};

settings! {
    section "";

    /// The settings in force. The profile is only recorded; its settings are a layer of their own.
    pub struct Config;

    /// Settings from a file, the environment, flags or a host; absent settings stay unchanged.
    pub struct ConfigPatch;

    /// A named set of settings, right above the defaults. Default none.
    profile: Option<Profile> = None;
    /// How results may be changed.
    policy: Policy = Policy::default();
    /// Which originals are kept on disk.
    recovery: Recovery = Recovery::default();
    /// Events about what was done.
    telemetry: Telemetry = Telemetry::default();
    /// When operators are alerted.
    alerts: Alerts = Alerts::default();
    /// The baseline of savings, and the price of tokens.
    accounting: Accounting = Accounting::default();
    /// Communication and memory of the process; read once, at its start.
    server: Server = Server::default();
    /// Files of rules, in addition to `policy.rules`; a relative path starts at the file that names it. Default none.
    rule_files: Vec<PathBuf> = Vec::new(), path: Some(PathUse::Read);
}
