use cuzk_backend::Transform;
use cuzk_curve::{Domain, Fr};
use ff::Field;

use crate::grid::root;

/// Transforms too small for tiles, on one thread.
#[derive(Debug)]
pub(crate) struct SmallNtt {
    log_n: u32,
    root: Fr,
    /// The factors before and after: `constant · ratio^i` for element `i`.
    before: Option<Fr>,
    after: Option<(Fr, Fr)>,
}

impl SmallNtt {
    pub(crate) fn new(domain: &Domain, transform: Transform) -> Self {
        let (inverse, before, after) = match transform {
            Transform::Forward => (false, None, None),
            Transform::CosetForward => (false, Some(domain.coset_shift()), None),
            Transform::Inverse => (true, None, Some((domain.n_inv(), Fr::ONE))),
            Transform::CosetInverse => {
                (true, None, Some((domain.n_inv(), domain.coset_shift_inv())))
            }
        };
        Self {
            log_n: domain.log_n(),
            root: root(domain, inverse),
            before,
            after,
        }
    }

    /// In place, from natural to natural order.
    pub(crate) fn run(&self, values: &mut [Fr]) {
        if let Some(shift) = self.before {
            scale(values, Fr::ONE, shift);
        }
        reverse(values, self.log_n);
        for layer in 0..self.log_n {
            let half = 1 << layer;
            let step = self.root.pow_vartime([(values.len() / (2 * half)) as u64]);
            for block in values.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                let mut factor = Fr::ONE;
                for (a, b) in low.iter_mut().zip(high) {
                    let product = *b * factor;
                    *b = *a - product;
                    *a += product;
                    factor *= step;
                }
            }
        }
        if let Some((constant, ratio)) = self.after {
            scale(values, constant, ratio);
        }
    }
}

fn scale(values: &mut [Fr], mut factor: Fr, ratio: Fr) {
    for value in values {
        *value *= factor;
        factor *= ratio;
    }
}

fn reverse(values: &mut [Fr], log_n: u32) {
    for i in 0..values.len() {
        let j = i.reverse_bits().unbounded_shr(usize::BITS - log_n);
        if i < j {
            values.swap(i, j);
        }
    }
}
