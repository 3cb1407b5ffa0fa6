//! Every allocation and every launch of a pipeline's proofs under `Auto` fails in turn: each ticket
//! has the right proof or an error that names a phase, and what failed takes nothing with it; on a
//! stand-in for the driver that runs the kernels as compiled for the host.
#![cfg(feature = "cuda")]

#[path = "shared/kernels.rs"]
mod kernels;

use std::{num::NonZeroUsize, sync::Arc};

use cuzk::{
    Backend, Blinding, Circuit, Compiled, ConstraintSystem, Error, Fr, Parameters, Phase, Pipeline,
    PipelineOptions, ProveError, Proved, Prover, Shape, SynthesisError,
};
use cuzk_mock_driver::{Leaks, MockDevice, Session};

const ALLOCATE: &str = "cuMemAllocFromPoolAsync";
const LAUNCH: &str = "cuLaunchKernel";
const OUT_OF_MEMORY: i32 = 2;
const LAUNCH_FAILED: i32 = 719;

/// Rows enough for a device under `Auto`, of so little that a proof takes a twentieth of a second:
/// a secret times zero.
#[derive(Debug, Clone, Copy)]
struct Zeros(u64);

impl Circuit for Zeros {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let secret = cs.alloc(|| "secret", || Ok(Fr::from(self.0)))?;
        let zero = cs.alloc(|| "zero", || Ok(Fr::from(0)))?;
        for _ in 0..255 {
            let row = |lc| lc + zero;
            cs.enforce(|| "secret · 0 = 0", |lc| lc + secret, row, row);
        }
        let none = cs.alloc_input(|| "none", || Ok(Fr::from(0)))?;
        cs.enforce(
            || "none",
            |lc| lc + zero,
            |lc| lc + CS::one(),
            |lc| lc + none,
        );
        Ok(())
    }
}

fn blinding(i: u64) -> Blinding {
    Blinding::fixed(Fr::from(11 + i), Fr::from(7))
}

const JOBS: [u64; 2] = [3, 4];

struct Case {
    shape: Arc<Shape>,
    parameters: Parameters,
    expected: Vec<Proved>,
    prover: Prover,
}

impl Case {
    fn new() -> Self {
        let cpu = Prover::builder().backend(Backend::Cpu).build();
        let cpu = cpu.expect("the processor");
        let shape = Arc::new(cpu.shape(Zeros(1)).expect("sound"));
        let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
        let key = cpu.compile(Zeros(1), &parameters).expect("the key");
        let timeline = cuzk::Timeline::start();
        let expected = JOBS.map(|i| {
            let proved = key.prove_timed(Zeros(i), &blinding(i), &timeline);
            proved.expect("satisfied")
        });
        Self {
            shape,
            parameters,
            expected: expected.to_vec(),
            prover: Prover::builder().build().expect("auto"),
        }
    }

    /// The key, and the name of where it is.
    fn compile(&self) -> (Arc<Compiled>, String) {
        let timeline = cuzk::Timeline::start();
        let shape = Arc::clone(&self.shape);
        let compiled = self.prover.prepare(shape, &self.parameters, &timeline);
        let backend = timeline.finish().backend;
        (Arc::new(compiled.expect("somewhere")), backend)
    }

    /// Two proofs through a pipeline, which has ended then; how many of them failed.
    fn prove(&self, compiled: &Arc<Compiled>, what: &str) -> usize {
        let one = NonZeroUsize::MIN;
        let options = PipelineOptions::default().with_synthesis_threads(one);
        let pipeline = Pipeline::new(options).expect("threads");
        let tickets = JOBS.map(|i| {
            let ticket = pipeline.submit_blinded(compiled, Zeros(i), blinding(i));
            ticket.expect("room")
        });
        let mut failed = 0;
        for (ticket, expected) in tickets.into_iter().zip(&self.expected) {
            match ticket.wait() {
                Ok(finished) => assert_eq!(finished.proved, *expected, "{what}"),
                Err(Error::Prove(ProveError::Backend { phase, .. })) => {
                    assert_ne!(phase, Phase::Compile, "{what}");
                    failed += 1;
                }
                Err(error) => panic!("{what}: {error:?}"),
            }
        }
        assert_eq!(pipeline.status().witness_bytes, 0, "{what}");
        pipeline.finish();
        failed
    }
}

fn begin() -> Session {
    kernels::begin_with(kernels::run, vec![MockDevice::default()])
}

fn count(session: &Session, function: &str) -> u32 {
    let calls = session.calls();
    let calls = calls.iter().filter(|call| *call == function);
    u32::try_from(calls.count()).expect("few")
}

/// Lets each call of the function in two proofs fail; gives how many runs lost a proof, and how many
/// there were.
fn every_call(session: &Session, case: &Case, function: &str, code: i32, times: u32) -> (u32, u32) {
    let (compiled, backend) = case.compile();
    assert_eq!(backend, "cuda");
    assert_eq!(case.prove(&compiled, "at first"), 0);
    let held = session.leaks();
    session.forget();
    assert_eq!(case.prove(&compiled, "once more"), 0);
    let runs = count(session, function);
    assert!(runs > 100, "{runs} of {function}");
    let mut lost = 0;
    for k in 0..runs {
        session.forget();
        (0..times).for_each(|_| session.fail(function, k, code));
        let what = format!("{function} {k}");
        let failed = case.prove(&compiled, &what);
        session.mend();
        // The other is the next proof, or the one before.
        assert!(failed <= 1, "{what}: {failed} failed");
        lost += u32::try_from(failed).expect("two at most");
        let left = session.leaks();
        // Events wait to be used again, as many as sums had parts: those that were tried with less
        // memory have more.
        let events = held.events;
        assert_eq!(Leaks { events, ..left }, held, "{what}");
    }
    assert_eq!(case.prove(&compiled, "at last"), 0);
    (lost, runs)
}

#[test]
fn whichever_launch_fails_one_proof_of_a_pipeline_is_lost_and_no_other() {
    let session = begin();
    {
        let case = Case::new();
        let (lost, runs) = every_call(&session, &case, LAUNCH, LAUNCH_FAILED, 1);
        // What fails beside another is tried again alone.
        assert!(lost > runs / 4 && lost < runs, "{lost} of {runs}");
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn whichever_allocation_fails_one_proof_of_a_pipeline_is_lost_at_most() {
    let session = begin();
    {
        let case = Case::new();
        let (lost, runs) = every_call(&session, &case, ALLOCATE, OUT_OF_MEMORY, 2);
        assert!(lost > 0 && lost < runs, "{lost} of {runs}");
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn whichever_call_fails_while_a_key_is_prepared_it_is_prepared_here_or_there() {
    let session = begin();
    {
        let case = Case::new();
        // The device is opened and tried before.
        drop(case.compile());
        for (function, code, times) in [
            (ALLOCATE, OUT_OF_MEMORY, 1),
            (ALLOCATE, OUT_OF_MEMORY, 2),
            (LAUNCH, LAUNCH_FAILED, 1),
        ] {
            session.forget();
            drop(case.compile());
            let runs = count(&session, function);
            assert!(runs > 0 || function == LAUNCH, "{runs} of {function}");
            for k in 0..runs {
                (0..times).for_each(|_| session.fail(function, k, code));
                let (compiled, backend) = case.compile();
                session.mend();
                let what = format!("{function} {k} {times} times, then on {backend}");
                assert!(
                    times == 2 || function == LAUNCH || backend == "cuda",
                    "{what}"
                );
                assert_eq!(case.prove(&compiled, &what), 0);
            }
        }
    }
    assert_eq!(session.leaks(), Default::default());
}
