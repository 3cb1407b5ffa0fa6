//! The prover and verifier over the backends of the CPU.

mod case;
mod encoding;
mod exponent;
mod faults;
mod folded;
mod key;
mod prop;
mod prove;
mod setup;
mod verify;
