//! Cases for a device and for its stand-in.

use cuzk_backend::Transform;
use cuzk_curve::{Domain, Fr};
use cuzk_ntt::{FromNatural, FromReversed, Plan, Scalars};
use ff::Field as _;

use crate::backend::{DeviceNtt, TRANSFORMS};
use crate::inputs::values;
use crate::oracle::{assert_same, reversed, transformed};

/// All transforms in all orders are those of the CPU backend.
pub(crate) fn every_order_agrees_with_the_cpu(machine: &DeviceNtt, log_n: u32) {
    let domain = Domain::new(log_n).expect("a domain");
    let prepared = machine.domain(&domain).expect("prepared");
    let input = values(domain.n(), log_n.into());
    let turned = reversed(&input);
    let upload = |host: &[_]| machine.stream.upload(host).expect("memory");
    for transform in TRANSFORMS {
        let expected = transformed(transform, &domain, &input);
        let mut data = upload(&input);
        prepared.transform(transform, &mut data).expect("launched");
        let got = data.download().expect("the kernels run");
        assert_same(&got, &expected, &(transform, log_n));
        for from in [
            FromNatural::Forward,
            FromNatural::Inverse,
            FromNatural::CosetInverse,
        ] {
            if Transform::from(from) == transform {
                let out = prepared.to_reversed(from, Scalars::natural(upload(&input)));
                let got = out.expect("launched").into_values().download();
                assert_same(&got.expect("run"), &reversed(&expected), &(from, log_n));
            }
        }
        for from in [
            FromReversed::Forward,
            FromReversed::Inverse,
            FromReversed::CosetForward,
        ] {
            if Transform::from(from) == transform {
                let out = prepared.to_natural(from, Scalars::reversed(upload(&turned)));
                let got = out.expect("launched").into_values().download();
                assert_same(&got.expect("run"), &expected, &(from, log_n));
            }
        }
    }
}

/// Values go to the coset as by two transforms, and products there are those of values.
pub(crate) fn values_on_the_coset_are_those_of_two_transforms(machine: &DeviceNtt, log_n: u32) {
    let domain = Domain::new(log_n).expect("a domain");
    let prepared = machine.domain(&domain).expect("prepared");
    let [a, b] = [1, 2].map(|seed| values(domain.n(), seed));
    let to_coset = |values: &[_]| {
        let values = machine.stream.upload(values).expect("memory");
        prepared
            .to_coset(Scalars::natural(values))
            .expect("launched")
            .into_values()
    };
    let expected = [&a, &b].map(|values| {
        let coefficients = transformed(Transform::Inverse, &domain, values);
        transformed(Transform::CosetForward, &domain, &coefficients)
    });
    let (mut product, b) = (to_coset(&a), to_coset(&b));
    assert_same(&product.download().expect("run"), &expected[0], &log_n);
    let factor = Fr::from(12_345).invert().expect("not zero");
    let scaled = machine.engine.multiply_scale(&mut product, &b, factor);
    scaled.expect("launched");
    let [a, b] = expected
        .each_ref()
        .map(|values| cuzk_curve::FrLimbs::scalars(values).expect("reduced"));
    let expected: Vec<_> = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a * b * factor).into())
        .collect();
    assert_same(
        &product.download().expect("run"),
        &expected,
        &("product", log_n),
    );
}

/// Any passes give the same result.
pub(crate) fn every_cut_gives_the_same(machine: &DeviceNtt, cuts: &[&[u32]]) {
    for stages in cuts {
        let plan = Plan::with_stages(stages).expect("within the limits");
        let domain = Domain::new(plan.log_n()).expect("a domain");
        let prepared = machine
            .engine
            .prepare_planned(&machine.stream, &domain, plan, &TRANSFORMS);
        let prepared = prepared.expect("prepared");
        let input = values(domain.n(), 3);
        for transform in TRANSFORMS {
            let mut data = machine.stream.upload(&input).expect("memory");
            prepared.transform(transform, &mut data).expect("launched");
            let expected = transformed(transform, &domain, &input);
            let got = data.download().expect("the kernels run");
            assert_same(&got, &expected, &(transform, stages));
        }
    }
}
