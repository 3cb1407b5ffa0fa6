use crate::{Device, DeviceError};

/// Memory of a device that somebody will need, beside what buffers hold; dropped, it is promised no
/// more.
///
/// Nothing is allocated: whoever plans the device's memory reads the sum of all promises in
/// [`MemoryInfo`](crate::MemoryInfo) and leaves them alone.
#[derive(Debug)]
pub struct Promise {
    device: Device,
    bytes: usize,
}

impl Device {
    /// Promises memory.
    ///
    /// # Errors
    /// [`DeviceError::OverBudget`] where all promises together are more than buffers may hold.
    pub fn promise(&self, bytes: usize) -> Result<Promise, DeviceError> {
        let most_bytes = self.memory()?.total_bytes;
        self.allocator().promise(bytes, most_bytes)?;
        Ok(Promise {
            device: self.clone(),
            bytes,
        })
    }
}

impl Promise {
    /// What is promised.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.device.allocator().promised_no_more(self.bytes);
    }
}
