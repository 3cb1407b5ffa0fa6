use cuzk_curve::Fr;

/// `len` zeros whose memory the operating system hands out as it is first touched, in huge
/// pages where it has them; `None` where there is not so much memory.
///
/// A plain `vec!` writes every element from the calling thread, in pages of 4 KiB. For the
/// 32 MiB of a transform of 2^20 scalars that was measured at 38 ms on a virtual machine,
/// longer than the transform; in huge pages it is 5 ms, shared by the threads that first
/// write.
#[must_use]
pub fn zeroed_scalars(len: usize) -> Option<Vec<Fr>> {
    // SAFETY: zero bytes are the scalar zero.
    unsafe { zeroed(len) }
}

/// [`zeroed_scalars`] for other types.
///
/// # Safety
/// Zero bytes are a value of `T`.
pub(crate) unsafe fn zeroed<T>(len: usize) -> Option<Vec<T>> {
    let layout = std::alloc::Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout's size is not zero.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        return None;
    }
    ask_for_huge_pages(memory, layout.size());
    // SAFETY: the global allocator made the memory for `len` elements, and the caller answers
    // for zero bytes.
    Some(unsafe { Vec::from_raw_parts(memory.cast(), len, len) })
}

/// Advice alone: where the system does not take it, pages stay as they are.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(memory: *mut u8, bytes: usize) {
    const HUGE_PAGE: usize = 2 << 20;
    let skip = memory.align_offset(HUGE_PAGE);
    let whole = bytes.saturating_sub(skip) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        // SAFETY: the range lies within the allocation, and the advice changes the size of its
        // pages, never what they hold.
        unsafe { libc::madvise(memory.add(skip).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_memory: *mut u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_scalars_are_zero_and_too_many_are_refused() {
        for len in [0, 1, 3, (5 << 20) / 32 + 1] {
            assert_eq!(zeroed_scalars(len), Some(vec![Fr::from(0); len]));
        }
        assert_eq!(zeroed_scalars(usize::MAX / 64), None);
        assert_eq!(zeroed_scalars(usize::MAX), None);
    }
}
