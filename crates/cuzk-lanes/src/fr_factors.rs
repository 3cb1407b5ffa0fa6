use cuzk_curve::Fr;
use ff::Field;

use crate::Arithmetic;
#[cfg(target_arch = "x86_64")]
use crate::fr_shoup::Factor;

/// Field constants prepared for repeated products, in the form the arithmetic wants.
///
/// # Source
/// The companion of each constant is Shoup's, `[Harvey14]` §2.
#[derive(Debug, Clone)]
pub struct FrFactors(pub(crate) Factors);

#[derive(Debug, Clone)]
pub(crate) enum Factors {
    Portable(Vec<Fr>),
    #[cfg(target_arch = "x86_64")]
    Ifma(crate::Ifma, Vec<Factor>),
}

impl FrFactors {
    /// Prepares `values`.
    #[must_use]
    pub fn new(arithmetic: Arithmetic, values: Vec<Fr>) -> Self {
        match arithmetic {
            #[cfg(target_arch = "x86_64")]
            Arithmetic::Ifma(token) => Self(Factors::Ifma(
                token,
                values.iter().map(Factor::new).collect(),
            )),
            _ => Self(Factors::Portable(values)),
        }
    }

    /// `start · ratio^i` for `i` below `len`, prepared.
    #[must_use]
    pub fn geometric(arithmetic: Arithmetic, start: Fr, ratio: Fr, len: usize) -> Self {
        Self::new(arithmetic, powers(start, ratio, len))
    }

    /// The number of constants.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Factors::Portable(values) => values.len(),
            #[cfg(target_arch = "x86_64")]
            Factors::Ifma(_, values) => values.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// `start · ratio^i` for `i` below `len`.
pub(crate) fn powers(start: Fr, ratio: Fr, len: usize) -> Vec<Fr> {
    std::iter::successors(Some(start), |last| Some(last * ratio))
        .take(len)
        .collect()
}

/// In which order the rows of a tile stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// Row `i` at position `i`.
    Natural,
    /// Row `i` at the position whose bits are those of `i` in reverse.
    Reversed,
}

impl RowOrder {
    /// Where row `row` of `2^log_rows` stands.
    #[inline]
    #[must_use]
    pub fn position(self, row: usize, log_rows: u32) -> usize {
        match self {
            Self::Natural => row,
            Self::Reversed => reverse_bits(row, log_rows),
        }
    }
}

#[inline]
pub(crate) fn reverse_bits(index: usize, bits: u32) -> usize {
    index.reverse_bits().unbounded_shr(usize::BITS - bits)
}

/// The twiddle factors of a transform of `2^log_rows` rows,
/// `X_k = Σ_i x_i · (shift · root^k)^i`.
///
/// One kind takes rows in natural order and leaves them bit-reversed, the other takes them
/// bit-reversed and leaves them natural. Both multiply before they add, so a value grows by a
/// constant in each layer and not by a factor, and both take the shift into their factors,
/// where it costs nothing.
///
/// Layer `l` has the factors `d · e^t`, where `e` is the root of order 2^(l+1), `d` is
/// `shift^(2^(log_rows − l − 1))` and `t` is below 2^l; they stand at `2^l + t`, or at `2^l +
/// reverse(t)` in the kind that ends reversed.
///
/// # Source
/// `[CT65]`; the two index orders in §2 of `[Harvey14]`.
#[derive(Debug, Clone)]
pub struct FrDft {
    pub(crate) factors: FrFactors,
    pub(crate) log_rows: u32,
    pub(crate) input_order: RowOrder,
}

impl FrDft {
    /// The most layers for which the lazy reduction was shown to stay in range.
    pub const MAX_LOG_ROWS: u32 = 16;

    /// Prepares the factors; `root` has the exact order `2^log_rows`, and rows come in
    /// `input_order`.
    ///
    /// # Panics
    /// Where `log_rows` is above [`FrDft::MAX_LOG_ROWS`].
    #[must_use]
    pub fn new(
        arithmetic: Arithmetic,
        log_rows: u32,
        root: Fr,
        shift: Fr,
        input_order: RowOrder,
    ) -> Self {
        assert!(log_rows <= Self::MAX_LOG_ROWS, "too many layers");
        let mut values = vec![Fr::ONE; 1 << log_rows];
        let (mut root, mut shift) = (root, shift);
        for layer in (0..log_rows).rev() {
            // Here the root has the order 2^(layer + 1).
            shift = if layer + 1 == log_rows {
                shift
            } else {
                shift.square()
            };
            let len = 1 << layer;
            for (t, factor) in powers(shift, root, len).into_iter().enumerate() {
                let at = match input_order {
                    RowOrder::Natural => reverse_bits(t, layer),
                    RowOrder::Reversed => t,
                };
                values[len + at] = factor;
            }
            root = root.square();
        }
        Self {
            factors: FrFactors::new(arithmetic, values),
            log_rows,
            input_order,
        }
    }
}
