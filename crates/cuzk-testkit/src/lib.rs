#![doc = include_str!("../README.md")]

mod circuits;

pub use circuits::{MimcChain, Program, RandomSystem, Sha256Chain, Step, Terms};
