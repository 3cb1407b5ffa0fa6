//! The buffer.

use crate::{
    AllocError,
    locker::{LockOutcome, PageLocker, Registration},
    pages::{Pages, zeroed_vec},
};
use bytemuck::Pod;
use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// An owned slice of plain data, registered with a device or not.
///
/// Made by a [`HostAllocator`](crate::HostAllocator). What it locked is unlocked before its
/// memory goes, whichever way it goes.
pub struct HostBuf<T: Pod> {
    // Declared, and so dropped, before the memory it registers.
    registration: Option<Registration>,
    outcome: LockOutcome,
    storage: Storage<T>,
}

enum Storage<T> {
    Vec(Vec<T>),
    Pages(Pages<T>),
}

impl<T: Pod> HostBuf<T> {
    pub(crate) fn pageable(values: Vec<T>, outcome: LockOutcome) -> Self {
        Self {
            registration: None,
            outcome,
            storage: Storage::Vec(values),
        }
    }

    /// A buffer on its own pages, registered if the locker agrees.
    pub(crate) fn registered(mut pages: Pages<T>, locker: Arc<dyn PageLocker>) -> Self {
        let (start, bytes) = (pages.start(), pages.page_bytes());
        // SAFETY: the pages are owned by the buffer made below, which frees them after it has
        // dropped the registration; a move of the buffer leaves them where they are.
        let (registration, outcome) = match unsafe { Registration::hold(locker, start, bytes) } {
            Ok(registration) => (Some(registration), LockOutcome::Locked),
            Err(error) => {
                tracing::warn!(
                    bytes,
                    error = &error as &dyn std::error::Error,
                    "registering host memory failed, the buffer stays pageable"
                );
                (None, LockOutcome::Refused(error))
            }
        };
        Self {
            registration,
            outcome,
            storage: Storage::Pages(pages),
        }
    }

    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match &self.storage {
            Storage::Vec(values) => values,
            Storage::Pages(pages) => pages.as_slice(),
        }
    }

    /// The elements, to be written, by several threads if split.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match &mut self.storage {
            Storage::Vec(values) => values,
            Storage::Pages(pages) => pages.as_mut_slice(),
        }
    }

    /// Whether the pages are registered with a device.
    #[must_use]
    pub fn locked(&self) -> bool {
        self.registration.is_some()
    }

    /// What became of the wish to register the pages.
    #[must_use]
    pub fn outcome(&self) -> &LockOutcome {
        &self.outcome
    }

    /// The elements as a vector, unlocked; free of cost for a pageable buffer, a copy for one
    /// on its own pages.
    ///
    /// # Errors
    /// [`AllocError`] if there is no memory for the copy; the buffer is gone then too.
    pub fn into_vec(self) -> Result<Vec<T>, AllocError> {
        drop(self.registration);
        match self.storage {
            Storage::Vec(values) => Ok(values),
            Storage::Pages(pages) => {
                let mut values = zeroed_vec(pages.as_slice().len())?;
                values.copy_from_slice(pages.as_slice());
                Ok(values)
            }
        }
    }
}

impl<T: Pod> Deref for HostBuf<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Pod> DerefMut for HostBuf<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T: Pod> AsRef<[T]> for HostBuf<T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

/// Length and state only: the contents can be gigabytes.
impl<T: Pod> fmt::Debug for HostBuf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuf")
            .field("len", &self.as_slice().len())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
