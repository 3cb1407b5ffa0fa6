//! The kernels that fold linear maps into points on the host.

use std::ffi::c_void;

type Kernel = unsafe extern "C" fn(*const c_void, u64);

unsafe extern "C" {
    fn cuzk_host_fold_load_g1(p: *const c_void, threads: u64);
    fn cuzk_host_fold_stage_g1(p: *const c_void, threads: u64);
    fn cuzk_host_fold_sum_g1(p: *const c_void, threads: u64);
    fn cuzk_host_fold_widen_g1(p: *const c_void, threads: u64);
    fn cuzk_host_fold_narrow_g1(p: *const c_void, threads: u64);
}

/// Runs a kernel of `fold_g1` as a device would that has so many threads in all.
///
/// # Panics
/// Where there is no such kernel, or its parameters have another size.
///
/// # Safety
/// The addresses in `params` are of host memory, aligned to 16 bytes, with what the kernel reads
/// and writes.
pub unsafe fn run_fold_kernel(symbol: &str, threads: u64, params: &[u8]) {
    let (kernel, bytes): (Kernel, usize) = match symbol {
        "cuzk_fold_load_g1" => (cuzk_host_fold_load_g1, 64),
        "cuzk_fold_stage_g1" => (cuzk_host_fold_stage_g1, 32),
        "cuzk_fold_sum_g1" => (cuzk_host_fold_sum_g1, 56),
        "cuzk_fold_widen_g1" => (cuzk_host_fold_widen_g1, 24),
        "cuzk_fold_narrow_g1" => (cuzk_host_fold_narrow_g1, 24),
        _ => panic!("no kernel {symbol}"),
    };
    assert_eq!(params.len(), bytes, "{symbol}: the parameters");
    // SAFETY: the parameters are as long as the structure, and the caller answers for what it
    // names.
    unsafe { kernel(params.as_ptr().cast(), threads) };
}
