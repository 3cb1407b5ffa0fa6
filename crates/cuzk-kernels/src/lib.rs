#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Its layout is that of the program that writes it.
#[rustfmt::skip]
mod manifest;
mod module;

pub use module::{EntryPoint, Module};

/// The version of the PTX language in which every module is written.
pub const PTX_VERSION: &str = "7.0";

/// The oldest driver that compiles [`PTX_VERSION`], by the first part of its number.
///
/// # Source
/// The table of releases in the PTX reference: PTX 7.0 came with CUDA 11.0, driver R450.
pub const OLDEST_DRIVER: u32 = 450;

/// The compute capability of the oldest card on which the modules run, 7.5.
pub const OLDEST_ARCHITECTURE: (u32, u32) = (7, 5);

/// Module constants of 32 bits, each with the size in bytes of a type that crosses from the
/// host. A module in which one differs was made for another layout and must be refused.
pub const LAYOUT: [(&str, u32); 4] = [
    ("cuzk_layout_Fr", 32),
    ("cuzk_layout_Fp", 48),
    ("cuzk_layout_G1", 96),
    ("cuzk_layout_G2", 192),
];

/// Every file of kernels, in the order of their names.
#[must_use]
pub fn modules() -> &'static [Module] {
    manifest::MODULES
}

/// The file with this name.
#[must_use]
pub fn module(name: &str) -> Option<&'static Module> {
    modules().iter().find(|module| module.name == name)
}

/// The file with the kernel of this symbol.
#[must_use]
pub fn module_with(symbol: &str) -> Option<&'static Module> {
    let has = |module: &&Module| module.entry_point(symbol).is_some();
    modules().iter().find(has)
}
