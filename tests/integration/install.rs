//! `tersed install` and `tersed uninstall`, by real child processes in a home folder of their own: uninstalling
//! restores every host's files byte for byte, the users' own settings are kept, and files that cannot be edited are
//! left unchanged.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proptest::prelude::*;
use serde_json::Value;

const JSON: &str = r#"// mine
{
    "mcpServers": { "other": { "command": "x", "args": [] } }, // one
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "mine.sh" }] }, // keep
        ],
        /* none yet */
    },
    "theme": "dark",
}
"#;
const TOML: &str = "# mine\nmodel = \"m\" # the model\n\n[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ntype = \"command\"\n\
                    command = \"mine.sh\"\n\n[tui]\ntheme = 'dark'\n# end\n";

/// A home folder and a project.
struct Machine(tempfile::TempDir);

/// Files by their paths: mode and content, where a link leads, or a folder.
type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn tersed(&self, arguments: &[&str]) -> Output {
        let binary = Path::new(env!("CARGO_BIN_EXE_tersed"));
        let mut command = Command::new(binary);
        command.args(arguments).env_clear().env("HOME", self.at("home")).current_dir(self.at("project"));
        command.env("PATH", binary.parent().unwrap()).output().unwrap()
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.tersed(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.tersed(arguments);
        assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap()
    }

    /// All hosts with their scopes and files.
    fn hosts(&self) -> Vec<Value> {
        serde_json::from_str(&self.done(&["install", "--list", "--json"])).unwrap()
    }

    fn files(&self, host: &str, scope: &str) -> Vec<PathBuf> {
        let rows = self.hosts();
        let row = rows.iter().find(|row| row["host"] == host && row["scope"] == scope).unwrap();
        row["files"].as_array().unwrap().iter().map(|file| PathBuf::from(file.as_str().unwrap())).collect()
    }

    fn wired(&self, host: &str, scope: &str) -> String {
        let rows = self.hosts();
        let row = rows.iter().find(|row| row["host"] == host && row["scope"] == scope).unwrap();
        row["wired"].as_str().unwrap().to_owned()
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Everything but our own state.
    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut open = vec![self.at("home"), self.at("project")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let about = fs::symlink_metadata(&path).unwrap();
                let content = if about.is_symlink() {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                } else if about.is_dir() {
                    if path == self.at("home/.local/state") {
                        continue;
                    }
                    open.push(path.clone());
                    Vec::new()
                } else {
                    fs::read(&path).unwrap()
                };
                tree.insert(path, (about.permissions().mode(), content));
            }
        }
        // The folder above the state is made with it.
        tree.remove(&self.at("home/.local"));
        tree
    }
}

fn prefilled(path: &Path) -> &'static str {
    match path.extension().and_then(|end| end.to_str()) {
        Some("json") => JSON,
        Some("toml") => TOML,
        _ => "mine\n",
    }
}

#[test]
fn every_host_comes_back_to_the_byte() {
    let all = Machine::new().hosts();
    let names: Vec<&str> = all.iter().map(|row| row["host"].as_str().unwrap()).collect();
    for name in [
        "claude-code",
        "cline",
        "codex",
        "copilot",
        "cursor",
        "emacs",
        "gemini",
        "kilo",
        "neovim",
        "opencode",
        "pi",
        "vscode",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for row in &all {
        let (host, scope) = (row["host"].as_str().unwrap(), row["scope"].as_str().unwrap());
        for is_filled in [false, true] {
            let case = format!("{host} {scope} {is_filled}");
            let machine = Machine::new();
            let files = machine.files(host, scope);
            for file in files.iter().filter(|_| is_filled) {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, prefilled(file)).unwrap();
                fs::set_permissions(file, fs::Permissions::from_mode(0o640)).unwrap();
            }
            let before = machine.tree();
            assert_eq!(machine.wired(host, scope), "no", "{case}");

            machine.done(&["install", host, "--scope", scope]);
            let with = machine.tree();
            assert!(files.iter().all(|file| with.contains_key(file)), "{case}");
            assert!(files.iter().all(|file| before.get(file) != with.get(file)), "{case}");
            assert!(!is_filled || files.iter().all(|file| with[file].0 & 0o777 == 0o640), "{case}");
            assert_eq!(machine.wired(host, scope), "yes", "{case}");

            let again = machine.done(&["install", host, "--scope", scope]);
            assert!(again.contains("nothing was changed"), "{case}: {again}");
            assert_eq!(machine.tree(), with, "{case}");

            machine.done(&["uninstall", host, "--scope", scope]);
            assert_eq!(machine.tree(), before, "{case}");
            let again = machine.done(&["uninstall", host, "--scope", scope]);
            assert!(again.contains("nothing was changed"), "{case}: {again}");
            assert_eq!(machine.tree(), before, "{case}");
        }
    }
}

#[test]
fn folders_that_hosts_share_go_with_the_last_of_them() {
    let machine = Machine::new();
    let before = machine.tree();
    for order in [["opencode", "kilo"], ["kilo", "opencode"]] {
        for host in ["opencode", "kilo"] {
            machine.done(&["install", host]);
        }
        for host in order {
            machine.done(&["uninstall", host]);
        }
        assert!(machine.tree() == before, "{:?}", machine.tree().keys());
    }
}

#[test]
fn what_a_user_writes_in_between_stays() {
    for row in Machine::new().hosts() {
        let (host, scope) = (row["host"].as_str().unwrap(), row["scope"].as_str().unwrap());
        let machine = Machine::new();
        if (host, scope) == ("codex", "user") {
            // Hooks of the user are here, so that ours go here too.
            machine.write("home/.codex/config.toml", TOML);
        }
        let files = machine.files(host, scope);
        let is_settings = |text: &str| text.contains("# the model") || text.contains("\"theme\": \"dark\"");
        for file in &files {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, prefilled(file)).unwrap();
        }
        machine.done(&["install", host, "--scope", scope]);
        let edit = |text: &str| {
            text.replace("\"theme\": \"dark\"", "/* better */ \"theme\": \"light\"")
                .replace("theme = 'dark'", "theme = 1")
        };
        let edited: Vec<&PathBuf> =
            files.iter().filter(|file| is_settings(&fs::read_to_string(file).unwrap())).collect();
        for file in &edited {
            fs::write(file, edit(&fs::read_to_string(file).unwrap())).unwrap();
        }
        machine.done(&["uninstall", host, "--scope", scope]);
        for file in &edited {
            assert_eq!(
                fs::read_to_string(file).unwrap(),
                edit(prefilled(file)),
                "{host}: {}",
                file.display()
            );
        }
    }
}

#[test]
fn without_its_records_only_our_parts_go() {
    let machine = Machine::new();
    let settings = machine.write("home/.gemini/settings.json", JSON);
    let config = machine.write("home/.codex/config.toml", TOML);
    for host in ["gemini", "codex"] {
        machine.done(&["install", host]);
    }
    fs::remove_dir_all(machine.at("home/.local/state")).unwrap();
    for host in ["gemini", "codex"] {
        machine.done(&["uninstall", host]);
    }
    assert_eq!(fs::read_to_string(settings).unwrap(), JSON);
    assert_eq!(fs::read_to_string(config).unwrap(), TOML);
}

#[test]
fn a_broken_file_is_named_and_nothing_is_changed() {
    let machine = Machine::new();
    machine.write("home/.claude.json", "{}\n");
    let broken = machine.write("home/.claude/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}\n");
    let config = machine.write("home/.codex/hooks.json", "{ \"hooks\": null }");
    let hooks = machine.write("home/.cursor/hooks.json", "{\n\n  \"hooks\": []\n}\n");
    let latin = machine.at("home/.gemini/settings.json");
    machine.write("home/.gemini/settings.json", "");
    fs::write(&latin, b"{\n\"a\": \"\xff\"}").unwrap();
    let before = machine.tree();
    for (host, place) in [
        ("claude-code", format!("{}:2: not JSON: ", broken.display())),
        ("codex", format!("{}:1: `hooks` is null, expected an object", config.display())),
        ("cursor", format!("{}:3: `hooks` is an array, expected an object", hooks.display())),
        ("gemini", format!("{}:2: is not UTF-8", latin.display())),
    ] {
        let error = machine.refused(&["install", host]);
        assert!(error.starts_with(&format!("tersed: {place}")), "{host}: {error}");
        assert!(error.ends_with("; nothing was changed\n"), "{host}: {error}");
        assert_eq!(error.lines().count(), 1, "{host}: {error}");
        assert_eq!(machine.tree(), before, "{host}");
    }
}

#[test]
fn a_file_that_is_read_only_is_left_alone() {
    let machine = Machine::new();
    let settings = machine.write("home/.claude/settings.json", JSON);
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
    let before = machine.tree();
    let error = machine.refused(&["install", "claude-code"]);
    assert!(error.contains(&format!("{}: is read-only", settings.display())), "{error}");
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_write_that_fails_takes_back_those_before_it() {
    let machine = Machine::new();
    machine.write("home/.claude.json", "{ \"a\": 1 }\n");
    fs::create_dir(machine.at("home/.claude")).unwrap();
    symlink("/proc/no-such-folder/settings.json", machine.at("home/.claude/settings.json")).unwrap();
    let before = machine.tree();
    let error = machine.refused(&["install", "claude-code"]);
    assert!(
        error.contains("/proc/no-such-folder/settings.json") && error.contains("nothing was changed"),
        "{error}"
    );
    assert_eq!(machine.tree(), before);
    assert!(machine.done(&["uninstall", "claude-code"]).contains("is not set up"));
}

#[test]
fn a_link_stays_a_link() {
    let machine = Machine::new();
    let dotfile = machine.write("home/dotfiles/gemini.json", JSON);
    fs::set_permissions(&dotfile, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir(machine.at("home/.gemini")).unwrap();
    symlink("../dotfiles/gemini.json", machine.at("home/.gemini/settings.json")).unwrap();
    let before = machine.tree();
    machine.done(&["install", "gemini"]);
    assert!(fs::symlink_metadata(machine.at("home/.gemini/settings.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(&dotfile).unwrap().contains("tersed hook gemini"));
    assert_eq!(fs::metadata(&dotfile).unwrap().permissions().mode() & 0o777, 0o600);
    machine.done(&["uninstall", "gemini"]);
    assert_eq!(machine.tree(), before);
}

#[test]
fn no_link_leads_out_of_a_project() {
    let machine = Machine::new();
    fs::create_dir(machine.at("outside")).unwrap();
    let links = [
        (".claude", "../outside", "outside/settings.json"),
        (".claude/settings.json", "../../outside/new.json", "outside/new.json"),
        (".claude", "../nowhere/yet", "nowhere/yet/settings.json"),
    ];
    for (link, to, real) in links {
        let link = machine.at("project").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(to, &link).unwrap();
        let before = machine.tree();
        for command in ["install", "uninstall"] {
            let said = machine.refused(&[command, "claude-code", "--scope", "project"]);
            assert!(
                said.contains(".claude/settings.json: a link leads from it out of the project, to "),
                "{said}"
            );
            assert!(said.contains(real) && said.ends_with("nothing was changed\n"), "{said}");
        }
        assert_eq!(machine.tree(), before);
        assert_eq!(fs::read_dir(machine.at("outside")).unwrap().count(), 0);
        fs::remove_file(&link).unwrap();
        let _ = fs::remove_dir(machine.at("project/.claude"));
    }
    // Inside of the project, a link is followed.
    fs::create_dir(machine.at("project/settings")).unwrap();
    symlink("settings", machine.at("project/.claude")).unwrap();
    machine.done(&["install", "claude-code", "--scope", "project"]);
    assert!(machine.at("project/settings/settings.json").is_file());
    machine.done(&["uninstall", "claude-code", "--scope", "project"]);
}

#[test]
fn settings_that_block_or_never_end_hold_nobody_up() {
    for file in [".claude/settings.json", ".codex/config.toml", ".codex/hooks.json"] {
        for is_pipe in [true, false] {
            let machine = Machine::new();
            let path = machine.write(&format!("project/{file}"), "");
            fs::remove_file(&path).unwrap();
            if is_pipe {
                let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
                rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).unwrap();
            } else {
                symlink("/dev/zero", &path).unwrap();
            }
            let host = if file.starts_with(".claude") { "claude-code" } else { "codex" };
            assert!(!machine.hosts().is_empty());
            machine.tersed(&["doctor"]);
            for command in ["install", "uninstall"] {
                machine.tersed(&[command, host, "--scope", "project", "--dry-run"]);
            }
        }
    }
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let machine = Machine::new();
    let settings = machine.write("home/.codex/config.toml", TOML);
    let before = machine.tree();
    let shown = machine.done(&["install", "codex", "--dry-run"]);
    assert!(shown.contains(&format!("--- {0}\n+++ {0}\n", settings.display())), "{shown}");
    assert!(shown.contains("\n # end\n+\n+[[hooks."), "{shown}");
    assert!(shown.contains("\n+[[hooks.PreToolUse]]\n"), "{shown}");
    let shown = machine.done(&["install", "cursor", "--dry-run"]);
    let hooks = machine.at("home/.cursor/hooks.json");
    assert!(shown.starts_with(&format!("--- /dev/null\n+++ {}\n", hooks.display())), "{shown}");
    assert_eq!(machine.tree(), before);
    assert!(!machine.at("home/.local").exists());
    for host in ["codex", "cursor"] {
        machine.done(&["install", host]);
    }
    let with = machine.tree();
    let shown = machine.done(&["uninstall", "codex", "--dry-run"]);
    assert!(shown.contains("\n-[[hooks.PreToolUse]]\n"), "{shown}");
    assert!(machine.done(&["uninstall", "cursor", "--dry-run"]).contains("\n+++ /dev/null\n"));
    assert_eq!(machine.tree(), with);
}

#[test]
fn the_program_is_named_by_its_path_or_as_asked() {
    let machine = Machine::new();
    let settings = || fs::read_to_string(machine.at("home/.gemini/settings.json")).unwrap();
    machine.done(&["install", "gemini"]);
    assert!(settings().contains(&format!("\"command\": \"{}\"", env!("CARGO_BIN_EXE_tersed"))));
    // Another program replaces the first one.
    machine.done(&["install", "gemini", "--command", "/my tools/tersed"]);
    assert!(
        settings().contains("\"command\": \"/my tools/tersed\"")
            && settings().contains("'/my tools/tersed' hook gemini")
    );
    assert!(!settings().contains(env!("CARGO_BIN_EXE_tersed")));
    machine.done(&["uninstall", "gemini"]);
    assert!(!machine.at("home/.gemini").exists());
    // Others of the project have the program elsewhere.
    machine.done(&["install", "opencode", "--scope", "project"]);
    let plugin = fs::read_to_string(machine.at("project/.opencode/plugin/tersed.js")).unwrap();
    assert_eq!(plugin, include_str!("../../editors/opencode/tersed.js"));
}

#[test]
fn a_file_of_ours_that_a_user_changed_is_kept_aside() {
    let machine = Machine::new();
    machine.done(&["install", "pi"]);
    let file = machine.at("home/.pi/agent/extensions/tersed.js");
    fs::write(&file, "// my changes\n").unwrap();
    let told = machine.done(&["uninstall", "pi"]);
    assert!(!file.exists());
    let kept = told.lines().find_map(|line| line.split("what it said is in ").nth(1)).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), "// my changes\n");
}

#[test]
fn an_entry_of_ours_that_a_user_changed_stays_until_it_goes() {
    let machine = Machine::new();
    let settings = machine.write("home/.gemini/settings.json", JSON);
    machine.done(&["install", "gemini"]);
    let slower = fs::read_to_string(&settings).unwrap().replace("\"timeout\": 5000", "\"timeout\": 9000");
    fs::write(&settings, &slower).unwrap();
    let told = machine.done(&["install", "gemini"]);
    assert!(
        told.contains("was changed by hand, which stays") && told.contains("nothing was changed"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(&settings).unwrap(), slower);
    // Another program is asked for: then all of it is written again.
    machine.done(&["install", "gemini", "--command", "/other/tersed"]);
    let text = fs::read_to_string(&settings).unwrap();
    assert!(text.contains("/other/tersed hook gemini") && !text.contains("9000"), "{text}");
    fs::write(&settings, &slower).unwrap();
    let told = machine.done(&["uninstall", "gemini"]);
    assert!(told.contains("entries of tersed are removed, also those that were changed by hand"), "{told}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), JSON);
    // Changes elsewhere are kept, and nothing else is said.
    machine.done(&["install", "gemini"]);
    fs::write(&settings, fs::read_to_string(&settings).unwrap() + "\n").unwrap();
    let told = machine.done(&["uninstall", "gemini"]);
    assert!(told.contains("your later changes are kept") && !told.contains("by hand"), "{told}");
}

#[test]
fn files_that_are_made_for_a_user_are_nobody_elses_business() {
    let machine = Machine::new();
    let mode = |path: &str| fs::metadata(machine.at(path)).unwrap().permissions().mode() & 0o077;
    machine.done(&["install", "claude-code"]);
    assert_eq!(mode("home/.claude.json"), 0);
    machine.done(&["install", "claude-code", "--scope", "project"]);
    assert_ne!(mode("project/.mcp.json"), 0);
}

#[test]
fn copies_of_settings_are_nobody_elses_business() {
    let machine = Machine::new();
    machine.write("home/.gemini/settings.json", "{ \"key\": \"secret\" }\n");
    machine.done(&["install", "gemini"]);
    let copies = machine.at("home/.local/state/tersed/install/copies");
    assert_eq!(fs::metadata(&copies).unwrap().permissions().mode() & 0o777, 0o700);
    for copy in fs::read_dir(&copies).unwrap() {
        assert_eq!(copy.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::read_dir(&copies).unwrap().count(), 1);
    machine.done(&["uninstall", "gemini"]);
    assert_eq!(fs::read_dir(&copies).unwrap().count(), 0, "what nobody needs goes");
}

#[test]
fn bad_arguments_are_named() {
    let machine = Machine::new();
    assert!(machine.refused(&["install", "emacss"]).contains("[possible values: claude-code, cline, "));
    let error = machine.refused(&["install", "neovim", "--scope", "project"]);
    assert_eq!(error, "tersed: --scope project: neovim has no settings for it, allowed is user\n");
    assert!(
        machine.refused(&["install", "pi", "--scope", "project", "--dir", "/no/such"]).contains("/no/such: ")
    );
    let error = machine.refused(&["install", "claude-code", "--command", "nonexist"]);
    assert!(error.starts_with("tersed: --command nonexist: the program has to be named tersed"), "{error}");
    let done = machine.done(&["install", "claude-code", "--command", "/no/such/tersed"]);
    assert!(
        done.contains("But /no/such/tersed is not there: the host starts nothing until it is."),
        "{done}"
    );
}

#[test]
fn what_is_counted_is_told_only_where_something_is() {
    let machine = Machine::new();
    assert!(machine.done(&["install", "pi"]).contains("What is saved is counted in "));
    machine.write("home/.config/tersed/tersed.yaml", "telemetry:\n  counts: false\n");
    assert!(!machine.done(&["install", "cline"]).contains("is counted"));
}

#[test]
fn what_is_in_the_way_is_named() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", "\u{feff}{}\n");
    let error = machine.refused(&["install", "claude-code"]);
    assert!(error.contains("settings.json:1: begins with a byte order mark"), "{error}");
    fs::create_dir(machine.at("home/.vscode")).unwrap();
    symlink("nowhere", machine.at("home/.vscode/extensions")).unwrap();
    let error = machine.refused(&["install", "vscode"]);
    assert!(error.contains("/.vscode/extensions: is a link that leads to no folder"), "{error}");
    assert!(machine.done(&["uninstall", "vscode"]).contains("not there  "));
}

#[test]
fn neovim_finds_its_package() {
    if !crate::common::has("nvim") {
        return;
    }
    let machine = Machine::new();
    machine.done(&["install", "neovim"]);
    let show = "lua io.write(tostring(require('tersed').config.cmd[1]) .. ' ' .. tostring(package.loaded['tersed.codecompanion'] ~= nil))";
    let output = Command::new("nvim")
        .args(["--headless", "-c", show, "-c", "q"])
        .env("HOME", machine.at("home"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("TERSED_BIN")
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("{} true", env!("CARGO_BIN_EXE_tersed"))), "{said}");
}

#[test]
fn emacs_finds_its_package() {
    if !crate::common::has("emacs") {
        return;
    }
    let machine = Machine::new();
    machine.done(&["install", "emacs"]);
    let show = "(progn (setq package-user-dir (expand-file-name \"~/.emacs.d/elpa\")) (package-initialize) \
                (provide 'gptel) (princ (format \"%s %s\" tersed-command (bound-and-true-p tersed-gptel-mode))))";
    let output = Command::new("emacs")
        .args(["--batch", "--eval", show])
        .env("HOME", machine.at("home"))
        .env_remove("TERSED_BIN")
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("({}) t", env!("CARGO_BIN_EXE_tersed"))), "{said}");
}

/// JSON as people write it, and TOML.
fn documents() -> impl Strategy<Value = (String, String)> {
    let gap = prop_oneof![Just(" "), Just("\n  "), Just("\n\t// c\n\t"), Just(" /* c */ "), Just("\r\n")];
    let value =
        prop_oneof![Just("1"), Just("{}"), Just("[ ]"), Just("\"x // y\""), Just("[1, {\"a\": null,},]")];
    let member =
        (prop_oneof![Just("a"), Just("mcpServers"), Just("hooks"), Just("é")], gap.clone(), value, gap);
    let json = (prop::collection::btree_map(any::<u8>(), member, 0..5), any::<bool>()).prop_map(
        |(members, comma)| {
            let mut seen = Vec::new();
            let mut all: Vec<String> = Vec::new();
            for (name, before, value, after) in members.into_values() {
                if !seen.contains(&name) {
                    seen.push(name);
                    all.push(format!("{before}\"{name}\":{value}{after}"));
                }
            }
            format!("{{{}{}}}", all.join(","), if comma && !all.is_empty() { "," } else { "" })
        },
    );
    let line = prop_oneof![
        Just("# c"),
        Just(""),
        Just("[mcp_servers.a]"),
        Just("[t]"),
        Just("[[l]]"),
        Just("x = [\n 1 ]")
    ];
    let toml = (prop::collection::vec(line, 0..6), any::<bool>()).prop_map(|(lines, end)| {
        format!("[[hooks.Stop]]\n{}{}", lines.join("\n"), if end { "\n" } else { "" })
    });
    (json, toml)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back((json, toml) in documents()) {
        let machine = Machine::new();
        machine.write("home/.gemini/settings.json", &json);
        machine.write("home/.codex/config.toml", &toml);
        let before = machine.tree();
        for host in ["codex", "gemini"] {
            let installed = machine.tersed(&["install", host]);
            let with = machine.tree();
            let again = machine.tersed(&["install", host]);
            prop_assert_eq!(installed.status.success(), again.status.success());
            prop_assert_eq!(machine.tree() == with, true);
            prop_assert_eq!(with != before, installed.status.success());
            if installed.status.success() {
                prop_assert!(String::from_utf8_lossy(&again.stdout).contains("nothing was changed"));
                machine.done(&["uninstall", host]);
            }
            prop_assert_eq!(machine.tree() == before, true);
        }
        prop_assert_eq!(machine.tree(), before);
    }
}
