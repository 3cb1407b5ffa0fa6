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

impl Module {
    /// Whether no proof needs its kernels, only tests and benchmarks.
    #[must_use]
    pub fn is_for_tests(&self) -> bool {
        self.name.starts_with("testing_")
    }

    /// The kernel with this symbol.
    #[must_use]
    pub fn entry_point(&self, symbol: &str) -> Option<&'static EntryPoint> {
        self.entry_points
            .iter()
            .find(|entry| entry.symbol == symbol)
    }
}
