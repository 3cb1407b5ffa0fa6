use bytemuck::Pod;
use cust::sys::{self, CUdeviceptr};
use cuzk_hostmem::{CopyRates, CopyReport, CopyStep, CopyTarget};

use crate::code::check;
use crate::{DeviceError, DeviceSliceMut, Event, Stream, Timing};

/// Device memory to which a stream copies.
struct Target<'a> {
    address: CUdeviceptr,
    bytes: usize,
    stream: &'a Stream,
}

impl CopyTarget for Target<'_> {
    type Error = DeviceError;
    type Mark = Event;

    unsafe fn copy(&self, offset: usize, from: &[u8]) -> Result<(), DeviceError> {
        let bytes = from.len();
        if bytes > self.bytes.saturating_sub(offset) {
            return Err(DeviceError::Length {
                what: "end of a copy to the device",
                expected: self.bytes,
                got: offset.saturating_add(bytes),
            });
        }
        self.stream.device().enter()?;
        let to = self.address + offset as u64;
        let from = from.as_ptr().cast();
        // SAFETY: both sides have so many bytes; the caller leaves them alone.
        let result = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, bytes, self.stream.to_give()) };
        check(result, || format!("copying {bytes} bytes to the device"))
    }

    fn mark(&self) -> Result<Event, DeviceError> {
        let mark = self.stream.device().new_event(Timing::Disabled)?;
        self.stream.record(&mark)?;
        Ok(mark)
    }

    fn wait(&self, mark: Event) -> Result<(), DeviceError> {
        mark.synchronize()
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.stream.synchronize()
    }
}

impl<T: Pod> DeviceSliceMut<'_, T> {
    /// Copies from the host by the device's strategy, and waits for that.
    ///
    /// # Errors
    /// [`DeviceError::Length`], or what the copy or the work before it met.
    pub fn copy_from_host(&mut self, stream: &Stream, values: &[T]) -> Result<(), DeviceError> {
        self.copy_from_host_by_steps(stream, values, &mut |_| ())
            .map(|_| ())
    }

    /// The same; `begins` is told of every step, and the outcome says how it went.
    ///
    /// # Errors
    /// As [`DeviceSliceMut::copy_from_host`].
    pub fn copy_from_host_by_steps(
        &mut self,
        stream: &Stream,
        values: &[T],
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<Option<CopyReport>, DeviceError> {
        let (expected, got) = (self.len(), values.len());
        if expected != got {
            return Err(DeviceError::Length {
                what: "values on the host",
                expected,
                got,
            });
        }
        let bytes: &[u8] = bytemuck::cast_slice(values);
        if bytes.is_empty() {
            return Ok(None);
        }
        let target = Target {
            address: self.address(),
            bytes: bytes.len(),
            stream,
        };
        let copies = stream.device().host_copies();
        copies.copy(bytes, &target, begins).map(Some)
    }

    /// Measures what copies to this memory cost, by copying the values again and again, and keeps
    /// the figures for [`HostMemory::Auto`](cuzk_hostmem::HostMemory::Auto) unless there are some.
    ///
    /// # Errors
    /// As [`DeviceSliceMut::copy_from_host`].
    pub fn measure_copies(
        &mut self,
        stream: &Stream,
        values: &[T],
    ) -> Result<CopyRates, DeviceError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let target = Target {
            address: self.address(),
            bytes: self.len() * size_of::<T>(),
            stream,
        };
        stream.device().host_copies().measure(bytes, &target)
    }
}
