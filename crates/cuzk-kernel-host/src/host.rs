use std::ffi::c_void;

use bytemuck::{Pod, Zeroable};
use cuzk_curve::{FpLimbs, FrLimbs};

use crate::machine::{Machine, Operands};

/// The compiled headers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Host;

type Function = unsafe extern "C" fn(*mut c_void, *const c_void, *const c_void, u64);

/// Declares the C functions and finds one with the sizes of its types: out, a and b.
macro_rules! operations {
    ($($function:ident $name:literal: $out:literal $a:literal $b:literal;)*) => {
        unsafe extern "C" {
            $(fn $function(out: *mut c_void, a: *const c_void, b: *const c_void, n: u64);)*
        }

        fn find(operation: &str) -> Option<(Function, [usize; 3])> {
            match operation {
                $($name => Some(($function as Function, [$out, $a, $b])),)*
                _ => None,
            }
        }
    };
}

operations! {
    cuzk_host_add_fr "add_fr": 32 32 32;
    cuzk_host_sub_fr "sub_fr": 32 32 32;
    cuzk_host_neg_fr "neg_fr": 32 32 0;
    cuzk_host_mul_fr "mul_fr": 32 32 32;
    cuzk_host_sqr_fr "sqr_fr": 32 32 0;
    cuzk_host_inverse_fr "inverse_fr": 32 32 0;
    cuzk_host_from_mont_fr "from_mont_fr": 32 32 0;
    cuzk_host_to_mont_fr "to_mont_fr": 32 32 0;
    cuzk_host_mul_lazy_fr "mul_lazy_fr": 32 32 32;
    cuzk_host_sqr_lazy_fr "sqr_lazy_fr": 32 32 0;
    cuzk_host_add_fp "add_fp": 48 48 48;
    cuzk_host_sub_fp "sub_fp": 48 48 48;
    cuzk_host_neg_fp "neg_fp": 48 48 0;
    cuzk_host_mul_fp "mul_fp": 48 48 48;
    cuzk_host_sqr_fp "sqr_fp": 48 48 0;
    cuzk_host_inverse_fp "inverse_fp": 48 48 0;
    cuzk_host_from_mont_fp "from_mont_fp": 48 48 0;
    cuzk_host_to_mont_fp "to_mont_fp": 48 48 0;
    cuzk_host_mul_lazy_fp "mul_lazy_fp": 48 48 48;
    cuzk_host_sqr_lazy_fp "sqr_lazy_fp": 48 48 0;
    cuzk_host_sum_of_products_fp "sum_of_products_fp": 48 96 96;
    cuzk_host_diff_of_products_fp "diff_of_products_fp": 48 96 96;
    cuzk_host_add_fp2 "add_fp2": 96 96 96;
    cuzk_host_sub_fp2 "sub_fp2": 96 96 96;
    cuzk_host_neg_fp2 "neg_fp2": 96 96 0;
    cuzk_host_mul_fp2 "mul_fp2": 96 96 96;
    cuzk_host_sqr_fp2 "sqr_fp2": 96 96 0;
    cuzk_host_inverse_fp2 "inverse_fp2": 96 96 0;
    cuzk_host_add_mixed_g1 "add_mixed_g1": 192 192 96;
    cuzk_host_add_g1 "add_g1": 192 192 192;
    cuzk_host_double_g1 "double_g1": 192 192 0;
    cuzk_host_to_affine_g1 "to_affine_g1": 96 192 0;
    cuzk_host_to_jacobian_g1 "to_jacobian_g1": 144 192 0;
    cuzk_host_add_mixed_g2 "add_mixed_g2": 384 384 192;
    cuzk_host_add_g2 "add_g2": 384 384 384;
    cuzk_host_double_g2 "double_g2": 384 384 0;
    cuzk_host_to_affine_g2 "to_affine_g2": 192 384 0;
    cuzk_host_to_jacobian_g2 "to_jacobian_g2": 288 384 0;
    cuzk_host_constants_fr "constants_fr": 128 0 0;
    cuzk_host_constants_fp "constants_fp": 528 0 0;
}

impl Machine for Host {
    fn run(&self, operation: &str, out: &mut [u8], operands: Operands<'_>) {
        let Operands { n, a, b } = operands;
        let (function, [out_size, a_size, b_size]) =
            find(operation).unwrap_or_else(|| panic!("no operation {operation}"));
        assert_eq!(out.len(), n * out_size, "{operation}: the results");
        assert_eq!(a.len(), n * a_size, "{operation}: the first operands");
        assert_eq!(b.len(), n * b_size, "{operation}: the second operands");
        // SAFETY: the function reads `n` elements of `a_size` and `b_size` bytes, of any
        // alignment, and writes `n` of `out_size`; the lengths were just checked.
        unsafe {
            function(
                out.as_mut_ptr().cast(),
                a.as_ptr().cast(),
                b.as_ptr().cast(),
                n as u64,
            );
        }
    }
}

/// The constants of the scalar field in `constants.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct FrConstants {
    /// The modulus, as a whole number.
    pub modulus: FrLimbs,
    /// 1.
    pub one: FrLimbs,
    /// A generator of the multiplicative group.
    pub generator: FrLimbs,
    /// The root of unity of order 2^32.
    pub root_of_unity: FrLimbs,
}

/// The constants of the base field and of the curves in `constants.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct FpConstants {
    /// The modulus, as a whole number.
    pub modulus: FpLimbs,
    /// 1.
    pub one: FpLimbs,
    /// The coefficient of the curve of G1.
    pub g1_b: FpLimbs,
    /// The generator of G1.
    pub g1_generator: [FpLimbs; 2],
    /// The coefficient of the curve of G2.
    pub g2_b: [FpLimbs; 2],
    /// The generator of G2: `x.c0`, `x.c1`, `y.c0`, `y.c1`.
    pub g2_generator: [FpLimbs; 4],
}

/// Reads the constants of the scalar field.
#[must_use]
pub fn fr_constants() -> FrConstants {
    constants("constants_fr")
}

/// Reads the constants of the base field and of the curves.
#[must_use]
pub fn fp_constants() -> FpConstants {
    constants("constants_fp")
}

fn constants<T: Pod>(operation: &str) -> T {
    let mut out = T::zeroed();
    let (function, [size, ..]) = find(operation).expect("both are in the list");
    assert_eq!(size, size_of::<T>());
    // SAFETY: the function writes `size` bytes and reads nothing.
    unsafe { function((&raw mut out).cast(), std::ptr::null(), std::ptr::null(), 1) };
    out
}
