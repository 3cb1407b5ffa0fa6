use std::mem;

use cuzk_curve::Fr;
use cuzk_r1cs::{CsrBuilder, R1csError, Shape};

use crate::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// The matrices of a circuit; no value closure is called.
///
/// The convention is that of `bellman`'s generator: terms of one variable in a row merge,
/// zero coefficients drop, empty rows stay, and after the constraints comes a row
/// `input_i · 0 = 0` for each input.
///
/// # Errors
/// What the circuit reports, or a system too large for 32-bit columns.
#[tracing::instrument(level = "debug", name = "shape_pass", skip_all)]
pub fn shape<C: Circuit>(circuit: C) -> Result<Shape, SynthesisError> {
    let mut pass = ShapePass::default();
    pass.alloc_input(|| "one", || Err(SynthesisError::AssignmentMissing))?;
    circuit.synthesize(&mut pass)?;
    pass.finish()
}

/// Where auxiliary columns begin while the number of inputs is not known yet.
///
/// Inputs stay below, so that the final numbering keeps the order of columns.
const FIRST_AUX: usize = 1 << 31;

#[derive(Default)]
struct ShapePass {
    num_inputs: usize,
    num_aux: usize,
    a: CsrBuilder,
    b: CsrBuilder,
    c: CsrBuilder,
    row: Vec<(usize, Fr)>,
    fault: Option<R1csError>,
}

fn column(variable: Variable) -> usize {
    match variable.index() {
        Index::Input(i) if i < FIRST_AUX => i,
        Index::Aux(i) => FIRST_AUX.saturating_add(i),
        // Out of range on purpose: the builder refuses it.
        Index::Input(_) => usize::MAX,
    }
}

impl ShapePass {
    fn push(
        &mut self,
        matrix: fn(&mut Self) -> &mut CsrBuilder,
        build: impl FnOnce(LinearCombination) -> LinearCombination,
    ) {
        let sum = build(LinearCombination::zero());
        let mut row = mem::take(&mut self.row);
        row.clear();
        row.extend(sum.terms().iter().map(|&(v, c)| (column(v), c)));
        if let Err(fault) = matrix(self).push_row(&mut row) {
            self.fault.get_or_insert(fault);
        }
        self.row = row;
    }

    fn finish(mut self) -> Result<Shape, SynthesisError> {
        for i in 0..self.num_inputs {
            let input = Variable::new_unchecked(Index::Input(i));
            self.enforce(|| "input", |sum| sum + input, |sum| sum, |sum| sum);
        }
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        let (inputs, columns) = (self.num_inputs, self.num_inputs + self.num_aux);
        let [a, b, c] = [self.a, self.b, self.c].map(|mut matrix| {
            matrix.renumber(|temporary| match temporary as usize {
                input if input < inputs => temporary,
                aux if aux >= FIRST_AUX && aux - FIRST_AUX < columns - inputs => {
                    (aux - FIRST_AUX + inputs) as u32
                }
                _ => u32::MAX,
            });
            matrix.finish(columns).map_err(|fault| match fault {
                R1csError::Column { row, .. } => {
                    SynthesisError::UnknownVariable { constraint: row }
                }
                other => other.into(),
            })
        });
        Ok(Shape::new(inputs, a?, b?, c?)?)
    }
}

fn next(count: &mut usize, what: &'static str) -> Result<usize, SynthesisError> {
    // Together both kinds stay below `u32::MAX`, which marks a variable that does not exist.
    if *count >= FIRST_AUX - 1 {
        return Err(R1csError::TooMany {
            what,
            max: FIRST_AUX as u64 - 1,
            got: *count as u64 + 1,
        }
        .into());
    }
    *count += 1;
    Ok(*count - 1)
}

impl ConstraintSystem for ShapePass {
    type Root = Self;

    fn alloc<V, A, N>(&mut self, _: A, _: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let index = next(&mut self.num_aux, "auxiliary variables")?;
        Ok(Variable::new_unchecked(Index::Aux(index)))
    }

    fn alloc_input<V, A, N>(&mut self, _: A, _: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let index = next(&mut self.num_inputs, "inputs")?;
        Ok(Variable::new_unchecked(Index::Input(index)))
    }

    fn enforce<A, N, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination,
    {
        self.push(|pass| &mut pass.a, a);
        self.push(|pass| &mut pass.b, b);
        self.push(|pass| &mut pass.c, c);
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

    fn detached() -> Option<Self> {
        Some(Self::default())
    }

    fn append(&mut self, part: &Self) -> Result<(), SynthesisError> {
        if let Some(fault) = &part.fault {
            return Err(fault.clone().into());
        }
        // A system without the constant one takes the part's stand-in for its own.
        let own_one = self.num_inputs.min(1);
        let (inputs, aux) = (self.num_inputs - own_one, self.num_aux);
        let renumber = |column: u32| match column as usize {
            0 => 0,
            input if input < FIRST_AUX => column.saturating_add(inputs as u32),
            _ => column.saturating_add(aux as u32),
        };
        for _ in own_one..part.num_inputs {
            next(&mut self.num_inputs, "inputs")?;
        }
        for _ in 0..part.num_aux {
            next(&mut self.num_aux, "auxiliary variables")?;
        }
        self.a.append(&part.a, renumber);
        self.b.append(&part.b, renumber);
        self.c.append(&part.c, renumber);
        Ok(())
    }
}
