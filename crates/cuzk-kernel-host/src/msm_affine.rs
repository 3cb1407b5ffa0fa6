//! The tree of affine additions on the host.

use std::ffi::{c_char, c_void};

unsafe extern "C" {
    fn cuzk_host_msm_affine(
        symbol: *const c_char,
        len: u64,
        params: *const c_void,
        blocks: u64,
    ) -> u32;
}

/// Runs a grid of a kernel of the tree, `cuzk_msm_affine_…`, block after block.
///
/// # Panics
/// Where there is no such kernel.
///
/// # Safety
/// The parameters are those of the kernel, and what they point at is host memory that the kernel
/// may read and write for so many blocks, aligned to 16 bytes.
pub unsafe fn run_affine_kernel(symbol: &str, blocks: u32, params: &[u8]) {
    // Numbers of 64 bits.
    let mut words = vec![0u64; params.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..params.len()].copy_from_slice(params);
    let len = symbol.len() as u64;
    let params = words.as_ptr().cast();
    // SAFETY: the name has so many bytes; the caller answers for the parameters.
    let found = unsafe { cuzk_host_msm_affine(symbol.as_ptr().cast(), len, params, blocks.into()) };
    assert_eq!(found, 1, "there is no kernel {symbol}");
}
