use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use cust::sys::{self, CUdeviceptr};

use crate::code::check;
use crate::{DeviceError, Stream, Timing};

/// Elements in device memory.
///
/// The memory belongs to a stream: it may be used by work enqueued there after the buffer was
/// made, and goes back in that stream's order when the buffer is dropped. Work on another stream
/// needs [`DeviceBuf::move_to`] first.
pub struct DeviceBuf<T: Pod> {
    /// Zero for no elements.
    address: CUdeviceptr,
    len: usize,
    allocated_bytes: usize,
    stream: Stream,
    _elements: PhantomData<T>,
}

/// Elements in device memory, to be read.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSlice<'a, T: Pod> {
    address: CUdeviceptr,
    len: usize,
    _buffer: PhantomData<&'a [T]>,
}

/// Elements in device memory, to be written.
#[derive(Debug)]
pub struct DeviceSliceMut<'a, T: Pod> {
    address: CUdeviceptr,
    len: usize,
    _buffer: PhantomData<&'a mut [T]>,
}

impl<T: Pod> DeviceBuf<T> {
    pub(crate) fn new(stream: &Stream, len: usize) -> Result<Self, DeviceError> {
        let bytes = bytes_of::<T>(len).ok_or_else(|| DeviceError::Length {
            what: "elements that memory can hold",
            expected: usize::MAX / size_of::<T>().max(1),
            got: len,
        })?;
        let device = stream.device();
        device.enter()?;
        let address = match bytes {
            0 => 0,
            _ => device.allocator().allocate(bytes, stream)?,
        };
        Ok(Self {
            address,
            len,
            allocated_bytes: bytes,
            stream: stream.clone(),
            _elements: PhantomData,
        })
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Keeps the first `len` elements; where there are no more, it does nothing. The memory of the
    /// others goes back with the rest.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The stream to which the memory belongs.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// All elements, to be read.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice {
            address: self.address,
            len: self.len,
            _buffer: PhantomData,
        }
    }

    /// All elements, to be written.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut {
            address: self.address,
            len: self.len,
            _buffer: PhantomData,
        }
    }

    /// Copies all elements to the host, and waits for that.
    ///
    /// # Errors
    /// What the copy or the work before it met.
    pub fn download(&self) -> Result<Vec<T>, DeviceError> {
        let mut values = vec![T::zeroed(); self.len];
        self.as_slice().copy_to_host(&self.stream, &mut values)?;
        Ok(values)
    }

    /// Hands the memory to another stream of the device: that one's later work comes after the
    /// work enqueued so far on the old one.
    ///
    /// # Errors
    /// Where the driver refuses it; the memory then belongs where it did.
    pub fn move_to(&mut self, stream: &Stream) -> Result<(), DeviceError> {
        let reached = self.stream.device().new_event(Timing::Disabled)?;
        self.stream.record(&reached)?;
        stream.wait_for(&reached)?;
        self.stream = stream.clone();
        Ok(())
    }
}

impl<'a, T: Pod> DeviceSlice<'a, T> {
    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address on the device, for the parameters of a kernel.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// A part of the elements.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where it goes beyond them.
    pub fn part(&self, range: Range<usize>) -> Result<DeviceSlice<'a, T>, DeviceError> {
        let (address, len) = part::<T>(self.address, self.len, range)?;
        Ok(DeviceSlice {
            address,
            len,
            _buffer: PhantomData,
        })
    }

    /// Copies to the host, and waits for that.
    ///
    /// # Errors
    /// [`DeviceError::Length`], or what the copy or the work before it met.
    pub fn copy_to_host(&self, stream: &Stream, values: &mut [T]) -> Result<(), DeviceError> {
        // SAFETY: the values are borrowed until the stream was waited for below.
        let enqueued = unsafe { self.copy_to_host_async(stream, values) };
        let done = stream.synchronize();
        enqueued.and(done)
    }

    /// Enqueues a copy to the host.
    ///
    /// # Errors
    /// [`DeviceError::Length`], or where the driver refuses it.
    ///
    /// # Safety
    /// The values stay where they are, and nobody reads or writes them, until the stream has
    /// done the copy.
    pub unsafe fn copy_to_host_async(
        &self,
        stream: &Stream,
        values: &mut [T],
    ) -> Result<(), DeviceError> {
        same_length("values on the host", self.len, values.len())?;
        if self.len == 0 {
            return Ok(());
        }
        stream.device().enter()?;
        let bytes = size_of_val(values);
        let to = values.as_mut_ptr().cast();
        // SAFETY: both sides have so many bytes; the caller leaves the values alone.
        let result =
            unsafe { sys::cuMemcpyDtoHAsync_v2(to, self.address, bytes, stream.to_give()) };
        check(result, || format!("copying {bytes} bytes to the host"))
    }
}

impl<T: Pod> DeviceSliceMut<'_, T> {
    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address on the device, for the parameters of a kernel.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// A part of the elements.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where it goes beyond them.
    pub fn part(&mut self, range: Range<usize>) -> Result<DeviceSliceMut<'_, T>, DeviceError> {
        let (address, len) = part::<T>(self.address, self.len, range)?;
        Ok(DeviceSliceMut {
            address,
            len,
            _buffer: PhantomData,
        })
    }

    /// Enqueues a copy from the host.
    ///
    /// # Errors
    /// [`DeviceError::Length`], or where the driver refuses it.
    ///
    /// # Safety
    /// The values stay where and as they are until the stream has done the copy.
    pub unsafe fn copy_from_host_async(
        &mut self,
        stream: &Stream,
        values: &[T],
    ) -> Result<(), DeviceError> {
        same_length("values on the host", self.len, values.len())?;
        if self.len == 0 {
            return Ok(());
        }
        stream.device().enter()?;
        let bytes = size_of_val(values);
        let from = values.as_ptr().cast();
        // SAFETY: both sides have so many bytes; the caller leaves the values alone.
        let result =
            unsafe { sys::cuMemcpyHtoDAsync_v2(self.address, from, bytes, stream.to_give()) };
        check(result, || format!("copying {bytes} bytes to the device"))
    }

    /// Enqueues a copy from device memory.
    ///
    /// # Errors
    /// [`DeviceError::Length`], or where the driver refuses it.
    pub fn copy_from_device(
        &mut self,
        stream: &Stream,
        from: DeviceSlice<'_, T>,
    ) -> Result<(), DeviceError> {
        same_length("values on the device", self.len, from.len)?;
        if self.len == 0 {
            return Ok(());
        }
        stream.device().enter()?;
        let bytes = self.len * size_of::<T>();
        // SAFETY: both sides are allocated and have so many bytes.
        let result = unsafe {
            sys::cuMemcpyDtoDAsync_v2(self.address, from.address, bytes, stream.to_give())
        };
        check(result, || format!("copying {bytes} bytes on the device"))
    }

    /// Enqueues a fill with zeros.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn zero(&mut self, stream: &Stream) -> Result<(), DeviceError> {
        if self.len == 0 {
            return Ok(());
        }
        stream.device().enter()?;
        let bytes = self.len * size_of::<T>();
        // SAFETY: the memory is allocated and has so many bytes.
        let result = unsafe { sys::cuMemsetD8Async(self.address, 0, bytes, stream.to_give()) };
        check(result, || format!("clearing {bytes} bytes on the device"))
    }
}

impl DeviceSliceMut<'_, u32> {
    /// Enqueues a fill with a word.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn fill(&mut self, stream: &Stream, word: u32) -> Result<(), DeviceError> {
        if self.len == 0 {
            return Ok(());
        }
        stream.device().enter()?;
        // SAFETY: the memory is allocated and has so many words.
        let result =
            unsafe { sys::cuMemsetD32Async(self.address, word, self.len, stream.to_give()) };
        check(result, || {
            format!("filling {} words on the device", self.len)
        })
    }
}

fn bytes_of<T>(len: usize) -> Option<usize> {
    let bytes = len.checked_mul(size_of::<T>())?;
    // No allocation is larger than this, on either side.
    isize::try_from(bytes).is_ok().then_some(bytes)
}

fn same_length(what: &'static str, expected: usize, got: usize) -> Result<(), DeviceError> {
    if expected == got {
        Ok(())
    } else {
        Err(DeviceError::Length {
            what,
            expected,
            got,
        })
    }
}

fn part<T>(
    address: CUdeviceptr,
    len: usize,
    range: Range<usize>,
) -> Result<(CUdeviceptr, usize), DeviceError> {
    if range.start > range.end || range.end > len {
        return Err(DeviceError::Length {
            what: "end of a part of device memory",
            expected: len,
            got: range.end.max(range.start),
        });
    }
    let offset = range.start * size_of::<T>();
    Ok((address + offset as u64, range.len()))
}

impl<T: Pod> fmt::Debug for DeviceBuf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "DeviceBuf<{element}>({} at {:#x})",
            self.len, self.address
        )
    }
}

impl<T: Pod> Drop for DeviceBuf<T> {
    fn drop(&mut self) {
        let bytes = self.allocated_bytes;
        if bytes > 0 && self.stream.device().enter_to_drop() {
            self.stream
                .device()
                .allocator()
                .free(self.address, bytes, &self.stream);
        }
    }
}
