use thiserror::Error;

/// Two lengths or indices that should agree and do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{what}: expected {expected}, got {got}")]
pub struct ShapeError {
    /// What was compared, with its unit: `"scalars for the bases"`.
    pub what: &'static str,
    /// What it had to be.
    pub expected: usize,
    /// What it was.
    pub got: usize,
}

impl ShapeError {
    /// `Ok` where the two agree.
    ///
    /// # Errors
    /// A `ShapeError` with all three otherwise.
    pub fn check(what: &'static str, expected: usize, got: usize) -> Result<(), Self> {
        if expected == got {
            Ok(())
        } else {
            Err(Self {
                what,
                expected,
                got,
            })
        }
    }
}
