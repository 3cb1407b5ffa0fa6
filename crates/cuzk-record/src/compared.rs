use serde::{Deserialize, Serialize};

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The estimate.
    pub value: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// From end to end, as a part of the value.
    #[must_use]
    pub fn width(&self) -> f64 {
        (self.high - self.low) / self.value
    }
}

/// What the runs say of b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// b takes less time: all of the interval is below that of equal times.
    #[serde(rename = "better")]
    Better,
    /// b takes more time.
    #[serde(rename = "worse")]
    Worse,
    /// The interval holds equal times.
    #[serde(rename = "no difference")]
    NoDifference,
    /// There are too few for an interval.
    #[serde(rename = "too few runs")]
    TooFewRuns,
}

impl Verdict {
    /// The words in texts and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoDifference => "no difference",
            Self::TooFewRuns => "too few runs",
        }
    }
}

/// A time of b against the same time of a.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The median of a, in milliseconds.
    #[serde(rename = "a_ms")]
    pub a_median_ms: f64,
    /// The median of b, in milliseconds.
    #[serde(rename = "b_ms")]
    pub b_median_ms: f64,
    /// b over a; nothing where a time is zero.
    pub ratio: Option<Interval>,
    /// b minus a, in milliseconds.
    pub difference_ms: Interval,
    /// What the interval says.
    pub verdict: Verdict,
}
