//! Many proofs of one shape, one's upload beside another's computation.

use std::{borrow::Borrow, sync::Arc, time::Instant};

use cuzk_backend::ProverBackend;
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::PackedWitness;

use crate::{
    Blinding, Proof, ProveError, ProvingKey,
    laps::{Laps, MachineClock},
    prove::{Started, root_span},
};

/// What one proof of many is made from, owned or borrowed.
#[derive(Debug)]
pub struct Job<W, T> {
    /// The witness.
    pub witness: W,
    /// The proof's own randomness.
    pub blinding: Blinding,
    /// Where the phases of this proof are recorded.
    pub timeline: T,
}

/// Proves whatever `jobs` brings, and gives each job back to `done` with its proof, in order.
///
/// The work of a proof is enqueued before the proof before it is waited for, so that one's
/// upload overlaps another's computation where the backend can do so; two jobs are held at most.
/// Jobs are asked for one by one, when there is room for their work, and may be made meanwhile.
/// A proof whose work the backend refuses, for lack of memory perhaps, is tried once more alone.
/// A job that fails does not touch the others. The time between the two halves of a proof's work
/// is phase `queue` of its timeline.
pub fn prove_each<B: ProverBackend, W: Borrow<PackedWitness>, T: Borrow<Timeline>>(
    backend: &B,
    key: &ProvingKey<B>,
    jobs: impl IntoIterator<Item = Job<W, T>>,
    done: impl FnMut(Job<W, T>, Result<Proof, ProveError>),
) {
    in_line(backend, key, jobs, done, |timeline, since| {
        timeline.add_since(Phase::Queue, since);
    });
}

/// As [`prove_each`]; `waited` is told since when a proof was between its two halves.
fn in_line<B: ProverBackend, W: Borrow<PackedWitness>, T: Borrow<Timeline>>(
    backend: &B,
    key: &ProvingKey<B>,
    jobs: impl IntoIterator<Item = Job<W, T>>,
    mut done: impl FnMut(Job<W, T>, Result<Proof, ProveError>),
    waited: fn(&Timeline, Instant),
) {
    let _span = root_span(backend, &key.queries).entered();
    let clock = MachineClock::new();
    let mut ahead: Option<InLine<B, W, T>> = None;
    for (i, job) in jobs.into_iter().enumerate() {
        let laps = || Laps::new(Arc::clone(&clock), i);
        let mut next = InLine::enqueue(backend, key, job, laps());
        let is_crowded = matches!(next.started, Err(ProveError::Backend { .. }));
        if let Some(first) = ahead.take() {
            let was_there = first.started.is_ok();
            first.finish(backend, key, &mut done, waited);
            if is_crowded && was_there {
                next = InLine::enqueue(backend, key, next.job, laps());
            }
        }
        ahead = Some(next);
    }
    if let Some(last) = ahead {
        last.finish(backend, key, &mut done, waited);
    }
}

/// Proves many witnesses of one shape, as [`prove_each`]; result `i` belongs to witness `i`.
///
/// # Errors
/// [`ProveError::BlindingCount`] where witnesses and blindings differ in number; the errors of
/// single proofs stand in the result.
pub fn prove_batch<B: ProverBackend>(
    backend: &B,
    key: &ProvingKey<B>,
    witnesses: &[PackedWitness],
    blindings: &[Blinding],
    timeline: &Timeline,
) -> Result<Vec<Result<Proof, ProveError>>, ProveError> {
    if witnesses.len() != blindings.len() {
        return Err(ProveError::BlindingCount {
            expected: witnesses.len(),
            got: blindings.len(),
        });
    }
    let jobs = witnesses.iter().zip(blindings);
    let jobs = jobs.map(|(witness, blinding)| Job {
        witness,
        blinding: blinding.clone(),
        timeline,
    });
    let mut proofs = Vec::with_capacity(witnesses.len());
    // Proofs that share a timeline wait for what it shows: waiting would hide what nothing explains.
    in_line(backend, key, jobs, |_, proof| proofs.push(proof), |_, _| ());
    Ok(proofs)
}

/// A job whose work is enqueued, or was refused.
struct InLine<B: ProverBackend, W, T> {
    job: Job<W, T>,
    started: Result<Started<B>, ProveError>,
    since: Instant,
}

impl<B: ProverBackend, W: Borrow<PackedWitness>, T: Borrow<Timeline>> InLine<B, W, T> {
    fn enqueue(backend: &B, key: &ProvingKey<B>, job: Job<W, T>, laps: Laps<B>) -> Self {
        let (witness, timeline) = (job.witness.borrow(), job.timeline.borrow());
        let started = Started::enqueue(backend, key, witness, timeline, laps);
        Self {
            job,
            started,
            since: Instant::now(),
        }
    }

    fn finish(
        self,
        backend: &B,
        key: &ProvingKey<B>,
        done: &mut impl FnMut(Job<W, T>, Result<Proof, ProveError>),
        waited: fn(&Timeline, Instant),
    ) {
        let Self {
            job,
            started,
            since,
        } = self;
        let timeline = job.timeline.borrow();
        waited(timeline, since);
        let proof = started.and_then(|started| {
            started.finish(backend, key, job.witness.borrow(), &job.blinding, timeline)
        });
        done(job, proof);
    }
}
