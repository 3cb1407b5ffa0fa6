//! Decoding of points.

use crate::Section;
use cuzk_curve::{PointCheck, PointError, SourceGroup};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

/// Points that one job decodes: some 50 µs of work.
const POINTS_PER_JOB: usize = 256;

/// Decodes points in parallel; the error is the first by index.
pub(super) fn decode<G: SourceGroup>(
    section: Section,
    bytes: &[u8],
    slots: &mut [G::Limbs],
    check: PointCheck,
) -> Result<(), (usize, PointError)> {
    let jobs = bytes
        .par_chunks(POINTS_PER_JOB * G::UNCOMPRESSED_BYTES)
        .zip(slots.par_chunks_mut(POINTS_PER_JOB))
        .enumerate();
    let first_error = jobs.find_map_first(|(job, (bytes, slots))| {
        let points = bytes.chunks_exact(G::UNCOMPRESSED_BYTES);
        for (index, (slot, bytes)) in slots.iter_mut().zip(points).enumerate() {
            match decode_point::<G>(section, bytes, check) {
                Ok(point) => *slot = G::as_limbs(&[point])[0],
                Err(error) => return Some((job * POINTS_PER_JOB + index, error)),
            }
        }
        None
    });
    first_error.map_or(Ok(()), Err)
}

pub(super) fn decode_point<G: SourceGroup>(
    section: Section,
    bytes: &[u8],
    check: PointCheck,
) -> Result<G::Affine, PointError> {
    let point = G::decode_uncompressed(bytes, check)?;
    if !section.admits_identity() && bool::from(point.is_identity()) {
        return Err(PointError::Identity);
    }
    Ok(point)
}
