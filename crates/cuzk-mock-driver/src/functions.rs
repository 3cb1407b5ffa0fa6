//! The functions, with the driver's signatures.
//!
//! Each notes its call, fails if that was asked for, and otherwise does what it says on the state.

mod context;
mod execution;
mod memory;

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::state::{CALLED, State, lock};

pub(crate) const INVALID_VALUE: i32 = 1;
pub(crate) const OUT_OF_MEMORY: i32 = 2;
pub(crate) const NOT_INITIALIZED: i32 = 3;
pub(crate) const INVALID_DEVICE: i32 = 101;
pub(crate) const INVALID_IMAGE: i32 = 200;
pub(crate) const INVALID_CONTEXT: i32 = 201;
pub(crate) const INVALID_HANDLE: i32 = 400;
pub(crate) const NOT_FOUND: i32 = 500;
pub(crate) const NOT_SUPPORTED: i32 = 801;

/// The outcome of a function on the state.
pub(crate) type Outcome = Result<(), i32>;

/// Runs a function by name.
pub(crate) fn call(name: &str, act: impl FnOnce(&mut State) -> Outcome) -> i32 {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else {
        return NOT_INITIALIZED;
    };
    CALLED.notify_all();
    let device = context::current(state).ok();
    if let Some(code) = state.enter(name, device) {
        return code;
    }
    if !state.initialised && name != "cuInit" && name != "cuDriverGetVersion" {
        return NOT_INITIALIZED;
    }
    act(state).err().unwrap_or(0)
}

/// Defines functions and their table. The arguments of each are the driver's.
macro_rules! functions {
    ($table:ident: $($name:ident($($argument:ident: $type:ty),*) |$state:ident| $body:block)*) => {
        $(
            #[expect(non_snake_case, reason = "the name is the driver's")]
            extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
                crate::functions::call(stringify!($name), |$state| $body)
            }
        )*

        pub(super) fn $table(name: &str) -> Option<*mut std::ffi::c_void> {
            match name {
                $(stringify!($name) => Some($name as *mut std::ffi::c_void),)*
                _ => None,
            }
        }
    };
}
pub(crate) use functions;

/// Writes what a function answers through a pointer that its caller gave.
pub(crate) fn write<T>(place: *mut T, value: T) {
    // SAFETY: the driver's contract asks the caller for a place of this type.
    unsafe { place.write(value) };
}

/// The table for `cuzk-driver`.
#[derive(Debug)]
pub(crate) struct MockSymbols;

impl cuzk_driver::Symbols for MockSymbols {
    fn address(&self, name: &str) -> Option<NonNull<c_void>> {
        let found = context::find(name)
            .or_else(|| memory::find(name))
            .or_else(|| execution::find(name));
        found.and_then(NonNull::new)
    }
}
