//! Circuits of other crates, led through the passes unchanged.

#[cfg(feature = "bellman")]
mod bellman;
#[cfg(feature = "bellpepper")]
mod bellpepper;
#[cfg(feature = "bellman")]
mod field;

#[cfg(feature = "bellman")]
pub use self::bellman::Bellman;
#[cfg(feature = "bellpepper")]
pub use self::bellpepper::Bellpepper;
