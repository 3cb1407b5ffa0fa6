use crate::{
    scalar::Scalar,
    system::{System, Terms},
};

/// A bit that is known to the circuit or a variable constrained to 0 or 1, maybe negated.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bit<V> {
    Constant(bool),
    Variable { of: V, value: bool, negated: bool },
}

impl<V: Copy> Bit<V> {
    pub(crate) fn value(&self) -> bool {
        match *self {
            Self::Constant(value) => value,
            Self::Variable { value, negated, .. } => value != negated,
        }
    }

    fn not(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Variable { of, value, negated } => Self::Variable {
                of,
                value,
                negated: !negated,
            },
        }
    }

    /// A variable that some constraint of the caller's keeps to 0 or 1.
    fn free<S: System<Variable = V>>(system: &mut S, value: bool) -> Result<Self, S::Error> {
        let of = system.alloc_bit(|| value)?;
        Ok(Self::Variable {
            of,
            value,
            negated: false,
        })
    }

    /// A variable `x` with `(1 − x)·x = 0`.
    fn alloc<S: System<Variable = V>>(system: &mut S, value: bool) -> Result<Self, S::Error> {
        let bit = Self::free(system, value)?;
        system.enforce(
            |terms| bit.not().times::<S>(terms, S::Scalar::ONE),
            |terms| bit.times::<S>(terms, S::Scalar::ONE),
            |terms| terms,
        )?;
        Ok(bit)
    }

    /// Adds `coefficient · self`.
    fn times<S: System<Variable = V>>(self, terms: S::Terms, coefficient: S::Scalar) -> S::Terms {
        match self {
            Self::Constant(false) => terms,
            Self::Constant(true) => terms.plus(coefficient, S::one()),
            Self::Variable {
                of, negated: false, ..
            } => terms.plus(coefficient, of),
            Self::Variable {
                of, negated: true, ..
            } => terms.plus(coefficient, S::one()).plus(-coefficient, of),
        }
    }

    /// Adds `Σ 2^i · bit_i` of each group of bits, what is constant as one term.
    pub(crate) fn weighted_sum<'a, S: System<Variable = V>>(
        mut terms: S::Terms,
        groups: impl Iterator<Item = &'a [Self]>,
    ) -> S::Terms
    where
        V: 'a,
    {
        let mut constant = S::Scalar::ZERO;
        for bits in groups {
            let mut weight = S::Scalar::ONE;
            for bit in bits {
                match *bit {
                    Self::Constant(false) => {}
                    Self::Constant(true) => constant = constant + weight,
                    Self::Variable { of, negated, .. } => {
                        let signed = if negated { -weight } else { weight };
                        terms = terms.plus(signed, of);
                        if negated {
                            constant = constant + weight;
                        }
                    }
                }
                weight = weight + weight;
            }
        }
        if constant == S::Scalar::ZERO {
            terms
        } else {
            terms.plus(constant, S::one())
        }
    }

    /// `2a·b = a + b − c`.
    fn xor<S: System<Variable = V>>(system: &mut S, a: Self, b: Self) -> Result<Self, S::Error> {
        match (a, b) {
            (Self::Constant(known), other) | (other, Self::Constant(known)) => {
                Ok(if known { other.not() } else { other })
            }
            _ => {
                let c = Self::free(system, a.value() != b.value())?;
                let one = S::Scalar::ONE;
                system.enforce(
                    |terms| a.times::<S>(terms, one + one),
                    |terms| b.times::<S>(terms, one),
                    |terms| {
                        let terms = a.times::<S>(terms, one);
                        c.times::<S>(b.times::<S>(terms, one), -one)
                    },
                )?;
                Ok(c)
            }
        }
    }

    /// `a·b = c`.
    fn and<S: System<Variable = V>>(system: &mut S, a: Self, b: Self) -> Result<Self, S::Error> {
        match (a, b) {
            (Self::Constant(known), other) | (other, Self::Constant(known)) => {
                Ok(if known { other } else { Self::Constant(false) })
            }
            _ => {
                let c = Self::free(system, a.value() && b.value())?;
                let one = S::Scalar::ONE;
                system.enforce(
                    |terms| a.times::<S>(terms, one),
                    |terms| b.times::<S>(terms, one),
                    |terms| c.times::<S>(terms, one),
                )?;
                Ok(c)
            }
        }
    }

    /// `yes` where `which` is set, else `no`: `which·(yes − no) = out − no`.
    fn choice<S: System<Variable = V>>(
        system: &mut S,
        which: Self,
        yes: Self,
        no: Self,
    ) -> Result<Self, S::Error> {
        match (which, yes, no) {
            (Self::Constant(which), ..) => Ok(if which { yes } else { no }),
            (_, Self::Constant(yes), Self::Constant(no)) => Ok(match (yes, no) {
                (true, false) => which,
                (false, true) => which.not(),
                (same, _) => Self::Constant(same),
            }),
            _ => {
                let value = if which.value() { yes } else { no }.value();
                let out = Self::free(system, value)?;
                let one = S::Scalar::ONE;
                system.enforce(
                    |terms| which.times::<S>(terms, one),
                    |terms| no.times::<S>(yes.times::<S>(terms, one), -one),
                    |terms| no.times::<S>(out.times::<S>(terms, one), -one),
                )?;
                Ok(out)
            }
        }
    }

    /// With `d = b·c`: `a·(b + c − 2d) = out − d`.
    fn majority<S: System<Variable = V>>(
        system: &mut S,
        a: Self,
        b: Self,
        c: Self,
    ) -> Result<Self, S::Error> {
        match (a, b, c) {
            (Self::Constant(known), x, y)
            | (x, Self::Constant(known), y)
            | (x, y, Self::Constant(known)) => {
                if known {
                    Ok(Self::and(system, x.not(), y.not())?.not())
                } else {
                    Self::and(system, x, y)
                }
            }
            _ => {
                let both = Self::and(system, b, c)?;
                let votes = u8::from(a.value()) + u8::from(b.value()) + u8::from(c.value());
                let out = Self::free(system, votes >= 2)?;
                let one = S::Scalar::ONE;
                system.enforce(
                    |terms| a.times::<S>(terms, one),
                    |terms| {
                        let terms = c.times::<S>(b.times::<S>(terms, one), one);
                        both.times::<S>(terms, -one - one)
                    },
                    |terms| both.times::<S>(out.times::<S>(terms, one), -one),
                )?;
                Ok(out)
            }
        }
    }
}

/// 32 bits, the least significant first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<V>([Bit<V>; 32]);

impl<V: Copy> Word<V> {
    pub(crate) fn constant(value: u32) -> Self {
        Self(std::array::from_fn(|i| Bit::Constant(value >> i & 1 == 1)))
    }

    pub(crate) fn alloc<S: System<Variable = V>>(
        system: &mut S,
        value: u32,
    ) -> Result<Self, S::Error> {
        let mut word = Self::constant(0);
        for (i, bit) in word.0.iter_mut().enumerate() {
            *bit = Bit::alloc(system, value >> i & 1 == 1)?;
        }
        Ok(word)
    }

    pub(crate) fn bits(&self) -> &[Bit<V>] {
        &self.0
    }

    fn value(&self) -> u32 {
        (0..32).fold(0, |sum, i| sum | u32::from(self.0[i].value()) << i)
    }

    pub(crate) fn rotated(&self, by: usize) -> Self {
        Self(std::array::from_fn(|i| self.0[(i + by) % 32]))
    }

    pub(crate) fn shifted(&self, by: usize) -> Self {
        Self(std::array::from_fn(|i| match self.0.get(i + by) {
            Some(bit) => *bit,
            None => Bit::Constant(false),
        }))
    }

    fn bitwise<S: System<Variable = V>>(
        system: &mut S,
        [a, b, c]: [&Self; 3],
        mut combine: impl FnMut(&mut S, Bit<V>, Bit<V>, Bit<V>) -> Result<Bit<V>, S::Error>,
    ) -> Result<Self, S::Error> {
        let mut out = Self::constant(0);
        for i in 0..32 {
            out.0[i] = combine(system, a.0[i], b.0[i], c.0[i])?;
        }
        Ok(out)
    }

    pub(crate) fn xor3<S: System<Variable = V>>(
        system: &mut S,
        a: &Self,
        b: &Self,
        c: &Self,
    ) -> Result<Self, S::Error> {
        Self::bitwise(system, [a, b, c], |system, a, b, c| {
            let ab = Bit::xor(system, a, b)?;
            Bit::xor(system, ab, c)
        })
    }

    pub(crate) fn choice<S: System<Variable = V>>(
        system: &mut S,
        which: &Self,
        yes: &Self,
        no: &Self,
    ) -> Result<Self, S::Error> {
        Self::bitwise(system, [which, yes, no], Bit::choice)
    }

    pub(crate) fn majority<S: System<Variable = V>>(
        system: &mut S,
        a: &Self,
        b: &Self,
        c: &Self,
    ) -> Result<Self, S::Error> {
        Self::bitwise(system, [a, b, c], Bit::majority)
    }

    /// The sum modulo 2^32: as many new bits as the largest sum needs, each constrained to
    /// 0 or 1, and one constraint that both sides weigh the same.
    pub(crate) fn sum<S: System<Variable = V>>(
        system: &mut S,
        words: &[Self],
    ) -> Result<Self, S::Error> {
        let sum: u64 = words.iter().map(|word| u64::from(word.value())).sum();
        let most = words.len() as u64 * u64::from(u32::MAX);
        let mut bits = Vec::with_capacity(40);
        for i in 0..64 - most.leading_zeros() {
            bits.push(Bit::alloc(system, sum >> i & 1 == 1)?);
        }
        system.enforce(
            |terms| Bit::weighted_sum::<S>(terms, words.iter().map(Self::bits)),
            |terms| terms.plus(S::Scalar::ONE, S::one()),
            |terms| Bit::weighted_sum::<S>(terms, bits.chunks(bits.len())),
        )?;
        Ok(Self(std::array::from_fn(|i| bits[i])))
    }
}
