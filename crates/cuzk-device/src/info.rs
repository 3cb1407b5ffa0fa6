//! What there is: the driver and its devices.

use std::ffi::{CStr, c_char, c_int};
use std::fmt;

use cust::sys::{self, CUdevice, CUdevice_attribute as Attribute};

use crate::code::{NO_DEVICE, answer, check};
use crate::selector::uuid_text;
use crate::{DeviceError, DeviceSelector};

/// The CUDA version for which a driver was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverVersion {
    /// As in 13.0.
    pub major: u32,
    /// As in 13.0.
    pub minor: u32,
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A device, without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its place in the driver's order.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// `GPU-` and its UUID, or that of the MIG instance.
    pub uuid: String,
    /// Its place on the PCI bus.
    pub bus_id: String,
    /// Major and minor compute capability.
    pub architecture: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Memory in all.
    pub memory_bytes: usize,
    /// The most dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Whether it registers host memory.
    pub registers_host_memory: bool,
    /// Whether it has memory pools in the order of a stream.
    pub has_pools: bool,
}

/// Loads and initialises the driver; any number of times.
pub(crate) fn initialise() -> Result<(), DeviceError> {
    check_not_forked()?;
    cuzk_driver::load().map_err(DeviceError::NoDriver)?;
    // SAFETY: the function may be called at any time, any number of times.
    answer(unsafe { sys::cuInit(0) }).map_err(|code| match code.raw {
        NO_DEVICE => DeviceError::NoDevice,
        _ => DeviceError::Call {
            doing: "initialising the driver".to_owned(),
            code,
        },
    })
}

pub(crate) fn check_not_forked() -> Result<(), DeviceError> {
    match cuzk_driver::forked() {
        Some((opened, here)) => Err(DeviceError::Forked { opened, here }),
        None => Ok(()),
    }
}

/// The version of the loaded driver.
///
/// # Errors
/// Where there is no driver or no device.
pub fn driver_version() -> Result<DriverVersion, DeviceError> {
    initialise()?;
    let mut version = 0;
    // SAFETY: the place for the number is there.
    let result = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    check(result, || "asking for the driver's version".to_owned())?;
    let version = u32::try_from(version).unwrap_or(0);
    Ok(DriverVersion {
        major: version / 1000,
        minor: version % 1000 / 10,
    })
}

/// Every device that the driver sees, in its order.
///
/// # Errors
/// [`DeviceError::NoDriver`] or [`DeviceError::NoDevice`], or a call that failed.
pub fn devices() -> Result<Vec<DeviceInfo>, DeviceError> {
    initialise()?;
    let mut count = 0;
    // SAFETY: the place for the number is there.
    let result = unsafe { sys::cuDeviceGetCount(&raw mut count) };
    check(result, || "counting devices".to_owned())?;
    let count = u32::try_from(count).unwrap_or(0);
    (0..count)
        .map(|index| info(index).map(|(_, info)| info))
        .collect()
}

/// The one device that the selector fits.
pub(crate) fn select(asked: &DeviceSelector) -> Result<(CUdevice, DeviceInfo), DeviceError> {
    let all = devices()?;
    let fits = |device: &&DeviceInfo| match asked {
        DeviceSelector::Index(index) => device.index == *index,
        DeviceSelector::Uuid(digits) => device
            .uuid
            .trim_start_matches("GPU-")
            .replace('-', "")
            .starts_with(digits),
    };
    let found: Vec<&DeviceInfo> = all.iter().filter(fits).collect();
    if let [one] = found[..] {
        return info(one.index);
    }
    let known = all
        .iter()
        .map(|d| format!("{}: {} ({})", d.index, d.name, d.uuid));
    Err(DeviceError::UnknownDevice {
        asked: asked.clone(),
        found: found.len(),
        known: known.collect(),
    })
}

fn info(index: u32) -> Result<(CUdevice, DeviceInfo), DeviceError> {
    let doing = |what: &str| format!("asking device {index} for its {what}");
    let mut device: CUdevice = 0;
    let ordinal = c_int::try_from(index).unwrap_or(c_int::MAX);
    // SAFETY: the place for the handle is there.
    let result = unsafe { sys::cuDeviceGet(&raw mut device, ordinal) };
    check(result, || doing("handle"))?;

    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: the place for the bytes is there.
    let result = unsafe { sys::cuDeviceGetUuid_v2(&raw mut uuid, device) };
    check(result, || doing("UUID"))?;
    let mut memory_bytes = 0;
    // SAFETY: the place for the number is there.
    let result = unsafe { sys::cuDeviceTotalMem_v2(&raw mut memory_bytes, device) };
    check(result, || doing("memory"))?;

    let attribute = |attribute: Attribute| -> Result<u32, DeviceError> {
        let mut value = 0;
        // SAFETY: the place for the number is there.
        let result = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
        check(result, || doing("attributes"))?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let info = DeviceInfo {
        index,
        name: text(|place, len| {
            // SAFETY: the place has `len` bytes.
            check(unsafe { sys::cuDeviceGetName(place, len, device) }, || {
                doing("name")
            })
        })?,
        uuid: uuid_text(uuid.bytes.map(c_char::cast_unsigned)),
        bus_id: text(|place, len| {
            // SAFETY: the place has `len` bytes.
            check(
                unsafe { sys::cuDeviceGetPCIBusId(place, len, device) },
                || doing("bus"),
            )
        })?,
        architecture: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        memory_bytes,
        shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        registers_host_memory: attribute(Attribute::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)?
            != 0,
        has_pools: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0,
    };
    Ok((device, info))
}

/// A text that the driver writes to a place of so many bytes.
fn text(
    write: impl FnOnce(*mut c_char, c_int) -> Result<(), DeviceError>,
) -> Result<String, DeviceError> {
    const LEN: usize = 256;
    let mut place = [0u8; LEN];
    write(place.as_mut_ptr().cast(), LEN as c_int - 1)?;
    let text = CStr::from_bytes_until_nul(&place).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
}
