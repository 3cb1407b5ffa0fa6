//! One choice of what stays on the device, carried through the steps of a proof.

use cuzk_backend::{Residence, WitnessSchedule};

use super::sizes::{Name, Sizes};
use super::sum::Sum;
use super::{Card, MemoryPlan, PlanError, QueryPlan, StepBytes};

/// What stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    /// By query.
    residence: [Residence; 5],
    twiddles_stay: bool,
}

/// Products of scalars and bytes of tables, as rates of an H200; see `docs/performance.md`.
mod rates {
    /// Seconds for an element and a stage of a transform, on the coset and not.
    pub(super) const STAGE_S: f64 = 9.6e-12;
    /// Seconds for an element of a table of twiddles: two products, and what memory takes.
    pub(super) const TWIDDLE_S: f64 = 50e-12;
    /// What sparse products reach of the rate of a copy.
    pub(super) const PRODUCTS: f64 = 0.6;
}

impl Candidate {
    /// Everything comes for every proof.
    pub(super) const SMALLEST: Self = Self {
        residence: [Residence::Host; 5],
        twiddles_stay: false,
    };

    /// From everything that stays to nothing, what costs least for its bytes going first.
    pub(super) fn all(sizes: &Sizes, card: &Card) -> Result<Vec<Self>, PlanError> {
        let mut order = Vec::new();
        for (i, name) in Name::ALL.into_iter().enumerate() {
            let extra_ms = extra_ms(sizes, name, card)?;
            order.push((extra_ms / sizes.query(name).max(1) as f64, i));
        }
        order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut residence = [Residence::Machine; 5];
        let mut all = Vec::new();
        let mut push = |residence| {
            all.extend([true, false].map(|twiddles_stay| Self {
                residence,
                twiddles_stay,
            }));
        };
        push(residence);
        for (_, i) in order {
            residence[i] = Residence::Host;
            push(residence);
        }
        Ok(all)
    }

    /// The steps of a proof within the budget.
    pub(super) fn plan(
        &self,
        sizes: &Sizes,
        card: &Card,
        budget_bytes: usize,
    ) -> Result<MemoryPlan, PlanError> {
        let fastest = |walk: &Walk, name: Name, scalars: usize| {
            let (n, residence) = (sizes.points(name), self.residence[name as usize]);
            let room_bytes = walk.room().saturating_sub(scalars);
            let sum = Sum::fastest(name, n, residence, card, room_bytes)?;
            sum.ok_or_else(|| walk.refusal(name.phase()))
        };
        let mut before_bytes = 0;
        loop {
            let (walk, sums) = self.walk(sizes, budget_bytes, before_bytes, &fastest)?;
            if walk.results_bytes <= before_bytes {
                return self.finish(sizes, card, walk, &sums);
            }
            // Sums for less memory may have more results; with so many of them nothing fits.
            before_bytes = walk.results_bytes;
        }
    }

    /// The smallest budget for which there is a plan.
    pub(super) fn least_budget(&self, sizes: &Sizes, card: &Card) -> Result<usize, PlanError> {
        let mut smallest = Vec::with_capacity(Name::ALL.len());
        for name in Name::ALL {
            let (n, residence) = (sizes.points(name), self.residence[name as usize]);
            smallest.push(Sum::smallest(name, n, residence, card)?);
        }
        let before_bytes = smallest.iter().map(|sum| sum.results_bytes).sum();
        let given = |_: &Walk, name: Name, _: usize| Ok(smallest[name as usize].clone());
        let (walk, _) = self.walk(sizes, usize::MAX, before_bytes, &given)?;
        Ok(walk.peak_bytes())
    }

    /// The steps of a proof, beside so many bytes of results of the proof before, which may wait
    /// for whoever asked for it.
    fn walk(
        &self,
        sizes: &Sizes,
        budget_bytes: usize,
        before_bytes: usize,
        sum: &dyn Fn(&Walk, Name, usize) -> Result<Sum, PlanError>,
    ) -> Result<(Walk, Vec<Sum>), PlanError> {
        let held_bytes = self.resident_bytes(sizes) + sizes.witnesses() + before_bytes;
        let mut walk = Walk::new(held_bytes, budget_bytes);
        walk.step("upload", sizes.upload())?;
        let vectors = sizes.vectors();
        walk.step("evaluate", vectors + sizes.products())?;
        let twiddles = match self.twiddles_stay {
            true => 0,
            false => sizes.twiddles(),
        };
        walk.step("ntt", vectors + twiddles + sizes.products())?;
        let mut sums = Vec::with_capacity(Name::ALL.len());
        for name in Name::ALL {
            let scalars = sizes.scalars(name);
            if name == Name::L {
                walk.step("prep_msm", sizes.parts() + sizes.expanded())?;
                walk.hold(sizes.parts());
            }
            walk.step("prep_msm", scalars + sizes.choosing(name))?;
            let sum = sum(&walk, name, scalars)?;
            walk.step(name.phase(), scalars + sum.bytes())?;
            walk.hold(sum.results_bytes);
            walk.results_bytes += sum.results_bytes;
            sums.push(sum);
        }
        Ok((walk, sums))
    }

    fn resident_bytes(&self, sizes: &Sizes) -> usize {
        let resident = |name: &Name| self.residence[*name as usize] == Residence::Machine;
        let queries = Name::ALL.into_iter().filter(resident);
        let queries: usize = queries.map(|name| sizes.query(name)).sum();
        let twiddles = match self.twiddles_stay {
            true => sizes.twiddles(),
            false => 0,
        };
        sizes.matrices() + sizes.selections() + twiddles + queries
    }

    /// When sums over a split witness are made, as was chosen if there is memory for the scratch of
    /// all at once.
    fn schedule(
        &self,
        sizes: &Sizes,
        card: &Card,
        walk: &mut Walk,
        sums: &[Sum],
    ) -> WitnessSchedule {
        use WitnessSchedule::{Beside, InTurn, Together};
        let witness = || Name::ALL.into_iter().zip(sums).skip(1);
        let is_resident = |name: Name| self.residence[name as usize] == Residence::Machine;
        if !witness().all(|(name, _)| is_resident(name)) {
            return InTurn;
        }
        let side_bytes: usize = witness()
            .map(|(name, sum)| sum.side_bytes(name, sizes))
            .sum();
        // Some selections may be split where others are summed whole, on the work's own stream.
        let whole = ["tail_msm_l", "tail_msm_a", "tail_msm_b_g1", "msm_b_g2"];
        let chosen = match card.options.schedule {
            Beside => [Some(Beside), Some(Together)],
            Together => [Some(Together), None],
            InTurn => [None; 2],
        };
        for schedule in chosen.into_iter().flatten() {
            // The parts are there before the quotient then.
            let early = match schedule {
                Beside => Some((["evaluate", "ntt", "msm_h"], side_bytes + sizes.parts())),
                _ => None,
            };
            let has_room = early.is_none_or(|(names, bytes)| walk.has_room(&names, bytes));
            if has_room && walk.has_room(&whole, side_bytes) {
                if let Some((names, bytes)) = early {
                    walk.add(&names, bytes);
                }
                walk.add(&whole, side_bytes);
                return schedule;
            }
        }
        InTurn
    }

    fn finish(
        &self,
        sizes: &Sizes,
        card: &Card,
        mut walk: Walk,
        sums: &[Sum],
    ) -> Result<MemoryPlan, PlanError> {
        let schedule = self.schedule(sizes, card, &mut walk, sums);
        let mut queries = Vec::with_capacity(sums.len());
        for (name, sum) in Name::ALL.into_iter().zip(sums) {
            let residence = self.residence[name as usize];
            let resident = residence == Residence::Machine;
            let mut query = QueryPlan::new(name.word(), sizes.query(name), resident, &sum.plan);
            query.predicted_ms = sum.predicted_ms(name, residence, sizes, card)?;
            queries.push(query);
        }
        let mut queries: [QueryPlan; 5] = queries.try_into().expect("a sum for every name");
        let table_bytes = share_tables(&mut queries, card, walk.left_bytes());
        let streamed = queries.iter().filter(|query| !query.resident);
        let streamed_bytes: usize = streamed.map(|query| query.point_bytes).sum();
        let sums_ms: f64 = queries.iter().map(|query| query.predicted_ms).sum();
        Ok(MemoryPlan {
            budget_bytes: walk.budget_bytes,
            peak_bytes: walk.peak_bytes() + table_bytes,
            resident_bytes: self.resident_bytes(sizes) + table_bytes,
            host_bytes: streamed_bytes + sizes.packed(),
            copied_bytes: streamed_bytes + sizes.packed(),
            matrix_bytes: sizes.matrices(),
            selection_bytes: sizes.selections(),
            twiddle_bytes: sizes.twiddles(),
            twiddles_stay: self.twiddles_stay,
            schedule,
            queries,
            steps: walk.steps,
            predicted_ms: self.before_sums_ms(sizes, card) + sums_ms,
        })
    }

    /// Upload, sparse products and transforms.
    fn before_sums_ms(&self, sizes: &Sizes, card: &Card) -> f64 {
        let figures = &card.figures;
        let n = sizes.shape.n() as f64;
        let share = cuzk_msm::CardFigures::H200.products_per_second / figures.products_per_second;
        let upload_s = sizes.packed() as f64 / card.host_link.bytes_per_second();
        let moved = (sizes.matrices() + sizes.vectors()) as f64;
        let products_s = moved / figures.bytes_per_second / rates::PRODUCTS;
        let stages = f64::from(sizes.shape.log_n);
        let transforms = if sizes.shape.folded { 4.0 } else { 7.0 };
        let transforms_s = transforms * n * stages * rates::STAGE_S * share;
        let tables_s = match self.twiddles_stay {
            true => 0.0,
            false => 3.0 * n * rates::TWIDDLE_S * share,
        };
        (upload_s + products_s + transforms_s + tables_s) * 1e3
    }
}

/// Gives multiples of points what the steps leave, where they are wanted; says how much.
fn share_tables(queries: &mut [QueryPlan; 5], card: &Card, mut left_bytes: usize) -> usize {
    let before = left_bytes;
    for (name, query) in Name::ALL.into_iter().zip(queries) {
        if query.resident {
            let (name, bytes) = (Some(name.query()), query.point_bytes);
            let wanted = card.options.table_bytes(name, bytes, left_bytes);
            query.table_bytes = wanted.min(left_bytes);
            left_bytes -= query.table_bytes;
        }
    }
    before - left_bytes
}

/// What streaming a query takes longer with memory enough: what of its copy no sum hides.
fn extra_ms(sizes: &Sizes, name: Name, card: &Card) -> Result<f64, PlanError> {
    let (n, residence) = (sizes.points(name), Residence::Machine);
    let sum = Sum::fastest(name, n, residence, card, usize::MAX)?;
    let sum_ms = match sum {
        Some(sum) => sum.predicted_ms(name, residence, sizes, card)?,
        None => 0.0,
    };
    let copy_ms = sizes.query(name) as f64 / card.host_link.bytes_per_second() * 1e3;
    Ok((copy_ms - sum_ms).max(0.0))
}

/// What is held, step after step.
#[derive(Debug)]
struct Walk {
    budget_bytes: usize,
    held_bytes: usize,
    /// The points of windows of all sums.
    results_bytes: usize,
    steps: Vec<StepBytes>,
}

impl Walk {
    fn new(held_bytes: usize, budget_bytes: usize) -> Self {
        Self {
            budget_bytes,
            held_bytes,
            results_bytes: 0,
            steps: Vec::new(),
        }
    }

    /// From here to the end.
    fn hold(&mut self, bytes: usize) {
        self.held_bytes += bytes;
    }

    fn room(&self) -> usize {
        self.budget_bytes.saturating_sub(self.held_bytes)
    }

    /// While the step runs.
    fn step(&mut self, name: &'static str, bytes: usize) -> Result<(), PlanError> {
        let bytes = self.held_bytes.saturating_add(bytes);
        if bytes > self.budget_bytes {
            return Err(self.refusal(name));
        }
        match self.steps.iter_mut().find(|step| step.name == name) {
            Some(step) => step.bytes = step.bytes.max(bytes),
            None => self.steps.push(StepBytes { name, bytes }),
        }
        Ok(())
    }

    /// Whether the budget has so much more while some of the steps run.
    fn has_room(&self, names: &[&str], bytes: usize) -> bool {
        let most = self.steps.iter().filter(|step| names.contains(&step.name));
        let most = most.map(|step| step.bytes).max().unwrap_or(0);
        most.saturating_add(bytes) <= self.budget_bytes
    }

    /// So much more while some of the steps run.
    fn add(&mut self, names: &[&str], bytes: usize) {
        for step in &mut self.steps {
            if names.contains(&step.name) {
                step.bytes += bytes;
            }
        }
    }

    fn refusal(&self, step: &'static str) -> PlanError {
        PlanError::NoPlace {
            step,
            needed_bytes: 0,
            budget_bytes: self.budget_bytes,
            others_bytes: 0,
        }
    }

    /// What no step uses.
    fn left_bytes(&self) -> usize {
        self.budget_bytes.saturating_sub(self.peak_bytes())
    }

    fn peak_bytes(&self) -> usize {
        let bytes = self.steps.iter().map(|step| step.bytes);
        bytes.max().unwrap_or(self.held_bytes)
    }
}
