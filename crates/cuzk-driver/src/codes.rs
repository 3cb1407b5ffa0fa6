//! The driver's codes, of which the bindings know those of CUDA 11.4.

use std::cell::Cell;
use std::ffi::{CStr, c_int};

use cust_raw::CUresult;

thread_local! {
    static LAST_RAW: Cell<i32> = const { Cell::new(0) };
}

/// The code of the last call of this thread that did not succeed, as the driver gave it.
#[must_use]
pub fn last_raw_code() -> i32 {
    LAST_RAW.get()
}

/// The ranges of numbers that the bindings' `enum` has names for.
const KNOWN: [(c_int, c_int); 14] = [
    (0, 8),
    (34, 34),
    (100, 102),
    (200, 202),
    (205, 224),
    (300, 304),
    (400, 401),
    (500, 500),
    (600, 600),
    (700, 705),
    (708, 720),
    (800, 809),
    (900, 911),
    (999, 999),
];

/// The value of the `enum`, or `CUDA_ERROR_UNKNOWN` for a number without a name.
pub(crate) fn known(code: c_int) -> CUresult {
    if code != 0 {
        LAST_RAW.set(code);
    }
    if KNOWN
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&code))
    {
        // SAFETY: the `enum` is `repr(i32)` and has a value of this number, as the test below
        // finds for each of them.
        unsafe { std::mem::transmute::<c_int, CUresult>(code) }
    } else {
        CUresult::CUDA_ERROR_UNKNOWN
    }
}

/// An error that is ours: there was no function to call.
pub(crate) fn ours(code: CUresult) -> CUresult {
    LAST_RAW.set(code as i32);
    code
}

/// A text for a code when no driver can be asked.
pub(crate) fn description(code: CUresult) -> &'static CStr {
    match code {
        CUresult::CUDA_SUCCESS => c"no error",
        CUresult::CUDA_ERROR_NO_DEVICE => {
            c"no CUDA-capable device is detected (there is no NVIDIA driver)"
        }
        CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND => {
            c"the NVIDIA driver is too old: it lacks a function"
        }
        _ => c"unrecognized error code",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_taken_for_known_has_a_name_in_the_bindings() {
        for (first, last) in KNOWN {
            for code in first..=last {
                // A value outside the `enum` has no name to print.
                let name = format!("{:?}", known(code));
                assert!(name.starts_with("CUDA_"), "{code}: {name}");
                assert_eq!(known(code) as c_int, code);
            }
        }
    }

    #[test]
    fn a_number_without_a_name_is_unknown_and_kept() {
        for code in [
            9, 33, 103, 203, 225, 226, 305, 706, 707, 721, 812, 912, 998, 1000, -1,
        ] {
            assert_eq!(known(code), CUresult::CUDA_ERROR_UNKNOWN);
            assert_eq!(last_raw_code(), code);
        }
        known(0);
        assert_eq!(last_raw_code(), -1, "success leaves the last failure");
    }
}
