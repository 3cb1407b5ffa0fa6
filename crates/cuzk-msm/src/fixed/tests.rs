use std::sync::Mutex;

use cuzk_curve::{Fr, FrLimbs, G1, G2};
use cuzk_device::{Device, DeviceError};
use ff::Field as _;
use group::{Curve as _, Group as _};
use rand_chacha::rand_core::RngCore as _;

use super::{BasePlan, BaseTable};
use crate::MsmError;
use crate::plan::CardFigures;
use crate::twin::{TestGroup, fail_every_call, host_device, open, points, rng};

/// Memory for tables of any width up to about nine bits.
const SMALL_BYTES: usize = 4 << 20;

/// 0, ±1, ±2, powers of two and what is beside them, repeated and random ones.
fn edge_scalars(random: usize) -> Vec<Fr> {
    let two = Fr::from(2);
    let mut scalars = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, two, -two, Fr::ZERO];
    // About half of the modulus, where the sign of the digits changes.
    let half = two.invert().expect("not zero");
    scalars.extend([half, half - Fr::ONE, half + Fr::ONE]);
    for bit in [3, 4, 8, 31, 32, 63, 64, 127, 128, 250, 253, 254] {
        let power = two.pow_vartime([bit]);
        scalars.extend([power, power - Fr::ONE, -power]);
    }
    let mut rng = rng(random as u64);
    scalars.extend((0..random).map(|_| Fr::random(&mut rng)));
    scalars.extend_from_within(..7);
    scalars
}

fn check<G: TestGroup>(device: &Device, log: Fr, plan: BasePlan, scalars: &[Fr]) {
    let stream = device.new_stream().expect("a stream");
    let base = (G::Projective::generator() * log).to_affine();
    let table = BaseTable::<G>::new(&stream, &base, plan).expect("memory");
    let mut got = points::<G>(&vec![Fr::ZERO; scalars.len()]);
    let done = Mutex::new(0);
    let report = |points| *done.lock().expect("nobody panics here") += points;
    table.multiply(scalars, &mut got, &report).expect("runs");
    let logs: Vec<Fr> = scalars.iter().map(|scalar| log * scalar).collect();
    assert!(got == points::<G>(&logs), "{}: {plan}", G::NAME);
    assert_eq!(done.into_inner().expect("nobody panics"), scalars.len());
    let there = stream.upload(FrLimbs::view(scalars)).expect("memory");
    let there = table.multiply_there(&there).expect("launches");
    assert!(
        there.download().expect("runs") == got,
        "{}: {plan}",
        G::NAME
    );
}

fn of_all_widths<G: TestGroup>(device: &Device, budgets: &[usize]) {
    for (i, &budget) in budgets.iter().enumerate() {
        let scalars = edge_scalars(3 * i);
        let plan = BasePlan::new::<G>(1 << 20, budget).expect("place");
        check::<G>(device, Fr::from(1 + i as u64), plan, &scalars);
    }
}

#[test]
fn products_are_those_of_the_group_whatever_the_windows_and_chunks() {
    let (session, device) = host_device();
    of_all_widths::<G1>(&device, &[200 << 10, 300 << 10, 1 << 20, SMALL_BYTES]);
    of_all_widths::<G2>(&device, &[400 << 10, 1 << 20]);
    drop(device);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn chunks_of_any_length_give_the_same_products() {
    let (_session, device) = host_device();
    let whole = BasePlan::new::<G1>(10, SMALL_BYTES).expect("place");
    let scalars = edge_scalars(5);
    for chunk in [1, 7, 8, 9, scalars.len() - 1, scalars.len()] {
        check::<G1>(&device, -Fr::ONE, whole.in_chunks_of(chunk), &scalars);
    }
    check::<G1>(&device, Fr::ONE, whole, &[]);
}

#[test]
fn the_identity_has_only_itself_as_a_multiple() {
    let (_session, device) = host_device();
    let plan = BasePlan::new::<G1>(1, SMALL_BYTES).expect("place");
    check::<G1>(&device, Fr::ZERO, plan, &edge_scalars(2));
    let plan = BasePlan::new::<G2>(1, SMALL_BYTES).expect("place");
    check::<G2>(&device, Fr::ZERO, plan, &[Fr::ZERO, Fr::ONE, -Fr::ONE]);
}

#[test]
fn callers_at_once_do_not_disturb_each_other() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let plan = BasePlan::new::<G1>(1, SMALL_BYTES).expect("place");
    let plan = plan.in_chunks_of(5);
    let base = cuzk_curve::G1Projective::generator().to_affine();
    let table = BaseTable::<G1>::new(&stream, &base, plan).expect("memory");
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let table = &table;
            scope.spawn(move || {
                let scalars = edge_scalars(seed);
                let mut got = points::<G1>(&vec![Fr::ZERO; scalars.len()]);
                table.multiply(&scalars, &mut got, &|_| ()).expect("runs");
                assert!(got == points::<G1>(&scalars));
            });
        }
    });
}

#[test]
fn more_scalars_take_wider_windows_and_less_memory_narrower_ones() {
    const LARGE: usize = 100 << 30;
    let bits = |n, bytes| {
        let plan = BasePlan::new::<G1>(n, bytes).expect("place");
        plan.layout().window_bits()
    };
    let widths: Vec<u32> = (0..28)
        .step_by(3)
        .map(|log| bits(1 << log, LARGE))
        .collect();
    assert!(widths.is_sorted(), "{widths:?}");
    assert!(
        widths[0] <= 5 && *widths.last().expect("some") >= 20,
        "{widths:?}"
    );
    let narrow: Vec<u32> = (18..40).map(|log| bits(1 << 24, 1 << log)).collect();
    assert!(narrow.is_sorted() && narrow[0] < 7, "{narrow:?}");
    let plan = BasePlan::new::<G1>(1 << 24, 1 << 30).expect("place");
    let bytes = plan.entries() * 96;
    assert!(bytes <= 1 << 28 && plan.chunk() * 128 <= 1 << 26, "{plan}");
    assert!(BasePlan::new::<G2>(usize::MAX, LARGE).is_ok());
    let few = BasePlan::new::<G1>(1 << 20, LARGE).expect("place");
    assert!(few.predicted_ms(&CardFigures::H200) < plan.predicted_ms(&CardFigures::H200));
}

#[test]
fn what_has_no_place_is_refused_with_the_numbers() {
    let error = BasePlan::new::<G1>(5, 1000).expect_err("no table");
    let MsmError::NoPlace { needed_bytes, .. } = error else {
        panic!("{error}");
    };
    assert!(BasePlan::new::<G1>(5, needed_bytes).is_ok());
    assert!(BasePlan::new::<G1>(5, needed_bytes - 1).is_err());
    for bits in [3, 23] {
        let error = BasePlan::of_windows::<G1>(bits, 5, 1 << 40).expect_err("no such table");
        let expected = format!("windows of {bits} bits, expected 4 to 22");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn lengths_that_differ_are_named() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let plan = BasePlan::new::<G1>(1, SMALL_BYTES).expect("place");
    let base = cuzk_curve::G1Projective::generator().to_affine();
    let table = BaseTable::<G1>::new(&stream, &base, plan).expect("memory");
    let mut points = points::<G1>(&[Fr::ONE]);
    let error = table.multiply(&[Fr::ONE; 2], &mut points, &|_| ());
    let error = error.expect_err("two are not one").to_string();
    assert_eq!(error, "points for the products: expected 2, got 1");
    let other = device.new_stream().expect("a stream");
    let there = other.upload(FrLimbs::view(&[Fr::ONE])).expect("memory");
    let error = table.multiply_there(&there).expect_err("no order");
    assert!(
        matches!(error, MsmError::OtherStream { index: 0 }),
        "{error}"
    );
    let none = stream.upload(&[] as &[FrLimbs]).expect("memory");
    assert!(
        table
            .multiply_there(&none)
            .expect("nothing to do")
            .is_empty()
    );
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    let scalars = edge_scalars(1);
    let run = || -> Result<usize, DeviceError> {
        let device = Device::open(&Default::default(), &Default::default())?;
        let stream = device.new_stream()?;
        let plan = BasePlan::new::<G1>(1, SMALL_BYTES).expect("place");
        let plan = plan.in_chunks_of(30);
        let base = cuzk_curve::G1Projective::generator().to_affine();
        let device_error = |error| match error {
            MsmError::Device(error) => error,
            other => panic!("{other}"),
        };
        let table = BaseTable::<G1>::new(&stream, &base, plan).map_err(device_error)?;
        let mut got = points::<G1>(&vec![Fr::ZERO; scalars.len()]);
        table
            .multiply(&scalars, &mut got, &|_| ())
            .map_err(device_error)?;
        Ok(got.len())
    };
    fail_every_call(run, |points| assert_eq!(points, scalars.len()));
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    of_all_widths::<G1>(device, &[200 << 10, SMALL_BYTES]);
    of_all_widths::<G2>(device, &[400 << 10]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn products_are_right_on_a_device() {
    const SIZES: [usize; 3] = [1, 1000, 20_011];
    let device = open();
    of_all_widths::<G1>(&device, &[200 << 10, SMALL_BYTES, 1 << 27, 1 << 30]);
    of_all_widths::<G2>(&device, &[400 << 10, SMALL_BYTES, 1 << 28]);
    let log = Fr::from(rng(7).next_u64());
    for n in SIZES {
        let plan = BasePlan::new::<G1>(n, 1 << 34).expect("place");
        check::<G1>(&device, log, plan, &edge_scalars(n));
        let plan = BasePlan::new::<G2>(n, 1 << 34).expect("place");
        check::<G2>(&device, log, plan, &edge_scalars(n / 4));
    }
}
