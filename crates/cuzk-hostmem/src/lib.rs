#![doc = include_str!("../README.md")]

mod allocator;
mod buffer;
mod copies;
mod error;
mod locker;
mod measure;
mod pages;
mod rates;
mod ring;
mod strategy;
mod target;

pub use allocator::HostAllocator;
pub use buffer::HostBuf;
pub use copies::{CopyReport, CopyStep, HostCopies};
pub use error::{AllocError, LockError, ParseHostMemoryError};
pub use locker::{LockOutcome, PageLocker};
pub use rates::{CopyCost, CopyRates, Prediction, RegisteredCost};
pub use ring::CopyOptions;
pub use strategy::HostMemory;
pub use target::CopyTarget;
