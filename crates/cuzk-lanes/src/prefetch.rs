/// Asks for the cache lines of `values[start..start + len]`; a hint without effect on results.
#[inline(always)]
pub(crate) fn prefetch<T>(values: &[T], start: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first: *const i8 = values.as_ptr().wrapping_add(start).cast();
        for line in 0..(len * size_of::<T>()).div_ceil(64) {
            // SAFETY: a prefetch reads nothing, whatever the address.
            unsafe { _mm_prefetch(first.wrapping_add(64 * line), _MM_HINT_T0) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, start, len);
}
