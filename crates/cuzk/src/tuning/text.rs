//! A tuning as a table and as a TOML file.

use std::{fmt, fmt::Write as _};

use toml::{Table, Value};

use super::{Switch, Tuning, TuningError};

impl Tuning {
    /// The tuning that a TOML file describes: a line `name = value` for each switch that is not
    /// at its default, words in quotes, numbers without.
    ///
    /// # Errors
    /// As [`Tuning::apply_toml`].
    pub fn from_toml(text: &str) -> Result<Self, TuningError> {
        let mut tuning = Self::default();
        tuning.apply_toml(text)?;
        Ok(tuning)
    }

    /// Sets the switches that a TOML file names, and leaves the others.
    ///
    /// `true` and `false` stand for `"on"` and `"off"`.
    ///
    /// # Errors
    /// [`TuningError::Toml`], [`TuningError::UnknownSwitch`],
    /// [`TuningError::ImpossibleValue`]; nothing is set then.
    pub fn apply_toml(&mut self, text: &str) -> Result<(), TuningError> {
        let mut changed = *self;
        for (name, value) in &text.parse::<Table>()? {
            let word = match value {
                Value::String(word) => word.clone(),
                Value::Boolean(on) => if *on { "on" } else { "off" }.to_owned(),
                other => other.to_string(),
            };
            changed.set(name, &word)?;
        }
        *self = changed;
        Ok(())
    }

    /// Every switch with its value as a TOML file, with comments; [`Tuning::from_toml`] reads it
    /// back.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for switch in Self::SWITCHES {
            let value = switch.value(self);
            let value = match value.parse::<u64>() {
                Ok(number) => number.to_string(),
                Err(_) => format!("{value:?}"),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "# {}\n# {}; {}\n{} = {value}",
                switch.what,
                choices(switch),
                record(switch),
                switch.name,
            );
        }
        text
    }
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = Self::SWITCHES
            .iter()
            .map(|switch| [switch.name.to_owned(), switch.value(self), choices(switch)]);
        let rows: Vec<_> = rows.collect();
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].len());
            widths.max().unwrap_or_default()
        };
        let (names, values) = (width(0), width(1));
        for (row, switch) in rows.iter().zip(Self::SWITCHES) {
            let [name, value, choices] = row;
            writeln!(f, "{name:names$}  {value:values$}  {choices}")?;
            writeln!(f, "{:names$}  {}", "", switch.what)?;
            writeln!(f, "{:names$}  {}", "", record(switch))?;
        }
        Ok(())
    }
}

fn choices(switch: &Switch) -> String {
    format!("{}, by default {}", switch.values, switch.default_value())
}

fn record(switch: &Switch) -> String {
    match switch.record {
        Some(path) => format!("default by {path}"),
        None => "no record yet justifies the default".to_owned(),
    }
}
