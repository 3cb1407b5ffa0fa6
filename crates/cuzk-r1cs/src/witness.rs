use cuzk_curve::Fr;
use ff::Field;

use crate::{Bitmap, R1csError};

/// One full assignment, packed: inputs first, then auxiliary variables.
///
/// Two bitmaps give the class of every variable: `(low, high)` is `(0, 0)` for zero, `(1, 0)`
/// for one, `(0, 1)` for a small value and `(1, 1)` for a full one. Small values (2 to
/// 2^64 − 1) and full values stand in two lists, in the order of their variables. In real
/// circuits over ninety percent of the values are 0 or 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedWitness {
    num_inputs: usize,
    low: Bitmap,
    high: Bitmap,
    small: Vec<u64>,
    full: Vec<Fr>,
}

/// The value of one variable by its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// 0.
    Zero,
    /// 1.
    One,
    /// 2 to 2^64 − 1.
    Small(u64),
    /// Anything else.
    Full(Fr),
}

impl Value {
    /// The value's class.
    #[must_use]
    pub fn classify(value: Fr) -> Self {
        if value.is_zero_vartime() {
            return Self::Zero;
        }
        if value == Fr::ONE {
            return Self::One;
        }
        let bytes = value.to_bytes_le();
        let (low, rest) = bytes.split_at(8);
        if rest.iter().all(|&b| b == 0) {
            let low = low.try_into().expect("eight of 32 bytes");
            Self::Small(u64::from_le_bytes(low))
        } else {
            Self::Full(value)
        }
    }

    /// The value as a scalar.
    #[must_use]
    pub fn to_scalar(self) -> Fr {
        match self {
            Self::Zero => Fr::ZERO,
            Self::One => Fr::ONE,
            Self::Small(value) => Fr::from(value),
            Self::Full(value) => value,
        }
    }
}

impl PackedWitness {
    /// A witness from its parts, which the caller has checked.
    pub(crate) fn from_parts(
        num_inputs: usize,
        low: Bitmap,
        high: Bitmap,
        small: Vec<u64>,
        full: Vec<Fr>,
    ) -> Self {
        Self {
            num_inputs,
            low,
            high,
            small,
            full,
        }
    }

    /// Inputs, the constant one among them.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        self.num_inputs
    }

    /// All variables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there is no variable at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// The lower bit of every variable's class.
    #[must_use]
    pub fn low(&self) -> &Bitmap {
        &self.low
    }

    /// The upper bit of every variable's class.
    #[must_use]
    pub fn high(&self) -> &Bitmap {
        &self.high
    }

    /// The small values, in order of their variables.
    #[must_use]
    pub fn small(&self) -> &[u64] {
        &self.small
    }

    /// The full values, in order of their variables.
    #[must_use]
    pub fn full(&self) -> &[Fr] {
        &self.full
    }

    /// Bytes that would cross a bus.
    #[must_use]
    pub fn bytes(&self) -> usize {
        16 * self.low.words().len() + 8 * self.small.len() + 32 * self.full.len()
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        decode(&self.low, &self.high, &self.small, &self.full)
    }

    /// The assignment as scalars, inputs first.
    #[must_use]
    pub fn unpack(&self) -> Vec<Fr> {
        self.values().map(Value::to_scalar).collect()
    }

    /// The public inputs, without the constant one.
    #[must_use]
    pub fn public_inputs(&self) -> Vec<Fr> {
        let inputs = self.values().take(self.num_inputs).skip(1);
        inputs.map(Value::to_scalar).collect()
    }
}

fn decode<'a>(
    low: &'a Bitmap,
    high: &'a Bitmap,
    small: &'a [u64],
    full: &'a [Fr],
) -> impl Iterator<Item = Value> + 'a {
    let mut small = small.iter();
    let mut full = full.iter();
    (0..low.len()).map(move |i| match (low.get(i), high.get(i)) {
        (false, false) => Value::Zero,
        (true, false) => Value::One,
        (false, true) => small.next().map_or(Value::Zero, |&v| Value::Small(v)),
        (true, true) => full.next().map_or(Value::Zero, |&v| Value::Full(v)),
    })
}

/// Collects an assignment in which inputs and auxiliary variables come interleaved.
#[derive(Debug, Clone, Default)]
pub struct WitnessBuilder {
    inputs: Vec<Fr>,
    low: Bitmap,
    high: Bitmap,
    small: Vec<u64>,
    full: Vec<Fr>,
}

impl WitnessBuilder {
    /// No variables yet, not even the constant one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an input.
    pub fn push_input(&mut self, value: Fr) {
        self.inputs.push(value);
    }

    /// Appends an auxiliary variable.
    #[inline]
    pub fn push_aux(&mut self, value: Fr) {
        self.push(Value::classify(value));
    }

    /// Appends an auxiliary variable whose value is 0 or 1.
    #[inline]
    pub fn push_bit(&mut self, bit: bool) {
        self.low.push(bit);
        self.high.push(false);
    }

    /// Appends all variables of another builder but its first input, which stands for the
    /// constant one that this builder has; a builder without inputs takes that one too.
    pub fn append(&mut self, part: &Self) {
        let stand_in = self.inputs.len().min(1);
        self.inputs.extend(part.inputs.iter().skip(stand_in));
        self.low.extend(&part.low);
        self.high.extend(&part.high);
        self.small.extend_from_slice(&part.small);
        self.full.extend_from_slice(&part.full);
    }

    #[inline]
    fn push(&mut self, value: Value) {
        let (low, high) = match value {
            Value::Zero => (false, false),
            Value::One => (true, false),
            Value::Small(value) => {
                self.small.push(value);
                (false, true)
            }
            Value::Full(value) => {
                self.full.push(value);
                (true, true)
            }
        };
        self.low.push(low);
        self.high.push(high);
    }

    /// Inputs so far.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Auxiliary variables so far.
    #[must_use]
    pub fn num_aux(&self) -> usize {
        self.low.len()
    }

    /// The inputs so far.
    #[must_use]
    pub fn inputs(&self) -> &[Fr] {
        &self.inputs
    }

    /// The auxiliary variables so far, as scalars.
    #[must_use]
    pub fn unpack_aux(&self) -> Vec<Fr> {
        let values = decode(&self.low, &self.high, &self.small, &self.full);
        values.map(Value::to_scalar).collect()
    }

    /// The packed witness.
    ///
    /// # Errors
    /// [`R1csError::FirstInputNotOne`] where the first input is missing or not one.
    pub fn finish(self) -> Result<PackedWitness, R1csError> {
        if self.inputs.first() != Some(&Fr::ONE) {
            return Err(R1csError::FirstInputNotOne);
        }
        let num_inputs = self.inputs.len();
        let mut packed = Self::default();
        for &input in &self.inputs {
            packed.push_aux(input);
        }
        packed.low.extend(&self.low);
        packed.high.extend(&self.high);
        packed.small.extend_from_slice(&self.small);
        // The values of the inputs are few: the auxiliary ones move up in place.
        let mut full = self.full;
        full.splice(0..0, packed.full);
        Ok(PackedWitness {
            num_inputs,
            low: packed.low,
            high: packed.high,
            small: packed.small,
            full,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<Fr> {
        let mut values = vec![Fr::ZERO, Fr::ONE, Fr::from(2), Fr::from(u64::MAX)];
        values.push(Fr::from(u64::MAX) + Fr::ONE);
        values.push(-Fr::ONE);
        values
    }

    #[test]
    fn every_class_comes_back_in_order() {
        let mut builder = WitnessBuilder::new();
        builder.push_input(Fr::ONE);
        let mut aux = Vec::new();
        for round in 0..50 {
            for (i, value) in values().into_iter().enumerate() {
                if (round + i) % 17 == 3 {
                    builder.push_input(value);
                }
                builder.push_aux(value);
                aux.push(value);
            }
        }
        let inputs = builder.inputs.clone();
        let witness = builder.finish().expect("the first input is one");
        assert_eq!(witness.num_inputs(), inputs.len());
        assert_eq!(witness.public_inputs(), inputs[1..]);
        assert_eq!(witness.unpack(), [inputs, aux].concat());
        assert!(witness.bytes() < 32 * witness.len());
    }

    #[test]
    fn a_part_is_appended_without_its_first_input() {
        let fill = |builder: &mut WitnessBuilder, shift: usize, from: usize| {
            for (i, value) in values()
                .into_iter()
                .cycle()
                .skip(shift)
                .take(70)
                .enumerate()
            {
                builder.push_aux(value);
                builder.push_bit(i % 3 == 0);
                if i >= from && i < from + 2 {
                    builder.push_input(value);
                }
            }
        };
        let one = || {
            let mut builder = WitnessBuilder::new();
            builder.push_input(Fr::ONE);
            builder
        };
        let (mut joined, mut part, mut pushed) = (one(), one(), one());
        fill(&mut joined, 1, 4);
        fill(&mut part, 2, 8);
        fill(&mut pushed, 1, 4);
        fill(&mut pushed, 2, 8);
        joined.append(&part);
        assert_eq!(joined.unpack_aux(), pushed.unpack_aux());
        assert_eq!(joined.inputs(), pushed.inputs());
        assert_eq!(joined.finish(), pushed.finish());
    }

    #[test]
    fn the_bounds_of_a_small_value_are_two_and_two_to_the_64_less_one() {
        let classes: Vec<Value> = values().into_iter().map(Value::classify).collect();
        assert_eq!(
            classes[..4],
            [
                Value::Zero,
                Value::One,
                Value::Small(2),
                Value::Small(u64::MAX)
            ]
        );
        assert!(matches!(classes[4], Value::Full(_)));
        assert!(matches!(classes[5], Value::Full(_)));
    }

    #[test]
    fn an_assignment_must_begin_with_one() {
        assert_eq!(
            WitnessBuilder::new().finish(),
            Err(R1csError::FirstInputNotOne)
        );
        let mut builder = WitnessBuilder::new();
        builder.push_input(Fr::from(3));
        assert_eq!(builder.finish(), Err(R1csError::FirstInputNotOne));
    }
}
