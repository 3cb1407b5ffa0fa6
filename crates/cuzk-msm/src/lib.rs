#![doc = include_str!("../README.md")]

mod group;
mod sorted;

pub use group::DeviceGroup;
