//! The kernels of bucket sums on the host.

use std::ffi::c_void;

type Kernel = unsafe extern "C" fn(*const c_void, u64, u64);

/// Declares the C functions and finds one by the symbol of its kernel.
macro_rules! kernels {
    ($($function:ident $symbol:literal $bytes:literal;)*) => {
        unsafe extern "C" {
            $(fn $function(params: *const c_void, blocks: u64, block: u64);)*
        }

        /// The symbols of the kernels that [`run_bucket_kernel`] knows.
        pub const BUCKET_KERNELS: &[&str] = &[$($symbol),*];

        fn find(symbol: &str) -> Option<(Kernel, usize)> {
            match symbol {
                $($symbol => Some(($function as Kernel, $bytes)),)*
                _ => None,
            }
        }
    };
}

kernels! {
    cuzk_host_msm_count_tasks "cuzk_msm_count_tasks" 56;
    cuzk_host_msm_place_tasks "cuzk_msm_place_tasks" 56;
    cuzk_host_msm_accumulate_g1 "cuzk_msm_accumulate_g1" 64;
    cuzk_host_msm_combine_g1 "cuzk_msm_combine_g1" 48;
    cuzk_host_msm_sum_segments_g1 "cuzk_msm_sum_segments_g1" 32;
    cuzk_host_msm_sum_segments_affine_g1 "cuzk_msm_sum_segments_affine_g1" 32;
    cuzk_host_msm_halve_g1 "cuzk_msm_halve_g1" 32;
    cuzk_host_msm_finish_g1 "cuzk_msm_finish_g1" 40;
    cuzk_host_msm_multiples_g1 "cuzk_msm_multiples_g1" 32;
    cuzk_host_msm_fixed_extend_g1 "cuzk_msm_fixed_extend_g1" 40;
    cuzk_host_msm_fixed_multiply_g1 "cuzk_msm_fixed_multiply_g1" 120;
    cuzk_host_msm_accumulate_g2 "cuzk_msm_accumulate_g2" 64;
    cuzk_host_msm_combine_g2 "cuzk_msm_combine_g2" 48;
    cuzk_host_msm_sum_segments_g2 "cuzk_msm_sum_segments_g2" 32;
    cuzk_host_msm_sum_segments_affine_g2 "cuzk_msm_sum_segments_affine_g2" 32;
    cuzk_host_msm_halve_g2 "cuzk_msm_halve_g2" 32;
    cuzk_host_msm_finish_g2 "cuzk_msm_finish_g2" 40;
    cuzk_host_msm_multiples_g2 "cuzk_msm_multiples_g2" 32;
    cuzk_host_msm_fixed_extend_g2 "cuzk_msm_fixed_extend_g2" 40;
    cuzk_host_msm_fixed_multiply_g2 "cuzk_msm_fixed_multiply_g2" 120;
}

/// Runs a kernel of bucket sums as a launch of so many blocks of `threads` threads does.
///
/// # Panics
/// Where the symbol is unknown, or the parameters are not as long as its structure.
///
/// # Safety
/// The addresses in `params` are of host memory, aligned to 16 bytes, with what the kernel reads
/// and writes.
pub unsafe fn run_bucket_kernel(symbol: &str, blocks: u32, threads: u32, params: &[u8]) {
    let (kernel, bytes) = find(symbol).unwrap_or_else(|| panic!("no kernel {symbol}"));
    assert_eq!(params.len(), bytes, "{symbol}: the parameters");
    // SAFETY: the parameters are as long as the structure, and the caller answers for what it
    // names.
    unsafe { kernel(params.as_ptr().cast(), blocks.into(), threads.into()) };
}
