use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

use cuzk_curve::Fr;
use cuzk_groth16::{Blinding, Job, PreparedVerifyingKey, Proof, ProveError};
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::{Capacity, Circuit, DirectOptions, Evaluations, SynthesisError, direct, witness};
use rand_core::OsRng;
use rayon::prelude::*;

use crate::{
    Error, Prover, Synthesis,
    board::{Board, Ending, Task, Waiting},
    held::Held,
    machine::{Done, Jobs, Key, Machine},
    waiting::lock,
};

/// A circuit and its key, ready to prove.
#[derive(Debug)]
pub struct Compiled {
    prover: Prover,
    /// Where the key is.
    machine: Arc<dyn Machine>,
    key: Box<dyn Key>,
}

/// A verified proof, and what it proves.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// The public inputs, without the constant one.
    pub public_inputs: Vec<Fr>,
}

impl Compiled {
    pub(crate) fn new(prover: Prover, machine: Arc<dyn Machine>, key: Box<dyn Key>) -> Self {
        Self {
            prover,
            machine,
            key,
        }
    }

    /// The prover that compiled it.
    #[must_use]
    pub fn prover(&self) -> &Prover {
        &self.prover
    }

    /// Proves one circuit with its witness; the proof is verified before it is returned.
    ///
    /// [`Tuning::synthesis`](crate::Tuning::synthesis) says by which pass.
    ///
    /// [`Prover::last_report`] tells where the time went.
    ///
    /// # Errors
    /// [`Error::Synthesis`] where a value is missing; [`Error::Prove`] where the witness
    /// satisfies not every constraint, or belongs to another shape.
    pub fn prove<C: Circuit>(&self, circuit: C) -> Result<Proved, Error> {
        self.reported(|timeline| self.prove_timed(circuit, &Blinding::random(OsRng), timeline))
    }

    /// Proves one circuit with a given blinding, into a given timeline.
    ///
    /// # Errors
    /// As [`Compiled::prove`].
    pub fn prove_timed<C: Circuit>(
        &self,
        circuit: C,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proved, Error> {
        match self.prover.tuning().synthesis {
            Synthesis::Compiled => {
                let witness = timeline.measure(Phase::Synthesize, || witness(circuit))?;
                self.prove_witness(&witness, blinding, timeline)
            }
            Synthesis::Direct => {
                let options = self.direct_options();
                let evaluations =
                    timeline.measure(Phase::Synthesize, || direct(circuit, &options))?;
                self.prove_evaluations(evaluations, blinding, timeline)
            }
        }
    }

    fn direct_options(&self) -> DirectOptions {
        let shape = self.shape();
        let capacity = Capacity {
            // The rows of the inputs are appended to those of the constraints.
            constraints: shape.num_rows(),
            aux: shape.num_variables() - shape.num_inputs(),
        };
        let tuning = self.prover.tuning();
        let options = DirectOptions::default().with_inline_terms(tuning.inline_terms);
        match tuning.capacity_hints {
            true => options.with_capacity(capacity),
            false => options,
        }
    }

    fn prove_evaluations(
        &self,
        evaluations: Evaluations,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proved, Error> {
        let public_inputs = evaluations.witness.public_inputs();
        let prove = || self.key.prove_evaluations(evaluations, blinding, timeline);
        let proof = self.prover.install(prove)?;
        Ok(Proved {
            proof,
            public_inputs,
        })
    }

    /// Proves a witness that is already there.
    ///
    /// # Errors
    /// [`Error::Prove`].
    pub fn prove_witness(
        &self,
        witness: &PackedWitness,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proved, Error> {
        let proof = self
            .prover
            .install(|| self.key.prove(witness, blinding, timeline))?;
        Ok(Proved {
            proof,
            public_inputs: witness.public_inputs(),
        })
    }

    /// Proves many circuits of this shape; result `i` belongs to circuit `i`.
    ///
    /// The witnesses are made in parallel and held together: memory grows with the batch by
    /// the packed witness, not by the unpacked one, unless [`Synthesis::Direct`] is set, where it
    /// grows by three full-size values a constraint; [`Tuning::batch_size`](crate::Tuning) says
    /// how many are made together. A circuit that fails does not touch the others.
    ///
    /// # Errors
    /// Those of single proofs stand in the result; the call itself fails where the backend
    /// cannot go on.
    pub fn prove_batch<C: Circuit + Send>(
        &self,
        circuits: Vec<C>,
    ) -> Result<Vec<Result<Proved, Error>>, Error> {
        self.reported(|timeline| self.prove_batch_timed(circuits, timeline))
    }

    /// As [`Compiled::prove_batch`], into a given timeline.
    ///
    /// # Errors
    /// As [`Compiled::prove_batch`].
    pub fn prove_batch_timed<C: Circuit + Send>(
        &self,
        circuits: Vec<C>,
        timeline: &Timeline,
    ) -> Result<Vec<Result<Proved, Error>>, Error> {
        let most = self.prover.tuning().batch_size.unwrap_or(circuits.len());
        let mut proved = Vec::with_capacity(circuits.len());
        let mut left = circuits.into_iter();
        while left.len() > 0 {
            let together = left.by_ref().take(most.max(1)).collect();
            proved.extend(self.prove_together(together, timeline)?);
        }
        Ok(proved)
    }

    fn prove_together<C: Circuit + Send>(
        &self,
        circuits: Vec<C>,
        timeline: &Timeline,
    ) -> Result<Vec<Result<Proved, Error>>, Error> {
        if self.prover.tuning().synthesis == Synthesis::Direct {
            return Ok(self.prove_batch_directly(circuits, timeline));
        }
        let synthesize = || circuits.into_par_iter().map(witness).collect();
        let witnesses: Vec<Result<PackedWitness, SynthesisError>> =
            timeline.measure(Phase::Synthesize, || self.prover.install(synthesize));
        let mut good = Vec::with_capacity(witnesses.len());
        let order: Vec<Option<SynthesisError>> = witnesses
            .into_iter()
            .map(|witness| witness.map(|witness| good.push(witness)).err())
            .collect();
        let mut proved = self.prove_witnesses(&good, timeline)?.into_iter();
        Ok(order
            .into_iter()
            .map(|failed| match failed {
                Some(error) => Err(error.into()),
                None => proved.next().expect("one proof for each witness"),
            })
            .collect())
    }

    fn prove_batch_directly<C: Circuit + Send>(
        &self,
        circuits: Vec<C>,
        timeline: &Timeline,
    ) -> Vec<Result<Proved, Error>> {
        let options = self.direct_options();
        let synthesize = || {
            let circuits = circuits.into_par_iter();
            circuits.map(|circuit| direct(circuit, &options)).collect()
        };
        let evaluations: Vec<Result<Evaluations, SynthesisError>> =
            timeline.measure(Phase::Synthesize, || self.prover.install(synthesize));
        let prove = |evaluations: Result<Evaluations, SynthesisError>| {
            self.prove_evaluations(evaluations?, &Blinding::random(OsRng), timeline)
        };
        evaluations.into_iter().map(prove).collect()
    }

    /// Proves witnesses that are already there; result `i` belongs to witness `i`.
    ///
    /// # Errors
    /// As [`Compiled::prove_batch`].
    pub fn prove_witnesses(
        &self,
        witnesses: &[PackedWitness],
        timeline: &Timeline,
    ) -> Result<Vec<Result<Proved, Error>>, Error> {
        let proofs: Vec<_> = witnesses.iter().map(|_| Mutex::new(None)).collect();
        let board = Board::default();
        for (id, (witness, proof)) in (0..).zip(witnesses.iter().zip(&proofs)) {
            board.push(Task {
                job: Job {
                    witness: Held::Borrowed(witness),
                    blinding: Blinding::random(OsRng),
                    timeline: Held::Borrowed(timeline),
                },
                waiting: Waiting {
                    id,
                    compiled: Held::Borrowed(self),
                    tried: Vec::new(),
                    since: Instant::now(),
                    done: Box::new(|ending| *lock(proof) = Some(ending)),
                },
            });
        }
        board.work_off(self.seats());
        if self.seats() > 1 {
            // Each proof has named its own.
            self.prover.name_machine(&*self.machine, timeline);
        }
        let proved = proofs.iter().zip(witnesses).map(|(proof, witness)| {
            let proof = match lock(proof).take() {
                Some(Ending::Proved(_, proof)) => proof?,
                Some(Ending::Panicked(message)) => return Err(Error::ProverPanicked { message }),
                None => return Err(Error::Closed),
            };
            Ok(Proved {
                proof,
                public_inputs: witness.public_inputs(),
            })
        });
        Ok(proved.collect())
    }

    /// The pass that makes its proofs.
    pub(crate) fn synthesis(&self) -> Synthesis {
        self.prover.tuning().synthesis
    }

    /// Parts of the key's machine that make proofs beside each other.
    pub(crate) fn seats(&self) -> usize {
        self.key.seats()
    }

    /// Whether there is a seat for a job at which these failed.
    pub(crate) fn has_seat(&self, tried: &[usize]) -> bool {
        self.key.has_seat(tried)
    }

    /// Whether a seat takes a job now, at which these failed.
    pub(crate) fn takes(&self, seat: usize, tried: &[usize]) -> bool {
        self.key.takes(seat, tried)
    }

    /// Proofs of many jobs on one seat.
    pub(crate) fn prove_each<'a>(&self, seat: usize, jobs: Jobs<'_, 'a>, done: Done<'_, 'a>) {
        self.prover
            .install(|| self.key.prove_each(seat, jobs, done));
    }

    /// The most bytes that a packed witness of this circuit has: a full-size value and two bits
    /// for each variable.
    #[must_use]
    pub fn witness_bytes_at_most(&self) -> usize {
        let variables = self.shape().num_variables();
        32 * variables + 16 * variables.div_ceil(64)
    }

    /// Runs work whose report names the key's machine, also where nothing gets there.
    fn reported<T>(&self, work: impl FnOnce(&Timeline) -> T) -> T {
        self.prover.reported(|timeline| {
            self.prover.name_machine(&*self.machine, timeline);
            work(timeline)
        })
    }

    /// Verifies a proof under the key's verifying part.
    ///
    /// # Errors
    /// [`Error::Verify`].
    pub fn verify(&self, proof: &Proof, public_inputs: &[Fr]) -> Result<(), Error> {
        let key = self.verifying_key();
        let verified = || cuzk_groth16::verify(key, proof, public_inputs);
        Ok(self.prover.install(verified)?)
    }

    /// The key's verifying part.
    #[must_use]
    pub fn verifying_key(&self) -> &PreparedVerifyingKey {
        self.key.verifying_key()
    }

    /// The circuit's shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.key.shape()
    }
}

impl From<Proved> for Proof {
    fn from(proved: Proved) -> Self {
        proved.proof
    }
}

impl Error {
    /// Whether the fault lies in the statement or its witness, and not in files or machine.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Check(_)
                | Self::Verify(_)
                | Self::Proof(_)
                | Self::Prove(ProveError::Unsatisfied { .. } | ProveError::ProofRefused)
        )
    }
}
