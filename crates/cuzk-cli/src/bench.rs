//! `cuzk bench`: times on synthetic circuits, or on recorded ones.

pub(crate) mod circuit;
pub(crate) mod pipeline;
pub(crate) mod rows;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use cuzk::{
    Blinding, Compiled, PackedWitness, Prover, Shape, Timeline, Tuning, layers::r1cs::FileError,
};
use cuzk_record::{BenchResult, BenchRow, median};
use rand::rngs::OsRng;
use serde_json::{Value, json};

use self::circuit::Chain;
use crate::{
    args::{BenchProve, Common, Constraints},
    circuit_file,
    failure::{Failure, chain},
    output::{Output, report_object},
    pictures::Pictures,
    provenance::kept,
    run,
    waiting::Waiting,
};

/// A shape with one of its witnesses.
struct Subject {
    /// In one word or two.
    id: String,
    name: String,
    shape: Arc<Shape>,
    witness: PackedWitness,
}

/// What was measured, in milliseconds.
struct Times {
    setup_ms: f64,
    setup: cuzk::Report,
    prepare_ms: f64,
    first_ms: f64,
    /// Of every proof made alone.
    single: Vec<cuzk::Report>,
    /// Of every batch.
    batches: Vec<cuzk::Report>,
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
    let record = args.record.create()?;
    let prover = run::prover(common)?;
    let mut measured = Vec::new();
    for &constraints in &args.constraints {
        let subject = {
            let _waiting = Waiting::for_work(common, "synthesizing");
            subject(args, constraints)?
        };
        let _waiting = Waiting::for_work(common, &subject.name);
        let times = measure(&prover, args, &subject, &pictures)?;
        measured.push((subject, times));
    }
    let record = record.map(|record| {
        let rows = measured.iter();
        let rows = rows.map(|(subject, times)| row(prover.tuning(), args, subject, times));
        let result = BenchResult {
            rows: rows.collect(),
        };
        let device = result.rows.last().map_or("", |row| &row.device);
        record.write(
            "cuzk bench prove: times of proofs".to_owned(),
            device,
            &result,
        )
    });
    output.result(
        || match &measured[..] {
            [(subject, times)] => object(args, subject, times),
            all => {
                json!({ "runs": all.iter().map(|(s, t)| object(args, s, t)).collect::<Vec<_>>() })
            }
        },
        || {
            let texts = measured.iter().map(|(s, t)| text(args, s, t) + "\n");
            texts.collect::<String>() + &kept(record.as_ref())
        },
    )?;
    record.transpose()?;
    draw(pictures, &measured)
}

/// The page and the trace of the last runs.
fn draw(pictures: Pictures, measured: &[(Subject, Times)]) -> Result<(), Failure> {
    let several = measured.len() > 1;
    let mut runs = Vec::new();
    for (subject, times) in measured {
        let one = times.single.last().map(|report| ("one proof", report));
        let batch = times.batches.last().map(|report| ("a batch", report));
        runs.extend(one.into_iter().chain(batch).map(|(way, report)| {
            let name = match several {
                true => format!("{}: {way}", subject.name),
                false => way.to_owned(),
            };
            (name, report)
        }));
    }
    let runs: Vec<(&str, &cuzk::Report)> = runs.iter().map(|(name, r)| (&**name, *r)).collect();
    let title = match measured {
        [(subject, _)] => &subject.name,
        _ => "cuzk bench prove",
    };
    pictures.write(title, &runs)
}

fn subject(args: &BenchProve, constraints: Constraints) -> Result<Subject, Failure> {
    match (&args.shape, &args.witness_file) {
        (Some(shape), Some(witness)) => recorded(shape, witness),
        _ => {
            let chain = Chain {
                constraints: constraints.0,
                bits_percent: args.witness.bits_percent(),
            };
            Ok(Subject {
                id: rows::id(args.witness, constraints),
                name: format!("{} of {} constraints", args.witness, constraints.0),
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
    let stem = shape.file_stem().unwrap_or_default();
    let subject = Subject {
        id: stem.to_string_lossy().into_owned(),
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
    let timeline = Timeline::start();
    let parameters = prover.setup_timed(&subject.shape, |_| (), &timeline)?;
    let setup_time = started.elapsed();
    let setup_ms = milliseconds(setup_time);
    let setup = timeline.finish().timed_outside(setup_time);
    let started = Instant::now();
    let compiled = prover.prepare(subject.shape.clone(), &parameters, &Timeline::start())?;
    let prepare_ms = milliseconds(started.elapsed());
    drop(parameters);
    let (first_ms, _) = single(&compiled, subject, pictures)?;
    let mut single_reports = Vec::new();
    for _ in 0..args.rounds {
        single_reports.push(single(&compiled, subject, pictures)?.1);
    }
    let mut batches = Vec::new();
    for _ in 0..args.rounds {
        batches.extend(batch(&compiled, subject, args.circuits, pictures)?);
    }
    Ok(Times {
        setup_ms,
        setup,
        prepare_ms,
        first_ms,
        single: single_reports,
        batches,
    })
}

/// From the witness on the host to the verified proof.
fn single(
    compiled: &Compiled,
    subject: &Subject,
    pictures: &Pictures,
) -> Result<(f64, cuzk::Report), Failure> {
    let started = Instant::now();
    let timeline = pictures.timeline(compiled.prover().tuning().measure)?;
    compiled.prove_witness(&subject.witness, &Blinding::random(OsRng), &timeline)?;
    let report = timeline.finish();
    // What it costs to measure is a part of the run.
    let time = started.elapsed();
    Ok((milliseconds(time), report.timed_outside(time)))
}

/// A batch; nothing for one of one proof.
fn batch(
    compiled: &Compiled,
    subject: &Subject,
    n: usize,
    pictures: &Pictures,
) -> Result<Option<cuzk::Report>, Failure> {
    if n < 2 {
        return Ok(None);
    }
    let witnesses = vec![subject.witness.clone(); n];
    let started = Instant::now();
    let timeline = pictures.timeline(compiled.prover().tuning().measure)?;
    let proofs = compiled.prove_witnesses(&witnesses, &timeline)?;
    let report = timeline.finish();
    let time = started.elapsed();
    for proof in proofs {
        proof?;
    }
    Ok(Some(report.timed_outside(time)))
}

/// Milliseconds of each proof of every run.
fn each_ms(reports: &[cuzk::Report], proofs: usize) -> Vec<f64> {
    let whole = |report: &cuzk::Report| report.outer.unwrap_or(report.total);
    let each = reports
        .iter()
        .map(|report| milliseconds(whole(report)) / proofs as f64);
    each.collect()
}

fn row(tuning: &Tuning, args: &BenchProve, subject: &Subject, times: &Times) -> BenchRow {
    let one = rows::way("one by one", 1, &times.single);
    let batch = rows::way("a batch", args.circuits, &times.batches);
    let once = [
        ("setup", times.setup_ms),
        ("prepare", times.prepare_ms),
        ("first", times.first_ms),
    ];
    BenchRow {
        id: subject.id.clone(),
        circuit: subject.name.clone(),
        constraints: subject.shape.num_rows(),
        variables: subject.witness.len(),
        device: times.single.last().map(rows::place).unwrap_or_default(),
        tuning: rows::tuning(tuning),
        once_ms: once.map(|(what, ms)| (what.to_owned(), ms)).into(),
        ways: one.into_iter().chain(batch).collect(),
    }
}

fn object(args: &BenchProve, subject: &Subject, times: &Times) -> Value {
    let mut object = times.single.last().map(report_object).unwrap_or_default();
    let (single_ms, batched_ms) = (
        each_ms(&times.single, 1),
        each_ms(&times.batches, args.circuits),
    );
    let witness = &subject.witness;
    let own = json!({
        "circuit": subject.name,
        "constraints": subject.shape.num_constraints(),
        "inputs": subject.shape.num_inputs(),
        "variables": witness.len(),
        "neither_0_nor_1": witness.small().len() + witness.full().len(),
        "circuits": args.circuits,
        "setup_ms": times.setup_ms,
        "setup_report": times.setup,
        "prepare_ms": times.prepare_ms,
        "first_ms": times.first_ms,
        "single_median_ms": median(&single_ms),
        "single_ms": single_ms,
        "batched_median_ms": median(&batched_ms),
        "batched_ms": batched_ms,
        "batch_report": times.batches.last(),
    });
    if let Value::Object(own) = own {
        object.extend(own);
    }
    Value::Object(object)
}

fn text(args: &BenchProve, subject: &Subject, times: &Times) -> String {
    let witness = &subject.witness;
    let mut text = format!(
        "{}: {} of {} values neither 0 nor 1\n",
        subject.name,
        witness.small().len() + witness.full().len(),
        witness.len(),
    );
    if let Some(report) = times.single.last() {
        text += &report.to_string();
    }
    text += &format!(
        "\nset-up {:.0} ms, key prepared in {:.0} ms, first proof {:.1} ms\nthen {} proofs, \
         median {:.1} ms",
        times.setup_ms,
        times.prepare_ms,
        times.first_ms,
        times.single.len(),
        median(&each_ms(&times.single, 1)).unwrap_or(f64::NAN),
    );
    if let Some(each) = median(&each_ms(&times.batches, args.circuits)) {
        text += &format!("\neach of {} together, median {each:.1} ms", args.circuits);
    }
    text += &format!("\n\nset-up\n{}", times.setup);
    if let Some(report) = times.batches.last() {
        text += &format!("\n\n{} together, the last time\n{report}", args.circuits);
    }
    text
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
