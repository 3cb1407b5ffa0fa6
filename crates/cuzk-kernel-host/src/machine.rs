use bytemuck::Pod;

/// What runs an operation of the device arithmetic on plain data.
///
/// An operation is named `<verb>_<type>`, as in `mul_fp`; a kernel of that operation is
/// `cuzk_testing_<verb>_<type>`.
pub trait Machine {
    /// Sets `out[i] = operation(a[i], b[i])` for `n` elements, whose sizes are those of the
    /// operation's types; `b` is empty where the operation takes one operand.
    ///
    /// # Panics
    /// Where the operation is unknown or fails: a machine is for tests.
    fn run(&self, operation: &str, out: &mut [u8], operands: Operands<'_>);
}

/// The operands of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Operands<'a> {
    /// The number of elements.
    pub n: usize,
    /// The first operands.
    pub a: &'a [u8],
    /// The second operands, or nothing.
    pub b: &'a [u8],
}

pub(crate) fn unary<A: Pod, Out: Pod>(machine: &dyn Machine, operation: &str, a: &[A]) -> Vec<Out> {
    binary::<A, u8, Out>(machine, operation, a, &[])
}

pub(crate) fn binary<A: Pod, B: Pod, Out: Pod>(
    machine: &dyn Machine,
    operation: &str,
    a: &[A],
    b: &[B],
) -> Vec<Out> {
    assert!(b.is_empty() || a.len() == b.len(), "one operand each");
    let mut out = vec![Out::zeroed(); a.len()];
    let operands = Operands {
        n: a.len(),
        a: bytemuck::cast_slice(a),
        b: bytemuck::cast_slice(b),
    };
    machine.run(operation, bytemuck::cast_slice_mut(&mut out), operands);
    out
}
