//! Memory that shares no page with any other.

use crate::AllocError;
use bytemuck::Pod;
use std::{marker::PhantomData, ptr::NonNull};

/// The alignment and granularity of registered memory, in bytes.
///
/// 64 KiB is the largest base page of the systems that have such devices; where pages are
/// smaller, the slack at the end is address space that is never touched.
pub(crate) const PAGE_BYTES: usize = 64 * 1024;

/// `len` elements on whole pages, zero at first.
///
/// The allocator of the standard library writes zeros itself when asked for a large
/// alignment, which touches every page. So this asks for one page more at ordinary alignment,
/// which the system serves with untouched zero pages, and starts at the first page boundary.
pub(crate) struct Pages<T> {
    raw: Vec<u8>,
    offset: usize,
    bytes: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Pages<T> {
    pub(crate) fn zeroed(len: usize) -> Result<Self, AllocError> {
        const { assert!(align_of::<T>() <= PAGE_BYTES) };
        let bytes = byte_length::<T>(len)?;
        let with_slack = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .and_then(|whole_pages| whole_pages.checked_add(PAGE_BYTES))
            .ok_or(AllocError::TooLarge {
                elements: len,
                element_bytes: size_of::<T>(),
            })?;
        let raw = zeroed_vec::<u8>(with_slack)?;
        let offset = raw.as_ptr().addr().next_multiple_of(PAGE_BYTES) - raw.as_ptr().addr();
        Ok(Self {
            raw,
            offset,
            bytes,
            element: PhantomData,
        })
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        bytemuck::cast_slice(&self.raw[self.offset..self.offset + self.bytes])
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.raw[self.offset..self.offset + self.bytes])
    }

    /// The first byte; a move of `self` does not move it.
    pub(crate) fn start(&mut self) -> NonNull<u8> {
        NonNull::from(&mut self.raw[self.offset..]).cast()
    }

    /// Bytes of the whole pages that hold the elements.
    pub(crate) fn page_bytes(&self) -> usize {
        self.bytes.next_multiple_of(PAGE_BYTES)
    }
}

/// `len` zero elements, without touching them.
pub(crate) fn zeroed_vec<T: Pod>(len: usize) -> Result<Vec<T>, AllocError> {
    let bytes = byte_length::<T>(len)?;
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| AllocError::Refused { bytes })
}

fn byte_length<T>(len: usize) -> Result<usize, AllocError> {
    const { assert!(size_of::<T>() > 0) };
    len.checked_mul(size_of::<T>())
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or(AllocError::TooLarge {
            elements: len,
            element_bytes: size_of::<T>(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_start_on_a_page_and_are_zero() {
        for len in [1usize, 2, 511, 8191, 8192, 8193, 100_000] {
            let mut pages = Pages::<u64>::zeroed(len).expect("small");
            assert_eq!(pages.start().addr().get() % PAGE_BYTES, 0);
            assert_eq!(pages.as_slice().len(), len);
            assert!(pages.as_slice().iter().all(|&x| x == 0));
            assert!(pages.page_bytes() >= len * 8 && pages.page_bytes() < len * 8 + PAGE_BYTES);
            pages.as_mut_slice()[len - 1] = 7;
            assert_eq!(pages.as_slice()[len - 1], 7);
        }
    }

    #[test]
    fn lengths_beyond_the_address_space_are_refused() {
        for len in [usize::MAX, usize::MAX / 8, usize::MAX / 16 + 1] {
            let expected = AllocError::TooLarge {
                elements: len,
                element_bytes: 8,
            };
            assert_eq!(Pages::<u64>::zeroed(len).err(), Some(expected.clone()));
            assert_eq!(zeroed_vec::<u64>(len).err(), Some(expected));
        }
    }

    #[test]
    fn memory_that_the_system_does_not_have_is_refused() {
        // 2^60 bytes: a length that arithmetic allows and no machine can serve.
        let len = 1usize << 57;
        assert!(matches!(
            Pages::<u64>::zeroed(len),
            Err(AllocError::Refused { .. })
        ));
        assert_eq!(
            zeroed_vec::<u64>(len).err(),
            Some(AllocError::Refused { bytes: 1 << 60 })
        );
    }
}
