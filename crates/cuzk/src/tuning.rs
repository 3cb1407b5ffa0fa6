mod error;
mod nearest;
mod switch;
#[cfg(test)]
mod tests;
mod text;

use cuzk_cpu::MsmSettings;
use cuzk_hostmem::HostMemory;
use cuzk_lanes::Lanes;

pub use error::TuningError;
pub use switch::Switch;

/// Every optimisation that can be switched, with its default.
///
/// No switch changes a proof: for the same blinding the bytes are the same.
/// [`Tuning::SWITCHES`] is the list of the names, with the values that each takes and the record
/// that justifies its default. `Display` prints it as a table, [`Tuning::to_toml`] as a file.
///
/// ```
/// use cuzk::Tuning;
///
/// let mut tuning = Tuning::new();
/// tuning.set_pair("window-bits=12")?;
/// assert_eq!(tuning.window_bits, Some(12));
/// assert_eq!(Tuning::from_toml(&tuning.to_toml())?, tuning);
/// # Ok::<(), cuzk::TuningError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Tuning {
    /// Field arithmetic of the CPU backend: eight lanes where the processor has them (the
    /// default), or the portable twin.
    pub lanes: Lanes,
    /// Bits of a window of the CPU backend's sums, 1 to 20; by default the plan of each sum
    /// chooses by its size.
    pub window_bits: Option<u32>,
    /// How a proof of a compiled circuit gets a, b and c from its circuit.
    pub synthesis: Synthesis,
    /// Whether a direct pass of a compiled circuit reserves all its memory before it starts; by
    /// default its vectors grow.
    pub capacity_hints: bool,
    /// How the memory of the parameters is held; pageable by default.
    pub host_memory: HostMemory,
    /// Threads of a pool of the prover's own, 1 to
    /// [`ProverBuilder::MAX_THREADS`](crate::ProverBuilder::MAX_THREADS); by default work runs in
    /// the caller's `rayon` pool.
    pub threads: Option<usize>,
}

/// How a proof of a compiled circuit gets a, b and c from its circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Synthesis {
    /// A witness pass, which builds no linear combination; the matrices kept from `compile` are
    /// multiplied with the witness in phase `evaluate`.
    #[default]
    Compiled,
    /// A direct pass, which builds every linear combination and evaluates it at once, in phase
    /// `synthesize`; three vectors of full-size values are uploaded.
    Direct,
}

impl Tuning {
    /// Every switch.
    pub const SWITCHES: &'static [Switch] = switch::SWITCHES;

    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`Tuning::lanes`].
    #[must_use]
    pub fn with_lanes(mut self, lanes: Lanes) -> Self {
        self.lanes = lanes;
        self
    }

    /// Sets [`Tuning::window_bits`].
    #[must_use]
    pub fn with_window_bits(mut self, window_bits: Option<u32>) -> Self {
        self.window_bits = window_bits;
        self
    }

    /// Sets [`Tuning::synthesis`].
    #[must_use]
    pub fn with_synthesis(mut self, synthesis: Synthesis) -> Self {
        self.synthesis = synthesis;
        self
    }

    /// Sets [`Tuning::capacity_hints`].
    #[must_use]
    pub fn with_capacity_hints(mut self, capacity_hints: bool) -> Self {
        self.capacity_hints = capacity_hints;
        self
    }

    /// Sets [`Tuning::host_memory`].
    #[must_use]
    pub fn with_host_memory(mut self, host_memory: HostMemory) -> Self {
        self.host_memory = host_memory;
        self
    }

    /// Sets [`Tuning::threads`].
    #[must_use]
    pub fn with_threads(mut self, threads: Option<usize>) -> Self {
        self.threads = threads;
        self
    }

    /// Sets one switch by its name to the value that a word names.
    ///
    /// # Errors
    /// [`TuningError::UnknownSwitch`], [`TuningError::ImpossibleValue`]; nothing is set then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), TuningError> {
        Switch::named(name)?.set(self, value)
    }

    /// As [`Tuning::set`], from `name=value`.
    ///
    /// # Errors
    /// As [`Tuning::set`]; [`TuningError::NotAPair`] without an equals sign.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), TuningError> {
        let (name, value) = pair.split_once('=').ok_or_else(|| TuningError::NotAPair {
            got: pair.to_owned(),
        })?;
        self.set(name.trim(), value.trim())
    }

    /// Refuses values of fields that no word names.
    pub(crate) fn check(&self) -> Result<(), TuningError> {
        let mut copy = *self;
        Self::SWITCHES
            .iter()
            .try_for_each(|switch| switch.set(&mut copy, &switch.value(self)))
    }

    pub(crate) fn msm_settings(&self) -> MsmSettings {
        MsmSettings {
            lanes: self.lanes,
            window_bits: self.window_bits,
        }
    }
}
