use crate::scalar::Scalar;

/// A linear combination in the making.
pub(crate) trait Terms<F, V>: Sized {
    /// Adds `coefficient · variable`.
    fn plus(self, coefficient: F, variable: V) -> Self;
}

/// What a circuit asks of a constraint system: the part that all the provers' own traits
/// have in common.
pub(crate) trait System {
    type Scalar: Scalar;
    type Variable: Copy;
    type Terms: Terms<Self::Scalar, Self::Variable>;
    type Error: std::error::Error + Send + Sync + 'static;

    /// The constant one.
    fn one() -> Self::Variable;

    /// Allocates an auxiliary variable.
    fn alloc(
        &mut self,
        value: impl FnOnce() -> Self::Scalar,
    ) -> Result<Self::Variable, Self::Error>;

    /// Allocates an auxiliary variable that is 0 or 1.
    fn alloc_bit(&mut self, value: impl FnOnce() -> bool) -> Result<Self::Variable, Self::Error> {
        self.alloc(|| Self::Scalar::from_bit(value()))
    }

    /// Allocates a public input.
    fn alloc_input(
        &mut self,
        value: impl FnOnce() -> Self::Scalar,
    ) -> Result<Self::Variable, Self::Error>;

    /// States `a · b = c`.
    fn enforce(
        &mut self,
        a: impl FnOnce(Self::Terms) -> Self::Terms,
        b: impl FnOnce(Self::Terms) -> Self::Terms,
        c: impl FnOnce(Self::Terms) -> Self::Terms,
    ) -> Result<(), Self::Error>;
}

/// One description of a circuit, with its witness, that every prover synthesizes through its
/// own trait: the constraints and variables are the same for all by construction.
pub(crate) trait Circuit: Clone + Send {
    /// Allocates the variables and states the constraints.
    fn synthesize<S: System>(&self, system: &mut S) -> Result<(), S::Error>;

    /// The public inputs, without the constant one.
    fn public_inputs<F: Scalar>(&self) -> Vec<F>;
}
