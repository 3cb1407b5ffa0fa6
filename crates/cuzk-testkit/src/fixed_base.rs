use std::sync::atomic::{AtomicUsize, Ordering};

use cuzk_backend::FixedBase;
use cuzk_cpu::Naive;
use cuzk_curve::{Fr, SourceGroup};
use group::{Curve, Group, prime::PrimeCurveAffine};

use crate::{edge_scalars, mixed_scalars, rng, shape::assert_refused};

/// Products of a generator, of another point and of the identity equal those of the naive twin,
/// for edge scalars and so many mixed ones, whatever number of products the base was prepared for;
/// every point is reported once; lengths that differ are refused.
///
/// # Panics
/// Where they do not.
pub fn fixed_base_conformance<G: SourceGroup, B: FixedBase<G>>(
    backend: &B,
    sizes: impl IntoIterator<Item = usize>,
) {
    let generator = G::Affine::generator();
    let other = (G::Projective::generator() * Fr::from(0xabcd)).to_affine();
    for n in sizes {
        let mut scalars = mixed_scalars(&mut rng(n as u64), n);
        if n > 0 {
            scalars.extend(edge_scalars());
            // Repeated ones stand beside each other, and far from each other.
            scalars.extend_from_within(..n.min(3));
        }
        for base in [generator, other, G::Affine::identity()] {
            for products in [0, n, 100 * n] {
                let context = format!("{n} in {}, prepared for {products}", G::NAME);
                let got = multiples::<G, B>(backend, &base, products, &scalars);
                assert!(
                    got == multiples::<G, Naive>(&Naive, &base, 0, &scalars),
                    "{context}"
                );
            }
        }
    }
    let base = backend.prepare_base(&generator, 2).expect("place");
    let mut points = vec![G::as_limbs(&[generator])[0]; 2];
    let refused = backend.multiply_base(&base, &[Fr::from(5)], &mut points, &|_| ());
    assert_refused(refused, 1, 2, &"one scalar");
}

fn multiples<G: SourceGroup, B: FixedBase<G>>(
    backend: &B,
    base: &G::Affine,
    products: usize,
    scalars: &[Fr],
) -> Vec<G::Limbs> {
    let base = backend.prepare_base(base, products).expect("place");
    let made = AtomicUsize::new(0);
    let done = |points| {
        made.fetch_add(points, Ordering::Relaxed);
    };
    // What is there before does not matter.
    let mut points = vec![G::as_limbs(&[G::Affine::generator()])[0]; scalars.len()];
    let result = backend.multiply_base(&base, scalars, &mut points, &done);
    result.expect("multiplies");
    assert_eq!(made.into_inner(), scalars.len());
    points
}
