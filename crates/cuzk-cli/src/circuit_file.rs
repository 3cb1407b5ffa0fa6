//! Circuits and witnesses from files.

use std::{fs, path::Path};

use cuzk_iden3::{Iden3Error, R1csFile, WitnessFile};

use crate::failure::{Failure, chain};

/// Reads a `.r1cs` file.
pub(crate) fn read_r1cs(path: &Path) -> Result<R1csFile, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::file("reading", path, &error))?;
    R1csFile::from_bytes(&bytes).map_err(|error| broken(path, &error))
}

/// Reads a `.wtns` file.
pub(crate) fn read_witness(path: &Path) -> Result<WitnessFile, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::file("reading", path, &error))?;
    WitnessFile::from_bytes(&bytes).map_err(|error| broken(path, &error))
}

fn broken(path: &Path, error: &Iden3Error) -> Failure {
    let failure = Failure::bad_input(format!("{}: {}", path.display(), chain(error)));
    match error {
        Iden3Error::Prime { .. } => {
            failure.with_hint("compile the circuit for this field: circom … -p bls12381")
        }
        _ => failure,
    }
}
