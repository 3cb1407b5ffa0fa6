use cuzk_curve::FpLimbs;

/// Asks for the cache lines of `limbs`; a hint without effect on results.
#[inline(always)]
pub(crate) fn prefetch(limbs: &[FpLimbs]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for part in limbs.chunks(1) {
            // SAFETY: a prefetch reads nothing and the address lies inside a slice.
            unsafe { _mm_prefetch(part.as_ptr().cast(), _MM_HINT_T0) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = limbs;
}
