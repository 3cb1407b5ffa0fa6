use proptest::prelude::*;
use rand::Rng;

use super::*;

/// Times of `n` pairs around 100 ms: a drift that both share, noise of each by `noise`, and b
/// slower by `factor`.
fn times(seed: u64, n: usize, noise: f64, factor: f64) -> (Vec<f64>, Vec<f64>) {
    let mut random = StdRng::seed_from_u64(seed ^ 0x5eed);
    // A sum of uniform values with a long tail to one side, as the times of runs have.
    let mut disturbed = || {
        let bell: f64 = (0..6).map(|_| random.gen_range(-1.0..1.0)).sum();
        let late = f64::from(u8::from(random.gen_range(0.0..1.0) < 0.1));
        1.0 + noise * (bell / 2.0_f64.sqrt() + 3.0 * late)
    };
    let run = |i: usize, disturbed: f64| 100.0 * (1.0 + 0.01 * i as f64) * disturbed;
    let a = (0..n).map(|i| run(i, disturbed())).collect();
    let b = (0..n).map(|i| factor * run(i, disturbed())).collect();
    (a, b)
}

/// How many of `seeds` comparisons fulfil a condition, as a part.
fn part(n: usize, noise: f64, factor: f64, seeds: u64, good: impl Fn(&Compared) -> bool) -> f64 {
    let found = (0..seeds).filter(|&seed| {
        let (a, b) = times(seed, n, noise, factor);
        good(&compare(&a, &b, seed).expect("pairs"))
    });
    found.count() as f64 / seeds as f64
}

#[test]
fn equal_distributions_show_no_difference_in_about_95_of_100_seeds() {
    for n in [MIN_PAIRS, 20, 41] {
        let equal = part(n, 0.03, 1.0, 400, |found| {
            found.verdict == Verdict::NoDifference
        });
        assert!((0.93..=0.995).contains(&equal), "{n} pairs: {equal}");
    }
}

#[test]
fn to_stop_when_the_interval_is_narrow_keeps_the_verdict_of_equal_distributions() {
    let seeds = 200;
    let equal = (0..seeds).filter(|&seed| {
        let (a, b) = times(seed, 200, 0.01, 1.0);
        let mut runs = MIN_PAIRS;
        while runs < 200 && !is_narrow(&a[..runs], &b[..runs], 0.02, seed) {
            runs = next_look(runs);
        }
        let runs = runs.min(200);
        let found = compare(&a[..runs], &b[..runs], seed).expect("pairs");
        found.verdict == Verdict::NoDifference
    });
    let equal = equal.count() as f64 / seeds as f64;
    assert!((0.93..=0.995).contains(&equal), "{equal}");
}

#[test]
fn intervals_cover_the_true_ratio_in_about_95_of_100_seeds() {
    for factor in [0.5, 1.05, 3.0] {
        let covered = part(15, 0.05, factor, 400, |found| {
            let ratio = found.ratio.expect("positive");
            (ratio.low..=ratio.high).contains(&factor)
        });
        assert!((0.93..=0.995).contains(&covered), "{factor}: {covered}");
    }
}

#[test]
fn a_shift_of_a_twentieth_is_found_in_forty_runs() {
    for (factor, expected) in [(1.05, Verdict::Worse), (1.0 / 1.05, Verdict::Better)] {
        let found = part(40, 0.03, factor, 100, |found| found.verdict == expected);
        assert!(found >= 0.99, "{factor}: {found}");
    }
}

#[test]
fn a_phase_that_one_setting_lacks_has_a_difference_and_no_ratio() {
    let found = compare(&[0.0; 10], &[5.0; 10], 1).expect("pairs");
    assert_eq!(found.ratio, None);
    assert_eq!(
        (found.difference_ms.low, found.difference_ms.high),
        (5.0, 5.0)
    );
    assert_eq!(found.verdict, Verdict::Worse);
    let equal = compare(&[0.0; 10], &[0.0; 10], 1).expect("pairs");
    assert_eq!(equal.verdict, Verdict::NoDifference);
}

#[test]
fn the_ratio_of_two_samples_is_covered_in_about_95_of_100_seeds() {
    let seeds = 200;
    let covered = (0..seeds).filter(|&seed| {
        let (a, _) = times(seed, 20, 0.03, 1.0);
        let (_, b) = times(seed + 1000, 20, 0.03, 1.2);
        let (ratio, verdict) = ratio_of_two(&a, &b, seed).expect("positive");
        (ratio.low..=ratio.high).contains(&1.2) && verdict == Verdict::Worse
    });
    let covered = covered.count() as f64 / seeds as f64;
    assert!(covered >= 0.92, "{covered}");
    assert_eq!(ratio_of_two(&[], &[1.0], 1), None);
    assert_eq!(ratio_of_two(&[0.0], &[1.0], 1), None);
}

#[test]
fn few_pairs_and_none_allow_no_verdict() {
    let n = MIN_PAIRS - 1;
    let few = compare(&vec![1.0; n], &vec![2.0; n], 1).expect("pairs");
    assert_eq!(few.verdict, Verdict::TooFewRuns);
    assert_eq!(compare(&[], &[], 1), None);
    assert_eq!(compare(&[1.0], &[], 1), None);
}

#[test]
fn the_median_is_in_the_middle_and_the_spread_between_the_quartiles() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0]), Some(3.0));
    assert_eq!(median(&[4.0, 1.0]), Some(2.5));
    assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 9.0, 1.0, 2.0]), Some(3.0));
    assert_eq!(spread(&[]), None);
    assert_eq!(spread(&[5.0; 7]), Some(0.0));
    assert_eq!(spread(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(2.0 / 3.0));
    // One run in nine that took a hundred times as long is no noise.
    assert_eq!(
        spread(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 100.0]),
        Some(0.0)
    );
}

#[test]
fn shares_are_parts_of_one() {
    assert_eq!(shares(&[3.0, -1.0, 0.0]), Some(vec![0.75, 0.25, 0.0]));
    assert_eq!(shares(&[0.0, 0.0]), None);
    assert_eq!(shares(&[]), None);
}

/// Positive times of pairs.
fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((0.1..1000.0, 0.1..1000.0), 1..40)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_interval_holds_its_estimate_and_is_repeated_by_its_seed(
        pairs in pairs(),
        seed: u64,
    ) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let found = compare(&a, &b, seed).expect("pairs");
        for interval in [found.ratio.expect("positive"), found.difference_ms] {
            prop_assert!(interval.low <= interval.value && interval.value <= interval.high);
        }
        prop_assert_eq!(Some(found), compare(&a, &b, seed));
    }

    #[test]
    fn to_exchange_the_two_inverts_ratio_and_verdict(pairs in pairs(), seed: u64) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let there = compare(&a, &b, seed).expect("pairs");
        let back = compare(&b, &a, seed).expect("pairs");
        let (ratio, inverse) = (there.ratio.expect("positive"), back.ratio.expect("positive"));
        prop_assert!(close(ratio.value * inverse.value, 1.0));
        prop_assert!(close(ratio.low * inverse.high, 1.0));
        prop_assert!(close(ratio.high * inverse.low, 1.0));
        let expected = match there.verdict {
            Verdict::Better => Verdict::Worse,
            Verdict::Worse => Verdict::Better,
            other => other,
        };
        prop_assert_eq!(back.verdict, expected);
    }

    #[test]
    fn another_unit_changes_no_ratio(pairs in pairs(), unit in 0.001..1000.0, seed: u64) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let scaled = |times: &[f64]| times.iter().map(|time| unit * time).collect::<Vec<_>>();
        let one = compare(&a, &b, seed).expect("pairs").ratio.expect("positive");
        let other = compare(&scaled(&a), &scaled(&b), seed).expect("pairs");
        prop_assert!(close(one.value, other.ratio.expect("positive").value));
    }

    #[test]
    fn the_median_lies_between_as_many_below_as_above(
        values in prop::collection::vec(-1e6..1e6, 1..50),
    ) {
        let middle = median(&values).expect("values");
        let below = values.iter().filter(|&&value| value < middle).count();
        let above = values.iter().filter(|&&value| value > middle).count();
        prop_assert!(2 * below <= values.len() && 2 * above <= values.len());
    }
}

/// Pairs of runs drawn from those that a record keeps of one setting, b slower by `factor`.
fn recorded_pairs(seed: u64, n: usize, factor: f64) -> (Vec<f64>, Vec<f64>) {
    let path = "../../benchmarks/record/amd-epyc-2-cores/2026-11-30-ab-capacity-hints.json";
    let record = std::fs::read_to_string(path).expect("kept");
    let record: cuzk_record::AbResult = serde_json::from_str(&record).expect("a result");
    let runs = &record.arms[0].runs_ms;
    let mut random = StdRng::seed_from_u64(seed ^ 0x5eed);
    let mut draw = |factor: f64| -> Vec<f64> {
        let run = |_| factor * runs[random.gen_range(0..runs.len())];
        (0..n).map(run).collect()
    };
    (draw(1.0), draw(factor))
}

#[test]
fn runs_of_one_setting_that_a_record_keeps_show_no_difference_in_19_of_20_trials() {
    let trials = 200;
    let equal = (0..trials).filter(|&seed| {
        let (a, b) = recorded_pairs(seed, 40, 1.0);
        compare(&a, &b, seed).expect("pairs").verdict == Verdict::NoDifference
    });
    let equal = equal.count();
    assert!(20 * equal >= 19 * trials as usize, "{equal} of {trials}");
}

#[test]
fn a_twentieth_is_found_in_forty_runs_with_the_noise_that_a_record_keeps() {
    let trials = 100;
    let found = (0..trials).filter(|&seed| {
        let (a, b) = recorded_pairs(seed, 40, 1.05);
        compare(&a, &b, seed).expect("pairs").verdict == Verdict::Worse
    });
    assert!(found.count() >= 95, "of {trials}");
}
