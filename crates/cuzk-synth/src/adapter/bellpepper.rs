use std::cell::OnceCell;

use bellpepper_core as foreign;
use bellpepper_core::SynthesisError as ForeignError;
use cuzk_curve::Fr;

use crate::{
    Assigned, Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};

/// A circuit written for `bellpepper-core` 0.2 over `blstrs::Scalar`.
///
/// Circuits that build parts apart, by `ConstraintSystem::new`, may do so in parallel in the
/// shape, witness and direct passes; the checking pass says that it is not extensible, and
/// such circuits then go the plain way. Both ways give the same matrices and the same
/// witness.
#[derive(Debug, Clone)]
pub struct Bellpepper<C>(pub C);

impl<C: foreign::Circuit<Fr>> Circuit for Bellpepper<C> {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut system = System::over(Target::Whole(cs));
        self.0.synthesize(&mut system).map_err(from_foreign)?;
        system.flush().map_err(from_foreign)
    }
}

/// A constraint system of ours behind `bellpepper-core`'s trait.
struct System<'a, CS> {
    target: Target<'a, CS>,
    /// Values that a gadget was given room for, and that are not yet handed over.
    promised: Assigned,
    /// Whether an input came: a part's first stands for the constant one.
    has_input: bool,
    /// All values, for a gadget that looks at them.
    seen: OnceCell<Assigned>,
    /// What went wrong where the trait cannot say so.
    fault: Option<SynthesisError>,
}

enum Target<'a, CS> {
    /// The pass itself.
    Whole(&'a mut CS),
    /// A part, to be appended; none where the pass takes none.
    Part(Option<CS>),
}

impl<'a, CS: ConstraintSystem> System<'a, CS> {
    fn over(target: Target<'a, CS>) -> Self {
        Self {
            target,
            promised: Assigned::default(),
            has_input: false,
            seen: OnceCell::new(),
            fault: None,
        }
    }

    fn target(&self) -> Option<&CS> {
        match &self.target {
            Target::Whole(cs) => Some(cs),
            Target::Part(cs) => cs.as_ref(),
        }
    }

    fn target_mut(&mut self) -> Result<&mut CS, ForeignError> {
        match &mut self.target {
            Target::Whole(cs) => Ok(cs),
            Target::Part(Some(cs)) => Ok(cs),
            Target::Part(None) => Err(to_foreign(SynthesisError::NotExtensible)),
        }
    }

    /// Hands promised values over and reports what went wrong before.
    #[inline]
    fn flush(&mut self) -> Result<(), ForeignError> {
        if self.seen.get().is_some() {
            self.seen.take();
        }
        if let Some(fault) = self.fault.take() {
            return Err(to_foreign(fault));
        }
        if self.promised.is_empty() {
            return Ok(());
        }
        let promised = std::mem::take(&mut self.promised);
        self.has_input |= !promised.inputs.is_empty();
        let target = self.target_mut()?;
        let done = target.alloc_values(&promised.inputs, &promised.aux);
        done.map_err(to_foreign)
    }

    /// As `flush`, where the trait cannot report.
    fn flush_quietly(&mut self) {
        if let Err(error) = self.flush() {
            self.fault = Some(from_foreign(error));
        }
    }

    fn promise(&mut self, inputs: usize, aux: usize) -> &mut Assigned {
        self.flush_quietly();
        self.promised.inputs.resize(inputs, Fr::default());
        self.promised.aux.resize(aux, Fr::default());
        &mut self.promised
    }

    fn append(&mut self, part: &Self) -> Result<(), ForeignError> {
        self.flush()?;
        let fault = || to_foreign(SynthesisError::NotExtensible);
        let source = part.target().ok_or_else(fault)?;
        if let Some(fault) = &part.fault {
            return Err(to_foreign(SynthesisError::circuit(fault.to_string())));
        }
        let has_one = self.has_input || matches!(self.target, Target::Whole(_));
        self.has_input |= part.has_input || !part.promised.inputs.is_empty();
        let target = self.target_mut()?;
        target.append(source).map_err(to_foreign)?;
        let stand_in = usize::from(has_one && !part.has_input);
        let inputs = part.promised.inputs.get(stand_in..).unwrap_or_default();
        let rest = target.alloc_values(inputs, &part.promised.aux);
        rest.map_err(to_foreign)
    }

    fn seen(&self) -> &Assigned {
        self.seen.get_or_init(|| {
            let mut all = self.target().and_then(ConstraintSystem::assigned);
            let all = all.get_or_insert_default();
            all.inputs.extend_from_slice(&self.promised.inputs);
            all.aux.extend_from_slice(&self.promised.aux);
            std::mem::take(all)
        })
    }
}

impl<CS: ConstraintSystem> foreign::ConstraintSystem<Fr> for System<'_, CS> {
    type Root = Self;

    fn new() -> Self {
        Self::over(Target::Part(CS::detached()))
    }

    #[inline]
    fn alloc<F, A, AR>(&mut self, annotation: A, f: F) -> Result<foreign::Variable, ForeignError>
    where
        F: FnOnce() -> Result<Fr, ForeignError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.flush()?;
        let target = self.target_mut()?;
        let variable = target.alloc(annotation, || f().map_err(from_foreign));
        variable.map(to_foreign_variable).map_err(to_foreign)
    }

    fn alloc_input<F, A, AR>(
        &mut self,
        annotation: A,
        f: F,
    ) -> Result<foreign::Variable, ForeignError>
    where
        F: FnOnce() -> Result<Fr, ForeignError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.flush()?;
        self.has_input = true;
        let target = self.target_mut()?;
        let variable = target.alloc_input(annotation, || f().map_err(from_foreign));
        variable.map(to_foreign_variable).map_err(to_foreign)
    }

    #[inline]
    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(foreign::LinearCombination<Fr>) -> foreign::LinearCombination<Fr>,
        LB: FnOnce(foreign::LinearCombination<Fr>) -> foreign::LinearCombination<Fr>,
        LC: FnOnce(foreign::LinearCombination<Fr>) -> foreign::LinearCombination<Fr>,
    {
        let Ok(target) = self.target_mut() else {
            return;
        };
        target.enforce(
            annotation,
            |sum| translate(sum, a),
            |sum| translate(sum, b),
            |sum| translate(sum, c),
        );
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        if let Ok(target) = self.target_mut() {
            target.push_namespace(name);
        }
    }

    fn pop_namespace(&mut self) {
        if let Ok(target) = self.target_mut() {
            target.pop_namespace();
        }
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }

    fn is_extensible() -> bool {
        CS::detached().is_some()
    }

    fn extend(&mut self, other: &Self) {
        if let Err(error) = self.append(other) {
            self.fault.get_or_insert(from_foreign(error));
        }
    }

    fn is_witness_generator(&self) -> bool {
        self.target().is_some_and(|cs| !cs.wants_constraints())
    }

    fn extend_inputs(&mut self, new_inputs: &[Fr]) {
        let promised = self.promise(new_inputs.len(), 0);
        promised.inputs.copy_from_slice(new_inputs);
    }

    fn extend_aux(&mut self, new_aux: &[Fr]) {
        let promised = self.promise(0, new_aux.len());
        promised.aux.copy_from_slice(new_aux);
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Fr], &mut [Fr]) {
        let promised = self.promise(inputs_n, aux_n);
        (&mut promised.aux, &mut promised.inputs)
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Fr] {
        &mut self.promise(n, 0).inputs
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Fr] {
        &mut self.promise(0, n).aux
    }

    fn inputs_slice(&self) -> &[Fr] {
        &self.seen().inputs
    }

    fn aux_slice(&self) -> &[Fr] {
        &self.seen().aux
    }
}

fn translate(
    mut sum: LinearCombination,
    build: impl FnOnce(foreign::LinearCombination<Fr>) -> foreign::LinearCombination<Fr>,
) -> LinearCombination {
    let terms = build(foreign::LinearCombination::zero());
    sum.extend(terms.iter().map(|(variable, &coefficient)| {
        let index = match variable.get_unchecked() {
            foreign::Index::Input(i) => Index::Input(i),
            foreign::Index::Aux(i) => Index::Aux(i),
        };
        (Variable::new_unchecked(index), coefficient)
    }));
    sum
}

#[inline]
fn to_foreign_variable(variable: Variable) -> foreign::Variable {
    foreign::Variable::new_unchecked(match variable.index() {
        Index::Input(i) => foreign::Index::Input(i),
        Index::Aux(i) => foreign::Index::Aux(i),
    })
}

fn from_foreign(error: ForeignError) -> SynthesisError {
    match error {
        ForeignError::AssignmentMissing => SynthesisError::AssignmentMissing,
        ForeignError::DivisionByZero => SynthesisError::DivisionByZero,
        ForeignError::Unsatisfiable => SynthesisError::Unsatisfiable,
        // An error of ours that went through the circuit comes back as itself.
        ForeignError::IoError(error) => match error.downcast::<SynthesisError>() {
            Ok(own) => own,
            Err(error) => SynthesisError::circuit(ForeignError::IoError(error)),
        },
        other => SynthesisError::circuit(other),
    }
}

fn to_foreign(error: SynthesisError) -> ForeignError {
    match error {
        SynthesisError::AssignmentMissing => ForeignError::AssignmentMissing,
        SynthesisError::DivisionByZero => ForeignError::DivisionByZero,
        SynthesisError::Unsatisfiable => ForeignError::Unsatisfiable,
        SynthesisError::Circuit(error) => match error.downcast::<ForeignError>() {
            Ok(own) => *own,
            Err(error) => wrap(SynthesisError::Circuit(error)),
        },
        other => wrap(other),
    }
}

/// The foreign error has one variant that carries another error.
fn wrap(error: SynthesisError) -> ForeignError {
    ForeignError::IoError(std::io::Error::other(error))
}
