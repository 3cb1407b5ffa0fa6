use std::{path::Path, time::Instant};

use anyhow::{Context, Result, ensure};
use ark_bls12_381::{Bls12_381, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_groth16::{Groth16, PreparedVerifyingKey, Proof, ProvingKey, VerifyingKey};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, LinearCombination,
    OptimizationGoal, R1CS_PREDICATE_LABEL, SynthesisError, SynthesisMode, Variable,
};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};

use crate::{
    provers::{Blinding, PROOF_BYTES, Ready, Session},
    scalar::Scalar,
    system::{Circuit, System, Terms},
};

struct OnSystem(ConstraintSystemRef<Fr>);

impl Terms<Fr, Variable> for LinearCombination<Fr> {
    fn plus(mut self, coefficient: Fr, variable: Variable) -> Self {
        self.0.push((coefficient, variable));
        self
    }
}

impl System for OnSystem {
    type Scalar = Fr;
    type Variable = Variable;
    type Terms = LinearCombination<Fr>;
    type Error = SynthesisError;

    fn one() -> Variable {
        Variable::One
    }

    fn alloc(&mut self, value: impl FnOnce() -> Fr) -> Result<Variable, SynthesisError> {
        self.0.new_witness_variable(|| Ok(value()))
    }

    fn alloc_input(&mut self, value: impl FnOnce() -> Fr) -> Result<Variable, SynthesisError> {
        self.0.new_input_variable(|| Ok(value()))
    }

    fn enforce(
        &mut self,
        a: impl FnOnce(Self::Terms) -> Self::Terms,
        b: impl FnOnce(Self::Terms) -> Self::Terms,
        c: impl FnOnce(Self::Terms) -> Self::Terms,
    ) -> Result<(), SynthesisError> {
        let zero = LinearCombination::new;
        self.0
            .enforce_r1cs_constraint(|| a(zero()), || b(zero()), || c(zero()))
    }
}

/// A circuit of this program as a circuit of arkworks'.
#[derive(Debug, Clone)]
pub(crate) struct OnArk<C>(pub(crate) C);

impl<C: Circuit> ConstraintSynthesizer<Fr> for OnArk<C> {
    fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        self.0.synthesize(&mut OnSystem(cs))
    }
}

struct Ark<C> {
    key: ProvingKey<Bls12_381>,
    verifying: PreparedVerifyingKey<Bls12_381>,
    circuit: OnArk<C>,
    public_inputs: Vec<Fr>,
}

impl<C: Circuit + 'static> OnArk<C> {
    /// Reads the parameters, without checks of the points.
    ///
    /// Its key has a point for every variable in the A and B queries where the file leaves out
    /// those of zero columns; which those are, the circuit's own matrices say.
    pub(crate) fn ready(parameters: &Path, circuit: C) -> Result<Ready> {
        let start = Instant::now();
        let columns = Columns::of(OnArk(circuit.clone()))?;
        let prepare = start.elapsed();
        let start = Instant::now();
        let bytes = std::fs::read(parameters)?;
        let key = read_key(&bytes, &columns)?;
        let load = start.elapsed();
        let verifying = ark_groth16::prepare_verifying_key(&key.vk);
        let session = Ark {
            key,
            verifying,
            public_inputs: circuit.public_inputs(),
            circuit: OnArk(circuit),
        };
        Ok(Ready {
            session: Box::new(session),
            load,
            prepare,
            constraints: Some(columns.constraints),
        })
    }
}

/// Which columns of A and B are not zero.
struct Columns {
    constraints: usize,
    a: Vec<bool>,
    b: Vec<bool>,
}

impl Columns {
    fn of(circuit: impl ConstraintSynthesizer<Fr>) -> Result<Self> {
        let cs = ConstraintSystem::new_ref();
        cs.set_optimization_goal(OptimizationGoal::Constraints);
        cs.set_mode(SynthesisMode::Setup);
        circuit.generate_constraints(cs.clone())?;
        cs.finalize();
        let matrices = cs.to_matrices()?;
        let matrices = &matrices[R1CS_PREDICATE_LABEL];
        let inputs = cs.num_instance_variables();
        let used = |matrix: usize, inputs: usize| {
            let mut used = vec![false; cs.num_variables()];
            used[..inputs].fill(true);
            for &(_, column) in matrices[matrix].iter().flatten() {
                used[column] = true;
            }
            used
        };
        Ok(Self {
            constraints: cs.num_constraints(),
            // Every input has a row of its own in A.
            a: used(0, inputs),
            b: used(1, 0),
        })
    }
}

/// Reads the sections of a parameter file one after another.
struct Sections<'a>(&'a [u8]);

impl Sections<'_> {
    fn point<P: CanonicalDeserialize>(&mut self) -> Result<P> {
        let point = P::deserialize_with_mode(&mut self.0, Compress::No, Validate::No);
        point.context("a point of the parameter file")
    }

    fn section<P: CanonicalDeserialize>(&mut self) -> Result<Vec<P>> {
        let (count, rest) = self
            .0
            .split_first_chunk()
            .context("the file is too short")?;
        self.0 = rest;
        (0..u32::from_be_bytes(*count))
            .map(|_| self.point())
            .collect()
    }
}

fn read_key(bytes: &[u8], columns: &Columns) -> Result<ProvingKey<Bls12_381>> {
    let mut file = Sections(bytes);
    let (alpha_g1, beta_g1) = (file.point()?, file.point()?);
    let (beta_g2, gamma_g2) = (file.point()?, file.point()?);
    let (delta_g1, delta_g2) = (file.point()?, file.point()?);
    let vk = VerifyingKey {
        alpha_g1,
        beta_g2,
        gamma_g2,
        delta_g2,
        gamma_abc_g1: file.section()?,
    };
    let (h_query, l_query) = (file.section()?, file.section()?);
    Ok(ProvingKey {
        vk,
        beta_g1,
        delta_g1,
        h_query,
        l_query,
        a_query: spread::<G1Affine>(file.section()?, &columns.a)?,
        b_g1_query: spread::<G1Affine>(file.section()?, &columns.b)?,
        b_g2_query: spread::<G2Affine>(file.section()?, &columns.b)?,
    })
}

/// One point for each variable: the next of the file where the column is used, else the
/// identity.
fn spread<P: AffineRepr>(points: Vec<P>, used: &[bool]) -> Result<Vec<P>> {
    let expected = used.iter().filter(|&&used| used).count();
    ensure!(
        points.len() == expected,
        "the circuit uses {expected} columns, the parameter file has {} points",
        points.len()
    );
    let mut points = points.into_iter();
    let next = |&used: &bool| used.then(|| points.next()).flatten();
    Ok(used
        .iter()
        .map(next)
        .map(|p| p.unwrap_or_else(P::zero))
        .collect())
}

impl<C: Circuit> Session for Ark<C> {
    fn prove(&self, blinding: Blinding) -> Result<[u8; PROOF_BYTES]> {
        let [r, s] = [blinding.r, blinding.s].map(Fr::from_le_bytes);
        let circuit = self.circuit.clone();
        let proof = Groth16::<Bls12_381>::create_proof_with_reduction(circuit, &self.key, r, s)?;
        let mut bytes = [0; PROOF_BYTES];
        proof.serialize_compressed(&mut bytes[..])?;
        Ok(bytes)
    }

    fn verify(&self, proof: &[u8; PROOF_BYTES]) -> Result<bool> {
        let proof = Proof::deserialize_compressed(&proof[..])?;
        let verdict =
            Groth16::<Bls12_381>::verify_proof(&self.verifying, &proof, &self.public_inputs)?;
        Ok(verdict)
    }
}
