//! The passes against a plain recording of the same circuit, for circuits of three crates.

mod bellman_circuits;
mod bellpepper_circuits;
mod foreign_sha256;
mod parts;
mod passes;
mod recording;
