//! `cuzk bench`: times on synthetic circuits, or on recorded ones.

pub(crate) mod circuit;
pub(crate) mod pipeline;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use cuzk::{Blinding, Compiled, PackedWitness, Prover, Shape, Timeline, layers::r1cs::FileError};
use rand::rngs::OsRng;
use serde_json::{Value, json};

use self::circuit::Chain;
use crate::{
    args::{BenchProve, Common},
    circuit_file,
    failure::{Failure, chain},
    output::{Output, report_object},
    pictures::Pictures,
    run,
    waiting::Waiting,
};

/// A shape with one of its witnesses.
struct Subject {
    name: String,
    shape: Arc<Shape>,
    witness: PackedWitness,
}

/// What was measured, in milliseconds.
struct Times {
    setup_ms: f64,
    prepare_ms: f64,
    first_ms: f64,
    single_ms: Vec<f64>,
    /// Of each proof in a batch.
    batched_ms: Vec<f64>,
    /// Of the last proof made alone.
    report: cuzk::Report,
    /// Of the last batch.
    batch_report: Option<cuzk::Report>,
}

pub(crate) fn prove(
    args: &BenchProve,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let others: Vec<&Path> = [&args.shape, &args.witness_file]
        .into_iter()
        .filter_map(|path| path.as_deref())
        .collect();
    let pictures = args.pictures.create(&others)?;
    let prover = run::prover(common)?;
    let subject = {
        let _waiting = Waiting::for_work(common, "synthesizing");
        subject(args)?
    };
    let times = {
        let _waiting = Waiting::for_work(common, &subject.name);
        measure(&prover, args, &subject, &pictures)?
    };
    output.result(
        || object(args, &subject, &times),
        || text(args, &subject, &times),
    )?;
    let mut runs = vec![("one proof", &times.report)];
    runs.extend(
        times
            .batch_report
            .as_ref()
            .map(|report| ("a batch", report)),
    );
    pictures.write(&subject.name, &runs)
}

fn subject(args: &BenchProve) -> Result<Subject, Failure> {
    match (&args.shape, &args.witness_file) {
        (Some(shape), Some(witness)) => recorded(shape, witness),
        _ => {
            let chain = Chain {
                constraints: args.constraints.0,
                bits_percent: args.witness.bits_percent(),
            };
            Ok(Subject {
                name: format!("{} of {} constraints", args.witness, args.constraints.0),
                shape: Arc::new(cuzk::layers::synth::shape(chain).map_err(cuzk::Error::from)?),
                witness: cuzk::layers::synth::witness(chain).map_err(cuzk::Error::from)?,
            })
        }
    }
}

/// A circuit that was recorded as files of `cuzk-r1cs`.
fn recorded(shape: &Path, witness: &Path) -> Result<Subject, Failure> {
    let read = |path: &Path, magic: &[u8]| {
        circuit_file::read(path, magic).map_err(|error| Failure::file("reading", path, &error))
    };
    let broken = |path: &Path, error: FileError| {
        Failure::bad_input(format!("{}: {}", path.display(), chain(&error)))
    };
    let (shape_bytes, witness_bytes) = (read(shape, b"cuzkshp1")?, read(witness, b"cuzkwit1")?);
    let subject = Subject {
        name: shape.display().to_string(),
        shape: Arc::new(Shape::from_bytes(&shape_bytes).map_err(|error| broken(shape, error))?),
        witness: PackedWitness::from_bytes(&witness_bytes)
            .map_err(|error| broken(witness, error))?,
    };
    // Said before minutes are spent on parameters.
    let [expected, got] = [
        [subject.shape.num_inputs(), subject.shape.num_variables()],
        [subject.witness.num_inputs(), subject.witness.len()],
    ];
    if expected != got {
        let [shape, witness] = [shape, witness].map(Path::display);
        return Err(Failure::bad_input(format!(
            "{witness} was made for another circuit than {shape}: expected {} inputs of {} \
             variables, got {} of {}",
            expected[0], expected[1], got[0], got[1]
        )));
    }
    Ok(subject)
}

fn measure(
    prover: &Prover,
    args: &BenchProve,
    subject: &Subject,
    pictures: &Pictures,
) -> Result<Times, Failure> {
    let started = Instant::now();
    let parameters = prover.setup(&subject.shape, |_| ())?;
    let setup_ms = milliseconds(started.elapsed());
    let started = Instant::now();
    let compiled = prover.prepare(subject.shape.clone(), &parameters, &Timeline::start())?;
    let prepare_ms = milliseconds(started.elapsed());
    drop(parameters);
    let (first_ms, _) = single(&compiled, subject, pictures)?;
    let mut single_ms = Vec::new();
    let mut last = None;
    for _ in 0..args.rounds {
        let (time, report) = single(&compiled, subject, pictures)?;
        single_ms.push(time);
        last = Some(report);
    }
    let report = last.ok_or_else(|| Failure::bad_input("expected at least one round"))?;
    let mut batched_ms = Vec::new();
    let mut batch_report = None;
    for _ in 0..args.rounds {
        if let Some((time, report)) = batch(&compiled, subject, args.circuits, pictures)? {
            batched_ms.push(time);
            batch_report = Some(report);
        }
    }
    Ok(Times {
        setup_ms,
        prepare_ms,
        first_ms,
        single_ms,
        batched_ms,
        report,
        batch_report,
    })
}

/// From the witness on the host to the verified proof.
fn single(
    compiled: &Compiled,
    subject: &Subject,
    pictures: &Pictures,
) -> Result<(f64, cuzk::Report), Failure> {
    let started = Instant::now();
    let timeline = pictures.timeline()?;
    compiled.prove_witness(&subject.witness, &Blinding::random(OsRng), &timeline)?;
    let time = started.elapsed();
    Ok((milliseconds(time), timeline.finish().timed_outside(time)))
}

/// The time of each proof of a batch; nothing for a batch of one.
fn batch(
    compiled: &Compiled,
    subject: &Subject,
    n: usize,
    pictures: &Pictures,
) -> Result<Option<(f64, cuzk::Report)>, Failure> {
    if n < 2 {
        return Ok(None);
    }
    let witnesses = vec![subject.witness.clone(); n];
    let started = Instant::now();
    let timeline = pictures.timeline()?;
    let proofs = compiled.prove_witnesses(&witnesses, &timeline)?;
    let time = started.elapsed();
    let report = timeline.finish().timed_outside(time);
    for proof in proofs {
        proof?;
    }
    Ok(Some((milliseconds(time) / n as f64, report)))
}

fn object(args: &BenchProve, subject: &Subject, times: &Times) -> Value {
    let mut object = report_object(&times.report);
    let witness = &subject.witness;
    let own = json!({
        "circuit": subject.name,
        "constraints": subject.shape.num_constraints(),
        "inputs": subject.shape.num_inputs(),
        "variables": witness.len(),
        "neither_0_nor_1": witness.small().len() + witness.full().len(),
        "circuits": args.circuits,
        "setup_ms": times.setup_ms,
        "prepare_ms": times.prepare_ms,
        "first_ms": times.first_ms,
        "single_ms": times.single_ms,
        "single_median_ms": median(&times.single_ms),
        "batched_ms": times.batched_ms,
        "batched_median_ms": median(&times.batched_ms),
        "batch_report": times.batch_report,
    });
    if let Value::Object(own) = own {
        object.extend(own);
    }
    Value::Object(object)
}

fn text(args: &BenchProve, subject: &Subject, times: &Times) -> String {
    let witness = &subject.witness;
    let mut text = format!(
        "{}: {} of {} values neither 0 nor 1\n{}\nset-up {:.0} ms, key prepared in {:.0} ms, \
         first proof {:.1} ms\nthen {} proofs, median {:.1} ms",
        subject.name,
        witness.small().len() + witness.full().len(),
        witness.len(),
        times.report,
        times.setup_ms,
        times.prepare_ms,
        times.first_ms,
        times.single_ms.len(),
        median(&times.single_ms).unwrap_or(f64::NAN),
    );
    if let Some(each) = median(&times.batched_ms) {
        text += &format!("\neach of {} together, median {each:.1} ms", args.circuits);
    }
    if let Some(report) = &times.batch_report {
        text += &format!("\n\n{} together, the last time\n{report}", args.circuits);
    }
    text
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(times: &[f64]) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let (low, high) = (times.len().checked_sub(1)? / 2, times.len() / 2);
    Some((times[low] + times[high]) / 2.0)
}
