//! What `bellman` and `bellperson` do while a circuit is synthesized for a proof: their own
//! recorders are private, so these do the same work through the public traits.

/// Stamps a recorder of one library.
macro_rules! recorder {
    ($module:ident, $library:ident, $scalar:ty, $combination:ident => $terms:expr) => {
        pub(crate) mod $module {
            use ff::Field;
            use $library::{
                Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
                multiexp::DensityTracker,
            };

            type Fr = $scalar;

            /// Assignment, evaluations and densities: all that a proof needs.
            pub(crate) struct Recorder {
                inputs: Vec<Fr>,
                aux: Vec<Fr>,
                a: Vec<Fr>,
                b: Vec<Fr>,
                c: Vec<Fr>,
                a_aux: DensityTracker,
                b_inputs: DensityTracker,
                b_aux: DensityTracker,
            }

            /// Synthesizes a circuit as the library's prover does.
            pub(crate) fn record(circuit: impl Circuit<Fr>) -> Result<Recorder, SynthesisError> {
                let mut recorder = Recorder {
                    inputs: Vec::new(),
                    aux: Vec::new(),
                    a: Vec::new(),
                    b: Vec::new(),
                    c: Vec::new(),
                    a_aux: DensityTracker::new(),
                    b_inputs: DensityTracker::new(),
                    b_aux: DensityTracker::new(),
                };
                recorder.alloc_input(|| "", || Ok(Fr::ONE))?;
                circuit.synthesize(&mut recorder)?;
                for i in 0..recorder.inputs.len() {
                    let input = Variable::new_unchecked(Index::Input(i));
                    recorder.enforce(|| "", |lc| lc + input, |lc| lc, |lc| lc);
                }
                Ok(recorder)
            }

            fn evaluate(
                combination: &LinearCombination<Fr>,
                inputs: &[Fr],
                aux: &[Fr],
                input_density: &mut Option<&mut DensityTracker>,
                aux_density: &mut Option<&mut DensityTracker>,
            ) -> Fr {
                let mut sum = Fr::ZERO;
                let $combination = combination;
                for (variable, coefficient) in $terms {
                    if coefficient.is_zero_vartime() {
                        continue;
                    }
                    let value = match variable.get_unchecked() {
                        Index::Input(i) => {
                            input_density.iter_mut().for_each(|density| density.inc(i));
                            inputs[i]
                        }
                        Index::Aux(i) => {
                            aux_density.iter_mut().for_each(|density| density.inc(i));
                            aux[i]
                        }
                    };
                    sum += if coefficient == Fr::ONE {
                        value
                    } else {
                        value * coefficient
                    };
                }
                sum
            }

            impl ConstraintSystem<Fr> for Recorder {
                type Root = Self;

                fn alloc<F, A, N>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
                where
                    F: FnOnce() -> Result<Fr, SynthesisError>,
                    A: FnOnce() -> N,
                    N: Into<String>,
                {
                    self.aux.push(value()?);
                    self.a_aux.add_element();
                    self.b_aux.add_element();
                    Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
                }

                fn alloc_input<F, A, N>(
                    &mut self,
                    _: A,
                    value: F,
                ) -> Result<Variable, SynthesisError>
                where
                    F: FnOnce() -> Result<Fr, SynthesisError>,
                    A: FnOnce() -> N,
                    N: Into<String>,
                {
                    self.inputs.push(value()?);
                    self.b_inputs.add_element();
                    Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
                }

                fn enforce<A, N, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
                where
                    A: FnOnce() -> N,
                    N: Into<String>,
                    LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
                    LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
                    LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
                {
                    let zero = LinearCombination::zero;
                    let (inputs, aux) = (&self.inputs, &self.aux);
                    let in_aux = &mut Some(&mut self.a_aux);
                    self.a
                        .push(evaluate(&a(zero()), inputs, aux, &mut None, in_aux));
                    let in_inputs = &mut Some(&mut self.b_inputs);
                    let in_aux = &mut Some(&mut self.b_aux);
                    self.b
                        .push(evaluate(&b(zero()), inputs, aux, in_inputs, in_aux));
                    self.c
                        .push(evaluate(&c(zero()), inputs, aux, &mut None, &mut None));
                }

                fn push_namespace<N, A>(&mut self, _: A)
                where
                    N: Into<String>,
                    A: FnOnce() -> N,
                {
                }

                fn pop_namespace(&mut self) {}

                fn get_root(&mut self) -> &mut Self {
                    self
                }
            }
        }
    };
}

recorder!(of_bellman, bellman, bls12_381::Scalar, lc => lc.as_ref().iter().copied());
recorder!(of_bellperson, bellperson, blstrs::Scalar, lc => lc.iter().map(|(v, &c)| (v, c)));
