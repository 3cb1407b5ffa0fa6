//! Plans that fit, and the best of them.

use super::memory::Need;
use super::{CardFigures, Chunks, Method, MsmPlan, PlanOptions, Prediction, Reduction, Residence};
use crate::MsmError;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;
use crate::sort::SortShape;

/// What plans are made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) n: usize,
    pub(super) residence: Residence,
    pub(super) card: &'a CardFigures,
    pub(super) budget_bytes: usize,
    pub(super) copied_bytes: usize,
    pub(super) options: PlanOptions,
}

/// How buckets are summed and reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ways {
    pub(super) method: Method,
    pub(super) reduction: Reduction,
}

impl Ways {
    /// What is considered.
    fn all(options: &PlanOptions) -> impl Iterator<Item = Self> {
        let (method, reduction) = (options.method, options.reduction);
        let all = [
            (Method::BatchAffine, Reduction::Segments),
            (Method::BatchAffine, Reduction::Lines),
            (Method::Xyzz, Reduction::Segments),
        ];
        let wanted = all.into_iter().filter(move |(m, r)| {
            method.is_none_or(|method| method == *m)
                && (*m == Method::Xyzz || reduction.is_none_or(|reduction| reduction == *r))
        });
        wanted.map(|(method, reduction)| Self { method, reduction })
    }
}

/// The widest windows that are considered.
const MOST_WINDOW_BITS: u32 = 22;
/// Bases are taken in up to 2^this chunks.
const MOST_LOG_CHUNKS: u32 = 16;
/// Chunks of fewer bases than this are not considered: the buckets take more than these save, and
/// a plan for each of many small sums is to cost little.
const FEWEST_IN_CHUNK: usize = 1 << 10;

/// The best of some plans, and the bytes that the least of those needs that do not fit.
struct Best {
    plan: Option<MsmPlan>,
    least_bytes: usize,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            plan: None,
            least_bytes: usize::MAX,
        }
    }
}

impl Best {
    /// The one that takes less time, with its share of what comes before all sums.
    fn take(&mut self, other: Result<MsmPlan, usize>, uses: Option<u32>) {
        let ms = |plan: &MsmPlan| plan.predicted.ms_of_each(uses);
        match other {
            Ok(plan) if self.plan.as_ref().is_none_or(|best| ms(&plan) < ms(best)) => {
                self.plan = Some(plan);
            }
            Ok(_) => {}
            Err(bytes) => self.least_bytes = self.least_bytes.min(bytes),
        }
    }
}

impl Frame<'_> {
    /// The best of some layouts.
    pub(super) fn best<G: DeviceGroup>(
        &self,
        layouts: &[WindowLayout],
    ) -> Result<MsmPlan, MsmError> {
        let mut best = Best::default();
        for layout in layouts {
            for ways in Ways::all(&self.options) {
                best.take(self.plan::<G>(*layout, ways)?, self.options.uses);
            }
        }
        best.plan.ok_or(MsmError::NoPlace {
            n: self.n,
            needed_bytes: best.least_bytes,
            budget_bytes: self.budget_bytes,
        })
    }

    /// The best chunks for a layout and ways; or the bytes that the smallest parts need.
    fn plan<G: DeviceGroup>(
        &self,
        layout: WindowLayout,
        ways: Ways,
    ) -> Result<Result<MsmPlan, usize>, MsmError> {
        let mut best = Best::default();
        if self.copied_bytes > 0 {
            for chunks in Chunks::fed(self.n) {
                best.take(self.plan_chunks::<G>(layout, ways, chunks)?, None);
            }
        }
        // The fewest that fit.
        let most = (self.n / FEWEST_IN_CHUNK).checked_ilog2().unwrap_or(0);
        for log_chunks in 0..=most.min(MOST_LOG_CHUNKS) {
            if best.plan.is_some() {
                break;
            }
            let chunks = Chunks::equal(self.n, log_chunks);
            best.take(self.plan_chunks::<G>(layout, ways, chunks)?, None);
        }
        Ok(best.plan.ok_or(best.least_bytes))
    }

    /// The fewest groups of windows that fit with these chunks.
    fn plan_chunks<G: DeviceGroup>(
        &self,
        layout: WindowLayout,
        ways: Ways,
        chunks: Chunks,
    ) -> Result<Result<MsmPlan, usize>, MsmError> {
        let most = match SortShape::new(chunks.largest(), &layout, 1) {
            Ok(shape) => shape.most_windows(),
            // Fewer at a time can be sorted.
            Err(MsmError::TooManyBases { .. }) => return Ok(Err(usize::MAX)),
            Err(error) => return Err(error),
        };
        let all = layout.windows();
        let most = all.min(u32::try_from(most).unwrap_or(u32::MAX));
        let need = |groups: u32| {
            let windows_at_once = all.div_ceil(groups);
            Need::of::<G>(&chunks, &layout, windows_at_once, ways, self.residence)
        };
        let fits = |need: &Need| need.bytes <= self.budget_bytes;
        // More groups need less each.
        let (mut few, mut many) = (all.div_ceil(most), all);
        let least = need(many)?;
        if !fits(&least) {
            return Ok(Err(least.bytes));
        }
        while few < many {
            let middle = few + (many - few) / 2;
            match fits(&need(middle)?) {
                true => many = middle,
                false => few = middle + 1,
            }
        }
        let need = need(many)?;
        let spare = self.budget_bytes - need.bytes;
        let mut plan = MsmPlan {
            group: G::NAME,
            n: self.n,
            residence: self.residence,
            layout,
            windows_at_once: all.div_ceil(many),
            method: ways.method,
            reduction: ways.reduction,
            scratch_bytes: need.bytes,
            predicted: Prediction::default(),
            vectors_at_once: (spare / need.bytes_a_vector.max(1)).saturating_add(1),
            chunks,
            copied_bytes: self.copied_bytes,
            budget_bytes: self.budget_bytes,
            options: self.options,
        };
        plan.predicted = Prediction::of(&plan, &G::COSTS, self.card);
        Ok(Ok(plan))
    }
}

/// What is considered: every width, or the one that is asked for, with every number of tables that
/// has place.
pub(super) fn layouts(
    n: usize,
    point_bytes: usize,
    options: &PlanOptions,
) -> Result<Vec<WindowLayout>, MsmError> {
    const MOST_TABLES: usize = 16;
    let table_bytes = n.saturating_mul(point_bytes).max(1);
    let most = (1 + options.table_bytes / table_bytes).min(MOST_TABLES);
    let widths = match options.window_bits {
        Some(bits) => bits..=bits,
        None => WindowLayout::MIN_BITS..=MOST_WINDOW_BITS,
    };
    let tables = 1..=u32::try_from(most).unwrap_or(1);
    let all = widths.flat_map(|bits| tables.clone().map(move |tables| (bits, tables)));
    all.map(|(bits, tables)| WindowLayout::with_tables(bits, tables))
        .collect()
}
