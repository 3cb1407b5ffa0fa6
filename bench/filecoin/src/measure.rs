use std::{fs, path::PathBuf, sync::Arc};

use anyhow::{Result, ensure};
use bellperson::{
    Circuit,
    groth16::{self, Parameters as PeerParameters, Proof as PeerProof, VerifyingKey},
};
use blstrs::{Bls12, Scalar as Fr};
use clap::Args;
use cuzk_cpu::Cpu;
use cuzk_groth16::{Blinding, ProvingKey, generate_parameters, prove};
use cuzk_measure::{Cost, Provenance, confine, measured, median, minimum, write_record};
use cuzk_params::{ParameterFile, ReadOptions};
use cuzk_phase::Timeline;
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::{Bellpepper, Counts, DirectOptions, check, direct, shape, witness};
use ff::Field;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::{CircuitName, statement::Statement};

/// How a circuit is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Also proves, with parameters that are made once, and lets bellperson verify.
    #[arg(long)]
    prove: bool,
    /// Also lets bellperson prove with the same blinding, and compares the bytes.
    #[arg(long, requires = "prove")]
    compare: bool,
    /// Threads; the process is confined to as many processors.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Counted runs of each pass, and of each prover.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Where parameter files are kept.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/params"))]
    params_dir: PathBuf,
    /// Keeps the result under benchmarks/record/.
    #[arg(long)]
    record: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    what: &'static str,
    wall_median_ms: f64,
    wall_min_ms: f64,
    cpu_median_ms: f64,
    costs: Vec<Cost>,
}

impl Row {
    fn new(what: &'static str, costs: Vec<Cost>) -> Self {
        let row = Self {
            what,
            wall_median_ms: median(costs.iter().map(|cost| cost.wall_ms)),
            wall_min_ms: minimum(costs.iter().map(|cost| cost.wall_ms)),
            cpu_median_ms: median(costs.iter().map(|cost| cost.cpu_ms)),
            costs,
        };
        println!(
            "{what:<28} {:>10.1} ms {:>10.1} min {:>10.1} cpu",
            row.wall_median_ms, row.wall_min_ms, row.cpu_median_ms
        );
        row
    }
}

#[derive(Debug, Serialize)]
struct Passes {
    circuit: String,
    constraints: usize,
    inputs: usize,
    aux: usize,
    terms: [usize; 3],
    witness_bytes: usize,
    direct_over_witness: f64,
    rows: Vec<Row>,
}

impl Options {
    /// Measures one circuit and checks all that can be checked on the way.
    pub(crate) fn run<C>(&self, name: CircuitName, statement: &Statement<C>) -> Result<()>
    where
        C: Circuit<Fr> + Send,
    {
        println!("\n{name}");
        confine(self.threads)?;
        let provenance = Provenance::begin(self.threads)?;
        let shape = checked_shape(statement)?;
        let witness = checked_witness(statement)?;
        let mut rows = self.passes(statement)?;
        let direct_over_witness = rows[1].wall_median_ms / rows[2].wall_median_ms;
        println!("direct pass over witness pass: {direct_over_witness:.2}");
        if self.prove {
            rows.extend(self.proofs(name, statement, &shape, &witness)?);
        }
        let passes = Passes {
            circuit: name.to_string(),
            constraints: shape.num_constraints(),
            inputs: shape.num_inputs(),
            aux: shape.num_aux(),
            terms: [shape.a(), shape.b(), shape.c()].map(|matrix| matrix.terms()),
            witness_bytes: witness.bytes(),
            direct_over_witness,
            rows,
        };
        let record = provenance.of("passes over a circuit, and proofs of it", passes);
        if self.record {
            let what = format!("filecoin-{name}");
            let path = write_record(&what, &record)?;
            println!("recorded in {}", path.display());
        }
        Ok(())
    }

    /// The three passes by turns.
    fn passes<C>(&self, statement: &Statement<C>) -> Result<Vec<Row>>
    where
        C: Circuit<Fr>,
    {
        let [mut of_shape, mut of_direct, mut of_witness] = [const { Vec::new() }; 3];
        for _ in 0..self.runs {
            let blank = Bellpepper((statement.blank)()?);
            let (result, cost) = measured(|| shape(blank));
            drop(result?);
            of_shape.push(cost);
            let circuit = Bellpepper((statement.circuit)()?);
            let (result, cost) = measured(|| direct(circuit, &DirectOptions::default()));
            drop(result?);
            of_direct.push(cost);
            let circuit = Bellpepper((statement.circuit)()?);
            let (result, cost) = measured(|| witness(circuit));
            drop(result?);
            of_witness.push(cost);
        }
        Ok(vec![
            Row::new("shape pass", of_shape),
            Row::new("direct pass", of_direct),
            Row::new("witness pass", of_witness),
        ])
    }

    fn proofs<C>(
        &self,
        name: CircuitName,
        statement: &Statement<C>,
        shape: &Shape,
        witness: &PackedWitness,
    ) -> Result<Vec<Row>>
    where
        C: Circuit<Fr> + Send,
    {
        let path = self.parameters(name, shape)?;
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let (r, s) = (Fr::random(&mut rng), Fr::random(&mut rng));
        let blinding = Blinding::fixed(r, s);
        let parameters = ParameterFile::open(&path)?.read(&ReadOptions::default())?;
        let backend = Cpu::default();
        let key = ProvingKey::prepare(&backend, Arc::new(shape.clone()), &parameters.parameters)?;
        drop(parameters);
        let peer = match self.compare {
            true => Some(PeerParameters::<Bls12>::read(&fs::read(&path)?[..], false)?),
            false => None,
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut bytes = [0; 192];
        for _ in 0..self.runs {
            let timeline = Timeline::start();
            let circuit = Bellpepper((statement.circuit)()?);
            let (proof, cost) = measured(|| {
                let witness = cuzk_synth::witness(circuit)?;
                anyhow::Ok(prove(&backend, &key, &witness, &blinding, &timeline)?)
            });
            bytes = proof?.to_bytes();
            ours.push(cost);
            if let Some(peer) = &peer {
                let circuit = (statement.circuit)()?;
                let (proof, cost) = measured(|| groth16::create_proof(circuit, peer, r, s));
                theirs.push(cost);
                let mut peer_bytes = [0; 192];
                proof?.write(&mut peer_bytes[..])?;
                ensure!(
                    bytes == peer_bytes,
                    "bellperson's proof of {name} is another"
                );
            }
        }
        let head = fs::read(&path)?;
        let verifying = groth16::prepare_verifying_key(&VerifyingKey::<Bls12>::read(&head[..])?);
        let proof = PeerProof::read(&bytes[..])?;
        let inputs = witness.public_inputs();
        ensure!(
            groth16::verify_proof(&verifying, &proof, &inputs)?,
            "bellperson refuses the proof of {name}"
        );
        let mut rows = vec![Row::new("cuzk, witness and proof", ours)];
        if !theirs.is_empty() {
            rows.push(Row::new("bellperson, whole proof", theirs));
            println!("bellperson made the same proof");
        }
        println!("bellperson's verifier accepts");
        Ok(rows)
    }

    /// The parameter file of a circuit, made where it is missing, for measurements only.
    fn parameters(&self, name: CircuitName, shape: &Shape) -> Result<PathBuf> {
        let path = self.params_dir.join(format!("filecoin-{name}.params"));
        if path.exists() {
            return Ok(path);
        }
        eprintln!("making {}", path.display());
        fs::create_dir_all(&self.params_dir)?;
        let rng = &mut ChaCha20Rng::seed_from_u64(0x6375_7a6b);
        let parameters =
            generate_parameters(&Cpu::default(), shape, rng, &Timeline::start(), |_| ())?;
        // A file that is being written has another name, so that no half of one is taken up.
        let partial = path.with_extension("partial");
        let file = fs::File::create(&partial)?;
        parameters.write(std::io::BufWriter::new(file))?;
        fs::rename(&partial, &path)?;
        Ok(path)
    }
}

/// The matrices, which must have the known size and be the same for a blank circuit.
pub(crate) fn checked_shape<C>(statement: &Statement<C>) -> Result<Shape>
where
    C: Circuit<Fr>,
{
    let blank = shape(Bellpepper((statement.blank)()?))?;
    let size = statement.size;
    for (what, expected, got) in [
        ("constraints", size.constraints, blank.num_constraints()),
        ("inputs", size.inputs, blank.num_inputs()),
        ("auxiliary variables", size.aux, blank.num_aux()),
    ] {
        ensure!(expected == got, "{what}: expected {expected}, got {got}");
    }
    let filled = shape(Bellpepper((statement.circuit)()?))?;
    ensure!(
        blank == filled,
        "the matrices depend on whether there is a witness"
    );
    Ok(blank)
}

/// The witness, which must satisfy all constraints, equal that of the direct pass and begin
/// with the public inputs that the circuit's own crate computes.
pub(crate) fn checked_witness<C>(statement: &Statement<C>) -> Result<PackedWitness>
where
    C: Circuit<Fr>,
{
    let circuit = || (statement.circuit)().map(Bellpepper);
    let counts = check(circuit()?)?;
    let size = statement.size;
    let expected = Counts {
        constraints: size.constraints,
        inputs: size.inputs,
        aux: size.aux,
    };
    ensure!(
        counts == expected,
        "the checking pass: expected {expected:?}, got {counts:?}"
    );
    let witness = witness(circuit()?)?;
    let evaluations = direct(circuit()?, &DirectOptions::default())?;
    ensure!(
        evaluations.witness == witness,
        "the direct pass has another witness"
    );
    ensure!(
        witness.public_inputs() == statement.public_inputs,
        "the public inputs are others"
    );
    Ok(witness)
}
