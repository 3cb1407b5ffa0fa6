//! Several keys on one card: each has a plan beside what the others and their proofs take, or is
//! refused with numbers; no proof finds less memory than it was planned for.

use std::sync::{Arc, Barrier};

use cuzk_backend::Backend;
use cuzk_cpu::Cpu;
use cuzk_cuda::{Cuda, CudaError, plan::PlanError};
use cuzk_groth16::{ProveError, ProvingKey, prove, prove_batch};
use cuzk_phase::Timeline;
use cuzk_testkit::{MimcChain, RandomSystem};

use crate::{
    budgets::{least, peak, shape, within},
    proofs::{Case, blinding},
};

fn cases() -> [Case; 3] {
    let random = RandomSystem::new(3, 150).with_bits_percent(90);
    [
        Case::of(&MimcChain::new(1, 120)),
        Case::of(&random.program()),
        Case::of(&MimcChain::new(2, 120)),
    ]
}

fn prepare(cuda: &Cuda, case: &Case) -> Result<ProvingKey<Cuda>, ProveError> {
    ProvingKey::prepare(cuda, Arc::clone(&case.shape), &case.parameters)
}

/// What a refusal says: needed, left, and for others.
fn numbers(error: ProveError) -> [usize; 3] {
    let ProveError::Backend { source, .. } = error else {
        panic!("{error}");
    };
    let error = source.downcast::<CudaError>().expect("ours");
    let CudaError::Plan(PlanError::NoPlace {
        needed_bytes,
        budget_bytes,
        others_bytes,
        ..
    }) = *error
    else {
        panic!("{error}");
    };
    [needed_bytes, budget_bytes, others_bytes]
}

/// Each key proves, all at once.
fn all_prove(cuda: &Cuda, keys: &[(&Case, ProvingKey<Cuda>)]) {
    let begin = Barrier::new(keys.len());
    std::thread::scope(|scope| {
        for (case, key) in keys {
            let begin = &begin;
            scope.spawn(move || {
                let expected = case.proofs(&Cpu::default(), 1);
                begin.wait();
                let witness = &case.witness;
                let proof = prove(cuda, key, witness, &blinding(0), &Timeline::start());
                assert_eq!(proof.expect("memory for it"), expected[0]);
            });
        }
    });
}

/// The most that each key alone has use for, and what it takes at least.
fn amounts(cases: &[Case]) -> (Vec<usize>, Vec<usize>) {
    let ample = |case: &Case| {
        let plan = within(None).memory_plan(&shape(case)).expect("a card");
        plan.peak_bytes
    };
    let amples = cases.iter().map(ample).collect();
    (amples, cases.iter().map(least).collect())
}

#[test]
fn keys_have_plans_beside_each_other_and_no_proof_meets_the_budget() {
    let session = crate::begin();
    let cases = cases();
    let (ample, least) = amounts(&cases);
    // Room for the first as it likes, for what the second must have or more, and so on to all: who
    // comes later has what is left, or is refused.
    let mut refused = 0;
    let all = ample[1] + ample[2];
    for rest in [least[1] + (1 << 12), least[1] / 2 * 3, all / 2, all] {
        let cuda = within(Some(ample[0] + rest));
        let mut keys = Vec::new();
        for case in &cases {
            match prepare(&cuda, case) {
                Ok(key) => keys.push((case, key)),
                Err(error) => {
                    let [needed, left, _] = numbers(error);
                    assert!(needed > left, "{needed} {left}");
                    refused += 1;
                }
            }
        }
        assert!(keys.len() >= if rest == all { 3 } else { 2 });
        for _ in 0..2 {
            all_prove(&cuda, &keys);
        }
        // No sum was tried with less.
        let memory = cuda.cuda_device().memory().expect("the stand-in");
        assert!(memory.promised_bytes <= memory.total_bytes);
        assert!(peak(&cuda) <= memory.promised_bytes, "{memory:?}");
        let (case, key) = &keys[1];
        let blindings: Vec<_> = (0..3).map(blinding).collect();
        let witnesses = vec![case.witness.clone(); 3];
        let timeline = Timeline::start();
        let batch = prove_batch(&cuda, key, &witnesses, &blindings, &timeline);
        let batch: Result<Vec<_>, _> = batch.expect("a batch").into_iter().collect();
        assert_eq!(batch.expect("memory"), case.proofs(&Cpu::default(), 3));
    }
    assert!(refused > 0);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_key_beside_which_there_is_no_room_is_refused_with_numbers_until_the_other_goes() {
    let session = crate::begin();
    let cases = cases();
    let (ample, least) = amounts(&cases);
    let budget = ample[0] + least[1] / 2;
    let cuda = within(Some(budget));
    let first = prepare(&cuda, &cases[0]).expect("room for one");
    let used = cuda
        .cuda_device()
        .memory()
        .expect("the stand-in")
        .used_bytes;
    let [needed, left, others] = numbers(prepare(&cuda, &cases[1]).expect_err("no room"));
    assert_eq!(others, ample[0]);
    assert_eq!(left, budget - ample[0]);
    assert!(needed > left && needed <= least[1], "{needed} {left}");
    let memory = cuda.cuda_device().memory().expect("the stand-in");
    assert_eq!(memory.used_bytes, used);
    assert_eq!(memory.promised_bytes, ample[0]);
    all_prove(&cuda, &[(&cases[0], first)]);
    // The first has gone.
    let second = prepare(&cuda, &cases[1]).expect("its place is free");
    all_prove(&cuda, &[(&cases[1], second)]);
    let memory = cuda.cuda_device().memory().expect("the stand-in");
    assert_eq!(memory.promised_bytes, 0);
    drop(cuda);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn keys_that_are_prepared_at_once_share_the_card() {
    let session = crate::begin();
    let cases = cases();
    let (ample, least) = amounts(&cases);
    // Not enough for two of them as they like.
    let cuda = within(Some(
        ample[0].max(ample[2]) + least[0].max(least[2]) + (1 << 12),
    ));
    for _ in 0..4 {
        let begin = Barrier::new(2);
        let keys: Vec<_> = std::thread::scope(|scope| {
            let both = [&cases[0], &cases[2]].map(|case| {
                let (cuda, begin) = (&cuda, &begin);
                scope.spawn(move || {
                    begin.wait();
                    (case, prepare(cuda, case))
                })
            });
            both.map(|thread| thread.join().expect("no panic")).into()
        });
        let prepared = keys.into_iter().filter_map(|(case, key)| match key {
            Ok(key) => Some((case, key)),
            Err(error) => {
                let [needed, left, others] = numbers(error);
                assert!(needed > left && others > 0, "{needed} {left} {others}");
                None
            }
        });
        let prepared: Vec<_> = prepared.collect();
        assert!(!prepared.is_empty());
        let memory = cuda.cuda_device().memory().expect("the stand-in");
        assert!(memory.promised_bytes <= memory.total_bytes, "{memory:?}");
        all_prove(&cuda, &prepared);
        assert!(peak(&cuda) <= memory.total_bytes);
    }
    assert_eq!(cuda.name(), "cuda");
    drop(cuda);
    assert_eq!(session.leaks(), Default::default());
}
