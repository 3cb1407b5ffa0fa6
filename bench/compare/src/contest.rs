use anyhow::{Result, ensure};
use clap::Args;
use cuzk_measure::{Cost, Provenance, confine, median, minimum, write_record};
use serde::Serialize;

/// What all measurements of single functions have in common.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Threads; the process is confined to as many processors.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Counted runs of each contender; one more comes before them.
    #[arg(long, default_value_t = 6)]
    runs: usize,
    /// Keeps the result under benchmarks/record/.
    #[arg(long)]
    record: bool,
}

/// The bytes of a result, made when they are asked for and outside what is timed.
pub(crate) type Encode = Box<dyn FnOnce() -> Vec<u8>>;

/// One library that does the work of a contest.
pub(crate) struct Contender<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Result<(Cost, Encode)> + 'a>,
}

impl<'a> Contender<'a> {
    /// `run` does the work once and times itself, so that it can prepare outside the time.
    pub(crate) fn new(
        name: &'static str,
        run: impl FnMut() -> Result<(Cost, Encode)> + 'a,
    ) -> Self {
        Self {
            name,
            run: Box::new(run),
        }
    }
}

/// What one contender needed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// The work.
    what: String,
    name: &'static str,
    wall_median_ms: f64,
    wall_min_ms: f64,
    cpu_median_ms: f64,
    /// This contender's over the last one's: above one, the last is ahead.
    ratio_wall_median: f64,
    ratio_wall_min: f64,
    costs: Vec<Cost>,
}

#[derive(Debug, Clone, Serialize)]
struct Contest<'a> {
    rows: &'a [Row],
}

impl Common {
    /// Confines the process, before any thread pool is made.
    pub(crate) fn begin(&self) -> Result<Provenance> {
        confine(self.threads)?;
        Provenance::begin(self.threads)
    }

    /// Lets contenders take turns, there and back. The last one is ours.
    ///
    /// With `same_result`, results must agree byte for byte.
    pub(crate) fn contest(
        &self,
        what: &str,
        same_result: bool,
        mut contenders: Vec<Contender<'_>>,
    ) -> Result<Vec<Row>> {
        let mut first: Option<Vec<u8>> = None;
        for contender in &mut contenders {
            let (_, encode) = (contender.run)()?;
            if same_result {
                let bytes = encode();
                ensure!(
                    *first.get_or_insert_with(|| bytes.clone()) == bytes,
                    "{what}: the result of {} is another",
                    contender.name
                );
            }
        }
        let mut costs = vec![Vec::new(); contenders.len()];
        let there = 0..contenders.len();
        for run in 0..self.runs {
            let order: Vec<usize> = match run % 2 {
                0 => there.clone().collect(),
                _ => there.clone().rev().collect(),
            };
            for index in order {
                let (cost, _) = (contenders[index].run)()?;
                costs[index].push(cost);
            }
        }
        let names = contenders.iter().map(|contender| contender.name);
        let mut rows: Vec<Row> = names
            .zip(costs)
            .map(|(name, costs)| Row {
                what: what.to_owned(),
                name,
                wall_median_ms: median(costs.iter().map(|cost| cost.wall_ms)),
                wall_min_ms: minimum(costs.iter().map(|cost| cost.wall_ms)),
                cpu_median_ms: median(costs.iter().map(|cost| cost.cpu_ms)),
                ratio_wall_median: 1.0,
                ratio_wall_min: 1.0,
                costs,
            })
            .collect();
        if let Some(own) = rows.last().cloned() {
            for row in &mut rows {
                row.ratio_wall_median = row.wall_median_ms / own.wall_median_ms;
                row.ratio_wall_min = row.wall_min_ms / own.wall_min_ms;
            }
        }
        for row in &rows {
            println!(
                "{:<26} {:<28} {:>10.2} ms {:>10.2} min {:>10.2} cpu   x{:.2}",
                row.what,
                row.name,
                row.wall_median_ms,
                row.wall_min_ms,
                row.cpu_median_ms,
                row.ratio_wall_median
            );
        }
        Ok(rows)
    }

    /// Ends the measurement and keeps the record, if one is asked for.
    pub(crate) fn end(&self, provenance: Provenance, what: &str, rows: &[Row]) -> Result<()> {
        let record = provenance.of(what, Contest { rows });
        println!(
            "load average {:?} before, {:?} after",
            record.load_before, record.load_after
        );
        if self.record {
            let path = write_record(what, &record)?;
            println!("recorded in {}", path.display());
        }
        Ok(())
    }
}
