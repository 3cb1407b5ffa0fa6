use cuzk_curve::Fr;
use ff::Field;

use crate::{LinearCombination, SynthesisError, Variable};

/// A computation as a rank-1 constraint system.
pub trait Circuit {
    /// Allocates the circuit's variables and states its constraints.
    ///
    /// Every pass runs this one function. Which variables and constraints it makes must not
    /// depend on values: a key belongs to one shape.
    ///
    /// # Errors
    /// Whatever a value closure or the constraint system reports; a circuit passes it on.
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError>;
}

/// What a circuit asks of a pass.
///
/// A pass calls those closures alone that it has a use for: the shape pass no value closure,
/// the witness pass no closure of `enforce`, and only the checking pass an annotation.
pub trait ConstraintSystem: Sized + Send {
    /// The system below all namespaces.
    type Root: ConstraintSystem;

    /// The constant one.
    #[must_use]
    fn one() -> Variable {
        Variable::ONE
    }

    /// Allocates an auxiliary variable.
    ///
    /// # Errors
    /// What `value` reports, or too many variables.
    fn alloc<V, A, N>(&mut self, annotation: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>;

    /// Allocates a public input.
    ///
    /// # Errors
    /// What `value` reports, or too many variables.
    fn alloc_input<V, A, N>(&mut self, annotation: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>;

    /// Allocates an auxiliary variable whose value is 0 or 1; states no constraint.
    ///
    /// The witness pass stores the bit without a detour through the field.
    ///
    /// # Errors
    /// What `value` reports, or too many variables.
    fn alloc_bit<V, A, N>(&mut self, annotation: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<bool, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.alloc(annotation, || Ok(if value()? { Fr::ONE } else { Fr::ZERO }))
    }

    /// States `a · b = c`.
    ///
    /// Each closure gets the empty linear combination to add to.
    fn enforce<A, N, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination;

    /// Enters a namespace; circuits call [`ConstraintSystem::namespace`], which also leaves it.
    fn push_namespace<A, N>(&mut self, name: A)
    where
        A: FnOnce() -> N,
        N: Into<String>;

    /// Leaves the innermost namespace.
    fn pop_namespace(&mut self);

    /// The system below all namespaces.
    fn root(&mut self) -> &mut Self::Root;

    /// Enters a namespace and leaves it when the result drops.
    fn namespace<A, N>(&mut self, name: A) -> Namespace<'_, Self::Root>
    where
        A: FnOnce() -> N,
        N: Into<String>,
    {
        let root = self.root();
        root.push_namespace(name);
        Namespace { root }
    }

    /// Whether constraints are looked at.
    ///
    /// Where they are not, a gadget may compute its values in bulk and hand them over with
    /// [`ConstraintSystem::alloc_values`].
    fn wants_constraints(&self) -> bool {
        true
    }

    /// Allocates inputs and auxiliary variables with these values.
    ///
    /// # Errors
    /// Too many variables.
    fn alloc_values(&mut self, inputs: &[Fr], aux: &[Fr]) -> Result<(), SynthesisError> {
        for &value in inputs {
            self.alloc_input(|| "", || Ok(value))?;
        }
        for &value in aux {
            self.alloc(|| "", || Ok(value))?;
        }
        Ok(())
    }

    /// The values so far, where the pass holds values.
    fn assigned(&self) -> Option<Assigned> {
        None
    }

    /// An empty system of the same kind for a part of the circuit, to be appended later.
    ///
    /// It holds no variable at all: the part allocates its own input 0, a stand-in for the
    /// constant one. `None` where the pass wants the parts in turn.
    #[must_use]
    fn detached() -> Option<Self> {
        None
    }

    /// Appends a part that was built in a [`ConstraintSystem::detached`] system.
    ///
    /// The result is what the part would have made here: its input 0 is this system's
    /// constant one, its other variables and its constraints follow those already here. A
    /// detached system without an input takes the part's input 0 for its own.
    ///
    /// # Errors
    /// [`SynthesisError::NotExtensible`] where [`ConstraintSystem::detached`] is `None`, and
    /// whatever went wrong in the part.
    fn append(&mut self, _part: &Self) -> Result<(), SynthesisError> {
        Err(SynthesisError::NotExtensible)
    }
}

/// The values of a constraint system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assigned {
    /// Inputs, the constant one first.
    pub inputs: Vec<Fr>,
    /// Auxiliary variables.
    pub aux: Vec<Fr>,
}

impl Assigned {
    /// Whether there is no value at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.aux.is_empty()
    }
}

/// A constraint system inside a namespace; leaves it on drop.
#[derive(Debug)]
pub struct Namespace<'a, Root: ConstraintSystem> {
    root: &'a mut Root,
}

impl<Root: ConstraintSystem> Drop for Namespace<'_, Root> {
    fn drop(&mut self) {
        self.root.pop_namespace();
    }
}

impl<Root: ConstraintSystem> ConstraintSystem for Namespace<'_, Root> {
    type Root = Root::Root;

    #[inline]
    fn alloc<V, A, N>(&mut self, annotation: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.root.alloc(annotation, value)
    }

    fn alloc_input<V, A, N>(&mut self, annotation: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.root.alloc_input(annotation, value)
    }

    #[inline]
    fn alloc_bit<V, A, N>(&mut self, annotation: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<bool, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.root.alloc_bit(annotation, value)
    }

    #[inline]
    fn enforce<A, N, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination,
    {
        self.root.enforce(annotation, a, b, c);
    }

    fn push_namespace<A, N>(&mut self, name: A)
    where
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.root.push_namespace(name);
    }

    fn pop_namespace(&mut self) {
        self.root.pop_namespace();
    }

    #[inline]
    fn root(&mut self) -> &mut Self::Root {
        self.root.root()
    }

    fn wants_constraints(&self) -> bool {
        self.root.wants_constraints()
    }

    fn alloc_values(&mut self, inputs: &[Fr], aux: &[Fr]) -> Result<(), SynthesisError> {
        self.root.alloc_values(inputs, aux)
    }

    fn assigned(&self) -> Option<Assigned> {
        self.root.assigned()
    }
}
