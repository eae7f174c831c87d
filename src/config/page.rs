//! Generates the page of all settings, `protocol/configuration.md`.

use std::fmt::Write as _;

use super::Profile;
use super::elsewhere;
use super::schema::settings;
use super::table::{Project, rows};

/// The page.
pub fn page() -> String {
    let mut out = String::from(
        "# Settings\n\n\
         Generated from the definition of the settings. `tersed config show --origin` says what is in force and where it\n\
         comes from; section 4.11 of `spec.md` says which place counts before which. A file holds the part before a dot as\n\
         a group. The variable of a setting is `TERSED_` and its name in capital letters, with `_` for each dot and before\n\
         each capital letter; `POLICY_` may be left out, as in `TERSED_MODE`. Variables and `--set KEY=VALUE` take lists with commas between their items or as JSON, groups\n\
         and tables as JSON; an empty variable gives nothing.\n\n\
         | setting | default | allowed | meaning | variable |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for setting in settings() {
        let cell = |text: &str| text.replace('|', "\\|");
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | `{}` |",
            setting.key,
            cell(&setting.default),
            cell(&setting.kind.allowed()),
            cell(&setting.doc),
            setting.variable()
        );
    }
    out.push_str(&of_projects());
    out.push_str(
        "\n## Profiles\n\nA profile is nothing but the settings that it names; whatever a file, a variable, a flag or a host gives counts\n\
         before it.\n",
    );
    for profile in Profile::ALL {
        let _ = write!(out, "\n`{}`:\n\n```yaml\n{}```\n", profile.name(), profile.yaml());
    }
    out.push_str(
        "\n## Names known from elsewhere\n\nA file, a flag, a variable or a request that uses one of these is told the name here; they set nothing.\n\
         Flags and variables are made of them there: `--dynamic-compression-level`, `FORGE_TOOL_OUTPUT_COMPRESSION`.\n\n",
    );
    out.push_str(&elsewhere::table());
    out.push_str("\n| value there | here |\n| --- | --- |\n");
    out.push_str(&elsewhere::table_of_values());
    out.push_str(
        "\nFlags of that form are `--profile`, `--mode`, `--max-output-bytes` and, for every setting, `--set`:\n\
         `--set policy.excludeCommands='git diff --stat,pytest -v'`.\n",
    );
    out.push_str(elsewhere::DIFFERENCES);
    out
}

/// The settings that a project's file may give.
fn of_projects() -> String {
    let mut out = String::from(
        "\n## Files of projects\n\n\
         Somebody else may have written them. Until `tersed trust` they may only make tersed do less, and never less\n\
         redaction; everything else in them is named and does not count:\n\n",
    );
    let may = [
        (Project::Adds, "adds to what lies below, at most 1000 items"),
        (Project::Lowers, "only a lower one"),
        (Project::TurnsOn, "only `true`"),
    ];
    for (project, what) in may {
        for row in rows().filter(|row| row.project == Some(project)) {
            // Writing into a String cannot fail.
            let _ = writeln!(out, "- `{}`: {what}", row.key());
        }
    }
    out.push_str(
        "\nA trusted file may say everything, but `recovery.directory` and `telemetry.path` lie below `tersed/` in the user's\n\
         state folder (a relative one below `tersed/projects/`), and `ruleFiles` in the project, without links. Trust is for\n\
         one content of the file and of the files of rules that it names.\n",
    );
    out
}
