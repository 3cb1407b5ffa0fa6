//! `cuzk prove`: a witness of a circuit.

use std::{path::Path, sync::Arc, time::Instant};

use cuzk::{Blinding, Compiled, Error, Phase, ProveError, Proved, ReadOptions, Report, Trailing};
use rand::rngs::OsRng;

use crate::{
    args::{CheckArg, Common, Prove},
    circuit_file,
    failure::{Failure, chain},
    new_file::{Existing, NewFile},
    output::Output,
    pictures::Pictures,
    proof_file::ProofText,
    run,
    waiting::Waiting,
};

pub(crate) fn run(args: &Prove, common: &Common, output: &mut Output) -> Result<(), Failure> {
    if args.check == CheckArg::Digest && args.digest.is_none() {
        return Err(
            Failure::bad_input("--check digest needs a digest to compare with")
                .with_hint("give it with --digest; cuzk inspect prints it"),
        );
    }
    let read = [&args.r1cs, &args.witness, &args.params].map(|path| path.as_path());
    let out = args.out.as_deref();
    let out = out.map(|path| NewFile::create(path, Existing::Replace, &read));
    let out = out.transpose()?;
    let others: Vec<&Path> = read.into_iter().chain(args.out.as_deref()).collect();
    let pictures = args.pictures.create(&others)?;
    let started = Instant::now();
    let (proved, compiled, report) = prove(args, common, &pictures)?;
    let report = report.timed_outside(started.elapsed());
    let circuit = name(&args.r1cs);
    let text = ProofText::new(&circuit, &compiled, &proved, &report);
    // A proof that cannot be stored is printed all the same.
    let stored = out.map_or(Ok(()), |file| text.write(file));
    output.result(|| text.object(), || text.summary())?;
    stored?;
    pictures.write(&circuit, &[("one proof", &report)])
}

fn prove(
    args: &Prove,
    common: &Common,
    pictures: &Pictures,
) -> Result<(Proved, Compiled, Report), Failure> {
    let _waiting = Waiting::for_work(common, "proving");
    let timeline = pictures.timeline(common.tuning.measure)?;
    let prover = timeline.measure(Phase::Open, || run::prover(common))?;
    prover.name_device(&timeline);
    let circuit = timeline.measure(Phase::Compile, || circuit_file::read_r1cs(&args.r1cs))?;
    let inputs = circuit.header.num_inputs();
    let options = ReadOptions {
        check: args.check.into(),
        trailing: match args.allow_trailing {
            true => Trailing::Allow,
            false => Trailing::Refuse,
        },
        digest: args.digest,
        ..ReadOptions::default()
    };
    let loaded = prover
        .load(&args.params, &options, &timeline)
        .map_err(|error| explain(&error, args))?;
    let compiled = prover
        .prepare(Arc::new(circuit.shape), &loaded.parameters, &timeline)
        .map_err(|error| explain(&error, args))?;
    let witness = timeline.measure(Phase::Synthesize, || {
        circuit_file::read_witness(&args.witness)?
            .pack(inputs)
            .map_err(|error| Failure::file("reading", &args.witness, &error))
    })?;
    let proved = compiled
        .prove_witness(&witness, &Blinding::random(OsRng), &timeline)
        .map_err(|error| explain(&error, args))?;
    Ok((proved, compiled, timeline.finish()))
}

/// Says what to do about an error of the library.
fn explain(error: &Error, args: &Prove) -> Failure {
    use cuzk::ParamsError::{DigestMismatch, NotAFile, Open, Trailing};
    let hint = match error {
        Error::Params(Open { .. }) => Some(format!(
            "parameters are never made here; for a test: cuzk setup --r1cs {} --params {}",
            args.r1cs.display(),
            args.params.display()
        )),
        Error::Params(NotAFile { .. }) => {
            Some("its length has to be known: copy it into a file first".to_owned())
        }
        Error::Params(Trailing { .. }) => {
            Some("if that is a ceremony's transcript, allow it with --allow-trailing".to_owned())
        }
        Error::Params(DigestMismatch { .. }) => {
            Some("the file is another one than the digest was taken of".to_owned())
        }
        Error::Params(_) => Some(format!("see: cuzk inspect {}", args.params.display())),
        Error::Prove(ProveError::KeyMismatch { .. }) => Some(format!(
            "{} was made for another circuit than {}",
            args.params.display(),
            args.r1cs.display()
        )),
        Error::Prove(ProveError::WitnessMismatch { .. }) => Some(format!(
            "{} was made for another circuit than {}",
            args.witness.display(),
            args.r1cs.display()
        )),
        _ => None,
    };
    let refused = error.is_refusal();
    let failure = match error {
        // The library's hint at a checking pass is for circuits in code.
        Error::Prove(ProveError::Unsatisfied { constraint }) => Failure::refused(format!(
            "the witness does not satisfy constraint {constraint}, counted from 0"
        )),
        _ if refused => Failure::refused(chain(error)),
        _ => Failure::bad_input(chain(error)),
    };
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

/// A circuit's name: that of its file.
fn name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str());
    stem.to_string_lossy().into_owned()
}
