//! A process with functions of our own in the place of the driver's.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use cust_raw::CUresult;
use cuzk_driver::{LoadError, Symbols};

unsafe extern "C" {
    fn cuInit(flags: u32) -> CUresult;
    fn cuDeviceGetCount(count: *mut c_int) -> CUresult;
    fn cuCtxSynchronize() -> CUresult;
}

#[derive(Debug)]
struct Two;

extern "C" fn init(flags: u32) -> c_int {
    // A code that the bindings have no name for.
    if flags == 0 { 0 } else { 812 }
}

extern "C" fn count(count: *mut c_int) -> c_int {
    // SAFETY: the caller gives a place for the number.
    unsafe { *count = 2 };
    0
}

impl Symbols for Two {
    fn address(&self, name: &str) -> Option<NonNull<c_void>> {
        match name {
            "cuInit" => NonNull::new(init as *mut c_void),
            "cuDeviceGetCount" => NonNull::new(count as *mut c_void),
            _ => None,
        }
    }
}

#[test]
fn installed_functions_are_called_and_others_are_reported_missing() {
    // SAFETY: both functions have the driver's signatures.
    unsafe { cuzk_driver::install(&Two) }.expect("nothing was called before");
    cuzk_driver::load().expect("a library is in use");
    // SAFETY: as above.
    assert_eq!(unsafe { cuzk_driver::install(&Two) }, Err(LoadError::InUse));

    let mut devices = 0;
    // SAFETY: the arguments are what the functions ask for.
    unsafe {
        assert_eq!(cuInit(0), CUresult::CUDA_SUCCESS);
        assert_eq!(cuDeviceGetCount(&raw mut devices), CUresult::CUDA_SUCCESS);
        assert_eq!(devices, 2);

        assert_eq!(cuInit(1), CUresult::CUDA_ERROR_UNKNOWN);
        assert_eq!(cuzk_driver::last_raw_code(), 812);

        let missing = CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
        assert_eq!(cuCtxSynchronize(), missing);
    }
    assert_eq!(cuzk_driver::lacking().len(), cuzk_driver::NAMES.len() - 2);
}
