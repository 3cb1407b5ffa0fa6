//! Tests of bucket sums and their reduction; apart, because a benchmark takes in the modules.

pub(crate) mod accumulate;
pub(crate) mod large;
mod order;
pub(crate) mod reduce;
