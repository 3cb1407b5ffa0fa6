//! The split of a witness on the host.

use std::ffi::c_void;

/// `cuzk::msm::SplitParams`.
#[repr(C)]
struct SplitParams {
    low: *const c_void,
    high: *const c_void,
    selected: *const c_void,
    before: *const c_void,
    block_ones: *mut c_void,
    block_rest: *mut c_void,
    ones: *mut c_void,
    rest: *mut c_void,
    rest_variables: *mut c_void,
    words: u64,
    max_ones: u64,
    max_rest: u64,
}

/// `cuzk::msm::SplitScanParams`.
#[repr(C)]
struct SplitScanParams {
    counts: *mut c_void,
    blocks: u64,
}

/// `cuzk::msm::GatherParams`.
#[repr(C)]
struct GatherParams {
    input: *const c_void,
    indices: *const c_void,
    out: *mut c_void,
    n: u64,
    pieces: u64,
}

unsafe extern "C" {
    fn cuzk_host_msm_split_count(p: *const SplitParams, blocks: u64);
    fn cuzk_host_msm_split_scan(p: *const SplitScanParams);
    fn cuzk_host_msm_split_write(p: *const SplitParams, blocks: u64);
    fn cuzk_host_msm_gather(p: *const GatherParams);
}

/// What a split gives: the places of the ones, those of the rest, and the variables of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitLists {
    /// Places of the ones.
    pub ones: Vec<u32>,
    /// Places of the rest.
    pub rest: Vec<u32>,
    /// Variables of the rest.
    pub rest_variables: Vec<u32>,
}

/// Words that a block takes, one a thread.
const WORDS_PER_BLOCK: usize = 256;

/// Splits by the two bitmaps of classes; the lists have place for `max_ones` and `max_rest`.
///
/// # Panics
/// Where the bitmaps differ in length.
#[must_use]
pub fn split_witness(
    low: &[u32],
    high: &[u32],
    selected: &[u32],
    max_ones: usize,
    max_rest: usize,
) -> SplitLists {
    assert_eq!((low.len(), high.len()), (selected.len(), selected.len()));
    let mut sum = 0;
    let before: Vec<u32> = selected
        .iter()
        .map(|word| {
            sum += word.count_ones();
            sum - word.count_ones()
        })
        .collect();
    let blocks = selected.len().div_ceil(WORDS_PER_BLOCK);
    let (mut block_ones, mut block_rest) = (vec![0u32; blocks], vec![0u32; blocks]);
    let mut lists = SplitLists {
        ones: vec![0; max_ones],
        rest: vec![0; max_rest],
        rest_variables: vec![0; max_rest],
    };
    let params = SplitParams {
        low: low.as_ptr().cast(),
        high: high.as_ptr().cast(),
        selected: selected.as_ptr().cast(),
        before: before.as_ptr().cast(),
        block_ones: block_ones.as_mut_ptr().cast(),
        block_rest: block_rest.as_mut_ptr().cast(),
        ones: lists.ones.as_mut_ptr().cast(),
        rest: lists.rest.as_mut_ptr().cast(),
        rest_variables: lists.rest_variables.as_mut_ptr().cast(),
        words: selected.len() as u64,
        max_ones: max_ones as u64,
        max_rest: max_rest as u64,
    };
    let scan = |counts| SplitScanParams {
        counts,
        blocks: blocks as u64,
    };
    // SAFETY: the bitmaps have `words` words, the counts one number a block, and the lists take
    // no more than they have place for.
    unsafe {
        cuzk_host_msm_split_count(&raw const params, blocks as u64);
        for counts in [params.block_ones, params.block_rest] {
            let params = scan(counts);
            cuzk_host_msm_split_scan(&raw const params);
        }
        cuzk_host_msm_split_write(&raw const params, blocks as u64);
    }
    lists
}

/// `values[indices[i]]` for every i.
///
/// # Panics
/// Where an index is none of a value.
#[must_use]
pub fn gather(values: &[[u128; 3]], indices: &[u32]) -> Vec<[u128; 3]> {
    assert!(indices.iter().all(|i| (*i as usize) < values.len()));
    let mut out = vec![[0u128; 3]; indices.len()];
    let params = GatherParams {
        input: values.as_ptr().cast(),
        indices: indices.as_ptr().cast(),
        out: out.as_mut_ptr().cast(),
        n: indices.len() as u64,
        pieces: 3,
    };
    // SAFETY: every index is one of a value, and the output has one value an index; 128 bits are
    // aligned as a piece is.
    unsafe { cuzk_host_msm_gather(&raw const params) };
    out
}

/// Runs a grid of a kernel of the split or of the gathering, block after block.
///
/// # Panics
/// Where there is no such kernel, or its parameters have another size.
///
/// # Safety
/// The parameters are those of the kernel, and what they point at is host memory that the kernel
/// may read and write for so many blocks, aligned to 16 bytes.
pub unsafe fn run_split_kernel(symbol: &str, blocks: u32, params: &[u8]) {
    let mut words = vec![0u64; params.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..params.len()].copy_from_slice(params);
    let sized = |bytes: usize| assert_eq!(params.len(), bytes, "{symbol}: the parameters");
    let address = words.as_ptr();
    // SAFETY: the structures have their sizes and alignment; the caller answers for the rest.
    unsafe {
        match symbol {
            "cuzk_msm_split_count" => {
                sized(size_of::<SplitParams>());
                cuzk_host_msm_split_count(address.cast(), blocks.into());
            }
            "cuzk_msm_split_scan" => {
                sized(size_of::<SplitScanParams>());
                cuzk_host_msm_split_scan(address.cast());
            }
            "cuzk_msm_split_write" => {
                sized(size_of::<SplitParams>());
                cuzk_host_msm_split_write(address.cast(), blocks.into());
            }
            "cuzk_msm_gather" => {
                sized(size_of::<GatherParams>());
                cuzk_host_msm_gather(address.cast());
            }
            _ => panic!("no kernel {symbol}"),
        }
    }
}
