use cuzk_backend::{ProverBackend, WitnessSchedule};
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::PackedWitness;
use cuzk_synth::Evaluations;
use tracing::info_span;

use crate::{
    Blinding, Proof, ProveError, ProvingKey, QueryKey,
    diagnose::{first_unequal_row, first_unsatisfied_constraint},
    laps::{Laps, MachineClock},
    steps::{HSum, Steps, WitnessSums},
};

/// Proves that a witness satisfies the circuit of a key.
///
/// The proof is a function of key, witness and blinding alone, whatever the backend, and is
/// verified before it is returned. Phases are recorded in `timeline`; parallel work runs in
/// the caller's `rayon` pool.
///
/// ```
/// # use std::sync::Arc;
/// # use cuzk_testkit::RandomSystem;
/// # let circuit = &RandomSystem::new(1, 10).program();
/// # let rng = &mut rand_core::OsRng;
/// use cuzk_cpu::Cpu;
/// use cuzk_groth16::{Blinding, ProvingKey, generate_parameters, prove, verify};
/// use cuzk_phase::Timeline;
///
/// let backend = Cpu::default();
/// let shape = Arc::new(cuzk_synth::shape(circuit)?);
/// let timeline = Timeline::start();
/// let parameters = generate_parameters(&backend, &shape, rng, &timeline, |_| {})?;
/// let key = ProvingKey::prepare(&backend, shape, &parameters)?;
///
/// let witness = cuzk_synth::witness(circuit)?;
/// let blinding = Blinding::random(rng);
/// let proof = prove(&backend, &key, &witness, &blinding, &timeline)?;
/// verify(key.verifying_key(), &proof, &witness.public_inputs())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProveError::WitnessMismatch`] for a witness of another shape,
/// [`ProveError::Unsatisfied`] for one that breaks a constraint, [`ProveError::ProofRefused`]
/// where the key belongs to another circuit, [`ProveError::Backend`] where the machine fails.
///
/// # Source
/// `[Groth16]` §3.2.
pub fn prove<B: ProverBackend>(
    backend: &B,
    key: &ProvingKey<B>,
    witness: &PackedWitness,
    blinding: &Blinding,
    timeline: &Timeline,
) -> Result<Proof, ProveError> {
    let _span = root_span(backend, &key.queries).entered();
    let laps = Laps::new(MachineClock::new(), 0);
    let started = Started::enqueue(backend, key, witness, timeline, laps)?;
    started.finish(backend, key, witness, blinding, timeline)
}

/// Proves from evaluations that a direct pass made, without matrices.
///
/// # Errors
/// As [`prove`]; [`ProveError::WitnessMismatch`] also where an evaluation has not one value
/// per row.
pub fn prove_evaluations<B: ProverBackend>(
    backend: &B,
    key: &QueryKey<B>,
    evaluations: Evaluations,
    blinding: &Blinding,
    timeline: &Timeline,
) -> Result<Proof, ProveError> {
    let _span = root_span(backend, key).entered();
    let laps = Laps::new(MachineClock::new(), 0);
    let steps = Steps::new(backend, key, timeline, laps);
    // 1. Only a witness of this shape that satisfies every row is worth the rest.
    key.check_witness(&evaluations.witness)?;
    check_rows(&evaluations, key.layout.num_rows)?;
    let unequal = timeline.measure(Phase::Evaluate, || first_unequal_row(&evaluations));
    unequal.map_or(Ok(()), |constraint| {
        Err(ProveError::Unsatisfied { constraint })
    })?;
    // 2. Bring the witness and its evaluations to the machine.
    let Evaluations {
        a, b, c, witness, ..
    } = evaluations;
    let w = steps.upload(&witness)?;
    let values = steps.upload_evaluations([a, b, c])?;
    // 3. to 5. Quotient and sums, as with matrices.
    let h = steps.quotient(values)?;
    let h_sum = steps.sum_h(&h)?;
    drop(h);
    let sums = steps.sum_witness(&steps.split(&w)?)?;
    // 6. Put the three points together, what needs no sum first.
    let ahead = steps.ahead(&witness, blinding)?;
    let proof = steps.assemble(&ahead, h_sum, sums, blinding)?;
    // 7. Nothing leaves unverified.
    match steps.verifies(&proof, &ahead) {
        true => Ok(proof),
        false => Err(ProveError::ProofRefused),
    }
}

/// A proof whose work is enqueued and not yet waited for.
pub(crate) struct Started<B: ProverBackend> {
    h_sum: HSum<B>,
    sums: WitnessSums<B>,
    laps: Laps<B>,
}

impl<B: ProverBackend> Started<B> {
    pub(crate) fn enqueue(
        backend: &B,
        key: &ProvingKey<B>,
        witness: &PackedWitness,
        timeline: &Timeline,
        laps: Laps<B>,
    ) -> Result<Self, ProveError> {
        key.queries.check_witness(witness)?;
        let steps = Steps::new(backend, &key.queries, timeline, laps);
        // 1. Bring the witness to the machine, packed.
        let w = steps.upload(witness)?;
        // What its sums read, now where they may go beside the quotient: they wait for no more.
        let early = match key.queries.schedule {
            WitnessSchedule::Beside => Some(steps.split(&w)?),
            WitnessSchedule::InTurn | WitnessSchedule::Together => None,
        };
        // 2. Evaluate a = A·w, b = B·w, c = C·w over the domain.
        let values = steps.evaluate(key, &w)?;
        // 3. Divide: h = (a·b − c) / Z.
        let h = steps.quotient(values)?;
        // 4. Sum h over the H query.
        let h_sum = steps.sum_h(&h)?;
        drop(h);
        // 5. Sum w over the L, A and B queries.
        let splits = early.map_or_else(|| steps.split(&w), Ok)?;
        let sums = steps.sum_witness(&splits)?;
        Ok(Self {
            h_sum,
            sums,
            laps: steps.into_laps(),
        })
    }

    /// Finishes it with what it was enqueued with.
    pub(crate) fn finish(
        self,
        backend: &B,
        key: &ProvingKey<B>,
        witness: &PackedWitness,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        let steps = Steps::resume(backend, &key.queries, timeline, self.laps);
        // 6. What needs no sum, while the machine works; then wait for the sums and put the
        //    three points together.
        let ahead = steps.ahead(witness, blinding)?;
        let proof = steps.assemble(&ahead, self.h_sum, self.sums, blinding)?;
        // 7. Nothing leaves unverified; what does not verify is explained.
        if steps.verifies(&proof, &ahead) {
            return Ok(proof);
        }
        Err(match first_unsatisfied_constraint(&key.shape, witness) {
            Some(constraint) => ProveError::Unsatisfied { constraint },
            None => ProveError::ProofRefused,
        })
    }
}

fn check_rows(evaluations: &Evaluations, num_rows: usize) -> Result<(), ProveError> {
    let lengths = [
        ("values of A·w", evaluations.a.len()),
        ("values of B·w", evaluations.b.len()),
        ("values of C·w", evaluations.c.len()),
    ];
    match lengths.into_iter().find(|(_, got)| *got != num_rows) {
        None => Ok(()),
        Some((what, got)) => Err(ProveError::WitnessMismatch {
            what,
            expected: num_rows,
            got,
        }),
    }
}

pub(crate) fn root_span<B: ProverBackend>(backend: &B, key: &QueryKey<B>) -> tracing::Span {
    info_span!(
        "prove",
        backend = backend.name(),
        constraints = key.layout.num_constraints(),
        inputs = key.layout.num_inputs,
        aux = key.layout.num_aux(),
    )
}
