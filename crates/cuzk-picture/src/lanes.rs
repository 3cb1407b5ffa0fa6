//! Spans laid in rows, so that no two of a row overlap.

use std::time::Duration;

use cuzk_phase::Phase;

/// Something with a beginning and an end, to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) phase: Phase,
    /// What is said of it.
    pub(crate) label: String,
    pub(crate) start: Duration,
    pub(crate) length: Duration,
}

impl Bar {
    pub(crate) fn end(&self) -> Duration {
        self.start.saturating_add(self.length)
    }
}

/// The bars by rows: each goes to the first row that is free at its start, so that what is nested
/// lies below what holds it.
///
/// # Shapes
/// `bars` are in the order of their starts, an outer one before those that it holds.
pub(crate) fn rows(bars: Vec<Bar>) -> Vec<Vec<Bar>> {
    let mut rows: Vec<Vec<Bar>> = Vec::new();
    for bar in bars {
        let is_free = |row: &&mut Vec<Bar>| row.last().is_none_or(|last| last.end() <= bar.start);
        match rows.iter_mut().find(is_free) {
            Some(row) => row.push(bar),
            None => rows.push(vec![bar]),
        }
    }
    rows
}

/// The stretches between zero and `total` that no bar covers.
pub(crate) fn gaps(bars: &[Bar], total: Duration) -> Vec<(Duration, Duration)> {
    let mut stretches: Vec<_> = bars.iter().map(|bar| (bar.start, bar.end())).collect();
    stretches.sort_unstable();
    let mut gaps = Vec::new();
    let mut covered_until = Duration::ZERO;
    for (start, end) in stretches.into_iter().chain([(total, total)]) {
        if start > covered_until {
            gaps.push((covered_until, start));
        }
        covered_until = covered_until.max(end);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(start: u64, end: u64) -> Bar {
        Bar {
            phase: Phase::Ntt,
            label: String::new(),
            start: Duration::from_millis(start),
            length: Duration::from_millis(end - start),
        }
    }

    #[test]
    fn what_is_nested_lies_below_what_holds_it() {
        let laid = rows(vec![bar(0, 10), bar(1, 4), bar(4, 6), bar(10, 12)]);
        assert_eq!(
            laid,
            [vec![bar(0, 10), bar(10, 12)], vec![bar(1, 4), bar(4, 6)]]
        );
        assert_eq!(rows(Vec::new()), Vec::<Vec<Bar>>::new());
    }

    #[test]
    fn gaps_are_what_no_bar_covers() {
        let ms = Duration::from_millis;
        let bars = [bar(2, 5), bar(3, 4), bar(7, 9)];
        let expected = [(ms(0), ms(2)), (ms(5), ms(7)), (ms(9), ms(10))];
        assert_eq!(gaps(&bars, ms(10)), expected);
        assert_eq!(gaps(&[bar(0, 10)], ms(10)), []);
    }
}
