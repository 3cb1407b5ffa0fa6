//! Circuits and witnesses from files.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use cuzk_iden3::{Iden3Error, R1csFile, WitnessFile};

use crate::failure::{Failure, chain};

/// Reads a `.r1cs` file.
pub(crate) fn read_r1cs(path: &Path) -> Result<R1csFile, Failure> {
    let bytes = read(path, b"r1cs").map_err(|error| Failure::file("reading", path, &error))?;
    R1csFile::from_bytes(&bytes).map_err(|error| broken(path, &error))
}

/// Reads a `.wtns` file.
pub(crate) fn read_witness(path: &Path) -> Result<WitnessFile, Failure> {
    let bytes = read(path, b"wtns").map_err(|error| Failure::file("reading", path, &error))?;
    WitnessFile::from_bytes(&bytes).map_err(|error| broken(path, &error))
}

/// The bytes of a file that begins with `magic`, or the first ones of another: a stream without
/// end is no circuit, and is not read to it.
pub(crate) fn read(path: &Path, magic: &[u8]) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref()
        .take(magic.len() as u64)
        .read_to_end(&mut bytes)?;
    if bytes == magic {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
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
