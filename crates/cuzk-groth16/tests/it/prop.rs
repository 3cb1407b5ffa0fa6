use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::Fr;
use cuzk_groth16::{Blinding, PreparedVerifyingKey, Proof, prove, verify, verify_batch};
use cuzk_phase::Timeline;
use cuzk_testkit::{Program, RandomSystem, any_fr};
use proptest::{prelude::*, test_runner::Config};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::case::Case;

fn program(constraints: std::ops::Range<usize>) -> impl Strategy<Value = Program> {
    // Few inputs and many, witnesses of bits and of full values.
    (any::<u64>(), constraints, 0usize..20, 0u32..=100).prop_map(
        |(seed, constraints, public_inputs, bits_percent)| {
            let system = RandomSystem {
                seed,
                constraints,
                public_inputs,
                bits_percent,
            };
            system.program()
        },
    )
}

proptest! {
    #![proptest_config(Config::with_cases(24))]

    #[test]
    fn what_is_proved_verifies_alone_and_in_a_batch(
        program in program(1..150),
        r in any_fr(),
        s in any_fr(),
        threads in 1usize..5,
    ) {
        let case = Case::of(program);
        let backend = Cpu::default();
        let key = case.key(&backend);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let blinding = Blinding::fixed(r, s);
        let proof = pool.expect("threads start").install(|| {
            prove(&backend, &key, &case.witness, &blinding, &Timeline::start())
        });
        let proof = proof.expect("satisfied");
        prop_assert_eq!(Proof::from_bytes(&proof.to_bytes()), Ok(proof));
        let key = PreparedVerifyingKey::new(&case.parameters.vk).expect("a good key");
        let inputs = case.program.public_inputs();
        prop_assert_eq!(verify(&key, &proof, &inputs), Ok(()));
        let batch = vec![(proof, inputs); threads];
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        prop_assert_eq!(verify_batch(&key, &batch, &mut rng), Ok(()));
    }

    #[test]
    fn the_backends_agree_byte_for_byte(program in program(1..20), r in any_fr(), s in any_fr()) {
        let case = Case::of(program);
        let blinding = Blinding::fixed(r, s);
        let timeline = Timeline::start();
        let cpu = prove(&Cpu::default(), &case.key(&Cpu::default()), &case.witness, &blinding, &timeline);
        let naive = prove(&Naive, &case.key(&Naive), &case.witness, &blinding, &timeline);
        prop_assert_eq!(cpu.expect("satisfied"), naive.expect("satisfied"));
    }

    #[test]
    fn proofs_of_other_inputs_are_refused(program in program(1..30), change in any_fr()) {
        let case = Case::of(program);
        let proof = case.prove(&Cpu::default()).expect("satisfied");
        let key = PreparedVerifyingKey::new(&case.parameters.vk).expect("a good key");
        let right = case.program.public_inputs();
        prop_assume!(change != Fr::from(0));
        for i in 0..right.len() {
            let mut inputs = right.clone();
            inputs[i] += change;
            prop_assert!(verify(&key, &proof, &inputs).is_err());
        }
    }
}
