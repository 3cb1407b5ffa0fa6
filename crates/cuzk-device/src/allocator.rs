//! Device memory: a pool in the order of streams where the device has one, and the budget.

use std::sync::atomic::{AtomicUsize, Ordering};

use cust::sys::{self, CUdevice, CUdeviceptr, CUmemoryPool, CUresult};

use crate::code::{DriverCode, OUT_OF_MEMORY, answer, check, check_dropped};
use crate::{DeviceError, DeviceInfo, Stream};

pub(crate) struct Allocator {
    /// Null where the device has none.
    pool: CUmemoryPool,
    budget_bytes: Option<usize>,
    used_bytes: AtomicUsize,
    promised_bytes: AtomicUsize,
    peak_bytes: AtomicUsize,
    /// The most that were used since the last reading of this.
    recent_peak_bytes: AtomicUsize,
}

// SAFETY: the pool is a handle, and the functions that take it are thread-safe.
unsafe impl Send for Allocator {}
// SAFETY: as above.
unsafe impl Sync for Allocator {}

impl Allocator {
    /// For the device whose context the thread has.
    pub(crate) fn new(
        device: CUdevice,
        info: &DeviceInfo,
        budget_bytes: Option<usize>,
    ) -> Result<Self, DeviceError> {
        let pool = if info.has_pools {
            create_pool(device)?
        } else {
            std::ptr::null_mut()
        };
        Ok(Self {
            pool,
            budget_bytes,
            used_bytes: AtomicUsize::new(0),
            promised_bytes: AtomicUsize::new(0),
            peak_bytes: AtomicUsize::new(0),
            recent_peak_bytes: AtomicUsize::new(0),
        })
    }

    /// What the budget leaves of so many bytes.
    pub(crate) fn at_most(&self, bytes: usize) -> usize {
        self.budget_bytes.unwrap_or(usize::MAX).min(bytes)
    }

    pub(crate) fn used_and_peak(&self) -> (usize, usize) {
        let used = self.used_bytes.load(Ordering::Relaxed);
        (used, self.peak_bytes.load(Ordering::Relaxed))
    }

    pub(crate) fn promised_bytes(&self) -> usize {
        self.promised_bytes.load(Ordering::Relaxed)
    }

    /// Adds to what is promised, up to so much.
    pub(crate) fn promise(&self, bytes: usize, most_bytes: usize) -> Result<(), DeviceError> {
        let add = |sum: usize| sum.checked_add(bytes).filter(|sum| *sum <= most_bytes);
        let order = Ordering::Relaxed;
        let added = self.promised_bytes.fetch_update(order, order, add);
        added
            .map(|_| ())
            .map_err(|used_bytes| DeviceError::OverBudget {
                asked_bytes: bytes,
                used_bytes,
                budget_bytes: most_bytes,
            })
    }

    pub(crate) fn promised_no_more(&self, bytes: usize) {
        self.promised_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The most that were used since this was last asked.
    pub(crate) fn take_peak(&self) -> usize {
        let used = self.used_bytes.load(Ordering::Relaxed);
        self.recent_peak_bytes
            .swap(used, Ordering::Relaxed)
            .max(used)
    }

    /// Bytes in the order of the stream, whose device's context the thread has. Where the device
    /// is full, it waits for the work in progress, gives back what the pool keeps, and asks once
    /// more.
    pub(crate) fn allocate(
        &self,
        bytes: usize,
        stream: &Stream,
    ) -> Result<CUdeviceptr, DeviceError> {
        self.charge(bytes)?;
        let mut outcome = self.ask(bytes, stream);
        if matches!(&outcome, Err(code) if code.raw == OUT_OF_MEMORY) {
            outcome = match stream.device().trim() {
                Ok(()) => self.ask(bytes, stream),
                Err(error) => {
                    self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
                    return Err(error);
                }
            };
        }
        outcome.map_err(|code| {
            self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.refused(bytes, code)
        })
    }

    /// Gives the bytes back, in the order of the stream.
    pub(crate) fn free(&self, address: CUdeviceptr, bytes: usize, stream: &Stream) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if self.pool.is_null() {
            // SAFETY: the address is that of an allocation which nobody uses after this. The
            // function waits for the device.
            check_dropped(unsafe { sys::cuMemFree_v2(address) }, "device memory");
        } else {
            // SAFETY: the same; work enqueued on the stream before may still use it.
            let result = unsafe { sys::cuMemFreeAsync(address, stream.raw()) };
            check_dropped(result, "device memory");
        }
    }

    pub(crate) fn trim(&self) -> Result<(), DeviceError> {
        if self.pool.is_null() {
            return Ok(());
        }
        // SAFETY: the pool exists.
        check(unsafe { sys::cuMemPoolTrimTo(self.pool, 0) }, || {
            "trimming memory".to_owned()
        })
    }

    /// Adds to what is used, if the budget allows it.
    fn charge(&self, bytes: usize) -> Result<(), DeviceError> {
        let budget_bytes = self.at_most(usize::MAX);
        let add = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= budget_bytes);
        let order = Ordering::Relaxed;
        match self.used_bytes.fetch_update(order, order, add) {
            Ok(before) => {
                self.peak_bytes.fetch_max(before + bytes, order);
                self.recent_peak_bytes.fetch_max(before + bytes, order);
                Ok(())
            }
            Err(used_bytes) => Err(DeviceError::OverBudget {
                asked_bytes: bytes,
                used_bytes,
                budget_bytes,
            }),
        }
    }

    fn ask(&self, bytes: usize, stream: &Stream) -> Result<CUdeviceptr, DriverCode> {
        let mut address = 0;
        // SAFETY: the place for the address is there; pool and stream exist.
        let result: CUresult = unsafe {
            if self.pool.is_null() {
                sys::cuMemAlloc_v2(&raw mut address, bytes)
            } else {
                sys::cuMemAllocFromPoolAsync(&raw mut address, bytes, self.pool, stream.raw())
            }
        };
        answer(result).map(|()| address)
    }

    fn refused(&self, asked_bytes: usize, code: DriverCode) -> DeviceError {
        if code.raw != OUT_OF_MEMORY {
            let doing = format!("allocating {asked_bytes} bytes");
            return DeviceError::Call { doing, code };
        }
        let (free_bytes, total_bytes) = free_and_total().unwrap_or((0, 0));
        DeviceError::OutOfMemory {
            asked_bytes,
            free_bytes,
            total_bytes,
            used_bytes: self.used_bytes.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Allocator {
    fn drop(&mut self) {
        if !self.pool.is_null() && cuzk_driver::forked().is_none() {
            // SAFETY: every buffer holds the device, so none is left of the pool.
            check_dropped(unsafe { sys::cuMemPoolDestroy(self.pool) }, "a memory pool");
        }
    }
}

/// A pool that keeps what is freed: giving it back to the system at every synchronisation costs
/// a millisecond for each 16 GiB.
fn create_pool(device: CUdevice) -> Result<CUmemoryPool, DeviceError> {
    let doing = || "making a memory pool".to_owned();
    // SAFETY: the bindings' structure is plain numbers and null pointers, for which zero is a
    // value; its enumerations have one of number zero.
    let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    let mut pool = std::ptr::null_mut();
    // SAFETY: the place for the handle and the properties are there.
    let result = unsafe { sys::cuMemPoolCreate(&raw mut pool, &raw const properties) };
    check(result, doing)?;
    let mut keep = u64::MAX;
    let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the attribute is a number of 64 bits.
    let result = unsafe { sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut keep).cast()) };
    check(result, doing).inspect_err(|_| {
        // SAFETY: nothing was allocated from it.
        check_dropped(unsafe { sys::cuMemPoolDestroy(pool) }, "a memory pool");
    })?;
    Ok(pool)
}

/// Of the device whose context the thread has.
pub(crate) fn free_and_total() -> Result<(usize, usize), DeviceError> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the places for the numbers are there.
    let result = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
    check(result, || "asking for free memory".to_owned())?;
    Ok((free, total))
}
