#![doc = include_str!("../README.md")]

mod domain;
mod engine;
mod error;
mod order;
mod params;
mod plan;
mod table;

pub use cuzk_backend::Transform;
pub use domain::{FromNatural, FromReversed, NttDomain};
pub use engine::NttEngine;
pub use error::NttError;
pub use order::{Natural, Order, Reversed, Scalars};
pub use plan::{Decimation, Pass, Plan};
