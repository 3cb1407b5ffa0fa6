use std::cell::{Cell, RefCell};

use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::Fr;
use cuzk_groth16::{Blinding, Job, ProveError, prove, prove_batch, prove_each, verify};
use cuzk_phase::{Phase, Timeline};
use cuzk_testkit::{MimcChain, RandomSystem, Sha256Chain};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

use crate::case::{Case, blinding, packed};

/// Numbers of constraints at which provers made for large circuits have failed.
const SMALL: [usize; 6] = [1, 2, 3, 7, 31, 33];

#[test]
fn small_circuits_of_every_size_verify_and_both_backends_agree() {
    for constraints in SMALL {
        for seed in 0..6 {
            let case = Case::random(seed, constraints);
            let context = format!("{constraints} constraints, seed {seed}");
            let proof = case.prove(&Cpu::default()).expect(&context);
            assert_eq!(proof, case.prove_directly(&Cpu::default()).expect(&context));
            if seed < 2 {
                assert_eq!(proof, case.prove(&Naive).expect(&context), "{context}");
            }
        }
    }
}

#[test]
fn five_hundred_random_circuits_verify() {
    (100..600).into_par_iter().for_each(|seed: u64| {
        // Every second one of those sizes, the others of all below.
        let constraints = match seed as usize {
            even if even % 2 == 0 => SMALL[even / 2 % SMALL.len()],
            odd => 1 + odd % 40,
        };
        let case = Case::random(seed, constraints);
        let proof = case.prove(&Cpu::default());
        assert!(proof.is_ok(), "{constraints} constraints, seed {seed}");
    });
}

#[test]
fn a_thousand_constraints_verify() {
    for (seed, bits_percent) in [(1, 0), (2, 50), (3, 97)] {
        let system = RandomSystem::new(seed, 1000).with_bits_percent(bits_percent);
        let case = Case::of(system.program());
        assert!(case.prove(&Cpu::default()).is_ok(), "{bits_percent} % bits");
    }
}

#[test]
fn row_counts_around_powers_of_two_verify() {
    for log_rows in 1..=7 {
        for rows in [(1 << log_rows) - 1, 1 << log_rows, (1 << log_rows) + 1] {
            // Rows of the constant one and of one input come on top of the constraints.
            let Some(constraints) = usize::checked_sub(rows, 2) else {
                continue;
            };
            let system = RandomSystem::new(rows as u64, constraints).with_public_inputs(1);
            let case = Case::of(system.program());
            assert_eq!(case.shape.num_rows(), rows);
            assert!(case.prove(&Cpu::default()).is_ok(), "{rows} rows");
            if rows <= 9 {
                assert!(case.prove(&Naive).is_ok(), "{rows} rows, naively");
            }
            let exact = Case::random(rows as u64, rows);
            assert!(exact.prove(&Cpu::default()).is_ok(), "{rows} constraints");
        }
    }
}

#[test]
fn a_circuit_of_inputs_alone_verifies() {
    let system = RandomSystem::new(1, 0);
    for public_inputs in [0, 1, 5] {
        let case = Case::of(system.with_public_inputs(public_inputs).program());
        assert!(
            case.prove(&Cpu::default()).is_ok(),
            "{public_inputs} inputs"
        );
        assert!(
            case.prove(&Naive).is_ok(),
            "{public_inputs} inputs, naively"
        );
    }
}

#[test]
fn many_public_inputs_between_constraints_verify() {
    for (seed, public_inputs) in [(1, 0), (2, 1), (3, 40), (4, 200)] {
        let system = RandomSystem::new(seed, 60).with_public_inputs(public_inputs);
        let case = Case::of(system.program());
        let proof = case.prove(&Cpu::default()).expect("a proof");
        let key = case.key(&Cpu::default());
        let inputs = case.program.public_inputs();
        assert_eq!(verify(key.verifying_key(), &proof, &inputs), Ok(()));
    }
}

#[test]
fn a_changed_value_gives_the_broken_constraint_and_never_a_proof() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let case = Case::random(11, 50);
    let right = case.witness.unpack();
    let mut broken = 0;
    for variable in 1..right.len() {
        let mut values = right.clone();
        values[variable] += Fr::from(1 + rng.next_u64() % 3);
        let witness = packed(case.shape.num_inputs(), &values);
        match (
            case.first_broken(&values),
            case.prove_witness(&Cpu::default(), &witness),
        ) {
            (None, proof) => assert!(proof.is_ok(), "variable {variable} is free"),
            (Some(expected), Err(ProveError::Unsatisfied { constraint })) => {
                assert_eq!(constraint, expected, "variable {variable}");
                broken += 1;
            }
            (Some(_), other) => panic!("variable {variable}: {other:?}"),
        }
    }
    assert!(broken > 20, "only {broken} of the changes broke anything");
}

#[test]
fn a_witness_one_too_short_or_too_long_is_refused() {
    let case = Case::random(12, 20);
    let values = case.witness.unpack();
    let inputs = case.shape.num_inputs();
    let refused = |witness| {
        let error = case.prove_witness(&Cpu::default(), &witness);
        error.expect_err("of another shape").to_string()
    };
    let variables = case.shape.num_variables();
    let message = |what: &str, expected: usize, got: usize| {
        format!(
            "the witness does not belong to this circuit, {what}: expected {expected}, got {got}"
        )
    };
    let short = packed(inputs, &values[..values.len() - 1]);
    assert_eq!(
        refused(short),
        message("variables", variables, variables - 1)
    );
    let mut long = values.clone();
    long.push(Fr::ONE);
    assert_eq!(
        refused(packed(inputs, &long)),
        message("variables", variables, variables + 1)
    );
    assert_eq!(
        refused(packed(inputs + 1, &values)),
        message("inputs", inputs, inputs + 1)
    );
}

#[test]
fn evaluations_of_another_length_or_unsatisfied_are_refused() {
    let case = Case::random(13, 20);
    let backend = Cpu::default();
    let key = case.key(&backend);
    let right = cuzk_synth::direct(&case.program, &Default::default()).expect("values are known");
    let attempt = |evaluations| {
        let timeline = Timeline::start();
        cuzk_groth16::prove_evaluations(
            &backend,
            key.queries(),
            evaluations,
            &blinding(),
            &timeline,
        )
    };
    assert!(attempt(right.clone()).is_ok());
    let mut short = right.clone();
    short.b.pop();
    assert!(matches!(
        attempt(short),
        Err(ProveError::WitnessMismatch {
            what: "values of B·w",
            ..
        })
    ));
    for row in [0, 7, 19] {
        let mut wrong = right.clone();
        wrong.c[row] += Fr::ONE;
        match attempt(wrong) {
            Err(ProveError::Unsatisfied { constraint }) => assert_eq!(constraint, row),
            other => panic!("row {row}: {other:?}"),
        }
    }
    // Rows that agree with each other, and not with the witness.
    let mut foreign = right;
    foreign.a[0] = foreign.a[0].double() + Fr::ONE;
    foreign.c[0] = foreign.a[0] * foreign.b[0];
    assert!(matches!(attempt(foreign), Err(ProveError::ProofRefused)));
}

#[test]
fn a_batch_proves_each_witness_and_a_wrong_one_alone_fails() {
    let backend = Cpu::default();
    let case = Case::random(14, 40);
    let key = case.key(&backend);
    let mut values = case.witness.unpack();
    let wrong = (case.shape.num_inputs()..values.len())
        .find(|&variable| {
            let mut values = values.clone();
            values[variable] += Fr::from(5);
            case.first_broken(&values).is_some()
        })
        .expect("some variable matters");
    values[wrong] += Fr::from(5);
    let bad = packed(case.shape.num_inputs(), &values);
    let good = &case.witness;
    let witnesses = [good.clone(), bad, good.clone(), good.clone()];
    let blindings: Vec<Blinding> = (0..4)
        .map(|i| Blinding::fixed(Fr::from(i), Fr::from(i + 10)))
        .collect();
    let timeline = Timeline::start();
    let proofs = prove_batch(&backend, &key, &witnesses, &blindings, &timeline)
        .expect("as many blindings as witnesses");
    for (i, proof) in proofs.iter().enumerate() {
        let single = prove(
            &backend,
            &key,
            &witnesses[i],
            &blindings[i],
            &Timeline::start(),
        );
        match (proof, single) {
            (Ok(proof), Ok(single)) if i != 1 => assert_eq!(*proof, single),
            (
                Err(ProveError::Unsatisfied { constraint }),
                Err(ProveError::Unsatisfied { constraint: same }),
            ) if i == 1 => assert_eq!(*constraint, same),
            other => panic!("proof {i}: {other:?}"),
        }
    }
    let report = timeline.finish();
    assert_eq!(report.phase(Phase::Upload).map(|row| row.calls), Some(4));

    let error = prove_batch(
        &backend,
        &key,
        &witnesses,
        &blindings[1..],
        &Timeline::start(),
    );
    assert!(matches!(
        error,
        Err(ProveError::BlindingCount {
            expected: 4,
            got: 3
        })
    ));
    let nothing = prove_batch(&backend, &key, &[], &[], &Timeline::start());
    assert!(nothing.expect("nothing to do").is_empty());
}

#[test]
fn a_proof_without_blinding_verifies_and_is_always_the_same() {
    let backend = Cpu::default();
    let case = Case::random(15, 30);
    let key = case.key(&backend);
    let proof = |blinding| {
        prove(&backend, &key, &case.witness, &blinding, &Timeline::start()).expect("a proof")
    };
    let plain = proof(Blinding::none());
    assert_eq!(plain, proof(Blinding::none()));
    assert_eq!(plain, proof(Blinding::fixed(Fr::ZERO, Fr::ZERO)));
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let blinded = proof(Blinding::random(&mut rng));
    assert_ne!(plain, blinded);
    assert_ne!(blinded, proof(Blinding::random(&mut rng)));
}

/// C would be the identity, which no strict verifier decodes.
#[test]
fn a_trivial_circuit_without_blinding_is_refused_with_the_reason() {
    let backend = Cpu::default();
    let case = Case::of(RandomSystem::new(1, 0).program());
    let key = case.key(&backend);
    let attempt = |blinding| prove(&backend, &key, &case.witness, &blinding, &Timeline::start());
    assert!(matches!(
        attempt(Blinding::none()),
        Err(ProveError::ProofPoint { what: "c", .. })
    ));
    assert!(attempt(blinding()).is_ok());
}

#[test]
fn blinding_and_trapdoor_do_not_print_their_secrets() {
    assert_eq!(format!("{:?}", blinding()), "Blinding(..)");
}

#[test]
fn the_report_names_every_phase_and_the_backend() {
    let backend = Cpu::default();
    let case = Case::random(16, 100);
    let key = case.key(&backend);
    let timeline = Timeline::start();
    prove(&backend, &key, &case.witness, &blinding(), &timeline).expect("a proof");
    let report = timeline.finish();
    use Phase::*;
    for phase in [
        Upload,
        Evaluate,
        Ntt,
        MsmH,
        PrepMsm,
        BatchAddition,
        TailMsmL,
        TailMsmA,
        TailMsmBG1,
        MsmBG2,
        Assemble,
        Verify,
    ] {
        assert!(report.phase(phase).is_some(), "{phase}");
    }
    assert_eq!(report.backend, "cpu");
    let upload = report.phase(Upload).expect("it occurred");
    assert_eq!(upload.bytes, case.witness.bytes() as u64);
}

#[test]
fn chains_of_full_and_of_binary_values_verify() {
    let backend = Cpu::default();
    let mimc = MimcChain::new(1, 500);
    let shape = cuzk_synth::shape(&mimc).expect("sound");
    let case = |shape, witness| {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let parameters = cuzk_groth16::generate_parameters(
            &Cpu::default(),
            &shape,
            &mut rng,
            &Timeline::start(),
            |_| {},
        );
        Case {
            program: Default::default(),
            shape: std::sync::Arc::new(shape),
            witness,
            parameters: parameters.expect("sound"),
        }
    };
    let mimc = case(shape, cuzk_synth::witness(&mimc).expect("known"));
    assert!(mimc.prove(&backend).is_ok());
    let sha = Sha256Chain::new(1, 1);
    let shape = cuzk_synth::shape(&sha).expect("sound");
    let sha = case(shape, cuzk_synth::witness(&sha).expect("known"));
    assert!(sha.prove(&backend).is_ok());
}

/// The same bytes on pools of one, two and many threads, in a nested job, and from threads
/// that belong to no pool.
#[test]
fn the_proof_does_not_depend_on_the_pool() {
    let (done, finished) = std::sync::mpsc::channel();
    let watched = std::thread::spawn(move || {
        prove_on_pools_of_every_kind();
        done.send(()).expect("the test waits");
    });
    // A job that waits for its own pool would wait for ever.
    let minutes = std::time::Duration::from_secs(300);
    if finished.recv_timeout(minutes) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
        panic!("still proving after five minutes");
    }
    watched.join().expect("every proof is the same");
}

fn prove_on_pools_of_every_kind() {
    let backend = Cpu::default();
    let case = Case::random(17, 300);
    let key = case.key(&backend);
    let run = || {
        prove(
            &backend,
            &key,
            &case.witness,
            &blinding(),
            &Timeline::start(),
        )
        .expect("a proof")
    };
    let expected = run();
    for threads in [1, 2, 3, 16, 64] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads start");
        assert_eq!(pool.install(run), expected, "{threads} threads");
        let mut nested = Vec::new();
        pool.scope(|scope| {
            scope.spawn(|_| {
                let (left, right) = rayon::join(run, run);
                nested.extend([left, right]);
            });
        });
        assert_eq!(nested, [expected; 2], "nested in {threads} threads");
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(run(), expected));
        }
    });
}

#[test]
fn the_same_input_gives_the_same_bytes_again_and_again() {
    let backend = Cpu::default();
    let case = Case::random(18, 25);
    let key = case.key(&backend);
    let expected = case.prove(&backend).expect("a proof").to_bytes();
    for round in 0..500 {
        let threads = 1 + round % 64;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads start");
        let proof = pool.install(|| {
            prove(
                &backend,
                &key,
                &case.witness,
                &blinding(),
                &Timeline::start(),
            )
        });
        assert_eq!(
            proof.expect("a proof").to_bytes(),
            expected,
            "round {round}"
        );
    }
}

#[test]
fn jobs_are_asked_for_as_their_work_is_enqueued_and_come_back_in_order() {
    let backend = Cpu::default();
    let case = Case::random(9, 12);
    let key = case.key(&backend);
    let held = Cell::new(0);
    let jobs = (0..5u64).map(|i| {
        held.set(held.get() + 1);
        assert!(held.get() <= 2, "job {i}");
        Job {
            witness: case.witness.clone(),
            blinding: Blinding::fixed(Fr::from(i), Fr::ONE),
            timeline: Timeline::start(),
        }
    });
    let proofs = RefCell::new(Vec::new());
    prove_each(&backend, &key, jobs, |job, proof| {
        held.set(held.get() - 1);
        let report = job.timeline.finish();
        // The public inputs are summed before the proof is there.
        for (phase, calls) in [(Phase::Upload, 1), (Phase::Queue, 1), (Phase::Verify, 2)] {
            let row = report.phase(phase);
            assert_eq!(row.map(|row| row.calls), Some(calls), "{phase}");
        }
        proofs.borrow_mut().push(proof.expect("satisfied"));
    });
    let single = |i| {
        let blinding = Blinding::fixed(Fr::from(i), Fr::ONE);
        prove(&backend, &key, &case.witness, &blinding, &Timeline::start()).expect("satisfied")
    };
    assert_eq!(proofs.into_inner(), (0..5).map(single).collect::<Vec<_>>());
}
