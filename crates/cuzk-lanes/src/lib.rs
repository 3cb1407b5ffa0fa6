#![doc = include_str!("../README.md")]

mod detect;

pub use detect::{Arithmetic, Ifma, Lanes};
