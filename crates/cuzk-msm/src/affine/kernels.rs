use std::fmt;
use std::marker::PhantomData;

use cuzk_device::{Device, DeviceError, Kernel, Stream};

use super::params::{CollectParams, LineParams, ListParams, PointParams, RoundParams};
use super::plan::{CHUNK, PAIR_TILE, Shape, TreePlan};
use crate::group::DeviceGroup;

/// The kernels of the tree.
pub(super) struct TreeKernels<G> {
    count: Kernel<ListParams>,
    sum_chunks: Kernel<ListParams>,
    start: Kernel<ListParams>,
    pair: Kernel<ListParams>,
    lines: Kernel<LineParams>,
    forward: [Kernel<RoundParams>; 2],
    invert: Kernel<RoundParams>,
    backward: [Kernel<RoundParams>; 2],
    few: Kernel<RoundParams>,
    fold: Kernel<RoundParams>,
    collect: Kernel<CollectParams>,
    _group: PhantomData<G>,
}

/// Where the operands of all parts are on the device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    pub(super) points: u64,
    pub(super) n: usize,
    pub(super) entries: u64,
    pub(super) offsets: u64,
    pub(super) scratch: u64,
    pub(super) sums: u64,
    /// Whether the sums hold what is added to.
    pub(super) carried: bool,
}

/// The lists of one stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Of round 0, with both arrays of starts.
    lists: ListParams,
    starts: [u64; 2],
    /// Of round 0, without its shape.
    additions: RoundParams,
    sums: u64,
    chunks: usize,
    buckets: usize,
}

impl Part {
    /// Every part of the plan; a point has `point_bytes`.
    pub(super) fn all(plan: &TreePlan, operands: &Operands, point_bytes: usize) -> Vec<Self> {
        let at = |words: usize| operands.scratch + 16 * words as u64;
        let lists = plan.parts.last().map_or(0, |part| part.end);
        let carried = if operands.carried { lists } else { 0 };
        let points = PointParams {
            bases: operands.points,
            carried: operands.sums,
            n: operands.n as u64,
            first_output: (operands.n + carried) as u64,
            outputs: at(plan.layout.outputs),
            capacity: plan.points as u64,
        };
        let both = plan.parts.iter().zip(&plan.layout.parts);
        let parts = both.map(|(buckets, layout)| {
            let chunks = buckets.len().div_ceil(CHUNK);
            let lists = ListParams {
                entries: operands.entries,
                offsets: operands.offsets + 4 * buckets.start as u64,
                buckets: buckets.len() as u64,
                carried: operands.carried.into(),
                first_carried: (operands.n + buckets.start) as u64,
                first_bucket: buckets.start as u64,
                first_output: points.first_output,
                chunk_bases: at(layout.chunk_bases),
                chunks: chunks as u64,
                totals: at(layout.totals),
                before: 0,
                starts: 0,
                tiles: at(layout.tiles),
                carries: at(layout.carries),
                pairs: at(plan.layout.pairs),
                round: 0,
                rounds: u64::from(plan.rounds) + 1,
            };
            let additions = RoundParams {
                points,
                pairs: lists.pairs,
                totals: lists.totals,
                prefixes: at(plan.layout.prefixes),
                prefix_capacity: plan.pair_capacity() as u64,
                products: at(layout.products),
                chains: at(layout.chains),
                product_capacity: plan.product_capacity() as u64,
                ..RoundParams::default()
            };
            Self {
                lists,
                starts: layout.starts.map(at),
                additions,
                sums: operands.sums + (buckets.start * point_bytes) as u64,
                chunks,
                buckets: buckets.len(),
            }
        });
        parts.collect()
    }

    fn lists(&self, round: u32) -> ListParams {
        let now = (round % 2) as usize;
        ListParams {
            before: self.starts[1 - now],
            starts: self.starts[now],
            round: round.into(),
            ..self.lists
        }
    }
}

impl<G: DeviceGroup> TreeKernels<G> {
    pub(super) fn new(device: &Device) -> Result<Self, DeviceError> {
        let source = |name: &str| cuzk_kernels::module(name).expect("compiled in");
        let suffix = G::SUFFIX;
        let lists = device.load(source("msm_affine_lists"))?;
        let of = |name: &str| device.kernel(&format!("cuzk_msm_affine_{name}_{suffix}"));
        Ok(Self {
            count: lists.kernel("cuzk_msm_affine_count")?,
            sum_chunks: lists.kernel("cuzk_msm_affine_sum_chunks")?,
            start: lists.kernel("cuzk_msm_affine_start")?,
            pair: lists.kernel("cuzk_msm_affine_pair")?,
            lines: lists.kernel("cuzk_msm_affine_lines")?,
            forward: [of("forward_first")?, of("forward")?],
            invert: of("invert")?,
            backward: [of("backward_first")?, of("backward")?],
            few: of("add_few")?,
            fold: of("fold")?,
            collect: device.kernel(&format!("cuzk_msm_affine_collect_{suffix}"))?,
            _group: PhantomData,
        })
    }

    /// Lists of pairs, rows and columns; `threads` for all pairs, entries and bounds.
    ///
    /// # Safety
    /// The arrays have place for them.
    pub(super) unsafe fn write_lines(
        &self,
        stream: &Stream,
        params: &LineParams,
        threads: usize,
    ) -> Result<(), DeviceError> {
        let blocks = self.lines.blocks_for(threads)?;
        // SAFETY: the caller's.
        unsafe { self.lines.launch(stream, blocks, params) }
    }

    /// The pairs of every round, counted.
    ///
    /// # Safety
    /// That of [`super::AffineTree::launch`], as for all that follow.
    pub(super) unsafe fn count(&self, stream: &Stream, part: &Part) -> Result<(), DeviceError> {
        let params = part.lists(0);
        // SAFETY: a block for each chunk of buckets, then one for each round; the caller's.
        unsafe {
            self.count.launch(stream, grid(part.chunks), &params)?;
            let rounds = grid(usize::try_from(params.rounds).unwrap_or(1));
            self.sum_chunks.launch(stream, rounds, &params)
        }
    }

    /// Where a round's pairs start, and the pairs, if it has any.
    ///
    /// # Safety
    /// As above.
    pub(super) unsafe fn list(
        &self,
        stream: &Stream,
        plan: &TreePlan,
        part: &Part,
        round: u32,
    ) -> Result<(), DeviceError> {
        let params = part.lists(round);
        // SAFETY: a block for each chunk, and for each tile of pairs that there may be.
        unsafe {
            self.start.launch(stream, grid(part.chunks), &params)?;
            if round < plan.rounds {
                let tiles = plan.most_pairs(round).div_ceil(PAIR_TILE);
                self.pair.launch(stream, grid(tiles), &params)?;
            }
        }
        Ok(())
    }

    /// The additions of a round.
    ///
    /// # Safety
    /// As above.
    pub(super) unsafe fn add(
        &self,
        stream: &Stream,
        plan: &TreePlan,
        part: &Part,
        round: u32,
    ) -> Result<(), DeviceError> {
        let shape = &plan.shape;
        let params = RoundParams {
            points: part.additions.points,
            pairs: part.additions.pairs,
            totals: part.additions.totals,
            prefixes: part.additions.prefixes,
            prefix_capacity: part.additions.prefix_capacity,
            products: part.additions.products,
            chains: part.additions.chains,
            product_capacity: part.additions.product_capacity,
            round: round.into(),
            ..RoundParams::shaped(shape)
        };
        let later = usize::from(round > 0);
        let tiles = shape.tiles(plan.most_pairs(round));
        let inverters = self.invert.blocks_for(shape.inverters(tiles))?;
        // SAFETY: as many blocks as the most pairs take; a block too many does nothing.
        unsafe {
            if plan.has_few(round) {
                return self.few.launch(stream, grid(tiles), &params);
            }
            self.forward[later].launch(stream, grid(tiles), &params)?;
            self.invert.launch(stream, inverters, &params)?;
            self.backward[later].launch(stream, grid(tiles), &params)
        }
    }

    /// Sums and differences of the pairs of the lists.
    ///
    /// # Safety
    /// As the caller's, [`super::AffineTree::fold`].
    pub(super) unsafe fn fold(
        &self,
        stream: &Stream,
        params: &RoundParams,
        shape: &Shape,
        pairs: usize,
    ) -> Result<(), DeviceError> {
        let tiles = shape.tiles(pairs);
        let inverters = self.invert.blocks_for(shape.inverters(tiles))?;
        // SAFETY: as many blocks as the pairs take; the caller's.
        unsafe {
            self.forward[0].launch(stream, grid(tiles), params)?;
            self.invert.launch(stream, inverters, params)?;
            self.fold.launch(stream, grid(tiles), params)
        }
    }

    /// The sums, from where they are.
    ///
    /// # Safety
    /// As above.
    pub(super) unsafe fn collect(&self, stream: &Stream, part: &Part) -> Result<(), DeviceError> {
        let params = CollectParams {
            points: part.additions.points,
            offsets: part.lists.offsets,
            buckets: part.lists.buckets,
            carried: part.lists.carried,
            carries: part.lists.carries,
            sums: part.sums,
        };
        let blocks = self.collect.blocks_for(part.buckets)?;
        // SAFETY: a thread for each bucket of the part, which has a place for its sum.
        unsafe { self.collect.launch(stream, blocks, &params) }
    }
}

/// Blocks of a grid, at least one. Fewer than 2^31 entries give fewer blocks.
fn grid(blocks: usize) -> u32 {
    u32::try_from(blocks.max(1)).unwrap_or(u32::MAX)
}

impl<G: DeviceGroup> fmt::Debug for TreeKernels<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TreeKernels").field(&G::SUFFIX).finish()
    }
}
