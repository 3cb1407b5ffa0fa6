//! Records, and the numbers in them.

use std::{collections::HashMap, fs, path::PathBuf};

use anyhow::Context;
use serde_json::Value;

/// Records that were read, by their path.
pub(super) struct Records {
    root: PathBuf,
    read: HashMap<String, Value>,
}

impl Records {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            read: HashMap::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn of(records: Vec<(&str, Value)>) -> Self {
        let named = |(path, record): (&str, Value)| (path.to_owned(), record);
        Self {
            root: PathBuf::new(),
            read: records.into_iter().map(named).collect(),
        }
    }

    /// The record of a path below the folder of records.
    pub(super) fn record(&mut self, path: &str) -> anyhow::Result<&Value> {
        if !self.read.contains_key(path) {
            let file = self.root.join(path);
            let text = fs::read_to_string(&file)
                .with_context(|| format!("reading the record {}", file.display()))?;
            let record = serde_json::from_str(&text)
                .with_context(|| format!("{} is no JSON", file.display()))?;
            self.read.insert(path.to_owned(), record);
        }
        Ok(&self.read[path])
    }
}

/// The value at a path such as `/sums[id=G1 2^20]/total` or `/rows/3/median_ms`.
pub(super) fn find<'a>(record: &'a Value, path: &str) -> anyhow::Result<&'a Value> {
    let mut value = record;
    for step in path.split('/').skip(1) {
        let (name, selector) = match step.split_once('[') {
            Some((name, rest)) => (name, rest.strip_suffix(']')),
            None => (step, None),
        };
        let next = match value {
            Value::Array(list) => name.parse().ok().and_then(|i: usize| list.get(i)),
            other => other.get(name),
        };
        value = next.with_context(|| format!("{name:?} is not there, in {path:?}"))?;
        if let Some(selector) = selector {
            let (key, word) = selector
                .split_once('=')
                .with_context(|| format!("expected [name=value], got [{selector}] in {path:?}"))?;
            let chosen = |entry: &&Value| match entry.get(key) {
                Some(Value::String(text)) => text == word,
                Some(other) => serde_json::from_str::<Value>(word).is_ok_and(|word| word == *other),
                None => false,
            };
            let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
            value = list
                .iter()
                .find(chosen)
                .with_context(|| format!("no entry has [{selector}], in {path:?}"))?;
        }
    }
    Ok(value)
}
