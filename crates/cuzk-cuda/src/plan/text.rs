//! A plan as a table.

use std::fmt;

use super::error::mebibytes;
use super::{MemoryPlan, QueryPlan};

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "at most {} on the device of {} that may be used, {} between proofs; {} on the host; \
             {} copied for a proof; {:.1} ms predicted",
            mebibytes(self.peak_bytes),
            mebibytes(self.budget_bytes),
            mebibytes(self.resident_bytes),
            mebibytes(self.host_bytes),
            mebibytes(self.copied_bytes),
            self.predicted_ms,
        )?;
        writeln!(f, "matrices   {:>12}  kept", mebibytes(self.matrix_bytes))?;
        let stay = if self.twiddles_stay {
            "kept"
        } else {
            "made for every proof"
        };
        writeln!(
            f,
            "twiddles   {:>12}  {stay}",
            mebibytes(self.twiddle_bytes)
        )?;
        for query in &self.queries {
            writeln!(f, "{query}")?;
        }
        writeln!(f, "witness    sums {}", self.schedule)?;
        for (i, step) in self.steps.iter().enumerate() {
            let separator = if i == 0 { "steps      " } else { ", " };
            write!(f, "{separator}{} {}", step.name, mebibytes(step.bytes))?;
        }
        Ok(())
    }
}

impl fmt::Display for QueryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.resident { "kept" } else { "streamed" };
        write!(
            f,
            "{:<9}  {:>12}  {place}, {} points",
            self.name,
            mebibytes(self.point_bytes),
            self.points,
        )?;
        if self.chunks > 1 {
            write!(f, " in {} chunks", self.chunks)?;
        }
        write!(
            f,
            ", {} windows of up to {} bits at once, {} of scratch, {:.1} ms",
            self.windows_at_once,
            self.window_bits,
            mebibytes(self.scratch_bytes),
            self.predicted_ms,
        )
    }
}
