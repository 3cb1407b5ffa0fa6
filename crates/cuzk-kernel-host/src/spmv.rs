//! The sparse product's kernels on the host.

use std::ffi::c_void;

type Kernel = unsafe extern "C" fn(*const c_void, u64);

/// Declares the C functions and finds one by the kernel's symbol, with the size of its parameters.
macro_rules! kernels {
    ($($function:ident $symbol:literal: $bytes:literal;)*) => {
        unsafe extern "C" {
            $(fn $function(params: *const c_void, threads: u64);)*
        }

        fn find(symbol: &str) -> Option<(Kernel, usize)> {
            match symbol {
                $($symbol => Some(($function as Kernel, $bytes)),)*
                _ => None,
            }
        }
    };
}

kernels! {
    cuzk_host_spmv_multiply_fr "cuzk_spmv_multiply_fr": 128;
    cuzk_host_spmv_multiply_wide_fr "cuzk_spmv_multiply_wide_fr": 128;
    cuzk_host_spmv_join_fr "cuzk_spmv_join_fr": 32;
    cuzk_host_spmv_count_fr "cuzk_spmv_count_fr": 40;
    cuzk_host_spmv_scan_fr "cuzk_spmv_scan_fr": 24;
    cuzk_host_spmv_rank_fr "cuzk_spmv_rank_fr": 48;
    cuzk_host_spmv_small_fr "cuzk_spmv_small_fr": 24;
    cuzk_host_spmv_expand_fr "cuzk_spmv_expand_fr": 40;
}

/// Runs a kernel of the sparse product on so many threads, one after the other.
///
/// # Panics
/// Where there is no such kernel, or its parameters have another size.
///
/// # Safety
/// The parameters are those of the kernel, and what they point to is there, in the sizes that the
/// kernel reads and writes, at addresses that are multiples of 16.
pub unsafe fn spmv_kernel(symbol: &str, params: &[u8], threads: u64) {
    let (kernel, bytes) = find(symbol).unwrap_or_else(|| panic!("no kernel {symbol}"));
    assert_eq!(params.len(), bytes, "{symbol}: the parameters");
    let mut aligned = vec![0u64; bytes / 8];
    bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(params);
    // SAFETY: the structure has this size and, now, its alignment; the caller answers for the
    // rest.
    unsafe { kernel(aligned.as_ptr().cast(), threads) };
}
