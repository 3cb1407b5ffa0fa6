//! Registered buffers through which ordinary memory is copied.

use crate::{AllocError, CopyTarget, HostBuf, LockOutcome, PageLocker, pages::Pages};
use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Buffers of a thread: one is filled while the other is copied from.
const BUFFERS: usize = 2;

/// The size of a staging ring, and from where on it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyOptions {
    /// Threads that fill the buffers, the caller's among them; at least one.
    pub staging_threads: usize,
    /// Bytes of a buffer, of which each thread has two; at least 64 KiB.
    pub chunk_bytes: usize,
    /// Fewer bytes are copied as they are: registering and staging have a price of their own.
    pub least_bytes: usize,
}

impl CopyOptions {
    /// The most threads by default.
    const MOST_THREADS: usize = 8;
    /// The least bytes of a buffer.
    const LEAST_CHUNK: usize = 64 << 10;

    fn threads(&self) -> usize {
        self.staging_threads.clamp(1, 256)
    }

    fn chunk_bytes(&self) -> usize {
        self.chunk_bytes.max(Self::LEAST_CHUNK)
    }
}

impl Default for CopyOptions {
    /// Buffers of 2 MiB, as many threads as the process may use, up to eight, and from 256 KiB on.
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            staging_threads: threads.min(Self::MOST_THREADS),
            chunk_bytes: 2 << 20,
            least_bytes: 256 << 10,
        }
    }
}

/// The buffers of all threads, registered.
#[derive(Debug)]
pub(crate) struct StagingRing {
    buffer: HostBuf<u8>,
    chunk_bytes: usize,
}

impl StagingRing {
    /// The ring; nothing where its pages are not to be had or not registered, which is said in a
    /// warning.
    pub(crate) fn new(options: &CopyOptions, locker: &Arc<dyn PageLocker>) -> Option<Self> {
        let chunk_bytes = options.chunk_bytes();
        let pages = || -> Result<Pages<u8>, AllocError> {
            let mut pages = Pages::zeroed(options.threads() * BUFFERS * chunk_bytes)?;
            // Registering untouched pages is dearer.
            pages.as_mut_slice().fill(1);
            Ok(pages)
        };
        let buffer = match pages() {
            Ok(pages) => HostBuf::registered(pages, Arc::clone(locker)),
            Err(error) => {
                tracing::warn!(%error, "there is no memory for staging, copies stay pageable");
                return None;
            }
        };
        matches!(buffer.outcome(), LockOutcome::Locked).then_some(Self {
            buffer,
            chunk_bytes,
        })
    }

    /// Copies everything, and waits for that.
    pub(crate) fn copy<T: CopyTarget>(&mut self, from: &[u8], to: &T) -> Result<(), T::Error> {
        let work = Work {
            from,
            to,
            chunk_bytes: self.chunk_bytes,
            next: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
        };
        let chunks = from.len().div_ceil(self.chunk_bytes);
        let mut lanes = self.buffer.chunks_mut(BUFFERS * self.chunk_bytes);
        let own = lanes.next().expect("a ring has a thread");
        let copied = thread::scope(|scope| {
            let others: Vec<_> = lanes
                .take(chunks.saturating_sub(1))
                // Where the system gives no more threads, those that there are do the work.
                .map_while(|lane| {
                    let builder = thread::Builder::new().name("cuzk-staging".to_owned());
                    builder.spawn_scoped(scope, || work.run(lane)).ok()
                })
                .collect();
            let mut copied = work.run(own);
            for other in others {
                let outcome = other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                copied = copied.and(outcome);
            }
            copied
        });
        // The buffers are read until then, whatever came before.
        let finished = to.finish();
        copied.and(finished)
    }
}

/// A copy on which several threads work, chunk by chunk.
struct Work<'a, T> {
    from: &'a [u8],
    to: &'a T,
    chunk_bytes: usize,
    next: AtomicUsize,
    failed: AtomicBool,
}

impl<T: CopyTarget> Work<'_, T> {
    /// Takes chunks until there are none, or a thread failed.
    fn run(&self, lane: &mut [u8]) -> Result<(), T::Error> {
        let outcome = self.take_chunks(lane);
        if outcome.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn take_chunks(&self, lane: &mut [u8]) -> Result<(), T::Error> {
        let mut marks: [Option<T::Mark>; BUFFERS] = [None, None];
        for turn in 0.. {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            let offset = chunk.saturating_mul(self.chunk_bytes);
            if offset >= self.from.len() || self.failed.load(Ordering::Relaxed) {
                break;
            }
            let place = turn % BUFFERS;
            if let Some(mark) = marks[place].take() {
                self.to.wait(mark)?;
            }
            let from = &self.from[offset..self.from.len().min(offset + self.chunk_bytes)];
            let buffer = &mut lane[place * self.chunk_bytes..][..from.len()];
            buffer.copy_from_slice(from);
            // SAFETY: the buffer is written next after the mark below was waited for, and the
            // ring finishes the copies before it gives the buffers to anybody else.
            unsafe { self.to.copy(offset, buffer) }?;
            marks[place] = Some(self.to.mark()?);
        }
        Ok(())
    }
}
