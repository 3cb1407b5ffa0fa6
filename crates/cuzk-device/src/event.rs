use std::time::Duration;

use cust::sys::{self, CUevent, CUevent_flags as Flags};

use crate::code::{NOT_READY, answer, check, check_dropped};
use crate::{Device, DeviceError};

/// Whether an event notes the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// It does; costs a little.
    Enabled,
    /// It only marks a point.
    Disabled,
}

/// A mark in a stream's work, to be recorded and waited for any number of times.
#[derive(Debug)]
pub struct Event {
    raw: CUevent,
    device: Device,
}

// SAFETY: the event is a handle, and the functions that take it are thread-safe.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Device {
    /// An event that no stream has recorded.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn new_event(&self, timing: Timing) -> Result<Event, DeviceError> {
        self.enter()?;
        let flags = match timing {
            Timing::Enabled => Flags::CU_EVENT_DEFAULT,
            Timing::Disabled => Flags::CU_EVENT_DISABLE_TIMING,
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the place for the handle is there.
        let result = unsafe { sys::cuEventCreate(&raw mut raw, flags as u32) };
        check(result, || "making an event".to_owned())?;
        Ok(Event {
            raw,
            device: self.clone(),
        })
    }
}

impl Event {
    /// Waits until the mark is reached.
    ///
    /// # Errors
    /// What the work before it met.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.device.enter()?;
        // SAFETY: the event exists.
        check(unsafe { sys::cuEventSynchronize(self.raw) }, || {
            "waiting for an event".to_owned()
        })
    }

    /// Whether the mark is reached; `true` where none was recorded.
    ///
    /// # Errors
    /// What the work before it met.
    pub fn is_reached(&self) -> Result<bool, DeviceError> {
        self.device.enter()?;
        // SAFETY: the event exists.
        match answer(unsafe { sys::cuEventQuery(self.raw) }) {
            Ok(()) => Ok(true),
            Err(code) if code.raw == NOT_READY => Ok(false),
            Err(code) => Err(DeviceError::Call {
                doing: "looking at an event".to_owned(),
                code,
            }),
        }
    }

    /// The time on the device between two marks that are reached.
    ///
    /// # Errors
    /// Where one is not reached, not recorded, or notes no time.
    pub fn elapsed_since(&self, start: &Self) -> Result<Duration, DeviceError> {
        self.device.enter()?;
        let mut milliseconds = 0.0f32;
        // SAFETY: the place for the number is there, and both events exist.
        let result = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, start.raw, self.raw) };
        check(result, || "measuring between events".to_owned())?;
        Ok(Duration::from_secs_f64(
            f64::from(milliseconds.max(0.0)) / 1e3,
        ))
    }

    pub(crate) fn raw(&self) -> CUevent {
        self.raw
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.enter_to_drop() {
            // SAFETY: the event exists and is used no more.
            check_dropped(unsafe { sys::cuEventDestroy_v2(self.raw) }, "an event");
        }
    }
}
