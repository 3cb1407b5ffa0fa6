#![doc = include_str!("../README.md")]

mod error;
mod folder;
mod lists;
mod params;
mod twiddles;

pub use error::FoldError;
pub use folder::Folder;
