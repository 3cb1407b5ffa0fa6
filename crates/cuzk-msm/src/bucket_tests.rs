//! Tests of bucket sums and their reduction; apart, because a benchmark takes in the modules.

mod accumulate;
pub(crate) mod large;
mod order;
mod reduce;
