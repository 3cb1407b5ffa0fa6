use std::ops::Deref;

use cuzk_curve::Fr;
use cuzk_lanes::wipe;
use rayon::prelude::*;

/// Scalars that one job overwrites.
const WIPED_AT_ONCE: usize = 1 << 14;

/// Scalars that nobody may learn, overwritten when they are dropped.
///
/// What the compiler spilled to the stack on the way is out of reach.
#[derive(Clone)]
pub(crate) struct Secret<T: AsMut<[Fr]>>(T);

impl<T: AsMut<[Fr]>> Secret<T> {
    pub(crate) fn new(values: T) -> Self {
        Self(values)
    }
}

impl<T: AsMut<[Fr]>> Deref for Secret<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: AsMut<[Fr]>> Drop for Secret<T> {
    fn drop(&mut self) {
        match self.0.as_mut() {
            // In this thread: whoever drops a few may have no pool.
            few if few.len() <= WIPED_AT_ONCE => wipe(few),
            many => many.par_chunks_mut(WIPED_AT_ONCE).for_each(wipe),
        }
    }
}
