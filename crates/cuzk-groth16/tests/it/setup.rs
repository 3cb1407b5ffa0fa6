use std::sync::Mutex;

use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::Fr;
use cuzk_groth16::{Progress, SetupError, generate_parameters};
use cuzk_phase::{Phase, Timeline};
use cuzk_synth::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_testkit::RandomSystem;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::case::Case;

/// The second of three auxiliary variables is in no constraint, or only with coefficient zero.
struct Loose {
    with_zero: bool,
}

impl Circuit for Loose {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = cs.alloc(|| "x", || Ok(Fr::ONE))?;
        let loose = cs.alloc(|| "loose", || Ok(Fr::ONE))?;
        let y = cs.alloc(|| "y", || Ok(Fr::ONE))?;
        let zero = Fr::ZERO;
        cs.enforce(
            || "row",
            |sum| match self.with_zero {
                true => sum + x + (zero, loose),
                false => sum + x,
            },
            |sum| sum + x,
            |sum| sum + y,
        );
        Ok(())
    }
}

#[test]
fn a_variable_in_no_constraint_is_refused_and_named() {
    for with_zero in [false, true] {
        let shape = cuzk_synth::shape(Loose { with_zero }).expect("synthesis does not mind");
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        match generate_parameters(
            &Cpu::default(),
            &shape,
            &mut rng,
            &Timeline::start(),
            |_| {},
        ) {
            Err(SetupError::Unconstrained { aux }) => assert_eq!(aux, 1),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_queries_hold_the_variables_of_the_densities() {
    let case = Case::random(1, 60);
    let (shape, parameters) = (&case.shape, &case.parameters);
    assert_eq!(parameters.vk.ic.len(), shape.num_inputs());
    assert_eq!(parameters.l.len(), shape.num_aux());
    assert_eq!(parameters.a.len(), shape.densities().a.count_ones());
    assert_eq!(parameters.b_g1.len(), shape.densities().b.count_ones());
    assert_eq!(parameters.b_g2.len(), parameters.b_g1.len());
    assert_eq!(parameters.h.len() + 1, shape.num_rows().next_power_of_two());
}

#[test]
fn progress_ends_at_the_total() {
    let shape = cuzk_synth::shape(&RandomSystem::new(2, 50).program()).expect("sound");
    let last = Mutex::new(None::<Progress>);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let parameters = generate_parameters(
        &Cpu::default(),
        &shape,
        &mut rng,
        &Timeline::start(),
        |progress| {
            let mut last = last.lock().expect("nobody panics here");
            if last.is_none_or(|last| last.done < progress.done) {
                *last = Some(progress);
            }
        },
    )
    .expect("sound");
    let last = last
        .into_inner()
        .expect("nobody panics here")
        .expect("reported");
    assert_eq!(last.done, last.total);
    let queries = [
        &parameters.h,
        &parameters.l,
        &parameters.a,
        &parameters.b_g1,
    ];
    let in_g1: usize = queries.iter().map(|query| query.len()).sum();
    assert_eq!(
        last.total,
        in_g1 + parameters.b_g2.len() + parameters.vk.ic.len()
    );
}

#[test]
fn fresh_randomness_gives_other_parameters_and_the_same_gives_the_same() {
    let shape = cuzk_synth::shape(&RandomSystem::new(3, 10).program()).expect("sound");
    let generate = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        generate_parameters(
            &Cpu::default(),
            &shape,
            &mut rng,
            &Timeline::start(),
            |_| {},
        )
        .expect("sound")
    };
    assert_eq!(generate(1), generate(1));
    assert_ne!(generate(1).vk, generate(2).vk);
}

#[test]
fn the_naive_twin_makes_the_same_parameters_and_both_phases_are_timed() {
    let shape = cuzk_synth::shape(&RandomSystem::new(4, 30).program()).expect("sound");
    let rng = || ChaCha8Rng::seed_from_u64(9);
    let timeline = Timeline::start();
    let expected = generate_parameters(&Naive, &shape, &mut rng(), &timeline, |_| {});
    let report = timeline.finish();
    for phase in [Phase::Exponents, Phase::FixedBase] {
        let row = report.phase(phase).expect("it occurred");
        assert_eq!((row.calls, row.device), (1, None), "{phase}");
    }
    let timeline = Timeline::start();
    let got = generate_parameters(&Cpu::default(), &shape, &mut rng(), &timeline, |_| {});
    assert_eq!(got.expect("sound"), expected.expect("sound"));
}
