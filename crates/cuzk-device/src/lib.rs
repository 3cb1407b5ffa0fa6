#![doc = include_str!("../README.md")]

mod allocator;
mod buffer;
mod code;
mod copies;
mod device;
mod error;
mod event;
mod info;
mod kernel;
mod loading;
mod module;
mod promise;
mod registrar;
mod result;
mod selector;
mod stream;
mod watch;

pub use buffer::{DeviceBuf, DeviceSlice, DeviceSliceMut};
pub use code::DriverCode;
pub use device::{Device, DeviceOptions, MemoryInfo};
pub use error::DeviceError;
pub use event::{Event, Timing};
pub use info::{DeviceInfo, DriverVersion, devices, driver_version};
pub use kernel::{Kernel, KernelParams};
pub use module::Module;
pub use promise::Promise;
pub use registrar::PageRegistrar;
pub use result::DeviceResult;
pub use selector::{DeviceSelector, ParseSelectorError};
pub use stream::Stream;
pub use watch::{Mark, Marks, PartBeside, StreamPart, StreamWatch, Watched};
