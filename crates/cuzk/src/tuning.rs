mod bytes;
mod error;
mod nearest;
mod switch;
#[cfg(test)]
mod tests;
mod text;

use cuzk_backend::{Ones, WindowBits, WitnessSchedule};
use cuzk_cpu::CpuOptions;
use cuzk_hostmem::HostMemory;
use cuzk_lanes::Lanes;
use cuzk_phase::Measure;

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
/// assert_eq!(tuning.window_bits.any, Some(12));
/// assert_eq!(Tuning::from_toml(&tuning.to_toml())?, tuning);
/// # Ok::<(), cuzk::TuningError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Field arithmetic of the CPU backend: eight lanes where the processor has them (the
    /// default), or the portable twin.
    pub lanes: Lanes,
    /// Bits of a window of the sums, of all or of single ones, 2 to 20; by default the plan of
    /// each sum chooses by its size.
    pub window_bits: WindowBits,
    /// How the points whose variable is one are summed.
    pub ones: Ones,
    /// Whether the CPU backend sums over the B query in G2 while it makes the other sums; by
    /// default one sum follows the other, each in all threads.
    pub parallel_b_g2: bool,
    /// How a CUDA device sums buckets; by default the plan of each sum chooses.
    pub msm_method: MsmMethod,
    /// Multiples of the fixed bases that a CUDA device keeps; none by default.
    pub precompute: Precompute,
    /// Streams that share the buckets of a sum on a CUDA device, 1 or 2, the default.
    pub streams: u32,
    /// When a CUDA device makes the sums over the L, A and B queries, by default beside the
    /// quotient where the memory plan has room.
    pub witness_sums: WitnessSchedule,
    /// In which form a key is prepared for the quotient.
    pub quotient: Quotient,
    /// How a proof of a compiled circuit gets a, b and c from its circuit.
    pub synthesis: Synthesis,
    /// Whether a direct pass of a compiled circuit reserves all its memory before it starts; by
    /// default its vectors grow.
    pub capacity_hints: bool,
    /// Whether the linear combinations of a direct pass hold their first terms themselves, the
    /// default, or are given memory for them.
    pub inline_terms: bool,
    /// The most circuits of a batch that are synthesized and proved together, 1 to 256; by
    /// default all.
    pub batch_size: Option<usize>,
    /// How parameters and witnesses come from host memory to a CUDA device; by default as what
    /// was measured of the machine says for each copy.
    pub host_memory: HostMemory,
    /// The most bytes that a prover holds on a CUDA device; a key that does not fit is streamed in
    /// parts for every proof. By default what is free.
    pub memory_budget: Option<usize>,
    /// How much of its own work a prover measures; everything by default.
    pub measure: Measure,
    /// Threads of a pool of the prover's own, 1 to
    /// [`ProverBuilder::MAX_THREADS`](crate::ProverBuilder::MAX_THREADS); by default work runs in
    /// the caller's `rayon` pool.
    pub threads: Option<usize>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            lanes: Lanes::default(),
            window_bits: WindowBits::default(),
            ones: Ones::default(),
            parallel_b_g2: false,
            msm_method: MsmMethod::default(),
            precompute: Precompute::default(),
            streams: 2,
            witness_sums: WitnessSchedule::Beside,
            quotient: Quotient::default(),
            synthesis: Synthesis::default(),
            capacity_hints: false,
            inline_terms: true,
            batch_size: None,
            host_memory: HostMemory::Auto,
            memory_budget: None,
            measure: Measure::default(),
            threads: None,
        }
    }
}

/// How a CUDA device sums buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MsmMethod {
    /// As the plan of each sum predicts to be shorter.
    #[default]
    Auto,
    /// In pairs in affine coordinates, with inversions made together.
    Affine,
    /// One after the other in XYZZ coordinates.
    Xyzz,
}

/// Multiples of each base of the H query, and of the L query with [`Ones::Pippenger`], that a
/// CUDA device keeps, so that fewer windows have buckets of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Precompute {
    /// The base alone.
    #[default]
    Off,
    /// As many as the plan finds useful in a quarter of the free memory.
    Auto,
    /// At most so many, 2 to 16, the base among them.
    AtMost(u32),
}

/// In which form a key is prepared for the quotient of its proofs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Quotient {
    /// As the parameters are: seven transforms give the coefficients of the quotient, whose sum
    /// over the H query is made.
    #[default]
    Seven,
    /// With H and L queries derived from the parameters' when the key is prepared: four
    /// transforms give the values of a·b on the coset, and nothing is multiplied with C. Deriving
    /// takes about n·log₂ n multiples of points; see
    /// [`ProverBuilder::cache`](crate::ProverBuilder::cache). Proofs without matrices, made once
    /// for a key, take seven.
    Four,
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

    /// Sets [`Tuning::window_bits`], of all sums or of single ones.
    #[must_use]
    pub fn with_window_bits(mut self, window_bits: impl Into<WindowBits>) -> Self {
        self.window_bits = window_bits.into();
        self
    }

    /// Sets [`Tuning::ones`].
    #[must_use]
    pub fn with_ones(mut self, ones: Ones) -> Self {
        self.ones = ones;
        self
    }

    /// Sets [`Tuning::parallel_b_g2`].
    #[must_use]
    pub fn with_parallel_b_g2(mut self, parallel_b_g2: bool) -> Self {
        self.parallel_b_g2 = parallel_b_g2;
        self
    }

    /// Sets [`Tuning::msm_method`].
    #[must_use]
    pub fn with_msm_method(mut self, msm_method: MsmMethod) -> Self {
        self.msm_method = msm_method;
        self
    }

    /// Sets [`Tuning::precompute`].
    #[must_use]
    pub fn with_precompute(mut self, precompute: Precompute) -> Self {
        self.precompute = precompute;
        self
    }

    /// Sets [`Tuning::witness_sums`].
    #[must_use]
    pub fn with_witness_sums(mut self, schedule: WitnessSchedule) -> Self {
        self.witness_sums = schedule;
        self
    }

    /// Sets [`Tuning::streams`].
    #[must_use]
    pub fn with_streams(mut self, streams: u32) -> Self {
        self.streams = streams;
        self
    }

    /// Sets [`Tuning::inline_terms`].
    #[must_use]
    pub fn with_inline_terms(mut self, inline_terms: bool) -> Self {
        self.inline_terms = inline_terms;
        self
    }

    /// Sets [`Tuning::batch_size`].
    #[must_use]
    pub fn with_batch_size(mut self, batch_size: Option<usize>) -> Self {
        self.batch_size = batch_size;
        self
    }

    /// Sets [`Tuning::quotient`].
    #[must_use]
    pub fn with_quotient(mut self, quotient: Quotient) -> Self {
        self.quotient = quotient;
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

    /// Sets [`Tuning::memory_budget`].
    #[must_use]
    pub fn with_memory_budget(mut self, bytes: Option<usize>) -> Self {
        self.memory_budget = bytes;
        self
    }

    /// Sets [`Tuning::measure`].
    #[must_use]
    pub fn with_measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
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

    pub(crate) fn cpu_options(&self) -> CpuOptions {
        CpuOptions {
            lanes: self.lanes,
            window_bits: self.window_bits,
            ones: self.ones,
            parallel_b_g2: self.parallel_b_g2,
        }
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn cuda_options(&self) -> cuzk_cuda::CudaOptions {
        use cuzk_cuda::{Method, Streams, Tables};
        cuzk_cuda::CudaOptions {
            method: match self.msm_method {
                MsmMethod::Auto => None,
                MsmMethod::Affine => Some(Method::BatchAffine),
                MsmMethod::Xyzz => Some(Method::Xyzz),
            },
            window_bits: self.window_bits,
            tables: match self.precompute {
                Precompute::Off => Tables::Off,
                Precompute::Auto => Tables::Auto,
                Precompute::AtMost(tables) => Tables::AtMost(tables),
            },
            ones: self.ones,
            streams: match self.streams {
                1 => Streams::One,
                _ => Streams::Two,
            },
            schedule: self.witness_sums,
        }
    }
}
