//! Exclusions of a policy: kinds of output, steps, and names.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::table::Row;
use super::{BadValue, Policy};
use crate::text::methods::{ENCODERS, REDUCERS, STEPS};

/// A kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Everything that a command line printed.
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

impl Policy {
    /// Whether a step is excluded.
    pub fn excludes(&self, step: &str) -> bool {
        // The list is almost always empty.
        !self.exclude_methods.is_empty() && self.exclude_methods.iter().any(|method| method == step)
    }

    /// Names of tools are compared without case.
    pub(super) fn take_tools(&mut self, tools: &[String], _: &Row) -> Result<(), BadValue> {
        self.exclude_tools = tools.iter().map(|tool| tool.to_ascii_lowercase()).collect();
        Ok(())
    }

    /// So are parts of their names.
    pub(super) fn take_tool_substrings(&mut self, parts: &[String], _: &Row) -> Result<(), BadValue> {
        // The empty string is a part of every name, so it is ignored.
        let parts = parts.iter().filter(|part| !part.is_empty());
        self.exclude_tool_substrings = parts.map(|part| part.to_lowercase()).collect();
        Ok(())
    }

    /// Each item must look like a flag.
    pub(super) fn take_flags(&mut self, flags: &[String], row: &Row) -> Result<(), BadValue> {
        if let Some(bad) = flags.iter().find(|flag| !flag.starts_with(['-', '/'])) {
            return Err(row.bad(format!("`{bad}`"), "a flag, which begins with `-` or `/`".to_owned()));
        }
        self.exclude_flags = flags.to_owned();
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
