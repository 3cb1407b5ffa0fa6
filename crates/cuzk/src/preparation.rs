//! In which form a key is prepared, and where what was derived for it is kept.

use std::{error::Error, path::PathBuf, sync::Arc};

use cuzk_backend::{Fold, ProverBackend};
use cuzk_groth16::{FoldedQueries, ProveError, ProvingKey};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{KeptQueries, Parameters};
use cuzk_r1cs::Shape;
use rand_core::OsRng;

use crate::Quotient;

/// How keys are prepared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preparation {
    quotient: Quotient,
    kept: Option<KeptQueries>,
}

impl Preparation {
    pub(crate) fn new(quotient: Quotient, folder: Option<PathBuf>) -> Self {
        Self {
            quotient,
            kept: folder.map(KeptQueries::new),
        }
    }

    /// A key in the form that the switch asks for.
    pub(crate) fn key<B: ProverBackend + Fold>(
        &self,
        backend: &B,
        shape: Arc<Shape>,
        parameters: &Parameters,
    ) -> Result<ProvingKey<B>, ProveError> {
        match self.quotient {
            Quotient::Seven => ProvingKey::prepare(backend, shape, parameters),
            Quotient::Four => {
                let folded = self.folded(backend, &shape, parameters)?;
                ProvingKey::prepare_folded(backend, shape, parameters, &folded)
            }
        }
    }

    /// Queries that were kept, if they are the right ones, or else derived now and kept.
    ///
    /// A file that cannot be used is no failure: what it should hold can be derived.
    fn folded<B: ProverBackend + Fold>(
        &self,
        backend: &B,
        shape: &Shape,
        parameters: &Parameters,
    ) -> Result<FoldedQueries, ProveError> {
        let memory = HostAllocator::default();
        let derive = || FoldedQueries::derive(backend, shape, parameters, &memory, &mut OsRng);
        let Some(kept) = &self.kept else {
            return derive();
        };
        let from = [&parameters.h, &parameters.l];
        let digest = KeptQueries::digest(&shape.to_bytes(), from);
        match kept.read(&digest, &memory) {
            Ok(None) => (),
            Err(error) => warn(&error),
            Ok(Some([h, l])) => {
                let folded = FoldedQueries::from_queries(h, l);
                match folded.check(backend, shape, parameters, &mut OsRng) {
                    Ok(()) => return Ok(folded),
                    Err(error @ (ProveError::FoldedQueries | ProveError::KeyMismatch { .. })) => {
                        warn(&error);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let folded = derive()?;
        if let Err(error) = kept.write(&digest, [folded.h(), folded.l()]) {
            tracing::warn!(
                error = &error as &dyn Error,
                "derived queries are not kept for the next time"
            );
        }
        Ok(folded)
    }
}

fn warn(error: &(dyn Error + 'static)) {
    tracing::warn!(error, "kept queries are derived again");
}
