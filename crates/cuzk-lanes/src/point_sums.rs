use std::{fmt, marker::PhantomData};

use cuzk_curve::{FpLimbs, G1, G2, SourceGroup};

use crate::{
    Arithmetic, LanePoints, SignedIndex,
    coordinate::{Prime, Quadratic},
    portable::Portable,
    segments::{FlatPoints, Summation, Tree},
};

/// A group whose points can be added side by side.
///
/// Implemented for [`G1`] and [`G2`] alone.
pub trait LaneGroup: SourceGroup<Limbs: Default> + sealed::Curve {}

impl LaneGroup for G1 {}
impl LaneGroup for G2 {}

mod sealed {
    pub trait Curve {
        fn summation(arithmetic: super::Arithmetic) -> Box<dyn super::Summation>;
    }
}

macro_rules! curve {
    ($group:ident, $coordinate:ident) => {
        impl sealed::Curve for $group {
            fn summation(arithmetic: Arithmetic) -> Box<dyn Summation> {
                match arithmetic {
                    #[cfg(target_arch = "x86_64")]
                    Arithmetic::Ifma(token) => Box::new(Tree::<_, $coordinate>::new(token)),
                    _ => Box::new(Tree::<_, $coordinate>::new(Portable)),
                }
            }
        }
    };
}

curve!(G1, Prime);
curve!(G2, Quadratic);

/// The points that entries refer to.
#[derive(Debug, Clone, Copy)]
pub enum PointSource<'a, G: LaneGroup> {
    /// Points as they are stored: for sums that need each but once or twice.
    Stored(&'a [G::Limbs]),
    /// Points laid out for repeated use, for the same arithmetic as the sums.
    Laid(&'a LanePoints<G>),
}

impl<G: LaneGroup> PointSource<'_, G> {
    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Stored(points) => points.len(),
            Self::Laid(points) => points.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn flat(&self) -> FlatPoints<'_> {
        match self {
            Self::Stored(points) => FlatPoints::Stored(bytemuck::cast_slice(points)),
            Self::Laid(points) => FlatPoints::Laid(points.table()),
        }
    }
}

/// Sums of many segments of points by trees of affine additions, with its scratch memory.
///
/// One value serves one thread and many calls.
pub struct PointSums<G> {
    summation: Box<dyn Summation>,
    group: PhantomData<fn() -> G>,
}

impl<G: LaneGroup> fmt::Debug for PointSums<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PointSums")
            .field("group", &G::NAME)
            .finish_non_exhaustive()
    }
}

impl<G: LaneGroup> PointSums<G> {
    /// No scratch yet; it grows with the calls.
    #[must_use]
    pub fn new(arithmetic: Arithmetic) -> Self {
        Self {
            summation: G::summation(arithmetic),
            group: PhantomData,
        }
    }

    /// `out[k] = Σ ±points[e]` over the entries e of segment k.
    ///
    /// Segment k is `entries[ends[k − 1]..ends[k]]`, and `entries[..ends[0]]` for k = 0.
    /// An empty segment and a sum of nothing but identities give the identity. Coordinates
    /// that are not reduced or off the curve give unspecified points.
    ///
    /// # Shapes
    /// `ends` does not decrease, its last element is `entries.len()`, and `out` is as long as
    /// `ends`. Scratch is about 200 bytes an entry in G1, 400 in G2: pass some ten thousand
    /// entries at a time, so that it stays in cache.
    ///
    /// # Panics
    /// If the shapes disagree or an index is not below `points.len()`.
    pub fn sum_segments(
        &mut self,
        points: &[G::Limbs],
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [G::Limbs],
    ) {
        self.sum_segments_from(PointSource::Stored(points), entries, ends, out);
    }

    /// [`PointSums::sum_segments`] of points that may be laid out.
    ///
    /// # Panics
    /// As there, and if the points are laid out for another arithmetic.
    pub fn sum_segments_from(
        &mut self,
        points: PointSource<'_, G>,
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [G::Limbs],
    ) {
        assert_eq!(ends.len(), out.len(), "one end and one sum a segment");
        assert!(ends.is_sorted(), "segments do not overlap");
        let covered = ends.last().map_or(0, |&end| end as usize);
        assert_eq!(covered, entries.len(), "the segments cover the entries");
        let highest = entries.iter().map(|entry| entry.index()).max();
        assert!(
            highest.is_none_or(|index| index < points.len()),
            "every index has its point"
        );
        let out: &mut [FpLimbs] = bytemuck::cast_slice_mut(out);
        self.summation
            .sum_segments(points.flat(), entries, ends, out);
    }
}
