//! Copies with the alignment that a device gives.

use std::ffi::c_void;

use cuzk_curve::FrLimbs;

/// Scalars at addresses that are multiples of 16, as the device's types ask for.
pub(crate) struct Aligned {
    words: Vec<u128>,
}

impl Aligned {
    pub(crate) fn new(values: &[FrLimbs]) -> Self {
        let mut words = vec![0u128; 2 * values.len()];
        bytemuck::cast_slice_mut(&mut words).copy_from_slice(values);
        Self { words }
    }

    pub(crate) fn copy_to(&self, values: &mut [FrLimbs]) {
        values.copy_from_slice(bytemuck::cast_slice(&self.words));
    }

    pub(crate) fn as_ptr(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }
}
