//! Fp in eight lanes of 52-bit limbs on AVX-512 IFMA.

mod constants;
mod field;
mod layout;
mod product;

pub(crate) use layout::Limbs52;

#[cfg(test)]
mod tests;
