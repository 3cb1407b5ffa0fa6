use super::*;

fn cost(fixed_us: u64, per_gib_ms: u64) -> CopyCost {
    CopyCost {
        fixed: Duration::from_micros(fixed_us),
        per_gib: Duration::from_millis(per_gib_ms),
    }
}

/// A machine on which registering is dear.
fn dear() -> CopyRates {
    let registered = RegisteredCost {
        lock: cost(50, 400),
        copy: cost(10, 20),
        unlock: cost(50, 100),
    };
    CopyRates::measured(cost(10, 160), Some(registered), Some(cost(300, 180)))
}

#[test]
fn what_is_used_once_is_staged_and_what_is_used_often_registered() {
    let rates = CopyRates::assumed();
    assert_eq!(rates.predict(128 << 20, 1).best, HostMemory::Staged);
    assert_eq!(rates.predict(128 << 20, 50).best, HostMemory::Registered);
}

#[test]
fn where_registering_and_staging_are_dear_one_use_is_pageable() {
    assert_eq!(dear().predict(1 << 30, 1).best, HostMemory::Pageable);
    // 520 ms once and 20 a copy against 160 a copy.
    assert_eq!(dear().predict(1 << 30, 3).best, HostMemory::Pageable);
    assert_eq!(dear().predict(1 << 30, 4).best, HostMemory::Registered);
}

#[test]
fn without_figures_some_mebibytes_are_pageable_and_more_of_them_staged() {
    let best = |mib: usize| CopyRates::assumed().predict(mib << 20, 1).best;
    assert_eq!([1, 4].map(best), [HostMemory::Pageable; 2]);
    assert_eq!([16, 64].map(best), [HostMemory::Staged; 2]);
}

#[test]
fn small_buffers_are_pageable_because_the_rest_has_a_fixed_price() {
    assert_eq!(
        CopyRates::assumed().predict(4096, 1).best,
        HostMemory::Pageable
    );
}

#[test]
fn the_best_has_the_least_time_of_all() {
    for rates in [CopyRates::assumed(), dear()] {
        for shift in 10..36 {
            for uses in [0, 1, 2, 5, 50, u32::MAX] {
                let prediction = rates.predict(1 << shift, uses);
                let best = prediction.of(HostMemory::Auto).expect("has a time");
                for strategy in [
                    HostMemory::Pageable,
                    HostMemory::Registered,
                    HostMemory::Staged,
                ] {
                    assert!(prediction.of(strategy).is_none_or(|time| best <= time));
                }
            }
        }
    }
}

#[test]
fn what_the_machine_cannot_do_is_never_chosen() {
    let rates = CopyRates::measured(cost(10, 160), None, None);
    let prediction = rates.predict(1 << 30, 1000);
    assert_eq!(prediction.best, HostMemory::Pageable);
    assert_eq!(prediction.of(HostMemory::Registered), None);
    assert!(prediction.to_string().contains("registered not possible"));
}

#[test]
fn a_line_goes_through_its_two_points() {
    let small = (1 << 20, Duration::from_micros(300));
    let large = (64 << 20, Duration::from_micros(10_380));
    let line = CopyCost::through(small, large);
    for (bytes, time) in [small, large] {
        assert!(line.of(bytes).abs_diff(time) < Duration::from_nanos(100));
    }
}

#[test]
fn points_that_contradict_a_line_give_the_rate_of_the_larger() {
    let large = (64 << 20, Duration::from_millis(10));
    // Slower in proportion, and slower outright.
    for small in [Duration::ZERO, Duration::from_millis(20)] {
        let line = CopyCost::through((1 << 20, small), large);
        assert!(line.of(64 << 20).abs_diff(large.1) < Duration::from_micros(1));
    }
    let none = CopyCost::through((0, Duration::ZERO), (0, Duration::ZERO));
    assert_eq!(none, CopyCost::default());
}

#[test]
fn figures_are_printed_with_their_units() {
    let text = CopyRates::assumed().to_string();
    assert!(
        text.starts_with("assumed: pageable 15.3 GB/s after 10 us, registered 53.7 GB/s"),
        "{text}"
    );
    assert!(
        text.contains("52 ms to register and 19 ms to release a GiB"),
        "{text}"
    );
}
