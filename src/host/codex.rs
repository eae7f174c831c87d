//! Answers to the hooks of Codex CLI.
//!
//! Before a command runs, the hook wraps it in `tersed run`, so the model reads less whatever the exit status.
//! Codex accepts a changed input only with the decision `allow`. In Codex, `allow` only means that the hook does
//! not object: approvals and the sandbox still check the new command line. Rules that forbid commands or require
//! approval would not recognise the wrapped command, so if any exist, nothing is wrapped.
//!
//! Most models of Codex run their tools inside a program. The result of such a call is data for that program, which may
//! count or split its lines, so it is never changed. No hook sees what the program prints. A host that passes on request
//! bodies (`messages/compress`) finds it there.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use super::home;
use super::reach::{CODEX, ResultHandling};
use super::replace::{asks_for_exact_output, forget, unseen};
use super::run::Shown;
use super::wrap::Wrap;
use crate::files::{LARGEST_SETTINGS, text_of_host};

/// Events after which nothing is certainly visible. A conversation that begins may have been cleared, forked or resumed.
const FORGETS: &[&str] = &["PreCompact", "PostCompact", "SessionStart", "SessionEnd", "SubagentStart"];

/// Prefix of model names that Codex knows, and the bytes of an output that it shows them: 10,000 tokens.
const KNOWN: &str = "gpt-";
const LIMIT_BYTES: usize = 40_000;
/// Bytes of an output that it shows to other models.
const LIMIT_OF_UNKNOWN_BYTES: usize = 10_000;

/// Prefix of the ids of calls that a program made.
const OF_PROGRAM: &str = "exec-";

/// Whether a program made the call and reads its result, not the model.
pub fn is_of_program(call_id: &str) -> bool {
    call_id.starts_with(OF_PROGRAM)
}

/// What the hook prints; `None` if the host should continue as if there were no hook.
pub fn reply(host: &Host, event: &Event) -> Option<Value> {
    match event.hook_event_name.as_str() {
        name if FORGETS.contains(&name) => {
            forget(host, event);
            None
        }
        "PreToolUse" => {
            let answer = wrapped(event);
            // No other hook sees the result of a command that is not wrapped, or of one that asks for its exact
            // output. The model does not see the results of calls by a program.
            if (answer.is_none() || asks_for_exact_output(event)) && !is_of_program(&event.tool_use_id) {
                unseen(host, event, true);
            }
            answer
        }
        _ => None,
    }
}

/// The command inside `tersed run`.
fn wrapped(event: &Event) -> Option<Value> {
    // A call without an id may come from a program.
    let is_of_model = !event.tool_use_id.is_empty() && !is_of_program(&event.tool_use_id);
    if !is_of_model || CODEX.treatment(&event.tool_name, false) != ResultHandling::Wrapped || has_rules(event)
    {
        return None;
    }
    let command = event.tool_input.get("command")?.as_str()?;
    let session = event.context();
    let wrap = Wrap {
        session: &session,
        call: &event.tool_use_id,
        // Codex runs commands in a login shell.
        has_whole_path: true,
        shown: Some(shown(event)),
        ..Wrap::default()
    };
    let mut input = event.tool_input.clone();
    input["command"] = json!(wrap.around(command)?);
    Some(json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": input,
        }
    }))
}

/// Bytes of a command's output that Codex shows, unless the model sets another number of tokens. Codex counts one token for
/// four bytes.
fn shown(event: &Event) -> Shown {
    let home = home().map(|home| home.join(".codex"));
    let folder = std::env::var_os("CODEX_HOME").map(PathBuf::from).or(home);
    let text = folder.and_then(|folder| text_of_host(&folder.join("config.toml"), LARGEST_SETTINGS).ok());
    let set = text.as_deref().and_then(limit_set);
    let limit = if event.model.starts_with(KNOWN) { LIMIT_BYTES } else { LIMIT_OF_UNKNOWN_BYTES };
    let whole = set.map_or(limit, |tokens| tokens.saturating_mul(4).min(LIMIT_BYTES));
    Shown { whole, failed: whole }
}

/// The token limit that the user set in `config.toml`, above the first table.
fn limit_set(text: &str) -> Option<usize> {
    let above = text.lines().take_while(|line| !line.trim_start().starts_with('['));
    let value = above.filter_map(|line| line.trim_start().strip_prefix("tool_output_token_limit")).next()?;
    let digits = value.trim_start().strip_prefix('=')?.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(digits.len());
    digits[..end].replace('_', "").parse().ok().filter(|tokens| *tokens > 0)
}

/// Whether rules of this user would keep every command from being wrapped, wherever it runs.
pub fn user_has_rules() -> bool {
    has_rules(&Event::default())
}

/// Whether any rule that Codex reads does more than allow a command.
fn has_rules(event: &Event) -> bool {
    let home = home().map(|home| home.join(".codex"));
    let own = std::env::var_os("CODEX_HOME").map(PathBuf::from).or(home);
    let of_project = Path::new(&event.cwd).ancestors().map(|folder| folder.join(".codex"));
    let folders = own.into_iter().chain(of_project.filter(|_| !event.cwd.is_empty()));
    folders.chain(of_system()).any(|folder| forbids(&folder))
}

/// The folder of the system's settings of Codex.
fn of_system() -> Option<PathBuf> {
    if cfg!(windows) {
        return Some(PathBuf::from(std::env::var_os("ProgramData")?).join("OpenAI").join("Codex"));
    }
    Some(PathBuf::from("/etc/codex"))
}

/// Whether a rule in a folder of settings does more than allow a command. Rules are in rule files, and in the
/// `requirements.toml` of an administrator, which can only restrict.
fn forbids(folder: &Path) -> bool {
    let rules = fs::read_dir(folder.join("rules")).into_iter().flatten().flatten().map(|file| file.path());
    let mut rules = rules.filter(|path| path.extension().is_some_and(|end| end == "rules"));
    // A file that cannot be read may hold any rule.
    let says = |text: std::io::Result<String>, words: &[&str]| {
        text.map_or(true, |text| words.iter().any(|word| text.contains(word)))
    };
    let required = match text_of_host(&folder.join("requirements.toml"), LARGEST_SETTINGS) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
        text => says(text, &["prefix_rules"]),
    };
    required || rules.any(|path| says(text_of_host(&path, LARGEST_SETTINGS), &["forbidden", "prompt"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_where_it_counts() {
        assert_eq!(limit_set("model = 'x'\ntool_output_token_limit = 1_000 # few\n[a]\n"), Some(1000));
        for text in [
            "",
            "[a]\ntool_output_token_limit = 5\n",
            "tool_output_token_limit = 0",
            "tool_output_token_limits = 5",
        ] {
            assert_eq!(limit_set(text), None, "{text}");
        }
    }

    #[test]
    fn rules_that_forbid_are_found_wherever_codex_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        assert!(!forbids(folder.path()) && !forbids(&folder.path().join("gone")));
        write("rules/a.rules", "prefix_rule(pattern = ['ls'], decision = 'allow')");
        write("requirements.toml", "allowed_approval_policies = ['on-request']\n");
        assert!(!forbids(folder.path()));
        write(
            "requirements.toml",
            "[rules]\nprefix_rules = [{ pattern = [{ token = 'rm' }], decision = 'forbidden' }]\n",
        );
        assert!(forbids(folder.path()));
        write(
            "requirements.toml",
            "[[rules.prefix_rules]]\npattern = [{ token = 'rm' }]\ndecision = 'prompt'\n",
        );
        assert!(forbids(folder.path()));
        fs::write(folder.path().join("requirements.toml"), b"\xff").unwrap();
        assert!(forbids(folder.path()));
        fs::remove_file(folder.path().join("requirements.toml")).unwrap();
        write("rules/a.rules", "prefix_rule(pattern = ['rm'], decision = 'forbidden')");
        assert!(forbids(folder.path()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_that_block_or_never_end_may_hold_any_rule() {
        use std::os::unix::fs::symlink;
        for name in ["rules/a.rules", "requirements.toml"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            symlink("/dev/zero", &file).unwrap();
            assert!(forbids(folder.path()), "{name}");
            fs::remove_file(&file).unwrap();
            let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
            rustix::fs::mknodat(rustix::fs::CWD, &file, fifo, mode, 0).unwrap();
            assert!(forbids(folder.path()), "{name}");
            fs::remove_file(&file).unwrap();
            fs::write(&file, vec![b'#'; LARGEST_SETTINGS as usize + 1]).unwrap();
            assert!(forbids(folder.path()), "{name}");
        }
    }
}
