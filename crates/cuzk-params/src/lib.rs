#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod digest;
mod error;
mod file;
mod kept;
mod key;
mod layout;
mod options;
mod parameters;
mod query;
mod read;
mod section;
mod source;
mod subgroup;
mod write;

pub use digest::Digest;
pub use error::{KeptError, ParamsError, ParseDigestError};
pub use file::ParameterFile;
pub use kept::KeptQueries;
pub use key::VerifyingKey;
pub use layout::{Layout, SectionLayout};
pub use options::{Check, ReadOptions, Trailing};
pub use parameters::{Loaded, Parameters};
pub use query::Query;
pub use section::Section;
