//! One of the settings that are compared: its key, and the runs made with it.

use std::time::{Duration, Instant};

use cuzk::{Blinding, Circuit, Compiled, Proof, Proved, ReadOptions, Report, Timeline, Tuning};

use cuzk_record::Clock;

use super::{ablation::pairs, args::Stall};
use crate::{args::Common, failure::Failure, run};

/// A circuit with a witness and the bytes of its parameters.
pub(crate) struct Statement<C> {
    pub(crate) name: String,
    pub(crate) blank: C,
    pub(crate) instance: C,
    pub(crate) parameters: Vec<u8>,
    pub(crate) options: ReadOptions,
}

pub(crate) struct Arm {
    /// `a`, `b` or `b1`, `b2` and so on.
    pub(crate) name: String,
    /// The settings as they were written.
    pub(crate) settings: String,
    pub(crate) tuning: Tuning,
    /// To read the parameters and to prepare the key.
    pub(crate) prepare_ms: f64,
    pub(crate) reports: Vec<Report>,
    pub(crate) clock: Clock,
    /// For tests of the comparison: how long a phase of every run waits.
    pub(crate) stall: Option<Stall>,
    compiled: Compiled,
}

impl Arm {
    /// Reads the parameters and prepares a key with these settings.
    pub(crate) fn prepare<C: Circuit + Clone>(
        name: String,
        settings: &str,
        statement: &Statement<C>,
        common: &Common,
    ) -> Result<Self, Failure> {
        let tuning = tuning(settings, common)?;
        let prover = run::prover_with(common, tuning)?;
        let timeline = Timeline::start();
        let started = Instant::now();
        let loaded = prover.load_bytes(&statement.parameters, &statement.options, &timeline)?;
        let blank = statement.blank.clone();
        let compiled = prover.compile_timed(blank, &loaded.parameters, &timeline)?;
        Ok(Self {
            name,
            settings: settings.trim().to_owned(),
            tuning,
            prepare_ms: started.elapsed().as_secs_f64() * 1e3,
            reports: Vec::new(),
            clock: Clock::Wall,
            stall: None,
            compiled,
        })
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Proves once, or a batch together; the report is of the proofs and nothing else.
    pub(crate) fn run<C: Circuit + Clone + Send>(
        &self,
        circuits: Vec<C>,
        blinding: &Blinding,
    ) -> Result<(Vec<Proved>, Report), Failure> {
        let mut circuits = circuits;
        let started = Instant::now();
        let timeline = match &self.stall {
            Some(stall) => Timeline::stalling(stall.phase, stall.time),
            None => Timeline::measuring(self.tuning.measure),
        };
        let proved = match circuits.len() {
            1 => {
                let circuit = circuits.remove(0);
                vec![self.compiled.prove_timed(circuit, blinding, &timeline)?]
            }
            _ => {
                let results = self.compiled.prove_batch_timed(circuits, &timeline)?;
                results.into_iter().collect::<Result<_, _>>()?
            }
        };
        let report = timeline.finish();
        // What it costs to measure is a part of the run.
        Ok((proved, report.timed_outside(started.elapsed())))
    }

    /// Where its proofs were made.
    pub(crate) fn device(&self) -> String {
        let last = self.reports.last();
        last.map_or_else(String::new, |report| {
            format!("{}, {}", report.backend, report.device)
        })
    }

    /// The time of every run.
    pub(crate) fn totals(&self) -> Vec<f64> {
        self.times(|report| match self.clock {
            Clock::Wall => report.outer.unwrap_or(report.total),
            Clock::Processor => report.cpu.unwrap_or_default(),
        })
    }

    /// A time of every run.
    pub(crate) fn times(&self, time: impl Fn(&Report) -> Duration) -> Vec<f64> {
        let reports = self.reports.iter();
        reports.map(|report| milliseconds(time(report))).collect()
    }
}

/// The settings of every command, with these besides.
fn tuning(settings: &str, common: &Common) -> Result<Tuning, Failure> {
    // Threads that every command is given are those of the program's pool.
    let mut tuning = common.tuning.with_threads(None);
    for pair in pairs(settings) {
        tuning
            .set_pair(pair)
            .map_err(|error| run::explain(&error))?;
    }
    Ok(tuning)
}

/// Verifies every proof of a round under one key; with one blinding, all are the same bytes.
pub(crate) fn check(
    key: &Compiled,
    proofs: &[Proved],
    expected: Option<&Proof>,
    name: &str,
) -> Result<(), Failure> {
    for proved in proofs {
        key.verify(&proved.proof, &proved.public_inputs)?;
        if expected.is_some_and(|expected| *expected != proved.proof) {
            return Err(Failure::refused(format!(
                "the proof of {name} has other bytes than that of a for the same blinding"
            )));
        }
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
