//! The loops of a tile on AVX-512 IFMA.

use cuzk_curve::Fr;

use crate::{
    Ifma, LANES, RowOrder,
    columns::{ColumnTile, ROWS_AHEAD},
    fr_ifma::{
        Vector, add, broadcast, butterfly, butterfly_one, canonical, carry, mask, mul_constant,
        mul_factor, mul_montgomery, reduce, sub, zero,
    },
    fr_ifma_memory::{load, load_each, store, store_each},
    fr_shoup::{Factor, LIMBS, R, montgomery_260},
};

/// Bounds of values, in eighths of r.
mod bound {
    /// 2^260, the most that five limbs hold, is 35.33·r.
    pub(super) const LIMIT: u32 = 282;
    /// Whatever lies in four 64-bit limbs: 2^256 is 2.208·r.
    pub(super) const LOADED: u32 = 18;
    /// What fits four 64-bit limbs.
    pub(super) const STORABLE: u32 = 17;
    /// A reduced value, and what a product with a constant or a reduced value gives.
    pub(super) const PRODUCT: u32 = 17;
    /// What `reduce` gives.
    pub(super) const REDUCED: u32 = 11;
    /// By how much a layer raises a value: the 2·r that keeps a difference positive.
    pub(super) const LAYER: u32 = 16;
}

/// Rows that stay in the first-level cache through all their layers.
const ROWS_IN_CACHE: usize = 64;

/// Eight columns in registers' form, with the bound that holds for all values.
#[derive(Debug, Clone)]
pub(crate) struct IfmaTile {
    token: Ifma,
    rows: Vec<Vector>,
    bound: u32,
}

/// Runs an `avx512` function; the token is the proof that the processor has it.
macro_rules! on_lanes {
    ($token:expr, $call:expr) => {{
        let _: Ifma = $token;
        // SAFETY: an `Ifma` token is only made where the processor has all the features that
        // the functions of this module enable.
        unsafe { $call }
    }};
}

impl IfmaTile {
    pub(crate) fn new(token: Ifma, rows: usize) -> Self {
        let zero = on_lanes!(token, zero());
        Self {
            token,
            rows: vec![zero; rows],
            bound: 0,
        }
    }

    pub(crate) fn load_columns(&mut self, source: &ColumnTile<'_>) {
        on_lanes!(self.token, load_columns(&mut self.rows, source));
        self.bound = bound::LOADED;
    }

    pub(crate) fn load_rows(&mut self, source: &[Fr]) {
        on_lanes!(self.token, load_rows(&mut self.rows, source));
        self.bound = bound::LOADED;
    }

    pub(crate) fn store_columns(&self, target: &mut ColumnTile<'_>, order: RowOrder, exact: bool) {
        let finish = self.finish(exact);
        on_lanes!(self.token, store_columns(&self.rows, target, order, finish));
    }

    pub(crate) fn store_rows(&self, target: &mut [Fr], order: RowOrder, exact: bool) {
        let finish = self.finish(exact);
        on_lanes!(self.token, store_rows(&self.rows, target, order, finish));
    }

    fn finish(&self, exact: bool) -> Finish {
        match (exact, self.bound <= bound::STORABLE) {
            (true, _) => Finish::Canonical,
            (false, true) => Finish::Carry,
            (false, false) => Finish::Reduce,
        }
    }

    pub(crate) fn dft(&mut self, factors: &[Factor], input_order: RowOrder, layers: u32) {
        self.make_room(bound::LAYER * layers);
        match input_order {
            RowOrder::Natural => on_lanes!(self.token, dft_natural(&mut self.rows, factors, 1)),
            RowOrder::Reversed => on_lanes!(self.token, dft_reversed(&mut self.rows, factors)),
        }
        self.bound += bound::LAYER * layers;
    }

    fn make_room(&mut self, growth: u32) {
        if self.bound + growth > bound::LIMIT {
            on_lanes!(self.token, reduce_all(&mut self.rows));
            self.bound = bound::REDUCED;
        }
    }

    pub(crate) fn twist(&mut self, starts: &[Fr; LANES], ratios: &[Factor], order: RowOrder) {
        on_lanes!(self.token, twist(&mut self.rows, starts, ratios, order));
        self.bound = bound::PRODUCT;
    }

    pub(crate) fn scale_rows(&mut self, factors: &[Factor], order: RowOrder) {
        on_lanes!(self.token, scale_rows(&mut self.rows, factors, order));
        self.bound = bound::PRODUCT;
    }

    pub(crate) fn mul(&mut self, b: &Self, sixteen: &Factor) {
        on_lanes!(self.token, mul(&mut self.rows, &b.rows, sixteen));
        self.bound = bound::PRODUCT;
    }

    pub(crate) fn mul_sub(&mut self, b: &Self, c: &Self, sixteen: &Factor) {
        on_lanes!(
            self.token,
            mul_sub(&mut self.rows, &b.rows, &c.rows, sixteen)
        );
        self.bound = bound::PRODUCT + bound::LAYER;
    }
}

/// What a store does to a value first.
#[derive(Debug, Clone, Copy)]
enum Finish {
    /// Carries only: the value fits 256 bits.
    Carry,
    /// A reduction to 256 bits.
    Reduce,
    /// The one value below r.
    Canonical,
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn finished(x: &Vector, finish: Finish) -> Vector {
    match finish {
        Finish::Carry => mask(&carry(x)),
        Finish::Reduce => mask(&carry(&reduce(&carry(x)))),
        Finish::Canonical => canonical(&mask(&carry(&reduce(&carry(x))))),
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn load_columns(rows: &mut [Vector], source: &ColumnTile<'_>) {
    for (i, row) in rows.iter_mut().enumerate() {
        source.prefetch_for_read(i + ROWS_AHEAD);
        *row = load(source.row(i));
    }
}

/// Lane `l` takes the `l`-th of eight contiguous rows.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn load_rows(rows: &mut [Vector], source: &[Fr]) {
    let lanes = split_lanes(source);
    for (i, row) in rows.iter_mut().enumerate() {
        *row = load_each(lanes.map(|lane| &lane[i]));
    }
}

fn split_lanes(source: &[Fr]) -> [&[Fr]; LANES] {
    let stride = source.len() / LANES;
    std::array::from_fn(|lane| &source[lane * stride..(lane + 1) * stride])
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn store_columns(rows: &[Vector], target: &mut ColumnTile<'_>, order: RowOrder, finish: Finish) {
    let log_rows = rows.len().trailing_zeros();
    for i in 0..rows.len() {
        let row = &rows[order.position(i, log_rows)];
        target.prefetch_for_write(i + ROWS_AHEAD);
        store(target.row_mut(i), &finished(row, finish));
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn store_rows(rows: &[Vector], target: &mut [Fr], order: RowOrder, finish: Finish) {
    let log_rows = rows.len().trailing_zeros();
    let mut rest = target;
    let stride = rest.len() / LANES;
    let mut lanes: [&mut [Fr]; LANES] = std::array::from_fn(|_| {
        let (lane, tail) = std::mem::take(&mut rest).split_at_mut(stride);
        rest = tail;
        lane
    });
    for i in 0..rows.len() {
        let row = &rows[order.position(i, log_rows)];
        let places = lanes.each_mut().map(|lane| &mut lane[i]);
        store_each(places, &finished(row, finish));
    }
}

/// Layers from whole to neighbours, each block with one factor: `node` is the block's place in
/// the factors, and its halves stand at `2·node` and `2·node + 1`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dft_natural(rows: &mut [Vector], factors: &[Factor], node: usize) {
    let len = rows.len();
    if len <= ROWS_IN_CACHE {
        for layer in 0..len.trailing_zeros() {
            let blocks = rows.chunks_exact_mut(len >> layer);
            for (block, factor) in blocks.zip(&factors[node << layer..]) {
                butterflies_of_block(block, factor);
            }
        }
        return;
    }
    butterflies_of_block(rows, &factors[node]);
    let (low, high) = rows.split_at_mut(len / 2);
    dft_natural(low, factors, 2 * node);
    dft_natural(high, factors, 2 * node + 1);
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn butterflies_of_block(block: &mut [Vector], factor: &Factor) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    if factor.is_one() {
        for (a, b) in low.iter_mut().zip(high) {
            butterfly_one(a, b);
        }
    } else {
        for (a, b) in low.iter_mut().zip(high) {
            butterfly(a, b, factor);
        }
    }
}

/// Layers from neighbours to whole, each place within a block with its own factor.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dft_reversed(rows: &mut [Vector], factors: &[Factor]) {
    let len = rows.len();
    if len <= ROWS_IN_CACHE {
        for layer in 1..=len.trailing_zeros() {
            for block in rows.chunks_exact_mut(1 << layer) {
                butterflies_by_place(block, factors);
            }
        }
        return;
    }
    let (low, high) = rows.split_at_mut(len / 2);
    dft_reversed(low, factors);
    dft_reversed(high, factors);
    butterflies_by_place(rows, factors);
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn butterflies_by_place(block: &mut [Vector], factors: &[Factor]) {
    let half = block.len() / 2;
    let (low, high) = block.split_at_mut(half);
    let factors = &factors[half..2 * half];
    let from = usize::from(factors[0].is_one());
    if from == 1 {
        butterfly_one(&mut low[0], &mut high[0]);
    }
    let pairs = low[from..].iter_mut().zip(&mut high[from..]);
    for ((a, b), factor) in pairs.zip(&factors[from..]) {
        butterfly(a, b, factor);
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn reduce_all(rows: &mut [Vector]) {
    for row in rows {
        *row = reduce(&carry(row));
    }
}

/// Multiplies lane `l` of row `i` by `starts[l] · ratios[l]^i`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn twist(rows: &mut [Vector], starts: &[Fr; LANES], ratios: &[Factor], order: RowOrder) {
    let log_rows = rows.len().trailing_zeros();
    let mut power = gather(&starts.map(montgomery_260));
    let lanes: [&Factor; LANES] = std::array::from_fn(|lane| &ratios[lane]);
    let ratio = gather(&lanes.map(|factor| factor.value));
    let companion = gather(&lanes.map(|factor| factor.companion));
    for i in 0..rows.len() {
        let row = &mut rows[order.position(i, log_rows)];
        *row = mul_montgomery(&carry(row), &power);
        power = carry(&mul_constant(&power, &ratio, &companion));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn gather(lanes: &[[u64; LIMBS]; LANES]) -> Vector {
    use std::arch::x86_64::_mm512_set_epi64;
    std::array::from_fn(|limb| {
        let [a, b, c, d, e, f, g, h] = lanes.map(|lane| lane[limb].cast_signed());
        _mm512_set_epi64(h, g, f, e, d, c, b, a)
    })
}

/// Multiplies row `i` by `factors[i]`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn scale_rows(rows: &mut [Vector], factors: &[Factor], order: RowOrder) {
    let log_rows = rows.len().trailing_zeros();
    for (i, factor) in factors.iter().enumerate() {
        let row = &mut rows[order.position(i, log_rows)];
        *row = mul_factor(&carry(row), factor);
    }
}

/// a ← a·b.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn mul(a: &mut [Vector], b: &[Vector], sixteen: &Factor) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = product(a, b, sixteen);
    }
}

/// a ← a·b − c.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn mul_sub(a: &mut [Vector], b: &[Vector], c: &[Vector], sixteen: &Factor) {
    let two_r = broadcast(&R.map(|limb| 2 * limb));
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = sub(&add(&product(a, b, sixteen), &two_r), &reduce(&carry(c)));
    }
}

/// a·b. Values carry the factor 2^256 and the product divides by 2^260: the missing 16 is a
/// product with a constant, which reduces as well.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn product(a: &Vector, b: &Vector, sixteen: &Factor) -> Vector {
    let b = carry(&reduce(&carry(b)));
    mul_factor(&carry(&mul_montgomery(&carry(a), &b)), sixteen)
}
