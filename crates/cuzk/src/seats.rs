use std::sync::Mutex;

use crate::waiting::lock;

/// How many proofs elsewhere a seat rests for when its machine failed.
///
/// A machine that is gone fails at once and would otherwise take every proof first; one that only
/// lacked memory for a moment is tried again soon.
const REST: u32 = 8;

/// Who is busy, and who failed lately, among machines that do the same.
#[derive(Debug)]
pub(crate) struct Seats(Mutex<Vec<Seat>>);

#[derive(Debug, Clone, Default)]
struct Seat {
    /// Pieces of work that it has.
    busy: usize,
    /// Keys that are prepared there.
    keys: usize,
    /// Proofs elsewhere that are still to be made before it takes one.
    rest: u32,
}

/// A piece of work on a seat.
#[derive(Debug)]
pub(crate) struct Busy<'a> {
    seats: &'a Seats,
    pub(crate) seat: usize,
}

impl Seats {
    pub(crate) fn new(seats: usize) -> Self {
        Self(Mutex::new(vec![Seat::default(); seats]))
    }

    /// Whether a seat takes work that these candidates may take: one that rests leaves it to the
    /// others, if not all of them rest.
    pub(crate) fn takes(&self, seat: usize, candidates: &[usize]) -> bool {
        let seats = lock(&self.0);
        candidates.contains(&seat)
            && (seats[seat].rest == 0 || candidates.iter().all(|&other| seats[other].rest > 0))
    }

    /// The candidate that has least to do; a ready one, if several have as little.
    pub(crate) fn least_busy(
        &self,
        candidates: &[usize],
        is_ready: impl Fn(usize) -> bool,
    ) -> Option<Busy<'_>> {
        let mut seats = lock(&self.0);
        let order = |&&seat: &&usize| (seats[seat].rest, seats[seat].busy, !is_ready(seat), seat);
        let seat = *candidates.iter().min_by_key(order)?;
        seats[seat].busy += 1;
        Some(Busy { seats: self, seat })
    }

    /// The candidate with the fewest keys.
    pub(crate) fn fewest_keys(&self, candidates: &[usize]) -> Option<usize> {
        let seats = lock(&self.0);
        let order = |&&seat: &&usize| (seats[seat].rest, seats[seat].keys, seat);
        candidates.iter().min_by_key(order).copied()
    }

    pub(crate) fn add_key(&self, seat: usize) {
        lock(&self.0)[seat].keys += 1;
    }

    pub(crate) fn drop_key(&self, seat: usize) {
        lock(&self.0)[seat].keys -= 1;
    }

    /// Work on a seat.
    pub(crate) fn enter(&self, seat: usize) -> Busy<'_> {
        lock(&self.0)[seat].busy += 1;
        Busy { seats: self, seat }
    }

    /// Learns how a piece of work on a seat ended.
    pub(crate) fn note(&self, seat: usize, failed: bool) {
        let mut seats = lock(&self.0);
        if failed {
            seats[seat].rest = REST;
            return;
        }
        seats[seat].rest = 0;
        for other in &mut *seats {
            other.rest = other.rest.saturating_sub(1);
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        lock(&self.seats.0)[self.seat].busy -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_to_the_seat_with_least_to_do_and_to_a_ready_one_first() {
        let seats = Seats::new(3);
        let all = [0, 1, 2];
        let pick = |is_ready: fn(usize) -> bool| seats.least_busy(&all, is_ready).expect("three");
        let first = pick(|seat| seat == 1);
        assert_eq!(first.seat, 1);
        let second = pick(|seat| seat == 1);
        assert_eq!(second.seat, 0);
        let third = seats.enter(2);
        drop(second);
        assert_eq!(pick(|_| true).seat, 0);
        drop((first, third));
        assert!(seats.least_busy(&[], |_| true).is_none());
        seats.add_key(0);
        assert_eq!(seats.fewest_keys(&all), Some(1));
        seats.drop_key(0);
        assert_eq!(seats.fewest_keys(&all), Some(0));
    }

    #[test]
    fn a_seat_that_failed_rests_while_others_work_and_comes_back() {
        let seats = Seats::new(2);
        seats.note(0, true);
        assert!(!seats.takes(0, &[0, 1]));
        assert!(seats.takes(1, &[0, 1]));
        assert!(seats.takes(0, &[0]), "nobody else may");
        assert!(!seats.takes(0, &[1]));
        assert_eq!(seats.least_busy(&[0, 1], |_| true).map(|b| b.seat), Some(1));
        for _ in 0..REST {
            assert!(!seats.takes(0, &[0, 1]));
            seats.note(1, false);
        }
        assert!(seats.takes(0, &[0, 1]));
        for seat in [0, 1] {
            seats.note(seat, true);
        }
        assert!(
            seats.takes(0, &[0, 1]) && seats.takes(1, &[0, 1]),
            "all rest"
        );
    }
}
