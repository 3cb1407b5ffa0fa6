use cuzk_curve::{Fr, G1, G2};
use cuzk_device::Device;
use ff::Field as _;

use super::*;
use crate::affine::tests::affine_device;
use crate::reduce::Reducer;
use crate::twin::{TestGroup, assert_multiples, few_multiples, points, rng, window_sums};

const SHAPES: [[usize; 3]; 9] = [
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
fn multiples(shape: &LineShape) -> Vec<Fr> {
    let buckets = 1 << shape.log_buckets;
    let mut multiples = few_multiples(shape.windows * buckets, &mut rng(buckets as u64));
    for window in multiples.chunks_mut(buckets).skip(shape.wide_windows) {
        window[buckets / 2..].fill(Fr::ZERO);
    }
    multiples
}

fn check<G: TestGroup>(device: &Device, shape: &LineShape) {
    let stream = device.new_stream().expect("a stream");
    let multiples = multiples(shape);
    let sums = stream.upload(&points::<G>(&multiples)).expect("memory");
    let tree = AffineTree::<G>::new(device).expect("kernels");
    let lines = tree.sum_lines(&stream, &sums, shape).expect("launches");
    assert_eq!(lines.len(), shape.lists());

    let (b, m, lines_of) = (1 << shape.log_buckets, 1 << shape.log_m(), shape.lines());
    let mut expected = vec![Fr::ZERO; shape.lists()];
    for (window, sums) in multiples.chunks(b).enumerate() {
        for (j, sum) in sums.iter().enumerate() {
            let (h, l) = (j / m, j % m);
            expected[2 * window * lines_of + l] += sum;
            if h > 0 {
                expected[(2 * window + 1) * lines_of + h - 1] += sum;
            }
        }
    }
    let got = lines.download().expect("the kernels run");
    assert_eq!(got, points::<G>(&expected), "{shape:?}");

    let reducer = Reducer::<G>::new(device).expect("kernels");
    let both = reducer.reduce_affine(&stream, &lines, 2 * shape.windows, lines_of);
    let both = both.expect("launches").download().expect("the kernels run");
    let of_both = window_sums(&expected, lines_of);
    assert_multiples::<G>(&format!("{shape:?}"), &both, &of_both);
    let whole = window_sums(&multiples, b);
    for (both, whole) in of_both.chunks(2).zip(whole) {
        assert_eq!(both[0] + Fr::from(m as u64) * both[1], whole, "{shape:?}");
    }
}

#[test]
fn columns_and_rows_make_the_windows_points() {
    let (_session, device) = affine_device();
    for sizes in SHAPES {
        check::<G1>(&device, &shape(sizes));
        check::<G2>(&device, &shape(sizes));
    }
}

#[test]
fn every_bucket_is_in_a_column_and_all_but_the_first_in_a_row() {
    for sizes in SHAPES {
        let shape = shape(sizes);
        let narrow = shape.windows - shape.wide_windows;
        let buckets = (2 * shape.wide_windows + narrow) << (shape.log_buckets - 1);
        let first_rows = shape.windows << shape.log_m();
        assert_eq!(shape.entries(), 2 * buckets - first_rows, "{shape:?}");
        assert!(shape.lines() >= 1 << shape.log_m());
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
