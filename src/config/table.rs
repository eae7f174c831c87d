//! The table of settings: what a row says, and the macro that makes everything of a section from its rows.
//!
//! A row is a setting. For example, of the section `policy`:
//!
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
//! Of the first row come the field `max_output_bytes: usize` of `Policy` with its default; the field
//! `max_output_bytes: Option<u64>` of `PolicyPatch`, which is `maxOutputBytes` in files and on the wire; its lines of
//! `Policy::with` and `PolicyPatch::or`; its documentation and range in the schema and on the page; the variable
//! `TERSED_POLICY_MAX_OUTPUT_BYTES`; and the flag `--max-output-bytes`. How a value is given and laid over another follows
//! from its type ([`Overlay`]); a setting with checks or effects of its own names a function (`taken_by`). What stands
//! behind the default are members of [`Row`]. What is `derived` is no setting: nobody can give it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use super::{
    Accounting, Alerts, BadValue, Budget, Category, Config, DictionaryMethod, EvidenceDetail, FileDetail,
    Framing, Mode, OnRepeat, Policy, Price, Profile, Recovery, RecoveryMode, Secrets, Server, Structured,
    Telemetry,
};
use crate::rules::Rules;
use crate::tokens::Tokenizer;

/// The largest number that settings without a range of their own take.
pub(super) const WHOLE: u64 = u32::MAX as u64;

/// What a row says beside name, type, default and documentation.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The section.
    pub section: &'static str,
    /// The name, as a field is named.
    pub field: &'static str,
    /// The smallest number.
    pub min: u64,
    /// The largest number.
    pub max: u64,
    /// Whether 0 is no limit, rather than one that the code which uses it understands.
    pub zero_is_none: bool,
    /// What the items of a list may be; `None` for anything.
    pub items: Option<fn() -> &'static [&'static str]>,
    /// What the file of a project may say of it that the user did not trust; `None` for nothing.
    pub project: Option<Project>,
    /// The help of its flag, if it has one.
    pub flag: Option<&'static str>,
    /// What is done with the file or folder that it names; `None` where it names none. A relative path lies beside the
    /// file of settings that gives it.
    pub path: Option<PathUse>,
    /// Whether every layer adds its own items, by their names.
    pub is_collected: bool,
    /// Whether it takes a number, which [`Overlay::IS_NUMBER`] of its type says.
    pub is_number: bool,
    /// Its rank among bad values, where that is not [`Overlay::RANK`] of its type.
    pub rank: Option<u8>,
}

/// What is done with a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// It is read.
    Read,
    /// It is written to, so that a project's file may only name one in the user's state folder.
    Written,
}

/// What the file of a project may say of a setting while the user does not trust it: only what makes less of what is done,
/// and never less redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// Adds to a list.
    Adds,
    /// Lowers a mode.
    Lowers,
    /// Turns it on.
    TurnsOn,
    /// Nothing, and nothing either where the user trusts the file.
    Never,
}

impl Row {
    /// A row that says no more than its name.
    pub(super) const fn new(section: &'static str, field: &'static str) -> Self {
        Self {
            section,
            field,
            min: 0,
            max: WHOLE,
            zero_is_none: false,
            items: None,
            project: None,
            flag: None,
            path: None,
            is_collected: false,
            is_number: false,
            rank: None,
        }
    }

    /// This row with what the type of the setting says. It does not compile where the two contradict each other.
    pub(super) const fn of<T: Overlay>(self) -> Self {
        assert!(T::IS_PATH == self.path.is_some(), "a setting that is a path says what is done with it");
        Self { is_number: T::IS_NUMBER, ..self }
    }

    /// Its name in files and on the wire: `maxOutputBytes`.
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

    /// Its place: `policy.maxOutputBytes`.
    pub fn key(&self) -> String {
        let dot = if self.section.is_empty() { "" } else { "." };
        format!("{}{dot}{}", self.section, self.name())
    }

    /// That a value is not allowed, and what is.
    pub(super) fn bad(&self, value: String, allowed: String) -> BadValue {
        BadValue { section: self.section, key: self.name(), value, allowed }
    }

    /// A number in its range.
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
    /// Name of the type that holds what was given, which is that of its schema.
    pub patch: &'static str,
    /// The rows, in their order.
    pub rows: &'static [Row],
}

/// All sections. The rows of the first one are the sections themselves, but for those that are no groups.
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

/// The row of that place.
pub fn row(key: &str) -> Option<&'static Row> {
    static ROWS: LazyLock<Vec<(String, &'static Row)>> =
        LazyLock::new(|| rows().map(|row| (row.key(), row)).collect());
    ROWS.iter().find(|(known, _)| known == key).map(|(_, row)| *row)
}

/// A type of settings: how somebody gives one, and how that is laid over what was there.
pub trait Overlay {
    /// As it is given.
    type Given;

    /// If several values are bad, the error names the one of the lowest rank, then the first in the table.
    const RANK: u8 = 3;

    /// Whether it names a file or folder.
    const IS_PATH: bool = false;

    /// Whether it is a number.
    const IS_NUMBER: bool = false;

    /// Lays what was given over what was there.
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

impl Overlay for Rules {
    type Given = Self;

    fn overlay(&mut self, given: &Self, _: &Row) -> Result<(), BadValue> {
        *self = self.with(given);
        Ok(())
    }
}

/// Types that are given as they are: any value of them is allowed, and takes the place of what was there.
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
    Vec<Category>;
    Vec<PathBuf>, IS_PATH = true;
}

/// The same, where there is nothing unless somebody gives it.
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

/// Makes of the rows of a section: the struct of what is in force and that of what somebody gave, with their names,
/// documentation, defaults and schema; how one is laid over the other; and the list of the rows. The head of this file
/// explains it by an example.
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
            /// These settings, and those of `below` where these say nothing.
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

            /// These settings with what the patch gives laid over them. Nothing changes when a value is bad.
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
                // `min_by_key` gives the first of equal ranks.
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
        assert_eq!(of_rows.len(), rows().count(), "a row stands there twice");
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
