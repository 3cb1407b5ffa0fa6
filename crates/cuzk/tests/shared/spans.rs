//! The spans of `tracing` that work opened, in all its threads.

use std::{
    fmt::Debug,
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// A span that was opened.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    numbers: Vec<(&'static str, u64)>,
}

impl Span {
    /// The number in one of its fields.
    pub(crate) fn number(&self, field: &str) -> Option<u64> {
        let found = self.numbers.iter().find(|(name, _)| *name == field);
        found.map(|&(_, number)| number)
    }
}

/// The spans opened while a piece of work ran. Pieces of work wait for each other.
pub(crate) fn recorded<T>(work: impl FnOnce() -> T) -> (T, Vec<Span>) {
    static INSTALLED: Once = Once::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    INSTALLED.call_once(|| {
        tracing::subscriber::set_global_default(Recorder).expect("the first of this process");
    });
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    opened().clear();
    let result = work();
    (result, opened().clone())
}

fn opened() -> MutexGuard<'static, Vec<Span>> {
    static OPENED: Mutex<Vec<Span>> = Mutex::new(Vec::new());
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Recorder;

impl Visit for Span {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.numbers.push((field.name(), value));
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut span = Span {
            name: attributes.metadata().name(),
            numbers: Vec::new(),
        };
        attributes.record(&mut span);
        opened().push(span);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
