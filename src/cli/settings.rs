//! The flags that say where settings come from, and the settings that come of them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Failure;
use crate::layers::{Layers, Resolved, Sources, of_flag, told};

/// Flags about settings. Each subcommand that uses settings has them.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Settings")]
pub(super) struct SettingsArgs {
    /// Named settings right above the defaults: coding, research, ops.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Change one setting, as `policy.mode=aggressive`; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = of_flag)]
    set: Vec<(String, Value)>,
    /// File of rules of the operator: YAML, TOML or JSON; may be given several times.
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Read this file in place of the project's tersed.yaml or tersed.toml.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read neither configuration files nor the environment.
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
}

/// Settings with their layers.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    /// Where they were looked for.
    pub sources: Sources,
    /// What was found.
    pub layers: Layers,
    /// What is in force.
    pub resolved: Resolved,
}

/// Flags that set settings: their name, the setting and its value.
pub(super) type Flags = Vec<(String, String, Value)>;

impl SettingsArgs {
    /// Where to look; `flags` are those that the subcommand has beside these.
    pub fn sources(&self, flags: Flags) -> Result<Sources, Failure> {
        let mut sources = Sources::of_process().map_err(|error| Failure::config(error.to_string()))?;
        if let Some(file) = &self.config {
            sources.file = Some(file.clone());
        }
        let set = self.set.iter().map(|(key, value)| ("--set".to_owned(), key.clone(), value.clone()));
        let profile =
            self.profile.iter().map(|name| ("--profile".to_owned(), "profile".to_owned(), json!(name)));
        let rules = Some(("--rules".to_owned(), "ruleFiles".to_owned(), json!(self.rules)));
        let rules = rules.filter(|_| !self.rules.is_empty());
        sources.flags = profile.chain(rules).chain(set).chain(flags).collect();
        Ok(if self.no_config { sources.bare() } else { sources })
    }

    /// The same for a child, which reads no file but one that is named here.
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

    /// What was given, as flags for another process of this kind, whatever its folder.
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

    /// The settings.
    pub fn load(&self, flags: Flags) -> Result<Loaded, Failure> {
        let sources = self.sources(flags)?;
        let layers = sources.load().map_err(|errors| Failure::config(told(&errors)))?;
        let resolved = layers.resolve().map_err(|error| Failure::config(error.to_string()))?;
        for warning in resolved.config.policy.rules.warnings() {
            eprintln!("tersed: warning: {warning}");
        }
        Ok(Loaded { sources, layers, resolved })
    }
}

/// The settings that a JSON object of `section` gives, as flags of that name.
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
