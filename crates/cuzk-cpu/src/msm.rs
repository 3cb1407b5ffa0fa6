//! Multi-scalar multiplication by buckets filled with affine additions.
//!
//! 1. Scalars are cut into signed digits ([`digits`]).
//! 2. The points of each window are sorted by bucket ([`buckets`]).
//! 3. Every bucket is added up by trees of affine additions ([`sums`]).
//! 4. The weighted sums of the buckets are taken the same way ([`reduce`]).

mod buckets;
mod digits;
mod plan;
mod reduce;
mod sums;

use cuzk_backend::ShapeError;
use cuzk_curve::Fr;
use cuzk_lanes::{Arithmetic, LaneGroup, LanePoints, Lanes, PointSource, SignedIndex};
use group::{Group, prime::PrimeCurveAffine};
use rayon::prelude::*;

pub use plan::MsmPlan;

use buckets::{Window, sort_windows};
use digits::{Biased, Digits};
use reduce::{Weighted, weighted_sum};
use sums::{Segments, sum_segments};

/// Points that one task lays out at a time.
const LAY_OUT_POINTS: usize = 4096;

/// How sums of points are computed; the defaults suit every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MsmSettings {
    /// Which arithmetic to run on.
    pub lanes: Lanes,
    /// Bits of a window, or `None` to let [`MsmPlan`] choose.
    pub window_bits: Option<u32>,
}

/// `Σ scalars[i] · bases[i]`.
///
/// Runs on the threads of the current `rayon` pool.
///
/// # Shapes
/// As many scalars as bases; none at all give the identity.
///
/// # Errors
/// [`ShapeError`] where the lengths differ, a window's width is not one that [`MsmPlan`]
/// allows, or there are more than 2^31 bases.
///
/// # Source
/// Bucket method: `[eprint 2012/549]` §4.
pub fn msm<G: LaneGroup>(
    settings: &MsmSettings,
    bases: &[G::Affine],
    scalars: &[Fr],
) -> Result<G::Projective, ShapeError> {
    ShapeError::check("scalars for the bases", bases.len(), scalars.len())?;
    bucket_sum::<G>(settings, bases, scalars, |i| i as u32)
}

/// `Σ scalars[i] · bases[indices[i]]`.
///
/// # Shapes
/// As many scalars as indices; an index may occur any number of times.
///
/// # Errors
/// As [`msm`], and [`ShapeError`] for an index that is not below the number of bases.
pub fn msm_indexed<G: LaneGroup>(
    settings: &MsmSettings,
    bases: &[G::Affine],
    indices: &[u32],
    scalars: &[Fr],
) -> Result<G::Projective, ShapeError> {
    ShapeError::check("scalars for the indices", indices.len(), scalars.len())?;
    check_indices(bases.len(), indices)?;
    bucket_sum::<G>(settings, bases, scalars, |i| indices[i])
}

/// `Σ bases[indices[i]]`.
///
/// # Shapes
/// An index may occur any number of times; none at all give the identity.
///
/// # Errors
/// [`ShapeError`] for an index that is not below the number of bases, or where there are more
/// than 2^31 bases or indices.
pub fn sum_indexed<G: LaneGroup>(
    settings: &MsmSettings,
    bases: &[G::Affine],
    indices: &[u32],
) -> Result<G::Projective, ShapeError> {
    check_count(bases.len())?;
    check_count(indices.len())?;
    check_indices(bases.len(), indices)?;
    let entries: Vec<_> = indices
        .par_iter()
        .map(|&index| SignedIndex::new(index, false))
        .collect();
    let list = Segments {
        entries: &entries,
        ends: &[entries.len() as u32],
    };
    let points = PointSource::Stored(G::as_limbs(bases));
    let sums = sum_segments::<G>(settings.lanes.resolve(), points, &[list]);
    Ok(G::from_limbs_unchecked(&sums)[0].to_curve())
}

fn check_count(got: usize) -> Result<(), ShapeError> {
    let expected = SignedIndex::LIMIT;
    if got > expected {
        return Err(ShapeError {
            what: "points in one sum, at most",
            expected,
            got,
        });
    }
    Ok(())
}

fn check_indices(bases: usize, indices: &[u32]) -> Result<(), ShapeError> {
    match indices.par_iter().find_first(|&&i| i as usize >= bases) {
        Some(&index) => Err(ShapeError {
            what: "index of a base, below",
            expected: bases,
            got: index as usize,
        }),
        None => Ok(()),
    }
}

fn check_window(window_bits: Option<u32>) -> Result<(), ShapeError> {
    let bits = window_bits.unwrap_or(MsmPlan::MIN_WINDOW_BITS);
    if !(MsmPlan::MIN_WINDOW_BITS..=MsmPlan::MAX_WINDOW_BITS).contains(&bits) {
        return Err(ShapeError {
            what: "bits of a window, at least 1 and at most",
            expected: MsmPlan::MAX_WINDOW_BITS as usize,
            got: bits as usize,
        });
    }
    Ok(())
}

/// `Σ scalars[i] · bases[index(i)]`, the indices checked.
fn bucket_sum<G: LaneGroup>(
    settings: &MsmSettings,
    bases: &[G::Affine],
    scalars: &[Fr],
    index: impl Fn(usize) -> u32 + Sync,
) -> Result<G::Projective, ShapeError> {
    check_count(bases.len())?;
    check_count(scalars.len())?;
    check_window(settings.window_bits)?;
    if scalars.is_empty() {
        return Ok(G::Projective::identity());
    }
    let threads = rayon::current_num_threads();
    let plan = MsmPlan::new(scalars.len(), threads, settings.window_bits);
    let _span = tracing::debug_span!(
        "bucket_accumulate",
        n = scalars.len(),
        window_bits = plan.window_bits
    )
    .entered();
    let method = BucketMethod {
        arithmetic: settings.lanes.resolve(),
        digits: Digits::new(plan.window_bits),
        plan,
    };
    let chunks = scalars.chunks(plan.points_at_once).enumerate();
    let sums = chunks.map(|(k, scalars)| {
        let first = k * plan.points_at_once;
        method.sum::<G>(G::as_limbs(bases), scalars, &|i| index(first + i))
    });
    Ok(sums.sum())
}

/// What stays the same through a multi-scalar multiplication.
struct BucketMethod {
    arithmetic: Arithmetic,
    digits: Digits,
    plan: MsmPlan,
}

impl BucketMethod {
    /// `Σ scalars[i] · points[index(i)]`.
    fn sum<G: LaneGroup>(
        &self,
        points: &[G::Limbs],
        scalars: &[Fr],
        index: &(impl Fn(usize) -> u32 + Sync),
    ) -> G::Projective {
        let scalars: Vec<Biased> = scalars
            .par_iter()
            .map(|scalar| self.digits.prepare(scalar))
            .collect();
        // Every window reads every point, so it pays to lay the points out for that; where
        // there is no memory, they are read where they are.
        match self.lay_out::<G>(points, scalars.len(), index) {
            Some(laid) => self.windows(PointSource::Laid(&laid), &scalars, &|i| i as u32),
            None => self.windows::<G>(PointSource::Stored(points), &scalars, index),
        }
    }

    /// `points[index(i)]` for i below `n`, laid out for repeated use.
    fn lay_out<G: LaneGroup>(
        &self,
        points: &[G::Limbs],
        n: usize,
        index: &(impl Fn(usize) -> u32 + Sync),
    ) -> Option<LanePoints<G>> {
        let mut laid = LanePoints::identities(self.arithmetic, n)?;
        laid.parts_mut(LAY_OUT_POINTS)
            .par_iter_mut()
            .enumerate()
            .for_each(|(part, laid)| {
                let first = part * LAY_OUT_POINTS;
                laid.fill(|i| &points[index(first + i) as usize]);
            });
        Some(laid)
    }

    /// The sum over all windows; scalar i belongs to point `index(i)`.
    fn windows<G: LaneGroup>(
        &self,
        points: PointSource<'_, G>,
        scalars: &[Biased],
        index: &(impl Fn(usize) -> u32 + Sync),
    ) -> G::Projective {
        let windows: Vec<u32> = (0..self.digits.windows()).collect();
        windows
            .chunks(self.plan.windows_at_once as usize)
            .map(|windows| {
                let share = self.plan.share;
                let sorted = sort_windows(&self.digits, windows, scalars, share, index);
                self.bucket_sums(points, windows, &sorted)
            })
            .sum()
    }

    /// The sum over some windows, given their points by bucket.
    fn bucket_sums<G: LaneGroup>(
        &self,
        points: PointSource<'_, G>,
        windows: &[u32],
        sorted: &[Window],
    ) -> G::Projective {
        let lists: Vec<_> = sorted
            .iter()
            .map(|window| Segments {
                entries: &window.entries,
                ends: &window.ends,
            })
            .collect();
        let buckets = sum_segments::<G>(self.arithmetic, points, &lists);
        let mut start = 0;
        let arrays = windows
            .iter()
            .map(|&window| {
                let len = self.digits.largest(window) as usize;
                start += len;
                Weighted {
                    shift: self.digits.shift(window),
                    start: start - len,
                    len,
                }
            })
            .collect();
        weighted_sum::<G>(self.arithmetic, buckets, arrays)
    }
}
