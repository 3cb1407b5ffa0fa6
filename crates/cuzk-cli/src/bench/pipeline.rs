//! `cuzk bench pipeline`: witness passes and proofs, one by one, as a batch, and in a pipeline.

use std::{
    num::NonZeroUsize,
    sync::Arc,
    time::{Duration, Instant},
};

use clap::Args as ClapArgs;
use cuzk::{Circuit, Compiled, Finished, Pipeline, PipelineOptions, Prover, Report, Tuning};
use cuzk_record::{BenchResult, BenchRow, Way, median};
use serde_json::{Value, json};

use super::{circuit::Chain, milliseconds, rows};
use crate::{
    args::{Common, Constraints, WitnessKind, batch_size},
    failure::Failure,
    output::{Output, report_object},
    provenance::{RecordArgs, kept},
    run,
    waiting::Waiting,
};

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchPipeline {
    /// Constraints of the synthetic circuit: a number, or a power as 2^20.
    #[arg(long, default_value = "2^18")]
    constraints: Constraints,
    /// What its witness holds.
    #[arg(long, value_enum, default_value_t = WitnessKind::Bits90)]
    witness: WitnessKind,
    /// Take a circuit of Sapling instead, with parameters made on the spot.
    #[arg(long, value_name = "CIRCUIT", conflicts_with_all = ["constraints", "witness"])]
    circuit: Option<cuzk_sapling::Circuit>,
    /// Proofs of a round.
    #[arg(long, default_value_t = 16, value_parser = batch_size)]
    proofs: usize,
    /// Rounds, in each of which every way has its turn, after one that is not counted.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Threads of the pipeline's witness passes; by default one for each processor.
    #[arg(long, value_name = "N")]
    synthesis_threads: Option<NonZeroUsize>,
    /// Proofs of the pipeline that go through together.
    #[arg(long, value_name = "N")]
    batch: Option<NonZeroUsize>,
    /// Bytes that the pipeline's witnesses may have.
    #[arg(long, value_name = "BYTES")]
    witness_budget: Option<usize>,
    #[command(flatten)]
    record: RecordArgs,
}

/// Milliseconds of a whole round, by way, and what single proofs say.
#[derive(Default)]
struct Times {
    one_by_one: Vec<f64>,
    batch: Vec<f64>,
    pipeline: Vec<f64>,
    /// Of the last round of the pipeline.
    reports: Vec<Report>,
    peak_witness_bytes: usize,
    constraints: usize,
    variables: usize,
}

pub(crate) fn run(
    args: &BenchPipeline,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let record = args.record.create()?;
    let prover = run::prover(common)?;
    let (name, times) = match args.circuit {
        Some(circuit) => {
            let _waiting = Waiting::for_work(common, circuit.name());
            let instance = |seed| circuit.statement(seed).instance;
            let circuits: Vec<_> = (0..args.proofs as u64).map(instance).collect();
            let times = measure(&prover, args, &circuits)?;
            (circuit.name().to_owned(), times)
        }
        None => {
            let name = format!("{} of {} constraints", args.witness, args.constraints.0);
            let _waiting = Waiting::for_work(common, &name);
            let chain = Chain {
                constraints: args.constraints.0,
                bits_percent: args.witness.bits_percent(),
            };
            let times = measure(&prover, args, &vec![chain; args.proofs])?;
            (name, times)
        }
    };
    let record = record.map(|record| {
        let row = row(args, &name, &times, prover.tuning());
        let what = "cuzk bench pipeline: times of proofs with their witness passes".to_owned();
        let device = row.device.clone();
        record.write(what, &device, BenchResult { rows: vec![row] })
    });
    output.result(
        || object(args, &name, &times),
        || text(args, &name, &times) + &kept(record.as_ref()),
    )?;
    record.transpose().map(|_| ())
}

fn measure<C: Circuit + Clone + Send + 'static>(
    prover: &Prover,
    args: &BenchPipeline,
    circuits: &[C],
) -> Result<Times, Failure> {
    let first = &circuits[0];
    let parameters = prover.setup(&prover.shape(first.clone())?, |_| ())?;
    let compiled = Arc::new(prover.compile(first.clone(), &parameters)?);
    drop(parameters);
    let mut options = PipelineOptions::default();
    options.synthesis_threads = args.synthesis_threads.unwrap_or(options.synthesis_threads);
    options.batch = args.batch.unwrap_or(options.batch);
    options.witness_budget_bytes = args.witness_budget.unwrap_or(options.witness_budget_bytes);
    let mut times = Times {
        constraints: compiled.shape().num_rows(),
        variables: compiled.shape().num_variables(),
        ..Times::default()
    };
    for round in 0..=args.rounds {
        let pipeline = Pipeline::new(options.clone())?;
        let single = timed(|| one_by_one(&compiled, circuits.to_vec()))?.0;
        let batch = timed(|| batch(&compiled, circuits.to_vec()))?.0;
        let (whole, finished) = timed(|| piped(&pipeline, &compiled, circuits.to_vec()))?;
        if round == 0 {
            continue;
        }
        times.one_by_one.push(single);
        times.batch.push(batch);
        times.pipeline.push(whole);
        times.reports = finished
            .into_iter()
            .map(|finished| finished.report)
            .collect();
        let peak_bytes = pipeline.status().peak_witness_bytes;
        times.peak_witness_bytes = times.peak_witness_bytes.max(peak_bytes);
    }
    Ok(times)
}

fn timed<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<(f64, T), Failure> {
    let started = Instant::now();
    let result = work()?;
    Ok((milliseconds(started.elapsed()), result))
}

fn one_by_one<C: Circuit>(compiled: &Compiled, circuits: Vec<C>) -> Result<(), Failure> {
    for circuit in circuits {
        compiled.prove(circuit)?;
    }
    Ok(())
}

fn batch<C: Circuit + Send>(compiled: &Compiled, circuits: Vec<C>) -> Result<(), Failure> {
    for proof in compiled.prove_batch(circuits)? {
        proof?;
    }
    Ok(())
}

fn piped<C: Circuit + Send + 'static>(
    pipeline: &Pipeline,
    compiled: &Arc<Compiled>,
    circuits: Vec<C>,
) -> Result<Vec<Finished>, Failure> {
    let mut tickets = Vec::with_capacity(circuits.len());
    for circuit in circuits {
        tickets.push(pipeline.submit(compiled, circuit)?);
    }
    let mut finished = Vec::with_capacity(tickets.len());
    for ticket in tickets {
        finished.push(ticket.wait()?);
    }
    Ok(finished)
}

/// The sum over all proofs of a round of the time by a clock.
fn sum(times: &Times, clock: impl Fn(&Report) -> Duration) -> f64 {
    milliseconds(times.reports.iter().map(clock).sum())
}

/// Time of one proof by the device's clock.
fn device_time(report: &Report) -> Duration {
    report.phases.iter().filter_map(|row| row.device).sum()
}

/// Time of one proof's witness pass.
fn synthesis_time(report: &Report) -> Duration {
    let row = report.phase(cuzk::Phase::Synthesize);
    row.map_or(Duration::ZERO, |row| row.host)
}

fn queue_time(report: &Report) -> Duration {
    let row = report.phase(cuzk::Phase::Queue);
    row.map_or(Duration::ZERO, |row| row.host)
}

fn row(args: &BenchPipeline, name: &str, times: &Times, tuning: &Tuning) -> BenchRow {
    let n = args.proofs;
    let ways = [
        Way::of("one by one", n, times.one_by_one.clone()),
        Way::of("a batch", n, times.batch.clone()),
        Way::of("a pipeline", n, times.pipeline.clone()),
    ];
    BenchRow {
        id: match args.circuit {
            Some(circuit) => circuit.name().to_owned(),
            None => rows::id(args.witness, args.constraints),
        },
        circuit: name.to_owned(),
        constraints: times.constraints,
        variables: times.variables,
        device: times.reports.last().map(rows::place).unwrap_or_default(),
        tuning: rows::tuning(tuning),
        once_ms: Default::default(),
        ways: ways.into_iter().flatten().collect(),
    }
}

fn object(args: &BenchPipeline, name: &str, times: &Times) -> Value {
    let mut object = times.reports.last().map(report_object).unwrap_or_default();
    let own = json!({
        "circuit": name,
        "proofs": args.proofs,
        "one_by_one_ms": times.one_by_one,
        "one_by_one_median_ms": median(&times.one_by_one),
        "batch_ms": times.batch,
        "batch_median_ms": median(&times.batch),
        "pipeline_ms": times.pipeline,
        "pipeline_median_ms": median(&times.pipeline),
        "sum_synthesis_ms": sum(times, synthesis_time),
        "sum_device_ms": sum(times, device_time),
        "sum_queue_ms": sum(times, queue_time),
        "peak_witness_bytes": times.peak_witness_bytes,
    });
    if let Value::Object(own) = own {
        object.extend(own);
    }
    Value::Object(object)
}

fn text(args: &BenchPipeline, name: &str, times: &Times) -> String {
    let n = args.proofs;
    let mut text = format!("{name}: {n} proofs with their witness passes\n");
    let base = median(&times.one_by_one).unwrap_or(f64::NAN);
    let ways = [
        ("one by one", &times.one_by_one),
        ("a batch", &times.batch),
        ("a pipeline", &times.pipeline),
    ];
    for (way, all_ms) in ways {
        let ms = median(all_ms).unwrap_or(f64::NAN);
        text += &format!(
            "{way:<11} {ms:9.1} ms, {:7.2} proofs/s, {:5.2} times one by one\n",
            1e3 * n as f64 / ms,
            base / ms
        );
    }
    text += &format!(
        "in the last pipeline, over all proofs: witness passes {:.1} ms, device {:.1} ms, queues \
         {:.1} ms; witnesses had {} bytes at most\n",
        sum(times, synthesis_time),
        sum(times, device_time),
        sum(times, queue_time),
        times.peak_witness_bytes,
    );
    if let Some(report) = times.reports.last() {
        text += &format!("its last proof:\n{report}");
    }
    text
}
