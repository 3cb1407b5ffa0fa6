use cuzk_curve::Fr;
use cuzk_synth::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// Variables with coefficients, in the order in which a circuit adds them.
pub type Terms = Vec<(Variable, Fr)>;

/// One thing that a circuit does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Allocates a public input of this value.
    Input(Fr),
    /// Allocates an auxiliary variable of this value.
    Aux(Fr),
    /// States `terms[0] · terms[1] = terms[2]`.
    Constraint(Box<[Terms; 3]>),
}

/// A circuit as a list of steps, which any constraint system of any crate can be led through.
///
/// Variables are numbered in order of their allocation, each kind from zero; input 0 is the
/// constant one, which no step allocates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// What happens, in order.
    pub steps: Vec<Step>,
}

impl Program {
    /// Inputs, the constant one among them.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        1 + self.count(|step| matches!(step, Step::Input(_)))
    }

    /// Auxiliary variables.
    #[must_use]
    pub fn num_aux(&self) -> usize {
        self.count(|step| matches!(step, Step::Aux(_)))
    }

    /// Constraints, without the rows of the inputs.
    #[must_use]
    pub fn num_constraints(&self) -> usize {
        self.count(|step| matches!(step, Step::Constraint(_)))
    }

    /// The public inputs, without the constant one.
    #[must_use]
    pub fn public_inputs(&self) -> Vec<Fr> {
        let inputs = self.steps.iter().filter_map(|step| match step {
            Step::Input(value) => Some(*value),
            Step::Aux(_) | Step::Constraint(_) => None,
        });
        inputs.collect()
    }

    fn count(&self, which: impl Fn(&Step) -> bool) -> usize {
        self.steps.iter().filter(|step| which(step)).count()
    }
}

impl Circuit for &Program {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Input(value) => {
                    cs.alloc_input(|| format!("input at step {number}"), || Ok(*value))?;
                }
                Step::Aux(value) => {
                    cs.alloc(|| format!("variable at step {number}"), || Ok(*value))?;
                }
                Step::Constraint(sides) => {
                    let [a, b, c] = sides.as_ref();
                    let mut cs = cs.namespace(|| format!("step {number}"));
                    cs.enforce(
                        || "row",
                        |sum| add(sum, a),
                        |sum| add(sum, b),
                        |sum| add(sum, c),
                    );
                }
            }
        }
        Ok(())
    }
}

fn add(sum: LinearCombination, terms: &Terms) -> LinearCombination {
    terms.iter().fold(sum, |sum, &(variable, coefficient)| {
        sum + (coefficient, variable)
    })
}

/// Keeps the values of a program that is being written.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) steps: Vec<Step>,
    inputs: Vec<Fr>,
    aux: Vec<Fr>,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            steps: Vec::new(),
            inputs: vec![Fr::from(1)],
            aux: Vec::new(),
        }
    }

    pub(super) fn input(&mut self, value: Fr) -> Variable {
        self.steps.push(Step::Input(value));
        self.inputs.push(value);
        Variable::new_unchecked(Index::Input(self.inputs.len() - 1))
    }

    pub(super) fn aux(&mut self, value: Fr) -> Variable {
        self.steps.push(Step::Aux(value));
        self.aux.push(value);
        Variable::new_unchecked(Index::Aux(self.aux.len() - 1))
    }

    pub(super) fn constraint(&mut self, a: Terms, b: Terms, c: Terms) {
        self.steps.push(Step::Constraint(Box::new([a, b, c])));
    }

    /// The `number`-th variable allocated, counting inputs first.
    pub(super) fn variable(&self, number: usize) -> Variable {
        Variable::new_unchecked(if number < self.inputs.len() {
            Index::Input(number)
        } else {
            Index::Aux(number - self.inputs.len())
        })
    }

    pub(super) fn num_variables(&self) -> usize {
        self.inputs.len() + self.aux.len()
    }

    pub(super) fn value(&self, terms: &Terms) -> Fr {
        let values = terms
            .iter()
            .map(|&(variable, coefficient)| match variable.index() {
                Index::Input(i) => self.inputs[i] * coefficient,
                Index::Aux(i) => self.aux[i] * coefficient,
            });
        values.sum()
    }
}
