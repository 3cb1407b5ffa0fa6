use std::ptr::NonNull;

use cust::sys;
use cuzk_hostmem::{LockError, PageLocker};

use crate::code::check;
use crate::{Device, DeviceError};

/// Registers host memory with the driver, so that copies to every device need no detour.
#[derive(Debug)]
pub struct PageRegistrar {
    device: Device,
}

impl PageRegistrar {
    /// A registrar through this device; the registration serves all devices.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self {
            device: device.clone(),
        }
    }

    fn register(&self, start: NonNull<u8>, bytes: usize) -> Result<(), DeviceError> {
        self.device.enter()?;
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
        // SAFETY: the range is allocated until it is unregistered, as the trait's caller
        // promises.
        let result = unsafe { sys::cuMemHostRegister_v2(start.as_ptr().cast(), bytes, flags) };
        check(result, || {
            format!("registering {bytes} bytes of host memory")
        })
    }

    fn unregister(&self, start: NonNull<u8>) -> Result<(), DeviceError> {
        self.device.enter()?;
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
}
