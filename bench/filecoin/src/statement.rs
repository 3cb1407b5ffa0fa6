use anyhow::Result;
use blstrs::Scalar as Fr;

/// How large a circuit has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) constraints: usize,
    /// Inputs, the constant one among them.
    pub(crate) inputs: usize,
    pub(crate) aux: usize,
}

/// Makes a circuit anew: not all of them can be cloned.
pub(crate) type Make<C> = Box<dyn Fn() -> Result<C>>;

/// A circuit with a real witness.
pub(crate) struct Statement<C> {
    pub(crate) size: Size,
    /// The circuit without a witness.
    pub(crate) blank: Make<C>,
    /// The circuit with its witness.
    pub(crate) circuit: Make<C>,
    /// The public inputs as the circuit's own crate computes them.
    pub(crate) public_inputs: Vec<Fr>,
}
