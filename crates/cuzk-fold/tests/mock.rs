//! Against the stand-in for the driver, with the kernels compiled for the host.

use cuzk_backend::InverseTransform;
use cuzk_curve::{Domain, Fr, G1, G1Affine, G1Projective};
use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_fold::{FoldError, Folder};
use cuzk_kernel_host::run_fold_kernel;
use cuzk_mock_driver::{Launch, MockDevice, Session, session};
use cuzk_r1cs::{CsrBuilder, CsrMatrix};
use cuzk_testkit::{KnownBases, any_fr, rng};
use ff::Field;
use group::{Curve, Group};
use proptest::prelude::*;

const KERNELS: [&str; 5] = [
    "cuzk_fold_load_g1",
    "cuzk_fold_stage_g1",
    "cuzk_fold_sum_g1",
    "cuzk_fold_widen_g1",
    "cuzk_fold_narrow_g1",
];

fn on_host(launch: &Launch) {
    let threads = u64::from(launch.grid[0]) * u64::from(launch.block[0]);
    // SAFETY: the stand-in's device memory is host memory at multiples of 16, and the parameters
    // are those with which the kernel would run on a device.
    unsafe { run_fold_kernel(&launch.symbol, threads, &launch.params) };
}

fn begin() -> Session {
    let session = session(vec![MockDevice::default()]);
    for symbol in KERNELS {
        session.define(symbol, on_host);
    }
    session
}

fn open() -> Result<Device, FoldError> {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    Ok(device?)
}

/// A row of coefficients, so that a fold of one point gives its multiples.
fn row(coefficients: &[Fr]) -> CsrMatrix {
    let mut builder = CsrBuilder::new();
    let mut terms = coefficients.iter().copied().enumerate().collect();
    builder.push_row(&mut terms).expect("columns fit");
    builder.finish(coefficients.len()).expect("in range")
}

fn assert_multiples(log: Fr, scalars: &[Fr]) {
    let session = begin();
    {
        let device = open().expect("the stand-in has a device");
        let stream = device.new_stream().expect("a stream");
        let folder = Folder::open(&device).expect("kernels");
        let point = (G1Projective::generator() * log).to_affine();
        let got = folder.fold_matrix(&stream, &row(scalars), &[point]);
        for (got, scalar) in got.expect("folds").into_iter().zip(scalars) {
            let expected = (G1Projective::generator() * (log * scalar)).to_affine();
            assert_eq!(got, expected, "{scalar:?}");
        }
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn multiples_by_scalars_at_the_edges_of_halves_and_digits_are_right() {
    let power = |bits: u64| Fr::from(2).pow_vartime([bits]);
    // x² − 1 for the parameter x of the curve.
    let lambda = Fr::from(0xd201_0000_0001_0000).square() - Fr::ONE;
    let half = Fr::from(2).invert().expect("two is not zero");
    let mut scalars = vec![Fr::ZERO, half, half - Fr::ONE, lambda * lambda];
    for around in [
        Fr::ZERO,
        lambda,
        -lambda,
        lambda * Fr::from(7),
        lambda * lambda,
        power(127),
        power(128),
    ] {
        scalars.extend((0..3).map(|i| around + Fr::from(i) - Fr::ONE));
    }
    scalars.extend((0..40).map(Fr::from));
    scalars.extend((0..255).step_by(7).map(power));
    // All digits 7, 8 or 9.
    let places = |digit: u64| (0..62).fold(Fr::ZERO, |k, _| k * Fr::from(16) + Fr::from(digit));
    scalars.extend([7, 8, 9, 15].map(places));
    let opposites: Vec<Fr> = scalars.iter().map(|scalar| -scalar).collect();
    scalars.extend(opposites);
    assert_multiples(Fr::from(12345), &scalars);
    assert_multiples(Fr::ZERO, &scalars[..20]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn multiples_are_right(log in any_fr(), scalars in proptest::collection::vec(any_fr(), 1..20)) {
        assert_multiples(log, &scalars);
    }
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    let known = KnownBases::<G1>::new(&mut rng(1), 4);
    let domain = Domain::new(2).expect("small");
    // A column of more terms than one list has.
    let long = row(&[Fr::from(3); 40]).transposed();
    let points = vec![known.points[1]; 40];
    let run = || -> Result<[Vec<G1Affine>; 2], FoldError> {
        let device = open()?;
        let stream = device.new_stream()?;
        let folder = Folder::open(&device)?;
        let inverse = InverseTransform::CosetInverse;
        Ok([
            folder.fold_inverse(&stream, inverse, &domain, Fr::ONE, &known.points)?,
            folder.fold_matrix(&stream, &long, &points)?,
        ])
    };
    let session = begin();
    let expected = run().expect("nothing fails");
    let calls = session.calls().len();
    assert_eq!(session.leaks(), Default::default());
    let mut errors = 0;
    for k in 0..calls {
        session.fail_any(u32::try_from(k).expect("few calls"), 1);
        match run() {
            // What is only freed, or asked for a second time, may fail unseen.
            Ok(got) => assert_eq!(got, expected, "call {k}"),
            Err(error) => {
                errors += 1;
                assert!(matches!(error, FoldError::Device(_)), "call {k}: {error}");
            }
        }
        session.mend();
        assert_eq!(run().expect("the device is usable"), expected, "after {k}");
    }
    assert!(errors > calls / 2, "{errors} of {calls}");
}
