#![doc = include_str!("../README.md")]

mod allocator;
mod buffer;
mod error;
mod locker;
mod pages;
mod strategy;

pub use allocator::HostAllocator;
pub use buffer::HostBuf;
pub use error::{AllocError, LockError, ParseHostMemoryError};
pub use locker::{LockOutcome, PageLocker};
pub use strategy::HostMemory;
