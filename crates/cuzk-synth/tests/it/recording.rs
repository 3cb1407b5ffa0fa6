//! A constraint system that writes everything down as it comes: the oracle of the passes.

use std::collections::BTreeMap;

use cuzk_curve::Fr;
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::{
    Circuit, ConstraintSystem, DirectOptions, Evaluations, Index, LinearCombination,
    SynthesisError, Variable,
};
use ff::{Field, PrimeField};

/// Variables and constraints in the order in which they came, input 0 included.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    inputs: Vec<Fr>,
    aux: Vec<Fr>,
    rows: Vec<[Vec<(Index, Fr)>; 3]>,
}

impl Recording {
    pub(crate) fn new() -> Self {
        Self {
            inputs: vec![Fr::ONE],
            ..Self::default()
        }
    }

    pub(crate) fn input(&mut self, value: Fr) -> usize {
        self.inputs.push(value);
        self.inputs.len() - 1
    }

    pub(crate) fn aux(&mut self, value: Fr) -> usize {
        self.aux.push(value);
        self.aux.len() - 1
    }

    pub(crate) fn row(&mut self, row: [Vec<(Index, Fr)>; 3]) {
        self.rows.push(row);
    }

    fn column(&self, index: Index) -> usize {
        match index {
            Index::Input(i) => i,
            Index::Aux(i) => self.inputs.len() + i,
        }
    }

    fn values(&self) -> Vec<Fr> {
        [self.inputs.clone(), self.aux.clone()].concat()
    }

    /// The rows of one side, merged and without zeros, and those of the inputs.
    fn matrix(&self, side: usize) -> Vec<Vec<(usize, Fr)>> {
        let rows = self.rows.iter().map(|row| {
            let mut merged: BTreeMap<usize, Fr> = BTreeMap::new();
            for &(index, coefficient) in &row[side] {
                *merged.entry(self.column(index)).or_insert(Fr::ZERO) += coefficient;
            }
            let terms = merged.into_iter().filter(|term| term.1 != Fr::ZERO);
            terms.collect()
        });
        let inputs = (0..self.inputs.len()).map(|i| match side {
            0 => vec![(i, Fr::ONE)],
            _ => vec![],
        });
        rows.chain(inputs).collect()
    }

    pub(crate) fn assert_shape(&self, shape: &Shape) {
        assert_eq!(shape.num_inputs(), self.inputs.len());
        assert_eq!(shape.num_aux(), self.aux.len());
        assert_eq!(shape.num_constraints(), self.rows.len());
        for (side, matrix) in [shape.a(), shape.b(), shape.c()].into_iter().enumerate() {
            let expected = self.matrix(side);
            assert_eq!(matrix.rows(), expected.len());
            assert_eq!(matrix.columns(), self.inputs.len() + self.aux.len());
            for (i, row) in expected.iter().enumerate() {
                let terms: Vec<_> = matrix.row_terms(i).collect();
                assert_eq!(&terms, row, "row {i} of matrix {side}");
            }
        }
    }

    pub(crate) fn assert_witness(&self, witness: &PackedWitness) {
        assert_eq!(witness.num_inputs(), self.inputs.len());
        assert_eq!(witness.unpack(), self.values());
    }

    pub(crate) fn assert_evaluations(&self, found: &Evaluations) {
        self.assert_witness(&found.witness);
        let values = self.values();
        let sides = [&found.a, &found.b, &found.c];
        let mut used = [vec![], vec![]];
        for (side, found) in sides.into_iter().enumerate() {
            let matrix = self.matrix(side);
            let row = |row: &Vec<(usize, Fr)>| row.iter().map(|&(j, k)| values[j] * k).sum();
            let expected: Vec<Fr> = matrix.iter().map(row).collect();
            assert_eq!(found, &expected, "side {side}");
            if let Some(used) = used.get_mut(side) {
                let columns = matrix.iter().flatten().map(|term| term.0);
                *used = columns.collect();
                used.sort_unstable();
                used.dedup();
            }
        }
        let [a, b] = used;
        assert_eq!(found.densities.a.ones().collect::<Vec<_>>(), a);
        assert_eq!(found.densities.b.ones().collect::<Vec<_>>(), b);
    }

    /// Whether matrices, witness and evaluations of a circuit are the recorded ones.
    pub(crate) fn assert_passes<C: Circuit + Clone>(&self, circuit: &C) {
        let shape = cuzk_synth::shape(circuit.clone()).expect("the shape pass succeeds");
        self.assert_shape(&shape);
        let witness = cuzk_synth::witness(circuit.clone()).expect("the witness pass succeeds");
        self.assert_witness(&witness);
        let options = DirectOptions::default();
        let found = cuzk_synth::direct(circuit.clone(), &options).expect("the pass succeeds");
        self.assert_evaluations(&found);
        assert_eq!(&found.densities, shape.densities());
        assert_eq!(found.witness, witness);
        let counts = cuzk_synth::check(circuit.clone()).expect("the circuit is satisfied");
        assert_eq!(counts.constraints, self.rows.len());
        assert_eq!(counts.inputs, self.inputs.len());
        assert_eq!(counts.aux, self.aux.len());
    }
}

impl ConstraintSystem for Recording {
    type Root = Self;

    fn alloc<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let value = value()?;
        Ok(Variable::new_unchecked(Index::Aux(self.aux(value))))
    }

    fn alloc_input<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let value = value()?;
        Ok(Variable::new_unchecked(Index::Input(self.input(value))))
    }

    fn enforce<A, N, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination,
    {
        let zero = LinearCombination::zero;
        let row = [a(zero()), b(zero()), c(zero())];
        let side = |sum: LinearCombination| {
            let terms = sum.terms().iter();
            terms.map(|&(v, k)| (v.index(), k)).collect()
        };
        self.row(row.map(side));
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
}

/// The same element, by its canonical bytes.
pub(crate) fn same<S: PrimeField, T: PrimeField>(value: &S) -> T {
    let mut repr = T::Repr::default();
    repr.as_mut().copy_from_slice(value.to_repr().as_ref());
    T::from_repr(repr).expect("fields of one modulus")
}

impl<S: PrimeField> bellman::ConstraintSystem<S> for Recording {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Result<bellman::Variable, bellman::SynthesisError>
    where
        F: FnOnce() -> Result<S, bellman::SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let index = self.aux(same(&f()?));
        Ok(bellman::Variable::new_unchecked(bellman::Index::Aux(index)))
    }

    fn alloc_input<F, A, AR>(
        &mut self,
        _: A,
        f: F,
    ) -> Result<bellman::Variable, bellman::SynthesisError>
    where
        F: FnOnce() -> Result<S, bellman::SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let index = self.input(same(&f()?));
        Ok(bellman::Variable::new_unchecked(bellman::Index::Input(
            index,
        )))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
        LB: FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
        LC: FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
    {
        let zero = bellman::LinearCombination::zero;
        let row = [a(zero()), b(zero()), c(zero())];
        self.row(row.map(|sum| {
            let terms = sum.as_ref().iter().map(|(variable, coefficient)| {
                let index = match variable.get_unchecked() {
                    bellman::Index::Input(i) => Index::Input(i),
                    bellman::Index::Aux(i) => Index::Aux(i),
                };
                (index, same(coefficient))
            });
            terms.collect()
        }));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
