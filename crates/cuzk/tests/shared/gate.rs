//! Circuits whose witness pass waits until it is let through.

use std::{
    any::Any,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuzk::{Circuit, ConstraintSystem, SynthesisError};

/// Closed until it is opened, once and for all.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.0.lock().expect("no panic") = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let open = self.0.0.lock().expect("no panic");
        drop(self.0.1.wait_while(open, |open| !*open).expect("no panic"));
    }
}

/// A circuit behind a gate.
pub(crate) struct Gated<C> {
    gate: Gate,
    circuit: C,
    dropped: Arc<AtomicUsize>,
    kept: Option<Arc<dyn Any + Send + Sync>>,
}

impl<C> Gated<C> {
    pub(crate) fn new(gate: &Gate, circuit: C) -> Gated<C> {
        Gated {
            gate: gate.clone(),
            circuit,
            dropped: Arc::default(),
            kept: None,
        }
    }

    /// Counts itself where it is dropped.
    pub(crate) fn counted(mut self, dropped: &Arc<AtomicUsize>) -> Self {
        self.dropped = Arc::clone(dropped);
        self
    }

    /// Keeps something until it is dropped.
    pub(crate) fn keeping(mut self, kept: &Arc<impl Any + Send + Sync>) -> Self {
        self.kept = Some(Arc::clone(kept) as _);
        self
    }
}

impl<C> Drop for Gated<C> {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

impl<C: Circuit + Copy> Circuit for Gated<C> {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.gate.pass();
        self.circuit.synthesize(cs)
    }
}
