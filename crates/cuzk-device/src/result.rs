use bytemuck::Pod;

use crate::{DeviceBuf, DeviceError, Event, Timing};

/// Elements in device memory as the work enqueued so far leaves them.
///
/// To read them waits for that work alone: what is enqueued on the stream later goes on meanwhile.
#[derive(Debug)]
pub struct DeviceResult<T: Pod> {
    elements: DeviceBuf<T>,
    ready: Event,
}

impl<T: Pod> DeviceBuf<T> {
    /// Takes the elements for the result of the work enqueued so far on their stream.
    ///
    /// # Errors
    /// Where the driver refuses an event or a stream.
    pub fn into_result(self) -> Result<DeviceResult<T>, DeviceError> {
        let stream = self.stream();
        let ready = stream.device().new_event(Timing::Disabled)?;
        stream.results()?;
        stream.record(&ready)?;
        Ok(DeviceResult {
            elements: self,
            ready,
        })
    }
}

impl<T: Pod> DeviceResult<T> {
    /// Copies all elements to the host, and waits for that.
    ///
    /// # Errors
    /// What the copy or the work before it met.
    pub fn download(&self) -> Result<Vec<T>, DeviceError> {
        let results = self.elements.stream().results()?;
        results.wait_for(&self.ready)?;
        let mut values = vec![T::zeroed(); self.elements.len()];
        self.elements
            .as_slice()
            .copy_to_host(results, &mut values)?;
        Ok(values)
    }
}
