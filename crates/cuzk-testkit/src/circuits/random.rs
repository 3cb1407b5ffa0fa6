use cuzk_curve::Fr;
use cuzk_synth::Variable;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::program::{Program, Terms, Writer};

/// A random constraint system with an assignment that satisfies it.
///
/// Inputs come between constraints; there are empty rows and sides, coefficients that are
/// zero, ±1, small, powers of two and full-size, variables twice in a row, and pairs of terms
/// that cancel. Every auxiliary variable is constrained, as `bellman`'s generator asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomSystem {
    /// Whence everything follows.
    pub seed: u64,
    /// Exactly so many constraints.
    pub constraints: usize,
    /// Exactly so many public inputs, without the constant one.
    pub public_inputs: usize,
    /// So many of a hundred constraints define a bit; the others mostly full-size values.
    pub bits_percent: u32,
}

impl RandomSystem {
    /// A system of this many constraints with half as many bits and three public inputs.
    #[must_use]
    pub fn new(seed: u64, constraints: usize) -> Self {
        Self {
            seed,
            constraints,
            public_inputs: 3,
            bits_percent: 50,
        }
    }

    /// With this many public inputs, without the constant one.
    #[must_use]
    pub fn with_public_inputs(mut self, public_inputs: usize) -> Self {
        self.public_inputs = public_inputs;
        self
    }

    /// With so many bits in a hundred constraints.
    #[must_use]
    pub fn with_bits_percent(mut self, bits_percent: u32) -> Self {
        self.bits_percent = bits_percent;
        self
    }

    /// The system.
    #[must_use]
    pub fn program(&self) -> Program {
        let mut maker = Maker {
            rng: ChaCha8Rng::seed_from_u64(self.seed),
            out: Writer::new(),
        };
        let mut inputs_at: Vec<usize> = (0..self.public_inputs)
            .map(|_| maker.below(self.constraints + 1))
            .collect();
        inputs_at.sort_unstable();
        let mut inputs_at = inputs_at.into_iter().peekable();
        for row in 0..=self.constraints {
            let mut defined = false;
            while inputs_at.next_if_eq(&row).is_some() {
                // Once in two rows the row's product becomes the input.
                if !defined && row < self.constraints && maker.below(2) == 0 {
                    maker.product(Kind::Input);
                    defined = true;
                } else {
                    let value = maker.value();
                    maker.out.input(value);
                }
            }
            if row < self.constraints && !defined {
                maker.row(self.bits_percent);
            }
        }
        Program {
            steps: maker.out.steps,
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Input,
    Aux,
}

struct Maker {
    rng: ChaCha8Rng,
    out: Writer,
}

impl Maker {
    fn below(&mut self, end: usize) -> usize {
        (self.rng.next_u64() % end as u64) as usize
    }

    fn value(&mut self) -> Fr {
        match self.below(4) {
            0 => Fr::from(self.rng.next_u64() & 1),
            1 => Fr::from(self.rng.next_u64() >> self.below(64)),
            _ => Fr::random(&mut self.rng),
        }
    }

    fn coefficient(&mut self) -> Fr {
        match self.below(12) {
            0 => Fr::ZERO,
            1..=4 => Fr::ONE,
            5 | 6 => -Fr::ONE,
            7 => Fr::from(self.rng.next_u64() >> 48),
            8 => -Fr::from(self.rng.next_u64() >> 48),
            9 => Fr::from(2).pow_vartime([self.below(255) as u64]),
            _ => Fr::random(&mut self.rng),
        }
    }

    fn any_variable(&mut self) -> Variable {
        let number = self.below(self.out.num_variables());
        self.out.variable(number)
    }

    fn terms(&mut self) -> Terms {
        let length = match self.below(40) {
            0 => 30 + self.below(20),
            1..=9 => 0,
            10..=25 => 1,
            _ => 2 + self.below(4),
        };
        let mut terms: Terms = (0..length)
            .map(|_| (self.any_variable(), self.coefficient()))
            .collect();
        if length > 1 && self.below(8) == 0 {
            let (variable, coefficient) = terms[self.below(length)];
            let again = if self.below(2) == 0 {
                coefficient
            } else {
                -coefficient
            };
            let place = self.below(terms.len() + 1);
            terms.insert(place, (variable, again));
        }
        terms
    }

    fn row(&mut self, bits_percent: u32) {
        if self.below(100) < bits_percent as usize {
            return self.bit();
        }
        match self.below(10) {
            0 => self.out.constraint(vec![], vec![], vec![]),
            1 => {
                let side = self.terms();
                self.out.constraint(side, vec![], vec![]);
            }
            2 => {
                let side = self.terms();
                self.out.constraint(vec![], side, vec![]);
            }
            _ => self.product(Kind::Aux),
        }
    }

    /// `(1 − x) · x = 0` with a variable of its own.
    fn bit(&mut self) {
        let value = Fr::from(self.rng.next_u64() & 1);
        let x = self.out.aux(value);
        let complement = vec![(Variable::ONE, Fr::ONE), (x, -Fr::ONE)];
        self.out.constraint(complement, vec![(x, Fr::ONE)], vec![]);
    }

    /// `a · b = rest + k · x`, where the variable `x` takes the value that makes it so.
    fn product(&mut self, kind: Kind) {
        let (a, b) = (self.terms(), self.terms());
        let mut c = if self.below(3) == 0 {
            self.terms()
        } else {
            vec![]
        };
        let factor = loop {
            let factor = self.coefficient();
            if factor != Fr::ZERO {
                break factor;
            }
        };
        let product = self.out.value(&a) * self.out.value(&b) - self.out.value(&c);
        let inverse = Option::<Fr>::from(factor.invert()).expect("the factor is not zero");
        let x = match kind {
            Kind::Input => self.out.input(product * inverse),
            Kind::Aux => self.out.aux(product * inverse),
        };
        let place = self.below(c.len() + 1);
        c.insert(place, (x, factor));
        self.out.constraint(a, b, c);
    }
}
