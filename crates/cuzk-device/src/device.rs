use std::fmt;
use std::sync::Arc;

use cust::sys::{self, CUcontext, CUdevice};
use cuzk_hostmem::{CopyOptions, CopyRates, HostCopies, HostMemory, PageLocker};

use crate::allocator::Allocator;
use crate::code::{check, check_dropped};
use crate::info::{check_not_forked, select};
use crate::module::Loaded;
use crate::{
    DeviceError, DeviceInfo, DeviceSelector, DriverVersion, PageRegistrar, driver_version,
};

/// How a device is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// The most bytes that buffers may hold at once; all that is there where `None`.
    pub budget_bytes: Option<usize>,
    /// How host memory comes to the device.
    pub host_memory: HostMemory,
    /// The sizes that go with that.
    pub copies: CopyOptions,
    /// What copies cost on this machine, by which [`HostMemory::Auto`] chooses; measured with the
    /// first large copy where `None`.
    pub copy_rates: Option<CopyRates>,
}

/// Memory of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Free for anybody.
    pub free_bytes: usize,
    /// What buffers of this device may hold at most: its memory in all, or the budget where that
    /// is less.
    pub total_bytes: usize,
    /// Held by buffers of this device.
    pub used_bytes: usize,
    /// The most that they have held.
    pub peak_bytes: usize,
    /// What [`Device::promise`] promised in all, which buffers may hold in part already.
    pub promised_bytes: usize,
}

/// An open device: its primary context and the memory that its buffers share.
///
/// A clone is the same device. It may be used from any thread; every operation makes its
/// context the thread's.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    // Declared, and so dropped, before the context that it needs.
    allocator: Allocator,
    loaded: Loaded,
    copies: HostCopies,
    registrar: PageRegistrar,
    context: Arc<Context>,
    info: DeviceInfo,
    driver: DriverVersion,
}

impl Device {
    /// Opens the one device that fits.
    ///
    /// # Errors
    /// [`DeviceError::UnknownDevice`] where none or several fit, [`DeviceError::DriverTooOld`]
    /// and [`DeviceError::ArchitectureTooOld`] where the kernels cannot run, or the first call
    /// that failed.
    pub fn open(selector: &DeviceSelector, options: &DeviceOptions) -> Result<Self, DeviceError> {
        let (device, info) = select(selector)?;
        let expected = cuzk_kernels::OLDEST_ARCHITECTURE;
        if info.architecture < expected {
            return Err(DeviceError::ArchitectureTooOld {
                name: info.name,
                expected,
                got: info.architecture,
            });
        }
        let driver = driver_version()?;
        let context = Arc::new(Context::retain(device, &info)?);
        context.enter()?;
        let allocator = Allocator::new(device, &info, options.budget_bytes)?;
        tracing::debug!(name = %info.name, uuid = %info.uuid, %driver, "opened a device");
        let registrar = PageRegistrar::of(&context);
        let copies = HostCopies::new(
            options.host_memory,
            info.registers_host_memory
                .then(|| -> Arc<dyn PageLocker> { Arc::new(registrar.clone()) }),
            options.copies,
        );
        if let Some(rates) = options.copy_rates {
            copies.set_rates(rates);
        }
        let inner = Inner {
            allocator,
            loaded: Loaded::default(),
            copies,
            registrar,
            context,
            info,
            driver,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// What the device is.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    pub(crate) fn loaded(&self) -> &Loaded {
        &self.inner.loaded
    }

    /// The version of the driver behind it.
    #[must_use]
    pub fn driver(&self) -> DriverVersion {
        self.inner.driver
    }

    /// Free and used memory.
    ///
    /// # Errors
    /// Where the driver does not say.
    pub fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        self.enter()?;
        let (free_bytes, total_bytes) = crate::allocator::free_and_total()?;
        let (used_bytes, peak_bytes) = self.inner.allocator.used_and_peak();
        Ok(MemoryInfo {
            free_bytes,
            total_bytes: self.inner.allocator.at_most(total_bytes),
            used_bytes,
            peak_bytes,
            promised_bytes: self.inner.allocator.promised_bytes(),
        })
    }

    /// The most bytes that buffers of this device have held since this was last asked, by whomever;
    /// it asks nothing of the driver.
    #[must_use]
    pub fn take_peak_bytes(&self) -> usize {
        self.inner.allocator.take_peak()
    }

    /// How host memory comes to the device, and what that costs.
    #[must_use]
    pub fn host_copies(&self) -> &HostCopies {
        &self.inner.copies
    }

    pub(crate) fn registrar(&self) -> &PageRegistrar {
        &self.inner.registrar
    }

    /// Gives memory back that freed buffers left with us, after all work of the device.
    ///
    /// # Errors
    /// A call that failed, or work that failed before.
    pub fn trim(&self) -> Result<(), DeviceError> {
        self.synchronize()?;
        self.inner.allocator.trim()
    }

    /// Waits for all work of the device.
    ///
    /// # Errors
    /// What that work met.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the thread has a context.
        check(unsafe { sys::cuCtxSynchronize() }, || {
            format!("waiting for {}", self.inner.info.name)
        })
    }

    /// Makes the context the thread's.
    pub(crate) fn enter(&self) -> Result<(), DeviceError> {
        self.inner.context.enter()
    }

    /// The same for a destructor: `false` where nothing may be called.
    pub(crate) fn enter_to_drop(&self) -> bool {
        match self.enter() {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(%error, "a device's resource was not released");
                false
            }
        }
    }

    /// The driver's handle, for contexts beside the primary one.
    pub(crate) fn raw(&self) -> CUdevice {
        self.inner.context.device
    }

    pub(crate) fn allocator(&self) -> &Allocator {
        &self.inner.allocator
    }

    /// Whether both are the same open device.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.inner.info).finish()
    }
}

/// A use of a device's primary context.
pub(crate) struct Context {
    raw: CUcontext,
    device: CUdevice,
}

// SAFETY: the driver's contexts may be used from any thread; the pointer is only a handle.
unsafe impl Send for Context {}
// SAFETY: as above; the functions that take the handle are thread-safe.
unsafe impl Sync for Context {}

impl Context {
    fn retain(device: CUdevice, info: &DeviceInfo) -> Result<Self, DeviceError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the place for the handle is there, and the device exists.
        let result = unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device) };
        check(result, || format!("opening {} ({})", info.name, info.uuid))?;
        Ok(Self { raw, device })
    }

    /// Makes it the thread's.
    pub(crate) fn enter(&self) -> Result<(), DeviceError> {
        check_not_forked()?;
        // SAFETY: the context is retained.
        check(unsafe { sys::cuCtxSetCurrent(self.raw) }, || {
            "entering a device".to_owned()
        })
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context").field(&self.raw).finish()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if cuzk_driver::forked().is_none() {
            // SAFETY: the context was retained once for this value.
            let result = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
            check_dropped(result, "a context");
        }
    }
}
