//! `bellman` and `bellperson` have one ancestor and one shape of constraint system; what
//! binds this program's circuits to it is written once.

/// Stamps the binding of [`crate::system::System`] to a library's constraint system.
macro_rules! bind {
    ($library:ident, $scalar:ty, $adapter:ident) => {
        struct OnSystem<'a, CS>(&'a mut CS);

        impl $crate::system::Terms<$scalar, $library::Variable>
            for $library::LinearCombination<$scalar>
        {
            fn plus(self, coefficient: $scalar, variable: $library::Variable) -> Self {
                self + (coefficient, variable)
            }
        }

        impl<CS: $library::ConstraintSystem<$scalar>> $crate::system::System for OnSystem<'_, CS> {
            type Scalar = $scalar;
            type Variable = $library::Variable;
            type Terms = $library::LinearCombination<$scalar>;
            type Error = $library::SynthesisError;

            fn one() -> Self::Variable {
                CS::one()
            }

            fn alloc(
                &mut self,
                value: impl FnOnce() -> $scalar,
            ) -> Result<Self::Variable, Self::Error> {
                self.0.alloc(|| "", || Ok(value()))
            }

            fn alloc_input(
                &mut self,
                value: impl FnOnce() -> $scalar,
            ) -> Result<Self::Variable, Self::Error> {
                self.0.alloc_input(|| "", || Ok(value()))
            }

            fn enforce(
                &mut self,
                a: impl FnOnce(Self::Terms) -> Self::Terms,
                b: impl FnOnce(Self::Terms) -> Self::Terms,
                c: impl FnOnce(Self::Terms) -> Self::Terms,
            ) -> Result<(), Self::Error> {
                self.0.enforce(|| "", a, b, c);
                Ok(())
            }
        }

        /// A circuit of this program as a circuit of the library's.
        #[derive(Debug, Clone)]
        pub(crate) struct $adapter<C>(pub(crate) C);

        impl<C: $crate::system::Circuit> $library::Circuit<$scalar> for $adapter<C> {
            fn synthesize<CS: $library::ConstraintSystem<$scalar>>(
                self,
                cs: &mut CS,
            ) -> Result<(), $library::SynthesisError> {
                self.0.synthesize(&mut OnSystem(cs))
            }
        }
    };
}

pub(super) use bind;
