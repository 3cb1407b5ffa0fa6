use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use cuzk_cpu::Cpu;
use cuzk_groth16::generate_parameters;
use cuzk_params::Parameters;
use cuzk_phase::Timeline;
use cuzk_sapling::Statement;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sha2::{Digest, Sha256};

use crate::{
    child::hex,
    circuits::{CircuitName, Task},
    provers::OnCuzk,
    system::Circuit,
};

/// Where parameter files are kept unless the caller says otherwise.
pub(crate) const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/params");

/// Decides the trapdoor of every set-up here.
const SETUP_SEED: u64 = 0x6375_7a6b;

/// The parameter file of a circuit in `directory`; made where it is missing.
///
/// Sapling's are those of the ceremony. Others are set up with a seeded generator: they are
/// good for measurements and for nothing else.
pub(crate) fn parameters(directory: &Path, circuit: CircuitName) -> Result<PathBuf> {
    let path = directory.join(format!("{circuit}.params"));
    if path.exists() {
        return Ok(path);
    }
    eprintln!("making {}", path.display());
    fs::create_dir_all(directory)?;
    // A file that is being written has another name, so that no half of one is taken up.
    let partial = path.with_extension("partial");
    let mut file = BufWriter::new(fs::File::create(&partial)?);
    match circuit {
        CircuitName::Sapling(circuit) => file.write_all(&circuit.parameters_bytes())?,
        _ => circuit.with(0, Generate)?.write(&mut file)?,
    }
    file.into_inner()
        .context("writing the parameters")?
        .sync_all()?;
    fs::rename(&partial, &path)?;
    Ok(path)
}

struct Generate;

impl Task for Generate {
    type Output = Parameters;

    fn generic<C: Circuit + 'static>(self, circuit: C) -> Result<Parameters> {
        let shape = cuzk_synth::shape(OnCuzk(circuit))?;
        let rng = &mut ChaCha20Rng::seed_from_u64(SETUP_SEED);
        let backend = Cpu::default();
        let timeline = Timeline::start();
        Ok(generate_parameters(
            &backend,
            &shape,
            rng,
            &timeline,
            |_| (),
        )?)
    }

    fn sapling(self, _: Statement) -> Result<Parameters> {
        bail!("the parameters of this circuit come from its ceremony")
    }
}

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn digest(path: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    std::io::copy(&mut fs::File::open(path)?, &mut hasher)?;
    hasher.flush()?;
    Ok(hex(&hasher.finalize()))
}
