use cuzk_curve::{Fr, FrLimbs};
use cuzk_device::{DeviceBuf, Stream};
use cuzk_r1cs::CsrMatrix;
use ff::Field;

use crate::SpmvError;
use crate::params::{GROUP, Item, Join, MAX_COUNT, MultiplyParams, WitnessView, ZERO_GROUPS};
use crate::plan::{Plan, at_most, integer, needs_wide_codes};

/// Indices into the dictionary, as wide as it needs.
#[derive(Debug)]
pub(crate) enum Codes {
    Narrow(DeviceBuf<u16>),
    Wide(DeviceBuf<u32>),
}

/// A matrix on a device, in the order in which warps read it.
///
/// Its memory goes back when it is dropped, after the products that were enqueued before.
#[derive(Debug)]
pub struct DeviceMatrix {
    rows: usize,
    columns: usize,
    terms: usize,
    places: usize,
    pieces: usize,
    slices: usize,
    term_columns: DeviceBuf<u32>,
    codes: Codes,
    /// The dictionary and 0, then the elements -[`MAX_COUNT`] to [`MAX_COUNT`].
    constants: DeviceBuf<FrLimbs>,
    /// The dictionary and 0 as integers, where they are small ones.
    integers: DeviceBuf<u64>,
    items: DeviceBuf<Item>,
    slots: DeviceBuf<u16>,
    joins: DeviceBuf<Join>,
}

impl DeviceMatrix {
    pub(crate) fn new(matrix: &CsrMatrix, stream: &Stream) -> Result<Self, SpmvError> {
        let coefficients = matrix.dictionary().len();
        at_most("distinct coefficients", u32::MAX as usize, coefficients)?;
        if needs_wide_codes(coefficients) {
            let plan = Plan::<u32>::new(matrix)?;
            let codes = Codes::Wide(stream.upload(&plan.codes)?);
            Self::upload(matrix, &plan, codes, stream)
        } else {
            let plan = Plan::<u16>::new(matrix)?;
            let codes = Codes::Narrow(stream.upload(&plan.codes)?);
            Self::upload(matrix, &plan, codes, stream)
        }
    }

    fn upload<C: TryFrom<u32> + Copy>(
        matrix: &CsrMatrix,
        plan: &Plan<C>,
        codes: Codes,
        stream: &Stream,
    ) -> Result<Self, SpmvError> {
        let mut coefficients = matrix.dictionary().to_vec();
        coefficients.push(Fr::ZERO);
        let integers: Vec<u64> = coefficients.iter().copied().map(integer).collect();
        let counts = -MAX_COUNT..=MAX_COUNT;
        coefficients.extend(counts.map(|count| match count {
            0.. => Fr::from(count.unsigned_abs()),
            _ => -Fr::from(count.unsigned_abs()),
        }));
        Ok(Self {
            rows: matrix.rows(),
            columns: matrix.columns(),
            terms: matrix.terms(),
            places: plan.columns.len(),
            pieces: plan.pieces,
            slices: plan.slices(),
            term_columns: stream.upload(&plan.columns)?,
            codes,
            constants: stream.upload(FrLimbs::view(&coefficients))?,
            integers: stream.upload(&integers)?,
            items: stream.upload(&plan.items)?,
            slots: stream.upload(&plan.slots)?,
            joins: stream.upload(&plan.joins)?,
        })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns, which a witness has as variables.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of terms.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// The number of places for terms, those without one included.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places
    }

    /// Bytes on the device; a product reads each once.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let codes = match &self.codes {
            Codes::Narrow(codes) => 2 * codes.len(),
            Codes::Wide(codes) => 4 * codes.len(),
        };
        4 * self.term_columns.len()
            + codes
            + size_of::<FrLimbs>() * self.constants.len()
            + 8 * self.integers.len()
            + size_of::<Item>() * self.items.len()
            + 2 * self.slots.len()
            + size_of::<Join>() * self.joins.len()
    }

    /// The stream to which its memory belongs.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.term_columns.stream()
    }

    pub(crate) fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Partial sums that a product needs room for.
    pub(crate) fn partials(&self) -> usize {
        self.pieces
    }

    pub(crate) fn joins(&self) -> &DeviceBuf<Join> {
        &self.joins
    }

    /// The most items of one kind in a product with so many places in the result, which are at
    /// least the rows.
    pub(crate) fn items(&self, out_len: usize) -> usize {
        let zeros = (out_len - self.rows).div_ceil(GROUP * ZERO_GROUPS);
        zeros.max(self.items.len())
    }

    pub(crate) fn params(
        &self,
        witness: WitnessView,
        out: u64,
        out_len: usize,
        partials: u64,
    ) -> MultiplyParams {
        let dictionary = self.constants.as_slice().address();
        MultiplyParams {
            columns: self.term_columns.as_slice().address(),
            codes: match &self.codes {
                Codes::Narrow(codes) => codes.as_slice().address(),
                Codes::Wide(codes) => codes.as_slice().address(),
            },
            dictionary,
            integers: self.integers.as_slice().address(),
            counts: dictionary + (size_of::<FrLimbs>() * self.integers.len()) as u64,
            items: self.items.as_slice().address(),
            slots: self.slots.as_slice().address(),
            witness,
            out,
            partials,
            pieces: self.pieces as u64,
            slices: self.slices as u64,
            rows: self.rows as u64,
            out_len: out_len as u64,
        }
    }
}
