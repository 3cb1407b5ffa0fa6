use std::marker::PhantomData;

use cuzk_curve::FrLimbs;
use cuzk_device::DeviceBuf;

/// In which order the values of [`Scalars`] stand.
pub trait Order: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The other one.
    type Opposite: Order;
}

/// Value `i` at index `i`.
#[derive(Debug, Clone, Copy)]
pub struct Natural;
/// Value `i` at the index whose `log_n` bits are those of `i` from the other end.
#[derive(Debug, Clone, Copy)]
pub struct Reversed;

impl Order for Natural {
    type Opposite = Reversed;
}
impl Order for Reversed {
    type Opposite = Natural;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Natural {}
    impl Sealed for super::Reversed {}
}

/// Scalars in device memory, with their order as a type.
///
/// ```compile_fail
/// # use cuzk_ntt::{FromNatural, NttDomain, NttError, Reversed, Scalars};
/// fn twice(domain: &NttDomain, x: Scalars<Reversed>) -> Result<Scalars<Reversed>, NttError> {
///     domain.to_reversed(FromNatural::Forward, x) // takes natural order
/// }
/// ```
#[derive(Debug)]
pub struct Scalars<O: Order> {
    values: DeviceBuf<FrLimbs>,
    order: PhantomData<O>,
}

impl Scalars<Natural> {
    /// Names the order of values: natural.
    #[must_use]
    pub fn natural(values: DeviceBuf<FrLimbs>) -> Self {
        Self::of(values)
    }
}

impl Scalars<Reversed> {
    /// Names the order of values: reversed.
    #[must_use]
    pub fn reversed(values: DeviceBuf<FrLimbs>) -> Self {
        Self::of(values)
    }
}

impl<O: Order> Scalars<O> {
    pub(crate) fn of(values: DeviceBuf<FrLimbs>) -> Self {
        Self {
            values,
            order: PhantomData,
        }
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &DeviceBuf<FrLimbs> {
        &self.values
    }

    /// The values, given up.
    #[must_use]
    pub fn into_values(self) -> DeviceBuf<FrLimbs> {
        self.values
    }
}
