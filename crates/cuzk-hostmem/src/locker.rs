//! Registration of pages with a device, and its release.

use crate::LockError;
use std::{fmt::Debug, ptr::NonNull, sync::Arc};

/// Registers ranges of host memory with a device.
///
/// An implementation clears whatever state a refusal leaves behind, so that the next call
/// starts as if nothing had happened.
pub trait PageLocker: Send + Sync + Debug {
    /// Registers `bytes` bytes from `start`.
    ///
    /// # Errors
    /// The device's reason; the range is then not registered.
    ///
    /// # Safety
    /// The range is allocated, and stays so, at this address, until [`PageLocker::unlock`]
    /// has been called with the same `start`.
    unsafe fn lock(&self, start: NonNull<u8>, bytes: usize) -> Result<(), LockError>;

    /// Releases the range that was registered at `start`.
    ///
    /// # Errors
    /// The device's reason.
    ///
    /// # Safety
    /// [`PageLocker::lock`] succeeded for `start`, it has not been unlocked since, and the
    /// range is still allocated.
    unsafe fn unlock(&self, start: NonNull<u8>) -> Result<(), LockError>;

    /// Whether a range is known to be registered, by this or another locker of the device.
    fn is_locked(&self, start: NonNull<u8>, bytes: usize) -> bool {
        let _ = (start, bytes);
        false
    }
}

/// What became of the wish to register a buffer.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockOutcome {
    /// The strategy is pageable memory, or the buffer is empty.
    NotAsked,
    /// The pages are registered.
    Locked,
    /// There is no device that could register pages.
    NoLocker,
    /// The device refused; the buffer is pageable.
    Refused(LockError),
}

/// A registered range; dropping it releases the range, once.
///
/// Whoever holds a registration beside its memory drops the registration first.
#[derive(Debug)]
pub(crate) struct Registration {
    locker: Arc<dyn PageLocker>,
    start: NonNull<u8>,
}

// SAFETY: `start` is only an address to hand back to the locker, which is itself `Send` and
// `Sync`; no memory is reached through it here.
unsafe impl Send for Registration {}
// SAFETY: as above; there is no operation through a shared reference at all.
unsafe impl Sync for Registration {}

impl Registration {
    /// Registers `bytes` bytes from `start`.
    ///
    /// # Errors
    /// What the locker says.
    ///
    /// # Safety
    /// The range is allocated and outlives the returned value at the same address.
    pub(crate) unsafe fn hold(
        locker: Arc<dyn PageLocker>,
        start: NonNull<u8>,
        bytes: usize,
    ) -> Result<Self, LockError> {
        // SAFETY: by this function's own contract the range outlives the registration, and
        // only its drop calls `unlock`.
        unsafe { locker.lock(start, bytes) }?;
        Ok(Self { locker, start })
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // SAFETY: `hold` locked the range, its memory is still there by the contract of
        // `hold`, and a value is dropped once.
        if let Err(error) = unsafe { self.locker.unlock(self.start) } {
            // The system counts the device's references to the pages itself, so freeing the
            // memory after this is still sound; the device has lost an entry of its table.
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "pages stay registered"
            );
        }
    }
}
