//! The kernels that sort digits, on the host.

use std::ffi::c_void;

use cuzk_curve::FrLimbs;

type Kernel = unsafe extern "C" fn(*const c_void, u64, u64);

/// Declares the C functions and finds one by the symbol of its kernel.
macro_rules! kernels {
    ($($function:ident $symbol:literal;)*) => {
        unsafe extern "C" {
            $(fn $function(params: *const c_void, blocks: u64, block: u64);)*
        }

        /// The symbols of the kernels that [`run_sort_kernel`] knows.
        pub const SORT_KERNELS: &[&str] = &[$($symbol),*];

        fn find(symbol: &str) -> Option<Kernel> {
            match symbol {
                $($symbol => Some($function),)*
                _ => None,
            }
        }
    };
}

kernels! {
    cuzk_host_msm_digits "cuzk_msm_digits";
    cuzk_host_msm_digits_wide "cuzk_msm_digits_wide";
    cuzk_host_msm_count_segments "cuzk_msm_count_segments";
    cuzk_host_msm_scan_segments "cuzk_msm_scan_segments";
    cuzk_host_msm_find_starts "cuzk_msm_find_starts";
    cuzk_host_msm_find_places "cuzk_msm_find_places";
    cuzk_host_msm_move_to_parts "cuzk_msm_move_to_parts";
    cuzk_host_msm_move_to_parts_long "cuzk_msm_move_to_parts_long";
    cuzk_host_msm_sort_part "cuzk_msm_sort_part";
    cuzk_host_msm_sort_part_long "cuzk_msm_sort_part_long";
    cuzk_host_msm_sort_part_longest "cuzk_msm_sort_part_longest";
    cuzk_host_msm_count_large "cuzk_msm_count_large";
    cuzk_host_msm_scan_large "cuzk_msm_scan_large";
    cuzk_host_msm_move_large "cuzk_msm_move_large";
}

unsafe extern "C" {
    fn cuzk_host_msm_scalar_digits(layout: *const c_void, scalar: *const c_void, digits: *mut u32);
}

/// `cuzk::msm::SortParams` in words.
const PARAMS_WORDS: usize = 28;
/// `cuzk::msm::DigitLayout` in words, and where in it the numbers of tables and of wanted windows
/// are.
const LAYOUT_WORDS: usize = 11;
const TABLES: usize = 5;
const WINDOWS: usize = 8;

/// Runs a kernel of the sort as a launch of so many blocks of `threads` threads does.
///
/// # Panics
/// Where the symbol is unknown, or the parameters are not as long as its structure.
///
/// # Safety
/// The addresses in `params` are of host memory, aligned to 16 bytes, with what the kernel reads
/// and writes.
pub unsafe fn run_sort_kernel(symbol: &str, blocks: u32, threads: u32, params: &[u8]) {
    let kernel = find(symbol).unwrap_or_else(|| panic!("no kernel {symbol}"));
    assert_eq!(params.len(), 8 * PARAMS_WORDS, "{symbol}: the parameters");
    // SAFETY: the parameters are as long as the structure, and the caller answers for what it
    // names.
    unsafe { kernel(params.as_ptr().cast(), blocks.into(), threads.into()) };
}

/// The digits of each scalar in turn, table by table in the windows that the layout asks for:
/// absolute values, with the highest bit set for a negative one. `layout` is
/// `cuzk::msm::DigitLayout`.
///
/// # Panics
/// Where a number of tables or windows is no size.
#[must_use]
pub fn msm_digits(layout: [u64; LAYOUT_WORDS], scalars: &[FrLimbs]) -> Vec<u32> {
    let [tables, windows] = [TABLES, WINDOWS].map(|i| usize::try_from(layout[i]).expect("few"));
    let each = tables * windows;
    let mut digits = vec![0; each * scalars.len()];
    for (scalar, digits) in scalars.iter().zip(digits.chunks_mut(each)) {
        let (layout, scalar) = ((&raw const layout).cast(), (&raw const *scalar).cast());
        // SAFETY: layout and scalar are structures of these sizes, and the function writes one
        // digit for each table and window.
        unsafe { cuzk_host_msm_scalar_digits(layout, scalar, digits.as_mut_ptr()) };
    }
    digits
}
