//! The settings in force, and how they change. Settings from the host override those read at the start. Files are read again
//! only on request. Work that has begun keeps its policy.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use super::{Engine, Settings};
use crate::config::{Config, ConfigPatch, Policy, Profile};
use crate::formats::typed;
use crate::layers::{ConfigError, Layers, Resolved, Sources, joined, printable};
use crate::protocol::RpcError;
use crate::protocol::config::{DidChangeParams, Reloaded};
use crate::protocol::initialize::{self, Options};
use crate::protocol::params;
use crate::sanitize;

/// Source name of the settings in the `initialize` request.
const AT_START: &str = "initializationOptions.tersed";
/// Source name of later settings from the host; they override the earlier ones.
const LATER: &str = "workspace/didChangeConfiguration";

/// Whether a change of this setting takes effect at once. The others are read only when the process starts.
fn is_live(key: &str) -> bool {
    key == "profile" || key.starts_with("policy.")
}

/// The settings of an engine.
#[derive(Debug)]
pub(super) struct Configuration {
    /// The settings below all others when there are no layers.
    base: Config,
    sources: Option<Sources>,
    state: RwLock<State>,
}

/// The current state; replaced as a whole.
#[derive(Debug, Clone)]
struct State {
    layers: Option<Layers>,
    at_start: ConfigPatch,
    later: ConfigPatch,
    config: Arc<Config>,
    policy: Arc<Policy>,
    /// The report on files and variables for the host.
    report: Arc<initialize::Configuration>,
}

impl Configuration {
    pub(super) fn new(settings: &Settings) -> Self {
        let base = Config {
            policy: settings.policy.clone(),
            recovery: settings.recovery.clone(),
            telemetry: settings.telemetry.clone(),
            alerts: settings.alerts,
            accounting: settings.accounting.clone(),
            ..Config::default()
        };
        let (sources, layers) = settings.layers.clone().unzip();
        let none = ConfigPatch::default();
        let config = Arc::new(base.clone());
        let policy = Arc::new(base.policy.clone());
        let report = layers.as_ref().map(|layers: &Layers| {
            let (resolved, errors) = layers.resolve_usable();
            report_of(layers, &resolved, &errors)
        });
        let report = Arc::new(report.unwrap_or_default());
        let state =
            RwLock::new(State { layers, at_start: none.clone(), later: none, config, policy, report });
        Self { base, sources, state }
    }

    pub(super) fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner).policy)
    }

    pub(super) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner).config)
    }

    /// The report on files and variables for the answer to `initialize`.
    pub(super) fn answer(&self) -> Arc<initialize::Configuration> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner).report)
    }

    /// Applies a change, or changes nothing if the resulting settings are not allowed.
    fn change(&self, change: impl FnOnce(&mut State) -> Result<(), RpcError>) -> Result<Reloaded, RpcError> {
        let mut now = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = now.clone();
        change(&mut next)?;
        let (config, report) = self.resolve(&next)?;
        let mut changed = BTreeSet::new();
        collect_differences(
            "",
            &serde_json::to_value(&*now.config).unwrap_or_default(),
            &serde_json::to_value(&config).unwrap_or_default(),
            &mut changed,
        );
        next.policy = Arc::new(config.policy.clone());
        next.config = Arc::new(config);
        next.report = Arc::new(report);
        let files = next.layers.iter().flat_map(|layers| layers.files());
        let files = files.map(|file| file.display().to_string()).collect();
        *now = next;
        let (changed, needs_restart) = changed.into_iter().partition(|key| is_live(key));
        Ok(Reloaded { files, changed, needs_restart })
    }

    fn resolve(&self, state: &State) -> Result<(Config, initialize::Configuration), RpcError> {
        let (mut config, report) = self.with_layers(state)?;
        // The hint depends on settings that are fixed when the process starts.
        config.policy.hint.clone_from(&self.base.policy.hint);
        config.policy.seal_key = self.base.policy.seal_key;
        Ok((config, report))
    }

    fn with_layers(&self, state: &State) -> Result<(Config, initialize::Configuration), RpcError> {
        match &state.layers {
            Some(layers) => {
                let layers = layers.under(AT_START, &state.at_start).under(LATER, &state.later);
                let (resolved, errors) = layers.resolve_usable();
                let is_of_host = |error: &&ConfigError| [AT_START, LATER].contains(&error.place.as_str());
                if let Some(error) = errors.iter().find(is_of_host) {
                    return Err(RpcError::invalid_params(error.text.clone()));
                }
                let report = report_of(&layers, &resolved, &errors);
                Ok((resolved.config, report))
            }
            None => {
                let bad = |bad: crate::config::BadValue| RpcError::invalid_params(bad.to_string());
                let given = [&state.at_start, &state.later].into_iter();
                given.filter_map(|given| given.policy.as_ref()).try_for_each(super::check_rules)?;
                let profile = state.later.profile.or(state.at_start.profile);
                let named = profile.map(profile_patch).unwrap_or_default();
                let config = self.base.with(&named).map_err(bad)?;
                let config = config.with(&state.at_start).and_then(|config| config.with(&state.later));
                Ok((config.map_err(bad)?, initialize::Configuration::default()))
            }
        }
    }
}

/// The report on the layers for the host. Values may hold secrets, so they are redacted.
fn report_of(layers: &Layers, resolved: &Resolved, errors: &[ConfigError]) -> initialize::Configuration {
    let untrusted = resolved.untrusted.as_ref().and_then(|untrusted| {
        let text = printable(&untrusted.line()?);
        let ignored = untrusted.ignored.iter().map(|given| given.key.clone()).collect();
        Some(initialize::Untrusted { file: untrusted.path.display().to_string(), ignored, text })
    });
    initialize::Configuration {
        files: layers.files().iter().map(|file| file.display().to_string()).collect(),
        faults: layers.faults().chain(errors).map(|fault| printable(&fault.to_string())).collect(),
        untrusted,
    }
}

fn profile_patch(profile: Profile) -> ConfigPatch {
    typed::read_value(&profile.settings()).unwrap_or_default()
}

/// Collects the paths at which two values differ.
fn collect_differences(key: &str, old: &Value, new: &Value, found: &mut BTreeSet<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for name in old.keys().chain(new.keys()) {
                let dot = if key.is_empty() { "" } else { "." };
                let none = Value::Null;
                let (old, new) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
                collect_differences(&format!("{key}{dot}{name}"), old, new, found);
            }
        }
        (old, new) if old != new => {
            found.insert(key.to_owned());
        }
        _ => {}
    }
}

/// Shortens a line to at most `most` bytes.
fn shortened(mut line: String, most: usize) -> String {
    line.truncate(line.floor_char_boundary(most));
    line
}

/// The error for a configuration that cannot be read. Its values may hold secrets, so they are redacted.
fn unreadable(errors: &[ConfigError]) -> RpcError {
    let text = sanitize::redact_only(&joined(errors)).map(|(text, _)| text);
    RpcError::failed(
        "bad_configuration",
        text.unwrap_or_else(|_| "the configuration cannot be read".to_owned()),
    )
}

impl Engine {
    /// Takes the settings from the `initialize` request.
    pub(super) fn initialized(&self, options: &Options) -> Result<(), RpcError> {
        let patch = options.patch();
        let changed = self.configuration.change(|state| {
            (state.at_start, state.later) = (patch, ConfigPatch::default());
            Ok(())
        });
        changed.map(|_| ())
    }

    /// `workspace/didChangeConfiguration`: the settings replace those of the previous notification. Null reads the files
    /// again.
    pub fn did_change_configuration(&self, params: &DidChangeParams<'_>) -> Result<Reloaded, RpcError> {
        const PLACE: &str = "settings.tersed";
        let settings: Value = match params.settings {
            Some(text) => params::parse_at(text.get(), "settings")?,
            None => Value::Null,
        };
        match &settings {
            Value::Null => self.reload_configuration(),
            Value::Object(sections) => match sections.get("tersed") {
                // The notification is about settings of other programs.
                None if !sections.is_empty() => Ok(Reloaded::default()),
                None | Some(Value::Null) => self.reload_configuration(),
                Some(value) if value.is_object() => {
                    let options: Options = params::parse_at(&value.to_string(), PLACE)?;
                    let patch = options.patch();
                    self.configuration.change(|state| {
                        state.later = patch;
                        Ok(())
                    })
                }
                Some(_) => Err(params::invalid(PLACE, "expected an object")),
            },
            _ => Err(params::invalid("settings", "expected an object or null")),
        }
    }

    /// `config/reload`: reads the files again. If a user's file cannot be read, the old settings stay. A fault in a
    /// project's file is reported, but does not keep the old settings.
    pub fn reload_configuration(&self) -> Result<Reloaded, RpcError> {
        self.configuration.change(|state| {
            if let Some(sources) = &self.configuration.sources {
                let layers = sources.read().map_err(|errors| unreadable(&errors))?;
                if !layers.of_user().is_empty() {
                    return Err(unreadable(layers.of_user()));
                }
                state.layers = Some(layers);
            }
            Ok(())
        })
    }

    /// Faults in files and variables, and settings that are ignored, as lines for people. At most one screen of lines.
    pub fn notes_on_settings(&self) -> Vec<String> {
        const MAX_NOTES: usize = 32;
        let report = self.configuration.answer();
        let faults = report.faults.iter().map(|fault| format!("{fault}; it does not count"));
        let untrusted = report.untrusted.iter().map(|untrusted| untrusted.text.clone());
        let warnings = crate::rules::warnings(&self.configuration.policy().rules);
        let warnings = warnings.into_iter().map(|warning| format!("warning: {}", printable(&warning)));
        faults.chain(untrusted).chain(warnings).take(MAX_NOTES).map(|line| shortened(line, 4 << 10)).collect()
    }

    /// Paths at which a file of settings or of rules exists or may be created, to watch for changes.
    pub fn places_of_settings(&self) -> Vec<PathBuf> {
        let mut places = self.configuration.sources.as_ref().map(Sources::places).unwrap_or_default();
        let state = self.configuration.state.read().unwrap_or_else(PoisonError::into_inner);
        places.extend(state.layers.iter().flat_map(Layers::rule_files));
        places
    }

    /// The settings in force.
    pub fn config(&self) -> Arc<Config> {
        self.configuration.config()
    }
}
