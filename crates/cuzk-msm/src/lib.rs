#![doc = include_str!("../README.md")]

#[cfg_attr(not(test), allow(dead_code))]
mod accumulate;
#[cfg(test)]
mod bucket_tests;
mod group;
#[cfg_attr(not(test), allow(dead_code))]
mod order;
#[cfg_attr(not(test), allow(dead_code))]
mod reduce;
mod sorted;
#[cfg(test)]
mod twin;

pub use group::DeviceGroup;
