//! Flags for one call and its policy, shared by the subcommands that read a result from standard input.

use std::io::Read;
use std::path::Path;

#[cfg(feature = "audit")]
use serde_json::Map;
use serde_json::{Value, json};

use super::Failure;
#[cfg(feature = "audit")]
use super::completions::Offered;
use super::flags::SettingFlags;
#[cfg(feature = "audit")]
use super::mistake::none_of;
use super::settings::{Loaded, SettingsArgs, flags_of};
#[cfg(feature = "audit")]
use crate::config::Mode;
use crate::config::kind::Kind;
#[cfg(feature = "audit")]
use crate::config::schema::kind;
use crate::config::schema::root;
use crate::config::{Config, Policy, PolicyPatch};
use crate::layers::check::check;
use crate::layers::document::Node;
#[cfg(feature = "audit")]
use crate::layers::meant_name;
use crate::pipeline::Raw;
use crate::text::call::ToolCall;

/// Flags that describe the call.
#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// Name of the tool that wrote the text.
    #[arg(long, default_value = "bash")]
    pub tool: String,
    /// Command line that wrote the text.
    #[arg(long)]
    pub command: Option<String>,
    /// File or folder that the call named.
    #[arg(long)]
    pub path: Option<String>,
    /// Exit code of the command.
    #[arg(long, allow_negative_numbers = true)]
    pub exit_code: Option<i64>,
    /// What the agent is looking for.
    #[arg(long)]
    pub query: Option<String>,
}

/// Flags that set the policy.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PolicyArgs {
    #[command(flatten)]
    flags: SettingFlags,
    /// More settings, as the JSON of a request's `policy`.
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true, value_parser = policy)]
    policy: String,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl CallArgs {
    /// The call.
    pub fn call(&self) -> ToolCall {
        ToolCall {
            tool: self.tool.clone(),
            command: self.command.clone(),
            path: self.path.clone(),
            exit_code: self.exit_code,
            query: self.query.clone(),
            ..ToolCall::default()
        }
    }
}

impl PolicyArgs {
    /// The given settings; a flag for a setting overrides `--policy`.
    pub fn patch(&self) -> Result<PolicyPatch, String> {
        let policy = if self.policy.is_empty() { "{}" } else { &self.policy };
        let patch: PolicyPatch = serde_json::from_str(policy).map_err(|e| format!("--policy: {e}"))?;
        Ok(self.flags.0.clone().or(patch))
    }

    /// All settings, with these flags above the environment and files.
    pub fn config(&self) -> Result<Config, Failure> {
        Ok(self.load()?.resolved.config)
    }

    /// All settings, with the origin of each.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let patch = serde_json::to_value(self.patch()?).map_err(|e| format!("--policy: {e}"))?;
        self.settings.load(flags_of("--policy", "policy", &patch))
    }

    /// All settings, for callers that must continue: if the command line is wrong, the defaults apply.
    #[cfg(feature = "hosts")]
    pub fn config_or_defaults(&self) -> Config {
        self.config().unwrap_or_else(|failure| {
            super::out::print_message(&crate::layers::printable(&failure.message));
            Config::default()
        })
    }

    /// The given settings, as flags for another process.
    #[cfg(feature = "hosts")]
    pub fn given(&self) -> Vec<String> {
        let mut all = self.flags.given();
        if !matches!(self.policy.as_str(), "" | "{}") {
            all.extend(["--policy".to_owned(), self.policy.clone()]);
        }
        all.extend(self.settings.given());
        all
    }
}

/// Reads all of standard input.
pub(super) fn standard_input() -> Result<Vec<u8>, String> {
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input).map_err(|e| format!("standard input: {e}"))?;
    Ok(input)
}

/// Reads all of a file, or of standard input if there is none or it is `-`.
pub(super) fn input(file: Option<&Path>) -> Result<Vec<u8>, String> {
    match file.filter(|file| file.as_os_str() != "-") {
        None => standard_input(),
        Some(file) => std::fs::read(file).map_err(|e| format!("{}: {e}", file.display())),
    }
}

/// Text, if the bytes are text.
pub(super) fn raw(input: &[u8]) -> Raw<'_> {
    std::str::from_utf8(input).map_or(Raw::Bytes(input), Raw::Text)
}

/// The message if redaction failed.
pub(super) const NOT_REDACTED: &str = "the text could not be redacted, so nothing is printed";

/// Reads a mode by its name, or another word for it.
#[cfg(feature = "audit")]
pub(super) fn mode() -> Offered<Mode> {
    const NAMES: [Mode; 4] = [Mode::Disabled, Mode::Safe, Mode::Standard, Mode::Aggressive];
    Offered::new(NAMES.map(Mode::name).to_vec(), |name| {
        let names = match kind("policy.mode") {
            Some(Kind::Choice(names)) => names.as_slice(),
            _ => &[],
        };
        serde_json::from_value(serde_json::Value::String(meant_name(name, names)))
            .map_err(|_| none_of(name, &NAMES.map(Mode::name)))
    })
}

/// The settings of a flag that [`policy`] has checked, as an object.
#[cfg(feature = "audit")]
pub(super) fn policy_object(text: &str) -> Result<Map<String, Value>, Failure> {
    let text = if text.is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|e| Failure::value(format!("--policy: {e}")))
}

/// Checks the JSON of a policy, and returns it as given.
pub(super) fn policy(text: &str) -> Result<String, String> {
    let value: Value = match text {
        "" => json!({}),
        text => serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?,
    };
    if !value.is_object() {
        return Err("expected a JSON object".to_owned());
    }
    let patch: PolicyPatch =
        serde_json::from_value(value.clone()).map_err(|e| explain_policy_fault(&value, &e.to_string()))?;
    Policy::default().with(&patch).map(|_| text.to_owned()).map_err(|bad| bad.to_string())
}

/// The fault of a policy by the definition of settings, which knows what is allowed; `else_` if it finds none.
fn explain_policy_fault(value: &Value, else_: &str) -> String {
    let Kind::Group(sections) = root() else { return else_.to_owned() };
    let section = sections.iter().find(|section| section.name == "policy");
    let wrong = section.and_then(|section| check(&Node::new(value), &section.kind, "").into_iter().next());
    wrong.map_or_else(|| else_.to_owned(), |wrong| wrong.text)
}
