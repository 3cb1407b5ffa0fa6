//! Streams, events, modules and launches.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::time::Instant;

use cust_raw::{CUdeviceptr, CUevent, CUfunction, CUmemoryPool, CUmodule, CUstream};

use super::context::{current, current_context};
use super::{
    INVALID_HANDLE, INVALID_IMAGE, INVALID_VALUE, NOT_FOUND, Outcome, call, functions, write,
};
use crate::ptx::Text;
use crate::state::{Launch, Object, State, wait_for_compiler};

fn object<T>(state: &mut State, handle: *mut T) -> Result<&mut Object, i32> {
    state
        .objects
        .get_mut(&(handle as usize))
        .ok_or(INVALID_HANDLE)
}

pub(super) fn find_stream(state: &mut State, stream: CUstream) -> Outcome {
    let device = current(state)?;
    match object(state, stream)? {
        // A stream is of use in its own context alone.
        Object::Stream(of) if *of == device => Ok(()),
        _ => Err(INVALID_HANDLE),
    }
}

pub(super) fn find_pool(state: &mut State, pool: CUmemoryPool) -> Outcome {
    match object(state, pool)? {
        Object::Pool => Ok(()),
        _ => Err(INVALID_HANDLE),
    }
}

fn event(state: &mut State, event: CUevent) -> Result<&mut Option<Instant>, i32> {
    match object(state, event)? {
        Object::Event(recorded) => Ok(recorded),
        _ => Err(INVALID_HANDLE),
    }
}

fn module(state: &mut State, module: CUmodule) -> Result<Text, i32> {
    match object(state, module)? {
        Object::Module(text, _) => Ok(text.clone()),
        _ => Err(INVALID_HANDLE),
    }
}

fn function(state: &mut State, function: CUfunction) -> Result<(String, usize, u32), i32> {
    match object(state, function)? {
        Object::Function(symbol, bytes, threads) => Ok((symbol.clone(), *bytes, *threads)),
        _ => Err(INVALID_HANDLE),
    }
}

fn text<'a>(name: *const c_char) -> Result<&'a str, i32> {
    // SAFETY: the driver's contract asks for a terminated string that outlives the call.
    unsafe { CStr::from_ptr(name) }
        .to_str()
        .map_err(|_| INVALID_VALUE)
}

/// Writes the log to the buffers that the options name: 5 is its address, 6 its size.
fn write_log(log: &str, options: &[c_int], values: &[*mut c_void]) {
    let value = |option| options.iter().position(|o| *o == option).map(|i| values[i]);
    let (Some(buffer), Some(size)) = (value(5), value(6)) else {
        return;
    };
    let bytes = log
        .bytes()
        .take((size as usize).saturating_sub(1))
        .chain([0]);
    for (i, byte) in bytes.enumerate() {
        // SAFETY: the buffer has the size that stands beside it.
        unsafe { buffer.cast::<u8>().add(i).write(byte) };
    }
}

fn load(
    state: &mut State,
    place: *mut CUmodule,
    image: *const c_void,
    options: &[c_int],
    values: &[*mut c_void],
) -> Outcome {
    current(state)?;
    let image = text(image.cast()).ok();
    let Some(found) = image.and_then(Text::parse) else {
        write_log(&state.log, options, values);
        return Err(INVALID_IMAGE);
    };
    state.compile(image.unwrap_or_default());
    let context = current_context().unwrap_or_default();
    let handle = state.insert(Object::Module(found.clone(), context));
    for (symbol, value) in found.constants {
        let address = state
            .allocate(current(state)?, 4)
            .ok_or(super::OUT_OF_MEMORY)?;
        // SAFETY: the allocation has the size of the number, and is aligned to 16 bytes.
        unsafe { (address as *mut u32).write(value) };
        state.globals.insert((handle, symbol), address);
    }
    write(place, handle as CUmodule);
    Ok(())
}

pub(super) fn find(name: &str) -> Option<*mut c_void> {
    match name {
        "cuModuleLoadDataEx" => Some(load_when_compiled as *mut c_void),
        _ => find_plain(name),
    }
}

/// `cuModuleLoadDataEx`, which other threads' calls go beside while it compiles.
extern "C" fn load_when_compiled(
    place: *mut CUmodule,
    image: *const c_void,
    count: c_uint,
    options: *mut c_int,
    values: *mut *mut c_void,
) -> c_int {
    wait_for_compiler(text(image.cast()).unwrap_or_default());
    call("cuModuleLoadDataEx", |state| {
        // SAFETY: the caller gives `count` options and as many values.
        let (options, values) = unsafe {
            let count = count as usize;
            (
                std::slice::from_raw_parts(options, count),
                std::slice::from_raw_parts(values, count),
            )
        };
        load(state, place, image, options, values)
    })
}

functions! { find_plain:
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) |state| {
        current(state)?;
        write(least, 0);
        write(greatest, -5);
        Ok(())
    }
    cuStreamCreateWithPriority(place: *mut CUstream, flags: c_uint, priority: c_int) |state| {
        let _ = (flags, priority);
        let device = current(state)?;
        write(place, state.insert(Object::Stream(device)) as CUstream);
        Ok(())
    }
    cuStreamDestroy_v2(stream: CUstream) |state| {
        find_stream(state, stream)?;
        state.objects.remove(&(stream as usize));
        Ok(())
    }
    cuStreamSynchronize(stream: CUstream) |state| {
        find_stream(state, stream)
    }
    cuStreamQuery(stream: CUstream) |state| {
        find_stream(state, stream)
    }
    cuStreamWaitEvent(stream: CUstream, of: CUevent, flags: c_uint) |state| {
        let _ = flags;
        find_stream(state, stream)?;
        event(state, of).map(|_| ())
    }
    cuEventCreate(place: *mut CUevent, flags: c_uint) |state| {
        let _ = flags;
        current(state)?;
        write(place, state.insert(Object::Event(None)) as CUevent);
        Ok(())
    }
    cuEventDestroy_v2(of: CUevent) |state| {
        event(state, of)?;
        state.objects.remove(&(of as usize));
        Ok(())
    }
    cuEventRecord(of: CUevent, stream: CUstream) |state| {
        find_stream(state, stream)?;
        *event(state, of)? = Some(Instant::now());
        Ok(())
    }
    cuEventQuery(of: CUevent) |state| {
        event(state, of).map(|_| ())
    }
    cuEventSynchronize(of: CUevent) |state| {
        event(state, of).map(|_| ())
    }
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) |state| {
        let (start, end) = (*event(state, start)?, *event(state, end)?);
        let (Some(start), Some(end)) = (start, end) else {
            return Err(INVALID_HANDLE);
        };
        write(milliseconds, end.duration_since(start).as_secs_f32() * 1e3);
        Ok(())
    }
    cuModuleUnload(of: CUmodule) |state| {
        module(state, of)?;
        state.unload(of as usize);
        Ok(())
    }
    cuModuleGetFunction(place: *mut CUfunction, of: CUmodule, name: *const c_char) |state| {
        let name = text(name)?;
        let entries = module(state, of)?.entries;
        let found = entries.into_iter().find(|entry| entry.0 == name).ok_or(NOT_FOUND)?;
        write(place, state.insert(Object::Function(found.0, found.1, found.2)) as CUfunction);
        Ok(())
    }
    cuModuleGetGlobal_v2(
        place: *mut CUdeviceptr, bytes: *mut usize, of: CUmodule, name: *const c_char
    ) |state| {
        module(state, of)?;
        let key = (of as usize, text(name)?.to_owned());
        let address = *state.globals.get(&key).ok_or(NOT_FOUND)?;
        write(place, address);
        write(bytes, 4);
        Ok(())
    }
    cuFuncSetAttribute(of: CUfunction, attribute: c_int, value: c_int) |state| {
        let _ = (attribute, value);
        function(state, of).map(|_| ())
    }
    cuFuncGetAttribute(value: *mut c_int, attribute: c_int, of: CUfunction) |state| {
        let _ = attribute;
        function(state, of)?;
        write(value, 64);
        Ok(())
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, of: CUfunction, threads: c_int, shared_bytes: usize
    ) |state| {
        let _ = (threads, shared_bytes);
        function(state, of)?;
        write(blocks, 3);
        Ok(())
    }
    cuLaunchKernel(
        of: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint, shared_bytes: c_uint,
        stream: CUstream, params: *mut *mut c_void, extra: *mut *mut c_void
    ) |state| {
        find_stream(state, stream)?;
        let (symbol, bytes, threads) = function(state, of)?;
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let block_threads: u32 = block.iter().product();
        if grid.contains(&0) || !(1..=threads).contains(&block_threads) || !extra.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: a kernel with one parameter is given the address of its bytes.
        let params = unsafe { std::slice::from_raw_parts((*params).cast::<u8>(), bytes) }.to_vec();
        let device = current(state)?;
        let launch = Launch {
            device, stream: stream as usize, symbol, grid, block, shared_bytes, params
        };
        if let Some(kernel) = state.kernels.get(&launch.symbol) {
            kernel(&launch);
        }
        state.launches.push(launch);
        Ok(())
    }
}
