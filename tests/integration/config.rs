//! Settings: layers and origins, the texts of errors, and the real binary with its own files and variables.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{Server, call, try_call};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use tersed::config::kind::Kind;
use tersed::config::schema::{self, Setting, settings};
use tersed::config::table;
use tersed::config::{Config, ConfigPatch, Mode, Policy, PolicyPatch, Profile};
use tersed::engine::{Engine, Settings};
use tersed::layers::trust::Trusted;
use tersed::layers::{Layers, Sources, joined, project_file};
use tersed::pipeline::evidence::Status;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::reason::Reason;

/// A machine of its own: a project, a user's folder, variables and flags.
struct Place {
    dir: TempDir,
    sources: Sources,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (project, user) = (dir.path().join("project/inner"), dir.path().join("user"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&user).unwrap();
        let sources = Sources {
            directory: project,
            user: Some(user),
            home: Some(dir.path().to_owned()),
            state: Some(dir.path().join("state")),
            ..Sources::default()
        };
        Self { dir, sources }
    }

    fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// The user trusts the project's file as it is.
    fn trust(&self) -> &Self {
        let file = project_file(&self.sources.directory, &self.sources).unwrap();
        let trusted = Trusted::below(self.sources.state.as_ref().unwrap());
        trusted.keep(&file.path, &file.record).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.sources.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn flag(mut self, key: &str, value: Value) -> Self {
        self.sources.flags.push(("--set".to_owned(), key.to_owned(), value));
        self
    }

    /// A text without the parts that differ between runs.
    fn plain(&self, text: &str) -> String {
        text.replace(&self.dir.path().display().to_string(), "DIR")
    }

    fn layers(&self) -> Layers {
        self.sources.load().unwrap_or_else(|errors| panic!("{}", joined(&errors)))
    }

    fn errors(&self) -> String {
        match self.sources.load() {
            Ok(layers) => layers.resolve().unwrap_err().to_string(),
            Err(errors) => self.plain(&joined(&errors)),
        }
    }
}

#[test]
fn each_value_knows_its_layer() {
    let place = Place::new()
        .variable("TERSED_POLICY_MIN_BYTES", "2")
        .variable("TERSED_POLICY_EXCLUDE_TOOLS", "a, b")
        .flag("policy.maxOutputBytes", json!(301));
    place
        .file(
            "project/tersed.toml",
            "profile = \"ops\"\n[policy]\nminBytes = 3\nmaxOutputBytes = 303\nsummarizeAbove = 3\n",
        )
        .file(
            "user/tersed.yaml",
            "policy:\n  minBytes: 4\n  maxOutputBytes: 304\n  summarizeAbove: 4\n  dedupWindowResults: 4\n",
        )
        .trust();
    let resolved = place.layers().resolve().unwrap();
    let told: Vec<String> = resolved
        .given
        .iter()
        .map(|given| place.plain(&format!("{} = {} from {}", given.key, given.value, given.origin)))
        .collect();
    let expected = [
        "profile = \"ops\" from DIR/project/tersed.toml:1",
        "policy.mode = \"aggressive\" from profile ops",
        "policy.minBytes = 2 from TERSED_POLICY_MIN_BYTES",
        "policy.maxOutputBytes = 301 from --set",
        "policy.excludeTools = [\"a\",\"b\"] from TERSED_POLICY_EXCLUDE_TOOLS",
        "policy.summarizeAbove = 3 from DIR/project/tersed.toml:5",
        "policy.dedupWindowResults = 4 from DIR/user/tersed.yaml:5",
    ];
    for line in expected {
        assert!(told.iter().any(|told| told == line), "{line} is not in {told:#?}");
    }
    let policy = &resolved.config.policy;
    assert_eq!((policy.min_bytes, policy.max_output_bytes, policy.summarize_above), (2, 301, 3));
    assert_eq!(policy.mode, Mode::Aggressive);
    assert_eq!(resolved.config.recovery.retention_seconds, 604_800);

    let patch: ConfigPatch =
        serde_json::from_value(json!({"profile": "coding", "policy": {"minBytes": 0}})).unwrap();
    let hosted = place.layers().under("host", &patch).resolve().unwrap();
    assert_eq!((hosted.config.policy.min_bytes, hosted.config.policy.mode), (0, Mode::Standard));
    assert_eq!(hosted.config.policy.summarize_above, 3, "what the host did not say stays");
}

#[test]
fn variables_of_the_policy_have_a_short_form() {
    let place = Place::new().variable("TERSED_MODE", "safe").variable("TERSED_BUDGET_TOTAL", "7");
    let resolved = place.layers().resolve().unwrap();
    assert_eq!(resolved.config.policy.mode, Mode::Safe);
    assert_eq!(resolved.config.policy.budget.total, Some(7));
    let place = Place::new().variable("TERSED_MODE", "safe").variable("TERSED_POLICY_MODE", "aggressive");
    assert_eq!(place.errors(), "TERSED_MODE: it says the same as TERSED_POLICY_MODE, which is given too");
}

#[test]
fn bare_sources_read_nothing() {
    let place = Place::new().variable("TERSED_POLICY_MODE", "safe");
    place.file("project/tersed.yaml", "nonsense: 1\n");
    assert!(place.sources.load().is_err());
    assert_eq!(place.sources.clone().bare().load().unwrap().resolve().unwrap().config, Config::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn of_any_layers_the_topmost_counts(given in proptest::collection::vec(any::<bool>(), 5)) {
        let mut place = Place::new();
        if given[0] { place = place.flag("policy.minBytes", json!(10)); }
        if given[1] { place = place.variable("TERSED_POLICY_MIN_BYTES", "11"); }
        if given[2] { place.file("project/tersed.yaml", "policy: {minBytes: 12}\n").trust(); }
        if given[3] { place.file("user/tersed.yml", "policy: {minBytes: 13}\n"); }
        let mut layers = place.layers();
        if given[4] {
            let patch: ConfigPatch = serde_json::from_value(json!({"policy": {"minBytes": 9}})).unwrap();
            layers = layers.under("host", &patch);
        }
        let order = [(given[4], 9), (given[0], 10), (given[1], 11), (given[2], 12), (given[3], 13), (true, 1024)];
        let expected = order.iter().find(|(is_given, _)| *is_given).unwrap().1;
        prop_assert_eq!(layers.resolve().unwrap().config.policy.min_bytes, expected);
    }
}

#[test]
fn errors_name_file_line_key_value_and_what_is_allowed() {
    let of = |text: &str| {
        let place = Place::new();
        place.file("project/tersed.yaml", text);
        place.errors()
    };
    let cases = [
        (
            "policy:\n  mode: agressive\n",
            "DIR/project/tersed.yaml:2: policy.mode: `agressive` is not allowed, allowed is disabled, safe, standard, aggressive, off, conservative, balanced; did you mean `aggressive`?",
        ),
        (
            "policy:\n  dedup: 5\n",
            "DIR/project/tersed.yaml:2: policy.dedup: 5 is not allowed, allowed is true, false",
        ),
        (
            "policy:\n  maxOutputBytes: 0\n",
            "DIR/project/tersed.yaml:2: policy.maxOutputBytes: 0 is not allowed, allowed is 1 to 1048576",
        ),
        (
            "policy:\n  minBytes: -4\n",
            "DIR/project/tersed.yaml:2: policy.minBytes: -4 is not allowed, allowed is 0 and up",
        ),
        (
            "policy:\n  minByte: 4\n",
            "DIR/project/tersed.yaml:2: policy.minByte: there is no such setting; did you mean `policy.minBytes`?",
        ),
        (
            "minBytes: 4\n",
            "DIR/project/tersed.yaml:1: minBytes: there is no such setting; did you mean `policy.minBytes`?",
        ),
        (
            "policy:\n  min_bytes: 4\n",
            "DIR/project/tersed.yaml:2: policy.min_bytes: there is no such setting; did you mean `policy.minBytes`?",
        ),
        (
            "policy:\n  disable_tools: [a]\n",
            "DIR/project/tersed.yaml:2: policy.disable_tools: there is no such setting; did you mean `policy.excludeTools`?",
        ),
        (
            "alerts:\n  zzzzzz: 4\n",
            "DIR/project/tersed.yaml:2: alerts.zzzzzz: there is no such setting, there are enabled, failureThreshold, fallbackThreshold, windowSeconds, cooldownSeconds",
        ),
        (
            "policy:\n  excludeTools:\n    - bash\n    - 7\n",
            "DIR/project/tersed.yaml:4: policy.excludeTools[1]: 7 is not allowed, allowed is a text",
        ),
        ("policy:\n  excludeMethods: [cargo_tests]\n", "did you mean `cargo_test`?"),
        (
            "policy: safe\n",
            "DIR/project/tersed.yaml:1: policy: `safe` is not allowed, allowed is a group of ",
        ),
        ("policy:\n  mode: safe\n  mode: standard\n", "DIR/project/tersed.yaml:3: "),
    ];
    for (text, expected) in cases {
        let error = of(text);
        assert!(error.contains(expected), "{text}\nexpected {expected}\ngot      {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let both = of("policy:\n  mode: x\nalerts:\n  enabled: x\n");
    assert_eq!(both.lines().count(), 2, "{both}");

    let place = Place::new().variable("TERSED_POLICY_MOD", "safe").variable("TERSED_POLICY_DEDUP", "yes");
    let expected = "TERSED_POLICY_MOD: no setting has this variable; did you mean `TERSED_POLICY_MODE`?\n\
                    TERSED_POLICY_DEDUP: policy.dedup: `yes` is not allowed, allowed is true, false";
    assert_eq!(place.errors(), expected);

    let place = Place::new();
    place.file("project/tersed.yaml", "").file("project/tersed.toml", "");
    assert_eq!(
        place.errors(),
        "DIR/project/tersed.yaml: DIR/project/tersed.toml is there too, allowed is one of tersed.yaml, tersed.yml, tersed.toml"
    );
}

#[test]
fn paths_lie_beside_their_file() {
    let place = Place::new().variable("TERSED_RECOVERY_DIRECTORY", "~/kept");
    place.file("user/tersed.yaml", "telemetry: {path: events.jsonl}\nruleFiles: [rules/a.yaml]\n");
    place.file("user/rules/a.yaml", "- {name: from-file, pipeline: [passthrough]}\n");
    let config = place.layers().resolve().unwrap().config;
    assert_eq!(config.telemetry.path, Some(place.dir.path().join("user/events.jsonl")));
    assert_eq!(config.rule_files, [place.dir.path().join("user/rules/a.yaml")]);
    assert_eq!(config.recovery.directory, Some(place.dir.path().join("kept")));
    let names: Vec<&str> = config.policy.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["from-file"]);
    place.file("user/rules/a.yaml", "- {name: from-file, pipelin: []}\n");
    let errors = place.sources.load().unwrap_err();
    let told = place.plain(&errors[0].to_string());
    assert!(told.starts_with("DIR/user/rules/a.yaml:1: rules[0] (from-file)"), "{told}");
    assert!(told.contains("pipelin") && told.contains("did you mean"), "{told}");
}

/// The real binary in a place of its own.
fn run(place: &Place, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    command.args(arguments).current_dir(&place.sources.directory).stdin(Stdio::null());
    command.env_clear().env("HOME", place.dir.path()).env("XDG_CONFIG_HOME", place.dir.path().join("xdg"));
    command.envs(variables.iter().copied()).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_binary_shows_checks_and_refuses() {
    let place = Place::new();
    fs::create_dir_all(place.dir.path().join("xdg/tersed")).unwrap();
    place
        .file("project/tersed.yaml", "policy:\n  mode: safe\n")
        .file("xdg/tersed/tersed.toml", "[policy]\nminBytes = 5\n");
    // Variables that launchers of the program set for themselves are not settings.
    let variables = [("TERSED_POLICY_DEDUP", "false"), ("TERSED_BIN", "tersed"), ("TERSED_DEADLINE_MS", "9")];
    let shown = run(&place, &["config", "show", "--origin"], &variables);
    let text = place.plain(&out(&shown));
    for line in [
        "  mode: \"safe\"  # DIR/project/tersed.yaml:2\n",
        "  minBytes: 5  # DIR/xdg/tersed/tersed.toml:2\n",
        "  dedup: false  # TERSED_POLICY_DEDUP\n",
        "  # memo: true\n",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let json: Value = serde_json::from_str(&out(&run(&place, &["config", "show", "--json"], &[]))).unwrap();
    assert_eq!(json, json!({"policy": {"mode": "safe", "minBytes": 5}}));
    let listed: Value =
        serde_json::from_str(&out(&run(&place, &["config", "show", "--json", "--origin"], &[]))).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), settings().len());
    // The output is a file with the same settings.
    let again = place.dir.path().join("again.yaml");
    fs::write(&again, out(&run(&place, &["config", "show", "--profile", "research"], &[]))).unwrap();
    let checked = run(&place, &["config", "check", again.to_str().unwrap()], &[]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    assert!(out(&checked).ends_with("settings, nothing wrong\n"));

    assert_eq!(out(&run(&place, &["config", "schema"], &[])), schema::schema_json());

    place.file("project/tersed.yaml", "policy:\n  excludeTool: [bash]\n");
    let file = place.dir.path().join("project/tersed.yaml").display().to_string();
    for arguments in [&["config", "show"][..], &["config", "check", &file]] {
        let refused = run(&place, arguments, &[]);
        let error = place.plain(&String::from_utf8(refused.stderr).unwrap());
        let expected = "tersed: DIR/project/tersed.yaml:2: policy.excludeTool: there is no such setting; did you mean `policy.excludeTools`?\n";
        assert_eq!((refused.status.code(), error.as_str()), (Some(2), expected), "{arguments:?}");
        assert!(refused.stdout.is_empty());
    }
    for arguments in [&["compress"][..], &["serve", "--stdio"], &["explain"], &[][..]] {
        let works = run(&place, arguments, &[]);
        let said = place.plain(&String::from_utf8(works.stderr).unwrap());
        let expected = "tersed: DIR/project/tersed.yaml:2: policy.excludeTool: there is no such setting; did you mean `policy.excludeTools`?; it does not count\n";
        assert!(said.starts_with(expected), "{arguments:?}: {said}");
        assert_ne!(works.status.code(), Some(2), "{arguments:?}");
    }
    for arguments in [&["compress", "--no-config"][..], &["serve", "--no-config"]] {
        assert!(run(&place, arguments, &[]).status.success(), "{arguments:?}");
    }
    assert!(run(&place, &["compress"], &[("TERSED_NO_CONFIG", "1")]).status.success());
}

#[test]
fn what_is_shown_is_a_file_with_the_same_settings() {
    let place = Place::new();
    place.file("rules.yaml", "rules:\n  - name: a\n    when: {tool: bash}\n    pipeline: [identity]\n");
    place.file(
        "mine.yaml",
        "profile: coding\nruleFiles: [rules.yaml]\npolicy:\n  mode: aggressive\n  minBytes: 7\n  excludeTools: [a, \"b: #c\", \"d\\te\\x7f\\u200b\"]\n  \
         budget: {perResult: 4000}\naccounting:\n  prices:\n    \"a model\": {input: 3, cachedInput: 0.3}\n\
         recovery: {mode: always, directory: kept}\n",
    );
    place.file("mine.toml", "profile = \"ops\"\npolicy.excludeTools = [\"a\", \"b\\u007f\"]\n[accounting.prices]\n\"a model\" = {input = 3}\n");
    let path = |name: &str| place.dir.path().join(name).display().to_string();
    let json = |file: &str| out(&run(&place, &["config", "show", "--json", "--config", file], &[]));
    for name in ["mine.yaml", "mine.toml"] {
        let (file, again) = (path(name), path(&format!("again-{name}")));
        for more in [&[][..], &["--origin"]] {
            let shown = out(&run(&place, &[&["config", "show", "--config", &file], more].concat(), &[]));
            fs::write(&again, &shown).unwrap();
            assert!(json(&file).contains("a model"), "{}", json(&file));
            assert_eq!(json(&again), json(&file), "{shown}");
            // A line with a default is a line of a file once the sign before it is gone.
            let is_set = |line: &str| !line.trim_end().ends_with('=') && !line.contains(" =  #");
            let whole: Vec<String> = shown.lines().map(|line| line.replacen("# ", "", 1)).collect();
            let whole: Vec<String> = match more.is_empty() {
                true => whole.into_iter().filter(|line| is_set(line)).collect(),
                false => continue,
            };
            fs::write(&again, whole.join("\n")).unwrap();
            let checked = run(&place, &["config", "check", &again], &[]);
            assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        }
    }
    let bare = out(&run(&place, &["config", "show", "--no-config"], &[]));
    for line in [
        "# policy:\n",
        "  # mode: \"standard\"\n",
        "  # headTailBytes:  # 12288 in `standard`",
        "  # excludeTools: []\n",
    ] {
        assert!(bare.contains(line), "{line} is not in\n{bare}");
    }
}

#[test]
fn a_profile_is_nothing_but_its_settings() {
    let place = Place::new();
    for profile in Profile::ALL {
        let shown = out(&run(&place, &["config", "show", "--origin", "--profile", profile.name()], &[]));
        assert!(shown.contains(&format!("  # profile {}\n", profile.name())), "{shown}");
        let file = place.dir.path().join("profile.yaml");
        fs::write(&file, profile.yaml()).unwrap();
        let by_file = Sources { file: Some(file), ..place.sources.clone() };
        let by_file = by_file.load().unwrap().resolve().unwrap().config;
        let by_name = place.sources.clone();
        let by_name = Sources {
            flags: vec![("--profile".to_owned(), "profile".to_owned(), json!(profile.name()))],
            ..by_name
        };
        let by_name = by_name.load().unwrap().resolve().unwrap().config;
        assert_eq!(Config { profile: None, ..by_name }, by_file);
    }
}

fn served(place: &Place) -> Engine {
    let layers = place.layers();
    let config = layers.resolve().unwrap().config;
    Engine::new(Settings { layers: Some((place.sources.clone(), layers)), ..Settings::of(&config) })
}

fn mode(engine: &Engine) -> Value {
    let answer = call(engine, "toolResult/compress", &json!({"result": {"content": "x"}}));
    answer["evidence"]["mode"].clone()
}

#[test]
fn files_are_read_anew_on_request_only() {
    let place = Place::new();
    place.file("user/tersed.yaml", "policy: {mode: safe}\n");
    let engine = served(&place);
    engine.initialize(None).unwrap();
    place.file("user/tersed.yaml", "policy: {mode: aggressive, minBytes: 1}\nserver: {maxSessions: 3}\n");
    assert_eq!(mode(&engine), "safe");
    let reloaded = call(&engine, "config/reload", &json!({}));
    let reloaded: Value = serde_json::from_str(&place.plain(&reloaded.to_string())).unwrap();
    let expected = json!({
        "files": ["DIR/user/tersed.yaml"],
        "changed": ["policy.minBytes", "policy.mode"],
        "needsRestart": ["server.maxSessions"],
    });
    assert_eq!(reloaded, expected);
    assert_eq!(mode(&engine), "aggressive");

    place.file("user/tersed.yaml", "policy: {mode: turbo}\n");
    let error = try_call(&engine, "config/reload", &json!({})).unwrap_err();
    assert_eq!((error.code, error.data.unwrap().kind.as_str()), (-32803, "bad_configuration"));
    assert!(
        place
            .plain(&error.message)
            .starts_with("DIR/user/tersed.yaml:1: policy.mode: `turbo` is not allowed")
    );
    assert_eq!(mode(&engine), "aggressive");

    let did_change = "workspace/didChangeConfiguration";
    call(&engine, did_change, &json!({"settings": {"tersed": {"policy": {"mode": "disabled"}}}}));
    assert_eq!(mode(&engine), "disabled");
    call(&engine, did_change, &json!({"settings": {"another": {}}}));
    assert_eq!(mode(&engine), "disabled");
    let error =
        try_call(&engine, did_change, &json!({"settings": {"tersed": {"policy": {"mode": "turbo"}}}}));
    assert_eq!(error.unwrap_err().code, -32602);
    call(&engine, did_change, &json!({"settings": {"tersed": {}}}));
    assert_eq!(mode(&engine), "aggressive");
    place.file("user/tersed.yaml", "policy: {mode: safe}\n");
    call(&engine, did_change, &json!({"settings": null}));
    assert_eq!(mode(&engine), "safe");
}

#[test]
fn reading_files_anew_never_keeps_redaction_off() {
    let place = Place::new();
    place.file("project/tersed.yaml", "policy: {redactSecrets: false, mode: disabled}\n").trust();
    let engine = served(&place);
    engine.initialize(None).unwrap();
    let secret = format!("{}{}", "AKIA", "IOSFODNN7QWERTYU");
    let shows = || {
        let content = format!("aws_access_key_id = {secret}\n");
        let answer = call(&engine, "toolResult/compress", &json!({"result": {"content": content}}));
        answer["content"].as_str().unwrap().contains(&secret)
    };
    assert!(shows(), "the user trusted it");
    for wrong in ["policy: {redactSecrets: false, mode: safe}\n", "policy: [\n", "redactSecrets: false\n"] {
        place.file("project/tersed.yaml", wrong);
        call(&engine, "config/reload", &json!({}));
        assert!(!shows(), "{wrong}");
        place.file("project/tersed.yaml", "policy: {redactSecrets: false, mode: disabled}\n");
        call(&engine, "config/reload", &json!({}));
        assert!(shows());
    }
    fs::remove_dir_all(place.dir.path().join("state")).unwrap();
    call(&engine, "workspace/didChangeConfiguration", &json!({"settings": null}));
    assert!(!shows(), "the trust is gone");
    // If the user's own file becomes invalid, its earlier settings are kept.
    place.file("user/tersed.yaml", "policy: {mode: turbo}\n");
    assert!(try_call(&engine, "config/reload", &json!({})).is_err());
    assert!(!shows());
}

#[test]
fn a_change_counts_for_every_message_after_it() {
    let mut server = Server::ready(true);
    for (mode, expected) in [("safe", "safe"), ("turbo", "safe"), ("aggressive", "aggressive")] {
        let settings = json!({"tersed": {"policy": {"mode": mode}}});
        let message = json!({"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": settings}});
        server.send(&message.to_string());
        let answer = server.call("toolResult/compress", &json!({"result": {"content": "x"}}));
        assert_eq!(answer["result"]["evidence"]["mode"], expected);
    }
    server.finish();
}

fn with(policy: Value) -> Policy {
    let patch: PolicyPatch = serde_json::from_value(policy).unwrap();
    Policy::default().with(&patch).unwrap()
}

fn compressed(tool: &str, command: Option<&str>, text: &str, policy: Value) -> Outcome {
    let call = ToolCall { tool: tool.to_owned(), command: command.map(str::to_owned), ..ToolCall::default() };
    compress(&call, &[Raw::Text(text)], &with(policy), false, &NoHistory).unwrap()
}

fn cargo_test() -> String {
    let passed: String = (0..60).map(|i| format!("test shapes::case_{i} ... ok\n")).collect();
    format!(
        "\nrunning 60 tests\n{passed}\ntest result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n"
    )
}

#[test]
fn what_is_excluded_stays_exact_and_says_why() {
    let text = cargo_test();
    let cases = [
        (
            "mcp__fast__Grep_it",
            None,
            json!({"excludeToolSubstrings": ["GREP"]}),
            Reason::ExcludedToolSubstring,
        ),
        (
            "bash",
            Some("cd web && cargo test -q"),
            json!({"excludeCommands": ["cargo test"]}),
            Reason::ExcludedCommand,
        ),
        (
            "bash",
            Some("git -C web diff --stat HEAD"),
            json!({"excludeCommands": ["git diff --stat"]}),
            Reason::ExcludedCommand,
        ),
        (
            "bash",
            Some("cargo test --message-format=json"),
            json!({"excludeFlags": ["--message-format"]}),
            Reason::ExcludedFlag,
        ),
        ("bash", Some("cargo test"), json!({"excludeCategories": ["test"]}), Reason::ExcludedCategory),
        ("bash", None, json!({"excludeCategories": ["test"]}), Reason::ExcludedCategory),
        ("bash", Some("make all"), json!({"excludeCategories": ["command"]}), Reason::ExcludedCategory),
    ];
    for (tool, command, policy, reason) in cases {
        let outcome = compressed(tool, command, &text, policy.clone());
        assert_eq!(
            (outcome.evidence.status, outcome.evidence.bypass),
            (Status::Bypassed, Some(reason)),
            "{policy}"
        );
        assert_eq!(outcome.texts, [text.as_str()]);
    }
    for (command, policy) in [
        ("cargo test", json!({"excludeCommands": ["cargo tes", "cargo test -q", "echo cargo test"]})),
        ("cargo test", json!({"excludeFlags": ["--json", "-t"]})),
        ("cargo test", json!({"excludeCategories": ["log", "git"], "excludeToolSubstrings": ["", "zsh"]})),
    ] {
        let outcome = compressed("bash", Some(command), &text, policy.clone());
        assert_eq!(outcome.evidence.reducer.as_deref(), Some("cargo_test"), "{policy}");
    }
}

#[test]
fn an_excluded_step_is_not_tried() {
    let text = cargo_test();
    let outcome = compressed("bash", Some("cargo test"), &text, json!({"excludeMethods": ["cargo_test"]}));
    assert_eq!(outcome.evidence.reducer, None);
    assert!(
        outcome.evidence.steps.iter().any(|s| s.id == "cargo_test" && s.reason == Reason::ExcludedMethod)
    );

    let colours = "\u{1b}[31mred\u{1b}[0m\n".repeat(3);
    assert!(!compressed("bash", None, &colours, json!({})).texts[0].contains('\u{1b}'));
    let kept = compressed("bash", None, &colours, json!({"excludeMethods": ["terminal"]}));
    assert_eq!(kept.texts, [colours.as_str()]);
    // A secret that only the clean-up makes visible must not be output.
    let secret = "AKIA\u{1b}[0mIOSFODNN7QWERTYU and more words\n";
    let hidden = compressed("bash", None, secret, json!({"excludeMethods": ["terminal"]}));
    assert!(!hidden.texts[0].contains("IOSFODNN7"), "{:?}", hidden.texts);

    for (list, value) in [("excludeMethods", "nope"), ("excludeFlags", "json")] {
        let bad: PolicyPatch = serde_json::from_value(json!({ list: [value] })).unwrap();
        let error = Policy::default().with(&bad).unwrap_err().to_string();
        assert!(error.starts_with(&format!("policy.{list}: `{value}` ")), "{error}");
    }
}

#[test]
fn nothing_is_left_out_where_the_policy_forbids_it() {
    let long: String = (0..9000)
        .map(|i| format!("{i}: a line that no reducer understands, of which there are many\n"))
        .collect();
    let json = format!(
        "[{}]\n",
        (0..400)
            .map(|i| format!("{{ \"id\": {i},  \"name\": \"item {i}\" }}"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    for text in [&cargo_test(), &long, &json] {
        for mode in ["safe", "standard", "aggressive"] {
            let policy = json!({"neverOmit": true, "mode": mode, "budget": {"perResult": 50}});
            let outcome = compressed("bash", Some("cargo test"), text, policy);
            assert_eq!(outcome.evidence.omissions, [], "{mode}");
            assert!(!outcome.texts[0].contains("omitted"), "{mode}");
            assert!(outcome.evidence.tokens.after <= outcome.evidence.tokens.before);
        }
    }
    let minified = compressed("bash", None, &json, json!({"neverOmit": true}));
    assert!(
        minified.evidence.bytes.after < minified.evidence.bytes.before,
        "what loses nothing is still done"
    );
    let capped = compressed("bash", None, &long, json!({"neverOmit": true, "maxOutputBytes": 2000}));
    assert!(capped.texts[0].len() < 3000, "a cap that the caller gives counts");
}

#[test]
fn lines_of_a_verbatim_command_are_lines_of_the_original() {
    let mut text = cargo_test();
    text.push_str(&(0..200).map(|i| format!("name   {i}      value   {i}   \n")).collect::<String>());
    text.push_str("{ \"a\":   1,\n  \"b\":   2 }\n");
    for mode in ["standard", "aggressive"] {
        let policy = json!({"verbatimCommands": ["cargo test"], "mode": mode, "minBytes": 0});
        let outcome = compressed("bash", Some("cargo test"), &text, policy);
        for line in outcome.texts[0].lines().filter(|line| !line.starts_with("[tersed")) {
            assert!(text.lines().any(|original| original == line), "{mode}: {line:?}");
        }
    }
}

#[test]
fn shipped_examples_are_right() {
    let folder = crate::common::repository("protocol/v1/config");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let place = Place::new();
        let name = Path::new("project").join(path.file_name().unwrap());
        let text = fs::read_to_string(&path).unwrap();
        let target = if name.extension().is_some_and(|e| e == "toml") {
            "project/tersed.toml"
        } else {
            "project/tersed.yaml"
        };
        place.file(target, &text).trust();
        assert_ne!(place.layers().resolve().unwrap().config, Config::default(), "{}", path.display());
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn the_schema_and_the_checks_agree() {
    let schema = schema::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (good, value) in [
        (true, json!({})),
        (
            true,
            json!({"profile": "coding", "policy": {"mode": "balanced", "excludeMethods": ["cargo_test"]}}),
        ),
        (true, json!({"accounting": {"prices": {"m": {"input": 3.0}}}, "ruleFiles": ["a.yaml"]})),
        (false, json!({"profile": "coder"})),
        (false, json!({"policy": {"excludeMethods": ["nope"]}})),
        (false, json!({"policy": {"excludeCategories": ["nope"]}})),
        (false, json!({"policy": {"minBytes": 4_294_967_296_u64}})),
        (false, json!({"server": {"framing": "xml"}})),
        (false, json!({"accounting": {"prices": {"m": {"inputs": 3.0}}}})),
    ] {
        assert_eq!(validator.is_valid(&value), good, "{value}");
        let place = Place::new();
        place.file("project/tersed.yaml", &value.to_string());
        place.file("project/a.yaml", "[]");
        assert_eq!(place.sources.load().is_ok(), good, "{value}");
    }
}

/// A value of a setting that is not its default: the first of its kind that its own checks accept.
fn another_value(setting: &Setting, file: &str) -> (Value, Config) {
    fn of(kind: &Kind, file: &str) -> Vec<Value> {
        match kind {
            Kind::Flag => vec![json!(true), json!(false)],
            Kind::Whole { min, max } => vec![json!(max), json!(min)],
            Kind::Choice(names) => names.iter().map(|name| json!(name)).collect(),
            Kind::Text => [file, "--flag", "rule:url-password"].map(|text| json!(text)).to_vec(),
            Kind::List(of_items) => of(of_items, file).into_iter().map(|item| json!([item])).collect(),
            Kind::Table(of_members) => {
                of(of_members, file).into_iter().map(|item| json!({"name": item})).collect()
            }
            Kind::Group(_) => vec![json!({"input": 1.5}), json!({"name": "n", "pipeline": ["passthrough"]})],
            Kind::Number | Kind::Other => Vec::new(),
        }
    }
    let config = |value: &Value| {
        let patch = serde_json::from_value::<ConfigPatch>(nested(&setting.key, value)).ok()?;
        Config::default().with(&patch).ok().filter(|config| *config != Config::default())
    };
    let mut values = of(&setting.kind, file).into_iter();
    let found = values.find_map(|value| config(&value).map(|config| (value, config)));
    found.unwrap_or_else(|| panic!("{}: none of the values that are tried here is allowed", setting.key))
}

fn nested(key: &str, value: &Value) -> Value {
    key.rsplit('.').fold(value.clone(), |value, name| json!({ name: value }))
}

#[test]
fn each_setting_is_read_from_every_place() {
    let rules = tempfile::tempdir().unwrap();
    let rules = rules.path().join("rules.yaml");
    fs::write(&rules, "[]").unwrap();
    assert!(settings().len() >= table::rows().filter(|row| !row.section.is_empty()).count());
    for setting in settings() {
        let key = &setting.key;
        let (value, laid) = another_value(setting, rules.to_str().unwrap());
        let resolved = |place: &Place| {
            let resolved = place.layers().resolve().unwrap();
            assert_eq!(resolved.given.iter().map(|given| &given.key).collect::<Vec<_>>(), [key]);
            resolved.config
        };
        let place = Place::new();
        place.file("user/tersed.yaml", &nested(key, &value).to_string());
        let of_file = match key.as_str() {
            // The settings of a profile are included.
            "profile" => place.layers().resolve().unwrap().config,
            _ => resolved(&place),
        };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let by_variable = Place::new().variable(&setting.variable(), &text);
        let (name, by_text) = tersed::layers::of_flag(&format!("{key}={text}")).unwrap();
        assert_eq!((&name, &by_text), (key, &value));
        let by_flag = Place::new().flag(key, by_text);
        let wire = Engine::new(Settings::of(&Config::default()));
        let given = json!({"settings": {"tersed": nested(key, &value)}});
        let over_wire = try_call(&wire, "workspace/didChangeConfiguration", &given);
        if key == "profile" {
            for place in [by_variable, by_flag] {
                assert_eq!(place.layers().resolve().unwrap().config, of_file);
            }
            over_wire.unwrap();
            assert_eq!(wire.policy_in_force(), Policy { seal_key: wire.seal_key(), ..of_file.policy });
            continue;
        }
        assert_eq!(of_file, laid, "{key}");
        assert_eq!(resolved(&by_variable), laid, "{key}");
        assert_eq!(resolved(&by_flag), laid, "{key}");
        // Hosts can set the policy, for all requests and for one, but not the settings of the process.
        if !key.starts_with("policy.") {
            assert!(over_wire.unwrap_err().message.contains("unknown field"), "{key}");
            continue;
        }
        over_wire.unwrap();
        assert_eq!(wire.policy_in_force(), Policy { seal_key: wire.seal_key(), ..laid.policy }, "{key}");
        let policy = &nested(key, &value)["policy"];
        let patch: PolicyPatch = serde_json::from_value(policy.clone()).unwrap();
        let written = serde_json::to_value(&patch).unwrap();
        assert_eq!(written.as_object().unwrap().len(), 1, "{written}");
        assert_eq!(serde_json::from_value::<PolicyPatch>(written).unwrap(), patch, "{key}");
        assert_eq!(patch.clone().or(PolicyPatch::default()), patch);
        assert_eq!(PolicyPatch::default().or(patch.clone()), patch);
        let engine = Engine::new(Settings::of(&Config::default()));
        try_call(&engine, "toolResult/compress", &json!({"result": {"content": "x"}, "policy": policy}))
            .unwrap();
        let wrong = nested(key, &json!({"no": {"such": "value"}}));
        let request = json!({"result": {"content": "x"}, "policy": wrong["policy"]});
        assert!(try_call(&engine, "toolResult/compress", &request).is_err(), "{key}");
    }
}
