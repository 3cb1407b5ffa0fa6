use cuzk_backend::MatrixShape;
use cuzk_curve::{G1, G2};
use cuzk_msm::{PlanOptions, Residence as MsmResidence};

use super::*;

const GIB: usize = 1 << 30;

/// A circuit that fills its domain, three terms a row, every variable in every query.
fn full(log_n: u32) -> KeyShape {
    let n = 1 << log_n;
    let matrix = MatrixShape {
        terms: 3 * n,
        coefficients: 100,
    };
    KeyShape {
        log_n,
        rows: n,
        variables: n,
        folded: false,
        matrices: [Some(matrix); 3],
        h: n - 1,
        l: n - 2,
        a: n,
        b: n,
    }
}

fn plan(log_n: u32, budget_bytes: usize) -> Result<MemoryPlan, PlanError> {
    MemoryPlan::new(&full(log_n), Witness::Any, &Card::h200(), budget_bytes)
}

fn streamed(plan: &MemoryPlan) -> usize {
    plan.queries.iter().filter(|query| !query.resident).count()
}

#[test]
fn cards_from_8_gb_up_have_a_plan_for_circuits_up_to_2_24() {
    for log_n in 20..=24 {
        let mut before_ms = f64::INFINITY;
        for gib in [8, 10, 12, 16, 24, 32, 48, 80, 141] {
            let plan = plan(log_n, gib * GIB).expect("a place");
            assert!(plan.peak_bytes <= gib * GIB, "2^{log_n}, {gib} GiB: {plan}");
            assert!(plan.resident_bytes <= plan.peak_bytes);
            assert!(plan.steps.iter().all(|step| step.bytes <= plan.peak_bytes));
            assert!(
                plan.predicted_ms <= before_ms,
                "2^{log_n}, {gib} GiB: {plan}"
            );
            before_ms = plan.predicted_ms;
        }
    }
}

#[test]
fn a_large_card_keeps_everything_and_a_small_one_streams() {
    let large = plan(22, 141 * GIB).expect("a place");
    assert_eq!(streamed(&large), 0);
    assert!(large.twiddles_stay);
    let small = plan(24, 8 * GIB).expect("a place");
    assert!(streamed(&small) > 0, "{small}");
    let bytes = small.queries.iter().filter(|query| !query.resident);
    let bytes: usize = bytes.map(|query| query.point_bytes).sum();
    assert!(small.copied_bytes >= bytes && small.host_bytes >= bytes);
}

#[test]
fn a_refusal_names_a_budget_that_fits_and_the_step() {
    for log_n in [3, 10, 18, 22] {
        let least = MemoryPlan::least_budget(&full(log_n), Witness::Any, &Card::h200());
        let least = least.expect("few points");
        let refused = plan(log_n, least / 2).expect_err("half of the least");
        let PlanError::NoPlace {
            needed_bytes,
            budget_bytes,
            step,
            others_bytes: 0,
        } = refused
        else {
            panic!("{refused}");
        };
        assert_eq!((needed_bytes, budget_bytes), (least, least / 2));
        assert!(!step.is_empty());
        let fits = plan(log_n, needed_bytes).expect("what was named");
        assert!(fits.peak_bytes <= needed_bytes);
        assert!(plan(log_n, 0).is_err());
    }
    let text = plan(22, 64 << 20).expect_err("64 MiB").to_string();
    assert!(text.contains("expected a memory budget of ") && text.contains("got 64 MiB"));
}

#[test]
fn the_scratch_of_a_plan_makes_the_same_sums_again() {
    for budget_bytes in [3 * GIB, 8 * GIB, 141 * GIB] {
        let plan = plan(22, budget_bytes).expect("a place");
        for query in &plan.queries {
            let residence = match query.resident {
                true => MsmResidence::Device,
                false => MsmResidence::Host,
            };
            let options = PlanOptions::default();
            let figures = &Card::h200().figures;
            let (n, scratch_bytes) = (query.points, query.scratch_bytes);
            let again = match query.name {
                "b_g2" => MsmPlan::new::<G2>(n, residence, figures, scratch_bytes, &options),
                _ => MsmPlan::new::<G1>(n, residence, figures, scratch_bytes, &options),
            };
            let again = again.expect("it fitted");
            assert_eq!(again.scratch_bytes, scratch_bytes, "{query}");
            assert_eq!(again.chunks().count(), query.chunks, "{query}");
        }
    }
}

#[test]
fn a_known_witness_takes_less_than_any() {
    let any = plan(22, 8 * GIB).expect("a place");
    let bits = Witness::Counts {
        ones: 1 << 21,
        rest: 1000,
    };
    let bits = MemoryPlan::new(&full(22), bits, &Card::h200(), 8 * GIB).expect("a place");
    assert!(bits.predicted_ms < any.predicted_ms / 2.0, "{bits}\n{any}");
    assert!(bits.copied_bytes < any.copied_bytes);
}

#[test]
fn more_points_than_a_sum_can_have_are_refused_as_such() {
    let error = plan(32, 1 << 50).expect_err("2^32 points");
    assert!(matches!(error, PlanError::Sum(_)), "{error}");
}

#[test]
fn a_plan_is_a_table_and_an_object() {
    let plan = plan(22, 3 * GIB).expect("a place");
    let text = plan.to_string();
    for word in ["matrices", "twiddles", "b_g2", "msm_h", "ms predicted"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let object = serde_json::to_value(&plan).expect("plain data");
    assert_eq!(object["budget_bytes"], 3 * GIB);
    assert_eq!(object["queries"][4]["name"], "b_g2");
}
