//! What transforms are compared with: the CPU backend's.

use cuzk_backend::{Ntt as _, Transform};
use cuzk_cpu::Cpu;
use cuzk_curve::{Domain, FrLimbs};
use rayon::prelude::*;

/// The CPU backend's result.
pub(crate) fn transformed(
    transform: Transform,
    domain: &Domain,
    input: &[FrLimbs],
) -> Vec<FrLimbs> {
    let input = FrLimbs::scalars(input).expect("reduced").to_vec();
    let out = Cpu::default().transform(transform, domain, input);
    FrLimbs::view(&out.expect("lengths agree")).to_vec()
}

/// The values in the order of reversed indices.
pub(crate) fn reversed(values: &[FrLimbs]) -> Vec<FrLimbs> {
    let log_n = values.len().trailing_zeros();
    let place = |i: usize| i.reverse_bits().unbounded_shr(usize::BITS - log_n);
    (0..values.len())
        .into_par_iter()
        .map(|i| values[place(i)])
        .collect()
}

/// Names the first difference: whole vectors would drown it.
pub(crate) fn assert_same(got: &[FrLimbs], expected: &[FrLimbs], context: &dyn std::fmt::Debug) {
    assert_eq!(got.len(), expected.len(), "{context:?}: length");
    if let Some(i) = (0..got.len()).find(|&i| got[i] != expected[i]) {
        panic!(
            "{context:?}: element {i} is {:x?}, expected {:x?}",
            got[i], expected[i]
        );
    }
}
