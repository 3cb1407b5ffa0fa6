//! Arguments of `cuzk ab`.

use std::{path::PathBuf, str::FromStr, time::Duration};

use clap::{Args as ClapArgs, ValueEnum};
use cuzk::Phase;
use cuzk_record::Clock;

use super::ablation::{pairs, settings};
use crate::{args::Constraints, provenance::RecordArgs};

/// The most settings that are compared with the first ones: each holds a key.
const MAX_OTHERS: usize = 16;

#[derive(Debug, ClapArgs)]
pub(crate) struct Ab {
    /// The settings that the others are compared with: NAME=VALUE, several separated by commas,
    /// beside those of --set and --tuning; by default those alone.
    #[arg(long, value_name = "SETTINGS", default_value = "")]
    pub(crate) a: String,
    /// Settings to compare with a; may be given several times.
    #[arg(long, value_name = "SETTINGS", required_unless_present = "ablate")]
    pub(crate) b: Vec<String>,
    /// Compare each setting of a list alone with a, and all of them together.
    #[arg(long, value_name = "SETTINGS", conflicts_with = "b")]
    pub(crate) ablate: Option<String>,
    /// What is proved.
    #[arg(long, value_enum, default_value_t = Subject::SaplingOutput)]
    pub(crate) circuit: Subject,
    /// Constraints of a synthetic circuit: a number, or a power as 2^20.
    #[arg(long, default_value = "2^14")]
    pub(crate) constraints: Constraints,
    /// Proofs in each run, made together.
    #[arg(long, default_value_t = 1, value_parser = crate::args::batch_size)]
    pub(crate) circuits: usize,
    /// Stop once the 95 % interval of every ratio of whole runs is narrower than this part of it.
    #[arg(long, default_value = "2%")]
    pub(crate) width: Width,
    /// Stop after this time, as 60s, 500ms or 2m; what is made ready before is not counted.
    #[arg(long, default_value = "60s")]
    pub(crate) budget: Budget,
    /// The seed of the statement and of the resampling.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// What is compared: wall time, or the processor time of all threads, for a machine with
    /// other work.
    #[arg(long, value_enum, default_value_t = ClockArg::Wall)]
    pub(crate) clock: ClockArg,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    /// For tests of the comparison: a phase of every run of an arm waits, as b:ntt:100ms.
    #[arg(long, hide = true, value_name = "ARM:PHASE:TIME")]
    pub(crate) stall: Option<Stall>,
    /// Write a page with a picture of the comparison: one file, without a network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

impl Ab {
    /// Why the arguments cannot be used together.
    pub(crate) fn fault(&self) -> Option<String> {
        if let Some(list) = &self.ablate {
            let got = pairs(list).len();
            let fits = (2..MAX_OTHERS).contains(&got);
            return (!fits).then(|| {
                let most = MAX_OTHERS - 1;
                format!("expected 2 to {most} settings to --ablate, got {got}")
            });
        }
        let got = self.b.len();
        (got > MAX_OTHERS).then(|| format!("expected at most {MAX_OTHERS} times --b, got {got}"))
    }

    /// The settings of every arm, with its name; those of a first.
    pub(crate) fn arms(&self) -> Vec<(String, String)> {
        let others = match &self.ablate {
            Some(list) => settings(&self.a, list),
            None => self.b.clone(),
        };
        let one = others.len() == 1;
        let named = others.into_iter().enumerate().map(|(i, settings)| {
            let name = match one {
                true => "b".to_owned(),
                false => format!("b{}", i + 1),
            };
            (name, settings)
        });
        [("a".to_owned(), self.a.clone())]
            .into_iter()
            .chain(named)
            .collect()
    }
}

/// A phase that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stall {
    pub(crate) arm: String,
    pub(crate) phase: Phase,
    pub(crate) time: Duration,
}

impl FromStr for Stall {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let parts: Vec<&str> = word.split(':').collect();
        let [arm, phase, time] = parts[..] else {
            return Err(format!("expected ARM:PHASE:TIME, got {word:?}"));
        };
        let phase = phase.parse::<Phase>().map_err(|error| error.to_string())?;
        Ok(Self {
            arm: arm.to_owned(),
            phase,
            time: time.parse::<Budget>()?.0,
        })
    }
}

/// [`Clock`] as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    /// Wall time.
    Wall,
    /// Processor time of all threads.
    Processor,
}

impl From<ClockArg> for Clock {
    fn from(word: ClockArg) -> Self {
        match word {
            ClockArg::Wall => Self::Wall,
            ClockArg::Processor => Self::Processor,
        }
    }
}

/// What is proved in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Subject {
    /// The real circuit, with the ceremony's parameters.
    SaplingOutput,
    /// The real circuit, with the ceremony's parameters.
    SaplingSpend,
    /// A synthetic circuit whose witness is bits, nine of ten.
    Bits90,
    /// A synthetic circuit with full-size values.
    Uniform,
}

/// A part of one, written as `2%` or `0.02`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Width(pub(crate) f64);

impl FromStr for Width {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let number = match word.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => word.parse(),
        };
        match number {
            Ok(part) if part > 0.0 && part <= 1.0 => Ok(Self(part)),
            _ => Err(format!(
                "expected more than 0% and at most 100%, got {word:?}"
            )),
        }
    }
}

/// A time, written with its unit, or in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(pub(crate) Duration);

impl FromStr for Budget {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        const DAY: f64 = 86_400.0;
        let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let (number, unit) = units
            .iter()
            .find_map(|(name, unit)| Some((word.strip_suffix(name)?, *unit)))
            .unwrap_or((word, 1.0));
        match number.parse::<f64>().map(|number| number * unit) {
            Ok(seconds) if seconds > 0.0 && seconds <= DAY => {
                Ok(Self(Duration::from_secs_f64(seconds)))
            }
            _ => Err(format!("expected a time up to 24h, as 60s, got {word:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_budgets_are_read_with_their_units() {
        assert_eq!("2%".parse(), Ok(Width(0.02)));
        assert_eq!("0.5".parse(), Ok(Width(0.5)));
        for word in ["", "%", "0", "-1%", "101%", "NaN", "inf", "two"] {
            assert!(word.parse::<Width>().is_err(), "{word}");
        }
        for (word, milliseconds) in [
            ("500ms", 500),
            ("60s", 60_000),
            ("2m", 120_000),
            ("3", 3000),
        ] {
            let expected = Budget(Duration::from_millis(milliseconds));
            assert_eq!(word.parse(), Ok(expected), "{word}");
        }
        let stall = Stall {
            arm: "b".to_owned(),
            phase: Phase::Ntt,
            time: Duration::from_millis(100),
        };
        assert_eq!("b:ntt:100ms".parse(), Ok(stall));
        for word in ["", "b", "b:ntt", "b:nothing:1s", "b:ntt:soon", "b:ntt:1s:2"] {
            assert!(word.parse::<Stall>().is_err(), "{word}");
        }
        for word in ["", "s", "0s", "-1s", "25h", "NaNs", "inf", "1d"] {
            assert!(word.parse::<Budget>().is_err(), "{word}");
        }
    }
}
