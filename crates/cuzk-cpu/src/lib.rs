#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod beside;
mod error;
mod evaluate;
mod fixed_base;
mod fold;
mod grid;
mod msm;
mod naive;
mod ntt;
mod ntt_small;
mod quotient;
mod spmv;
mod sums;
mod transform;
mod witness;

pub use backend::{Cpu, CpuOptions};
pub use error::CpuError;
pub use fixed_base::BaseTable;
pub use msm::{MsmPlan, MsmSettings, msm, msm_indexed, sum_indexed};
pub use naive::Naive;
pub use ntt::NttPlan;
pub use quotient::QuotientPlan;
pub use spmv::CpuMatrix;
pub use witness::{CpuSplit, CpuWitness};
