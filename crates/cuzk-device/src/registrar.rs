use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use cust::sys;
use cuzk_hostmem::{LockError, PageLocker};

use crate::code::check;
use crate::device::Context;
use crate::{Device, DeviceError};

/// Registers host memory with the driver, so that copies to every device need no detour.
#[derive(Debug, Clone)]
pub struct PageRegistrar {
    context: Arc<Context>,
    /// Starts and bytes of what is registered through this device.
    ranges: Arc<Mutex<BTreeMap<usize, usize>>>,
}

impl PageRegistrar {
    /// A registrar through this device; the registration serves all devices.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        device.registrar().clone()
    }

    pub(crate) fn of(context: &Arc<Context>) -> Self {
        Self {
            context: Arc::clone(context),
            ranges: Arc::default(),
        }
    }

    fn with_ranges<T>(&self, act: impl FnOnce(&mut BTreeMap<usize, usize>) -> T) -> T {
        act(&mut self.ranges.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn register(&self, start: NonNull<u8>, bytes: usize) -> Result<(), DeviceError> {
        self.context.enter()?;
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
        // SAFETY: the range is allocated until it is unregistered, as the trait's caller
        // promises.
        let result = unsafe { sys::cuMemHostRegister_v2(start.as_ptr().cast(), bytes, flags) };
        check(result, || {
            format!("registering {bytes} bytes of host memory")
        })?;
        self.with_ranges(|ranges| ranges.insert(start.addr().get(), bytes));
        Ok(())
    }

    fn unregister(&self, start: NonNull<u8>) -> Result<(), DeviceError> {
        // Whatever comes: nobody may count on it any more.
        self.with_ranges(|ranges| ranges.remove(&start.addr().get()));
        self.context.enter()?;
        // SAFETY: the range was registered at this address.
        let result = unsafe { sys::cuMemHostUnregister(start.as_ptr().cast()) };
        check(result, || "unregistering host memory".to_owned())
    }
}

impl PageLocker for PageRegistrar {
    unsafe fn lock(&self, start: NonNull<u8>, bytes: usize) -> Result<(), LockError> {
        self.register(start, bytes).map_err(LockError::lock)
    }

    unsafe fn unlock(&self, start: NonNull<u8>) -> Result<(), LockError> {
        self.unregister(start).map_err(LockError::unlock)
    }

    fn is_locked(&self, start: NonNull<u8>, bytes: usize) -> bool {
        let start = start.addr().get();
        self.with_ranges(|ranges| {
            let before = ranges.range(..=start).next_back();
            before.is_some_and(|(from, len)| bytes <= len.saturating_sub(start - from))
        })
    }
}
