//! The flags that select sources of settings, and the resulting settings.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::Failure;
use super::completions::Offered;
use super::mistake::none_of;
use super::out::print_message;
use crate::config::Profile;
use crate::layers::{ConfigError, Layers, Resolved, Sources, joined, of_flag, printable};

/// Flags for settings, shared by all subcommands that use them.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Settings")]
pub(super) struct SettingsArgs {
    /// Named set of settings, right above the defaults: coding, research, ops.
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = profile())]
    pub profile: Option<String>,
    /// Change one setting, as `policy.mode=aggressive`; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = of_flag)]
    set: Vec<(String, Value)>,
    /// File of rules of the operator: YAML, TOML or JSON; may be given several times.
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Read this file instead of the project's tersed.yaml or tersed.toml.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read neither configuration files nor the environment.
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
}

/// Settings with their layers.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    /// The sources.
    pub sources: Sources,
    /// What was found.
    pub layers: Layers,
    /// The settings in force.
    pub resolved: Resolved,
    /// Faults of files and variables; the faulty values are ignored.
    pub faults: Vec<ConfigError>,
}

impl Loaded {
    /// Reports ignored settings once.
    fn report_faults(&self) {
        let faults =
            self.faults.iter().map(|fault| format!("{}; it does not count", printable(&fault.to_string())));
        let foreign = self.sources.foreign.iter().map(|foreign| printable(&foreign.to_string()));
        let untrusted = self.resolved.untrusted.as_ref().and_then(|untrusted| untrusted.line());
        let warnings = crate::rules::warnings(&self.resolved.config.policy.rules);
        let warnings = warnings.into_iter().map(|warning| format!("warning: {}", printable(&warning)));
        say_once(
            faults.chain(foreign).chain(untrusted.map(|line| printable(&line))).chain(warnings).collect(),
        );
    }
}

/// Prints lines about settings, except those printed before: settings are read more than once.
pub(super) fn say_once(lines: Vec<String>) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    let new: Vec<String> = lines.into_iter().filter(|line| !said.contains(line)).collect();
    new.iter().for_each(|line| print_message(line));
    said.extend(new);
}

/// Parses the name of a profile.
fn profile() -> Offered<String> {
    let names: Vec<&'static str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    Offered::new(names.clone(), move |name| match names.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(none_of(name, &names)),
    })
}

/// Flags that set settings: flag, setting and value.
pub(super) type Flags = Vec<(String, String, Value)>;

impl SettingsArgs {
    /// The sources; `flags` are the subcommand's own flags.
    pub fn sources(&self, flags: Flags) -> Sources {
        let mut sources = Sources::of_process();
        if let Some(file) = &self.config {
            sources.file = Some(file.clone());
        }
        let set = self.set.iter().map(|(key, value)| ("--set".to_owned(), key.clone(), value.clone()));
        let profile =
            self.profile.iter().map(|name| ("--profile".to_owned(), "profile".to_owned(), json!(name)));
        let rules = Some(("--rules".to_owned(), "ruleFiles".to_owned(), json!(self.rules)));
        let rules = rules.filter(|_| !self.rules.is_empty());
        sources.flags = profile.chain(rules).chain(set).chain(flags).collect();
        if self.no_config { sources.bare() } else { sources }
    }

    /// These flags for a child process that reads no other files.
    #[cfg(feature = "audit")]
    pub fn arguments(&self) -> Vec<String> {
        let mut all = Vec::new();
        match &self.config {
            Some(file) => all.extend(["--config".to_owned(), file.display().to_string()]),
            None => all.push("--no-config".to_owned()),
        }
        all.extend(self.profile.iter().flat_map(|name| ["--profile".to_owned(), name.clone()]));
        all.extend(self.rules.iter().flat_map(|file| ["--rules".to_owned(), file.display().to_string()]));
        for (key, value) in &self.set {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            all.extend(["--set".to_owned(), format!("{key}={text}")]);
        }
        all
    }

    /// The given flags, for another process of this kind with any working directory.
    #[cfg(feature = "hosts")]
    pub fn given(&self) -> Vec<String> {
        let whole =
            |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string();
        let mut all = Vec::new();
        let mut add = |flag: &str, value: String| all.extend([flag.to_owned(), value]);
        self.profile.iter().for_each(|name| add("--profile", name.clone()));
        self.rules.iter().for_each(|file| add("--rules", whole(file)));
        self.config.iter().for_each(|file| add("--config", whole(file)));
        for (key, value) in &self.set {
            add(
                "--set",
                format!("{key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
            );
        }
        all.extend(self.no_config.then(|| "--no-config".to_owned()));
        all
    }

    /// The settings. Faults of files and variables are reported and ignored: the work must continue, and secrets must be
    /// removed.
    pub fn load(&self, flags: Flags) -> Result<Loaded, Failure> {
        let loaded = self.read(flags)?;
        loaded.report_faults();
        Ok(loaded)
    }

    /// The settings, for commands about settings: any fault is an error.
    pub fn strict(&self, flags: Flags) -> Result<Loaded, Failure> {
        let loaded = self.read(flags)?;
        match loaded.faults.as_slice() {
            [] => Ok(loaded),
            faults => Err(failure(faults)),
        }
    }

    fn read(&self, flags: Flags) -> Result<Loaded, Failure> {
        let sources = self.sources(flags);
        let layers = sources.read().map_err(|errors| Failure::value(joined(&errors)))?;
        let (resolved, errors) = layers.resolve_usable();
        // The user who typed the command line can read the error.
        let of_flags: Vec<ConfigError> =
            errors.iter().filter(|error| error.place.starts_with("--")).cloned().collect();
        if !of_flags.is_empty() {
            return Err(Failure::value(joined(&of_flags)));
        }
        let faults = layers.faults().cloned().chain(errors).collect();
        Ok(Loaded { sources, layers, resolved, faults })
    }
}

/// The failure that faults are: one of their content is invalid, a file that cannot be read is no more than that.
pub(super) fn failure(faults: &[ConfigError]) -> Failure {
    let message = printed(faults);
    if faults.iter().all(|fault| fault.is_missing_file) { message.into() } else { Failure::value(message) }
}

/// Faults for people, one per line.
pub(super) fn printed(faults: &[ConfigError]) -> String {
    faults.iter().map(|fault| printable(&fault.to_string())).collect::<Vec<_>>().join("\n")
}

/// The settings in a JSON object of `section`, as flags with that name.
pub(super) fn flags_of(flag: &str, section: &str, given: &Value) -> Flags {
    let members = given.as_object().into_iter().flatten();
    members
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (flag.to_owned(), format!("{section}.{name}"), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_names_a_setting() {
        assert_eq!(of_flag("policy.minBytes=7").unwrap(), ("policy.minBytes".to_owned(), json!(7)));
        assert_eq!(of_flag("policy.excludeTools=a, b").unwrap().1, json!(["a", "b"]));
        assert!(of_flag("policy.mod=safe").unwrap_err().contains("did you mean `policy.mode`?"));
        assert!(of_flag("nonsense").is_err());
    }
}
