//! Making of buffers by strategy.

use crate::{
    AllocError, CopyRates,
    buffer::HostBuf,
    locker::{LockOutcome, PageLocker},
    pages::{Pages, zeroed_vec},
    strategy::HostMemory,
};
use bytemuck::Pod;
use std::sync::Arc;

/// Makes buffers by one strategy; a value to be passed around and cloned.
#[derive(Debug, Clone, Default)]
pub struct HostAllocator {
    strategy: HostMemory,
    locker: Option<Arc<dyn PageLocker>>,
    rates: Option<CopyRates>,
    uses: u32,
}

impl HostAllocator {
    /// An allocator of this strategy.
    ///
    /// Without a locker, [`HostMemory::Registered`] gives pageable buffers, each of which
    /// says so in its [`LockOutcome`].
    #[must_use]
    pub fn new(strategy: HostMemory, locker: Option<Arc<dyn PageLocker>>) -> Self {
        if strategy == HostMemory::Registered && locker.is_none() {
            tracing::warn!("registered host memory asked for without a device to register it");
        }
        Self {
            strategy,
            locker,
            ..Self::default()
        }
    }

    /// The costs by which [`HostMemory::Auto`] chooses; assumed ones by default.
    #[must_use]
    pub fn with_rates(mut self, rates: CopyRates) -> Self {
        self.rates = Some(rates);
        self
    }

    /// How many times a buffer will be copied to a device, for [`HostMemory::Auto`]; once by
    /// default.
    #[must_use]
    pub fn with_uses(mut self, uses: u32) -> Self {
        self.uses = uses;
        self
    }

    /// An allocator of ordinary memory.
    #[must_use]
    pub fn pageable() -> Self {
        Self::default()
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> HostMemory {
        self.strategy
    }

    /// A buffer of `len` zeros, whose pages the system provides when they are first touched.
    ///
    /// Registering untouched pages is seven times as dear as registering touched ones, so
    /// prefer [`HostAllocator::filled`] where the contents are at hand.
    ///
    /// # Errors
    /// [`AllocError`] if there is not so much memory.
    pub fn zeroed<T: Pod>(&self, len: usize) -> Result<HostBuf<T>, AllocError> {
        self.filled(len, |_| Ok(()))
    }

    /// A buffer of `len` elements that `fill` writes, registered after that.
    ///
    /// `fill` sees zeros; it may split the slice among threads.
    ///
    /// # Errors
    /// [`AllocError`] if there is not so much memory, or the error of `fill`. A refusal to
    /// register is not an error: see [`HostBuf::outcome`].
    pub fn filled<T: Pod, E: From<AllocError>>(
        &self,
        len: usize,
        fill: impl FnOnce(&mut [T]) -> Result<(), E>,
    ) -> Result<HostBuf<T>, E> {
        match self.pages_for::<T>(len) {
            Ok(locker) => {
                let mut pages = Pages::zeroed(len)?;
                fill(pages.as_mut_slice())?;
                Ok(HostBuf::registered(pages, locker))
            }
            Err(outcome) => {
                let mut values = zeroed_vec(len)?;
                fill(&mut values)?;
                Ok(HostBuf::pageable(values, outcome))
            }
        }
    }

    /// A buffer with the elements of `values`; a copy only where they are to be registered.
    ///
    /// # Errors
    /// [`AllocError`] if there is no memory for the copy.
    pub fn from_vec<T: Pod>(&self, values: Vec<T>) -> Result<HostBuf<T>, AllocError> {
        match self.pages_for::<T>(values.len()) {
            Err(outcome) => Ok(HostBuf::pageable(values, outcome)),
            Ok(_) => self.filled(values.len(), |slice| {
                slice.copy_from_slice(&values);
                Ok(())
            }),
        }
    }

    /// The locker for a buffer of `len` elements, or why it is to be pageable.
    fn pages_for<T>(&self, len: usize) -> Result<Arc<dyn PageLocker>, LockOutcome> {
        let strategy = match self.strategy {
            HostMemory::Auto => {
                let rates = self.rates.unwrap_or_else(CopyRates::assumed);
                let bytes = len.saturating_mul(size_of::<T>());
                rates.predict(bytes, self.uses).best
            }
            other => other,
        };
        // Devices refuse to register nothing.
        if strategy != HostMemory::Registered || len == 0 {
            return Err(LockOutcome::NotAsked);
        }
        self.locker.clone().ok_or(LockOutcome::NoLocker)
    }
}
