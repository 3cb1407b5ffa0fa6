use cuzk_curve::{Fr, G1, G2};
use rand_chacha::rand_core::RngCore as _;

use crate::accumulate::Accumulator;
use crate::reduce::Reducer;
use crate::twin::{HostDigits, TestGroup, assert_multiples, open, rng, window_sums};

#[path = "../../tests/shared/points.rs"]
pub(crate) mod points;

/// The points of all windows, of 2^log_n points P_i = [i + 1] Q.
fn check<G: TestGroup>(log_n: u32, windows: usize, buckets: usize) {
    let n = 1usize << log_n;
    let device = open();
    let stream = device.new_stream().expect("a stream");
    let bases = points::multiples::<G>(&stream, n).expect("points");
    let mut rng = rng(u64::from(log_n));
    let most = buckets as u64;
    // Half of the digits are spread out, a quarter are all the same, a quarter are zero.
    let digits = HostDigits::drawn(windows, buckets, n, || {
        let digit = i64::try_from(rng.next_u64() % most).expect("a digit");
        match rng.next_u32() % 4 {
            0 => 0,
            1 => 1 - digit,
            2 => 1 + digit,
            _ => 3,
        }
    });
    let accumulator = Accumulator::<G>::new(&device).expect("kernels");
    let sums = accumulator.sum_buckets(&stream, bases.as_slice(), &digits.upload(&stream), None);
    let sums = sums.expect("launches");
    let reducer = Reducer::<G>::new(&device).expect("kernels");
    let got = reducer.reduce(&stream, &sums, windows, buckets);
    let got = got.expect("launches").download().expect("the kernels run");
    let multiples: Vec<Fr> = (1..=n as u64).map(Fr::from).collect();
    let expected = window_sums(&digits.sums(&multiples), buckets);
    assert_multiples::<G>(&format!("{}: 2^{log_n}", G::NAME), &got, &expected);
}

#[test]
#[ignore = "needs a CUDA device"]
fn windows_of_a_million_points_are_right_in_both_groups() {
    check::<G1>(20, 4, 1 << 15);
    check::<G1>(18, 2, 1 << 17);
    check::<G2>(19, 3, 1 << 14);
}
