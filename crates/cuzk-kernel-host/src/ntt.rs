//! The transform's kernels on the host.

use std::ffi::c_void;

use bytemuck::Zeroable as _;
use cuzk_curve::FrLimbs;

use crate::aligned::Aligned;

/// Which way the stages of a pass go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimation {
    /// From the longest reach to the shortest: natural order in, reversed out.
    InFrequency,
    /// From the shortest reach to the longest: reversed order in, natural out.
    InTime,
}

/// The place of one pass in a transform; see `cuzk::ntt::PassParams`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The length of the transform.
    pub log_n: u64,
    /// How far apart the rows of a column are.
    pub log_stride: u64,
    /// The stages.
    pub log_rows: u64,
    /// Results are divided by two to this.
    pub log_divisor: u64,
    /// Whether the first twiddle of every stage is one.
    pub begins_with_one: bool,
}

/// `cuzk::ntt::PassParams`.
#[repr(C)]
struct PassParams {
    input: *const c_void,
    out: *mut c_void,
    twiddles: *const c_void,
    log_n: u64,
    log_stride: u64,
    log_rows: u64,
    log_divisor: u64,
    begins_with_one: u64,
}

/// `cuzk::ntt::TwiddleTopParams`.
#[repr(C)]
struct TwiddleTopParams {
    high: *const c_void,
    low: *const c_void,
    table: *mut c_void,
    m: u64,
    log_low: u64,
}

/// `cuzk::ntt::TwiddleLevelParams`.
#[repr(C)]
struct TwiddleLevelParams {
    table: *mut c_void,
    m: u64,
}

/// `cuzk::ntt::ReverseParams`.
#[repr(C)]
struct ReverseParams {
    input: *const c_void,
    out: *mut c_void,
    log_n: u64,
}

unsafe extern "C" {
    fn cuzk_host_ntt_pass_fr(p: *const PassParams, log_tile: u32, in_time: u32);
    fn cuzk_host_ntt_frequency_fr(p: *const c_void, threads: u64);
    fn cuzk_host_ntt_time_fr(p: *const c_void, threads: u64);
    fn cuzk_host_ntt_reverse_fr(p: *const c_void, threads: u64);
    fn cuzk_host_ntt_multiply_fr(p: *const c_void, threads: u64);
    fn cuzk_host_ntt_twiddle_top_fr(p: *const c_void, threads: u64);
    fn cuzk_host_ntt_twiddle_level_fr(p: *const c_void, threads: u64);
}

/// Runs a kernel of `ntt_fr` as a device would that has so many threads in all.
///
/// # Panics
/// Where there is no such kernel.
///
/// # Safety
/// The bytes are the kernel's structure of parameters, and the addresses in it are those of
/// memory on the host, aligned to 16 bytes, that the kernel may read and write.
pub unsafe fn launch_ntt(symbol: &str, threads: u64, params: &[u8]) {
    let function = match symbol {
        "cuzk_ntt_frequency_fr" => cuzk_host_ntt_frequency_fr,
        "cuzk_ntt_time_fr" => cuzk_host_ntt_time_fr,
        "cuzk_ntt_reverse_fr" => cuzk_host_ntt_reverse_fr,
        "cuzk_ntt_multiply_fr" => cuzk_host_ntt_multiply_fr,
        "cuzk_ntt_twiddle_top_fr" => cuzk_host_ntt_twiddle_top_fr,
        "cuzk_ntt_twiddle_level_fr" => cuzk_host_ntt_twiddle_level_fr,
        _ => panic!("no kernel {symbol}"),
    };
    let mut words = vec![0u64; params.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..params.len()].copy_from_slice(params);
    // SAFETY: the structure is aligned; the caller answers for what it says.
    unsafe { function(words.as_ptr().cast(), threads) };
}

/// One pass in place, on tiles of 2^3, 2^5 or 2^10 elements.
///
/// # Panics
/// Where lengths and exponents do not agree.
pub fn ntt_pass(
    decimation: Decimation,
    pass: Pass,
    log_tile: u32,
    twiddles: &[FrLimbs],
    data: &mut [FrLimbs],
) {
    assert_eq!(
        (data.len(), twiddles.len()),
        (1 << pass.log_n, 1 << pass.log_n)
    );
    assert!(pass.log_rows <= u64::from(log_tile) && pass.log_rows + pass.log_stride <= pass.log_n);
    assert!([3, 5, 10].contains(&log_tile) && pass.log_rows >= 1 && pass.log_divisor <= 32);
    let (mut values, twiddles) = (Aligned::new(data), Aligned::new(twiddles));
    let params = PassParams {
        input: values.as_ptr(),
        out: values.as_mut_ptr(),
        twiddles: twiddles.as_ptr(),
        log_n: pass.log_n,
        log_stride: pass.log_stride,
        log_rows: pass.log_rows,
        log_divisor: pass.log_divisor,
        begins_with_one: pass.begins_with_one.into(),
    };
    // SAFETY: data and table have 2^log_n elements, and a pass whose rows fit in a tile touches
    // no other.
    unsafe {
        cuzk_host_ntt_pass_fr(
            &raw const params,
            log_tile,
            (decimation == Decimation::InTime).into(),
        );
    }
    values.copy_to(data);
}

/// The table of 2^log_n twiddles from the powers `high[i] * low[j]` of its last level; the
/// element at 0 is arbitrary.
///
/// # Panics
/// Where there are not 2^(log_n - 1) such products.
#[must_use]
pub fn twiddle_table(log_n: u32, high: &[FrLimbs], low: &[FrLimbs]) -> Vec<FrLimbs> {
    let mut values = vec![FrLimbs::zeroed(); 1 << log_n];
    let half = values.len() / 2;
    assert!(low.len().is_power_of_two() && high.len() * low.len() == half);
    let mut table = Aligned::new(&values);
    let (high, low_table) = (Aligned::new(high), Aligned::new(low));
    let params = TwiddleTopParams {
        high: high.as_ptr(),
        low: low_table.as_ptr(),
        table: table.as_mut_ptr(),
        m: half as u64,
        log_low: low.len().trailing_zeros().into(),
    };
    // SAFETY: the table has 2 m elements, and the factors are as many as the exponents say.
    unsafe { cuzk_host_ntt_twiddle_top_fr((&raw const params).cast(), params.m) };
    let mut m = half as u64 / 2;
    while m >= 1 {
        let params = TwiddleLevelParams {
            table: table.as_mut_ptr(),
            m,
        };
        // SAFETY: the table has at least 4 m elements.
        unsafe { cuzk_host_ntt_twiddle_level_fr((&raw const params).cast(), m) };
        m /= 2;
    }
    table.copy_to(&mut values);
    values
}

/// Changes between natural and reversed order, in place.
///
/// # Panics
/// Where the length is no power of two.
pub fn reverse_order(data: &mut [FrLimbs]) {
    assert!(data.len().is_power_of_two());
    let mut values = Aligned::new(data);
    let params = ReverseParams {
        input: values.as_ptr(),
        out: values.as_mut_ptr(),
        log_n: data.len().trailing_zeros().into(),
    };
    // Whole blocks of 256 threads, one for each tile of as many elements.
    let threads = data.len().next_multiple_of(256) as u64;
    // SAFETY: the data has 2^log_n elements.
    unsafe { cuzk_host_ntt_reverse_fr((&raw const params).cast(), threads) };
    values.copy_to(data);
}
