use cuzk_curve::Fr;
use cuzk_synth::{ConstraintSystem, LinearCombination, SynthesisError, Variable};
use ff::Field;

/// A bit of a circuit: a constant, a variable, or the complement of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bit {
    value: bool,
    /// The variable behind it, and whether the bit is its complement.
    variable: Option<(Variable, bool)>,
}

impl Bit {
    pub(super) fn constant(value: bool) -> Self {
        Self {
            value,
            variable: None,
        }
    }

    /// A bit with a variable of its own, constrained to be one.
    pub(super) fn alloc<CS: ConstraintSystem>(
        cs: &mut CS,
        value: bool,
    ) -> Result<Self, SynthesisError> {
        let x = cs.alloc_bit(|| "bit", || Ok(value))?;
        let one = CS::one();
        cs.enforce(|| "boolean", |lc| lc + one - x, |lc| lc + x, |lc| lc);
        Ok(Self::of(value, x))
    }

    fn of(value: bool, variable: Variable) -> Self {
        Self {
            value,
            variable: Some((variable, false)),
        }
    }

    /// Adds `factor · bit`.
    pub(super) fn add_to(self, mut sum: LinearCombination, factor: Fr) -> LinearCombination {
        match self.variable {
            Some((x, false)) => sum += (factor, x),
            Some((x, true)) => {
                sum += (factor, Variable::ONE);
                sum -= (factor, x);
            }
            None if self.value => sum += (factor, Variable::ONE),
            None => {}
        }
        sum
    }

    fn complement_if(self, condition: bool) -> Self {
        Self {
            value: self.value ^ condition,
            variable: self
                .variable
                .map(|(x, complement)| (x, complement ^ condition)),
        }
    }

    /// `2x · y = x + y − z`.
    fn xor<CS: ConstraintSystem>(self, other: Self, cs: &mut CS) -> Result<Self, SynthesisError> {
        let (Some((x, x_complement)), Some((y, y_complement))) = (self.variable, other.variable)
        else {
            return Ok(match self.variable {
                None => other.complement_if(self.value),
                Some(_) => self.complement_if(other.value),
            });
        };
        let flipped = x_complement ^ y_complement;
        let value = self.value ^ other.value ^ flipped;
        let z = cs.alloc_bit(|| "xor", || Ok(value))?;
        cs.enforce(|| "xor", |lc| lc + x + x, |lc| lc + y, |lc| lc + x + y - z);
        Ok(Self::of(value, z).complement_if(flipped))
    }

    /// `self · other`.
    fn and<CS: ConstraintSystem>(self, other: Self, cs: &mut CS) -> Result<Self, SynthesisError> {
        let value = self.value & other.value;
        if self.variable.is_none() && other.variable.is_none() {
            return Ok(Self::constant(value));
        }
        let z = cs.alloc_bit(|| "and", || Ok(value))?;
        cs.enforce(
            || "and",
            |lc| self.add_to(lc, Fr::ONE),
            |lc| other.add_to(lc, Fr::ONE),
            |lc| lc + z,
        );
        Ok(Self::of(value, z))
    }

    /// `yes` where the bit is set, otherwise `no`: `self · (yes − no) = z − no`.
    fn choose<CS: ConstraintSystem>(
        self,
        yes: Self,
        no: Self,
        cs: &mut CS,
    ) -> Result<Self, SynthesisError> {
        let value = if self.value { yes.value } else { no.value };
        if [self, yes, no].iter().all(|bit| bit.variable.is_none()) {
            return Ok(Self::constant(value));
        }
        let z = cs.alloc_bit(|| "choice", || Ok(value))?;
        cs.enforce(
            || "choice",
            |lc| self.add_to(lc, Fr::ONE),
            |lc| no.add_to(yes.add_to(lc, Fr::ONE), -Fr::ONE),
            |lc| no.add_to(lc + z, -Fr::ONE),
        );
        Ok(Self::of(value, z))
    }

    /// The majority of three: with `p = y · w`, `self · (y + w − 2p) = z − p`.
    fn majority<CS: ConstraintSystem>(
        self,
        y: Self,
        w: Self,
        cs: &mut CS,
    ) -> Result<Self, SynthesisError> {
        let value = (self.value & y.value) | (self.value & w.value) | (y.value & w.value);
        if [self, y, w].iter().all(|bit| bit.variable.is_none()) {
            return Ok(Self::constant(value));
        }
        let p = y.and(w, cs)?;
        let z = cs.alloc_bit(|| "majority", || Ok(value))?;
        cs.enforce(
            || "majority",
            |lc| self.add_to(lc, Fr::ONE),
            |lc| p.add_to(w.add_to(y.add_to(lc, Fr::ONE), Fr::ONE), -Fr::from(2)),
            |lc| p.add_to(lc + z, -Fr::ONE),
        );
        Ok(Self::of(value, z))
    }
}

/// Thirty-two bits of a circuit, the lowest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word(pub(super) [Bit; 32]);

impl Word {
    pub(super) fn constant(value: u32) -> Self {
        Self(std::array::from_fn(|i| Bit::constant(value >> i & 1 == 1)))
    }

    pub(super) fn alloc<CS: ConstraintSystem>(
        cs: &mut CS,
        value: u32,
    ) -> Result<Self, SynthesisError> {
        let mut word = Self::constant(value);
        for bit in &mut word.0 {
            *bit = Bit::alloc(cs, bit.value)?;
        }
        Ok(word)
    }

    pub(super) fn value(&self) -> u32 {
        let bits = self.0.iter().enumerate();
        bits.map(|(i, bit)| u32::from(bit.value) << i).sum()
    }

    pub(super) fn rotate_right(&self, by: usize) -> Self {
        Self(std::array::from_fn(|i| self.0[(i + by) % 32]))
    }

    pub(super) fn shift_right(&self, by: usize) -> Self {
        let zero = Bit::constant(false);
        Self(std::array::from_fn(|i| {
            *self.0.get(i + by).unwrap_or(&zero)
        }))
    }

    pub(super) fn xor<CS: ConstraintSystem>(
        &self,
        other: &Self,
        cs: &mut CS,
    ) -> Result<Self, SynthesisError> {
        self.by_bit(|i, bit| bit.xor(other.0[i], cs))
    }

    pub(super) fn choose<CS: ConstraintSystem>(
        &self,
        yes: &Self,
        no: &Self,
        cs: &mut CS,
    ) -> Result<Self, SynthesisError> {
        self.by_bit(|i, bit| bit.choose(yes.0[i], no.0[i], cs))
    }

    pub(super) fn majority<CS: ConstraintSystem>(
        &self,
        y: &Self,
        w: &Self,
        cs: &mut CS,
    ) -> Result<Self, SynthesisError> {
        self.by_bit(|i, bit| bit.majority(y.0[i], w.0[i], cs))
    }

    fn by_bit(
        &self,
        mut operation: impl FnMut(usize, Bit) -> Result<Bit, SynthesisError>,
    ) -> Result<Self, SynthesisError> {
        let mut word = *self;
        for (i, bit) in word.0.iter_mut().enumerate() {
            *bit = operation(i, *bit)?;
        }
        Ok(word)
    }

    /// The sum modulo 2³²: one linear constraint over the bits of all words and of the sum,
    /// whose carries are dropped.
    pub(super) fn sum<CS: ConstraintSystem>(
        words: &[Self],
        cs: &mut CS,
    ) -> Result<Self, SynthesisError> {
        let total: u64 = words.iter().map(|word| u64::from(word.value())).sum();
        let carries = words.len().next_power_of_two().trailing_zeros() as usize;
        let mut bits = [Bit::constant(false); 40];
        let bits = &mut bits[..32 + carries];
        for (i, bit) in bits.iter_mut().enumerate() {
            *bit = Bit::alloc(cs, total >> i & 1 == 1)?;
        }
        let one = CS::one();
        cs.enforce(
            || "sum",
            |lc| words.iter().fold(lc, |lc, word| weigh(lc, &word.0)),
            |lc| lc + one,
            |lc| weigh(lc, bits),
        );
        Ok(Self(std::array::from_fn(|i| bits[i])))
    }
}

/// Adds `Σ 2^i · bits[i]`.
pub(super) fn weigh(sum: LinearCombination, bits: &[Bit]) -> LinearCombination {
    let mut weight = Fr::ONE;
    bits.iter().fold(sum, |sum, bit| {
        let sum = bit.add_to(sum, weight);
        weight = weight.double();
        sum
    })
}
