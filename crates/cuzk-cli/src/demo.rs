//! `cuzk demo`: a real circuit with its real parameters.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use cuzk::{
    Blinding, Compiled, Error, ParamsError, Phase, Proved, Prover, ReadOptions, Report, Timeline,
    Trailing,
};
use cuzk_sapling::{Circuit, Statement};
use rand::{RngCore, rngs::OsRng};

use crate::{
    args::{Common, Demo},
    failure::Failure,
    new_file::{Existing, NewFile},
    output::Output,
    pictures::Pictures,
    proof_file::ProofText,
    run,
    waiting::Waiting,
};

pub(crate) fn run(args: &Demo, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or_else(|| OsRng.next_u64());
    let mut others: Vec<&Path> = args.params.iter().map(PathBuf::as_path).collect();
    let out = args.out.as_deref();
    let out = out.map(|path| NewFile::create(path, Existing::Replace, &others));
    let out = out.transpose()?;
    others.extend(args.out.as_deref());
    let pictures = args.pictures.create(&others)?;
    let statement = args.circuit.statement(seed);
    let started = Instant::now();
    let (proved, compiled, report) = prove(args, common, &pictures, &statement)?;
    let report = report.timed_outside(started.elapsed());
    if proved.public_inputs != statement.public_inputs {
        return Err(Failure::refused(
            "the proof's public inputs are not those computed apart from the circuit",
        ));
    }
    let text = ProofText::new(args.circuit.name(), &compiled, &proved, &report);
    // A proof that cannot be stored is printed all the same.
    let stored = out.map_or(Ok(()), |file| text.write(file));
    let seeded = |mut object: serde_json::Value| {
        object["seed"] = seed.into();
        object
    };
    output.result(
        || seeded(text.object()),
        || format!("{}\nseed {seed}", text.summary()),
    )?;
    stored?;
    pictures.write(args.circuit.name(), &[("one proof", &report)])
}

fn prove(
    args: &Demo,
    common: &Common,
    pictures: &Pictures,
    statement: &Statement,
) -> Result<(Proved, Compiled, Report), Failure> {
    let _waiting = Waiting::for_work(common, args.circuit.name());
    let timeline = pictures.timeline(common.tuning.measure)?;
    let prover = timeline.measure(Phase::Open, || run::prover(common))?;
    prover.name_device(&timeline);
    let parameters = load(&prover, args, &timeline)?;
    let compiled = prover.compile_timed(args.circuit.blank(), &parameters, &timeline)?;
    let blinding = Blinding::random(OsRng);
    let proved = compiled.prove_timed(statement.instance.clone(), &blinding, &timeline)?;
    Ok((proved, compiled, timeline.finish()))
}

fn load(prover: &Prover, args: &Demo, timeline: &Timeline) -> Result<cuzk::Parameters, Failure> {
    let circuit: Circuit = args.circuit;
    let digest = circuit.parameters_digest();
    let options = ReadOptions {
        check: args.check.into(),
        trailing: Trailing::Allow,
        digest: Some(digest),
        ..ReadOptions::default()
    };
    let loaded = match &args.params {
        Some(path) => prover.load(path, &options, timeline),
        None => {
            let bytes = timeline.measure(cuzk::Phase::LoadKey, || built_in(circuit))?;
            prover.load_bytes(&bytes, &options, timeline)
        }
    };
    let error = match loaded {
        Ok(loaded) => return Ok(loaded.parameters),
        Err(error) => error,
    };
    let failure = Failure::from_library(&error);
    Err(match (error, &args.params) {
        (Error::Params(ParamsError::DigestMismatch { .. }), _) => {
            failure.with_hint("the parameters must be the ceremony's, byte for byte")
        }
        (_, Some(path)) => failure.with_hint(format!("see: cuzk inspect {}", path.display())),
        (_, None) => failure,
    })
}

/// The parameters of the ceremony that come with the program.
#[cfg(feature = "parameters")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "a program built without them has none"
)]
pub(crate) fn built_in(circuit: Circuit) -> Result<Vec<u8>, Failure> {
    Ok(circuit.parameters_bytes())
}

/// This program was built without the parameters of the ceremony.
#[cfg(not(feature = "parameters"))]
pub(crate) fn built_in(circuit: Circuit) -> Result<Vec<u8>, Failure> {
    let what = format!("this program was built without the parameters of {circuit}");
    Err(Failure::bad_input(what)
        .with_hint("name their file with --params, or build with the feature `parameters`"))
}
