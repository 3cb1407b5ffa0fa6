//! The loops of a tile on `blst`'s scalar arithmetic.

use cuzk_curve::Fr;
use ff::Field;

use crate::{
    LANES, RowOrder,
    columns::{ColumnTile, ROWS_AHEAD},
};

/// Rows that stay in the first-level cache through all their layers.
const ROWS_IN_CACHE: usize = 64;

/// Eight columns, row by row.
#[derive(Debug, Clone)]
pub(crate) struct PortableTile {
    rows: Vec<[Fr; LANES]>,
}

impl PortableTile {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            rows: vec![[Fr::ZERO; LANES]; rows],
        }
    }

    pub(crate) fn load_columns(&mut self, source: &ColumnTile<'_>) {
        for (i, row) in self.rows.iter_mut().enumerate() {
            source.prefetch_for_read(i + ROWS_AHEAD);
            *row = *source.row(i);
        }
    }

    pub(crate) fn load_rows(&mut self, source: &[Fr]) {
        let stride = self.rows.len();
        for (lane, values) in source.chunks_exact(stride).enumerate() {
            for (row, value) in self.rows.iter_mut().zip(values) {
                row[lane] = *value;
            }
        }
    }

    pub(crate) fn store_columns(&self, target: &mut ColumnTile<'_>, order: RowOrder) {
        for i in 0..self.rows.len() {
            target.prefetch_for_write(i + ROWS_AHEAD);
            *target.row_mut(i) = self.rows[self.position(i, order)];
        }
    }

    pub(crate) fn store_rows(&self, target: &mut [Fr], order: RowOrder) {
        let stride = self.rows.len();
        for i in 0..stride {
            let row = &self.rows[self.position(i, order)];
            for (lane, value) in row.iter().enumerate() {
                target[lane * stride + i] = *value;
            }
        }
    }

    fn position(&self, row: usize, order: RowOrder) -> usize {
        order.position(row, self.rows.len().trailing_zeros())
    }

    pub(crate) fn dft(&mut self, factors: &[Fr], input_order: RowOrder) {
        match input_order {
            RowOrder::Natural => dft_natural(&mut self.rows, factors, 1),
            RowOrder::Reversed => dft_reversed(&mut self.rows, factors),
        }
    }

    pub(crate) fn twist(&mut self, starts: &[Fr; LANES], ratios: &[Fr], order: RowOrder) {
        let mut powers = *starts;
        for i in 0..self.rows.len() {
            let at = self.position(i, order);
            for (value, power) in self.rows[at].iter_mut().zip(&powers) {
                *value *= power;
            }
            for (power, ratio) in powers.iter_mut().zip(ratios) {
                *power *= ratio;
            }
        }
    }

    pub(crate) fn scale_rows(&mut self, factors: &[Fr], order: RowOrder) {
        for (i, factor) in factors.iter().enumerate() {
            let at = self.position(i, order);
            for value in &mut self.rows[at] {
                *value *= factor;
            }
        }
    }

    pub(crate) fn mul(&mut self, b: &Self) {
        let others = b.rows.as_flattened();
        for (a, b) in self.rows.as_flattened_mut().iter_mut().zip(others) {
            *a *= b;
        }
    }

    pub(crate) fn mul_sub(&mut self, b: &Self, c: &Self) {
        let others = b.rows.as_flattened().iter().zip(c.rows.as_flattened());
        for (a, (b, c)) in self.rows.as_flattened_mut().iter_mut().zip(others) {
            *a = *a * b - c;
        }
    }
}

/// Layers from whole to neighbours, each block with one factor: `node` is the block's place in
/// the factors, and its halves stand at `2·node` and `2·node + 1`.
fn dft_natural(rows: &mut [[Fr; LANES]], factors: &[Fr], node: usize) {
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

fn butterflies_of_block(block: &mut [[Fr; LANES]], factor: &Fr) {
    let is_one = *factor == Fr::ONE;
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (a, b) in low.iter_mut().zip(high) {
        butterfly(a, b, factor, is_one);
    }
}

/// Layers from neighbours to whole, each place within a block with its own factor.
fn dft_reversed(rows: &mut [[Fr; LANES]], factors: &[Fr]) {
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

fn butterflies_by_place(block: &mut [[Fr; LANES]], factors: &[Fr]) {
    let half = block.len() / 2;
    let (low, high) = block.split_at_mut(half);
    for ((a, b), factor) in low.iter_mut().zip(high).zip(&factors[half..]) {
        butterfly(a, b, factor, *factor == Fr::ONE);
    }
}

#[inline]
fn butterfly(a: &mut [Fr; LANES], b: &mut [Fr; LANES], factor: &Fr, is_one: bool) {
    for (a, b) in a.iter_mut().zip(b) {
        let product = if is_one { *b } else { *b * factor };
        *b = *a - product;
        *a += product;
    }
}
