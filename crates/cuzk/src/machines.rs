//! The machines of a prover, and which of them a circuit gets.

use std::sync::Arc;

use cuzk_cpu::Cpu;

#[cfg(feature = "cuda")]
use crate::cuda::{DeviceChoice, MaybeCuda};
use crate::{Backend, Error, Tuning, machine::Machine};

#[derive(Debug)]
pub(crate) enum Machines {
    /// One, for every circuit.
    One(Arc<dyn Machine>),
    /// The processor for small circuits, and for large ones where no device is usable.
    #[cfg(feature = "cuda")]
    Either(Arc<Cpu>, Box<MaybeCuda>),
}

/// The fewest rows for which a device is opened.
///
/// From 2^8 rows on, the fewest that were measured, an H200 proves sooner than the 16 threads of
/// its host, all the sooner the more rows there are
/// (`benchmarks/record/nvidia-h200/2026-11-30-small-circuits.json`). To open the device and to try
/// it takes a quarter of a second, once, and some seconds where the driver has not compiled the
/// kernels yet: who proves one small circuit and ends asks for the processor.
const ROWS_FOR_A_DEVICE: usize = 1 << 8;

/// The fewest rows for which a device makes parameters.
///
/// At 2^16 the products take an H200 65 ms and the 32 threads of its host 84, at 2^18 59 and 447
/// (2026-11-30). Below that nothing is won for the kernels that are loaded for it, which the
/// driver compiles for three seconds the first time.
const ROWS_FOR_A_SETUP: usize = 1 << 16;

impl Machines {
    pub(crate) fn new(
        choice: Backend,
        tuning: Tuning,
        #[cfg(feature = "cuda")] device: DeviceChoice,
    ) -> Result<Self, Error> {
        let cpu = Arc::new(Cpu::with_options(tuning.cpu_options()));
        match choice {
            #[cfg(feature = "cuda")]
            Backend::Auto => {
                let cuda = MaybeCuda::new(device.tuned(&tuning));
                Ok(Self::Either(cpu, Box::new(cuda)))
            }
            #[cfg(not(feature = "cuda"))]
            Backend::Auto => Ok(Self::One(cpu)),
            Backend::Cpu => Ok(Self::One(cpu)),
            #[cfg(feature = "cuda")]
            Backend::Cuda => Ok(Self::One(device.tuned(&tuning).open()?)),
            #[cfg(not(feature = "cuda"))]
            Backend::Cuda => Err(Error::NotBuilt { backend: choice }),
        }
    }

    /// The machine for a circuit of so many rows.
    pub(crate) fn for_rows(&self, rows: usize) -> Arc<dyn Machine> {
        self.device_from(ROWS_FOR_A_DEVICE, rows)
    }

    /// The machine for the parameters of a circuit of so many rows.
    pub(crate) fn for_setup(&self, rows: usize) -> Arc<dyn Machine> {
        self.device_from(ROWS_FOR_A_SETUP, rows)
    }

    /// The best machine from so many rows on, and the processor below.
    #[cfg_attr(
        not(feature = "cuda"),
        expect(unused_variables, reason = "one machine")
    )]
    fn device_from(&self, least: usize, rows: usize) -> Arc<dyn Machine> {
        match self {
            Self::One(machine) => Arc::clone(machine),
            #[cfg(feature = "cuda")]
            Self::Either(cpu, cuda) => match rows >= least {
                true => cuda.get().unwrap_or_else(|| cpu.clone()),
                false => cpu.clone(),
            },
        }
    }

    /// Another machine for a circuit for which this one has no room; nothing where the machine
    /// was asked for by name, or is the last.
    #[cfg_attr(
        not(feature = "cuda"),
        expect(unused_variables, reason = "one machine")
    )]
    pub(crate) fn instead_of(&self, machine: &dyn Machine) -> Option<Arc<dyn Machine>> {
        match self {
            Self::One(_) => None,
            #[cfg(feature = "cuda")]
            Self::Either(cpu, _) => (Machine::name(&**cpu) != machine.name())
                .then(|| -> Arc<dyn Machine> { cpu.clone() }),
        }
    }

    /// The machine of which a report says that it ran there, before a circuit is known.
    pub(crate) fn usual(&self) -> Arc<dyn Machine> {
        match self {
            Self::One(machine) => Arc::clone(machine),
            #[cfg(feature = "cuda")]
            Self::Either(cpu, cuda) => cuda.if_open().unwrap_or_else(|| cpu.clone()),
        }
    }
}
