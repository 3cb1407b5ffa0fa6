//! What a machine is told of a key before any of it comes, and what it decides then.

use crate::WitnessSchedule;

/// The counts of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyShape {
    /// The logarithm of the domain of the quotient.
    pub log_n: u32,
    /// Rows of a matrix.
    pub rows: usize,
    /// Variables, inputs included.
    pub variables: usize,
    /// Whether the quotient takes four transforms of two vectors, and not seven of three.
    pub folded: bool,
    /// A, B and C; nothing for one that is not multiplied with.
    pub matrices: [Option<MatrixShape>; 3],
    /// Points of the H query.
    pub h: usize,
    /// Points of the L query.
    pub l: usize,
    /// Points of the A query.
    pub a: usize,
    /// Points of each of the two B queries.
    pub b: usize,
}

/// The counts of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixShape {
    /// Coefficients that are not zero.
    pub terms: usize,
    /// Distinct ones among them.
    pub coefficients: usize,
}

/// Where points are between sums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Residence {
    /// On the machine.
    #[default]
    Machine,
    /// On the host; every sum brings them.
    Host,
}

/// How a machine keeps a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// Where the points are.
    pub residence: Residence,
    /// Bytes that a sum may take beside its points and scalars; what is free then where `None`.
    pub scratch_bytes: Option<usize>,
    /// Bytes that multiples of points on the machine may take, where these are wanted.
    pub table_bytes: usize,
    /// Whether its sums may go beside the machine's other work: there is memory for both.
    pub beside: bool,
    /// Bytes that the machine sets aside for the key and a proof with it, as long as these points
    /// are prepared, so that no other key is planned for them.
    pub reserved_bytes: usize,
}

/// What a machine decided about a key before any of it came; by default everything is kept there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyPlan {
    /// The H query.
    pub h: Keep,
    /// The L query.
    pub l: Keep,
    /// The A query.
    pub a: Keep,
    /// The B query in G1.
    pub b_g1: Keep,
    /// The B query in G2.
    pub b_g2: Keep,
    /// When the sums over a witness are made.
    pub schedule: WitnessSchedule,
    /// The most bytes that the machine holds with this key and a proof; nothing where it does not
    /// count them.
    pub peak_bytes: Option<usize>,
}

impl KeyShape {
    /// The elements of the domain.
    #[must_use]
    pub const fn n(&self) -> usize {
        1 << self.log_n
    }
}
