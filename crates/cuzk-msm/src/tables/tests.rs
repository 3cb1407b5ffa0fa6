use cuzk_curve::{Fr, G1, G2};
use cuzk_device::{Device, DeviceError};
use ff::Field as _;

use super::{TableBuilder, TableShape};
use crate::MsmError;
use crate::twin::{TestGroup, fail_every_call, few_multiples, host_device, open, points, rng};

/// Compares every multiple of every base.
fn check<G: TestGroup>(device: &Device, n: usize, factor: usize, doublings: u32) {
    let shape = TableShape { factor, doublings };
    let stream = device.new_stream().expect("a stream");
    let multiples = few_multiples(n, &mut rng(n as u64));
    let bases = stream.upload(&points::<G>(&multiples)).expect("memory");
    let builder = TableBuilder::<G>::new(device).expect("kernels");
    let tables = builder.extend(&stream, bases.as_slice(), shape);
    let tables = tables.expect("launches");
    let power = Fr::from(2).pow_vartime([u64::from(doublings)]);
    let expected: Vec<Fr> = (0..factor as u64)
        .flat_map(|k| multiples.iter().map(move |m| *m * power.pow_vartime([k])))
        .collect();
    let got = tables.download().expect("the kernels run");
    let what = format!("{}: {n} bases, {factor} of {doublings}", G::NAME);
    assert!(got == points::<G>(&expected), "{what}");
    builder
        .check(&stream, tables.as_slice(), shape, 5)
        .expect("the samples agree");
}

const SMALL: [(usize, usize, u32); 6] = [
    (0, 3, 5),
    (1, 1, 7),
    (1, 3, 1),
    (5, 2, 0),
    (33, 4, 13),
    (130, 2, 3),
];

#[test]
fn tables_hold_the_multiples_of_every_base() {
    let (_session, device) = host_device();
    for (n, factor, doublings) in SMALL {
        check::<G1>(&device, n, factor, doublings);
        check::<G2>(&device, n, factor, doublings);
    }
}

#[test]
fn a_wrong_multiple_is_found_where_it_is() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let builder = TableBuilder::<G1>::new(&device).expect("kernels");
    let mut tables = points::<G1>(&(1..=9).map(Fr::from).collect::<Vec<_>>());
    tables.extend(points::<G1>(
        &(1..=9).map(|i| Fr::from(4 * i)).collect::<Vec<_>>(),
    ));
    let shape = TableShape {
        factor: 2,
        doublings: 2,
    };
    let check = |tables: &[_]| {
        let tables = stream.upload(tables).expect("memory");
        builder.check(&stream, tables.as_slice(), shape, 3)
    };
    assert!(check(&tables).is_ok());
    tables[9 + 4] = tables[9];
    let error = check(&tables).expect_err("the one in the middle is wrong");
    assert!(
        matches!(error, MsmError::WrongMultiple { base: 4, table: 1 }),
        "{error}"
    );
}

#[test]
fn a_factor_of_zero_is_refused() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let bases = stream.upload(&points::<G1>(&[Fr::ONE])).expect("memory");
    let builder = TableBuilder::<G1>::new(&device).expect("kernels");
    let shape = TableShape {
        factor: 0,
        doublings: 1,
    };
    let error = builder.extend(&stream, bases.as_slice(), shape);
    let error = error.expect_err("no tables").to_string();
    assert_eq!(error, "multiples of a base, at least: expected 1, got 0");
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    let run = || -> Result<usize, DeviceError> {
        let device = Device::open(&Default::default(), &Default::default())?;
        let stream = device.new_stream()?;
        let bases = stream.upload(&points::<G1>(&few_multiples(10, &mut rng(3))))?;
        let shape = TableShape {
            factor: 3,
            doublings: 2,
        };
        let builder = TableBuilder::<G1>::new(&device)?;
        let tables = builder.extend(&stream, bases.as_slice(), shape)?;
        stream.synchronize()?;
        Ok(tables.len())
    };
    fail_every_call(run, |points| assert_eq!(points, 30));
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    for (n, factor, doublings) in SMALL {
        check::<G1>(device, n, factor, doublings);
        check::<G2>(device, n, factor, doublings);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn tables_of_both_groups_are_right_on_a_device() {
    let device = open();
    for (n, factor, doublings) in SMALL.into_iter().chain([(1000, 12, 22), (4097, 3, 64)]) {
        check::<G1>(&device, n, factor, doublings);
        check::<G2>(&device, n, factor, doublings);
    }
}
