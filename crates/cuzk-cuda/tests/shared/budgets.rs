//! Keys by plans for budgets of every size: the same proofs, and no more memory than planned.

use cuzk_backend::KeyShape;
use cuzk_cuda::{
    Cuda, MemoryPlan,
    plan::{Card, Witness},
};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_groth16::{CircuitLayout, Proof};

use crate::proofs::Case;

pub(crate) fn within(budget_bytes: Option<usize>) -> Cuda {
    let options = DeviceOptions {
        budget_bytes,
        ..DeviceOptions::default()
    };
    Cuda::open(&DeviceSelector::default(), &options).expect("a device")
}

pub(crate) fn peak(cuda: &Cuda) -> usize {
    cuda.cuda_device().memory().expect("a device").peak_bytes
}

pub(crate) fn shape(case: &Case) -> KeyShape {
    let layout = CircuitLayout::of_shape(&case.shape).expect("a small domain");
    layout.key_shape_of(&case.shape)
}

/// The smallest budget of a plan on the device.
pub(crate) fn least(case: &Case) -> usize {
    let card = Card::of(within(None).cuda_device().info());
    MemoryPlan::least_budget(&shape(case), Witness::Any, &card).expect("few points")
}

/// Proofs one by one and in a batch, within budgets in quarters of the smallest, the smallest and
/// any, against those of the CPU; says how many queries were streamed.
pub(crate) fn every_plan_proves(case: &Case, expected: &[Proof], quarters: &[usize]) -> usize {
    let least = least(case);
    let proofs = expected.len() as u64;
    let mut streamed = 0;
    let budgets = quarters.iter().map(|quarters| Some(least / 4 * quarters));
    for budget_bytes in budgets.chain([Some(least), None]) {
        let cuda = within(budget_bytes);
        let plan = cuda.memory_plan(&shape(case)).expect("the budget suffices");
        streamed += plan.queries.iter().filter(|query| !query.resident).count();
        assert_eq!(case.proofs(&cuda, proofs), expected, "{plan}");
        assert!(peak(&cuda) <= plan.peak_bytes, "{} of {plan}", peak(&cuda));
        assert_eq!(case.batch(&cuda, proofs), expected, "{plan}");
        assert!(peak(&cuda) <= plan.peak_bytes, "{} of {plan}", peak(&cuda));
    }
    streamed
}

/// A device that has less than the least plan says so, with a number that suffices.
pub(crate) fn too_little_is_refused(case: &Case, expected: &[Proof]) {
    use cuzk_cuda::{CudaError, plan::PlanError};
    let cuda = within(Some(least(case) / 2));
    let refused = cuda
        .memory_plan(&shape(case))
        .expect_err("half of the least");
    let CudaError::Plan(PlanError::NoPlace { needed_bytes, .. }) = refused else {
        panic!("{refused}");
    };
    assert_eq!(peak(&cuda), 0);
    let cuda = within(Some(needed_bytes));
    assert_eq!(case.proofs(&cuda, expected.len() as u64), expected);
}
