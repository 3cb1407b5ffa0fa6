mod chunks;
mod costs;
mod memory;
mod search;

use std::fmt;
use std::ops::Range;

pub(crate) use chunks::Chunks;
pub use chunks::{HostLink, Residence};
pub use costs::{CardFigures, PointCosts, Prediction};

use cuzk_curve::FrLimbs;

use crate::MsmError;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;
use crate::sort::SortShape;
#[cfg(test)]
pub(crate) use memory::most_list_points;
use search::{Frame, layouts};

/// How the points of a bucket are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One after the other in XYZZ coordinates: little memory.
    Xyzz,
    /// In pairs in affine coordinates, with inversions made together: fewer products, and about
    /// the memory of a point for every digit.
    BatchAffine,
}

/// How the sums of buckets become points of windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// By running sums over segments of buckets, in XYZZ coordinates.
    Segments,
    /// First the sums of rows and columns of buckets, folded at the middle column, by trees of
    /// affine additions; running sums over these. Of affine sums only.
    Lines,
}

/// What is decided by hand; the planner decides the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// Bits of a window.
    pub window_bits: Option<u32>,
    /// How buckets are summed.
    pub method: Option<Method>,
    /// How their sums become points of windows, if they are affine.
    pub reduction: Option<Reduction>,
    /// Bytes of device memory that multiples of the bases may take; with them fewer windows have
    /// buckets of their own. None by default.
    pub table_bytes: usize,
    /// Sums that will be made with a set of bases, which share the time that multiples take to
    /// make; so many that it does not count where `None`.
    pub uses: Option<u32>,
    /// The memory from which bases and scalars come that are on the host; where `None`, what the
    /// device was opened with for its copies, and pageable for a plan by itself.
    pub host_link: Option<HostLink>,
    /// Bytes of device memory that a sum may use beside its bases and scalars; nine tenths of what
    /// is free where `None`.
    pub scratch_bytes: Option<usize>,
}

/// How a multi-scalar multiplication is carried out: a pure function of the number of bases, the
/// card, the memory and the options.
#[derive(Debug, Clone, PartialEq)]
pub struct MsmPlan {
    /// The group's name.
    pub group: &'static str,
    /// Bases.
    pub n: usize,
    /// Where the bases are.
    pub residence: Residence,
    /// The windows.
    pub layout: WindowLayout,
    /// Windows that are sorted and summed together.
    pub windows_at_once: u32,
    /// How buckets are summed.
    pub method: Method,
    /// How their sums become points of windows.
    pub reduction: Reduction,
    /// Device memory beside bases and scalars.
    pub scratch_bytes: usize,
    /// What it should take.
    pub predicted: Prediction,
    /// Vectors of scalars whose buckets have place together while bases are brought.
    pub vectors_at_once: usize,
    pub(crate) chunks: Chunks,
    /// Bytes that come from the host for each base.
    copied_bytes: usize,
    budget_bytes: usize,
    options: PlanOptions,
}

impl MsmPlan {
    /// The plan with the least predicted time of those that fit.
    ///
    /// # Errors
    /// [`MsmError::TooManyBases`], [`MsmError::WindowBits`], and [`MsmError::NoPlace`] where no
    /// plan fits.
    pub fn new<G: DeviceGroup>(
        n: usize,
        residence: Residence,
        card: &CardFigures,
        budget_bytes: usize,
        options: &PlanOptions,
    ) -> Result<Self, MsmError> {
        if n > SortShape::MOST_BASES {
            return Err(MsmError::TooManyBases {
                expected: SortShape::MOST_BASES,
                got: n,
            });
        }
        let (table_bytes, copied_bytes) = match residence {
            Residence::Device => (options.table_bytes, 0),
            // Multiples would have to be brought as well.
            Residence::Host => (0, size_of::<G::Limbs>()),
        };
        let options = PlanOptions {
            table_bytes,
            ..*options
        };
        let frame = Frame {
            n,
            residence,
            card,
            budget_bytes,
            copied_bytes,
            options,
        };
        frame.best::<G>(&layouts(n, size_of::<G::Limbs>(), &options)?)
    }

    /// A plan for the same bases and tables where the scalars come from the host as well, each
    /// chunk while the one before is summed.
    ///
    /// # Errors
    /// Those of [`MsmPlan::new`].
    pub fn with_host_scalars<G: DeviceGroup>(&self, card: &CardFigures) -> Result<Self, MsmError> {
        let frame = Frame {
            n: self.n,
            residence: self.residence,
            card,
            budget_bytes: self.budget_bytes,
            copied_bytes: self.copied_bytes + size_of::<FrLimbs>(),
            options: self.options,
        };
        if self.layout.tables() > 1 {
            return frame.best::<G>(&[self.layout]);
        }
        let options = PlanOptions {
            table_bytes: 0,
            ..self.options
        };
        frame.best::<G>(&layouts(self.n, size_of::<G::Limbs>(), &options)?)
    }

    /// The groups of windows, from the lowest.
    pub fn groups(&self) -> impl Iterator<Item = Range<u32>> {
        let (all, step) = (self.layout.windows(), self.windows_at_once);
        (0..all)
            .step_by(step as usize)
            .map(move |start| start..all.min(start + step))
    }

    /// The bases that are taken together.
    pub fn chunks(&self) -> impl Iterator<Item = Range<usize>> {
        self.chunks.ranges()
    }
}

impl fmt::Display for MsmPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group, n, layout, ..
        } = self;
        write!(
            f,
            "{n} bases of {group}: {} windows of up to {} bits, {} at once, {}",
            layout.windows(),
            layout.window_bits(),
            self.windows_at_once,
            match self.method {
                Method::Xyzz => "XYZZ sums",
                Method::BatchAffine => "batch affine sums",
            }
        )?;
        if self.reduction == Reduction::Lines {
            f.write_str(" and lines")?;
        }
        if layout.tables() > 1 {
            write!(f, ", {} tables", layout.tables())?;
        }
        if let (chunks, true) = (self.chunks.lens().len(), self.chunks.largest() < *n) {
            let largest = self.chunks.largest();
            write!(f, ", in {chunks} chunks of up to {largest} bases")?;
        }
        write!(f, "; {} MiB; {}", self.scratch_bytes >> 20, self.predicted)
    }
}

#[cfg(test)]
mod tests;
