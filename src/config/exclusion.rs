//! What a policy excludes: kinds of output, steps, and the lists of names in one place.

use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::{BadValue, Policy, PolicyPatch};
use crate::text::methods::{ENCODERS, REDUCERS, STEPS};

/// A kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Whatever a command line wrote.
    Command,
    /// Files and parts of them.
    File,
    /// Lines that a search found.
    Search,
    /// Names of files.
    Listing,
    /// Changes.
    Diff,
    /// Test runs.
    Test,
    /// Compilers, build tools and linters.
    Build,
    /// Version control.
    Git,
    /// Package managers.
    Package,
    /// Containers.
    Container,
    /// Logs.
    Log,
    /// Commands of the system.
    System,
}

impl Category {
    /// The name, which is that of the family in the evidence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::File => "file",
            Self::Search => "search",
            Self::Listing => "listing",
            Self::Diff => "diff",
            Self::Test => "test",
            Self::Build => "build",
            Self::Git => "git",
            Self::Package => "package",
            Self::Container => "container",
            Self::Log => "log",
            Self::System => "system",
        }
    }
}

/// Names of all steps that may be excluded.
pub fn methods() -> &'static [&'static str] {
    static ALL: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let reducers = REDUCERS.iter().map(|(id, _)| *id);
        STEPS.iter().chain(ENCODERS).copied().chain(reducers).collect()
    });
    &ALL
}

/// The schema of a list of steps.
pub(super) fn methods_schema(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({
        "type": ["array", "null"],
        "items": { "type": "string", "enum": methods() },
    })
}

impl Policy {
    /// Whether a step is excluded.
    pub fn excludes(&self, step: &str) -> bool {
        // Nearly always there is nothing to look through.
        !self.exclude_methods.is_empty() && self.exclude_methods.iter().any(|method| method == step)
    }

    /// Takes the lists that a patch gives.
    pub(super) fn exclude(&mut self, patch: &PolicyPatch) -> Result<(), BadValue> {
        if let Some(steps) = &patch.exclude_methods {
            if let Some(bad) = steps.iter().find(|step| !methods().contains(&step.as_str())) {
                let key = "excludeMethods".to_owned();
                let allowed = methods().join(", ");
                return Err(BadValue { section: "policy", key, value: format!("`{bad}`"), allowed });
            }
            self.exclude_methods.clone_from(steps);
        }
        if let Some(parts) = &patch.exclude_tool_substrings {
            // Every name has nothing in it.
            let parts = parts.iter().filter(|part| !part.is_empty());
            self.exclude_tool_substrings = parts.map(|part| part.to_lowercase()).collect();
        }
        if let Some(flags) = &patch.exclude_flags
            && let Some(bad) = flags.iter().find(|flag| !flag.starts_with(['-', '/']))
        {
            let (key, value) = ("excludeFlags".to_owned(), format!("`{bad}`"));
            let allowed = "a flag, which begins with `-` or `/`".to_owned();
            return Err(BadValue { section: "policy", key, value, allowed });
        }
        let lists = [
            (&patch.exclude_commands, &mut self.exclude_commands),
            (&patch.exclude_flags, &mut self.exclude_flags),
            (&patch.verbatim_commands, &mut self.verbatim_commands),
        ];
        for (given, list) in lists {
            if let Some(given) = given {
                list.clone_from(given);
            }
        }
        if let Some(categories) = &patch.exclude_categories {
            self.exclude_categories.clone_from(categories);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_step_is_named_twice() {
        assert_eq!(methods().iter().collect::<BTreeSet<_>>().len(), methods().len());
    }
}
