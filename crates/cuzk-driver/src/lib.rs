#![doc = include_str!("../README.md")]

mod codes;
mod error;
mod functions;
mod library;

pub use codes::last_raw_code;
pub use error::LoadError;
pub use functions::NAMES;
pub use library::{Symbols, forked, install, lacking, load};
