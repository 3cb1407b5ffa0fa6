use std::{hint::black_box, ops::Deref};

use cuzk_curve::Fr;
use ff::Field;

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
        self.0.as_mut().fill(Fr::ZERO);
        // The write would be dead without a reader.
        black_box(self.0.as_mut());
    }
}
