#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod bases;
mod error;
mod evaluate;
mod fixed_base;
mod fold;
mod key_plan;
mod msm;
mod ntt;
mod pending;
mod stopwatch;
mod sums;

pub use backend::{Backend, MemoryProbe, ProverBackend};
pub use bases::SharedBases;
pub use error::ShapeError;
pub use evaluate::Evaluate;
pub use fixed_base::{FixedBase, SetupBackend};
pub use fold::{Fold, InverseTransform};
pub use key_plan::{Keep, KeyPlan, KeyShape, MatrixShape, Residence};
pub use msm::{Msm, WitnessMsm, WitnessSplit};
pub use ntt::{Basis, Coeffs, CosetEvals, Evals, Ntt, Poly, Transform};
pub use pending::Pending;
pub use stopwatch::{Clock, Detail, Lane, Lap, LapPart, Stopwatch};
pub use sums::{Ones, QueryName, WindowBits, WitnessSchedule};
