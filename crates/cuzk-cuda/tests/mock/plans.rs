//! Keys by plans for budgets of every size: the same proofs, and no more memory than planned.

use std::sync::Arc;

use cuzk_cpu::Cpu;
use cuzk_cuda::{Cuda, plan};
use cuzk_groth16::{Proof, ProveError, ProvingKey, prove};
use cuzk_phase::Timeline;
use cuzk_testkit::{MimcChain, RandomSystem};

use crate::{
    budgets::{every_plan_proves, least, peak, too_little_is_refused, within},
    proofs::{Case, blinding},
};

#[test]
fn every_plan_gives_the_proofs_of_the_cpu_and_holds_what_it_said() {
    let session = crate::begin();
    let check = |case: &Case, quarters: &[usize]| {
        every_plan_proves(case, &case.proofs(&Cpu::default(), 2), quarters)
    };
    let streamed = check(&Case::of(&MimcChain::new(1, 700)), &[5, 7]);
    assert!(streamed >= 5, "{streamed}");
    for bits_percent in [0, 50, 100] {
        let system = RandomSystem::new(3, 150).with_bits_percent(bits_percent);
        check(&Case::of(&system.program()), &[5, 8, 16]);
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_budget_below_every_plan_is_refused_before_any_memory_is_asked_for() {
    let _session = crate::begin();
    let case = Case::of(&RandomSystem::new(3, 150).program());
    let cuda = within(Some(least(&case) / 2));
    let refused = ProvingKey::prepare(&cuda, Arc::clone(&case.shape), &case.parameters);
    let error = refused.expect_err("half of the least");
    let ProveError::Backend { source, .. } = error else {
        panic!("{error}");
    };
    let error = source.downcast::<cuzk_cuda::CudaError>().expect("ours");
    let cuzk_cuda::CudaError::Plan(plan::PlanError::NoPlace { needed_bytes, .. }) = *error else {
        panic!("{error}");
    };
    assert_eq!(peak(&cuda), 0);
    assert!(whole(&cuda, &case).is_err());
    // What the refusal names is enough.
    assert!(needed_bytes <= least(&case));
    too_little_is_refused(&case, &case.proofs(&Cpu::default(), 1));
}

/// Key and proof.
fn whole(cuda: &Cuda, case: &Case) -> Result<Proof, ProveError> {
    let key = ProvingKey::prepare(cuda, Arc::clone(&case.shape), &case.parameters)?;
    prove(cuda, &key, &case.witness, &blinding(0), &Timeline::start())
}
