//! What copies cost on this machine.

use crate::{
    CopyCost, CopyRates, CopyTarget, PageLocker, RegisteredCost,
    copies::{Parts, copy_plain},
    ring::StagingRing,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The sizes between which costs are taken to be a line.
const SIZES: [usize; 2] = [1 << 20, 16 << 20];
/// Those for a ring: its threads and buffers are all at work from some MiB on, and a line through
/// what is less would say too little for all that is more.
const RING_SIZES: [usize; 2] = [4 << 20, 64 << 20];
/// The least of so many times counts; the first ones touch what was not there yet.
const TIMES: usize = 3;

/// Copies the first bytes again and again, in every way that there is.
pub(crate) fn measure<T: CopyTarget>(
    from: &[u8],
    to: &T,
    locker: Option<&Arc<dyn PageLocker>>,
    mut ring: Option<&mut StagingRing>,
) -> Result<CopyRates, T::Error> {
    let first = |bytes: usize| &from[..from.len().min(bytes)];
    let [small, large] = SIZES.map(first);
    let pageable = line([small, large], |bytes| timed(|| copy_plain(bytes, to)))?;
    let staged = ring
        .as_mut()
        .map(|ring| {
            line(RING_SIZES.map(first), |bytes| {
                timed(|| ring.copy(bytes, to))
            })
        })
        .transpose()?;
    let mut registered = None;
    if let Some(locker) = locker
        && let Some(small_times) = register(small, to, locker)?
        && let Some(large_times) = register(large, to, locker)?
    {
        let [lock, copy, unlock] = [0, 1, 2].map(|i| {
            CopyCost::through((small.len(), small_times[i]), (large.len(), large_times[i]))
        });
        registered = Some(RegisteredCost { lock, copy, unlock });
    }
    Ok(CopyRates::measured(pageable, registered, staged))
}

fn line<'a, E>(
    sizes: [&'a [u8]; 2],
    mut time: impl FnMut(&'a [u8]) -> Result<Duration, E>,
) -> Result<CopyCost, E> {
    let mut least = |bytes: &'a [u8]| -> Result<(usize, Duration), E> {
        let mut least = Duration::MAX;
        for _ in 0..TIMES {
            least = least.min(time(bytes)?);
        }
        Ok((bytes.len(), least))
    };
    let [small, large] = sizes;
    Ok(CopyCost::through(least(small)?, least(large)?))
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

/// The least times to register, copy and release; nothing where the locker refuses.
fn register<T: CopyTarget>(
    bytes: &[u8],
    to: &T,
    locker: &Arc<dyn PageLocker>,
) -> Result<Option<[Duration; 3]>, T::Error> {
    let parts = Parts::of(bytes);
    let mut least = [Duration::MAX; 3];
    for _ in 0..TIMES {
        let started = Instant::now();
        let Some(registration) = parts.register(locker) else {
            return Ok(None);
        };
        let locked = started.elapsed();
        let copied = timed(|| parts.copy(to));
        let started = Instant::now();
        drop(registration);
        let times = [locked, copied?, started.elapsed()];
        for (least, time) in least.iter_mut().zip(times) {
            *least = time.min(*least);
        }
    }
    Ok(Some(least))
}
