//! `cuzk setup`: parameters for a circuit.

use std::{
    fs::{File, OpenOptions},
    io::{BufWriter, Write},
    path::Path,
};

use cuzk::{ParamsError, VerifyingKey};
use serde_json::json;

use crate::{
    args::{Common, Setup},
    circuit_file,
    failure::{Failure, chain},
    output::Output,
    run,
    waiting::Waiting,
};

pub(crate) fn run(args: &Setup, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let prover = run::prover(common)?;
    let circuit = circuit_file::read_r1cs(&args.r1cs)?;
    // Opened before the work, so that a set-up is not lost to a missing folder.
    let params = create(&args.params, args.force)?;
    let vk = match &args.vk {
        Some(path) => Some((path, create(path, args.force)?)),
        None => None,
    };
    let waiting = Waiting::for_steps(common, "points");
    let parameters = prover.setup(&circuit.shape, |at| waiting.at(at.done, at.total))?;
    drop(waiting);
    store(&args.params, params, |file| parameters.write(file))?;
    if let Some((path, file)) = vk {
        store(path, file, |file| VerifyingKey::write(&parameters.vk, file))?;
    }
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
            })
        },
        || {
            format!(
                "{}: parameters for {} constraints, {} inputs, {} auxiliary variables\n\
                 sha256 {digest}\n\
                 Whoever makes parameters alone could forge proofs under them.",
                args.params.display(),
                shape.num_constraints(),
                shape.num_inputs(),
                shape.num_aux(),
            )
        },
    )
}

fn create(path: &Path, force: bool) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(true);
    let opened = match force {
        true => options.create(true).open(path),
        false => options.create_new(true).open(path),
    };
    opened.map_err(|error| {
        let failure = Failure::file("creating", path, &error);
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => failure.with_hint("overwrite it with --force"),
            _ => failure,
        }
    })
}

fn store(
    path: &Path,
    file: File,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), ParamsError>,
) -> Result<(), Failure> {
    let mut file = BufWriter::with_capacity(1 << 20, file);
    write(&mut file).map_err(|error| Failure::file("writing", path, &error))?;
    file.flush()
        .map_err(|error| Failure::file("writing", path, &error))
}
