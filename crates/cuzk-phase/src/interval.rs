//! Lengths of unions of time intervals.

/// A span of time in nanoseconds since the start of the timeline: `start <= end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

/// The length in nanoseconds of the union of `intervals`, whatever their order and overlap.
///
/// Sorts by start, then walks once with the furthest end seen.
pub(crate) fn union_ns(mut intervals: Vec<Interval>) -> u64 {
    intervals.sort_unstable_by_key(|interval| interval.start_ns);
    let mut covered = 0;
    let mut covered_until = 0;
    for Interval { start_ns, end_ns } in intervals {
        let from = start_ns.max(covered_until);
        if end_ns > from {
            covered += end_ns - from;
            covered_until = end_ns;
        }
    }
    covered
}

/// The parts of an union of intervals, in order; each keeps what `first` had at its start and
/// what `last` had at its end.
pub(crate) fn united<T: Copy>(mut intervals: Vec<(Interval, T, T)>) -> Vec<(Interval, T, T)> {
    intervals.sort_unstable_by_key(|(interval, ..)| interval.start_ns);
    let mut united: Vec<(Interval, T, T)> = Vec::new();
    for (interval, first, last) in intervals {
        match united.last_mut() {
            Some((open, _, open_last)) if interval.start_ns <= open.end_ns => {
                if interval.end_ns > open.end_ns {
                    open.end_ns = interval.end_ns;
                    *open_last = last;
                }
            }
            _ => united.push((interval, first, last)),
        }
    }
    united
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts the unit cells that lie in any interval.
    fn naive_union_ns(intervals: &[Interval]) -> u64 {
        let last = intervals.iter().map(|i| i.end_ns).max().unwrap_or(0);
        (0..last)
            .filter(|cell| {
                intervals
                    .iter()
                    .any(|i| i.start_ns <= *cell && *cell < i.end_ns)
            })
            .count() as u64
    }

    fn intervals() -> impl Strategy<Value = Vec<Interval>> {
        // 0..200 is small enough that touching, nested and equal intervals are common.
        let one = (0u64..200, 0u64..60).prop_map(|(start_ns, len)| Interval {
            start_ns,
            end_ns: start_ns + len,
        });
        proptest::collection::vec(one, 0..12)
    }

    proptest! {
        #[test]
        fn union_equals_the_count_of_covered_cells(intervals in intervals()) {
            prop_assert_eq!(union_ns(intervals.clone()), naive_union_ns(&intervals));
        }

        #[test]
        fn union_does_not_depend_on_order(mut intervals in intervals()) {
            let forward = union_ns(intervals.clone());
            intervals.reverse();
            prop_assert_eq!(union_ns(intervals), forward);
        }
    }

    proptest! {
        #[test]
        fn united_parts_cover_what_the_union_does(intervals in intervals()) {
            let keyed = intervals.iter().map(|i| (*i, i.start_ns, i.end_ns)).collect();
            let parts = united(keyed);
            prop_assert!(parts.windows(2).all(|pair| pair[0].0.end_ns < pair[1].0.start_ns));
            for (part, first, last) in &parts {
                prop_assert_eq!((part.start_ns, part.end_ns), (*first, *last));
            }
            let parts = parts.into_iter().map(|(part, ..)| part).collect();
            prop_assert_eq!(union_ns(parts), naive_union_ns(&intervals));
        }
    }

    #[test]
    fn union_of_nothing_is_zero() {
        assert_eq!(union_ns(Vec::new()), 0);
    }

    #[test]
    fn an_interval_inside_another_adds_nothing() {
        let outer = Interval {
            start_ns: 10,
            end_ns: 100,
        };
        let inner = Interval {
            start_ns: 20,
            end_ns: 30,
        };
        let after = Interval {
            start_ns: 90,
            end_ns: 110,
        };
        assert_eq!(union_ns(vec![outer, inner, after]), 100);
    }
}
