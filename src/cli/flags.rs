//! Flags for single settings, from the table of settings: those of the policy, and those of `tersed serve`.

use std::sync::LazyLock;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use serde_json::{Map, Value, json};

use super::completions::Offered;
use super::mistake::none_of;
use super::settings::Flags;
use crate::config::kind::Kind;
use crate::config::schema::setting;
use crate::config::table::{Row, ServeFlag, rows};
use crate::config::{Policy, PolicyPatch};
use crate::layers::meant_name;

/// The settings that these flags gave.
#[derive(Debug, Clone, Default)]
pub(super) struct SettingFlags(pub PolicyPatch);

/// A setting with a flag.
struct Flag {
    row: &'static Row,
    help: &'static str,
    /// Its name on the wire.
    name: String,
    /// The flag without its dashes.
    long: String,
    /// Placeholder of its value in the help.
    value_name: String,
    /// The smallest and the largest value of a number; `None` for a name.
    range: Option<(u64, u64)>,
}

/// Settings with a flag: those that take a name, then those that take a number.
fn flags() -> &'static [Flag] {
    static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| {
        let flag = |row: &'static Row| {
            let range = row.is_number.then_some((row.min, row.max));
            Some(Flag {
                row,
                help: row.flag?,
                name: row.name(),
                long: row.field.replace('_', "-"),
                value_name: row.field.to_ascii_uppercase(),
                range,
            })
        };
        let mut all: Vec<Flag> = Policy::TABLE.rows.iter().filter_map(flag).collect();
        all.sort_by_key(|flag| flag.range.is_some());
        all
    });
    &FLAGS
}

impl Flag {
    fn arg(&'static self) -> Arg {
        let arg = Arg::new(self.row.field)
            .long(self.long.as_str())
            .value_name(self.value_name.as_str())
            .help(self.help);
        match self.range {
            Some((min, max)) => arg.value_parser(value_parser!(u64).range(min..=max)),
            None => arg.hide_possible_values(true).value_parser(Offered::new(self.own_names(), |value| {
                let value = meant_name(value, self.names());
                match self.patch(value.as_str().into()) {
                    Ok(_) => Ok(value),
                    Err(_) => Err(self.refused(&value)),
                }
            })),
        }
    }

    /// The given value.
    fn value(&self, matches: &ArgMatches) -> Option<Value> {
        match self.range {
            Some(_) => matches.get_one::<u64>(self.row.field).map(|number| (*number).into()),
            None => matches.get_one::<String>(self.row.field).map(|name| name.as_str().into()),
        }
    }

    /// All names that it takes.
    fn names(&self) -> &'static [String] {
        match setting(&self.row.key()).map(|setting| &setting.kind) {
            Some(Kind::Choice(names)) => names,
            _ => &[],
        }
    }

    /// The names without other names for the same value.
    fn own_names(&self) -> Vec<&'static str> {
        let is_own = |name: &&str| {
            let patch = self.patch((*name).into()).ok().and_then(|patch| serde_json::to_value(patch).ok());
            patch.is_some_and(|patch| patch.get(&self.name).and_then(Value::as_str) == Some(name))
        };
        self.names().iter().map(String::as_str).filter(is_own).collect()
    }

    /// Why a name is not allowed. Other names for the same value are not listed.
    fn refused(&self, value: &str) -> String {
        none_of(value, &self.own_names())
    }

    /// A patch with only this setting.
    fn patch(&self, value: Value) -> Result<PolicyPatch, String> {
        let whole = Value::Object(Map::from_iter([(self.name.clone(), value)]));
        serde_json::from_value(whole).map_err(|e| e.to_string())
    }
}

impl SettingFlags {
    /// The given flags, for another process.
    #[cfg(feature = "hosts")]
    pub fn given(&self) -> Vec<String> {
        let patch = serde_json::to_value(&self.0).unwrap_or_default();
        let given = flags().iter().filter_map(|flag| {
            let value = patch.get(&flag.name)?;
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Some([format!("--{}", flag.long), value])
        });
        given.flatten().collect()
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        command.args(flags().iter().map(Flag::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut all = Self::default();
        all.update_from_arg_matches(matches)?;
        Ok(all)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for flag in flags() {
            let Some(value) = flag.value(matches) else { continue };
            let given =
                flag.patch(value).map_err(|e| clap::Error::raw(clap::error::ErrorKind::InvalidValue, e))?;
            self.0 = given.or(std::mem::take(&mut self.0));
        }
        Ok(())
    }
}

/// The settings that flags of `tersed serve` gave.
#[derive(Debug, Clone, Default)]
pub(super) struct ServeFlags(pub Flags);

/// Settings with a flag of `tersed serve`.
fn serve_flags() -> impl Iterator<Item = (&'static Row, ServeFlag)> {
    const SECTIONS: [&str; 3] = ["server", "recovery", "telemetry"];
    let of = |section: &'static str| rows().filter(move |row| row.section == section);
    SECTIONS.into_iter().flat_map(of).filter_map(|row| Some((row, row.serve_flag?)))
}

/// What the help says about a setting: the first sentence of its documentation, and its default.
fn serve_help(row: &Row) -> String {
    let Some(setting) = setting(&row.key()) else { return String::new() };
    let doc = setting.doc.replace('`', "");
    let help = doc.split_once(". ").map_or(doc.trim_end_matches('.'), |(first, _)| first);
    match setting.kind {
        // A switch is off by default; without the flag for the file no file is written.
        Kind::Choice(_) | Kind::Whole { .. } => {
            format!("{help} [default: {}]", setting.default.replace('`', ""))
        }
        _ => help.to_owned(),
    }
}

impl Args for ServeFlags {
    fn augment_args(command: Command) -> Command {
        command.args(serve_flags().map(|(row, flag)| {
            let arg = Arg::new(flag.long).long(flag.long).help(serve_help(row));
            match setting(&row.key()).map(|setting| &setting.kind) {
                Some(Kind::Flag) => arg.action(ArgAction::SetTrue),
                Some(Kind::Whole { min, max }) => {
                    arg.value_name(flag.value_name).value_parser(value_parser!(u64).range(*min..=*max))
                }
                Some(Kind::Choice(names)) => arg
                    .value_name(flag.value_name)
                    .value_parser(PossibleValuesParser::new(names.iter().map(String::as_str))),
                _ => arg.value_name(flag.value_name),
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ServeFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut all = Self::default();
        all.update_from_arg_matches(matches)?;
        Ok(all)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (row, flag) in serve_flags() {
            let value = match setting(&row.key()).map(|setting| &setting.kind) {
                Some(Kind::Flag) => matches.get_flag(flag.long).then(|| json!(true)),
                Some(Kind::Whole { .. }) => matches.get_one::<u64>(flag.long).map(|number| json!(number)),
                _ => matches.get_one::<String>(flag.long).map(|text| json!(text)),
            };
            let Some(value) = value else { continue };
            let name = format!("--{}", flag.long);
            // Whoever names the file wants it written.
            if row.key() == "telemetry.path" {
                self.0.push((name.clone(), "telemetry.enabled".to_owned(), json!(true)));
            }
            self.0.push((name, row.key(), value));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::table::row;

    fn parsed(arguments: &[&str]) -> Result<SettingFlags, clap::Error> {
        let command = SettingFlags::augment_args(Command::new("tersed"));
        SettingFlags::from_arg_matches(&command.try_get_matches_from([&["tersed"], arguments].concat())?)
    }

    #[test]
    fn a_flag_gives_its_setting_and_nothing_else() {
        assert!(flags().len() >= 3);
        for flag in flags() {
            let key = flag.row.key();
            let setting = setting(&key).unwrap();
            assert_eq!(row(&key).and_then(|row| row.flag), Some(flag.help));
            let dashes = format!("--{}", flag.long);
            let (good, bad) = match &setting.kind {
                Kind::Whole { min, max } => (vec![min.to_string(), max.to_string()], (max + 1).to_string()),
                Kind::Choice(names) => (names.clone(), "bogus".to_owned()),
                kind => panic!("{key}: a flag for {kind:?}"),
            };
            for value in &good {
                let given = parsed(&[&dashes, value]).unwrap();
                let patch = serde_json::to_value(&given.0).unwrap();
                assert_eq!(patch.as_object().unwrap().keys().collect::<Vec<_>>(), [&flag.name], "{value}");
                #[cfg(feature = "hosts")]
                {
                    let again = given.given();
                    let again: Vec<&str> = again.iter().map(String::as_str).collect();
                    assert_eq!(parsed(&again).unwrap().0, given.0, "{value}");
                }
            }
            let error = parsed(&[&dashes, &bad]).unwrap_err().to_string();
            assert!(error.contains(&dashes) && error.contains(&bad), "{error}");
            // The default and the range in the help match the table.
            if let Some((_, default)) = flag.help.split_once("[default: ") {
                assert!(default.starts_with(setting.default_value().as_str().unwrap()), "{}", flag.help);
            }
            if let Kind::Whole { min, max } = setting.kind {
                assert!(flag.help.contains(&format!("{min} to {max}")), "{}", flag.help);
            }
        }
    }
    #[test]
    fn a_flag_of_the_server_gives_its_setting() {
        assert_eq!(serve_flags().count(), 15);
        let parsed = |arguments: &[&str]| {
            let command = ServeFlags::augment_args(Command::new("tersed"));
            let matches = command.try_get_matches_from([&["tersed"], arguments].concat())?;
            Ok::<_, clap::Error>(ServeFlags::from_arg_matches(&matches)?.0)
        };
        for (row, flag) in serve_flags() {
            let (key, dashes) = (row.key(), format!("--{}", flag.long));
            let setting = setting(&key).unwrap();
            let (arguments, value) = match &setting.kind {
                Kind::Flag => (vec![&*dashes], json!(true)),
                Kind::Whole { .. } => (vec![&*dashes, "7"], json!(7)),
                Kind::Choice(names) => (vec![&*dashes, &*names[0]], json!(names[0])),
                _ => (vec![&*dashes, "x"], json!("x")),
            };
            assert_eq!(flag.value_name.is_empty(), setting.kind == Kind::Flag, "{key}");
            let given = parsed(&arguments).unwrap();
            assert_eq!(given.last(), Some(&(dashes.clone(), key.clone(), value)), "{key}");
            assert_eq!(given.len(), 1 + usize::from(key == "telemetry.path"));
            if let Kind::Whole { min: 1.., .. } = setting.kind {
                let error = parsed(&[&dashes, "0"]).unwrap_err().to_string();
                assert!(error.contains("0 is not in 1.."), "{error}");
            }
            if matches!(setting.kind, Kind::Choice(_) | Kind::Whole { .. }) {
                parsed(&[&dashes, "bogus"]).unwrap_err();
                let default = setting.default_value();
                let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
                let help = serve_help(row);
                assert!(help.ends_with(&format!("[default: {default}]")), "{help}: {default}");
            }
        }
        assert!(parsed(&[]).unwrap().is_empty());
    }
}
