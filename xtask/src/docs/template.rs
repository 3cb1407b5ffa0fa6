//! Rows of a table with places for values.

use anyhow::Context;
use serde_json::Value;

use super::{
    number::Form,
    records::{Records, find},
};

/// The rows of a template, every place filled.
///
/// A line `name = path` stands for a record, or `path#/path/in/it` for a part of one; a place is `{name/path/in/it}`, for a number with
/// ` /1000` or ` *1000` behind it to change its unit, and with a form as in [`Form`].
pub(super) fn fill(template: &[&str], records: &mut Records) -> anyhow::Result<Vec<String>> {
    let is_row = |line: &&&str| line.starts_with('|');
    let named = template.iter().filter(|line| !is_row(line));
    let names: Vec<(&str, &str)> = named
        .map(|line| {
            let pair = line.split_once('=').map(|(a, b)| (a.trim(), b.trim()));
            pair.with_context(|| format!("expected a row or name = record, got {line:?}"))
        })
        .collect::<anyhow::Result<_>>()?;
    let rows = template.iter().filter(is_row);
    rows.map(|row| fill_row(row, &names, records)).collect()
}

fn fill_row(row: &str, names: &[(&str, &str)], records: &mut Records) -> anyhow::Result<String> {
    let mut filled = String::new();
    let mut left = row;
    while let Some((before, rest)) = left.split_once('{') {
        filled += before;
        let (place, rest) = rest
            .split_once('}')
            .filter(|(place, _)| !place.contains('{'))
            .with_context(|| format!("a place has no end in {row:?}"))?;
        filled += &value(place, names, records).with_context(|| format!("{{{place}}}"))?;
        left = rest;
    }
    filled += left;
    Ok(filled)
}

fn value(place: &str, names: &[(&str, &str)], records: &mut Records) -> anyhow::Result<String> {
    let slash = place.find('/').context("expected name/path")?;
    let (name, rest) = place.split_at(slash);
    let (path, how) = rest.split_at(end_of_path(rest));
    let (_, record) = names
        .iter()
        .find(|(known, _)| *known == name)
        .with_context(|| format!("no record is named {name:?}"))?;
    let (record, above) = record.split_once('#').unwrap_or((record, ""));
    match find(records.record(record)?, &format!("{above}{path}"))? {
        Value::Number(number) => {
            let number = number.as_f64().context("a number that is none")?;
            Form::parse(how)?.write(number)
        }
        Value::String(text) if how.is_empty() => Ok(text.clone()),
        other => anyhow::bail!("expected a number, or a text without a form, got {other}"),
    }
}

/// Where the form begins: at the first space outside of brackets.
fn end_of_path(place: &str) -> usize {
    let mut inside = false;
    let end = place.char_indices().find(|(_, letter)| {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            _ => {}
        }
        *letter == ' ' && !inside
    });
    end.map_or(place.len(), |(i, _)| i)
}
