//! Laws of plans.

use cuzk_ntt::{Decimation, Pass, Plan};
use proptest::prelude::*;

/// Passes within the limits of a pass and of a plan.
fn any_stages() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(1..=Plan::MAX_PASS_STAGES, 0..=6)
        .prop_filter("the field has domains so large", |stages| {
            stages.iter().sum::<u32>() <= Plan::MAX_STAGES
        })
}

/// The stages of the passes touch each exponent of a reach once, in order.
fn reaches(passes: impl Iterator<Item = Pass>, decimation: Decimation) -> Vec<u32> {
    let each = passes.flat_map(|pass| {
        let reaches = pass.log_stride..pass.log_stride + pass.stages;
        match decimation {
            Decimation::InFrequency => reaches.rev().collect::<Vec<_>>(),
            Decimation::InTime => reaches.collect(),
        }
    });
    each.collect()
}

proptest! {
    #[test]
    fn the_passes_of_a_plan_make_every_stage_once_and_in_order(stages in any_stages()) {
        let plan = Plan::with_stages(&stages).expect("within the limits");
        let log_n = stages.iter().sum::<u32>();
        prop_assert_eq!(plan.log_n(), log_n);
        let all: Vec<u32> = (0..log_n).collect();
        let in_time = reaches(plan.passes(Decimation::InTime), Decimation::InTime);
        prop_assert_eq!(&in_time, &all);
        let in_frequency = reaches(plan.passes(Decimation::InFrequency), Decimation::InFrequency);
        prop_assert!(in_frequency.iter().rev().eq(&all));
    }

    #[test]
    fn the_planner_s_passes_differ_by_one_stage_at_most(log_n in 0..=Plan::MAX_STAGES) {
        let plan = Plan::new(log_n).expect("within the limits");
        let stages: Vec<u32> = plan.passes(Decimation::InFrequency).map(|p| p.stages).collect();
        prop_assert!(stages.is_sorted(), "{}", plan);
        prop_assert!(stages.iter().all(|s| (1..=Plan::MAX_PASS_STAGES).contains(s)), "{}", plan);
        if let (Some(first), Some(last)) = (stages.first(), stages.last()) {
            prop_assert!(last - first <= 1, "{}", plan);
        }
        prop_assert_eq!(Plan::with_stages(&stages).expect("the same limits"), plan);
    }
}
