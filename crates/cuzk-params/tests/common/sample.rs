//! Small parameters in the real format.

use cuzk_curve::{Fr, G1, G2, SourceGroup};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{Parameters, Query, VerifyingKey};
use group::{Curve, Group, prime::PrimeCurveAffine};

/// Counts of `ic`, `h`, `l`, `a`, `b_g1` and `b_g2` in [`parameters`].
pub(crate) const COUNTS: [u32; 6] = [3, 7, 4, 5, 3, 3];

/// Different points of the subgroup, by a number.
pub(crate) fn point<G: SourceGroup>(number: u64) -> G::Affine {
    (G::Projective::generator() * Fr::from(number)).to_affine()
}

fn query<G: SourceGroup>(count: u32, start: u64, with_identity: bool) -> Query<G> {
    let mut points: Vec<_> = (0..u64::from(count))
        .map(|i| point::<G>(start + i))
        .collect();
    if with_identity {
        points[1] = G::Affine::identity();
    }
    Query::from_points(&points, &HostAllocator::pageable()).expect("small")
}

/// Parameters of no circuit, with the identity in some queries.
pub(crate) fn parameters() -> Parameters {
    let vk = VerifyingKey {
        alpha_g1: point::<G1>(2),
        beta_g1: point::<G1>(3),
        beta_g2: point::<G2>(3),
        gamma_g2: point::<G2>(5),
        delta_g1: point::<G1>(7),
        delta_g2: point::<G2>(7),
        ic: (0..COUNTS[0].into()).map(|i| point::<G1>(11 + i)).collect(),
    };
    Parameters {
        vk,
        h: query::<G1>(COUNTS[1], 100, false),
        l: query::<G1>(COUNTS[2], 200, true),
        a: query::<G1>(COUNTS[3], 300, false),
        b_g1: query::<G1>(COUNTS[4], 400, true),
        b_g2: query::<G2>(COUNTS[5], 400, true),
    }
}

/// [`parameters`] as a file holds them.
pub(crate) fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters()
        .write(&mut bytes)
        .expect("memory takes everything");
    bytes
}
