//! The driver's answers.

use std::ffi::{CStr, c_char};
use std::fmt;

use cust::sys::{self, CUresult};

use crate::DeviceError;

/// A code of the driver with its name and meaning, also where the bindings know none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverCode {
    /// The number.
    pub raw: i32,
    /// The driver's name for it.
    pub name: String,
    /// The driver's words for it.
    pub text: String,
}

impl fmt::Display for DriverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, code {})", self.text, self.name, self.raw)
    }
}

/// Memory of the device could not be had.
pub(crate) const OUT_OF_MEMORY: i32 = 2;
pub(crate) const NO_DEVICE: i32 = 100;
/// The text is of a later version than the driver compiles.
pub(crate) const UNSUPPORTED_PTX_VERSION: i32 = 222;
pub(crate) const NOT_FOUND: i32 = 500;
pub(crate) const NOT_READY: i32 = 600;

impl DriverCode {
    /// The answer that was just given to this thread.
    pub(crate) fn last(answer: CUresult) -> Self {
        let raw = match answer {
            CUresult::CUDA_ERROR_UNKNOWN => cuzk_driver::last_raw_code(),
            known => known as i32,
        };
        Self {
            raw,
            name: words(sys::cuGetErrorName, answer),
            text: words(sys::cuGetErrorString, answer),
        }
    }

    /// Whether the context is lost, so that every later call on the device fails as well: the
    /// process must be started anew.
    #[must_use]
    pub fn is_device_lost(&self) -> bool {
        // Faults of a running kernel: bad addresses, instructions, assertions, timeouts.
        matches!(
            self.raw,
            214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721
        )
    }
}

fn words(
    describe: unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult,
    answer: CUresult,
) -> String {
    let mut text = std::ptr::null();
    // SAFETY: the place for the pointer is there; both functions give static text.
    unsafe {
        if describe(answer, &raw mut text) != CUresult::CUDA_SUCCESS || text.is_null() {
            return "unknown".to_owned();
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

/// `Ok` for success.
pub(crate) fn answer(answer: CUresult) -> Result<(), DriverCode> {
    match answer {
        CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(DriverCode::last(failure)),
    }
}

/// `Ok` for success, otherwise an error that says what was being done.
pub(crate) fn check(result: CUresult, doing: impl FnOnce() -> String) -> Result<(), DeviceError> {
    answer(result).map_err(|code| DeviceError::Call {
        doing: doing(),
        code,
    })
}

/// For destructors, which can report an error only to the log.
pub(crate) fn check_dropped(result: CUresult, what: &'static str) {
    if let Err(code) = answer(result) {
        tracing::warn!(%code, "{what} was not released");
    }
}
