//! Initialisation, devices and contexts.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint};

use cust_raw::{CUcontext, CUdevice, CUuuid};

use super::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE, functions, write};
use crate::state::{MockDevice, Object, State};

thread_local! {
    /// The context that is current in the thread.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The index of the thread's device.
pub(super) fn current(state: &State) -> Result<usize, i32> {
    device_of(state, CURRENT.get().ok_or(INVALID_CONTEXT)?)
}

/// The thread's context, if it has one.
pub(super) fn current_context() -> Option<usize> {
    CURRENT.get()
}

/// The index of the device of a context: a primary one is its device's index and one, since zero
/// is no context; others are handles.
fn device_of(state: &State, context: usize) -> Result<usize, i32> {
    if let Some(Object::Context(index)) = state.objects.get(&context) {
        return Ok(*index);
    }
    let index = context.checked_sub(1).ok_or(INVALID_CONTEXT)?;
    match state.context_uses.get(index) {
        Some(uses) if *uses > 0 => Ok(index),
        _ => Err(INVALID_CONTEXT),
    }
}

fn device(state: &State, device: CUdevice) -> Result<&MockDevice, i32> {
    let index = usize::try_from(device).map_err(|_| INVALID_DEVICE)?;
    state.devices.get(index).ok_or(INVALID_DEVICE)
}

fn write_text(place: *mut c_char, len: c_int, text: &str) -> Result<(), i32> {
    let len = usize::try_from(len).map_err(|_| INVALID_VALUE)?;
    if text.len() >= len {
        return Err(INVALID_VALUE);
    }
    for (i, byte) in text.bytes().chain([0]).enumerate() {
        // SAFETY: the caller gave `len` bytes, more than the text has.
        unsafe { place.add(i).write(byte.cast_signed()) };
    }
    Ok(())
}

/// Shared memory that a block may have, by the architecture.
fn shared_kib(device: &MockDevice) -> c_int {
    match device.architecture {
        (7, _) => 64,
        (8, 0) => 163,
        (8, _) => 99,
        _ => 227,
    }
}

/// Attributes by the driver's numbers.
fn attribute(device: &MockDevice, attribute: c_int) -> c_int {
    match attribute {
        1 => 1024,                            // threads of a block
        8 => 48 << 10,                        // shared memory of a block
        10 => 32,                             // threads of a warp
        16 => 4,                              // multiprocessors
        75 => device.architecture.0,          // compute capability, major
        76 => device.architecture.1,          // and minor
        97 => shared_kib(device) << 10,       // shared memory of a block on request
        99 => 1,                              // registers host memory
        115 => c_int::from(device.has_pools), // has memory pools
        _ => 0,
    }
}

functions! { find:
    cuInit(flags: c_uint) |state| {
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        state.initialised = true;
        if state.devices.is_empty() { Err(100) } else { Ok(()) }
    }
    cuDriverGetVersion(version: *mut c_int) |state| {
        write(version, state.version);
        Ok(())
    }
    cuDeviceGetCount(count: *mut c_int) |state| {
        write(count, c_int::try_from(state.devices.len()).map_err(|_| INVALID_VALUE)?);
        Ok(())
    }
    cuDeviceGet(found: *mut CUdevice, ordinal: c_int) |state| {
        device(state, ordinal)?;
        write(found, ordinal);
        Ok(())
    }
    cuDeviceGetName(place: *mut c_char, len: c_int, of: CUdevice) |state| {
        write_text(place, len, &device(state, of)?.name)
    }
    cuDeviceGetUuid_v2(uuid: *mut CUuuid, of: CUdevice) |state| {
        let bytes = device(state, of)?.uuid.map(u8::cast_signed);
        write(uuid, CUuuid { bytes });
        Ok(())
    }
    cuDeviceGetPCIBusId(place: *mut c_char, len: c_int, of: CUdevice) |state| {
        device(state, of)?;
        write_text(place, len, &format!("0000:{of:02x}:00.0"))
    }
    cuDeviceTotalMem_v2(bytes: *mut usize, of: CUdevice) |state| {
        write(bytes, device(state, of)?.memory_bytes);
        Ok(())
    }
    cuDeviceGetAttribute(value: *mut c_int, which: c_int, of: CUdevice) |state| {
        write(value, attribute(device(state, of)?, which));
        Ok(())
    }
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, of: CUdevice) |state| {
        device(state, of)?;
        let index = usize::try_from(of).map_err(|_| INVALID_DEVICE)?;
        state.context_uses[index] += 1;
        write(context, (index + 1) as CUcontext);
        Ok(())
    }
    cuDevicePrimaryCtxRelease_v2(of: CUdevice) |state| {
        device(state, of)?;
        let index = usize::try_from(of).map_err(|_| INVALID_DEVICE)?;
        let uses = state.context_uses[index].checked_sub(1).ok_or(INVALID_CONTEXT)?;
        state.context_uses[index] = uses;
        Ok(())
    }
    cuCtxSetCurrent(context: CUcontext) |state| {
        let context = (!context.is_null()).then_some(context as usize);
        context.map_or(Ok(0), |context| device_of(state, context))?;
        CURRENT.set(context);
        Ok(())
    }
    cuCtxCreate_v2(context: *mut CUcontext, flags: c_uint, of: CUdevice) |state| {
        let _ = flags;
        device(state, of)?;
        let index = usize::try_from(of).map_err(|_| INVALID_DEVICE)?;
        let handle = state.insert(Object::Context(index));
        CURRENT.set(Some(handle));
        write(context, handle as CUcontext);
        Ok(())
    }
    cuCtxDestroy_v2(context: CUcontext) |state| {
        let handle = context as usize;
        let Some(Object::Context(_)) = state.objects.get(&handle) else {
            return Err(INVALID_CONTEXT);
        };
        // Its modules go with it.
        for module in state.modules_of(handle) {
            state.unload(module);
        }
        state.objects.remove(&handle);
        if CURRENT.get() == Some(handle) {
            CURRENT.set(None);
        }
        Ok(())
    }
    cuCtxSynchronize() |state| {
        current(state).map(|_| ())
    }
}
