use cuzk_curve::Fr;
use cuzk_r1cs::{PackedWitness, WitnessBuilder};
use ff::Field;

use crate::system::Assigned;
use crate::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// The assignment of a circuit; no closure of `enforce` is called.
///
/// The constraints are not looked at: see [`crate::check`].
///
/// # Errors
/// What the circuit reports.
#[tracing::instrument(level = "debug", name = "witness_pass", skip_all)]
pub fn witness<C: Circuit>(circuit: C) -> Result<PackedWitness, SynthesisError> {
    let mut pass = WitnessPass::default();
    pass.alloc_input(|| "one", || Ok(Fr::ONE))?;
    circuit.synthesize(&mut pass)?;
    Ok(pass.values.finish()?)
}

#[derive(Default)]
struct WitnessPass {
    values: WitnessBuilder,
}

impl ConstraintSystem for WitnessPass {
    type Root = Self;

    #[inline]
    fn alloc<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let index = self.values.num_aux();
        self.values.push_aux(value()?);
        Ok(Variable::new_unchecked(Index::Aux(index)))
    }

    fn alloc_input<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let index = self.values.num_inputs();
        self.values.push_input(value()?);
        Ok(Variable::new_unchecked(Index::Input(index)))
    }

    #[inline]
    fn alloc_bit<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<bool, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let index = self.values.num_aux();
        self.values.push_bit(value()?);
        Ok(Variable::new_unchecked(Index::Aux(index)))
    }

    #[inline]
    fn enforce<A, N, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination,
    {
    }

    #[inline]
    fn push_namespace<A, N>(&mut self, _: A)
    where
        A: FnOnce() -> N,
        N: Into<String>,
    {
    }

    #[inline]
    fn pop_namespace(&mut self) {}

    #[inline]
    fn root(&mut self) -> &mut Self {
        self
    }

    fn wants_constraints(&self) -> bool {
        false
    }

    fn alloc_values(&mut self, inputs: &[Fr], aux: &[Fr]) -> Result<(), SynthesisError> {
        inputs.iter().for_each(|&v| self.values.push_input(v));
        aux.iter().for_each(|&v| self.values.push_aux(v));
        Ok(())
    }

    fn assigned(&self) -> Option<Assigned> {
        Some(Assigned {
            inputs: self.values.inputs().to_vec(),
            aux: self.values.unpack_aux(),
        })
    }

    fn detached() -> Option<Self> {
        Some(Self::default())
    }

    fn append(&mut self, part: &Self) -> Result<(), SynthesisError> {
        self.values.append(&part.values);
        Ok(())
    }
}
