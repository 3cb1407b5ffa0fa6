use std::sync::Mutex;

use crate::waiting::lock;

/// How many proofs elsewhere a lane rests for when its machine failed.
///
/// A machine that is gone fails at once and would otherwise take every proof first; one that only
/// lacked memory for a moment is tried again soon.
const REST: u32 = 8;

/// Who is busy, and who failed lately, among machines that do the same.
#[derive(Debug)]
pub(crate) struct Lanes(Mutex<Vec<Lane>>);

#[derive(Debug, Clone, Default)]
struct Lane {
    /// Pieces of work that it has.
    busy: usize,
    /// Keys that are prepared there.
    keys: usize,
    /// Proofs elsewhere that are still to be made before it takes one.
    rest: u32,
}

/// A piece of work on a lane.
#[derive(Debug)]
pub(crate) struct Busy<'a> {
    lanes: &'a Lanes,
    pub(crate) lane: usize,
}

impl Lanes {
    pub(crate) fn new(lanes: usize) -> Self {
        Self(Mutex::new(vec![Lane::default(); lanes]))
    }

    /// Whether a lane takes work that these candidates may take: one that rests leaves it to the
    /// others, if not all of them rest.
    pub(crate) fn takes(&self, lane: usize, candidates: &[usize]) -> bool {
        let lanes = lock(&self.0);
        candidates.contains(&lane)
            && (lanes[lane].rest == 0 || candidates.iter().all(|&other| lanes[other].rest > 0))
    }

    /// The candidate that has least to do; a ready one, if several have as little.
    pub(crate) fn least_busy(
        &self,
        candidates: &[usize],
        is_ready: impl Fn(usize) -> bool,
    ) -> Option<Busy<'_>> {
        let mut lanes = lock(&self.0);
        let order = |&&lane: &&usize| (lanes[lane].rest, lanes[lane].busy, !is_ready(lane), lane);
        let lane = *candidates.iter().min_by_key(order)?;
        lanes[lane].busy += 1;
        Some(Busy { lanes: self, lane })
    }

    /// The candidate with the fewest keys.
    pub(crate) fn fewest_keys(&self, candidates: &[usize]) -> Option<usize> {
        let lanes = lock(&self.0);
        let order = |&&lane: &&usize| (lanes[lane].rest, lanes[lane].keys, lane);
        candidates.iter().min_by_key(order).copied()
    }

    pub(crate) fn add_key(&self, lane: usize) {
        lock(&self.0)[lane].keys += 1;
    }

    pub(crate) fn drop_key(&self, lane: usize) {
        lock(&self.0)[lane].keys -= 1;
    }

    /// Work on a lane.
    pub(crate) fn enter(&self, lane: usize) -> Busy<'_> {
        lock(&self.0)[lane].busy += 1;
        Busy { lanes: self, lane }
    }

    /// Learns how a piece of work on a lane ended.
    pub(crate) fn note(&self, lane: usize, failed: bool) {
        let mut lanes = lock(&self.0);
        if failed {
            lanes[lane].rest = REST;
            return;
        }
        lanes[lane].rest = 0;
        for other in &mut *lanes {
            other.rest = other.rest.saturating_sub(1);
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        lock(&self.lanes.0)[self.lane].busy -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_to_the_lane_with_least_to_do_and_to_a_ready_one_first() {
        let lanes = Lanes::new(3);
        let all = [0, 1, 2];
        let pick = |is_ready: fn(usize) -> bool| lanes.least_busy(&all, is_ready).expect("three");
        let first = pick(|lane| lane == 1);
        assert_eq!(first.lane, 1);
        let second = pick(|lane| lane == 1);
        assert_eq!(second.lane, 0);
        let third = lanes.enter(2);
        drop(second);
        assert_eq!(pick(|_| true).lane, 0);
        drop((first, third));
        assert!(lanes.least_busy(&[], |_| true).is_none());
        lanes.add_key(0);
        assert_eq!(lanes.fewest_keys(&all), Some(1));
        lanes.drop_key(0);
        assert_eq!(lanes.fewest_keys(&all), Some(0));
    }

    #[test]
    fn a_lane_that_failed_rests_while_others_work_and_comes_back() {
        let lanes = Lanes::new(2);
        lanes.note(0, true);
        assert!(!lanes.takes(0, &[0, 1]));
        assert!(lanes.takes(1, &[0, 1]));
        assert!(lanes.takes(0, &[0]), "nobody else may");
        assert!(!lanes.takes(0, &[1]));
        assert_eq!(lanes.least_busy(&[0, 1], |_| true).map(|b| b.lane), Some(1));
        for _ in 0..REST {
            assert!(!lanes.takes(0, &[0, 1]));
            lanes.note(1, false);
        }
        assert!(lanes.takes(0, &[0, 1]));
        for lane in [0, 1] {
            lanes.note(lane, true);
        }
        assert!(
            lanes.takes(0, &[0, 1]) && lanes.takes(1, &[0, 1]),
            "all rest"
        );
    }
}
