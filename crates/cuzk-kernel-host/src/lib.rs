#![doc = include_str!("../README.md")]

mod aligned;
mod any;
mod bucket_sums;
mod curves;
mod fields;
mod fold;
mod host;
mod machine;
mod msm_affine;
mod msm_sort;
mod ntt;
mod split;
mod spmv;
mod values;

pub use any::run_kernel;
pub use bucket_sums::{BUCKET_KERNELS, run_bucket_kernel};
pub use curves::{CurveCases, check_curves, represents};
pub use fields::check_fields;
pub use fold::run_fold_kernel;
pub use host::{FpConstants, FrConstants, Host, fp_constants, fr_constants};
pub use machine::{Machine, Operands};
pub use msm_affine::run_affine_kernel;
pub use msm_sort::{SORT_KERNELS, msm_digits, run_sort_kernel};
pub use ntt::{Decimation, Pass, launch_ntt, ntt_pass, reverse_order, twiddle_table};
pub use split::{SplitLists, gather, run_split_kernel, split_witness};
pub use spmv::spmv_kernel;
