//! A device that is shared, short of memory, wrong or broken, behind the whole library; on a
//! stand-in for the driver that runs the kernels as compiled for the host.
#![cfg(feature = "cuda")]

#[path = "shared/host_device.rs"]
mod host_device;
#[path = "shared/squares.rs"]
mod squares;
#[path = "shared/waiting.rs"]
mod waiting;

use std::{error::Error as _, sync::Arc, time::Duration};

use cuzk::{
    Backend, Circuit, ConstraintSystem, DeviceOptions, DeviceSelector, Error, Fr, Parameters,
    Phase, ProveError, Prover, Shape, SynthesisError, Timeline,
};
use host_device::{begin, broken, run};
use squares::Squares;
use waiting::within_a_minute;

/// Rows enough for a device under `Auto`, and for a key that a small budget does not hold.
const LARGE: Squares = Squares {
    start: 3,
    n: 1 << 14,
};

const SMALL: Squares = Squares { start: 5, n: 9 };

/// A secret that is five; for any other number the constraint does not hold.
#[derive(Clone, Copy)]
struct Five(u64);

impl Circuit for Five {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let secret = cs.alloc(|| "secret", || Ok(Fr::from(self.0)))?;
        let known = cs.alloc_input(|| "known", || Ok(Fr::from(5)))?;
        cs.enforce(
            || "five",
            |lc| lc + secret,
            |lc| lc + CS::one(),
            |lc| lc + known,
        );
        Ok(())
    }
}

fn set_up(circuit: impl Circuit) -> (Arc<Shape>, Parameters) {
    let cpu = Prover::builder().backend(Backend::Cpu).build();
    let cpu = cpu.expect("the processor");
    let shape = cpu.shape(circuit).expect("sound");
    let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
    (Arc::new(shape), parameters)
}

fn on_device() -> Prover {
    let prover = Prover::builder().backend(Backend::Cuda).build();
    prover.expect("the device passes its trial")
}

#[test]
fn many_that_need_the_device_at_once_wait_for_one_trial() {
    let session = begin(run);
    let (shape, parameters) = set_up(LARGE);
    let shared = Arc::new((shape, parameters));
    // A thread of the pool that tries the device waits now and then for the other, and is given
    // whatever comes in meanwhile: callers who come a little later are those to fear.
    for round in 0..8u64 {
        let shared = Arc::clone(&shared);
        within_a_minute(move || {
            let prover = Prover::builder().threads(2).build().expect("auto");
            let backends = std::thread::scope(|scope| {
                let prepare = |i| {
                    let (prover, shared) = (prover.clone(), &shared);
                    scope.spawn(move || {
                        std::thread::sleep(Duration::from_millis(5 * i * round));
                        let timeline = Timeline::start();
                        let compiled = prover.prepare(shared.0.clone(), &shared.1, &timeline);
                        drop(compiled.expect("memory"));
                        timeline.finish().backend
                    })
                };
                let spawned: Vec<_> = (0..3u64).map(prepare).collect();
                let joined = spawned.into_iter().map(std::thread::ScopedJoinHandle::join);
                joined.collect::<Result<Vec<_>, _>>().expect("no panic")
            });
            assert_eq!(backends, ["cuda"; 3]);
        });
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn auto_prepares_on_the_processor_what_the_device_cannot_hold() {
    let session = begin(run);
    let (shape, parameters) = set_up(LARGE);
    for (budget_bytes, backend) in [(400 << 10, "cpu"), (8 << 20, "cuda"), (1 << 30, "cuda")] {
        let options = DeviceOptions {
            budget_bytes: Some(budget_bytes),
            ..DeviceOptions::default()
        };
        let prover = Prover::builder()
            .device(DeviceSelector::Index(0), options.clone())
            .build()
            .expect("auto");
        prover.compile(LARGE, &parameters).expect("somewhere");
        assert_eq!(prover.last_report().expect("kept").backend, backend);
        if backend == "cpu" {
            prover.prove_once(LARGE, &parameters).expect("a proof");
            assert_eq!(prover.last_report().expect("kept").backend, backend);
        }
        // Who asks for the device is told.
        let asked = Prover::builder()
            .backend(Backend::Cuda)
            .device(DeviceSelector::Index(0), options)
            .build()
            .expect("the trial fits");
        let prepared = asked.prepare(Arc::clone(&shape), &parameters, &Timeline::start());
        match prepared {
            Ok(_) => assert_eq!(backend, "cuda"),
            Err(error) => {
                assert_eq!(backend, "cpu", "{error:?}");
                assert!(
                    matches!(
                        error,
                        Error::Prove(ProveError::Backend {
                            phase: Phase::Compile,
                            ..
                        })
                    ),
                    "{error:?}"
                );
            }
        }
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn auto_does_without_a_device_that_fails_its_trial_and_says_so() {
    let session = begin(broken);
    let (_, parameters) = set_up(LARGE);
    let prover = Prover::builder().build().expect("auto");
    let compiled = prover
        .compile(LARGE, &parameters)
        .expect("on the processor");
    assert_eq!(prover.last_report().expect("kept").backend, "cpu");
    let tried = session.launches().len();
    assert!(tried > 0, "the device was tried");
    compiled.prove(LARGE).expect("a proof");
    prover.compile(LARGE, &parameters).expect("the same");
    assert_eq!(session.launches().len(), tried, "it is tried once");
}

#[test]
fn auto_names_the_device_that_fails_later_and_goes_on_with_it() {
    let session = begin(run);
    let (_, parameters) = set_up(LARGE);
    let prover = Prover::builder().build().expect("auto");
    let compiled = prover.compile(LARGE, &parameters).expect("memory");
    for _ in 0..2 {
        session.fail("cuMemAllocFromPoolAsync", 0, 2);
        session.fail("cuMemAllocFromPoolAsync", 0, 2);
        let error = compiled
            .prove(LARGE)
            .expect_err("no memory for the witness");
        let phase = match error {
            Error::Prove(ProveError::Backend { phase, .. }) => phase,
            error => panic!("{error:?}"),
        };
        assert_eq!(phase, Phase::Upload);
        let report = prover.last_report().expect("kept");
        assert_eq!(report.backend, "cuda");
    }
    // A small circuit stays on the processor, and its report says so.
    let (_, small) = set_up(SMALL);
    let compiled = prover.compile(SMALL, &small).expect("the key");
    assert_eq!(prover.last_report().expect("kept").backend, "cpu");
    assert_eq!(
        compiled
            .prove_batch(Vec::<Squares>::new())
            .expect("nothing")
            .len(),
        0
    );
    assert_eq!(prover.last_report().expect("kept").backend, "cpu");
}

#[test]
fn a_proof_that_fails_on_the_device_names_its_phase_and_the_next_works() {
    let session = begin(run);
    let (_, parameters) = set_up(SMALL);
    let prover = on_device();
    let compiled = prover.compile(SMALL, &parameters).expect("the key");
    // Twiddles are made once.
    compiled.prove(SMALL).expect("a proof");
    let before = session.launches().len();
    compiled.prove(SMALL).expect("another");
    let launches = session.launches().len() - before;
    assert!(launches > 20, "{launches}");
    let mut phases = Vec::new();
    for k in (0..launches).step_by(9) {
        session.fail("cuLaunchKernel", u32::try_from(k).expect("few"), 719);
        let error = compiled.prove(SMALL).expect_err("a launch failed");
        session.mend();
        match &error {
            Error::Prove(ProveError::Backend { phase, .. }) => phases.push(*phase),
            error => panic!("{error:?}"),
        }
        assert_eq!(prover.last_report().expect("kept").backend, "cuda");
        // Every link of the chain says something of its own.
        let mut said = vec![error.to_string()];
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            assert!(
                !text.is_empty() && !said.contains(&text),
                "{text:?} in {said:?}"
            );
            said.push(text);
            cause = error.source();
        }
        assert!(said.len() >= 3, "{said:?}");
        assert!(
            said.iter().any(|text| text.contains("cuzk_")),
            "no kernel in {said:?}"
        );
    }
    phases.dedup();
    assert!(phases.len() > 3, "{phases:?}");
    compiled.prove(SMALL).expect("the device works again");
    drop((compiled, prover));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn batches_single_proofs_and_clones_on_a_device_are_as_elsewhere() {
    let session = begin(run);
    let (_, parameters) = set_up(Five(5));
    let prover = on_device();
    let once = prover.prove_once(Five(5), &parameters).expect("a proof");
    assert_eq!(once.public_inputs, [Fr::from(5)]);
    assert_eq!(prover.last_report().expect("kept").backend, "cuda");
    assert!(matches!(
        prover.prove_once(Five(6), &parameters),
        Err(Error::Prove(ProveError::Unsatisfied { constraint: 0 }))
    ));
    let clone = prover.clone();
    let compiled = clone.compile(Five(5), &parameters).expect("the key");
    // A clone shares the report; what was compiled outlives both.
    let report = prover.last_report().expect("of the clone");
    assert_eq!(report.backend, "cuda");
    assert!(report.device.contains("Mock 9000"), "{}", report.device);
    drop((prover, clone));
    assert_eq!(
        compiled
            .prove_batch(Vec::<Five>::new())
            .expect("nothing")
            .len(),
        0
    );
    let circuits = [5, 6, 5, 7].map(Five).to_vec();
    let proofs = compiled.prove_batch(circuits).expect("the batch goes on");
    let good: Vec<bool> = proofs.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, false, true, false]);
    for proof in proofs {
        match proof {
            Ok(proved) => compiled
                .verify(&proved.proof, &proved.public_inputs)
                .expect("it verifies"),
            Err(error) => assert!(error.is_refusal(), "{error:?}"),
        }
    }
    drop(compiled);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_budget_too_small_for_the_trial_leaves_auto_the_processor() {
    let session = begin(run);
    let (_, parameters) = set_up(LARGE);
    let builder = || {
        let options = DeviceOptions {
            budget_bytes: Some(1000),
            ..DeviceOptions::default()
        };
        Prover::builder().device(DeviceSelector::Index(0), options)
    };
    let prover = builder().build().expect("auto");
    prover
        .compile(LARGE, &parameters)
        .expect("on the processor");
    assert_eq!(prover.last_report().expect("kept").backend, "cpu");
    let refused = builder().backend(Backend::Cuda).build();
    let refused = refused.expect_err("1000 bytes hold no key");
    let mut cause: &dyn std::error::Error = &refused;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let cause = cause.to_string();
    assert!(
        cause.contains("memory budget") && cause.contains("got 1000 bytes"),
        "{cause}"
    );
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn threads_prove_circuits_of_their_own_through_one_prover() {
    let session = begin(run);
    {
        // A pool that all of them share, with fewer threads than there are.
        let prover = Prover::builder().backend(Backend::Cuda).threads(2);
        let prover = prover.build().expect("the device passes its trial");
        let prove = |start: u64| {
            let n = 1 + usize::try_from(start).expect("small");
            let circuit = Squares { start, n };
            let (_, parameters) = set_up(circuit);
            let compiled = prover.compile(circuit, &parameters).expect("the key");
            let proved = compiled.prove(circuit).expect("a verified proof");
            let squares = (0..n).fold(Fr::from(start), |value, _| value * value);
            assert_eq!(proved.public_inputs, [squares]);
            compiled
                .verify(&proved.proof, &proved.public_inputs)
                .expect("it verifies");
        };
        std::thread::scope(|scope| {
            for start in 2..10 {
                let prove = &prove;
                scope.spawn(move || prove(start));
            }
        });
    }
    assert_eq!(session.leaks(), Default::default());
}
