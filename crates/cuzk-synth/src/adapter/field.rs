use std::any::Any;

use cuzk_curve::Fr;
use ff::{Field, PrimeField};

use crate::SynthesisError;

/// Refuses a field that is not the scalar field of BLS12-381 or writes it down differently.
pub(super) fn require_same_field<S: PrimeField>() -> Result<(), SynthesisError> {
    let modulus = S::MODULUS.eq_ignore_ascii_case(Fr::MODULUS);
    let two = S::from(2).to_repr();
    if modulus && two.as_ref() == Fr::from(2).to_repr().as_ref() {
        return Ok(());
    }
    Err(SynthesisError::Field {
        expected: Fr::MODULUS,
        got: S::MODULUS,
    })
}

/// The same element; the fields are known to be the same.
///
/// Through the canonical bytes: no layout of the other crate is relied upon.
#[inline]
pub(super) fn to_fr<S: PrimeField>(value: &S) -> Fr {
    // Decided at compile time.
    if let Some(&same) = (value as &dyn Any).downcast_ref::<Fr>() {
        return same;
    }
    if value.is_zero_vartime() {
        return Fr::ZERO;
    }
    if *value == S::ONE {
        return Fr::ONE;
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(value.to_repr().as_ref());
    Fr::from_repr_vartime(bytes).expect("canonical bytes of the same field")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_value() {
        type Other = bls12_381::Scalar;
        require_same_field::<Other>().expect("the same field");
        require_same_field::<Fr>().expect("the same field");
        for k in [0, 1, 2, 77, u64::MAX] {
            let (other, own) = (Other::from(k), Fr::from(k));
            assert_eq!(to_fr(&other), own);
            assert_eq!(to_fr(&-other), -own);
            assert_eq!(to_fr(&own), own);
            let inverse = other.invert().map(|x| to_fr(&x));
            assert_eq!(Option::<Fr>::from(inverse), own.invert().into());
        }
    }

    #[test]
    fn another_field_is_refused() {
        let refused = require_same_field::<jubjub::Fr>();
        assert!(matches!(refused, Err(SynthesisError::Field { .. })));
    }
}
