/// Why the driver's functions cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no NVIDIA driver on this machine, or it cannot be opened.
    #[error("the NVIDIA driver could not be loaded: {reason}")]
    NoDriver {
        /// What the dynamic linker said.
        reason: String,
    },
    /// A library is in use already, so that no other can be installed.
    #[error("the driver's functions are in use already")]
    InUse,
}
