#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Its layout is that of the program that writes it.
#[rustfmt::skip]
mod manifest;

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

/// One file of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Module {
    /// The name of its source without suffix.
    pub name: &'static str,
    /// SHA-256 of its sources, the compiler's release and flags, as 64 hexadecimal digits.
    pub digest: &'static str,
    /// The text that a driver compiles.
    pub ptx: &'static str,
    /// Its kernels.
    pub entry_points: &'static [EntryPoint],
}

/// One kernel and the bounds for which it was compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryPoint {
    /// Its name in the module.
    pub symbol: &'static str,
    /// Threads of a block; a launch with more fails.
    pub threads: u32,
    /// Blocks that a multiprocessor can hold at once.
    pub min_blocks: u32,
    /// Dynamic shared memory that a launch asks for.
    pub shared_bytes: u32,
    /// The size of the structure that the kernel takes by value.
    pub param_bytes: u32,
}

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

impl Module {
    /// The kernel with this symbol.
    #[must_use]
    pub fn entry_point(&self, symbol: &str) -> Option<&'static EntryPoint> {
        self.entry_points
            .iter()
            .find(|entry| entry.symbol == symbol)
    }
}
