//! Keys by plans for budgets of every size: the same proofs, and no more memory than planned.

use std::sync::Arc;

use cuzk_cpu::Cpu;
use cuzk_cuda::{Cuda, MemoryPlan, plan};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_groth16::{CircuitLayout, Proof, ProveError, ProvingKey, prove};
use cuzk_phase::Timeline;
use cuzk_testkit::{MimcChain, RandomSystem};

use crate::proofs::{Case, blinding};
use plan::{Card, Witness};

fn within(budget_bytes: Option<usize>) -> Cuda {
    Cuda::open(
        &DeviceSelector::default(),
        &DeviceOptions {
            budget_bytes,
            ..DeviceOptions::default()
        },
    )
    .expect("the stand-in")
}

fn peak(cuda: &Cuda) -> usize {
    cuda.cuda_device()
        .memory()
        .expect("the stand-in")
        .peak_bytes
}

fn shape(case: &Case) -> cuzk_backend::KeyShape {
    let layout = CircuitLayout::of_shape(&case.shape).expect("a small domain");
    layout.key_shape_of(&case.shape)
}

fn least(case: &Case) -> usize {
    MemoryPlan::least_budget(&shape(case), Witness::Any, &Card::h200()).expect("few points")
}

/// Proofs one by one and in a batch, within budgets from the smallest to any, against the CPU's;
/// says how many queries were streamed.
fn every_plan_proves(case: &Case, parts: &[usize]) -> usize {
    let expected = case.proofs(&Cpu::default(), 2);
    let least = least(case);
    let mut streamed = 0;
    let budgets = parts.iter().map(|parts| Some(least / 4 * parts));
    for budget_bytes in budgets.chain([Some(least), None]) {
        let cuda = within(budget_bytes);
        let plan = cuda.memory_plan(&shape(case)).expect("the budget suffices");
        streamed += plan.queries.iter().filter(|query| !query.resident).count();
        assert_eq!(case.proofs(&cuda, 2), expected, "{plan}");
        assert!(peak(&cuda) <= plan.peak_bytes, "{} of {plan}", peak(&cuda));
        assert_eq!(case.batch(&cuda, 2), expected, "{plan}");
        assert!(peak(&cuda) <= plan.peak_bytes, "{} of {plan}", peak(&cuda));
    }
    streamed
}

#[test]
fn every_plan_gives_the_proofs_of_the_cpu_and_holds_what_it_said() {
    let session = crate::begin();
    let streamed = every_plan_proves(&Case::of(&MimcChain::new(1, 700)), &[5, 7]);
    assert!(streamed >= 5, "{streamed}");
    for bits_percent in [0, 50, 100] {
        let system = RandomSystem::new(3, 150).with_bits_percent(bits_percent);
        every_plan_proves(&Case::of(&system.program()), &[5, 8, 16]);
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
    let cuda = within(Some(needed_bytes));
    assert_eq!(case.proofs(&cuda, 1), case.proofs(&Cpu::default(), 1));
}

/// Key and proof.
fn whole(cuda: &Cuda, case: &Case) -> Result<Proof, ProveError> {
    let key = ProvingKey::prepare(cuda, Arc::clone(&case.shape), &case.parameters)?;
    prove(cuda, &key, &case.witness, &blinding(0), &Timeline::start())
}
