//! Starts a host so that it uses the gateway: with variables that most clients read, and settings that single hosts
//! need.

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::Api;

/// The command to start.
#[derive(Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables that are set for it.
    pub env: Vec<(&'static str, OsString)>,
    /// A module in JavaScript that the host loads: its text goes to a file, whose path is given after `-e`.
    pub extension: Option<String>,
}

/// Variables with settings of OpenCode and related hosts as JSON, which override those of files.
const OPENCODE: &[(&str, &str)] = &[("opencode", "OPENCODE_CONFIG_CONTENT"), ("kilo", "KILO_CONFIG_CONTENT")];

/// Prepares the start of a command. `variable` reads variables of this process.
///
/// # Errors
///
/// A variable of the host that must be extended cannot be parsed.
pub fn launch(
    command: &[OsString],
    address: SocketAddr,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Launch, String> {
    let base = format!("http://{address}");
    let mut command = command.to_vec();
    let host = command.first().map(|program| name_of(program)).unwrap_or_default();
    // Programs that the agent runs inherit these, so a host that is configured in another way gets none.
    let apis: &[Api] = match host.as_str() {
        "claude" => &[Api::Anthropic],
        "gemini" => &[Api::Gemini, Api::CodeAssist],
        "codex" | "opencode" | "kilo" | "pi" => &[],
        _ => &[Api::Anthropic, Api::OpenAi, Api::Gemini, Api::CodeAssist],
    };
    let mut env: Vec<(&'static str, OsString)> = Vec::new();
    for api in apis {
        let place = format!("{base}{}", api.prefix());
        if *api == Api::OpenAi {
            // The name for older clients.
            env.push(("OPENAI_API_BASE", place.clone().into()));
        }
        env.push((api.variable(), place.into()));
    }
    // Claude Code turns tool search off if its API has another address, and then sends the descriptions of all tools.
    if apis.contains(&Api::Anthropic) && variable("ENABLE_TOOL_SEARCH").is_none() {
        env.push(("ENABLE_TOOL_SEARCH", "true".into()));
    }
    // Requests to this machine must not go through a proxy.
    let names = ["NO_PROXY", "no_proxy"];
    let known = names.iter().find_map(|name| variable(name).filter(|known| !known.is_empty()));
    let all = known.map_or_else(|| "127.0.0.1".to_owned(), |known| format!("{known},127.0.0.1"));
    env.extend(names.map(|name| (name, all.clone().into())));
    if host == "codex" {
        let options = codex(&base).into_iter().flat_map(|option| ["-c".into(), option.into()]);
        command.splice(1..1, options);
    }
    if let Some((_, name)) = OPENCODE.iter().find(|(known, _)| *known == host) {
        env.push((name, opencode(&base, variable(name)).map_err(|why| format!("{name}: {why}"))?.into()));
    }
    let extension = (host == "pi").then(|| pi(&base));
    Ok(Launch { command, env, extension })
}

/// The API that a host uses, if it uses only one.
pub fn api_of(command: &[OsString]) -> Option<Api> {
    match command.first().map(|program| name_of(program))?.as_str() {
        "claude" => Some(Api::Anthropic),
        "codex" => Some(Api::OpenAi),
        "gemini" => Some(Api::Gemini),
        _ => None,
    }
}

/// The name of a program without its folder and its ending.
fn name_of(program: &OsStr) -> String {
    Path::new(program).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Codex also uses the base of its built-in provider for WebSockets, whose frames the gateway does not read. A
/// provider of another name with the same login uses plain requests.
fn codex(base: &str) -> Vec<String> {
    let set = |name: &str, value: &str| format!("model_providers.tersed.{name}={value}");
    vec![
        "model_provider=\"tersed\"".to_owned(),
        set("name", "\"OpenAI\""),
        set("base_url", &format!("\"{base}/v1\"")),
        set("wire_api", "\"responses\""),
        set("requires_openai_auth", "true"),
        set("supports_websockets", "false"),
    ]
}

/// pi takes other addresses of its providers from an extension.
fn pi(base: &str) -> String {
    let provider = |(name, version): (&str, &str)| {
        format!("  pi.registerProvider({name:?}, {{ baseUrl: \"{base}{version}\" }});\n")
    };
    let all: String = [("anthropic", ""), ("openai", "/v1"), ("google", "/v1beta")].map(provider).concat();
    format!("export default function (pi) {{\n{all}}}\n")
}

/// Settings of OpenCode, added to those that the variable holds.
fn opencode(base: &str, known: Option<String>) -> Result<String, String> {
    let mut settings: Map<String, Value> = match known.filter(|known| !known.trim().is_empty()) {
        Some(known) => serde_json::from_str(&known).map_err(|e| e.to_string())?,
        None => Map::new(),
    };
    let all = settings.entry("provider").or_insert_with(|| json!({}));
    for (name, version) in [("anthropic", "/v1"), ("openai", "/v1"), ("google", "/v1beta")] {
        let all = all.as_object_mut().ok_or("`provider` is not an object")?;
        let provider = all.entry(name).or_insert_with(|| json!({}));
        let provider =
            provider.as_object_mut().ok_or_else(|| format!("`provider.{name}` is not an object"))?;
        let options = provider.entry("options").or_insert_with(|| json!({}));
        let options =
            options.as_object_mut().ok_or_else(|| format!("`provider.{name}.options` is not an object"))?;
        options.entry("baseURL").or_insert_with(|| json!(format!("{base}{version}")));
    }
    Ok(Value::Object(settings).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(command: &[&str], variables: &[(&str, &str)]) -> Launch {
        let command: Vec<OsString> = command.iter().map(Into::into).collect();
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        launch(&command, "127.0.0.1:8080".parse().unwrap(), variable).unwrap()
    }

    fn value(launch: &Launch, name: &str) -> Option<String> {
        let found = launch.env.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned())
    }

    #[test]
    fn clients_are_told_by_variables() {
        let claude = launched(&["/usr/bin/claude", "-p", "x"], &[("NO_PROXY", "a.example")]);
        assert_eq!(claude.command, ["/usr/bin/claude", "-p", "x"]);
        for (name, wanted) in [
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080"),
            ("ENABLE_TOOL_SEARCH", "true"),
            ("NO_PROXY", "a.example,127.0.0.1"),
            ("no_proxy", "a.example,127.0.0.1"),
        ] {
            assert_eq!(value(&claude, name).as_deref(), Some(wanted), "{name}");
        }
        assert_eq!(value(&claude, "OPENAI_BASE_URL"), None);
        let other = launched(&["my-agent"], &[]);
        for (name, wanted) in [
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080"),
            ("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1"),
            ("OPENAI_API_BASE", "http://127.0.0.1:8080/v1"),
            ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:8080"),
            ("NO_PROXY", "127.0.0.1"),
        ] {
            assert_eq!(value(&other, name).as_deref(), Some(wanted), "{name}");
        }
        assert_eq!(value(&claude, "OPENCODE_CONFIG_CONTENT"), None);
        assert_eq!(
            value(&launched(&["claude"], &[("ENABLE_TOOL_SEARCH", "false")]), "ENABLE_TOOL_SEARCH"),
            None
        );
    }

    #[test]
    fn codex_gets_a_provider() {
        let codex = launched(&["codex", "exec", "x"], &[]);
        assert_eq!(codex.command[..3], ["codex", "-c", "model_provider=\"tersed\""]);
        assert!(
            codex.command.contains(&"model_providers.tersed.base_url=\"http://127.0.0.1:8080/v1\"".into())
        );
        assert_eq!(codex.command[codex.command.len() - 2..], ["exec", "x"]);
        assert_eq!(value(&codex, "OPENAI_BASE_URL"), None);
    }

    #[test]
    fn pi_gets_an_extension() {
        let pi = launched(&["pi", "-p", "x"], &[]);
        assert_eq!(pi.command, ["pi", "-p", "x"]);
        assert_eq!(
            pi.extension.as_deref(),
            Some(
                "export default function (pi) {\n  \
                 pi.registerProvider(\"anthropic\", { baseUrl: \"http://127.0.0.1:8080\" });\n  \
                 pi.registerProvider(\"openai\", { baseUrl: \"http://127.0.0.1:8080/v1\" });\n  \
                 pi.registerProvider(\"google\", { baseUrl: \"http://127.0.0.1:8080/v1beta\" });\n}\n"
            )
        );
        assert_eq!(launched(&["claude"], &[]).extension, None);
    }

    #[test]
    fn opencode_keeps_what_its_variable_holds() {
        let known = r#"{"model":"m","provider":{"openai":{"options":{"baseURL":"http://own"}}}}"#;
        let launch = launched(&["opencode"], &[("OPENCODE_CONFIG_CONTENT", known)]);
        let settings: Value =
            serde_json::from_str(&value(&launch, "OPENCODE_CONFIG_CONTENT").unwrap()).unwrap();
        assert_eq!(settings["model"], "m");
        assert_eq!(settings["provider"]["openai"]["options"]["baseURL"], "http://own");
        assert_eq!(settings["provider"]["anthropic"]["options"]["baseURL"], "http://127.0.0.1:8080/v1");
        assert_eq!(settings["provider"]["google"]["options"]["baseURL"], "http://127.0.0.1:8080/v1beta");
        let bad = ["opencode".into()];
        let failed = super::launch(&bad, "127.0.0.1:1".parse().unwrap(), |_| Some("[".to_owned()));
        assert!(failed.unwrap_err().starts_with("OPENCODE_CONFIG_CONTENT: "));
    }
}
