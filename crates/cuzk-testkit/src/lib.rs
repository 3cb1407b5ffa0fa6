#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod circuits;
mod evaluate;
mod fixed_base;
mod fold;
mod msm;
mod ntt;
mod quotient;
mod scalars;
mod shape;

pub use circuits::{MimcChain, Program, RandomSystem, Sha256Chain, Step, Terms};
pub use evaluate::{evaluate_conformance, random_matrix, random_witness};
pub use fixed_base::fixed_base_conformance;
pub use fold::{fold_inverse_conformance, fold_matrix_conformance};
pub use msm::{KnownBases, msm_conformance, witness_msm_conformance};
pub use ntt::{ntt_conformance, vector_conformance};
pub use quotient::{product_conformance, quotient_conformance, satisfied_evaluations};
pub use scalars::{any_fr, edge_scalars, mixed_scalars, rng};
