//! Each switch of a set alone, and all together.

use cuzk_record::{Ablation, Comparison, Effect, PhaseRow};

use super::{
    arm::Arm,
    statistics::{interval, verdict},
};

/// The settings of the arms after the baseline: each setting of a list alone with the baseline's,
/// and last all of them.
pub(crate) fn settings(baseline: &str, list: &str) -> Vec<String> {
    let with = |more: &str| match baseline.trim() {
        "" => more.to_owned(),
        baseline => format!("{baseline},{more}"),
    };
    pairs(list).into_iter().chain([list]).map(with).collect()
}

/// The settings of a list, one by one.
pub(crate) fn pairs(list: &str) -> Vec<&str> {
    let pairs = list.split(',').map(str::trim);
    pairs.filter(|pair| !pair.is_empty()).collect()
}

/// What each did alone, what all did together, and what does not add up; nothing without a run.
pub(crate) fn ablation(
    list: &str,
    arms: &[Arm],
    comparisons: &[Comparison],
    seed: u64,
) -> Option<Ablation> {
    let (together, alone) = comparisons.split_last()?;
    let effect = |settings: &str, comparison: &Comparison| Effect {
        settings: settings.to_owned(),
        difference_ms: comparison.total.difference_ms,
        verdict: comparison.total.verdict,
        mostly: mostly(comparison),
    };
    let mut alone: Vec<Effect> = pairs(list)
        .into_iter()
        .zip(alone)
        .map(|(pair, comparison)| effect(pair, comparison))
        .collect();
    alone.sort_by(|one, other| {
        let more = |effect: &Effect| effect.difference_ms.value;
        more(other).total_cmp(&more(one))
    });
    let totals: Vec<Vec<f64>> = arms.iter().map(Arm::totals).collect();
    let surplus = interactions(&totals);
    let interaction_ms = interval(&surplus, seed)?;
    Some(Ablation {
        alone,
        together: effect(list, together),
        interaction_ms,
        interaction: verdict(interaction_ms, surplus.len()),
    })
}

/// Round by round, the effect of all together less the sum of the effects alone; the baseline is
/// the first, all together the last.
fn interactions(totals: &[Vec<f64>]) -> Vec<f64> {
    let [baseline, alone @ .., together] = totals else {
        return Vec::new();
    };
    let rounds = baseline.iter().zip(together).enumerate();
    let surplus = rounds.map(|(i, (baseline, together))| {
        let sum: f64 = alone.iter().map(|runs| runs[i] - baseline).sum();
        together - baseline - sum
    });
    surplus.collect()
}

/// The phase with the largest difference by any clock.
fn mostly(comparison: &Comparison) -> Option<String> {
    let size = |row: &&PhaseRow| row.found.difference_ms.value.abs();
    let largest = [&comparison.phases, &comparison.device_phases];
    let largest = largest.into_iter().filter_map(|rows| rows.first());
    let largest = largest.max_by(|one, other| size(one).total_cmp(&size(other)))?;
    Some(largest.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_tried_one_by_one_and_then_together() {
        let list = "window-bits=4, synthesis=direct";
        assert_eq!(
            settings("threads=1", list),
            [
                "threads=1,window-bits=4",
                "threads=1,synthesis=direct",
                "threads=1,window-bits=4, synthesis=direct"
            ]
        );
        assert_eq!(settings(" ", "lanes=portable"), ["lanes=portable"; 2]);
    }

    #[test]
    fn an_interaction_is_what_all_together_do_beside_the_sum_of_what_each_does() {
        let baseline = vec![100.0, 110.0];
        let alone = vec![vec![105.0, 115.0], vec![90.0, 100.0]];
        let adds_up = vec![95.0, 105.0];
        let totals = [vec![baseline.clone()], alone.clone(), vec![adds_up]].concat();
        assert_eq!(interactions(&totals), [0.0, 0.0]);
        let more = vec![125.0, 135.0];
        let totals = [vec![baseline], alone, vec![more]].concat();
        assert_eq!(interactions(&totals), [30.0, 30.0]);
        assert_eq!(interactions(&[vec![1.0]]), Vec::<f64>::new());
    }
}
