use cuzk_lanes::Lanes;

/// Every optimisation that can be switched, with its default.
///
/// No switch changes a proof: for the same blinding the bytes are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Tuning {
    /// Field arithmetic of the CPU backend: eight lanes where the processor has them (the
    /// default), or the portable twin.
    pub lanes: Lanes,
}

impl Tuning {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`Tuning::lanes`].
    #[must_use]
    pub fn with_lanes(mut self, lanes: Lanes) -> Self {
        self.lanes = lanes;
        self
    }
}
