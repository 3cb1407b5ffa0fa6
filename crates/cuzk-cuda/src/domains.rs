//! Tables of transforms, kept or made for every proof.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError},
};

use cuzk_backend::Transform;
use cuzk_curve::Domain;
use cuzk_ntt::{NttDomain, NttEngine};

use crate::{Cuda, CudaError};

/// The domains of a backend.
#[derive(Debug, Default)]
pub(crate) struct Domains {
    /// By the number of stages, and whether for [`Transform::Forward`] or for a quotient's.
    kept: HashMap<(u32, bool), Arc<NttDomain>>,
    /// Those of which a plan says that they are made for every proof.
    passing: HashSet<u32>,
}

impl Cuda {
    /// A domain with the twiddles of a transform, made when it is first asked for: those of a
    /// quotient together, and those of [`Transform::Forward`], which no proof needs, apart.
    ///
    /// The lock is held while tables are made, so that callers who miss at once do not ask for
    /// the memory of all of them at once. That takes no other lock of ours and no pool of threads.
    pub(crate) fn domain(
        &self,
        domain: &Domain,
        transform: Transform,
    ) -> Result<Arc<NttDomain>, CudaError> {
        const QUOTIENT: &[Transform] = &[
            Transform::Inverse,
            Transform::CosetForward,
            Transform::CosetInverse,
        ];
        let (is_forward, transforms) = match transform {
            Transform::Forward => (true, &[Transform::Forward][..]),
            _ => (false, QUOTIENT),
        };
        let key = (domain.log_n(), is_forward);
        let mut domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = domains.kept.get(&key) {
            return Ok(Arc::clone(prepared));
        }
        let prepare = || self.ntt.prepare(&self.stream, domain, transforms);
        let made = match prepare().map_err(CudaError::from) {
            // Tables of other sizes may have been kept for keys that are gone.
            Err(error) if error.is_memory() && !domains.kept.is_empty() => {
                domains.kept.clear();
                prepare()?
            }
            made => made?,
        };
        let made = Arc::new(made);
        if is_forward || !domains.passing.contains(&domain.log_n()) {
            domains.kept.insert(key, Arc::clone(&made));
        }
        Ok(made)
    }

    /// Keeps the tables of a quotient from here on, or makes them for every proof.
    pub(crate) fn keep_twiddles(&self, log_n: u32, stay: bool) {
        let mut domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        if stay {
            domains.passing.remove(&log_n);
        } else {
            domains.passing.insert(log_n);
            domains.kept.remove(&(log_n, false));
        }
    }

    /// Bytes of the tables of a quotient that are kept.
    pub(crate) fn kept_twiddle_bytes(&self, log_n: u32) -> usize {
        let domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = domains.kept.get(&(log_n, false));
        kept.map_or(0, |kept| table_bytes(false, kept))
    }

    /// Bytes of all tables that are kept.
    pub(crate) fn all_kept_twiddle_bytes(&self) -> usize {
        let domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = domains.kept.iter();
        kept.map(|((_, is_forward), kept)| table_bytes(*is_forward, kept))
            .sum()
    }

    /// Forgets the tables of all other domains; says whether there were any.
    pub(crate) fn forget_other_twiddles(&self, log_n: u32) -> bool {
        let mut domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        let before = domains.kept.len();
        domains.kept.retain(|key, _| *key == (log_n, false));
        domains.kept.len() < before
    }
}

fn table_bytes(is_forward: bool, domain: &NttDomain) -> usize {
    let tables = if is_forward { 1 } else { 3 };
    tables * NttEngine::table_bytes(domain.domain())
}
