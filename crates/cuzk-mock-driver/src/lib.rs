#![doc = include_str!("../README.md")]

mod functions;
mod ptx;
mod session;
mod state;

pub use session::{Session, session};
pub use state::{Launch, Leaks, MockDevice};
