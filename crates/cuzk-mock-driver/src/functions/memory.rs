//! Device memory, copies, and registration of host memory.

use std::ffi::{c_int, c_uchar, c_uint, c_void};

use cust_raw::{CUdevice, CUdeviceptr, CUmemPoolProps, CUmemoryPool, CUstream};

use super::context::current;
use super::execution::{find_pool, find_stream};
use super::{INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Outcome, functions, write};
use crate::state::{Object, State};

fn allocate(state: &mut State, place: *mut CUdeviceptr, bytes: usize) -> Outcome {
    let device = current(state)?;
    let address = state.allocate(device, bytes).ok_or(OUT_OF_MEMORY)?;
    write(place, address);
    Ok(())
}

fn free(state: &mut State, address: CUdeviceptr) -> Outcome {
    current(state)?;
    if state.free(address) {
        Ok(())
    } else {
        Err(INVALID_VALUE)
    }
}

/// Copies between a range of device memory and anything.
fn copy(state: &State, to: *mut u8, from: *const u8, address: u64, bytes: usize) -> Outcome {
    if !state.contains(current(state)?, address, bytes) {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the device's side was just found inside an allocation; the other side is checked
    // by the caller or is the contract's.
    unsafe { std::ptr::copy(from, to, bytes) };
    Ok(())
}

functions! { find:
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize) |state| {
        let device = current(state)?;
        let memory_bytes = state.devices[device].memory_bytes;
        write(free, memory_bytes - state.used_bytes(device));
        write(total, memory_bytes);
        Ok(())
    }
    cuMemAlloc_v2(place: *mut CUdeviceptr, bytes: usize) |state| {
        allocate(state, place, bytes)
    }
    cuMemFree_v2(address: CUdeviceptr) |state| {
        free(state, address)
    }
    cuMemPoolCreate(pool: *mut CUmemoryPool, props: *const CUmemPoolProps) |state| {
        current(state)?;
        // SAFETY: the caller gives the properties.
        let device = unsafe { (*props).location.id };
        let device = usize::try_from(device).map_err(|_| INVALID_VALUE)?;
        if !state.devices.get(device).ok_or(INVALID_VALUE)?.has_pools {
            return Err(NOT_SUPPORTED);
        }
        write(pool, state.insert(Object::Pool) as CUmemoryPool);
        Ok(())
    }
    cuMemPoolDestroy(pool: CUmemoryPool) |state| {
        find_pool(state, pool)?;
        state.objects.remove(&(pool as usize));
        Ok(())
    }
    cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) |state| {
        if attribute != 4 || value.is_null() {
            return Err(INVALID_VALUE);
        }
        find_pool(state, pool)
    }
    cuMemPoolTrimTo(pool: CUmemoryPool, keep: usize) |state| {
        let _ = keep;
        find_pool(state, pool)
    }
    cuMemAllocFromPoolAsync(
        place: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream
    ) |state| {
        find_pool(state, pool)?;
        find_stream(state, stream)?;
        allocate(state, place, bytes)
    }
    cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) |state| {
        find_stream(state, stream)?;
        free(state, address)
    }
    cuMemcpyHtoDAsync_v2(
        to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream
    ) |state| {
        find_stream(state, stream)?;
        copy(state, to as *mut u8, from.cast(), to, bytes)
    }
    cuMemcpyDtoHAsync_v2(
        to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream
    ) |state| {
        find_stream(state, stream)?;
        copy(state, to.cast(), from as *const u8, from, bytes)
    }
    cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize) |state| {
        copy(state, to.cast(), from as *const u8, from, bytes)
    }
    cuMemcpyDtoDAsync_v2(
        to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream
    ) |state| {
        find_stream(state, stream)?;
        if !state.contains(current(state)?, from, bytes) {
            return Err(INVALID_VALUE);
        }
        copy(state, to as *mut u8, from as *const u8, to, bytes)
    }
    cuMemsetD8Async(to: CUdeviceptr, byte: c_uchar, bytes: usize, stream: CUstream) |state| {
        find_stream(state, stream)?;
        let pattern = vec![byte; bytes];
        copy(state, to as *mut u8, pattern.as_ptr(), to, bytes)
    }
    cuMemsetD32Async(to: CUdeviceptr, word: c_uint, words: usize, stream: CUstream) |state| {
        find_stream(state, stream)?;
        let pattern = vec![word; words];
        copy(state, to as *mut u8, pattern.as_ptr().cast(), to, 4 * words)
    }
    cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: c_uint) |state| {
        let _ = flags;
        current(state)?;
        let start = start as usize;
        let end = start.checked_add(bytes).ok_or(INVALID_VALUE)?;
        let overlaps = |(from, len): (&usize, &usize)| *from < end && start < from + len;
        if state.registered.iter().any(overlaps) {
            return Err(712);
        }
        state.registered.insert(start, bytes);
        Ok(())
    }
    cuMemHostUnregister(start: *mut c_void) |state| {
        current(state)?;
        state.registered.remove(&(start as usize)).map(|_| ()).ok_or(713)
    }
    cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, of: CUdevice) |state| {
        let _ = (pool, of, state);
        Err(NOT_SUPPORTED)
    }
}
