//! Several files of kernels at once.
//!
//! The driver compiles one file at a time in a context, and keeps what it compiled in a cache on
//! disk that all contexts share. So other contexts, thrown away afterwards, compile what the
//! device's own would have to wait for, and that finds it in the cache.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cust::sys::{self, CUcontext};

use crate::code::{check, check_dropped};
use crate::info::check_not_forked;
use crate::module::compile;
use crate::{Device, DeviceError, Module};

/// How long the device's own context loads alone. What is in the cache takes a millisecond or
/// two a file; to make a context takes longer than this.
const PATIENCE: Duration = Duration::from_millis(50);

/// Contexts that help, at most: each takes some hundred MiB of the device while it is there.
const HELPERS: usize = 7;

impl Device {
    /// Loads several files of kernels at once. What the driver does not have in its cache is
    /// compiled by several threads, each with a context of its own for as long as that takes.
    ///
    /// Where there is no cache, or no memory for such contexts, one file is compiled after the
    /// other.
    ///
    /// # Errors
    /// As [`Device::load`], for the first of them that fails.
    pub fn load_all(
        &self,
        sources: &[&'static cuzk_kernels::Module],
    ) -> Result<Vec<Module>, DeviceError> {
        self.load_all_after(PATIENCE, sources)
    }

    /// The same, with help after some time.
    pub(crate) fn load_all_after(
        &self,
        patience: Duration,
        sources: &[&'static cuzk_kernels::Module],
    ) -> Result<Vec<Module>, DeviceError> {
        let queue = Queue::new(sources);
        let _loaded = thread::scope(|scope| {
            let (_end, wait) = channel();
            let queue = &queue;
            let help = move || {
                if is_over(&wait, patience) {
                    help_with(self, queue);
                }
            };
            // Without a thread there is no help.
            let helped = thread::Builder::new().spawn_scoped(scope, help);
            if let Err(error) = helped {
                tracing::debug!(%error, "kernels are loaded without help");
            }
            self.load_queue(queue)
        })?;
        // Those that others compiled are in the cache, the rest is in use.
        sources.iter().map(|source| self.load(source)).collect()
    }

    /// Loads what is left of a queue, the smallest first; after a failure nobody takes more.
    fn load_queue(&self, queue: &Queue) -> Result<Vec<Module>, DeviceError> {
        let mut loaded = Vec::new();
        while let Some(source) = queue.smallest() {
            loaded.push(self.load(source).inspect_err(|_| queue.clear())?);
        }
        Ok(loaded)
    }
}

/// Whether the other end was still there after some time.
fn is_over(end: &Receiver<()>, patience: Duration) -> bool {
    end.recv_timeout(patience) == Err(RecvTimeoutError::Timeout)
}

/// Files that nobody compiles yet, the smallest first.
struct Queue(Mutex<VecDeque<&'static cuzk_kernels::Module>>);

impl Queue {
    fn new(sources: &[&'static cuzk_kernels::Module]) -> Self {
        let mut sources = sources.to_vec();
        sources.sort_by_key(|source| source.ptx.len());
        Self(Mutex::new(sources.into()))
    }

    fn with<T>(&self, act: impl FnOnce(&mut VecDeque<&'static cuzk_kernels::Module>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn smallest(&self) -> Option<&'static cuzk_kernels::Module> {
        self.with(VecDeque::pop_front)
    }

    fn largest(&self) -> Option<&'static cuzk_kernels::Module> {
        self.with(VecDeque::pop_back)
    }

    fn len(&self) -> usize {
        self.with(|sources| sources.len())
    }

    fn clear(&self) {
        self.with(VecDeque::clear);
    }
}

/// Compiles what is left of a queue into the cache, the largest first. Nothing here is an error:
/// what fails fails again, or not, in the device's own context.
fn help_with(device: &Device, queue: &Queue) {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let helpers = (processors - 1).clamp(1, HELPERS).min(queue.len());
    tracing::debug!(helpers, "the driver compiles kernels");
    thread::scope(|scope| {
        for _ in 0..helpers {
            let help = || {
                if let Err(error) = compile_largest(device, queue) {
                    tracing::debug!(%error, "a context that compiles kernels gave up");
                }
            };
            // One thread fewer is less help.
            if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                break;
            }
        }
    });
}

fn compile_largest(device: &Device, queue: &Queue) -> Result<(), DeviceError> {
    let _context = ThrowAway::new(device)?;
    while let Some(source) = queue.largest() {
        // The module goes with its context.
        compile(device, source)?;
    }
    Ok(())
}

/// A context beside the primary one, current in the thread that made it.
struct ThrowAway {
    raw: CUcontext,
}

impl ThrowAway {
    fn new(device: &Device) -> Result<Self, DeviceError> {
        check_not_forked()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the place for the handle is there, and the device exists.
        let result = unsafe { sys::cuCtxCreate_v2(&raw mut raw, 0, device.raw()) };
        check(result, || "making a context".to_owned())?;
        Ok(Self { raw })
    }
}

impl Drop for ThrowAway {
    fn drop(&mut self) {
        if check_not_forked().is_ok() {
            // SAFETY: the context exists, and its thread ends with it.
            check_dropped(unsafe { sys::cuCtxDestroy_v2(self.raw) }, "a context");
        }
    }
}

#[cfg(test)]
mod tests;
