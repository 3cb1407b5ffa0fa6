#![doc = include_str!("../README.md")]

mod curves;
mod fields;
mod host;
mod machine;
mod values;

pub use curves::{CurveCases, check_curves};
pub use fields::check_fields;
pub use host::{FpConstants, FrConstants, Host, fp_constants, fr_constants};
pub use machine::{Machine, Operands};
