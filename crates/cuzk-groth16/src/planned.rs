use cuzk_backend::{Backend, KeyPlan, KeyShape, ProverBackend};
use cuzk_phase::Phase;

use crate::ProveError;

/// Why a key was not brought to a machine.
pub(crate) enum Unprepared<B: Backend> {
    /// The machine's own error, of which a smaller plan may be a cure.
    Backend(B::Error),
    Other(ProveError),
}

impl<B: Backend> From<ProveError> for Unprepared<B> {
    fn from(error: ProveError) -> Self {
        Self::Other(error)
    }
}

/// Brings a key by the machine's plan, and by smaller ones where it has no room after all.
pub(crate) fn planned<B: ProverBackend, T>(
    backend: &B,
    shape: &KeyShape,
    bring: impl Fn(&KeyPlan) -> Result<T, Unprepared<B>>,
) -> Result<T, ProveError> {
    /// Each takes a part less than the one before.
    const MOST_PLANS: usize = 6;
    let failed = ProveError::backend(Phase::Compile);
    let mut plan = backend.plan_key(shape).map_err(&failed)?;
    for _ in 1..MOST_PLANS {
        match bring(&plan) {
            Ok(key) => return Ok(key),
            Err(Unprepared::Other(error)) => return Err(error),
            Err(Unprepared::Backend(error)) => match backend.plan_less(shape, &plan, &error) {
                Some(less) => plan = less,
                None => return Err(failed(error)),
            },
        }
    }
    bring(&plan).map_err(|error| match error {
        Unprepared::Backend(error) => failed(error),
        Unprepared::Other(error) => error,
    })
}
