use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytemuck::Pod;
use cust::sys::{self, CUstream, CUstream_flags as Flags};

use crate::code::{NOT_READY, answer, check, check_dropped};
use crate::watch::Times;
use crate::{Device, DeviceBuf, DeviceError, Event};

/// Work in order, beside the work of other streams.
///
/// A clone is the same stream. Dropping the last one waits for nothing: its work goes on.
#[derive(Clone)]
pub struct Stream {
    inner: Arc<Inner>,
}

struct Inner {
    raw: CUstream,
    device: Device,
    priority: i32,
    /// Each made when it is first needed.
    results: OnceLock<Stream>,
    uploads: OnceLock<Stream>,
    second: OnceLock<Stream>,
    /// How often it was given work.
    given: AtomicU64,
    /// Where its times are noted.
    times: Times,
}

// SAFETY: the stream is a handle, and the functions that take it are thread-safe.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Device {
    /// A stream that waits for no other, of the usual priority.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn new_stream(&self) -> Result<Stream, DeviceError> {
        self.stream_of(0)
    }

    /// The same of the highest priority: where the device has room for more work, that of this
    /// stream goes first.
    ///
    /// # Errors
    /// As [`Device::new_stream`].
    pub fn new_urgent_stream(&self) -> Result<Stream, DeviceError> {
        self.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the places for the two numbers are there.
        let result = unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) };
        check(result, || "asking for the priorities of streams".to_owned())?;
        self.stream_of(greatest)
    }

    fn stream_of(&self, priority: i32) -> Result<Stream, DeviceError> {
        self.enter()?;
        let mut raw = std::ptr::null_mut();
        let flags = Flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the place for the handle is there.
        let result = unsafe { sys::cuStreamCreateWithPriority(&raw mut raw, flags, priority) };
        check(result, || "making a stream".to_owned())?;
        let inner = Inner {
            raw,
            device: self.clone(),
            priority,
            results: OnceLock::new(),
            uploads: OnceLock::new(),
            second: OnceLock::new(),
            given: AtomicU64::new(0),
            times: Times::default(),
        };
        Ok(Stream {
            inner: Arc::new(inner),
        })
    }
}

impl Stream {
    /// The device whose stream this is.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Waits for all work enqueued so far.
    ///
    /// # Errors
    /// What that work met.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.device().enter()?;
        // SAFETY: the stream exists.
        check(unsafe { sys::cuStreamSynchronize(self.raw()) }, || {
            "waiting for a stream".to_owned()
        })
    }

    /// Whether all work enqueued so far is done.
    ///
    /// # Errors
    /// What that work met.
    pub fn is_idle(&self) -> Result<bool, DeviceError> {
        self.device().enter()?;
        // SAFETY: the stream exists.
        match answer(unsafe { sys::cuStreamQuery(self.raw()) }) {
            Ok(()) => Ok(true),
            Err(code) if code.raw == NOT_READY => Ok(false),
            Err(code) => Err(DeviceError::Call {
                doing: "looking at a stream".to_owned(),
                code,
            }),
        }
    }

    /// Marks this point of the stream's work; the event's earlier mark is forgotten.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn record(&self, event: &Event) -> Result<(), DeviceError> {
        self.device().enter()?;
        // SAFETY: both exist.
        check(
            unsafe { sys::cuEventRecord(event.raw(), self.raw()) },
            || "recording an event".to_owned(),
        )
    }

    /// Makes later work of the stream wait until the event's mark is reached.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn wait_for(&self, event: &Event) -> Result<(), DeviceError> {
        self.device().enter()?;
        // SAFETY: both exist.
        check(
            unsafe { sys::cuStreamWaitEvent(self.to_give(), event.raw(), 0) },
            || "waiting for an event".to_owned(),
        )
    }

    /// A buffer of `len` elements, whose contents are arbitrary.
    ///
    /// # Errors
    /// [`DeviceError::OverBudget`], [`DeviceError::OutOfMemory`].
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<DeviceBuf<T>, DeviceError> {
        DeviceBuf::new(self, len)
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// As [`Stream::alloc`].
    pub fn alloc_zeroed<T: Pod>(&self, len: usize) -> Result<DeviceBuf<T>, DeviceError> {
        let mut buffer = self.alloc(len)?;
        buffer.as_mut_slice().zero(self)?;
        Ok(buffer)
    }

    /// A buffer with a copy of the values.
    ///
    /// # Errors
    /// As [`Stream::alloc`].
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<DeviceBuf<T>, DeviceError> {
        let mut buffer = self.alloc(values.len())?;
        buffer.as_mut_slice().copy_from_host(self, values)?;
        Ok(buffer)
    }

    /// Whether both are the same stream.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A stream of this one's own for copies from the host: they go on beside its work, and
    /// [`DeviceBuf::move_to`] brings what was copied into its order.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn uploads(&self) -> Result<&Self, DeviceError> {
        self.beside(&self.inner.uploads)
    }

    /// A stream of this one's own for a part of its work, which events put in order with the rest.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn second(&self) -> Result<&Self, DeviceError> {
        self.beside(&self.inner.second)
    }

    /// The stream on which results of this one are read back, beside its later work.
    pub(crate) fn results(&self) -> Result<&Self, DeviceError> {
        self.beside(&self.inner.results)
    }

    fn beside<'a>(&self, place: &'a OnceLock<Self>) -> Result<&'a Self, DeviceError> {
        if let Some(stream) = place.get() {
            return Ok(stream);
        }
        let stream = self.device().stream_of(self.inner.priority)?;
        Ok(place.get_or_init(|| stream))
    }

    pub(crate) fn times(&self) -> &Times {
        &self.inner.times
    }

    /// How often it was given work.
    pub(crate) fn given(&self) -> u64 {
        self.inner.given.load(Ordering::Relaxed)
    }

    /// The handle, to give it work that takes time on the device.
    pub(crate) fn to_give(&self) -> CUstream {
        self.inner.given.fetch_add(1, Ordering::Relaxed);
        self.inner.raw
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.inner.raw
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.inner.raw).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.device.enter_to_drop() {
            // SAFETY: the stream exists and is used no more.
            check_dropped(unsafe { sys::cuStreamDestroy_v2(self.raw) }, "a stream");
        }
    }
}
