use bytemuck::{Pod, Zeroable};
use cuzk_curve::{FpLimbs, G1, G2, SourceGroup};

use crate::normalize;
use crate::plan::PointCosts;

/// A group whose kernels are compiled in.
pub trait DeviceGroup: SourceGroup {
    /// A point in XYZZ coordinates as plain data: `x | y | zz | zzz`.
    type Xyzz: Pod + Send + Sync;

    /// The end of the symbols of its kernels: `"g1"` or `"g2"`.
    const SUFFIX: &'static str;

    /// What its additions cost.
    const COSTS: PointCosts;

    /// Points in affine coordinates, on the host.
    fn normalize(points: &[Self::Xyzz]) -> Vec<Self::Affine>;
}

/// A point of G1 in XYZZ coordinates: x = X / ZZ, y = Y / ZZZ; the identity has ZZ = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct G1Xyzz(pub [FpLimbs; 4]);

/// A point of G2 in XYZZ coordinates, each of two limbs arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct G2Xyzz(pub [[FpLimbs; 2]; 4]);

impl DeviceGroup for G1 {
    type Xyzz = G1Xyzz;
    const SUFFIX: &'static str = "g1";
    const COSTS: PointCosts = PointCosts::G1;

    fn normalize(points: &[G1Xyzz]) -> Vec<Self::Affine> {
        normalize::g1(points)
    }
}

impl DeviceGroup for G2 {
    type Xyzz = G2Xyzz;
    const SUFFIX: &'static str = "g2";
    const COSTS: PointCosts = PointCosts::G2;

    fn normalize(points: &[G2Xyzz]) -> Vec<Self::Affine> {
        normalize::g2(points)
    }
}
