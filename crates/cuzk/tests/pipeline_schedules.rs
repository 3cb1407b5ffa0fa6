//! Random schedules of a pipeline: whatever is submitted, cancelled, dropped and waited for, in
//! whatever order, every ticket has the outcome that is due and every byte comes back.

#[path = "shared/squares.rs"]
mod squares;

use std::{
    num::NonZeroUsize,
    sync::{Arc, LazyLock},
    time::Duration,
};

use cuzk::{
    Backend, Circuit, Compiled, ConstraintSystem, Error, Finished, Fr, Pipeline, PipelineOptions,
    ProveError, Prover, SynthesisError, Ticket,
};
use proptest::prelude::*;
use squares::Squares;

const SIZES: [usize; 3] = [1, 5, 14];

static COMPILED: LazyLock<[Arc<Compiled>; 3]> = LazyLock::new(|| {
    let prover = Prover::builder().backend(Backend::Cpu).build();
    let prover = prover.expect("the processor");
    SIZES.map(|n| {
        let circuit = Squares { start: 2, n };
        let shape = prover.shape(circuit).expect("sound");
        let parameters = prover.setup(&shape, |_| ()).expect("parameters");
        Arc::new(prover.compile(circuit, &parameters).expect("the key"))
    })
});

/// What a circuit does with its pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Good,
    /// The last value is another.
    Wrong,
    Missing,
    Panics,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    kind: Kind,
    squares: Squares,
}

impl Circuit for Sample {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self.kind {
            Kind::Good => self.squares.synthesize(cs),
            Kind::Wrong => {
                for i in 0..=self.squares.n {
                    cs.alloc(|| "square", || Ok(Fr::from(2 + i as u64)))?;
                }
                cs.alloc_input(|| "last", || Ok(Fr::from(7)))?;
                Ok(())
            }
            Kind::Missing => cs
                .alloc(|| "start", || Err(SynthesisError::AssignmentMissing))
                .map(|_| ()),
            Kind::Panics => panic!("as it was asked to"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Submit { kind: Kind, size: usize, start: u64 },
    TrySubmit { size: usize, start: u64 },
    Cancel(usize),
    Drop(usize),
    Wait(usize),
    WaitBriefly(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![
        6 => Just(Kind::Good),
        1 => Just(Kind::Wrong),
        1 => Just(Kind::Missing),
        1 => Just(Kind::Panics),
    ];
    let submit = (kind, 0..SIZES.len(), 2u64..100).prop_map(|(kind, size, start)| Step::Submit {
        kind,
        size,
        start,
    });
    let step = prop_oneof![
        6 => submit,
        2 => (0..SIZES.len(), 2u64..100).prop_map(|(size, start)| Step::TrySubmit { size, start }),
        1 => (0usize..8).prop_map(Step::Cancel),
        1 => (0usize..8).prop_map(Step::Drop),
        1 => (0usize..8).prop_map(Step::Wait),
        1 => (0usize..8).prop_map(Step::WaitBriefly),
    ];
    prop::collection::vec(step, 1..24)
}

/// A ticket, what it was for, and whether it was cancelled.
struct Open {
    ticket: Ticket,
    sample: Sample,
    size: usize,
    is_cancelled: bool,
}

fn check(open_of: (Sample, usize, bool), outcome: &Result<Finished, Error>, may_be_closed: bool) {
    let (sample, size, is_cancelled) = open_of;
    match (outcome, sample.kind) {
        (Err(Error::Cancelled), _) => assert!(is_cancelled),
        (Err(Error::Closed), _) => assert!(may_be_closed),
        (Ok(finished), Kind::Good) => {
            let Squares { start, n } = sample.squares;
            let last = (0..n).fold(Fr::from(start), |value, _| value * value);
            assert_eq!(finished.proved.public_inputs, [last]);
            let verified =
                COMPILED[size].verify(&finished.proved.proof, &finished.proved.public_inputs);
            verified.expect("a verified proof");
        }
        (Err(Error::Prove(ProveError::Unsatisfied { .. })), Kind::Wrong)
        | (Err(Error::Synthesis(SynthesisError::AssignmentMissing)), Kind::Missing)
        | (Err(Error::CircuitPanicked { .. }), Kind::Panics) => {}
        (outcome, kind) => panic!("{kind:?} ended with {outcome:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_ticket_has_its_outcome_and_every_byte_comes_back(
        steps in steps(),
        room_for in 1usize..4,
        threads in 1usize..4,
        batch in 1usize..4,
        finishes: bool,
    ) {
        let budget_bytes = room_for * COMPILED[2].witness_bytes_at_most();
        let options = PipelineOptions::default()
            .with_witness_budget_bytes(budget_bytes)
            .with_synthesis_threads(NonZeroUsize::new(threads).expect("some"))
            .with_batch(NonZeroUsize::new(batch).expect("some"));
        let pipeline = Pipeline::new(options).expect("a few threads");
        let mut open: Vec<Open> = Vec::new();
        let sample = |kind, size: usize, start| Sample {
            kind,
            squares: Squares { start, n: SIZES[size] },
        };
        for step in steps {
            match step {
                Step::Submit { kind, size, start } => {
                    let sample = sample(kind, size, start);
                    let ticket = pipeline.submit(&COMPILED[size], sample).expect("in time");
                    open.push(Open { ticket, sample, size, is_cancelled: false });
                }
                Step::TrySubmit { size, start } => {
                    let sample = sample(Kind::Good, size, start);
                    match pipeline.try_submit(&COMPILED[size], sample) {
                        Ok(ticket) => {
                            open.push(Open { ticket, sample, size, is_cancelled: false });
                        }
                        Err(refused) => {
                            let is_full = matches!(refused.error, Error::PipelineFull { .. });
                            prop_assert!(is_full, "{:?}", refused.error);
                        }
                    }
                }
                Step::Cancel(i) => {
                    if let Some(open) = open.get_mut(i) {
                        open.is_cancelled |= open.ticket.cancel();
                    }
                }
                Step::Drop(i) if i < open.len() => drop(open.remove(i)),
                Step::Wait(i) if i < open.len() => {
                    let Open { ticket, sample, size, is_cancelled } = open.remove(i);
                    check((sample, size, is_cancelled), &ticket.wait(), false);
                }
                Step::WaitBriefly(i) if i < open.len() => {
                    let Open { ticket, sample, size, is_cancelled } = open.remove(i);
                    match ticket.wait_timeout(Duration::from_millis(2)) {
                        Ok(outcome) => check((sample, size, is_cancelled), &outcome, false),
                        Err(ticket) => open.push(Open { ticket, sample, size, is_cancelled }),
                    }
                }
                _ => {}
            }
            let status = pipeline.status();
            prop_assert!(status.witness_bytes <= budget_bytes, "{status:?}");
            prop_assert!(status.peak_witness_bytes <= budget_bytes, "{status:?}");
        }
        if finishes {
            pipeline.finish();
        } else {
            drop(pipeline);
        }
        for Open { ticket, sample, size, is_cancelled } in open {
            let outcome = ticket.try_wait().expect("the pipeline has ended");
            check((sample, size, is_cancelled), &outcome, !finishes);
        }
        for compiled in &*COMPILED {
            prop_assert_eq!(Arc::strong_count(compiled), 1);
        }
    }
}
