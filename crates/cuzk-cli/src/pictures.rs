//! What a run leaves besides its result: a page, a trace, memory over time.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args as ClapArgs;
use cuzk::{Measure, Report, Timeline};
use cuzk_picture::{run_page, trace};

use crate::{
    failure::{Failure, chain},
    new_file::{Existing, NewFile},
};

/// Options of the commands that prove.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct PictureArgs {
    /// Sample memory and page faults while proving, at this interval, as 10ms; the report and the
    /// pictures show them.
    #[arg(
        long,
        value_name = "INTERVAL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "10ms",
        value_parser = interval
    )]
    watch: Option<Duration>,
    /// Write a page with a picture of the run: one file, without a network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a trace of the run for Perfetto or Chrome.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

/// The files to be.
pub(crate) struct Pictures {
    watch: Option<Duration>,
    html: Option<NewFile>,
    trace: Option<NewFile>,
}

impl PictureArgs {
    /// The files, none of which is one that the command reads or another that it writes.
    pub(crate) fn create(&self, others: &[&Path]) -> Result<Pictures, Failure> {
        let new = |path: &Option<PathBuf>, others: &[&Path]| {
            let path = path.as_deref();
            path.map(|path| NewFile::create(path, Existing::Replace, others))
                .transpose()
        };
        let html = new(&self.html, others)?;
        let mut others = others.to_vec();
        others.extend(self.html.as_deref());
        Ok(Pictures {
            watch: self.watch,
            html,
            trace: new(&self.trace, &others)?,
        })
    }
}

impl Pictures {
    /// A timeline, which watches if it was asked to.
    pub(crate) fn timeline(&self, measure: Measure) -> Result<Timeline, Failure> {
        let timeline = Timeline::measuring(measure);
        if let Some(interval) = self.watch {
            timeline.watch(interval).map_err(|error| {
                Failure::bad_input(format!("watching memory failed: {}", chain(&error)))
            })?;
        }
        Ok(timeline)
    }

    /// Writes the page of these runs, and the trace of the first.
    pub(crate) fn write(self, title: &str, runs: &[(&str, &Report)]) -> Result<(), Failure> {
        if let Some(file) = self.html {
            put(file, &run_page(title, runs))?;
        }
        if let (Some(file), Some((_, run))) = (self.trace, runs.first()) {
            put(file, &trace(run))?;
        }
        Ok(())
    }
}

/// Writes a text to a file and puts it in its place.
pub(crate) fn put(mut file: NewFile, text: &str) -> Result<(), Failure> {
    file.fill(|file: &mut dyn Write| -> io::Result<()> { file.write_all(text.as_bytes()) })?;
    file.put()
}

/// An interval of sampling, 1 ms to 10 s.
fn interval(word: &str) -> Result<Duration, String> {
    let (number, unit) = match (word.strip_suffix("ms"), word.strip_suffix('s')) {
        (Some(number), _) => (number, 1e-3),
        (None, Some(number)) => (number, 1.0),
        (None, None) => (word, f64::NAN),
    };
    match number.parse::<f64>().map(|number| number * unit) {
        Ok(seconds) if (1e-3..=10.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("expected 1ms to 10s, got {word:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_a_unit_and_bounds() {
        assert_eq!(interval("10ms"), Ok(Duration::from_millis(10)));
        assert_eq!(interval("2s"), Ok(Duration::from_secs(2)));
        for word in ["", "10", "0ms", "0.5ms", "11s", "-1s", "NaNs", "infs", "ms"] {
            assert!(interval(word).is_err(), "{word}");
        }
    }
}
