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
         Generated from the definition of the settings. `tersed config show --origin` prints the values in force and their\n\
         origins; section 4.11 of `spec.md` has the order of the layers. In a file, the part of a name before a dot is a\n\
         group. The variable of a setting is `TERSED_` and its name in capital letters, with `_` for each dot and before\n\
         each capital letter; `POLICY_` may be left out, as in `TERSED_MODE`. Variables and `--set KEY=VALUE` take lists\n\
         with commas between their items or as JSON, and groups and tables as JSON; an empty variable is ignored.\n\n\
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
        "\n## Profiles\n\nA profile is a set of values for the settings that it names. A file, a variable, a flag or a host\n\
         overrides it.\n",
    );
    for profile in Profile::ALL {
        let _ = write!(out, "\n`{}`:\n\n```yaml\n{}```\n", profile.name(), profile.yaml());
    }
    out.push_str(
        "\n## Names known from elsewhere\n\nIf a file, a flag, a variable or a request uses one of these names, the error names the setting here.\n\
         These names set nothing. The other programs form flags and variables from them: `--dynamic-compression-level`, `FORGE_TOOL_OUTPUT_COMPRESSION`.\n\n",
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
         Somebody else may have written them. Until `tersed trust` they may only make tersed do less, and never redact\n\
         less. tersed reports and ignores all other settings in them. Allowed are:\n\n",
    );
    let may = [
        (Project::Adds, "adds items to the list of lower layers, at most 1000"),
        (Project::Lowers, "only a lower value"),
        (Project::TurnsOn, "only `true`"),
    ];
    for (project, what) in may {
        for row in rows().filter(|row| row.project == Some(project)) {
            // Writing into a String cannot fail.
            let _ = writeln!(out, "- `{}`: {what}", row.key());
        }
    }
    out.push_str(
        "\nA trusted file may set everything, but `recovery.directory` and `telemetry.path` must be below `tersed/` in the\n\
         user's state folder (relative ones are below `tersed/projects/`), and `ruleFiles` inside the project, without\n\
         links. Trust is for one content of the file and of the rule files that it names.\n",
    );
    out
}
