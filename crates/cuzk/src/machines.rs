//! The machines of a prover, and which of them a circuit gets.

use std::sync::Arc;

use cuzk_cpu::Cpu;

use crate::{Backend, Error, Tuning, machine::Machine};

#[derive(Debug)]
pub(crate) struct Machines {
    cpu: Arc<Cpu>,
}

impl Machines {
    pub(crate) fn new(choice: Backend, tuning: Tuning) -> Result<Self, Error> {
        match choice {
            Backend::Auto | Backend::Cpu => Ok(Self {
                cpu: Arc::new(Cpu::new(tuning.lanes)),
            }),
        }
    }

    /// The machine for a circuit of so many rows.
    pub(crate) fn for_rows(&self, _rows: usize) -> Arc<dyn Machine> {
        self.cpu.clone()
    }

    /// The machine of which a report says that it ran there, before a circuit is known.
    pub(crate) fn usual(&self) -> Arc<dyn Machine> {
        self.cpu.clone()
    }
}
