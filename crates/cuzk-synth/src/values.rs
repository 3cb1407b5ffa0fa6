use cuzk_curve::Fr;
use ff::Field;

use crate::system::Assigned;
use crate::{Index, Variable};

/// The values of a pass that evaluates linear combinations.
pub(crate) struct Values {
    pub(crate) inputs: Vec<Fr>,
    pub(crate) aux: Vec<Fr>,
    minus_one: Fr,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            aux: Vec::new(),
            minus_one: -Fr::ONE,
        }
    }
}

impl Values {
    pub(crate) fn push_aux(&mut self, value: Fr) -> Variable {
        self.aux.push(value);
        Variable::new_unchecked(Index::Aux(self.aux.len() - 1))
    }

    pub(crate) fn push_input(&mut self, value: Fr) -> Variable {
        self.inputs.push(value);
        Variable::new_unchecked(Index::Input(self.inputs.len() - 1))
    }

    #[inline]
    fn get(&self, variable: Variable) -> Option<Fr> {
        match variable.index() {
            Index::Input(i) => self.inputs.get(i).copied(),
            Index::Aux(i) => self.aux.get(i).copied(),
        }
    }

    /// The value of a sum; `None` where a variable does not exist.
    #[inline]
    pub(crate) fn evaluate(&self, terms: &[(Variable, Fr)]) -> Option<Fr> {
        let mut sum = Fr::ZERO;
        for &(variable, coefficient) in terms {
            let value = self.get(variable)?;
            if value == Fr::ZERO {
                continue;
            }
            if coefficient == Fr::ONE {
                sum += value;
            } else if value == Fr::ONE {
                sum += coefficient;
            } else if coefficient == self.minus_one {
                sum -= value;
            } else {
                sum += coefficient * value;
            }
        }
        Some(sum)
    }

    pub(crate) fn assigned(&self) -> Assigned {
        Assigned {
            inputs: self.inputs.clone(),
            aux: self.aux.clone(),
        }
    }
}
