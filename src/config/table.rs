//! The table of settings: the fields of a row, and the macro that generates a section from its rows.
//!
//! Each row is a setting. For example, in the section `policy`:
//! ```text
//! settings! {
//!     section "policy";
//!     /// The settings that are in force.
//!     #[derive(Eq, Hash)]
//!     pub struct Policy;
//!     /// Settings that somebody gave.
//!     #[derive(Eq)]
//!     pub struct PolicyPatch;
//!
//!     /// Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure lines.
//!     #[taken_by(Policy::take_cap)]
//!     max_output_bytes: usize = 65_536, min: 1, max: 1_048_576, flag: Some("Byte cap of the result, 1 to 1048576");
//!     /// Whether nothing is left out. Default false.
//!     never_omit: bool = false, project: Some(Project::TurnsOn);
//!
//!     derived {
//!         /// Whether the caller set the cap.
//!         strict_cap: bool = false;
//!     }
//! }
//! ```
//!
//! From the first row, the macro generates: the field `max_output_bytes: usize` of `Policy` with its default; the field
//! `max_output_bytes: Option<u64>` of `PolicyPatch`, called `maxOutputBytes` in files and in the protocol; its lines in
//! `Policy::with` and `PolicyPatch::or`; its documentation and range in the schema and on the page; the variable
//! `TERSED_POLICY_MAX_OUTPUT_BYTES`; and the flag `--max-output-bytes`. The type of a setting decides how it is given and
//! combined ([`Overlay`]); `taken_by` names a function for special checks or effects. The items after the default are
//! members of [`Row`]. A `derived` field is not a setting: nobody can give it.
//!
//! This file is longer than most because the macro and its row type only make sense together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use super::rules::RuleSet;
use super::{
    Accounting, Alerts, BadValue, Budget, Category, Config, DictionaryMethod, EvidenceDetail, FileDetail,
    Framing, Mode, OnRepeat, Policy, Price, Profile, Recovery, RecoveryMode, Secrets, Server, Structured,
    Telemetry, ToolSchemas,
};
use crate::tokens::Tokenizer;

/// The largest number of settings without a range of their own.
pub(super) const MAX_NUMBER: u64 = u32::MAX as u64;

/// The fields of a row, except name, type, default and documentation.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The section.
    pub section: &'static str,
    /// The name, in the form of a Rust field.
    pub field: &'static str,
    /// The smallest number.
    pub min: u64,
    /// The largest number.
    pub max: u64,
    /// Whether 0 means no limit; otherwise the code that uses the setting interprets 0.
    pub zero_is_none: bool,
    /// Allowed items of a list; `None` for any.
    pub items: Option<fn() -> &'static [&'static str]>,
    /// What an untrusted project file may set; `None` for nothing.
    pub project: Option<Project>,
    /// The help of its flag, if it has one.
    pub flag: Option<&'static str>,
    /// Its flag of `tersed serve`, if it has one.
    pub serve_flag: Option<ServeFlag>,
    /// How the named file or folder is used; `None` if the setting is not a path. A relative path starts at the file of
    /// settings that gives it.
    pub path: Option<PathUse>,
    /// Whether every layer adds its own items, identified by name.
    pub is_collected: bool,
    /// Whether it takes a number; [`Overlay::IS_NUMBER`] of its type.
    pub is_number: bool,
    /// Its rank among bad values, if different from [`Overlay::RANK`] of its type.
    pub rank: Option<u8>,
}

/// How a file or folder is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// It is read.
    Read,
    /// It is written to, so a project's file may only name a path in the user's state folder.
    Written,
}

/// A flag of `tersed serve`. Its help is the documentation of the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeFlag {
    /// Its name without dashes.
    pub long: &'static str,
    /// The placeholder of its value in the help; empty if it takes none.
    pub value_name: &'static str,
}

/// A row's `serve_flag`.
pub(super) const fn serve_flag(long: &'static str, value_name: &'static str) -> Option<ServeFlag> {
    Some(ServeFlag { long, value_name })
}

/// What an untrusted project file may do to a setting: only what makes tersed do less, and never less redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// Adds to a list.
    Adds,
    /// Lowers a mode.
    Lowers,
    /// Turns it on.
    TurnsOn,
    /// Nothing, even if the user trusts the file.
    Never,
}

impl Row {
    /// A row with only a name.
    pub(super) const fn new(section: &'static str, field: &'static str) -> Self {
        Self {
            section,
            field,
            min: 0,
            max: MAX_NUMBER,
            zero_is_none: false,
            items: None,
            project: None,
            flag: None,
            serve_flag: None,
            path: None,
            is_collected: false,
            is_number: false,
            rank: None,
        }
    }

    /// This row with the properties of its type. Fails to compile if the two contradict each other.
    pub(super) const fn of<T: Overlay>(self) -> Self {
        assert!(T::IS_PATH == self.path.is_some(), "a setting that is a path says what is done with it");
        Self { is_number: T::IS_NUMBER, ..self }
    }

    /// Its name in files and in the protocol: `maxOutputBytes`.
    pub fn name(&self) -> String {
        let mut words = self.field.split('_');
        let mut name = words.next().unwrap_or_default().to_owned();
        for word in words {
            let (first, rest) = word.split_at(word.len().min(1));
            name.push_str(&first.to_ascii_uppercase());
            name.push_str(rest);
        }
        name
    }

    /// Its key: `policy.maxOutputBytes`.
    pub fn key(&self) -> String {
        let dot = if self.section.is_empty() { "" } else { "." };
        format!("{}{dot}{}", self.section, self.name())
    }

    /// The error for a value that is not allowed.
    pub(super) fn bad(&self, value: String, allowed: String) -> BadValue {
        BadValue { section: self.section, key: self.name(), value, allowed }
    }

    /// Checks that a number is in its range.
    pub(super) fn number(&self, given: u64) -> Result<usize, BadValue> {
        match given {
            given if (self.min..=self.max).contains(&given) => Ok(given as usize),
            given => Err(self.bad(given.to_string(), format!("{} to {}", self.min, self.max))),
        }
    }
}

/// The rows of one section.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Name of the type that holds given values, which is also the name of its schema.
    pub patch: &'static str,
    /// The rows, in their order.
    pub rows: &'static [Row],
}

/// All sections. The rows of the first are the sections themselves, except those that are not groups.
pub const TABLES: [Table; 9] = [
    Config::TABLE,
    Policy::TABLE,
    Secrets::TABLE,
    Budget::TABLE,
    Recovery::TABLE,
    Telemetry::TABLE,
    Alerts::TABLE,
    Accounting::TABLE,
    Server::TABLE,
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().flat_map(|table| table.rows)
}

/// The row with that key.
pub fn row(key: &str) -> Option<&'static Row> {
    static ROWS: LazyLock<Vec<(String, &'static Row)>> =
        LazyLock::new(|| rows().map(|row| (row.key(), row)).collect());
    ROWS.iter().find(|(known, _)| known == key).map(|(_, row)| *row)
}

/// A type of a setting: how it is given, and how a given value changes an earlier one.
pub trait Overlay {
    /// The type of a given value.
    type Given;

    /// If several values are bad, the error names the one of the lowest rank, then the first in the table.
    const RANK: u8 = 3;

    /// Whether it names a file or folder.
    const IS_PATH: bool = false;

    /// Whether it is a number.
    const IS_NUMBER: bool = false;

    /// Applies a given value to the earlier one.
    fn overlay(&mut self, given: &Self::Given, row: &Row) -> Result<(), BadValue>;
}

impl Overlay for usize {
    type Given = u64;
    const RANK: u8 = 0;
    const IS_NUMBER: bool = true;

    fn overlay(&mut self, given: &u64, row: &Row) -> Result<(), BadValue> {
        *self = row.number(*given)?;
        Ok(())
    }
}

impl Overlay for u64 {
    type Given = Self;
    const RANK: u8 = 0;
    const IS_NUMBER: bool = true;

    fn overlay(&mut self, given: &Self, row: &Row) -> Result<(), BadValue> {
        *self = row.number(*given)? as Self;
        Ok(())
    }
}

impl Overlay for Option<usize> {
    type Given = u64;
    const RANK: u8 = 1;
    const IS_NUMBER: bool = true;

    fn overlay(&mut self, given: &u64, row: &Row) -> Result<(), BadValue> {
        let limit = row.number(*given)?;
        *self = Some(limit).filter(|limit| *limit > 0 || !row.zero_is_none);
        Ok(())
    }
}

impl Overlay for Vec<String> {
    type Given = Self;

    fn overlay(&mut self, given: &Self, row: &Row) -> Result<(), BadValue> {
        let allowed = row.items.map_or(&[][..], |items| items());
        if let Some(bad) = given.iter().find(|item| row.items.is_some() && !allowed.contains(&item.as_str()))
        {
            return Err(row.bad(format!("`{bad}`"), allowed.join(", ")));
        }
        self.clone_from(given);
        Ok(())
    }
}

impl Overlay for RuleSet {
    type Given = Self;

    fn overlay(&mut self, given: &Self, _: &Row) -> Result<(), BadValue> {
        *self = self.with(given);
        Ok(())
    }
}

/// Types that are given as they are: any value is allowed and replaces the earlier one.
macro_rules! as_given {
    ($($type:ty $(, $constant:ident = $value:literal)?;)*) => {$(
        impl Overlay for $type {
            type Given = Self;
            $(const $constant: bool = $value;)?

            fn overlay(&mut self, given: &Self, _: &Row) -> Result<(), BadValue> {
                self.clone_from(given);
                Ok(())
            }
        }
    )*};
}

as_given! {
    bool;
    BTreeMap<String, Price>;
    DictionaryMethod;
    EvidenceDetail;
    FileDetail;
    Framing;
    Mode;
    OnRepeat;
    RecoveryMode;
    Structured;
    Tokenizer;
    ToolSchemas;
    Vec<Category>;
    Vec<PathBuf>, IS_PATH = true;
}

/// The same for optional values, with `None` as default.
macro_rules! none_unless_given {
    ($($type:ty $(, $constant:ident = $value:literal)?;)*) => {$(
        impl Overlay for Option<$type> {
            type Given = $type;
            $(const $constant: bool = $value;)?

            fn overlay(&mut self, given: &$type, _: &Row) -> Result<(), BadValue> {
                *self = Some(given.clone());
                Ok(())
            }
        }
    )*};
}

none_unless_given! {
    PathBuf, IS_PATH = true;
    Profile;
}

/// Generates from the rows of a section: the struct of settings in force and that of given settings, with names,
/// documentation, defaults and schema; how one is applied to the other; and the list of rows. The head of this file has an
/// example.
macro_rules! settings {
    (@lay $new:ident, $given:ident, $row:ident, $field:ident) => {
        $new.$field.overlay($given, $row)
    };
    (@lay $new:ident, $given:ident, $row:ident, $field:ident, $by:path) => {
        $by(&mut $new, $given, $row)
    };
    (
        section $section:literal;
        $(#[$of_values:meta])*
        pub struct $Values:ident;
        $(#[$of_patch:meta])*
        pub struct $Patch:ident;
        $(
            $(#[doc = $doc:tt])+
            $(#[taken_by($by:path)])?
            $(#[serde($serde:meta)])?
            $field:ident: $type:ty = $default:expr $(, $member:ident: $value:expr)*;
        )+
        $(derived {$(
            $(#[$of_derived:meta])+
            $derived:ident: $derived_type:ty = $derived_default:expr;
        )+})?
    ) => {
        $(#[$of_values])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $Values {
            $(
                $(#[doc = $doc])+
                $(#[serde($serde)])?
                pub $field: $type,
            )+
            $($(
                $(#[$of_derived])+
                pub $derived: $derived_type,
            )+)?
        }

        impl Default for $Values {
            fn default() -> Self {
                Self { $($field: $default,)+ $($($derived: $derived_default,)+)? }
            }
        }

        $(#[$of_patch])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $Patch {
            $(
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<<$type as $crate::config::table::Overlay>::Given>,
            )+
        }

        impl $Patch {
            /// These settings, completed by those of `below`.
            pub fn or(self, below: Self) -> Self {
                Self { $($field: self.$field.or(below.$field),)+ }
            }
        }

        impl $Values {
            /// The rows of the section.
            pub const TABLE: $crate::config::table::Table = $crate::config::table::Table {
                patch: stringify!($Patch),
                rows: &[$(
                    $crate::config::table::Row {
                        $($member: $value,)*
                        ..$crate::config::table::Row::new($section, stringify!($field))
                    }
                    .of::<$type>(),
                )+],
            };

            /// These settings with the patch applied. If a value is bad, nothing changes.
            pub fn with(&self, patch: &$Patch) -> Result<Self, $crate::config::BadValue> {
                use $crate::config::table::Overlay;
                let mut new = Self::clone(self);
                let mut bad = Vec::new();
                let mut rows = Self::TABLE.rows.iter();
                $(
                    if let (Some(row), Some(given)) = (rows.next(), &patch.$field)
                        && let Err(value) = settings!(@lay new, given, row, $field $(, $by)?)
                    {
                        bad.push((row.rank.unwrap_or(<$type as Overlay>::RANK), value));
                    }
                )+
                // `min_by_key` returns the first of equal ranks.
                match bad.into_iter().min_by_key(|(rank, _)| *rank) {
                    Some((_, value)) => Err(value),
                    None => Ok(new),
                }
            }
        }

        impl $crate::config::table::Overlay for $Values {
            type Given = $Patch;
            const RANK: u8 = 4;

            fn overlay(
                &mut self,
                given: &$Patch,
                _: &$crate::config::table::Row,
            ) -> Result<(), $crate::config::BadValue> {
                *self = self.with(given)?;
                Ok(())
            }
        }
    };
}
pub(super) use settings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::settings as all;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_has_its_row() {
        let of_rows: BTreeSet<String> = rows().map(Row::key).collect();
        assert_eq!(of_rows.len(), rows().count(), "a row is given twice");
        for setting in all() {
            assert!(row(&setting.key).is_some(), "{}", setting.key);
        }
        for key in of_rows {
            let names_it = |setting: &str| {
                setting.strip_prefix(&*key).is_some_and(|r| r.is_empty() || r.starts_with('.'))
            };
            assert!(all().iter().any(|setting| names_it(&setting.key)), "{key} is no setting");
        }
    }

    #[test]
    fn of_several_bad_values_numbers_are_told_first() {
        let told = |policy: &str| {
            let patch = serde_json::from_str(policy).unwrap();
            Policy::default().with(&patch).unwrap_err().to_string()
        };
        let text = r#"{"headTailBytes":4294967296,"secrets":{"allow":["x"]},"excludeMethods":["x"],"excludeFlags":["x"],
            "minBytes":4294967296,"dedupWindowTokens":4294967296,"budget":{"total":4294967296,"summarizeAbove":4294967296}}"#;
        let mut given: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap();
        for key in [
            "minBytes",
            "dedupWindowTokens",
            "headTailBytes",
            "budget.total",
            "excludeMethods",
            "excludeFlags",
            "secrets.allow",
        ] {
            let text = serde_json::to_string(&given).unwrap();
            assert!(told(&text).starts_with(&format!("policy.{key}: ")), "{key}: {}", told(&text));
            given.remove(key.split('.').next().unwrap());
        }
        assert!(given.is_empty());
    }
}
