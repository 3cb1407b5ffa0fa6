use cuzk_backend::ShapeError;
use cuzk_device::DeviceError;
use thiserror::Error;

/// What can go wrong in a multi-scalar multiplication on a device.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MsmError {
    /// The device refused something, or its work failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Two lengths should agree and do not.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An index of a base has 31 bits.
    #[error("{got} bases in one sum, at most {expected} have a number")]
    TooManyBases {
        /// The most that there can be.
        expected: usize,
        /// What there was.
        got: usize,
    },
    /// A window is too narrow or too wide.
    #[error("windows of {got} bits, expected {least} to {most}")]
    WindowBits {
        /// The narrowest.
        least: u32,
        /// The widest.
        most: u32,
        /// What was asked for.
        got: u32,
    },
    /// Vectors of scalars for one call belong to one stream.
    #[error("vector {index} of scalars belongs to another stream than the first")]
    OtherStream {
        /// Its place among the vectors.
        index: usize,
    },
    /// Points are asked for on the device that stay on the host.
    #[error("the bases are streamed from the host and not on the device")]
    OnHost,
    /// There are no tables of multiples, or too many.
    #[error("{got} tables of multiples, expected 1 to {most}")]
    Tables {
        /// The most that there can be.
        most: u32,
        /// What was asked for.
        got: u32,
    },
    /// Not even the smallest part of the work has place.
    #[error(
        "a sum of {n} bases needs {needed_bytes} bytes of device memory, {budget_bytes} may be used"
    )]
    NoPlace {
        /// The bases.
        n: usize,
        /// What the plan that needs least would need.
        needed_bytes: usize,
        /// What may be used.
        budget_bytes: usize,
    },
    /// A table of multiples does not hold what it should.
    #[error("multiple {table} of base {base} in the tables is wrong")]
    WrongMultiple {
        /// The index of the base.
        base: usize,
        /// The number of the table.
        table: usize,
    },
    /// A product of a point and a scalar is not what the host makes of them.
    #[error("the product with scalar {index} is wrong")]
    WrongProduct {
        /// The index of the scalar.
        index: usize,
    },
}
