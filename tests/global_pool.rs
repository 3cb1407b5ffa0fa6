//! The global thread pool of `rayon` belongs to the program: a process of its own, because it
//! can be built once only.

use std::sync::Arc;

use cuzk_cpu::Cpu;
use cuzk_curve::Fr;
use cuzk_groth16::{
    Blinding, Proof, ProvingKey, generate_parameters, prove, prove_batch, verify, verify_batch,
};
use cuzk_phase::Timeline;
use cuzk_testkit::RandomSystem;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// Set-up, proofs and verification.
fn everything() -> Proof {
    let program = RandomSystem::new(1, 200).program();
    let shape = Arc::new(cuzk_synth::shape(&program).expect("sound"));
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let parameters = generate_parameters(
        &Cpu::default(),
        &shape,
        &mut rng,
        &Timeline::start(),
        |_| {},
    )
    .expect("sound");
    let backend = Cpu::default();
    let key = ProvingKey::prepare(&backend, shape, &parameters).expect("fits");
    let witness = cuzk_synth::witness(&program).expect("values are known");
    let blinding = Blinding::fixed(Fr::from(2), Fr::from(3));
    let timeline = Timeline::start();
    let proof = prove(&backend, &key, &witness, &blinding, &timeline).expect("satisfied");
    let twice = (vec![witness; 2], vec![blinding; 2]);
    let proofs = prove_batch(&backend, &key, &twice.0, &twice.1, &timeline).expect("counts agree");
    for again in proofs {
        assert_eq!(again.expect("satisfied"), proof);
    }
    let inputs = program.public_inputs();
    verify(key.verifying_key(), &proof, &inputs).expect("it is a proof");
    let batch = vec![(proof, inputs); 5];
    verify_batch(key.verifying_key(), &batch, &mut rng).expect("they are proofs");
    let bytes = proof.to_bytes().repeat(5);
    assert_eq!(Proof::many_from_bytes(&bytes, 5), Ok(vec![proof; 5]));
    proof
}

fn threads_of_this_process() -> Option<usize> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    Some(tasks.count())
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "this test is the program to which the pool belongs"
)]
fn work_inside_a_pool_stays_there_and_the_global_pool_stays_the_programs() {
    let before = threads_of_this_process();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("threads start");
    let first = pool.install(everything);
    if let (Some(before), Some(after)) = (before, threads_of_this_process()) {
        assert_eq!(after, before + 2, "threads besides those of the pool");
    }
    // Still to be had: nobody has built it or made it start by itself.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .expect("the global pool is untouched");
    assert_eq!(pool.install(everything), first);
    // Outside of every pool, on the program's global one.
    assert_eq!(everything(), first);
    if let (Some(before), Some(after)) = (before, threads_of_this_process()) {
        assert_eq!(after, before + 3, "threads besides those of the two pools");
    }
}
