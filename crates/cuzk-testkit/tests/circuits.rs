//! The circuits compute what they say, are satisfied, and have the sizes they promise.

use cuzk_curve::Fr;
use cuzk_synth::{Circuit, Counts, check, shape, witness};
use cuzk_testkit::{MimcChain, RandomSystem, Sha256Chain};
use sha2::{Digest, Sha256};

fn counts(circuit: impl Circuit) -> Counts {
    check(circuit).expect("the circuit is satisfied")
}

#[test]
fn the_sha256_chain_hashes() {
    for message in [&b""[..], b"abc", &[0x5a; 200]] {
        let chain = Sha256Chain::of_message(message);
        let digest = Sha256::digest(message);
        let words = digest
            .chunks(4)
            .map(|w| w.iter().fold(0, |x, &b| x << 8 | u32::from(b)));
        let words: Vec<u32> = words.collect();
        let expected = Sha256Chain::pack(&words.try_into().expect("eight words"));
        let witness = witness(&chain).expect("synthesis succeeds");
        assert_eq!(witness.public_inputs(), expected);
        counts(&chain);
    }
}

#[test]
fn a_sha256_block_takes_about_27_thousand_constraints_and_is_nearly_all_bits() {
    let [one, two] = [1, 2].map(|blocks| counts(&Sha256Chain::new(1, blocks)));
    let block = two.constraints - one.constraints;
    assert!((25_000..28_000).contains(&block), "{block} constraints");
    assert_eq!(two.inputs, 3);
    let witness = witness(&Sha256Chain::new(1, 2)).expect("synthesis succeeds");
    assert_eq!(witness.full().len() + witness.small().len(), 2);
}

#[test]
fn the_mimc_chain_has_the_constraints_asked_for_and_its_image_is_public() {
    for constraints in [2, 3, 4, 643, 644, 645, 1000] {
        let chain = MimcChain::new(7, constraints);
        let found = counts(&chain);
        assert_eq!(found.constraints, constraints);
        let witness = witness(&chain).expect("synthesis succeeds");
        assert_eq!(witness.public_inputs(), [chain.image()]);
        assert_eq!(witness.full().len(), witness.len() - 1);
    }
}

#[test]
fn random_systems_are_satisfied_and_use_every_variable() {
    for seed in 0..40 {
        for constraints in [0, 1, 2, 3, 7, 31, 33, 100] {
            let system = RandomSystem::new(seed, constraints);
            let program = system.program();
            let found = counts(&program);
            assert_eq!(found.constraints, constraints);
            assert_eq!(found.inputs, 4);
            assert_eq!(found.inputs, program.num_inputs());
            assert_eq!(found.aux, program.num_aux());
            let shape = shape(&program).expect("synthesis succeeds");
            let mut used = vec![false; shape.num_variables()];
            for matrix in [shape.a(), shape.b(), shape.c()] {
                matrix
                    .term_columns()
                    .iter()
                    .for_each(|&c| used[c as usize] = true);
            }
            assert!(used.iter().all(|&used| used), "{system:?}");
        }
    }
}

#[test]
fn random_systems_hold_the_awkward_cases() {
    let program = RandomSystem::new(3, 2000).with_public_inputs(20).program();
    let shape = shape(&program).expect("synthesis succeeds");
    let rows = |matrix: &cuzk_r1cs::CsrMatrix| {
        let lengths: Vec<usize> = (0..2000).map(|i| matrix.row(i).columns.len()).collect();
        (
            lengths.iter().filter(|&&n| n == 0).count(),
            lengths.into_iter().max(),
        )
    };
    let (empty, longest) = rows(shape.a());
    assert!(empty > 10);
    assert!(longest > Some(20));
    assert!(rows(shape.b()).0 > 10);
    let has = |found: fn(&[(cuzk_synth::Variable, Fr)]) -> bool| {
        program.steps.iter().any(|step| match step {
            cuzk_testkit::Step::Constraint(sides) => sides.iter().any(|side| found(side)),
            _ => false,
        })
    };
    assert!(has(|terms| terms.iter().any(|t| t.1 == Fr::from(0))));
    assert!(has(
        |terms| (1..terms.len()).any(|i| terms[..i].iter().any(|t| t.0 == terms[i].0))
    ));
}
