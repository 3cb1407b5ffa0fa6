//! The split of a witness, compiled for the host, against a walk over its variables.

use cuzk_kernel_host::{SplitLists, gather, split_witness};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

/// A walk over the variables.
fn definition(low: &[u32], high: &[u32], selected: &[u32]) -> SplitLists {
    let mut lists = SplitLists {
        ones: vec![],
        rest: vec![],
        rest_variables: vec![],
    };
    let mut place = 0;
    for variable in 0..32 * selected.len() as u32 {
        let bit = |words: &[u32]| words[variable as usize / 32] >> (variable % 32) & 1 == 1;
        if !bit(selected) {
            continue;
        }
        match (bit(low), bit(high)) {
            (false, false) => {}
            (true, false) => lists.ones.push(place),
            _ => {
                lists.rest.push(place);
                lists.rest_variables.push(variable);
            }
        }
        place += 1;
    }
    lists
}

/// Words of which each bit is set in about `eighths` of eight cases.
fn words(rng: &mut ChaCha8Rng, n: usize, eighths: u32) -> Vec<u32> {
    let word = |rng: &mut ChaCha8Rng| {
        (0..32).fold(0, |word, bit| {
            word | u32::from(rng.next_u32() % 8 < eighths) << bit
        })
    };
    (0..n).map(|_| word(rng)).collect()
}

#[test]
fn lists_are_those_of_a_walk() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for n in [1, 2, 255, 256, 257, 511, 1000, 256 * 256, 256 * 257 + 3] {
        for (low, high, selected) in [
            (4, 1, 6),
            (0, 0, 8),
            (8, 0, 8),
            (8, 8, 8),
            (4, 8, 0),
            (3, 2, 1),
        ] {
            let low = words(&mut rng, n, low);
            let high = words(&mut rng, n, high);
            let selected = words(&mut rng, n, selected);
            let expected = definition(&low, &high, &selected);
            let got = split_witness(
                &low,
                &high,
                &selected,
                expected.ones.len(),
                expected.rest.len(),
            );
            assert_eq!(got, expected, "{n} words");
        }
    }
}

#[test]
fn what_finds_no_place_is_dropped() {
    let ones = [u32::MAX; 3];
    let none = [0; 3];
    let got = split_witness(&ones, &none, &ones, 40, 0);
    assert_eq!(got.ones, (0..40).collect::<Vec<_>>());
    let got = split_witness(&ones, &ones, &ones, 0, 33);
    assert_eq!(got.rest_variables, (0..33).collect::<Vec<_>>());
}

#[test]
fn values_are_gathered_by_index() {
    let values: Vec<[u128; 3]> = (0..50).map(|i| [i, i << 70, !i]).collect();
    let indices = [3, 3, 0, 49, 17];
    let expected: Vec<_> = indices.iter().map(|i| values[*i as usize]).collect();
    assert_eq!(gather(&values, &indices), expected);
}
