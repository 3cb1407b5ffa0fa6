//! Products of a device against their definition.

use cuzk_curve::{Fr, FrLimbs};
use cuzk_device::{Device, Stream};
use cuzk_r1cs::{CsrBuilder, CsrMatrix, PackedWitness, WitnessBuilder};
use cuzk_spmv::SpmvEngine;
use ff::Field as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

/// How the values of a witness are distributed, of 16 parts: zeros, ones, small; the rest full.
pub(crate) type Mix = [u32; 3];

/// Nearly all bits, as in a circuit of hashes; all classes alike; nearly all full.
pub(crate) const MIXES: [Mix; 3] = [[8, 7, 0], [4, 4, 4], [0, 1, 1]];

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn random_witness(rng: &mut ChaCha8Rng, len: usize, mix: Mix) -> PackedWitness {
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::ONE);
    for i in 1..len {
        let part = rng.next_u32() % 16;
        let value = if part < mix[0] {
            Fr::ZERO
        } else if part < mix[0] + mix[1] {
            Fr::ONE
        } else if part < mix[0] + mix[1] + mix[2] {
            Fr::from([2, u64::MAX, rng.next_u64() | 2][i % 3])
        } else {
            [
                -Fr::ONE,
                Fr::random(&mut *rng),
                Fr::from(u64::MAX) + Fr::ONE,
            ][i % 3]
        };
        // Inputs and auxiliary variables interleave.
        if i % 97 == 5 {
            builder.push_input(value);
        } else {
            builder.push_aux(value);
        }
    }
    builder.finish().expect("the first input is one")
}

/// A matrix whose rows have these lengths, with `distinct` coefficients beside ±1.
pub(crate) fn random_matrix(
    rng: &mut ChaCha8Rng,
    lengths: impl IntoIterator<Item = usize>,
    columns: usize,
    distinct: usize,
) -> CsrMatrix {
    let coefficients: Vec<Fr> = (0..distinct)
        .map(|i| match i % 3 {
            0 => Fr::from(2).pow_vartime([1 + (i as u64 / 3) % 250]),
            1 => -Fr::from(3 + i as u64),
            _ => Fr::random(&mut *rng),
        })
        .collect();
    let mut builder = CsrBuilder::new();
    for length in lengths {
        assert!(length <= columns);
        // Columns that ascend with random steps and end inside.
        let start = rng.next_u64() as usize % (columns - length + 1);
        let mut column = start;
        let mut terms = Vec::with_capacity(length);
        for k in 0..length {
            let slack = columns - column - (length - k);
            column += rng.next_u32() as usize % (slack.min(40) + 1);
            let coefficient = match rng.next_u32() % 4 {
                0 => Fr::ONE,
                1 => -Fr::ONE,
                _ if distinct == 0 => Fr::ONE,
                _ => coefficients[rng.next_u64() as usize % distinct],
            };
            terms.push((column, coefficient));
            column += 1;
        }
        builder.push_row(&mut terms).expect("columns fit");
    }
    builder.finish(columns).expect("columns in range")
}

/// The product by its definition, and zeros.
pub(crate) fn definition(matrix: &CsrMatrix, witness: &PackedWitness, out_len: usize) -> Vec<Fr> {
    let values = witness.unpack();
    let row = |i| {
        matrix
            .row_terms(i)
            .map(|(column, c)| c * values[column])
            .sum()
    };
    let mut out: Vec<Fr> = (0..matrix.rows()).map(row).collect();
    out.resize(out_len, Fr::ZERO);
    out
}

/// Prepares, uploads, multiplies and downloads.
pub(crate) fn product(
    engine: &SpmvEngine,
    stream: &Stream,
    matrix: &CsrMatrix,
    witness: &PackedWitness,
    out_len: usize,
) -> Vec<FrLimbs> {
    let prepared = engine.prepare(matrix, stream).expect("prepared");
    let uploaded = engine.upload_witness(witness, stream).expect("uploaded");
    let out = engine.multiply(&prepared, &uploaded, out_len, stream);
    out.expect("enqueued").download().expect("the kernels run")
}

pub(crate) fn check(
    engine: &SpmvEngine,
    stream: &Stream,
    matrix: &CsrMatrix,
    witness: &PackedWitness,
    out_len: usize,
    name: &str,
) {
    let got = product(engine, stream, matrix, witness, out_len);
    let got = FrLimbs::scalars(&got).expect("results are canonical");
    let expected = definition(matrix, witness, out_len);
    assert_eq!(got.len(), expected.len(), "{name}");
    for (row, (got, expected)) in got.iter().zip(&expected).enumerate() {
        assert_eq!(got, expected, "{name}: row {row}");
    }
}

/// Row lengths at which slices, pieces and joins begin and end.
pub(crate) fn edge_lengths() -> Vec<usize> {
    let mut lengths = vec![
        0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 2049, 3100,
    ];
    // Across a window, with lengths that mix in every slice and a last slice that is not full.
    lengths.extend((0..4500).map(|i| [0, 1, 1, 2, 5, 17, 1, 32][(i * i + i / 3) % 8]));
    lengths.push(40);
    lengths
}

pub(crate) fn edges(device: &Device) {
    let engine = SpmvEngine::open(device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    for (seed, mix) in MIXES.into_iter().enumerate() {
        let rng = &mut rng(seed as u64);
        let columns = 3333;
        let matrix = random_matrix(rng, edge_lengths(), columns, 300);
        let witness = random_witness(rng, columns, mix);
        for out_len in [matrix.rows(), matrix.rows() + 1, 8192] {
            let name = format!("mix {mix:?}, {out_len} places");
            check(&engine, &stream, &matrix, &witness, out_len, &name);
        }
    }
}

/// Few rows and columns, and none.
pub(crate) fn small_sizes(device: &Device) {
    let engine = SpmvEngine::open(device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let rng = &mut rng(9);
    for columns in [1, 2, 31, 32, 33, 63, 64, 65, 1023, 1025] {
        for rows in [0, 1, 5, 33] {
            let lengths = (0..rows).map(|i| (7 * i) % (columns + 1));
            let matrix = random_matrix(rng, lengths, columns, 3);
            let witness = random_witness(rng, columns, MIXES[1]);
            for out_len in [rows, rows + 31] {
                let name = format!("{rows} rows, {columns} columns");
                check(&engine, &stream, &matrix, &witness, out_len, &name);
            }
        }
    }
}

/// A dictionary beyond 16 bits.
pub(crate) fn wide_dictionary(device: &Device) {
    let engine = SpmvEngine::open(device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let rng = &mut rng(10);
    let mut builder = CsrBuilder::new();
    for row in 0..70_000u64 {
        let other = (row as usize * 31) % 997;
        let mut terms = vec![
            (other, Fr::from(3 + row)),
            (997 + row as usize % 3, -Fr::ONE),
        ];
        builder.push_row(&mut terms).expect("columns fit");
    }
    let matrix = builder.finish(1000).expect("columns in range");
    assert!(matrix.dictionary().len() > 1 << 16);
    let witness = random_witness(rng, 1000, MIXES[1]);
    check(&engine, &stream, &matrix, &witness, 1 << 17, "wide");
}

/// One scalar a variable, and access to the packed parts.
pub(crate) fn expansion(device: &Device) {
    let engine = SpmvEngine::open(device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    for (mix, len) in MIXES.into_iter().zip([5000, 32 * 32 * 3, 77_777]) {
        let witness = random_witness(&mut rng(len as u64), len, mix);
        let uploaded = engine.upload_witness(&witness, &stream).expect("uploaded");
        let expanded = engine.expand(&uploaded, &stream).expect("enqueued");
        let got = expanded.download().expect("the kernels run");
        let got = FrLimbs::scalars(&got).expect("values are canonical");
        assert_eq!(got, witness.unpack(), "mix {mix:?}");

        let counts = (
            uploaded.num_full(),
            uploaded.num_small(),
            uploaded.num_inputs(),
        );
        let expected = (
            witness.full().len(),
            witness.small().len(),
            witness.num_inputs(),
        );
        assert_eq!(counts, expected);
        let words = |slice: cuzk_device::DeviceSlice<'_, u64>| {
            let mut words = vec![0; slice.len()];
            slice.copy_to_host(&stream, &mut words).expect("a copy");
            words
        };
        assert_eq!(words(uploaded.low()), witness.low().words());
        assert_eq!(words(uploaded.high()), witness.high().words());
        let mut values = vec![FrLimbs([0; 4]); uploaded.values().len()];
        uploaded
            .values()
            .copy_to_host(&stream, &mut values)
            .expect("a copy");
        let small = witness.small().iter().map(|v| FrLimbs::from(Fr::from(*v)));
        let expected: Vec<_> = FrLimbs::view(witness.full())
            .iter()
            .copied()
            .chain(small)
            .collect();
        assert_eq!(values, expected);
    }
}

/// Matrix, witness and result on three streams, dropped as soon as the product is enqueued.
pub(crate) fn streams(device: &Device) {
    let engine = SpmvEngine::open(device).expect("the kernels load");
    let [one, two, three] = [(); 3].map(|()| device.new_stream().expect("a stream"));
    let rng = &mut rng(11);
    let matrix = random_matrix(rng, edge_lengths(), 3333, 50);
    let witness = random_witness(rng, 3333, MIXES[0]);
    let expected = definition(&matrix, &witness, 8192);
    for _ in 0..4 {
        let prepared = engine.prepare(&matrix, &one).expect("prepared");
        let uploaded = engine.upload_witness(&witness, &two).expect("uploaded");
        let out = engine.multiply(&prepared, &uploaded, 8192, &three);
        drop((prepared, uploaded));
        // What was freed is taken up again and overwritten, in the order of its own stream.
        let _over = [&one, &two].map(|s| s.alloc_zeroed::<u64>(1 << 17).expect("memory"));
        let got = out.expect("enqueued").download().expect("the kernels run");
        assert_eq!(FrLimbs::scalars(&got).expect("canonical"), expected);
    }
}
