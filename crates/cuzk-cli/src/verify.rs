//! `cuzk verify`: a proof against a verifying key.

use std::{fs::File, io::Read, path::Path};

use cuzk::{Fr, ParameterFile, ParamsError, PreparedVerifyingKey, VerifyError, VerifyingKey};
use serde_json::json;

use crate::{
    args::{Common, Verify},
    failure::{Failure, chain},
    output::Output,
    proof_file::ProofFile,
    run, scalar_text,
};

pub(crate) fn run(args: &Verify, common: &Common, output: &mut Output) -> Result<(), Failure> {
    // With threads as many as asked for, as for every command.
    let _prover = run::prover(common)?;
    let key = read_key(&args.key)?;
    let ProofFile {
        proof,
        public_inputs,
    } = ProofFile::read(&args.proof)?;
    let public_inputs = match &args.inputs {
        Some(list) => parse(list)?,
        None => public_inputs.ok_or_else(|| no_inputs(args, &key))?,
    };
    let verdict = cuzk::verify(&key, &proof, &public_inputs);
    let inputs = public_inputs.iter().map(scalar_text::to_text);
    let object =
        json!({ "verified": verdict.is_ok(), "public_inputs": inputs.collect::<Vec<_>>() });
    match verdict {
        // The object says it; the text is that of the failure.
        Err(VerifyError::Refused) if output.is_json() => {
            output.result(|| object, String::new)?;
            return Err(refusal(&VerifyError::Refused));
        }
        verdict => verdict.map_err(|error| refusal(&error))?,
    }
    output.result(
        || object,
        || {
            format!(
                "The proof verifies, with {} public inputs.",
                public_inputs.len()
            )
        },
    )
}

fn read_key(path: &Path) -> Result<PreparedVerifyingKey, Failure> {
    let mut file = File::open(path).map_err(|error| Failure::file("opening", path, &error))?;
    let key = VerifyingKey::read(&mut file);
    let key = key.map_err(|error| Failure::file("reading", path, &error))?;
    let mut next = [0];
    let more = file.read(&mut next);
    if more.map_err(|error| Failure::file("reading", path, &error))? > 0 {
        only_parameters_follow(path)?;
    }
    PreparedVerifyingKey::new(&key).map_err(|error| Failure::file("using", path, &error))
}

/// What follows a key makes parameters of the file. Of a pipe that is not looked at.
fn only_parameters_follow(path: &Path) -> Result<(), Failure> {
    match ParameterFile::open(path) {
        Ok(_) | Err(ParamsError::NotAFile { .. }) => Ok(()),
        Err(error) => Err(Failure::bad_input(format!(
            "{} holds more than a verifying key, and no parameters: {}",
            path.display(),
            chain(&error)
        ))),
    }
}

/// `--inputs ''` means no inputs at all.
fn parse(list: &[String]) -> Result<Vec<Fr>, Failure> {
    if list.len() == 1 && list[0].trim().is_empty() {
        return Ok(Vec::new());
    }
    list.iter()
        .map(|text| scalar_text::from_text(text).map_err(Failure::bad_input))
        .collect()
}

fn no_inputs(args: &Verify, key: &PreparedVerifyingKey) -> Failure {
    Failure::bad_input(format!("{} holds no public inputs", args.proof.display())).with_hint(
        format!(
            "give the {} that the key takes with --inputs",
            key.num_public_inputs()
        ),
    )
}

fn refusal(error: &VerifyError) -> Failure {
    match error {
        VerifyError::Refused => Failure::refused(chain(error)),
        _ => Failure::bad_input(chain(error)),
    }
}
