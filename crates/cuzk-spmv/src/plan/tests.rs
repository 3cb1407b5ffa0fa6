use cuzk_curve::Fr;
use cuzk_r1cs::CsrBuilder;
use ff::Field as _;

use super::*;

/// A matrix whose rows have these lengths; row i begins at column i mod 7.
fn matrix(lengths: &[usize]) -> CsrMatrix {
    let columns = 8 + lengths.iter().copied().max().unwrap_or(0);
    let mut builder = CsrBuilder::new();
    for (row, &length) in lengths.iter().enumerate() {
        let coefficient = |k: usize| match (row + k) % 4 {
            0 => Fr::ONE,
            1 => -Fr::ONE,
            n => Fr::from(n as u64 + 5),
        };
        let mut terms = (0..length).map(|k| (row % 7 + k, coefficient(k))).collect();
        builder.push_row(&mut terms).expect("columns fit");
    }
    builder.finish(columns).expect("columns in range")
}

/// The terms of every row as the kernels would read them, and how often each row is written.
fn read_back<C: Copy + Into<u32>>(
    plan: &Plan<C>,
    matrix: &CsrMatrix,
) -> (Vec<Vec<(u32, u32)>>, Vec<u32>) {
    let (mut terms, mut writes) = (vec![Vec::new(); matrix.rows()], vec![0; matrix.rows()]);
    let none = matrix.dictionary().len() as u32;
    let lane_terms = |item: &Item, lane: usize| {
        let groups = item.what as usize % 256;
        let places = (0..groups).map(move |g| (item.first as usize + g) * GROUP + lane);
        let found = places.map(|at| (plan.columns[at], plan.codes[at].into()));
        found
            .filter(move |(_, code)| *code != none)
            .collect::<Vec<_>>()
    };
    for (piece, item) in plan.items[..plan.pieces].iter().enumerate() {
        let holds = |j: &&Join| (j.first..j.first + u64::from(j.pieces)).contains(&(piece as u64));
        let row = plan.joins.iter().find(holds).expect("a join").row as usize;
        assert_eq!(item.what >> 8, 5, "a piece takes a warp");
        for lane in 0..GROUP {
            terms[row].extend(lane_terms(item, lane));
        }
        writes[row] = 1;
    }
    for (slice, item) in plan.items[plan.pieces..].iter().enumerate() {
        let base = item.what as usize / WINDOW * WINDOW;
        let lanes = 1 << (item.what as usize >> 8 & 15);
        for first in (0..GROUP).step_by(lanes) {
            let slots = &plan.slots[slice * GROUP + first..][..lanes];
            assert!(slots[1..].iter().all(|slot| *slot == NO_SLOT));
            let found: Vec<_> = (first..first + lanes)
                .flat_map(|lane| lane_terms(item, lane))
                .collect();
            if slots[0] == NO_SLOT {
                assert!(found.is_empty(), "a term of no row");
            } else {
                writes[base + usize::from(slots[0])] += 1;
                terms[base + usize::from(slots[0])] = found;
            }
        }
    }
    terms.iter_mut().for_each(|row| row.sort_unstable());
    (terms, writes)
}

fn check<C: TryFrom<u32> + Copy + Into<u32>>(lengths: &[usize]) -> Plan<C> {
    let matrix = matrix(lengths);
    let plan = Plan::<C>::new(&matrix).expect("a small matrix");
    let (terms, writes) = read_back(&plan, &matrix);
    for (row, found) in terms.iter().enumerate() {
        let Row {
            columns,
            coefficients,
        } = matrix.row(row);
        let columns = columns.iter().copied();
        let expected: Vec<(u32, u32)> = columns.zip(coefficients.iter().copied()).collect();
        assert_eq!(*found, expected, "row {row}");
    }
    assert!(writes.iter().all(|n| *n == 1), "every row is written once");
    assert_eq!(plan.slots.len(), GROUP * plan.slices());
    assert_eq!(plan.columns.len(), plan.codes.len());
    plan
}

#[test]
fn every_term_is_in_its_row_once() {
    check::<u16>(&[]);
    check::<u16>(&[0]);
    check::<u32>(&[0, 1, 2, 31, 32, 33, 64, 1000, 1023, 1024, 1025, 5000, 0, 3]);
    let mixed: Vec<usize> = (0..9000)
        .map(|i| [0, 1, 1, 3, 32, 33, 90][i * i % 7])
        .collect();
    check::<u16>(&mixed);
}

#[test]
fn rows_of_one_length_need_no_padding_and_stay_in_order() {
    let lengths: Vec<usize> = (0..2 * WINDOW).map(|i| 1 + i % 2).collect();
    let plan = check::<u16>(&lengths);
    assert_eq!(plan.columns.len(), lengths.iter().sum::<usize>());
    let first: Vec<u16> = (0..32).map(|i| 2 * i).collect();
    assert_eq!(plan.slots[..32], first);
}

#[test]
fn longer_rows_take_more_lanes_and_no_lane_more_than_four_terms() {
    let lengths = [0, 4, 5, 8, 9, 16, 17, 64, 65, 128, 129, 1024];
    let expected = [0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 5, 5];
    assert_eq!(lengths.map(log_lanes), expected);
    for length in 0..=128usize {
        assert!(length.div_ceil(1 << log_lanes(length)) <= LANE_TERMS);
    }
    // Items of more groups than that come first.
    let plan = check::<u16>(&[1, 200, 1, 1000, 2]);
    let groups: Vec<u32> = plan.items.iter().map(|item| item.what % 256).collect();
    assert_eq!(groups, [7, 32, 2]);
}

#[test]
fn rows_of_more_than_a_piece_are_joined() {
    let plan = check::<u16>(&[1024, 1025, 33, 4096]);
    let joins: Vec<_> = plan
        .joins
        .iter()
        .map(|j| (j.row, j.pieces, j.first))
        .collect();
    assert_eq!(joins, [(1, 2, 0), (3, 4, 2)]);
    assert_eq!((plan.pieces, plan.slices()), (6, 2));
}

#[test]
fn integers_are_summed_up_to_a_bound_of_either_sign() {
    assert_eq!(integer(Fr::ZERO), 0);
    assert_eq!(integer(-Fr::ONE), u64::MAX);
    for most in [1, 2, 77, MOST] {
        assert_eq!(integer(Fr::from(most)), most);
        assert_eq!(integer(-Fr::from(most)), most.wrapping_neg());
    }
    for beyond in [Fr::from(MOST + 1), Fr::from(3).invert().expect("not zero")] {
        assert_eq!(integer(beyond), NOT_INTEGER);
        assert_eq!(integer(-beyond), NOT_INTEGER);
    }
    assert!(MOST * (PIECE as u64) < NOT_INTEGER);
}

#[test]
fn a_dictionary_that_reaches_the_mark_of_no_term_takes_wide_codes() {
    assert!(!needs_wide_codes(65_535));
    assert!(needs_wide_codes(65_536));
}

#[test]
fn counts_beyond_32_bits_are_refused_with_numbers() {
    let most = u32::MAX as usize;
    assert!(at_most("rows of a matrix", most, most).is_ok());
    let error = at_most("rows of a matrix", most, most + 1).expect_err("one too many");
    assert_eq!(
        error.to_string(),
        "too many rows of a matrix: expected at most 4294967295, got 4294967296"
    );
}
