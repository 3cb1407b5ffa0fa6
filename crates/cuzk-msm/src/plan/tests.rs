use cuzk_curve::{G1, G2};

use super::*;

const GIB: usize = 1 << 30;

fn plan(n: usize, budget_bytes: usize, options: PlanOptions) -> Result<MsmPlan, MsmError> {
    MsmPlan::new::<G1>(
        n,
        Residence::Device,
        &CardFigures::H200,
        budget_bytes,
        &options,
    )
}

fn free(n: usize, budget_bytes: usize) -> MsmPlan {
    plan(n, budget_bytes, PlanOptions::default()).expect("it fits")
}

#[test]
fn windows_and_bases_are_covered_once_and_in_order() {
    for (n, budget) in [
        (0, GIB),
        (1, GIB),
        (1000, GIB),
        (1 << 22, GIB),
        (1 << 24, 10 * GIB),
    ] {
        let plan = free(n, budget);
        let windows: Vec<u32> = plan.groups().flatten().collect();
        assert!(windows.iter().copied().eq(0..plan.layout.windows()));
        let mut end = 0;
        for chunk in plan.chunks() {
            assert_eq!(chunk.start, end);
            end = chunk.end;
        }
        assert_eq!(end, n);
        assert!(plan.scratch_bytes <= budget, "{plan}");
    }
}

#[test]
fn with_memory_enough_everything_is_done_at_once_and_windows_grow_with_the_sum() {
    let mut last = 0;
    for log_n in 4..=26 {
        let plan = free(1 << log_n, 120 * GIB);
        assert_eq!(plan.groups().count(), 1, "{plan}");
        assert_eq!(plan.chunks().count(), 1, "{plan}");
        assert!(plan.layout.window_bits() >= last, "{plan}");
        last = plan.layout.window_bits();
    }
    assert_eq!(free(1 << 24, 120 * GIB).layout.windows(), 13);
}

#[test]
fn less_memory_never_makes_a_plan_that_is_predicted_to_take_less_time() {
    for n in [1 << 20, 1 << 24] {
        let mut last = 0.0;
        for gib in [120, 40, 20, 10, 5, 2] {
            let plan = free(n, gib * GIB);
            assert!(plan.predicted.total_ms() >= last, "{plan}");
            assert!(plan.scratch_bytes <= gib * GIB);
            last = plan.predicted.total_ms();
        }
    }
}

#[test]
fn options_are_kept() {
    let options = PlanOptions {
        window_bits: Some(11),
        method: Some(Method::Xyzz),
        ..PlanOptions::default()
    };
    let made = plan(1 << 20, GIB, options).expect("it fits");
    assert_eq!((made.layout.window_bits(), made.method), (11, Method::Xyzz));
    let options = PlanOptions {
        window_bits: Some(27),
        ..options
    };
    let error = plan(1 << 20, GIB, options).expect_err("too wide");
    assert!(
        matches!(error, MsmError::WindowBits { got: 27, .. }),
        "{error}"
    );
}

/// A plan for bases on the host.
fn streamed(n: usize, budget_bytes: usize, host_link: HostLink) -> MsmPlan {
    let options = PlanOptions {
        table_bytes: 100 * GIB,
        host_link: Some(host_link),
        ..PlanOptions::default()
    };
    let card = CardFigures::H200;
    MsmPlan::new::<G1>(n, Residence::Host, &card, budget_bytes, &options).expect("it fits")
}

fn copy_ms(n: usize, bytes: usize, link: HostLink) -> f64 {
    (n * bytes) as f64 / link.bytes_per_second() * 1e3
}

#[test]
fn bases_on_the_host_come_in_chunks_with_place_for_two() {
    for link in [HostLink::Pageable, HostLink::Registered] {
        for log_n in [22, 24, 26] {
            let plan = streamed(1 << log_n, 120 * GIB, link);
            let lens = plan.chunks.lens();
            assert!(lens.len() > 1, "{plan}");
            // What nothing hides is short: the first copy, or the last sum.
            let first_is_shorter = lens[0] < lens[lens.len() - 1];
            assert_eq!(first_is_shorter, link == HostLink::Registered, "{plan}");
            assert_eq!(plan.layout.tables(), 1);
            let places: usize = plan.chunks.places().iter().sum();
            assert!(plan.scratch_bytes >= 96 * places, "{plan}");
            let resident = free(1 << log_n, 120 * GIB).predicted.total_ms();
            let larger = resident.max(copy_ms(1 << log_n, 96, link));
            // At 2^22 what chunks cost besides is more.
            let most = if log_n == 22 { 1.2 } else { 1.13 };
            assert!(plan.predicted.total_ms() < most * larger, "{plan}");
        }
    }
    assert_eq!(
        streamed(1000, GIB, HostLink::Registered).chunks.lens(),
        [1000]
    );
    let small = streamed(1 << 26, GIB, HostLink::Registered);
    assert!(
        small.scratch_bytes <= GIB && small.chunks().count() > 8,
        "{small}"
    );
}

#[test]
fn scalars_from_registered_memory_cost_less_than_a_tenth() {
    for log_n in [22, 24, 26] {
        let options = PlanOptions {
            host_link: Some(HostLink::Registered),
            ..PlanOptions::default()
        };
        let resident = plan(1 << log_n, 120 * GIB, options).expect("it fits");
        let fed = resident.with_host_scalars::<G1>(&CardFigures::H200);
        let fed = fed.expect("it fits");
        let total_ms = fed.predicted.total_ms();
        let larger = resident.predicted.total_ms();
        assert!(larger > copy_ms(1 << log_n, 32, HostLink::Registered));
        assert!(total_ms < 1.1 * larger && total_ms > larger, "{fed}");
        let lens = fed.chunks.lens();
        assert!(lens.len() > 1 && lens[0] < (1 << log_n) / 4, "{fed}");
        assert!(fed.to_string().contains(", wait "), "{fed}");
    }
}

#[test]
fn scalars_from_the_host_are_taken_in_the_memory_that_there_is() {
    for gib in [1, 2, 10, 60] {
        let resident = free(1 << 24, gib * GIB);
        let fed = resident.with_host_scalars::<G1>(&CardFigures::H200);
        let fed = fed.expect("it fits");
        assert!(fed.scratch_bytes <= gib * GIB, "{fed}");
    }
    let bases = streamed(1 << 24, 10 * GIB, HostLink::Registered);
    let fed = bases.with_host_scalars::<G1>(&CardFigures::H200);
    let fed = fed.expect("it fits");
    assert!(fed.scratch_bytes <= 10 * GIB);
    // Four bytes come where there were three.
    assert!(
        fed.predicted.total_ms() > bases.predicted.total_ms(),
        "{fed}"
    );
}

#[test]
fn as_many_vectors_share_a_pass_as_have_place_for_their_buckets() {
    let plan = streamed(1 << 24, 120 * GIB, HostLink::Registered);
    let spare = 120 * GIB - plan.scratch_bytes;
    let sums = 96 * plan.layout.buckets() * plan.layout.windows() as usize;
    assert_eq!(plan.vectors_at_once, 1 + spare / sums);
    assert_eq!(free(1 << 24, 120 * GIB).vectors_at_once, 1);
    assert!(streamed(1000, GIB, HostLink::Registered).vectors_at_once > 1000);
}

#[test]
fn tables_are_made_where_they_are_used_often_enough() {
    let with = |uses| {
        let options = PlanOptions {
            table_bytes: 12 * (96 << 22),
            uses,
            ..PlanOptions::default()
        };
        plan(1 << 22, 60 * GIB, options).expect("it fits")
    };
    assert_eq!(with(Some(0)).layout, with(Some(1)).layout);
    assert_eq!(with(Some(1)).layout.tables(), 1);
    assert_eq!(with(Some(1)).predicted.prepare_ms, 0.0);
    let ever = with(None);
    assert!(
        ever.layout.tables() > 1 && ever.predicted.prepare_ms > 0.0,
        "{ever}"
    );
    assert!(ever.to_string().ends_with(" ms once"), "{ever}");
    let mut last = with(Some(1));
    for uses in [10, 100, 1000, 10_000, 1_000_000] {
        let plan = with(Some(uses));
        let (now, before) = (plan.predicted, last.predicted);
        assert!(now.prepare_ms >= before.prepare_ms, "{plan}");
        assert!(now.total_ms() <= before.total_ms(), "{plan}");
        assert!(
            now.ms_of_each(Some(uses)) <= before.ms_of_each(Some(uses)),
            "{plan}"
        );
        last = plan;
    }
    assert_eq!(last.layout, ever.layout);
}

#[test]
fn more_bases_than_a_sort_takes_are_taken_in_chunks() {
    let plan = free((1 << 31) - 1, 120 * GIB);
    assert!(plan.chunks().count() > 1, "{plan}");
    assert!(plan.chunks.largest() <= 1 << 30, "{plan}");
}

#[test]
fn tables_are_planned_where_they_have_place() {
    let with = |table_bytes| {
        let options = PlanOptions {
            table_bytes,
            ..PlanOptions::default()
        };
        plan(1 << 22, 60 * GIB, options).expect("it fits")
    };
    let point = 96 << 22;
    assert_eq!(with(0).layout.tables(), 1);
    assert_eq!(with(point - 1).layout.tables(), 1);
    let mut last = with(0).predicted.total_ms();
    for tables in 1..16 {
        let plan = with(tables * point);
        assert!(plan.layout.tables() as usize <= tables + 1);
        assert!(plan.predicted.total_ms() <= last, "{plan}");
        last = plan.predicted.total_ms();
    }
    assert!(with(11 * point).layout.tables() > 1);
}

#[test]
fn what_cannot_fit_is_refused_with_numbers() {
    let error = plan(1 << 20, 1000, PlanOptions::default()).expect_err("nothing fits");
    let MsmError::NoPlace {
        n,
        needed_bytes,
        budget_bytes,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((n, budget_bytes), (1 << 20, 1000));
    assert!(needed_bytes > 1000 && plan(n, needed_bytes, PlanOptions::default()).is_ok());
    let error = plan(1 << 31, GIB, PlanOptions::default()).expect_err("too many");
    assert!(
        matches!(
            error,
            MsmError::TooManyBases {
                got: 0x8000_0000,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn batch_affine_sums_are_planned_where_they_take_less_time() {
    assert_eq!(free(1 << 24, 120 * GIB).method, Method::BatchAffine);
    assert_eq!(free(1 << 8, 120 * GIB).method, Method::Xyzz);
}

#[test]
fn a_plan_says_what_it_is() {
    let text = free(1 << 24, 120 * GIB).to_string();
    let start = "16777216 bases of G1: 13 windows of up to 20 bits, 13 at once, batch affine sums and lines; ";
    assert!(text.starts_with(start), "{text}");
    assert!(
        text.contains(" MiB; sort ") && text.ends_with(" ms"),
        "{text}"
    );
    let card = CardFigures::H200;
    let chunked = MsmPlan::new::<G2>(
        1 << 24,
        Residence::Device,
        &card,
        GIB / 8,
        &PlanOptions::default(),
    );
    let text = chunked.expect("it fits").to_string();
    assert!(
        text.contains("bases of G2") && text.contains(" chunks of up to "),
        "{text}"
    );
}

#[test]
fn lines_are_planned_where_buckets_are_many() {
    let reduction = |log_n: u32| free(1 << log_n, 120 * GIB).reduction;
    assert_eq!(reduction(20), Reduction::Segments);
    assert_eq!(reduction(24), Reduction::Lines);
    let with = |reduction| {
        let options = PlanOptions {
            reduction: Some(reduction),
            ..PlanOptions::default()
        };
        plan(1 << 24, 120 * GIB, options).expect("it fits")
    };
    let (segments, lines) = (with(Reduction::Segments), with(Reduction::Lines));
    assert_eq!(segments.reduction, Reduction::Segments);
    assert!(lines.predicted.total_ms() < segments.predicted.total_ms());
    // XYZZ sums have no such reduction.
    let options = PlanOptions {
        method: Some(Method::Xyzz),
        reduction: Some(Reduction::Lines),
        ..PlanOptions::default()
    };
    let xyzz = plan(1 << 24, 120 * GIB, options).expect("it fits");
    assert_eq!(xyzz.reduction, Reduction::Segments);
}
