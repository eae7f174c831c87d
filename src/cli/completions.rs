//! `tersed completions`: the scripts of the library, with what it leaves out: names of hosts, modes and other closed lists in
//! every shell, and no files where none is meant. Also values of flags that are offered, and that a function of ours reads.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::sync::Arc;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;

/// Reads a value; the error says what is allowed.
type Read<T> = dyn Fn(&str) -> Result<T, String> + Send + Sync;

/// Reads a value with a function of ours, and names what completions may offer.
#[derive(Clone)]
pub(super) struct Offered<T> {
    names: Vec<&'static str>,
    read: Arc<Read<T>>,
}

impl<T> Offered<T> {
    /// Values are read with `read`; `names` are offered.
    pub fn new(
        names: Vec<&'static str>,
        read: impl Fn(&str) -> Result<T, String> + Send + Sync + 'static,
    ) -> Self {
        Self { names, read: Arc::new(read) }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Offered<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let read = Arc::clone(&self.read);
        StringValueParser::new().try_map(move |text| read(&text)).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(|name| PossibleValue::new(*name))))
    }
}

/// The script for a shell.
pub(super) fn script(shell: Shell, command: Command) -> Vec<u8> {
    let mut command = hinted(command);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "tersed", &mut script);
    let text = String::from_utf8_lossy(&script).into_owned();
    let mut places = Vec::new();
    collect(&command, &mut vec!["tersed".to_owned()], &mut places);
    match shell {
        Shell::Bash => bash(text, &places),
        Shell::Fish => fish(text, &places),
        Shell::Elvish => elvish(text, &places),
        Shell::PowerShell => powershell(text, &places),
        _ => text,
    }
    .into_bytes()
}

/// Says for every value whether it is a path. Without that, shells offer files for numbers and names too.
fn hinted(command: Command) -> Command {
    let of = |arg: Arg| {
        if !arg.get_action().takes_values() {
            return arg;
        }
        let name = arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
        let hint = match (arg.get_value_hint(), name.as_deref()) {
            (ValueHint::Unknown | ValueHint::AnyPath, Some("FOLDER")) => ValueHint::DirPath,
            (ValueHint::Unknown, Some("FILE" | "PATH")) => ValueHint::AnyPath,
            (ValueHint::Unknown, Some("PROGRAM")) => ValueHint::ExecutablePath,
            // The command line of another program.
            (ValueHint::Unknown, _) if arg.is_positional() && arg.is_allow_hyphen_values_set() => return arg,
            (ValueHint::Unknown, _) if arg.is_last_set() || arg.is_trailing_var_arg_set() => return arg,
            (ValueHint::Unknown, _) => ValueHint::Other,
            (hint, _) => hint,
        };
        arg.value_hint(hint)
    };
    command.mut_args(of).mut_subcommands(hinted)
}

/// Where values come from a closed list, or are no files.
struct Place {
    /// The subcommand with those above it.
    path: Vec<String>,
    /// The option that the values follow; `None` for arguments without one.
    option: Option<String>,
    /// The values, with a word about each.
    values: Vec<(String, String)>,
    /// Whether paths or the words of another program may stand there.
    takes_paths: bool,
}

impl Place {
    /// The subcommand as the scripts of elvish and PowerShell name it, and the option.
    fn key(&self) -> String {
        let option = self.option.iter().map(|option| format!(" {option}")).collect::<String>();
        self.path.join(";") + &option
    }
}

/// All places of a command and of its subcommands. A subcommand without arguments has one too.
fn collect(command: &Command, path: &mut Vec<String>, places: &mut Vec<Place>) {
    let values = |arg: &Arg| -> Vec<(String, String)> {
        let shown = arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
        let about = |value: &PossibleValue| {
            value.get_help().map_or_else(|| value.get_name().to_owned(), ToString::to_string)
        };
        shown.map(|value| (value.get_name().to_owned(), about(&value))).collect()
    };
    for arg in command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()) {
        let values = values(arg);
        if let Some(long) = arg.get_long().filter(|_| !values.is_empty()) {
            places.push(Place {
                path: path.clone(),
                option: Some(format!("--{long}")),
                values,
                takes_paths: false,
            });
        }
    }
    let takes_paths = command
        .get_positionals()
        .any(|arg| arg.get_possible_values().is_empty() && arg.get_value_hint() != ValueHint::Other);
    let values = command.get_positionals().flat_map(values).collect();
    places.push(Place { path: path.clone(), option: None, values, takes_paths });
    // The library's script for `help` offers the names of subcommands, which is all that it needs.
    let is_shown = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    for command in command.get_subcommands().filter(is_shown) {
        path.push(command.get_name().to_owned());
        collect(command, path, places);
        path.pop();
    }
}

/// Bash offers files where the script finds nothing, unless it is told not to.
fn bash(mut text: String, places: &[Place]) -> String {
    for place in places.iter().filter(|place| place.option.is_none() && !place.takes_paths) {
        let label: Vec<String> = place.path.iter().map(|name| name.replace('-', "__")).collect();
        let head = format!("        {})\n", label.join("__subcmd__"));
        text = text.replacen(
            &head,
            &format!("{head}            compopt +o default +o bashdefault 2>/dev/null\n"),
            1,
        );
    }
    text
}

/// The script of the library for fish has no arguments without an option.
fn fish(mut text: String, places: &[Place]) -> String {
    for place in places.iter().filter(|place| place.option.is_none() && !place.takes_paths) {
        let condition = match &place.path[1..] {
            [] => continue,
            [one] => format!("__fish_tersed_using_subcommand {one}"),
            [one, rest @ ..] => {
                let rest = rest.iter().map(|name| format!("; and __fish_seen_subcommand_from {name}"));
                format!("__fish_tersed_using_subcommand {one}{}", rest.collect::<String>())
            }
        };
        let values: Vec<String> = place
            .values
            .iter()
            .map(|(name, about)| format!("{name}\\t'{}'", about.replace('\'', "\\'")))
            .collect();
        let values = if values.is_empty() { String::new() } else { format!(" -a \"{}\"", values.join("\n")) };
        // Writing into a String cannot fail.
        let _ = writeln!(text, "complete -c tersed -n \"{condition}\" -f{values}");
    }
    text
}

/// A text in single quotes, for elvish and PowerShell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The script of the library for elvish has no values at all.
fn elvish(mut text: String, places: &[Place]) -> String {
    let candidates = |place: &Place, indent: &str| -> String {
        let one = |(name, about): &(String, String)| format!("{indent}cand {name} {}\n", quoted(about));
        place.values.iter().map(one).collect()
    };
    let mut values = String::new();
    for place in places {
        match &place.option {
            Some(_) => {
                let _ = write!(
                    values,
                    "        &{}= {{\n{}        }}\n",
                    quoted(&place.key()),
                    candidates(place, "            ")
                );
            }
            None => {
                let files =
                    if place.takes_paths { "            edit:complete-filename $words[-1]\n" } else { "" };
                let head = format!("        &{}= {{\n", quoted(&place.key()));
                text =
                    text.replacen(&head, &format!("{head}{}{files}", candidates(place, "            ")), 1);
            }
        }
    }
    let last = "    $completions[$command]\n";
    let first = "    var completions = [\n";
    let choice = "    var place = $command' '$words[-2]\n    if (has-key $values $place) {\n        $values[$place]\n    } elif \
                  (has-key $completions $command) {\n        $completions[$command]\n    }\n";
    text.replacen(last, choice, 1).replacen(first, &format!("    var values = [\n{values}    ]\n{first}"), 1)
}

/// The script of the library for PowerShell has no values at all.
fn powershell(mut text: String, places: &[Place]) -> String {
    let results = |place: &Place| -> String {
        let one = |(name, about): &(String, String)| {
            let (name, about) = (quoted(name), quoted(about));
            format!(
                "            [CompletionResult]::new({name}, {name}, [CompletionResultType]::ParameterValue, {about})\n"
            )
        };
        place.values.iter().map(one).collect()
    };
    let mut values = String::new();
    for place in places {
        let head = format!("        {} {{\n", quoted(&place.key()));
        match &place.option {
            Some(_) => {
                let _ = write!(values, "{head}{}            break\n        }}\n", results(place));
            }
            None => text = text.replacen(&head, &format!("{head}{}", results(place)), 1),
        }
    }
    let first = "    $completions = @(switch ($command) {\n";
    let choice = format!(
        "    $before = @($commandElements | Where-Object {{ $_.Extent.EndOffset -lt $cursorPosition }})\n    \
         $values = @(switch (\"$command $($before[-1].Extent.Text)\") {{\n{values}    }})\n    \
         if ($values.Count -gt 0) {{\n        \
         return $values.Where{{ $_.CompletionText -like \"$wordToComplete*\" }}\n    }}\n\n"
    );
    text.replacen(first, &format!("{choice}{first}"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script_of(shell: Shell) -> String {
        String::from_utf8(script(shell, crate::cli::command())).unwrap()
    }

    /// The lines of a script from `head` to the next line that is `end`.
    fn block<'a>(script: &'a str, head: &str, end: &str) -> &'a str {
        let after = script.split_once(head).unwrap_or_else(|| panic!("{head}")).1;
        after.split(end).next().unwrap()
    }

    #[cfg(feature = "hosts")]
    #[test]
    fn every_shell_offers_hosts_and_other_closed_lists() {
        let fish = script_of(Shell::Fish);
        assert!(
            fish.contains(
                "-n \"__fish_tersed_using_subcommand install\" -f -a \"claude-code\\t'Claude Code'\n"
            )
        );
        assert!(fish.contains(
            "-n \"__fish_tersed_using_subcommand artifacts; and __fish_seen_subcommand_from list\" -f\n"
        ));
        assert!(!fish.contains("-n \"__fish_tersed_using_subcommand compress\" -f\n"), "it takes files");
        let elvish = script_of(Shell::Elvish);
        assert!(
            block(&elvish, "&'tersed;install'= {", "        }").contains("cand claude-code 'Claude Code'\n")
        );
        assert!(block(&elvish, "&'tersed;install --scope'= {", "        }").contains("cand project "));
        assert!(block(&elvish, "&'tersed;compress --mode'= {", "        }").contains("cand aggressive "));
        assert!(block(&elvish, "&'tersed;compress'= {", "        }").contains("edit:complete-filename"));
        let power = script_of(Shell::PowerShell);
        assert!(block(&power, "'tersed;hook' {", "break").contains("::new('codex', 'codex', "));
        assert!(block(&power, "'tersed;run --mode' {", "break").contains("::new('safe', 'safe', "));
        assert!(power.find("$values = @(") < power.find("$completions = @("));
        let zsh = script_of(Shell::Zsh);
        assert!(zsh.contains("host -- The host:((claude-code\\:\"Claude Code\"\n"));
        let bash = script_of(Shell::Bash);
        let install = block(&bash, "        tersed__subcmd__install)\n", ";;");
        assert!(
            install.starts_with("            compopt +o default") && install.contains(" claude-code cline ")
        );
        assert!(!block(&bash, "        tersed__subcmd__compress)\n", ";;").contains("compopt +o default"));
    }

    #[test]
    fn files_are_offered_only_where_they_are_meant() {
        let zsh = script_of(Shell::Zsh);
        for line in zsh.lines().filter(|line| line.ends_with(":_default' \\")) {
            // The command line of another program.
            assert!(line.contains(":command -- ") || line.contains("::command -- "), "{line}");
        }
        assert!(zsh.contains(":FOLDER:_files -/'") && zsh.contains(":FILE:_files'"));
        let bash = script_of(Shell::Bash);
        let run = bash.split_once("        tersed__subcmd__run)\n").unwrap().1;
        let option = block(run, "--patience)", ";;");
        assert!(!option.contains("compgen -f"), "{option}");
    }
}
