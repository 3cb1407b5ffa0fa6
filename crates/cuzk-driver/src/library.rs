//! The library in which functions are found.

use std::ffi::c_void;
use std::fmt::Debug;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use cust_raw::CUresult;
use libloading::Library;

use crate::{LoadError, NAMES, codes};

/// Where the driver's functions are found.
pub trait Symbols: Debug + Sync {
    /// The address of the function with this name.
    fn address(&self, name: &str) -> Option<NonNull<c_void>>;
}

#[derive(Debug)]
enum Source {
    Driver(Library),
    Installed(&'static dyn Symbols),
    Absent(String),
}

static SOURCE: OnceLock<Source> = OnceLock::new();
/// The process that looked for the library first.
static OWNER: OnceLock<u32> = OnceLock::new();

/// The processes on the two sides of a fork, where this one is the younger of them and the
/// library was in use before: a driver does not survive that.
#[must_use]
pub fn forked() -> Option<(u32, u32)> {
    let (owner, here) = (*OWNER.get()?, std::process::id());
    (owner != here).then_some((owner, here))
}

/// Opens the driver's library, if no library is in use yet.
///
/// # Errors
/// [`LoadError::NoDriver`] with the linker's reason, at this and every later call.
pub fn load() -> Result<(), LoadError> {
    match source() {
        Source::Driver(_) | Source::Installed(_) => Ok(()),
        Source::Absent(reason) => Err(LoadError::NoDriver {
            reason: reason.clone(),
        }),
    }
}

/// Puts functions in the place of the driver's, for the rest of the process.
///
/// # Errors
/// [`LoadError::InUse`] after the first call of any function, of [`load`] or of this one.
///
/// # Safety
/// Every address is that of a function with the signature and the contract of the driver's.
pub unsafe fn install(symbols: &'static dyn Symbols) -> Result<(), LoadError> {
    SOURCE
        .set(Source::Installed(symbols))
        .map_err(|_| LoadError::InUse)
}

/// The functions that the library in use does not have; all of them without a driver.
#[must_use]
pub fn lacking() -> Vec<&'static str> {
    let source = source();
    let names = NAMES.iter().copied();
    names
        .filter(|name| source.address(name).is_none())
        .collect()
}

fn source() -> &'static Source {
    OWNER.get_or_init(std::process::id);
    SOURCE.get_or_init(|| {
        // SAFETY: the driver's library may be loaded at any time; its initialisers ask nothing
        // of the process.
        match unsafe { Library::new("libcuda.so.1") } {
            Ok(library) => Source::Driver(library),
            Err(error) => Source::Absent(error.to_string()),
        }
    })
}

impl Source {
    fn address(&self, name: &str) -> Option<NonNull<c_void>> {
        match self {
            Self::Driver(library) => {
                // SAFETY: the symbol is taken as an address only.
                let symbol = unsafe { library.get::<*mut c_void>(name.as_bytes()) }.ok()?;
                // SAFETY: the library stays loaded, since it is in a static.
                NonNull::new(unsafe { symbol.into_raw() }.into_raw())
            }
            Self::Installed(symbols) => symbols.address(name),
            Self::Absent(_) => None,
        }
    }
}

/// The address of a function, found once; or the code with which its caller answers.
pub(crate) fn find(
    cache: &AtomicPtr<c_void>,
    name: &'static str,
) -> Result<NonNull<c_void>, CUresult> {
    if let Some(address) = NonNull::new(cache.load(Ordering::Acquire)) {
        return Ok(address);
    }
    let source = source();
    match source.address(name) {
        Some(address) => {
            cache.store(address.as_ptr(), Ordering::Release);
            Ok(address)
        }
        None if matches!(source, Source::Absent(_)) => {
            Err(codes::ours(CUresult::CUDA_ERROR_NO_DEVICE))
        }
        None => Err(codes::ours(
            CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
        )),
    }
}
