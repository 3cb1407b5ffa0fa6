//! `cuzk setup`: parameters for a circuit.

use std::path::Path;

use cuzk::{Error, SetupError, Timeline};
use cuzk_iden3::R1csFile;
use serde_json::json;

use crate::{
    args::{Common, Setup},
    circuit_file,
    failure::{Failure, chain},
    new_file::{Existing, NewFile},
    output::Output,
    run,
    waiting::Waiting,
};

pub(crate) fn run(args: &Setup, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let prover = run::prover(common)?;
    let circuit = circuit_file::read_r1cs(&args.r1cs)?;
    let existing = match args.force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    let (r1cs, at) = (args.r1cs.as_path(), args.params.as_path());
    let mut params = NewFile::create(at, existing, &[r1cs])?;
    let vk = args.vk.as_deref();
    let vk = vk.map(|path| NewFile::create(path, existing, &[r1cs, at]));
    let mut vk = vk.transpose()?;
    let waiting = Waiting::for_steps(common, "points");
    let timeline = Timeline::start();
    let parameters = prover
        .setup_timed(
            &circuit.shape,
            |at| waiting.at(at.done, at.total),
            &timeline,
        )
        .map_err(|error| explain(&error, &circuit, &args.r1cs))?;
    let report = timeline.finish();
    drop(waiting);
    params.fill(|file| parameters.write(file))?;
    if let Some(vk) = &mut vk {
        vk.fill(|file| parameters.vk.write(file))?;
    }
    // Both or neither: a key of other parameters would be of no use.
    params.put()?;
    vk.map_or(Ok(()), NewFile::put)?;
    let digest = parameters
        .digest()
        .map_err(|error| Failure::bad_input(chain(&error)))?;
    let shape = &circuit.shape;
    output.result(
        || {
            json!({
                "params": args.params.display().to_string(),
                "vk": args.vk.as_ref().map(|path| path.display().to_string()),
                "digest": digest.to_string(),
                "constraints": shape.num_constraints(),
                "inputs": shape.num_inputs(),
                "aux": shape.num_aux(),
                "report": report,
            })
        },
        || {
            format!(
                "{}: parameters for {} constraints, {} inputs, {} auxiliary variables\n\
                 sha256 {digest}\n{report}\n\
                 Whoever makes parameters alone could forge proofs under them.",
                args.params.display(),
                shape.num_constraints(),
                shape.num_inputs(),
                shape.num_aux(),
            )
        },
    )
}

/// Says what to do about an error of the library.
fn explain(error: &Error, circuit: &R1csFile, r1cs: &Path) -> Failure {
    let failure = Failure::from_library(error);
    match error {
        Error::Setup(SetupError::Unconstrained { aux }) => failure.with_hint(format!(
            "it is wire {} of {}: constrain it, or leave it out of the circuit",
            circuit.header.num_inputs() + aux,
            r1cs.display()
        )),
        _ => failure,
    }
}
