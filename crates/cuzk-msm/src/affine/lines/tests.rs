use cuzk_curve::{Fr, G1, G2};
use cuzk_device::Device;
use ff::Field as _;

use super::*;
use crate::affine::fold_scratch_bytes;
use crate::affine::plan::{AffineTuning, Shape, THREADS, TOTALS};
use crate::affine::tests::affine_device;
use crate::reduce::Reducer;
use crate::twin::{TestGroup, assert_multiples, few_multiples, points, rng, window_sums};

const SHAPES: [[usize; 3]; 10] = [
    [1, 1, 0],
    [1, 1, 1],
    [2, 1, 1],
    [3, 3, 2],
    [3, 0, 3],
    [4, 2, 4],
    [2, 1, 5],
    [1, 0, 6],
    [2, 2, 7],
    [0, 0, 3],
];

fn shape([windows, wide_windows, log_buckets]: [usize; 3]) -> LineShape {
    LineShape {
        windows,
        wide_windows,
        log_buckets: u32::try_from(log_buckets).expect("few"),
    }
}

/// Multiples at all places; none at those of windows that are not wide where there is no bucket.
fn multiples(shape: &LineShape, mut of: impl FnMut(usize) -> Fr) -> Vec<Fr> {
    let buckets = 1 << shape.log_buckets;
    let mut multiples: Vec<Fr> = (0..shape.windows * buckets)
        .map(|place| of(place % buckets + 1))
        .collect();
    for window in multiples.chunks_mut(buckets).skip(shape.wide_windows) {
        window[buckets / 2..].fill(Fr::ZERO);
    }
    multiples
}

fn check<G: TestGroup>(device: &Device, shape: &LineShape, multiples: &[Fr]) {
    let stream = device.new_stream().expect("a stream");
    let sums = stream.upload(&points::<G>(multiples)).expect("memory");
    let tree = AffineTree::<G>::new(device).expect("kernels");
    let lines = tree.sum_lines(&stream, &sums, shape).expect("launches");
    assert_eq!(lines.len(), shape.lists());

    let (b, half) = (1 << shape.log_buckets, shape.lines());
    let m = 2 * half + 1;
    let mut expected = vec![Fr::ZERO; shape.lists()];
    for (window, sums) in multiples.chunks(b).enumerate() {
        for (weight, sum) in (1..).zip(sums) {
            let (row, across) = ((weight + half) / m, (weight + half) % m);
            let mut add = |list: usize, sum: Fr| expected[2 * window * half + list] += sum;
            if row > 0 {
                add(half + row - 1, *sum);
            }
            match across {
                across if across > half => add(across - half - 1, *sum),
                across if across < half => add(half - across - 1, -*sum),
                _ => {}
            }
        }
    }
    let got = lines.download().expect("the kernels run");
    assert_eq!(got, points::<G>(&expected), "{shape:?}");

    let reducer = Reducer::<G>::new(device).expect("kernels");
    let both = reducer.reduce_affine(&stream, &lines, 2 * shape.windows, half);
    let both = both.expect("launches").download().expect("the kernels run");
    let of_both = window_sums(&expected, half);
    assert_multiples::<G>(&format!("{shape:?}"), &both, &of_both);
    let whole = window_sums(multiples, b);
    for (both, whole) in of_both.chunks(2).zip(whole) {
        assert_eq!(both[0] + Fr::from(m as u64) * both[1], whole, "{shape:?}");
    }
    assert_eq!(m, (1 << shape.log_m()) + 1);
}

/// Sums of every kind: mixed; of which those at both sides of a row's middle are equal, opposite,
/// or one of them absent; all the same; none.
fn check_kinds<G: TestGroup>(device: &Device, shape: &LineShape) {
    let mixed = few_multiples(1 << shape.log_buckets, &mut rng(7));
    let (half, m) = (shape.lines(), 2 * shape.lines() + 1);
    let mirrored = |weight: usize, sign: Fr| {
        let across = (weight + half) % m;
        let value = Fr::from(3 + across.abs_diff(half) as u64);
        if across > half { value } else { sign * value }
    };
    let mut draws = few_multiples(shape.windows << shape.log_buckets, &mut rng(8)).into_iter();
    check::<G>(
        device,
        shape,
        &multiples(shape, |_| draws.next().expect("one")),
    );
    check::<G>(device, shape, &multiples(shape, |weight| mixed[weight - 1]));
    for sign in [Fr::ONE, -Fr::ONE, Fr::ZERO] {
        check::<G>(
            device,
            shape,
            &multiples(shape, |weight| mirrored(weight, sign)),
        );
    }
    check::<G>(device, shape, &multiples(shape, |_| Fr::from(5)));
    check::<G>(device, shape, &multiples(shape, |_| Fr::ZERO));
}

#[test]
fn columns_and_rows_make_the_windows_points_whatever_the_sums() {
    let (_session, device) = affine_device();
    for sizes in SHAPES {
        check_kinds::<G1>(&device, &shape(sizes));
        check_kinds::<G2>(&device, &shape(sizes));
    }
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    check_kinds::<G1>(device, &shape([2, 1, 4]));
    check_kinds::<G2>(device, &shape([2, 1, 4]));
}

#[test]
#[ignore = "needs a CUDA device"]
fn columns_and_rows_make_the_windows_points_on_a_device() {
    let device = crate::twin::open();
    for sizes in SHAPES.into_iter().chain([[3, 2, 13], [2, 1, 16]]) {
        check_kinds::<G1>(&device, &shape(sizes));
        check_kinds::<G2>(&device, &shape(sizes));
    }
}

#[test]
fn rows_have_lists_and_every_bucket_is_in_a_pair() {
    for log_buckets in 0..25 {
        let shape = shape([1, 1, log_buckets]);
        for buckets in [1 << log_buckets, (1 << log_buckets) / 2] {
            let (rows, half) = (shape.rows(buckets), shape.lines());
            assert!(rows <= half, "{shape:?}");
            assert!(rows * (2 * half + 1) + half >= buckets, "{shape:?}");
        }
        let fewest = (1usize << log_buckets) / 2;
        assert!(
            (fewest..2 * fewest + 8).contains(&shape.pairs()),
            "{shape:?}"
        );
    }
}

#[test]
fn the_estimate_for_a_fold_is_no_less_than_what_it_takes() {
    for log in 0..25 {
        for pairs in [(1 << log) - 1, 1 << log, 3 << log] {
            for multiprocessors in [1, 132, 170] {
                let tuning = AffineTuning::default();
                let shape = Shape::new(&tuning, multiprocessors);
                let elements = pairs + 2 * shape.tiles(pairs) * THREADS;
                let bytes = 48 * elements + 8 * pairs + 4 * TOTALS + 96;
                assert!(bytes <= fold_scratch_bytes(96, pairs), "{pairs} pairs");
            }
        }
    }
}

#[test]
fn windows_of_a_layout_are_wide_as_it_says() {
    let layout = WindowLayout::new(10).expect("a width");
    for start in 0..layout.windows() {
        for end in start..=layout.windows() {
            let shape = LineShape::new(&layout, &(start..end));
            let wide = (start..end).filter(|window| layout.width(*window) == 10);
            assert_eq!(shape.wide_windows, wide.count(), "{start}..{end}");
            assert_eq!(shape.windows, (end - start) as usize);
        }
    }
}

#[test]
fn another_number_of_sums_is_refused() {
    let (_session, device) = affine_device();
    let stream = device.new_stream().expect("a stream");
    let sums = stream.alloc_zeroed(7).expect("memory");
    let tree = AffineTree::<G1>::new(&device).expect("kernels");
    let error = tree
        .sum_lines(&stream, &sums, &shape([2, 2, 2]))
        .expect_err("a sum is missing");
    assert_eq!(error.to_string(), "sums of buckets: expected 8, got 7");
}
