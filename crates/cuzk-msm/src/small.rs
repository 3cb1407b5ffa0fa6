//! Every kernel of sums at sizes that a sanitizer can bear.

use std::collections::BTreeSet;

use cuzk_device::Device;

use crate::bucket_tests::{accumulate, reduce};
use crate::twin::open;
use crate::{affine, fixed, msm, sort, tables};

const PARTS: [fn(&Device); 7] = [
    accumulate::small,
    affine::tests::small,
    fixed::tests::small,
    msm::tests::small,
    reduce::small,
    sort::tests::small,
    tables::tests::small,
];

/// The splits of witnesses are launched by whoever has a witness.
#[test]
fn every_kernel_but_those_of_splits_is_launched() {
    let (session, device) = msm::tests::whole_device();
    PARTS.iter().for_each(|part| part(&device));
    let launched: BTreeSet<String> = session.launches().into_iter().map(|l| l.symbol).collect();
    let modules = cuzk_kernels::modules().iter();
    let of_sums = modules.filter(|m| m.name.starts_with("msm_") && m.name != "msm_split");
    let symbols = of_sums
        .flat_map(|module| module.entry_points)
        .map(|e| e.symbol);
    let missing: Vec<_> = symbols.filter(|s| !launched.contains(*s)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn sums_of_buckets_are_right() {
    accumulate::small(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn affine_sums_are_right() {
    affine::tests::small(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn products_of_a_fixed_point_are_right() {
    fixed::tests::small(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn whole_sums_are_right() {
    msm::tests::small(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn sums_of_windows_are_right() {
    reduce::small(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn digits_are_sorted() {
    sort::tests::small(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn tables_hold_multiples() {
    tables::tests::small(&open());
}
