#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod comparison;
mod lanes;
mod memory;
mod page;
mod run;
mod text;
mod trace;

pub use comparison::comparison_page;
pub use run::run_page;
pub use trace::trace;
