//! Values of flags that completions offer, and that a function of ours reads.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

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
