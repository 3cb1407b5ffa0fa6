use ff::{Field, PrimeField};

use crate::{DomainError, Fr, RequestedOrder};

/// The multiplicative subgroup of order `n = 2^log_n` in the scalar field, and its coset by
/// the field's multiplicative generator.
///
/// Evaluations over the domain stand in natural order: index `i` is the value at
/// `generator^i`, and on the coset at `coset_shift * generator^i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domain {
    log_n: u32,
    generator: Fr,
    generator_inv: Fr,
    n_inv: Fr,
    coset_shift_inv: Fr,
    vanishing_on_coset_inv: Fr,
}

impl Domain {
    /// The two-adicity of the scalar field: 2^32 divides r − 1 and 2^33 does not.
    pub const MAX_LOG_N: u32 = Fr::S;

    /// The domain of order 2^`log_n`.
    ///
    /// # Errors
    /// [`DomainError::TooLarge`] above 2^32.
    pub fn new(log_n: u32) -> Result<Self, DomainError> {
        if log_n > Self::MAX_LOG_N {
            return Err(DomainError::TooLarge {
                max: Self::MAX_LOG_N,
                what: RequestedOrder::LogN(log_n),
            });
        }
        Ok(Self::with_valid_order(log_n))
    }

    /// The smallest domain with at least `len` elements; order 1 for `len` 0 and 1.
    ///
    /// # Errors
    /// [`DomainError::TooLarge`] where `len` is above 2^32.
    pub fn for_len(len: usize) -> Result<Self, DomainError> {
        let too_large = DomainError::TooLarge {
            max: Self::MAX_LOG_N,
            what: RequestedOrder::AtLeast(len as u64),
        };
        let order = len.max(1).checked_next_power_of_two().ok_or(too_large)?;
        let log_n = order.trailing_zeros();
        if log_n > Self::MAX_LOG_N {
            return Err(too_large);
        }
        Ok(Self::with_valid_order(log_n))
    }

    fn with_valid_order(log_n: u32) -> Self {
        let mut generator = Fr::ROOT_OF_UNITY;
        for _ in log_n..Self::MAX_LOG_N {
            generator = generator.square();
        }
        let invert = |x: Fr| x.invert().expect("a power of a generator is not zero");
        let shift = Self::coset_shift_value();
        let shift_to_n = (0..log_n).fold(shift, |x, _| x.square());
        let vanishing = shift_to_n - Fr::ONE;
        Self {
            log_n,
            generator,
            generator_inv: invert(generator),
            n_inv: invert(Fr::from(2)).pow_vartime([u64::from(log_n)]),
            coset_shift_inv: invert(shift),
            vanishing_on_coset_inv: vanishing
                .invert()
                .expect("the coset shift is a non-residue, so its power is not one"),
        }
    }

    fn coset_shift_value() -> Fr {
        Fr::MULTIPLICATIVE_GENERATOR
    }

    /// The exponent of the order.
    #[must_use]
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The number of elements.
    #[must_use]
    pub fn n(&self) -> usize {
        1usize << self.log_n
    }

    /// The primitive `n`-th root of unity ω whose powers are the domain.
    #[must_use]
    pub fn generator(&self) -> Fr {
        self.generator
    }

    /// ω⁻¹.
    #[must_use]
    pub fn generator_inv(&self) -> Fr {
        self.generator_inv
    }

    /// n⁻¹ in the scalar field.
    #[must_use]
    pub fn n_inv(&self) -> Fr {
        self.n_inv
    }

    /// The shift g of the coset g·⟨ω⟩: the field's multiplicative generator, 7.
    #[must_use]
    pub fn coset_shift(&self) -> Fr {
        Self::coset_shift_value()
    }

    /// g⁻¹.
    #[must_use]
    pub fn coset_shift_inv(&self) -> Fr {
        self.coset_shift_inv
    }

    /// The inverse of the vanishing polynomial on the coset, (gⁿ − 1)⁻¹: one value for all of
    /// it.
    #[must_use]
    pub fn vanishing_on_coset_inv(&self) -> Fr {
        self.vanishing_on_coset_inv
    }

    /// The vanishing polynomial at a point, τⁿ − 1.
    #[must_use]
    pub fn vanishing_at(&self, tau: Fr) -> Fr {
        (0..self.log_n).fold(tau, |x, _| x.square()) - Fr::ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_has_exactly_the_order_of_the_domain() {
        for log_n in 0..=Domain::MAX_LOG_N {
            let domain = Domain::new(log_n).expect("within the two-adicity");
            assert_eq!(domain.vanishing_at(domain.generator()), Fr::ZERO);
            if log_n > 0 {
                let half = (1..log_n).fold(domain.generator(), |x, _| x.square());
                assert_eq!(half, -Fr::ONE, "log_n {log_n}");
            }
            assert_eq!(domain.generator() * domain.generator_inv(), Fr::ONE);
            assert_eq!(domain.n_inv() * Fr::from(domain.n() as u64), Fr::ONE);
            let on_coset = domain.vanishing_at(domain.coset_shift());
            assert_eq!(on_coset * domain.vanishing_on_coset_inv(), Fr::ONE);
        }
    }

    #[test]
    fn orders_above_two_to_the_32_are_refused_with_the_limit() {
        let refused = Domain::new(33).expect_err("2^33 has no root");
        assert_eq!(
            refused.to_string(),
            "domain too large: expected at most 2^32 elements, got 2^33"
        );
        assert!(Domain::new(u32::MAX).is_err());
        assert!(Domain::for_len((1 << 32) + 1).is_err());
        assert!(Domain::for_len(usize::MAX).is_err());
    }

    #[test]
    fn for_len_rounds_up_to_the_next_power_of_two() {
        for (len, log_n) in [
            (0, 0),
            (1, 0),
            (2, 1),
            (3, 2),
            (4, 2),
            (5, 3),
            (1 << 32, 32),
        ] {
            assert_eq!(
                Domain::for_len(len).expect("in range").log_n(),
                log_n,
                "len {len}"
            );
        }
    }
}
