//! The facade: one compiled circuit, proofs of it, reports and refusals.

use cuzk::{
    Backend, Blinding, Circuit, Compiled, ConstraintSystem, Error, Fr, Lanes, Phase, ProveError,
    Prover, ProverBuilder, SynthesisError, Timeline, Tuning, VerifyError,
};
use ff::Field;

/// Knows a root of `x^(2^k) = y`; `claimed` is what it says of y.
#[derive(Clone)]
struct Powers {
    x: Option<Fr>,
    claimed: Option<Fr>,
    squarings: usize,
}

impl Powers {
    fn blank(squarings: usize) -> Self {
        Self {
            x: None,
            claimed: None,
            squarings,
        }
    }

    fn of(x: u64, squarings: usize) -> Self {
        let x = Fr::from(x);
        let y = (0..squarings).fold(x, |x, _| x.square());
        Self {
            x: Some(x),
            claimed: Some(y),
            squarings,
        }
    }
}

impl Circuit for Powers {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let known = |x: Option<Fr>| x.ok_or(SynthesisError::AssignmentMissing);
        let claimed = cs.alloc_input(|| "y", || known(self.claimed))?;
        let mut value = self.x;
        let mut x = cs.alloc(|| "x", || known(value))?;
        for i in 0..self.squarings {
            value = value.map(|x| x.square());
            let square = cs.alloc(|| "square", || known(value))?;
            let mut cs = cs.namespace(|| format!("squaring {i}"));
            cs.enforce(|| "x·x", |lc| lc + x, |lc| lc + x, |lc| lc + square);
            x = square;
        }
        cs.enforce(
            || "claim",
            |lc| lc + x,
            |lc| lc + CS::one(),
            |lc| lc + claimed,
        );
        Ok(())
    }
}

fn compiled(prover: &Prover, squarings: usize) -> Compiled {
    let shape = prover
        .shape(Powers::blank(squarings))
        .expect("no values are asked for");
    let parameters = prover
        .setup(&shape, |_| ())
        .expect("every variable is used");
    prover
        .compile(Powers::blank(squarings), &parameters)
        .expect("they belong together")
}

#[test]
fn the_report_of_a_proof_names_phases_and_machine() {
    let prover = Prover::builder().threads(2).build().expect("two threads");
    let compiled = compiled(&prover, 40);
    assert!(
        prover
            .last_report()
            .expect("compiled")
            .phase(Phase::Compile)
            .is_some()
    );
    let proved = compiled.prove(Powers::of(3, 40)).expect("satisfied");
    compiled
        .verify(&proved.proof, &proved.public_inputs)
        .expect("it was verified before");
    let report = prover.last_report().expect("proved");
    assert_eq!(report.backend, "cpu");
    assert!(report.device.contains("2 threads"), "{}", report.device);
    for phase in [
        Phase::Synthesize,
        Phase::Ntt,
        Phase::MsmH,
        Phase::MsmBG2,
        Phase::Verify,
    ] {
        assert!(report.phase(phase).is_some(), "{phase} is missing");
    }
    assert!(report.phase(Phase::Compile).is_none());
}

#[test]
fn one_bad_circuit_of_a_batch_fails_alone() {
    let prover = Prover::builder().build().expect("the caller's pool");
    let compiled = compiled(&prover, 10);
    let mut wrong = Powers::of(5, 10);
    wrong.claimed = Some(Fr::from(1));
    let circuits = vec![
        Powers::of(2, 10),
        wrong,
        Powers::blank(10),
        Powers::of(7, 10),
    ];
    let results = compiled.prove_batch(circuits).expect("the backend goes on");
    assert_eq!(results.len(), 4);
    assert!(matches!(
        results[1],
        Err(Error::Prove(ProveError::Unsatisfied { constraint: 10 }))
    ));
    assert!(matches!(
        results[2],
        Err(Error::Synthesis(SynthesisError::AssignmentMissing))
    ));
    for (i, x) in [(0, 2), (3, 7)] {
        let proved = results[i].as_ref().expect("satisfied");
        assert_eq!(Some(proved.public_inputs[0]), Powers::of(x, 10).claimed);
        compiled
            .verify(&proved.proof, &proved.public_inputs)
            .expect("verified before");
    }
    assert!(
        compiled
            .prove_batch(Vec::<Powers>::new())
            .expect("nothing to do")
            .is_empty()
    );
}

#[test]
fn proofs_do_not_depend_on_backend_threads_or_lanes() {
    let reference = Prover::builder().build().expect("the caller's pool");
    let shape = reference.shape(Powers::blank(33)).expect("blank");
    let parameters = reference
        .setup(&shape, |_| ())
        .expect("every variable is used");
    let proofs: Vec<_> = [(1, Lanes::Detect), (2, Lanes::Portable), (3, Lanes::Detect)]
        .into_iter()
        .map(|(threads, lanes)| {
            let prover = Prover::builder()
                .backend(Backend::Cpu)
                .threads(threads)
                .tuning(Tuning::new().with_lanes(lanes))
                .build()
                .expect("few threads");
            let compiled = prover
                .compile(Powers::blank(33), &parameters)
                .expect("fits");
            let blinding = Blinding::fixed(Fr::from(11), Fr::from(13));
            let timeline = Timeline::start();
            let proved = compiled.prove_timed(Powers::of(9, 33), &blinding, &timeline);
            proved.expect("satisfied").proof
        })
        .collect();
    assert_eq!(proofs[0], proofs[1]);
    assert_eq!(proofs[0], proofs[2]);
}

#[test]
fn a_key_of_another_circuit_is_refused_when_it_is_prepared() {
    let prover = Prover::builder().build().expect("the caller's pool");
    let shape = prover.shape(Powers::blank(8)).expect("blank");
    let parameters = prover
        .setup(&shape, |_| ())
        .expect("every variable is used");
    let refused = prover
        .compile(Powers::blank(9), &parameters)
        .expect_err("one more variable");
    assert!(
        matches!(refused, Error::Prove(ProveError::KeyMismatch { .. })),
        "{refused:?}"
    );
}

#[test]
fn checking_names_the_constraint_by_its_path() {
    let prover = Prover::builder().build().expect("the caller's pool");
    let counts = prover.check(Powers::of(2, 5)).expect("satisfied");
    assert_eq!((counts.constraints, counts.inputs, counts.aux), (6, 2, 6));
    let mut wrong = Powers::of(2, 5);
    wrong.claimed = Some(Fr::ZERO);
    let refused = prover.check(wrong).expect_err("the claim is wrong");
    assert!(refused.is_refusal());
    let message = std::error::Error::source(&refused)
        .expect("the constraint")
        .to_string();
    assert!(message.contains("constraint 5 (claim)"), "{message}");
}

#[test]
fn a_proof_of_other_inputs_is_refused() {
    let prover = Prover::builder().build().expect("the caller's pool");
    let compiled = compiled(&prover, 4);
    let proved = compiled.prove(Powers::of(3, 4)).expect("satisfied");
    let refused = compiled
        .verify(&proved.proof, &[Fr::from(4)])
        .expect_err("another input");
    assert!(matches!(refused, Error::Verify(VerifyError::Refused)));
    let refused = compiled.verify(&proved.proof, &[]).expect_err("no input");
    assert!(matches!(
        refused,
        Error::Verify(VerifyError::InputCount {
            expected: 1,
            got: 0
        })
    ));
}

#[test]
fn a_proof_made_once_is_the_proof_of_the_compiled_circuit() {
    let prover = Prover::builder().threads(1).build().expect("one thread");
    let shape = prover.shape(Powers::blank(12)).expect("no values");
    let parameters = prover.setup(&shape, |_| ()).expect("sound");
    let compiled = prover
        .compile(Powers::blank(12), &parameters)
        .expect("they belong together");
    let blinding = Blinding::fixed(Fr::from(8), Fr::from(9));
    let timeline = Timeline::start();
    let kept = compiled
        .prove_timed(Powers::of(7, 12), &blinding, &timeline)
        .expect("satisfied");
    let once = prover
        .prove_once_timed(Powers::of(7, 12), &parameters, &blinding, &timeline)
        .expect("satisfied");
    assert_eq!(once, kept);

    let mut wrong = Powers::of(7, 12);
    wrong.claimed = Some(Fr::ZERO);
    assert!(matches!(
        prover.prove_once(wrong, &parameters),
        Err(Error::Prove(ProveError::Unsatisfied { constraint: 12 }))
    ));
    assert!(matches!(
        prover.prove_once(Powers::of(7, 13), &parameters),
        Err(Error::Prove(ProveError::KeyMismatch { .. }))
    ));
    let report = prover.last_report().expect("it tried");
    assert!(report.phase(Phase::Synthesize).is_some());
}

#[test]
fn more_threads_than_a_pool_takes_are_refused_at_once() {
    let max = ProverBuilder::MAX_THREADS;
    for threads in [max + 1, usize::MAX] {
        let refused = Prover::builder().threads(threads).build();
        let error = refused.expect_err("too many").to_string();
        assert_eq!(
            error,
            format!("too many threads: expected at most {max}, got {threads}")
        );
    }
}
