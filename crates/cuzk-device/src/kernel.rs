use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;

use cust::sys::{self, CUfunction, CUfunction_attribute as Attribute};
use cuzk_kernels::EntryPoint;

use crate::code::{answer, check};
use crate::{DeviceError, Module, Stream};

/// A structure that a kernel takes by value.
///
/// # Safety
/// The type is `repr(C)`, without padding, and has the fields of the kernel's structure in their
/// order: addresses and counts of 64 bits. Any bytes are a value of the kernel's structure.
pub unsafe trait KernelParams: Copy {}

/// A kernel with the type of its parameters.
pub struct Kernel<P> {
    module: Module,
    function: CUfunction,
    entry: &'static EntryPoint,
    _params: PhantomData<fn(P)>,
}

// SAFETY: the function is a handle, and the functions that take it are thread-safe.
unsafe impl<P> Send for Kernel<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Kernel<P> {}

/// Shared memory that a kernel may have without asking.
const SHARED_BYTES_UNASKED: u32 = 48 << 10;

impl<P: KernelParams> Kernel<P> {
    pub(crate) fn new(
        module: Module,
        function: CUfunction,
        entry: &'static EntryPoint,
    ) -> Result<Self, DeviceError> {
        allow_shared_memory(function, entry)?;
        Ok(Self {
            module,
            function,
            entry,
            _params: PhantomData,
        })
    }

    /// The kernel's row of the table.
    #[must_use]
    pub fn entry_point(&self) -> &'static EntryPoint {
        self.entry
    }

    /// The blocks that have at least `n` threads together; one for none.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where a grid cannot have so many.
    pub fn blocks_for(&self, n: usize) -> Result<u32, DeviceError> {
        let blocks = n.div_ceil(self.entry.threads as usize).max(1);
        match i32::try_from(blocks) {
            Ok(fits) => Ok(fits.cast_unsigned()),
            Err(_) => Err(DeviceError::Length {
                what: "blocks of a grid, at most",
                expected: i32::MAX as usize,
                got: blocks,
            }),
        }
    }

    /// Enqueues the kernel, with the threads and the shared memory of its row.
    ///
    /// # Errors
    /// [`DeviceError::Launch`]. What the kernel itself meets comes with a later call.
    ///
    /// # Safety
    /// For these parameters and so many blocks the kernel reads and writes only memory that is
    /// allocated until the stream has done it, that no other work writes or reads meanwhile,
    /// and that belongs to the stream.
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        blocks: u32,
        params: &P,
    ) -> Result<(), DeviceError> {
        stream.device().enter()?;
        let EntryPoint {
            symbol,
            threads,
            shared_bytes,
            ..
        } = *self.entry;
        tracing::trace!(
            symbol,
            grid = blocks,
            block = threads,
            shared_bytes,
            "launch"
        );
        let mut arguments: [*mut c_void; 1] = [(&raw const *params).cast_mut().cast()];
        // SAFETY: the kernel takes one structure of this size, which was compared with its row;
        // the driver copies it before it returns. The caller answers for the rest.
        let result = unsafe {
            sys::cuLaunchKernel(
                self.function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared_bytes,
                stream.to_give(),
                arguments.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        answer(result).map_err(|code| DeviceError::Launch {
            symbol,
            blocks,
            threads,
            shared_bytes,
            code,
        })
    }

    /// Registers of a thread on this device.
    ///
    /// # Errors
    /// Where the driver does not say.
    pub fn registers(&self) -> Result<u32, DeviceError> {
        self.module.device().enter()?;
        let mut registers = 0;
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        // SAFETY: the place for the number is there, and the function exists.
        let result =
            unsafe { sys::cuFuncGetAttribute(&raw mut registers, attribute, self.function) };
        check(result, || {
            format!("asking for the registers of {}", self.entry.symbol)
        })?;
        Ok(u32::try_from(registers).unwrap_or(0))
    }
}

/// Lets a function have the shared memory of its row, on the device whose context the thread has.
fn allow_shared_memory(function: CUfunction, entry: &EntryPoint) -> Result<(), DeviceError> {
    if entry.shared_bytes <= SHARED_BYTES_UNASKED {
        return Ok(());
    }
    let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let bytes = c_int::try_from(entry.shared_bytes).unwrap_or(c_int::MAX);
    // SAFETY: the function exists.
    let result = unsafe { sys::cuFuncSetAttribute(function, attribute, bytes) };
    check(result, || {
        format!("giving {} {bytes} bytes of shared memory", entry.symbol)
    })
}

/// Of a function on the device whose context the thread has.
pub(crate) fn resident_blocks(
    function: CUfunction,
    entry: &EntryPoint,
) -> Result<u32, DeviceError> {
    allow_shared_memory(function, entry)?;
    let mut blocks = 0;
    // SAFETY: the place for the number is there, and the function exists.
    let result = unsafe {
        sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &raw mut blocks,
            function,
            entry.threads.cast_signed(),
            entry.shared_bytes as usize,
        )
    };
    check(result, || {
        format!("asking for the occupancy of {}", entry.symbol)
    })?;
    Ok(u32::try_from(blocks).unwrap_or(0))
}

impl<P> fmt::Debug for Kernel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.entry).finish()
    }
}
