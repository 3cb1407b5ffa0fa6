use cuzk_backend::InverseTransform;
use cuzk_curve::{Domain, Fr, FrLimbs};
use ff::Field;

/// The twiddles of all stages: at m + j that of pair j in the stage of half-length m.
///
/// The last stage has `shift·root^j`, and each stage before it the squares of the first half of the
/// next. What stands at 0 is of no use.
pub(crate) fn twiddles(domain: &Domain, inverse: InverseTransform) -> Vec<FrLimbs> {
    let root = domain.generator_inv();
    let shift = match inverse {
        InverseTransform::Inverse => Fr::ONE,
        InverseTransform::CosetInverse => domain.coset_shift_inv(),
    };
    let n = domain.n();
    let mut table = vec![Fr::ONE; n];
    let mut power = shift;
    for twiddle in &mut table[n / 2..] {
        *twiddle = power;
        power *= root;
    }
    for m in (0..domain.log_n().saturating_sub(1))
        .rev()
        .map(|log_m| 1 << log_m)
    {
        for j in 0..m {
            table[m + j] = table[2 * m + j].square();
        }
    }
    FrLimbs::view(&table).to_vec()
}
