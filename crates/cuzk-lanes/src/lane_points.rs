use std::{fmt, marker::PhantomData};

use cuzk_curve::{Fp, FpLimbs};

use crate::{Arithmetic, LaneGroup, field::Field, portable::Portable, zeroed::zeroed};
#[cfg(target_arch = "x86_64")]
use crate::{Ifma, ifma::Limbs52};

/// Points laid out for being read in any order, many times over.
///
/// Each point has its coordinates in the limbs of the arithmetic, in cache lines of its own
/// and in huge pages where the system has them. Reading a random point of 2^18 was measured
/// to take less than half as long as from an array of stored points, and no limbs are
/// unpacked. Takes 128 bytes a point in G1 and 256 in G2 on vectors, 96 and 192 elsewhere.
pub struct LanePoints<G> {
    table: Table,
    group: PhantomData<fn() -> G>,
}

/// Elements of all points, one after the other.
#[derive(Debug)]
pub enum Table {
    Portable(Vec<Fp>),
    #[cfg(target_arch = "x86_64")]
    Ifma(Ifma, Vec<Limbs52>),
}

impl<G: LaneGroup> fmt::Debug for LanePoints<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LanePoints<{}>({} points)", G::NAME, self.len())
    }
}

impl<G: LaneGroup> LanePoints<G> {
    /// `len` points at infinity, or `None` where there is not so much memory.
    #[must_use]
    pub fn identities(arithmetic: Arithmetic, len: usize) -> Option<Self> {
        let elems = len.checked_mul(Self::elements())?;
        // SAFETY: zero bytes are the element zero of either kind.
        let table = unsafe {
            match arithmetic {
                #[cfg(target_arch = "x86_64")]
                Arithmetic::Ifma(token) => Table::Ifma(token, zeroed(elems)?),
                _ => Table::Portable(zeroed(elems)?),
            }
        };
        Some(Self {
            table,
            group: PhantomData,
        })
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        let elems = match &self.table {
            Table::Portable(elems) => elems.len(),
            #[cfg(target_arch = "x86_64")]
            Table::Ifma(_, elems) => elems.len(),
        };
        elems / Self::elements()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points in parts of `len`, the last perhaps shorter, to be filled side by side.
    ///
    /// # Panics
    /// If `len` is zero.
    #[must_use]
    pub fn parts_mut(&mut self, len: usize) -> Vec<LanePointsPart<'_, G>> {
        let elems = len * Self::elements();
        let part = |elems| LanePointsPart {
            elems,
            group: PhantomData,
        };
        match &mut self.table {
            Table::Portable(all) => all
                .chunks_mut(elems)
                .map(Part::Portable)
                .map(part)
                .collect(),
            #[cfg(target_arch = "x86_64")]
            Table::Ifma(token, all) => {
                let token = *token;
                let chunks = all.chunks_mut(elems);
                chunks.map(|elems| part(Part::Ifma(token, elems))).collect()
            }
        }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Elements of Fp in a point.
    fn elements() -> usize {
        size_of::<G::Limbs>() / size_of::<FpLimbs>()
    }
}

/// Some neighbouring points of [`LanePoints`].
pub struct LanePointsPart<'a, G> {
    elems: Part<'a>,
    group: PhantomData<fn() -> G>,
}

enum Part<'a> {
    Portable(&'a mut [Fp]),
    #[cfg(target_arch = "x86_64")]
    Ifma(Ifma, &'a mut [Limbs52]),
}

impl<G: LaneGroup> fmt::Debug for LanePointsPart<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LanePointsPart<{}>", G::NAME)
    }
}

impl<G: LaneGroup> LanePointsPart<'_, G> {
    /// Sets point `i` of the part to `point(i)`.
    pub fn fill<'p>(&mut self, point: impl Fn(usize) -> &'p G::Limbs) {
        match &mut self.elems {
            Part::Portable(elems) => fill::<G, _>(Portable, elems, point),
            #[cfg(target_arch = "x86_64")]
            Part::Ifma(token, elems) => fill::<G, _>(*token, elems, point),
        }
    }
}

fn fill<'p, G: LaneGroup, F: Field>(
    f: F,
    elems: &mut [F::Elem],
    point: impl Fn(usize) -> &'p G::Limbs,
) {
    f.vectorize(
        #[inline(always)]
        || {
            let rows = elems.chunks_exact_mut(LanePoints::<G>::elements());
            for (i, row) in rows.enumerate() {
                let coordinates: &[FpLimbs] = bytemuck::cast_slice(std::slice::from_ref(point(i)));
                for (elem, limbs) in row.iter_mut().zip(coordinates) {
                    *elem = f.unpack(limbs);
                }
            }
        },
    );
}
