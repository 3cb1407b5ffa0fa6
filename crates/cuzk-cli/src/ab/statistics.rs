//! What times of runs made in turn say about two settings: pure functions of the times.
//!
//! Run i of one setting and run i of the other are neighbours in time, so that a machine that
//! gets slower or faster makes both so: only their ratio and their difference count, pair by pair.
//!
//! - The estimate is the mean of the middle three fifths of the pairs, of the logarithm of the
//!   ratio and of the difference: a run that was disturbed counts for no more than any other.
//! - Its 95 % interval is that of the percentile bootstrap, `[ET93]` §13.3: the pairs are drawn
//!   anew, with repetition, [`RESAMPLES`] times, and the middle 95 % of the estimates are the
//!   interval. That is too narrow for few pairs, and more so where one stops as soon as it is
//!   narrow, so the ends are moved away by a part of 4/n for n pairs. The part is by simulation:
//!   with it, and with the looks of [`next_look`], 95 to 98 of 100 intervals hold the truth; without
//!   it, or with medians, 88 to 92 did.

use cuzk_record::{Compared, Interval, Verdict, median};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Fewer pairs allow no verdict: the intervals of fewer are too narrow.
pub(crate) const MIN_PAIRS: usize = 8;
/// Above this interquartile range, as a part of the median, other work disturbs the runs.
pub(crate) const NOISY_SPREAD: f64 = 0.1;

const RESAMPLES: usize = 2000;
/// Means outside of the interval on each side: 2.5 %.
const OUTSIDE: usize = RESAMPLES / 40;

/// Compares times by pairs; nothing where there are none, or where they are none of a pair.
pub(crate) fn compare(a: &[f64], b: &[f64], seed: u64) -> Option<Compared> {
    if a.len() != b.len() {
        return None;
    }
    let pairs = || a.iter().zip(b);
    let differences: Vec<f64> = pairs().map(|(a, b)| b - a).collect();
    let difference = interval(&differences, seed)?;
    let positive = pairs().all(|(&a, &b)| a > 0.0 && b > 0.0);
    let logarithms: Vec<f64> = pairs().map(|(a, b)| (b / a).ln()).collect();
    let logarithm = interval(&logarithms, seed).filter(|_| positive);
    Some(Compared {
        a_median_ms: median(a)?,
        b_median_ms: median(b)?,
        ratio: logarithm.map(|logarithm| Interval {
            low: logarithm.low.exp(),
            value: logarithm.value.exp(),
            high: logarithm.high.exp(),
        }),
        difference_ms: difference,
        verdict: verdict(logarithm.unwrap_or(difference), a.len()),
    })
}

/// The ratio of the second times over the first ones, which are of no pairs: each side is drawn
/// anew by itself. Nothing where a side has none, or a time that is not positive.
pub(crate) fn ratio_of_two(
    first: &[f64],
    second: &[f64],
    seed: u64,
) -> Option<(Interval, Verdict)> {
    let logarithms = |times: &[f64]| -> Vec<f64> { times.iter().map(|time| time.ln()).collect() };
    let positive = first.iter().chain(second).all(|&time| time > 0.0);
    let sides = positive.then(|| [logarithms(first), logarithms(second)])?;
    let [one, other] = [
        interval(&sides[0], seed)?,
        interval(&sides[1], seed.wrapping_add(1))?,
    ];
    // Half widths of independent estimates add up in squares.
    let below = (other.value - other.low).hypot(one.high - one.value);
    let above = (other.high - other.value).hypot(one.value - one.low);
    let value = other.value - one.value;
    let logarithm = Interval {
        low: value - below,
        value,
        high: value + above,
    };
    let ratio = Interval {
        low: logarithm.low.exp(),
        value: value.exp(),
        high: logarithm.high.exp(),
    };
    Some((ratio, verdict(logarithm, first.len().min(second.len()))))
}

/// The runs after which the intervals are looked at again: to look after every run would cost more
/// than the runs, and the more often one looks, the more often chance looks like a verdict.
pub(crate) fn next_look(runs: usize) -> usize {
    (runs + (runs / 4).max(1)).max(MIN_PAIRS)
}

/// Whether the interval of the ratio is narrower than `width`, as a part of the ratio.
pub(crate) fn is_narrow(a: &[f64], b: &[f64], width: f64, seed: u64) -> bool {
    let ratio = compare(a, b, seed).and_then(|found| found.ratio);
    a.len() >= MIN_PAIRS && ratio.is_some_and(|ratio| ratio.width() < width)
}

/// The verdict of an interval in which zero means equal times.
pub(crate) fn verdict(interval: Interval, pairs: usize) -> Verdict {
    match interval {
        _ if pairs < MIN_PAIRS => Verdict::TooFewRuns,
        Interval { low, .. } if low > 0.0 => Verdict::Worse,
        Interval { high, .. } if high < 0.0 => Verdict::Better,
        _ => Verdict::NoDifference,
    }
}

/// The mean of the middle with its interval.
pub(crate) fn interval(values: &[f64], seed: u64) -> Option<Interval> {
    let value = middle_mean(&mut values.to_vec())?;
    let mut random = StdRng::seed_from_u64(seed);
    let mut drawn = vec![0.0; values.len()];
    let mut means = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        for place in &mut drawn {
            *place = values[random.gen_range(0..values.len())];
        }
        means.extend(middle_mean(&mut drawn));
    }
    means.sort_by(f64::total_cmp);
    let wider = 1.0 + 4.0 / values.len() as f64;
    let away = |end: f64| value + wider * (end - value);
    Some(Interval {
        low: away(means[OUTSIDE].min(value)),
        value,
        high: away(means[RESAMPLES - 1 - OUTSIDE].max(value)),
    })
}

/// The mean without the fifth of the values at each end.
fn middle_mean(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let cut = values.len() / 5;
    let middle = &values[cut..values.len() - cut];
    let sum: f64 = middle.iter().sum();
    (!middle.is_empty()).then(|| sum / middle.len() as f64)
}

/// The interquartile range as a part of the median.
pub(crate) fn spread(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let quartile = |quarters: usize| sorted[last * quarters / 4];
    Some((quartile(3) - quartile(1)) / median(values)?)
}

/// Each part's size in the sum of all sizes; nothing where all are zero.
pub(crate) fn shares(differences: &[f64]) -> Option<Vec<f64>> {
    let sum: f64 = differences.iter().map(|difference| difference.abs()).sum();
    let share = |difference: &f64| difference.abs() / sum;
    (sum > 0.0).then(|| differences.iter().map(share).collect())
}

#[cfg(test)]
mod tests;
