use cuzk_curve::Fr;
use cuzk_r1cs::{Densities, PackedWitness, WitnessBuilder};
use ff::Field;

use crate::density::Density;
use crate::system::Assigned;
use crate::values::Values;
use crate::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};

/// How a direct pass allocates.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DirectOptions {
    /// Room to reserve before the pass; by default none.
    ///
    /// Without it the vectors grow by doubling. Alone on a machine, reserving the exact sizes
    /// saved 0 to 27 % of the processor time of a pass (`synthesis-passes.json` in
    /// `benchmarks/record`). It is off because a pass alone is not what it is for: many passes
    /// at once that reserve and fill all their memory together are known to have cost a proof
    /// more than the growth they saved, and a guess that is too large is kept until the end.
    pub capacity: Option<Capacity>,
    /// Whether a linear combination holds its first terms itself; otherwise it is given memory
    /// for them, as a `Vec` is. Combinations that a circuit makes of its own, and parts that are
    /// synthesized apart, hold them in either case.
    pub inline_terms: bool,
}

impl Default for DirectOptions {
    fn default() -> Self {
        Self {
            capacity: None,
            inline_terms: true,
        }
    }
}

/// Sizes that a circuit is expected to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Constraints, and a row for each input besides.
    pub constraints: usize,
    /// Auxiliary variables.
    pub aux: usize,
}

impl DirectOptions {
    /// Reserves room for a circuit of known size.
    #[must_use]
    pub fn with_capacity(mut self, capacity: Capacity) -> Self {
        self.capacity = Some(capacity);
        self
    }

    /// Sets [`DirectOptions::inline_terms`].
    #[must_use]
    pub fn with_inline_terms(mut self, inline_terms: bool) -> Self {
        self.inline_terms = inline_terms;
        self
    }
}

/// Everything a proof needs of one synthesis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluations {
    /// `A · w`: constraints, then the inputs' rows, where it is the input itself.
    pub a: Vec<Fr>,
    /// `B · w`, of the same length, zero in the inputs' rows.
    pub b: Vec<Fr>,
    /// `C · w`, of the same length, zero in the inputs' rows.
    pub c: Vec<Fr>,
    /// The assignment.
    pub witness: PackedWitness,
    /// Which variables the queries of a key hold.
    pub densities: Densities,
}

/// Values of the three linear combinations of every constraint, and the assignment, in one
/// pass without matrices.
///
/// For a proof of a circuit whose shape is not kept. Satisfaction is not checked.
///
/// # Errors
/// What the circuit reports.
#[tracing::instrument(level = "debug", name = "direct_pass", skip_all, fields(
    reserved = options.capacity.map_or(0, |capacity| capacity.constraints),
    inline_terms = if options.inline_terms { crate::combination::INLINE_TERMS } else { 0 },
))]
pub fn direct<C: Circuit>(
    circuit: C,
    options: &DirectOptions,
) -> Result<Evaluations, SynthesisError> {
    let mut pass = DirectPass {
        terms_on_heap: !options.inline_terms,
        ..DirectPass::default()
    };
    if let Some(capacity) = options.capacity {
        pass.values.aux.reserve(capacity.aux);
        for values in &mut pass.evaluations {
            values.reserve(capacity.constraints);
        }
    }
    pass.alloc_input(|| "one", || Ok(Fr::ONE))?;
    circuit.synthesize(&mut pass)?;
    pass.finish()
}

#[derive(Default)]
struct DirectPass {
    values: Values,
    evaluations: [Vec<Fr>; 3],
    a_density: Density,
    b_density: Density,
    unknown: Option<usize>,
    terms_on_heap: bool,
}

#[derive(Clone, Copy)]
enum Side {
    A,
    B,
    C,
}

impl DirectPass {
    #[inline]
    fn push(&mut self, side: Side, build: impl FnOnce(LinearCombination) -> LinearCombination) {
        let sum = build(match self.terms_on_heap {
            false => LinearCombination::zero(),
            true => LinearCombination::on_heap(),
        });
        let terms = sum.terms();
        let value = self.values.evaluate(terms);
        if value.is_none() {
            let constraint = self.evaluations[side as usize].len();
            self.unknown.get_or_insert(constraint);
        }
        self.evaluations[side as usize].push(value.unwrap_or(Fr::ZERO));
        let density = match side {
            Side::A => Some(&mut self.a_density),
            Side::B => Some(&mut self.b_density),
            Side::C => None,
        };
        if let Some(density) = density {
            density.grow(self.values.inputs.len(), self.values.aux.len());
            density.mark(terms);
        }
    }

    fn finish(self) -> Result<Evaluations, SynthesisError> {
        if let Some(constraint) = self.unknown {
            return Err(SynthesisError::UnknownVariable { constraint });
        }
        let (inputs, aux) = (&self.values.inputs, &self.values.aux);
        let [a_density, b_density] = [self.a_density, self.b_density].map(|mut density| {
            density.grow(inputs.len(), aux.len());
            density
        });
        let mut densities = Densities {
            // All inputs are in the A query, by their rows.
            a: inputs.iter().map(|_| true).collect(),
            b: b_density.inputs,
        };
        densities.a.extend(&a_density.aux);
        densities.b.extend(&b_density.aux);
        let [mut a, mut b, mut c] = self.evaluations;
        a.extend_from_slice(inputs);
        b.resize(a.len(), Fr::ZERO);
        c.resize(a.len(), Fr::ZERO);
        let mut witness = WitnessBuilder::new();
        inputs.iter().for_each(|&v| witness.push_input(v));
        aux.iter().for_each(|&v| witness.push_aux(v));
        Ok(Evaluations {
            a,
            b,
            c,
            witness: witness.finish()?,
            densities,
        })
    }
}

impl ConstraintSystem for DirectPass {
    type Root = Self;

    #[inline]
    fn alloc<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        Ok(self.values.push_aux(value()?))
    }

    fn alloc_input<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        Ok(self.values.push_input(value()?))
    }

    #[inline]
    fn enforce<A, N, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination,
    {
        self.push(Side::A, a);
        self.push(Side::B, b);
        self.push(Side::C, c);
    }

    fn push_namespace<A, N>(&mut self, _: A)
    where
        A: FnOnce() -> N,
        N: Into<String>,
    {
    }

    fn pop_namespace(&mut self) {}

    fn root(&mut self) -> &mut Self {
        self
    }

    fn assigned(&self) -> Option<Assigned> {
        Some(self.values.assigned())
    }

    fn detached() -> Option<Self> {
        Some(Self::default())
    }

    fn append(&mut self, part: &Self) -> Result<(), SynthesisError> {
        let rows = self.evaluations[0].len();
        if let Some(constraint) = part.unknown {
            self.unknown.get_or_insert(rows + constraint);
        }
        let (inputs, aux) = (self.values.inputs.len(), self.values.aux.len());
        self.a_density.append(inputs, aux, &part.a_density);
        self.b_density.append(inputs, aux, &part.b_density);
        for (own, other) in self.evaluations.iter_mut().zip(&part.evaluations) {
            own.extend_from_slice(other);
        }
        self.values.aux.extend_from_slice(&part.values.aux);
        // A system without the constant one takes the part's stand-in for its own.
        let inputs = part.values.inputs.iter().skip(inputs.min(1));
        self.values.inputs.extend(inputs);
        Ok(())
    }
}
