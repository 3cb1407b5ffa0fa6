use std::ffi::{CString, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cust::sys::{self, CUfunction, CUjit_option as Option_, CUmodule};
use cuzk_curve::{FpLimbs, FrLimbs, G1Limbs, G2Limbs};
use cuzk_kernels::EntryPoint;

use crate::code::{DriverCode, NOT_FOUND, UNSUPPORTED_PTX_VERSION, answer, check, check_dropped};
use crate::{Device, DeviceError, Kernel, KernelParams};

// The sizes by which a module tells its layout are those of the types of this side.
const _: () = {
    let sizes = [
        size_of::<FrLimbs>(),
        size_of::<FpLimbs>(),
        size_of::<G1Limbs>(),
        size_of::<G2Limbs>(),
    ];
    let mut i = 0;
    while i < sizes.len() {
        assert!(cuzk_kernels::LAYOUT[i].1 as usize == sizes[i]);
        i += 1;
    }
};

/// A file of kernels on a device.
#[derive(Debug, Clone)]
pub struct Module {
    inner: Arc<Inner>,
}

/// The files of kernels that are in use on a device.
#[derive(Default)]
pub(crate) struct Loaded(Mutex<Vec<Weak<Inner>>>);

pub(crate) struct Inner {
    raw: CUmodule,
    source: &'static cuzk_kernels::Module,
    device: Device,
}

// SAFETY: the module is a handle, and the functions that take it are thread-safe.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Device {
    /// Compiles a file of kernels for the device, or takes the driver's copy of that, and
    /// compares its layout with ours. A file that is loaded and in use is not loaded again.
    ///
    /// # Errors
    /// [`DeviceError::DriverTooOld`], [`DeviceError::Compile`] with the compiler's log, and
    /// [`DeviceError::Layout`].
    pub fn load(&self, source: &'static cuzk_kernels::Module) -> Result<Module, DeviceError> {
        if let Some(inner) = self.loaded().find(source.digest) {
            return Ok(Module { inner });
        }
        self.enter()?;
        let inner = Inner {
            raw: compile(self, source)?,
            source,
            device: self.clone(),
        };
        inner.compare_layout()?;
        tracing::debug!(
            module = source.name,
            digest = source.digest,
            "loaded kernels"
        );
        let inner = Arc::new(inner);
        self.loaded().add(&inner);
        Ok(Module { inner })
    }
}

impl Device {
    /// A kernel by its symbol, from whichever file it stands in.
    ///
    /// # Errors
    /// As [`Device::load`] and [`Module::kernel`].
    pub fn kernel<P: KernelParams>(&self, symbol: &str) -> Result<Kernel<P>, DeviceError> {
        let missing = || DeviceError::MissingSymbol {
            module: "all",
            symbol: symbol.to_owned(),
        };
        let source = cuzk_kernels::module_with(symbol).ok_or_else(missing)?;
        self.load(source)?.kernel(symbol)
    }
}

impl Loaded {
    fn find(&self, digest: &str) -> Option<Arc<Inner>> {
        let loaded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let in_use: Vec<Arc<Inner>> = loaded.iter().filter_map(Weak::upgrade).collect();
        // One of these may be the last to hold its file: that is unloaded without the lock.
        drop(loaded);
        in_use
            .into_iter()
            .find(|inner| inner.source.digest == digest)
    }

    fn add(&self, inner: &Arc<Inner>) {
        let mut loaded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|other| other.strong_count() > 0);
        loaded.push(Arc::downgrade(inner));
    }
}

impl Module {
    /// A kernel that takes a structure of this type.
    ///
    /// # Errors
    /// [`DeviceError::MissingSymbol`], and [`DeviceError::Layout`] where the structure has
    /// another size than the kernel's.
    pub fn kernel<P: KernelParams>(&self, symbol: &str) -> Result<Kernel<P>, DeviceError> {
        let (function, entry) = self.find(symbol)?;
        if entry.param_bytes as usize != size_of::<P>() {
            return Err(DeviceError::Layout {
                module: self.inner.source.name,
                symbol: entry.symbol,
                expected: u32::try_from(size_of::<P>()).unwrap_or(u32::MAX),
                got: entry.param_bytes,
            });
        }
        Kernel::new(self.clone(), function, entry)
    }

    fn find(&self, symbol: &str) -> Result<(CUfunction, &'static EntryPoint), DeviceError> {
        let entry = self.inner.source.entry_point(symbol);
        let entry = entry.ok_or_else(|| self.inner.missing(symbol))?;
        self.inner.device.enter()?;
        let mut function: CUfunction = std::ptr::null_mut();
        let name = c_string(symbol)?;
        let module = self.inner.raw;
        // SAFETY: the place for the handle is there, the name is terminated, the module exists.
        let result = unsafe { sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) };
        self.inner.found(symbol, result)?;
        Ok((function, entry))
    }

    /// Blocks of a kernel that a multiprocessor holds at once on this device.
    ///
    /// # Errors
    /// [`DeviceError::MissingSymbol`], or where the driver does not say.
    pub fn resident_blocks(&self, symbol: &str) -> Result<u32, DeviceError> {
        let (function, entry) = self.find(symbol)?;
        crate::kernel::resident_blocks(function, entry)
    }

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.inner.source.name
    }

    /// The device on which the kernels are.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }
}

impl Inner {
    fn compare_layout(&self) -> Result<(), DeviceError> {
        for (symbol, expected) in cuzk_kernels::LAYOUT {
            let (mut address, mut bytes) = (0, 0);
            let name = c_string(symbol)?;
            // SAFETY: the places are there, the name is terminated, the module exists.
            let result = unsafe {
                sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw, name.as_ptr())
            };
            self.found(symbol, result)?;
            let mut got = 0u32;
            let place = (&raw mut got).cast();
            // SAFETY: both sides have four bytes; the size of the other was just told.
            let result = unsafe { sys::cuMemcpyDtoH_v2(place, address, bytes.min(4)) };
            check(result, || format!("reading {symbol}"))?;
            if got != expected || bytes != 4 {
                return Err(DeviceError::Layout {
                    module: self.source.name,
                    symbol,
                    expected,
                    got,
                });
            }
        }
        Ok(())
    }

    fn found(&self, symbol: &str, result: sys::CUresult) -> Result<(), DeviceError> {
        answer(result).map_err(|code| match code.raw {
            NOT_FOUND => self.missing(symbol),
            _ => DeviceError::Call {
                doing: format!("looking for {symbol}"),
                code,
            },
        })
    }

    fn missing(&self, symbol: &str) -> DeviceError {
        DeviceError::MissingSymbol {
            module: self.source.name,
            symbol: symbol.to_owned(),
        }
    }
}

fn c_string(text: &str) -> Result<CString, DeviceError> {
    CString::new(text).map_err(|error| DeviceError::Length {
        what: "bytes of a name before a zero",
        expected: text.len(),
        got: error.nul_position(),
    })
}

/// Loads the text in the thread's context, with a buffer for what the compiler has to say.
pub(crate) fn compile(
    device: &Device,
    source: &'static cuzk_kernels::Module,
) -> Result<CUmodule, DeviceError> {
    const LOG_BYTES: usize = 16 << 10;
    let text = c_string(source.ptx)?;
    let mut log = vec![0u8; LOG_BYTES];
    let mut options = [
        Option_::CU_JIT_ERROR_LOG_BUFFER,
        Option_::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values: [*mut c_void; 2] = [
        log.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(LOG_BYTES),
    ];
    let mut raw = std::ptr::null_mut();
    // SAFETY: the text is terminated, and the options say where the log's buffer is and how
    // large.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut raw,
            text.as_ptr().cast(),
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    match answer(result) {
        Ok(()) => Ok(raw),
        Err(code) => Err(refused(device, source, code, &log)),
    }
}

fn refused(
    device: &Device,
    source: &'static cuzk_kernels::Module,
    code: DriverCode,
    log: &[u8],
) -> DeviceError {
    if code.raw == UNSUPPORTED_PTX_VERSION {
        return DeviceError::DriverTooOld {
            needed: cuzk_kernels::OLDEST_DRIVER,
            got: device.driver(),
        };
    }
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    DeviceError::Compile {
        module: source.name,
        log: String::from_utf8_lossy(&log[..end]).trim().to_owned(),
        code,
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Module").field(&self.source.name).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.device.enter_to_drop() {
            // SAFETY: the module exists, and every kernel of it holds this value.
            check_dropped(unsafe { sys::cuModuleUnload(self.raw) }, "a module");
        }
    }
}
