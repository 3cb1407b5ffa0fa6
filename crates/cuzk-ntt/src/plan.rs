use std::fmt;

use cuzk_curve::Domain;

use crate::NttError;

/// How the stages of a transform are cut into passes over memory.
///
/// A transform of n = 2^k elements has k stages. A pass reads all elements, makes some stages on
/// tiles in shared memory, and writes them back, so that few passes are wanted; but each pass of
/// more stages has narrower columns and leaves more twiddles to device memory.
///
/// ```
/// # use cuzk_ntt::Plan;
/// let plan = Plan::new(26)?;
/// assert_eq!(plan.to_string(), "2^26 by 8 + 9 + 9 stages");
/// # Ok::<(), cuzk_ntt::NttError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Of each pass, from the longest reach to the shortest.
    stages: Vec<u32>,
}

/// Which way the stages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decimation {
    /// From the longest reach to the shortest: natural order in, reversed out.
    ///
    /// # Source
    /// `[GS66]`.
    InFrequency,
    /// From the shortest reach to the longest: reversed order in, natural out.
    ///
    /// # Source
    /// `[CT65]`.
    InTime,
}

/// One pass of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pass {
    /// How many elements the shortest reach of its stages spans, as an exponent.
    pub log_stride: u32,
    /// Its stages.
    pub stages: u32,
}

impl Plan {
    /// The most stages of a plan: those of the field's largest domain.
    pub const MAX_STAGES: u32 = Domain::MAX_LOG_N;
    /// The most stages of a pass: a tile of 2^10 elements is then one column.
    pub const MAX_PASS_STAGES: u32 = Self::LOG_TILE;
    /// Elements of a tile, as an exponent.
    pub(crate) const LOG_TILE: u32 = 10;

    /// Stages of a pass where there are several.
    ///
    /// Passes of nine were best wherever they suffice (H200, 2026-11): a tile then has columns of
    /// two elements, which fill a sector of memory, and the stages are whole steps of three.
    const PASS_STAGES: u32 = 9;

    /// The plan for 2^`log_n` elements: as few passes as there can be, as equal as they can be,
    /// those of fewer stages first.
    ///
    /// # Errors
    /// [`NttError::TooLarge`] above [`Plan::MAX_STAGES`].
    pub fn new(log_n: u32) -> Result<Self, NttError> {
        if log_n > Self::MAX_STAGES {
            return Err(too_large(log_n));
        }
        let passes = if log_n <= Self::MAX_PASS_STAGES {
            log_n.min(1)
        } else {
            log_n.div_ceil(Self::PASS_STAGES)
        };
        let (less, longer) = (log_n / passes.max(1), log_n % passes.max(1));
        let stages = (0..passes).map(|pass| less + u32::from(pass >= passes - longer));
        Ok(Self {
            stages: stages.collect(),
        })
    }

    /// A plan of these passes, from the longest reach to the shortest.
    ///
    /// # Errors
    /// [`NttError::PassStages`] where a pass has none or more than
    /// [`Plan::MAX_PASS_STAGES`], [`NttError::TooLarge`] where they are too many together.
    pub fn with_stages(stages: &[u32]) -> Result<Self, NttError> {
        let max = Self::MAX_PASS_STAGES;
        if let Some(&got) = stages.iter().find(|stages| !(1..=max).contains(*stages)) {
            return Err(NttError::PassStages { max, got });
        }
        let log_n: usize = stages.iter().map(|stages| *stages as usize).sum();
        if log_n > Self::MAX_STAGES as usize {
            return Err(too_large(u32::try_from(log_n).unwrap_or(u32::MAX)));
        }
        Ok(Self {
            stages: stages.to_vec(),
        })
    }

    /// The exponent of the number of elements.
    #[must_use]
    pub fn log_n(&self) -> u32 {
        self.stages.iter().sum()
    }

    /// The passes in the order in which they are made; none for one element.
    pub fn passes(&self, decimation: Decimation) -> impl ExactSizeIterator<Item = Pass> {
        let count = self.stages.len();
        (0..count).map(move |i| {
            let place = match decimation {
                Decimation::InFrequency => i,
                Decimation::InTime => count - 1 - i,
            };
            Pass {
                log_stride: self.stages[place + 1..].iter().sum(),
                stages: self.stages[place],
            }
        })
    }

    /// The tiles of a pass.
    pub(crate) fn tiles(&self) -> u32 {
        1 << self.log_n().saturating_sub(Self::LOG_TILE)
    }
}

fn too_large(got: u32) -> NttError {
    NttError::TooLarge {
        max: Plan::MAX_STAGES,
        got,
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages: Vec<String> = self.stages.iter().map(ToString::to_string).collect();
        match &stages[..] {
            [] => write!(f, "2^0 by no stage"),
            _ => write!(f, "2^{} by {} stages", self.log_n(), stages.join(" + ")),
        }
    }
}

#[cfg(test)]
mod tests;
