//! Copies to a device by strategy.

use crate::{
    CopyOptions, CopyRates, CopyTarget, HostMemory, PageLocker, Prediction, locker::Registration,
    measure::measure, pages::PAGE_BYTES, ring::StagingRing,
};
use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// A part of a copy, told when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyStep {
    /// Pages are registered.
    Pin,
    /// Bytes are copied.
    Copy,
    /// Pages are released.
    Unpin,
}

/// How a copy went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// Bytes copied.
    pub bytes: usize,
    /// How they were copied: never [`HostMemory::Auto`].
    pub strategy: HostMemory,
    /// What was predicted, where [`HostMemory::Auto`] chose.
    pub prediction: Option<Prediction>,
    /// From the first step to the end of the last.
    pub elapsed: Duration,
}

/// Copies of host memory to one device, by one strategy.
///
/// Large copies by registration or staging come one after the other: they share the buffers, and
/// the bus.
#[derive(Debug, Default)]
pub struct HostCopies {
    strategy: HostMemory,
    locker: Option<Arc<dyn PageLocker>>,
    options: CopyOptions,
    ring: Mutex<Ring>,
    rates: OnceLock<CopyRates>,
    last: Mutex<Option<CopyReport>>,
}

#[derive(Debug, Default)]
pub(crate) enum Ring {
    #[default]
    NotMade,
    Made(StagingRing),
    /// Once is enough to know.
    Refused,
}

/// With fewer bytes a machine is not measured: that takes longer than a wrong choice, and tells
/// little of larger copies.
const LEAST_MEASURED: usize = 64 << 20;

impl HostCopies {
    /// Copies by this strategy; without a locker all are pageable.
    #[must_use]
    pub fn new(
        strategy: HostMemory,
        locker: Option<Arc<dyn PageLocker>>,
        options: CopyOptions,
    ) -> Self {
        Self {
            strategy,
            locker,
            options,
            ..Self::default()
        }
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> HostMemory {
        self.strategy
    }

    /// What copies cost here, if that is known.
    #[must_use]
    pub fn rates(&self) -> Option<&CopyRates> {
        self.rates.get()
    }

    /// Sets what copies cost, unless that is known already.
    pub fn set_rates(&self, rates: CopyRates) {
        let _ = self.rates.set(rates);
    }

    /// How the last copy went that was not too small for a strategy.
    #[must_use]
    pub fn last(&self) -> Option<CopyReport> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Measures what copies cost, with the bytes and the place of a copy, and keeps the figures
    /// unless there are some.
    ///
    /// # Errors
    /// What the copies met.
    pub fn measure<T: CopyTarget>(&self, from: &[u8], to: &T) -> Result<CopyRates, T::Error> {
        let mut ring = self.ring();
        let locker = self.locker.as_ref();
        let rates = measure(from, to, locker, self.staged(&mut ring))?;
        tracing::debug!(%rates, "measured copies");
        Ok(*self.rates.get_or_init(|| rates))
    }

    /// Copies all bytes to a place, and waits for that. `begins` is told of every step.
    ///
    /// # Errors
    /// What the copies met; nothing reads `from` any more. A refusal to register is none: the
    /// bytes are then copied as they are, with a warning.
    pub fn copy<T: CopyTarget>(
        &self,
        from: &[u8],
        to: &T,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<CopyReport, T::Error> {
        let plainly = self.strategy == HostMemory::Pageable || self.locker.is_none();
        if from.len() < self.options.least_bytes || plainly {
            return plain(from, to, begins);
        }
        let (strategy, prediction) = self.choose(from, to)?;
        let outcome = match strategy {
            HostMemory::Registered => self.registered(from, to, begins),
            HostMemory::Staged => match self.staged(&mut self.ring()) {
                Some(ring) => staged(ring, from, to, begins),
                None => plain(from, to, begins),
            },
            HostMemory::Pageable | HostMemory::Auto => plain(from, to, begins),
        };
        let report = CopyReport {
            prediction,
            ..outcome?
        };
        tracing::debug!(
            bytes = report.bytes,
            strategy = %report.strategy,
            took_us = report.elapsed.as_micros() as u64,
            predicted_us = prediction
                .and_then(|prediction| prediction.of(report.strategy))
                .map(|time| time.as_micros() as u64),
            "copied to the device"
        );
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
        Ok(report)
    }

    /// The strategy for these bytes, and what it was chosen by.
    fn choose<T: CopyTarget>(
        &self,
        from: &[u8],
        to: &T,
    ) -> Result<(HostMemory, Option<Prediction>), T::Error> {
        if self.is_locked(from) {
            return Ok((HostMemory::Pageable, None));
        }
        if self.strategy != HostMemory::Auto {
            return Ok((self.strategy, None));
        }
        let rates = match self.rates.get() {
            Some(rates) => *rates,
            None if from.len() < LEAST_MEASURED => CopyRates::assumed(),
            None => self.measure(from, to)?,
        };
        let prediction = rates.predict(from.len(), 1);
        Ok((prediction.best, Some(prediction)))
    }

    /// Whether the bytes are registered already, so that there is nothing to do but to copy.
    fn is_locked(&self, from: &[u8]) -> bool {
        let locker = self.locker.as_ref();
        locker.is_some_and(|locker| locker.is_locked(NonNull::from(from).cast(), from.len()))
    }

    /// Registers the whole pages among the bytes, copies, and releases them.
    fn registered<T: CopyTarget>(
        &self,
        from: &[u8],
        to: &T,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<CopyReport, T::Error> {
        // Nobody else registers the same pages meanwhile.
        let _ring = self.ring();
        let started = Instant::now();
        let Some(locker) = &self.locker else {
            return plain(from, to, begins);
        };
        begins(CopyStep::Pin);
        let parts = Parts::of(from);
        let Some(registration) = parts.register(locker) else {
            return plain(from, to, begins);
        };
        begins(CopyStep::Copy);
        let copied = parts.copy(to);
        begins(CopyStep::Unpin);
        drop(registration);
        copied?;
        Ok(CopyReport {
            bytes: from.len(),
            strategy: HostMemory::Registered,
            prediction: None,
            elapsed: started.elapsed(),
        })
    }

    /// The ring, made when it is first needed.
    fn staged<'a>(&self, ring: &'a mut Ring) -> Option<&'a mut StagingRing> {
        if let (Ring::NotMade, Some(locker)) = (&*ring, &self.locker) {
            let made = StagingRing::new(&self.options, locker);
            *ring = made.map_or(Ring::Refused, Ring::Made);
        }
        match ring {
            Ring::Made(ring) => Some(ring),
            Ring::NotMade | Ring::Refused => None,
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes by whole pages, and what stands before and behind them.
pub(crate) struct Parts<'a> {
    before: &'a [u8],
    pages: &'a [u8],
    behind: &'a [u8],
}

impl<'a> Parts<'a> {
    pub(crate) fn of(from: &'a [u8]) -> Self {
        let start = from.as_ptr().addr();
        let before = (start.next_multiple_of(PAGE_BYTES) - start).min(from.len());
        let (before, rest) = from.split_at(before);
        let (pages, behind) = rest.split_at(rest.len() / PAGE_BYTES * PAGE_BYTES);
        Self {
            before,
            pages,
            behind,
        }
    }

    /// Registers the pages; nothing where there are none, or the locker refuses, with a warning.
    ///
    /// The pages are borrowed for longer than the registration, which does not leave this crate.
    pub(crate) fn register(&self, locker: &Arc<dyn PageLocker>) -> Option<Registration> {
        let bytes = self.pages.len();
        if bytes == 0 {
            return None;
        }
        let start = NonNull::from(self.pages).cast();
        // SAFETY: callers drop the registration before the borrow of the pages ends, and do not
        // forget it; nobody frees borrowed memory.
        let outcome = unsafe { Registration::hold(Arc::clone(locker), start, bytes) };
        outcome
            .inspect_err(|error| {
                tracing::warn!(
                    bytes,
                    error = error as &dyn std::error::Error,
                    "registering host memory failed, it is copied as it is"
                );
            })
            .ok()
    }

    pub(crate) fn copy<T: CopyTarget>(&self, to: &T) -> Result<(), T::Error> {
        let enqueue = || {
            let pages_at = self.before.len();
            let behind_at = pages_at + self.pages.len();
            let parts = [
                (pages_at, self.pages),
                (0, self.before),
                (behind_at, self.behind),
            ];
            let mut parts = parts.iter().filter(|(_, part)| !part.is_empty());
            // SAFETY: the bytes are borrowed until the copies were waited for below.
            parts.try_for_each(|(offset, part)| unsafe { to.copy(*offset, part) })
        };
        let enqueued = enqueue();
        let finished = to.finish();
        enqueued.and(finished)
    }
}

fn plain<T: CopyTarget>(
    from: &[u8],
    to: &T,
    begins: &mut dyn FnMut(CopyStep),
) -> Result<CopyReport, T::Error> {
    let started = Instant::now();
    begins(CopyStep::Copy);
    copy_plain(from, to)?;
    Ok(CopyReport {
        bytes: from.len(),
        strategy: HostMemory::Pageable,
        prediction: None,
        elapsed: started.elapsed(),
    })
}

pub(crate) fn copy_plain<T: CopyTarget>(from: &[u8], to: &T) -> Result<(), T::Error> {
    // SAFETY: the bytes are borrowed until the copy was waited for below.
    let enqueued = unsafe { to.copy(0, from) };
    let finished = to.finish();
    enqueued.and(finished)
}

fn staged<T: CopyTarget>(
    ring: &mut StagingRing,
    from: &[u8],
    to: &T,
    begins: &mut dyn FnMut(CopyStep),
) -> Result<CopyReport, T::Error> {
    let started = Instant::now();
    begins(CopyStep::Copy);
    ring.copy(from, to)?;
    Ok(CopyReport {
        bytes: from.len(),
        strategy: HostMemory::Staged,
        prediction: None,
        elapsed: started.elapsed(),
    })
}
