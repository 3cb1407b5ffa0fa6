//! Every kernel of a proof by its symbol.

use crate::{
    BUCKET_KERNELS, SORT_KERNELS, launch_ntt, run_affine_kernel, run_bucket_kernel,
    run_fold_kernel, run_sort_kernel, run_split_kernel, spmv_kernel,
};

/// Runs a grid of any kernel of a proof, block after block.
///
/// # Panics
/// Where there is no such kernel, or its parameters have another size.
///
/// # Safety
/// The parameters are those of the kernel, and what they point at is host memory that the kernel
/// may read and write for so many blocks and threads, aligned to 16 bytes.
pub unsafe fn run_kernel(symbol: &str, blocks: u32, threads: u32, params: &[u8]) {
    let all_threads = u64::from(blocks) * u64::from(threads);
    // SAFETY: the caller's.
    unsafe {
        if SORT_KERNELS.contains(&symbol) {
            run_sort_kernel(symbol, blocks, threads, params);
        } else if BUCKET_KERNELS.contains(&symbol) {
            run_bucket_kernel(symbol, blocks, threads, params);
        } else if symbol.starts_with("cuzk_msm_affine_") {
            run_affine_kernel(symbol, blocks, params);
        } else if symbol.starts_with("cuzk_msm_") {
            run_split_kernel(symbol, blocks, params);
        } else if symbol.starts_with("cuzk_fold_") {
            run_fold_kernel(symbol, all_threads, params);
        } else if symbol.starts_with("cuzk_ntt_") {
            launch_ntt(symbol, all_threads, params);
        } else {
            spmv_kernel(symbol, params, all_threads);
        }
    }
}
