use crate::{DeviceSelector, DriverCode, DriverVersion};

/// What went wrong with a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no driver on this machine.
    #[error("there is no usable NVIDIA driver")]
    NoDriver(#[source] cuzk_driver::LoadError),
    /// The driver sees no device.
    #[error("the NVIDIA driver sees no device")]
    NoDevice,
    /// The driver cannot run the kernels.
    #[error("driver for CUDA {got} is too old: the kernels need NVIDIA driver {needed} or later")]
    DriverTooOld {
        /// The first part of the oldest driver's number that serves.
        needed: u32,
        /// What there is.
        got: DriverVersion,
    },
    /// The card cannot run the kernels.
    #[error(
        "{name} has compute capability {}.{}, expected at least {}.{}",
        got.0, got.1, expected.0, expected.1
    )]
    ArchitectureTooOld {
        /// The card.
        name: String,
        /// The oldest that serves.
        expected: (u32, u32),
        /// The card's.
        got: (u32, u32),
    },
    /// No device, or more than one, is what was asked for.
    #[error("{found} devices are {asked}; there are: {}", known.join(", "))]
    UnknownDevice {
        /// What was asked for.
        asked: DeviceSelector,
        /// How many that fits.
        found: usize,
        /// Every device, as `index: name (UUID)`.
        known: Vec<String>,
    },
    /// The driver was in use before the process was split.
    #[error("the driver was opened by process {opened} and cannot be used in its child {here}")]
    Forked {
        /// The process that opened the driver.
        opened: u32,
        /// This process.
        here: u32,
    },
    /// The device is full.
    #[error(
        "device memory: {asked_bytes} bytes asked for, {free_bytes} of {total_bytes} are free, \
         {used_bytes} are in our use"
    )]
    OutOfMemory {
        /// Bytes asked for.
        asked_bytes: usize,
        /// Free on the device.
        free_bytes: usize,
        /// In all.
        total_bytes: usize,
        /// Held by buffers of this device.
        used_bytes: usize,
    },
    /// The budget does not allow it.
    #[error(
        "device memory: {asked_bytes} bytes asked for, {used_bytes} of the budget of \
         {budget_bytes} are in use"
    )]
    OverBudget {
        /// Bytes asked for.
        asked_bytes: usize,
        /// Held by buffers of this device, or promised.
        used_bytes: usize,
        /// The most that they may hold.
        budget_bytes: usize,
    },
    /// Two lengths should agree and do not.
    #[error("{what}: expected {expected}, got {got}")]
    Length {
        /// What was compared.
        what: &'static str,
        /// What it had to be.
        expected: usize,
        /// What it was.
        got: usize,
    },
    /// The driver did not compile a module.
    #[error("compiling the kernels `{module}` failed: {code}\n{log}")]
    Compile {
        /// The file of kernels.
        module: &'static str,
        /// The compiler's words.
        log: String,
        /// The driver's answer.
        code: DriverCode,
    },
    /// A module has no such symbol.
    #[error("the kernels `{module}` have no `{symbol}`")]
    MissingSymbol {
        /// The file of kernels.
        module: &'static str,
        /// The name asked for.
        symbol: String,
    },
    /// A module was made for types of other sizes.
    #[error("the kernels `{module}` have {got} as {symbol}, expected {expected} bytes")]
    Layout {
        /// The file of kernels.
        module: &'static str,
        /// The constant, or the kernel whose parameter it is.
        symbol: &'static str,
        /// The size on this side.
        expected: u32,
        /// The size in the module.
        got: u32,
    },
    /// A kernel could not be started.
    #[error(
        "launching {symbol} on {blocks} blocks of {threads} threads with {shared_bytes} bytes \
         of shared memory failed: {code}"
    )]
    Launch {
        /// The kernel.
        symbol: &'static str,
        /// Blocks of the grid.
        blocks: u32,
        /// Threads of a block.
        threads: u32,
        /// Dynamic shared memory of a block.
        shared_bytes: u32,
        /// The driver's answer.
        code: DriverCode,
    },
    /// Any other call that failed.
    #[error("{doing} failed: {code}")]
    Call {
        /// What was being done.
        doing: String,
        /// The driver's answer.
        code: DriverCode,
    },
}

impl DeviceError {
    /// The driver's code, where the driver was asked.
    #[must_use]
    pub fn code(&self) -> Option<&DriverCode> {
        match self {
            Self::Compile { code, .. } | Self::Launch { code, .. } | Self::Call { code, .. } => {
                Some(code)
            }
            _ => None,
        }
    }
}
