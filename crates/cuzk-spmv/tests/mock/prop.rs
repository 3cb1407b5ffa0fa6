//! Random matrices and witnesses.

use cuzk_spmv::SpmvEngine;
use proptest::prelude::*;

use crate::suite::{check, random_matrix, random_witness, rng};
use crate::{begin, open};

/// Lengths of rows: mostly short ones, some at the borders of slices and pieces.
fn lengths() -> impl Strategy<Value = Vec<usize>> {
    let length = prop_oneof![
        8 => 0..6usize,
        3 => 28..36usize,
        1 => 1000..1100usize,
    ];
    prop::collection::vec(length, 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_product_is_the_definition(
        lengths in lengths(),
        more_columns in 0..300usize,
        distinct in 0..40usize,
        mix in [0..8u32, 0..8u32, 0..8u32],
        zeros in 0..100usize,
        seed: u64,
    ) {
        let _session = begin();
        let device = open();
        let engine = SpmvEngine::open(&device).expect("the kernels load");
        let stream = device.new_stream().expect("a stream");
        let rng = &mut rng(seed);
        let columns = 1 + more_columns + lengths.iter().copied().max().unwrap_or(0);
        let out_len = lengths.len() + zeros;
        let matrix = random_matrix(rng, lengths, columns, distinct);
        let witness = random_witness(rng, columns, mix);
        check(&engine, &stream, &matrix, &witness, out_len, "random");
    }
}
