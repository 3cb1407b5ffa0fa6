use cuzk_backend::{Ones, QueryName, WindowBits, WitnessSchedule};
use cuzk_msm::{AffineTuning, Method, PlanOptions};

/// What can be chosen of the CUDA backend; the defaults suit every card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaOptions {
    /// How buckets are summed; by default as the plan of each sum chooses.
    pub method: Option<Method>,
    /// Bits of a window; where there are none, the plan chooses.
    pub window_bits: WindowBits,
    /// Multiples of the bases that are the same in every proof.
    pub tables: Tables,
    /// How the points whose variable is one are summed.
    pub ones: Ones,
    /// How many streams share the buckets of a sum.
    pub streams: Streams,
    /// When the sums over a split witness are made, where there is memory; by default beside the
    /// quotient.
    pub schedule: WitnessSchedule,
}

impl Default for CudaOptions {
    fn default() -> Self {
        Self {
            method: None,
            window_bits: WindowBits::default(),
            tables: Tables::default(),
            ones: Ones::default(),
            streams: Streams::default(),
            schedule: WitnessSchedule::Beside,
        }
    }
}

/// How many multiples of each base are kept, so that fewer windows have buckets of their own.
///
/// They are made of the H query, and of the L query where its sum is made of all its points:
/// [`Ones::Pippenger`]. The other queries have two groups or share their lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tables {
    /// The base alone.
    #[default]
    Off,
    /// As many as the plan finds useful in a quarter of the memory that is free when a key is
    /// prepared.
    Auto,
    /// At most so many, the base among them.
    AtMost(u32),
}

/// How many streams share the buckets of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Streams {
    /// One.
    One,
    /// Two, where there are enough buckets: one adds while the other waits.
    #[default]
    Two,
}

impl CudaOptions {
    /// What is asked of the plan of a query's sum, over points that change with each proof.
    pub(crate) fn plan(&self, query: Option<QueryName>) -> PlanOptions {
        PlanOptions {
            window_bits: self.window_bits.of(query),
            method: self.method,
            ..PlanOptions::default()
        }
    }

    /// The memory for tables of a query that does not change.
    pub(crate) fn table_bytes(
        &self,
        query: Option<QueryName>,
        query_bytes: usize,
        free_bytes: usize,
    ) -> usize {
        let fixed = match query {
            Some(QueryName::H) => true,
            Some(QueryName::L) => self.ones == Ones::Pippenger,
            _ => false,
        };
        match self.tables {
            _ if !fixed => 0,
            Tables::Off => 0,
            Tables::Auto => free_bytes / 4,
            Tables::AtMost(tables) => query_bytes.saturating_mul(tables.saturating_sub(1) as usize),
        }
    }

    pub(crate) fn affine(&self) -> AffineTuning {
        let default = AffineTuning::default();
        AffineTuning {
            two_parts_from: match self.streams {
                Streams::One => usize::MAX,
                Streams::Two => default.two_parts_from,
            },
            ..default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_of_queries_whose_sums_have_the_same_points_in_every_proof() {
        let bytes = |tables, ones, query| {
            let options = CudaOptions {
                tables,
                ones,
                ..CudaOptions::default()
            };
            options.table_bytes(query, 100, 4000)
        };
        let (h, l, b) = (Some(QueryName::H), Some(QueryName::L), Some(QueryName::BG1));
        assert_eq!(bytes(Tables::Off, Ones::Trees, h), 0);
        assert_eq!(bytes(Tables::AtMost(4), Ones::Trees, h), 300);
        assert_eq!(bytes(Tables::AtMost(0), Ones::Trees, h), 0);
        assert_eq!(bytes(Tables::Auto, Ones::Trees, h), 1000);
        assert_eq!(bytes(Tables::AtMost(4), Ones::Trees, l), 0);
        assert_eq!(bytes(Tables::AtMost(4), Ones::Pippenger, l), 300);
        for query in [b, None] {
            assert_eq!(bytes(Tables::AtMost(4), Ones::Pippenger, query), 0);
        }
    }
}
