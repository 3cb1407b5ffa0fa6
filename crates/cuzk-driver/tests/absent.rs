//! A process without a driver. (Where there is one, these find it instead.)

use std::ffi::{CStr, c_char};

use cust_raw::CUresult;

unsafe extern "C" {
    fn cuInit(flags: u32) -> CUresult;
    fn cuGetErrorString(code: CUresult, text: *mut *const c_char) -> CUresult;
}

#[test]
fn without_a_driver_every_call_says_so_and_nothing_crashes() {
    let loaded = cuzk_driver::load();
    // SAFETY: the function may be called at any time.
    let code = unsafe { cuInit(0) };
    if let Err(error) = loaded {
        assert!(error.to_string().contains("libcuda.so.1"), "{error}");
        assert_eq!(code, CUresult::CUDA_ERROR_NO_DEVICE);
        assert_eq!(cuzk_driver::last_raw_code(), 100);
        assert_eq!(cuzk_driver::lacking(), cuzk_driver::NAMES);
        assert_eq!(cuzk_driver::load(), Err(error), "the answer stays");
    } else {
        assert!(!cuzk_driver::lacking().contains(&"cuInit"));
    }
    let mut text = std::ptr::null();
    // SAFETY: the place for the pointer is there, and what it points to is static.
    let words = unsafe {
        assert_eq!(
            cuGetErrorString(code, &raw mut text),
            CUresult::CUDA_SUCCESS
        );
        CStr::from_ptr(text)
    };
    assert!(!words.is_empty());
}
