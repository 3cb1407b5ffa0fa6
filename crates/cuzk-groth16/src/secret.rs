use std::{hint::black_box, ops::Deref};

use cuzk_curve::Fr;

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
        wipe(self.0.as_mut());
    }
}

/// Overwrites values that are no longer needed.
pub(crate) fn wipe<T: Copy + Default>(values: &mut [T]) {
    values.fill(T::default());
    // The write would be dead without a reader.
    black_box(values);
}
