use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use cuzk_backend::{Backend, Ones, QueryName, ShapeError, Transform, WindowBits};
use cuzk_curve::{Domain, Fr};
use cuzk_lanes::{Arithmetic, Lanes, zeroed_scalars};

use crate::{CpuError, MsmSettings, NttPlan, QuotientPlan};

/// The CPU as a backend.
///
/// Work runs in parallel on the `rayon` pool of the caller: inside `ThreadPool::install` on
/// that pool, elsewhere on the global one. Results do not depend on the number of threads nor
/// on the arithmetic.
#[derive(Debug)]
pub struct Cpu {
    arithmetic: Arithmetic,
    options: CpuOptions,
    transforms: Cache<(u32, Transform), NttPlan>,
    quotients: Cache<u32, Option<QuotientPlan>>,
}

/// What can be chosen of the CPU backend; the defaults suit every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuOptions {
    /// Which arithmetic to run on.
    pub lanes: Lanes,
    /// Bits of a window; where there are none, [`MsmPlan`](crate::MsmPlan) chooses.
    pub window_bits: WindowBits,
    /// How the points whose variable is one are summed.
    pub ones: Ones,
    /// Whether the sum over the B query in G2 is a task of its own in the pool, which goes on
    /// while the other sums are made.
    pub parallel_b_g2: bool,
}

impl Cpu {
    /// A backend on the arithmetic asked for.
    #[must_use]
    pub fn new(lanes: Lanes) -> Self {
        Self::with_options(CpuOptions {
            lanes,
            ..CpuOptions::default()
        })
    }

    /// A backend with options of its own.
    #[must_use]
    pub fn with_options(options: CpuOptions) -> Self {
        Self {
            arithmetic: options.lanes.resolve(),
            options,
            transforms: Cache::default(),
            quotients: Cache::default(),
        }
    }

    /// The arithmetic in use.
    #[must_use]
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    pub(crate) fn options(&self) -> &CpuOptions {
        &self.options
    }

    /// The settings of a query's sum.
    pub(crate) fn msm_settings(&self, query: Option<QueryName>) -> MsmSettings {
        MsmSettings {
            lanes: self.options.lanes,
            window_bits: self.options.window_bits.of(query),
        }
    }

    pub(crate) fn ntt_plan(&self, domain: &Domain, transform: Transform) -> Arc<NttPlan> {
        let plan = || NttPlan::new(self.arithmetic, domain, transform);
        self.transforms.get((domain.log_n(), transform), plan)
    }

    pub(crate) fn quotient_plan(&self, domain: &Domain) -> Arc<Option<QuotientPlan>> {
        let plan = || QuotientPlan::new(self.arithmetic, domain);
        self.quotients.get(domain.log_n(), plan)
    }
}

impl Default for Cpu {
    fn default() -> Self {
        Self::new(Lanes::Detect)
    }
}

impl Backend for Cpu {
    type Vector = Vec<Fr>;
    type Error = CpuError;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn device(&self) -> String {
        let threads = rayon::current_num_threads();
        format!("{threads} threads, {}", self.arithmetic.name())
    }

    fn upload(&self, host: &[Fr]) -> Result<Vec<Fr>, CpuError> {
        Ok(host.to_vec())
    }

    fn download(&self, vector: &Vec<Fr>) -> Result<Vec<Fr>, CpuError> {
        Ok(vector.clone())
    }

    fn len(&self, vector: &Vec<Fr>) -> usize {
        vector.len()
    }

    fn truncate(&self, mut vector: Vec<Fr>, len: usize) -> Result<Vec<Fr>, CpuError> {
        if len > vector.len() {
            return Err(ShapeError {
                what: "scalars to keep",
                expected: len,
                got: vector.len(),
            }
            .into());
        }
        vector.truncate(len);
        Ok(vector)
    }
}

/// `len` zeros.
pub(crate) fn zeros(what: &'static str, len: usize) -> Result<Vec<Fr>, CpuError> {
    zeroed_scalars(len).ok_or(CpuError::OutOfMemory {
        what,
        bytes: (len as u64).saturating_mul(size_of::<Fr>() as u64),
    })
}

/// Constants by size. The lock is held for a look-up, never for a computation: two callers who
/// miss at once both compute, and the first to finish is kept.
#[derive(Debug)]
struct Cache<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash + Copy, V> Cache<K, V> {
    fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = lock().get(&key) {
            return Arc::clone(value);
        }
        let made = Arc::new(make());
        Arc::clone(lock().entry(key).or_insert(made))
    }
}
