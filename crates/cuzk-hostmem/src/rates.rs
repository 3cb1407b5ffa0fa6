//! What copies cost on a machine, and which strategy is the least work.

use crate::HostMemory;
use std::{fmt, time::Duration};

/// Bytes of a GiB.
const GIB: f64 = (1u64 << 30) as f64;

/// The time of an operation on host memory: a fixed part, and one for each byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopyCost {
    /// Whatever the size.
    pub fixed: Duration,
    /// For 2^30 bytes, besides.
    pub per_gib: Duration,
}

impl CopyCost {
    /// The cost of which two measurements are points, each of bytes and time.
    ///
    /// The larger one counts where they contradict such a line.
    #[must_use]
    pub fn through(small: (usize, Duration), large: (usize, Duration)) -> Self {
        let bytes = large.0.saturating_sub(small.0) as f64;
        let time = large.1.saturating_sub(small.1).as_secs_f64();
        let whole = large.1.as_secs_f64() / large.0.max(1) as f64;
        let per_byte = if bytes > 0.0 {
            (time / bytes).min(whole)
        } else {
            whole
        };
        let fixed = large.1.as_secs_f64() - per_byte * large.0 as f64;
        Self {
            fixed: Duration::from_secs_f64(fixed.max(0.0)),
            per_gib: Duration::from_secs_f64(per_byte * GIB),
        }
    }

    /// The time for so many bytes.
    #[must_use]
    pub fn of(&self, bytes: usize) -> Duration {
        self.fixed + self.per_gib.mul_f64(bytes as f64 / GIB)
    }

    /// Bytes a second, without the fixed part, in units of 10^9.
    #[must_use]
    pub fn gigabytes_per_second(&self) -> f64 {
        GIB / 1e9 / self.per_gib.as_secs_f64()
    }
}

/// The costs of registered memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisteredCost {
    /// Registering pages that were touched before.
    pub lock: CopyCost,
    /// A copy from them.
    pub copy: CopyCost,
    /// Releasing them.
    pub unlock: CopyCost,
}

/// What copies from host memory to a device cost on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyRates {
    /// Whether this machine was measured.
    pub measured: bool,
    /// A copy from ordinary memory.
    pub pageable: CopyCost,
    /// Nothing where the machine registers no memory.
    pub registered: Option<RegisteredCost>,
    /// A copy through registered buffers; nothing where there are none.
    pub staged: Option<CopyCost>,
}

/// The times of every strategy for one buffer, and the strategy with the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prediction {
    /// Bytes of the buffer.
    pub bytes: usize,
    /// How many times it is copied.
    pub uses: u32,
    /// All copies, from ordinary memory.
    pub pageable: Duration,
    /// All copies, with one registration and its release.
    pub registered: Option<Duration>,
    /// All copies, staged.
    pub staged: Option<Duration>,
    /// The strategy with the least time: never [`HostMemory::Auto`].
    pub best: HostMemory,
}

impl Prediction {
    /// The time of a strategy; that of the best for [`HostMemory::Auto`].
    #[must_use]
    pub fn of(&self, strategy: HostMemory) -> Option<Duration> {
        match strategy {
            HostMemory::Pageable => Some(self.pageable),
            HostMemory::Registered => self.registered,
            HostMemory::Staged => self.staged,
            HostMemory::Auto => self.of(self.best),
        }
    }
}

impl CopyRates {
    /// Figures of the kind of machine that has such devices, for want of its own, and for buffers of
    /// which it would be dear to measure it: copies of some MiB at 15, 55 and 31 · 10^9 bytes a
    /// second, the last after a quarter of a millisecond, 52 ms to register and 19 to release a GiB.
    #[must_use]
    pub fn assumed() -> Self {
        let cost = |fixed_us, per_gib_ms| CopyCost {
            fixed: Duration::from_micros(fixed_us),
            per_gib: Duration::from_millis(per_gib_ms),
        };
        Self {
            measured: false,
            pageable: cost(10, 70),
            registered: Some(RegisteredCost {
                lock: cost(100, 52),
                copy: cost(10, 20),
                unlock: cost(100, 19),
            }),
            staged: Some(cost(260, 35)),
        }
    }

    /// Measured figures.
    #[must_use]
    pub fn measured(
        pageable: CopyCost,
        registered: Option<RegisteredCost>,
        staged: Option<CopyCost>,
    ) -> Self {
        Self {
            measured: true,
            pageable,
            registered,
            staged,
        }
    }

    /// The times of a buffer that is copied so many times, at least once.
    #[must_use]
    pub fn predict(&self, bytes: usize, uses: u32) -> Prediction {
        let uses = uses.max(1);
        let pageable = self.pageable.of(bytes).saturating_mul(uses);
        let registered = self.registered.map(|cost| {
            let copies = cost.copy.of(bytes).saturating_mul(uses);
            cost.lock.of(bytes) + copies + cost.unlock.of(bytes)
        });
        let staged = self.staged.map(|cost| cost.of(bytes).saturating_mul(uses));
        let choices = [
            (HostMemory::Pageable, Some(pageable)),
            (HostMemory::Registered, registered),
            (HostMemory::Staged, staged),
        ];
        let timed = choices
            .iter()
            .filter_map(|(strategy, time)| Some((*strategy, (*time)?)));
        let best = timed.min_by_key(|(_, time)| *time);
        Prediction {
            bytes,
            uses,
            pageable,
            registered,
            staged,
            best: best.map_or(HostMemory::Pageable, |(strategy, _)| strategy),
        }
    }
}

impl fmt::Display for CopyRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = |cost: &CopyCost| {
            let (rate, fixed) = (cost.gigabytes_per_second(), cost.fixed.as_secs_f64() * 1e6);
            format!("{rate:.1} GB/s after {fixed:.0} us")
        };
        let per_gib = |cost: &CopyCost| format!("{:.0} ms", cost.per_gib.as_secs_f64() * 1e3);
        write!(
            f,
            "{}: ",
            if self.measured { "measured" } else { "assumed" }
        )?;
        write!(f, "pageable {}", rate(&self.pageable))?;
        match &self.registered {
            Some(cost) => write!(
                f,
                ", registered {} with {} to register and {} to release a GiB",
                rate(&cost.copy),
                per_gib(&cost.lock),
                per_gib(&cost.unlock)
            )?,
            None => write!(f, ", nothing can be registered")?,
        }
        match &self.staged {
            Some(cost) => write!(f, ", staged {}", rate(cost)),
            None => write!(f, ", nothing can be staged"),
        }
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let or_not = |time: Option<Duration>| time.map_or_else(|| "not possible".to_owned(), ms);
        write!(
            f,
            "{} bytes, {} uses: pageable {}, registered {}, staged {}; best {}",
            self.bytes,
            self.uses,
            ms(self.pageable),
            or_not(self.registered),
            or_not(self.staged),
            self.best
        )
    }
}

#[cfg(test)]
mod tests;
