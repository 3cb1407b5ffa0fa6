use serde::{Deserialize, Serialize};

use crate::{Interval, Verdict};

/// Each switch of a set alone against the baseline, and all together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// One for each switch, the most harmful first.
    pub alone: Vec<Effect>,
    /// All of them.
    pub together: Effect,
    /// The effect of all together less the sum of the effects alone, in milliseconds: what does
    /// not add up.
    pub interaction_ms: Interval,
    /// Whether the interval of the interaction is all on one side of zero.
    pub interaction: Verdict,
}

/// What settings do to the time of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The settings as they were written.
    pub settings: String,
    /// The time with them less the baseline's, in milliseconds.
    pub difference_ms: Interval,
    /// Better means less time.
    pub verdict: Verdict,
    /// The phase that explains most of it.
    pub mostly: Option<String>,
}
