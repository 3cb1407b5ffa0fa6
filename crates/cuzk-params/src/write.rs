//! Writing.

use crate::{Digest, Parameters, ParamsError, Section, VerifyingKey};
use cuzk_curve::{G1, G2, SourceGroup};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};

/// Points that are encoded before they are written.
const POINTS_PER_WRITE: usize = 1 << 15;
/// Points that one job encodes.
const POINTS_PER_JOB: usize = 1 << 10;

/// Writes sections to a stream.
pub(crate) struct Writer<W> {
    out: W,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }

    /// The whole file.
    pub(crate) fn parameters(&mut self, parameters: &Parameters) -> Result<(), ParamsError> {
        let Parameters {
            vk,
            h,
            l,
            a,
            b_g1,
            b_g2,
        } = parameters;
        self.verifying_key(vk)?;
        self.counted::<G1>(Section::H, h.points())?;
        self.counted::<G1>(Section::L, l.points())?;
        self.counted::<G1>(Section::A, a.points())?;
        self.counted::<G1>(Section::BG1, b_g1.points())?;
        self.counted::<G2>(Section::BG2, b_g2.points())?;
        self.out.flush().map_err(|source| ParamsError::Write {
            section: Section::BG2,
            source,
        })
    }

    /// Its first part.
    pub(crate) fn verifying_key(&mut self, key: &VerifyingKey) -> Result<(), ParamsError> {
        let VerifyingKey {
            alpha_g1,
            beta_g1,
            beta_g2,
            gamma_g2,
            delta_g1,
            delta_g2,
            ic,
        } = key;
        self.points::<G1>(Section::AlphaG1, &[*alpha_g1])?;
        self.points::<G1>(Section::BetaG1, &[*beta_g1])?;
        self.points::<G2>(Section::BetaG2, &[*beta_g2])?;
        self.points::<G2>(Section::GammaG2, &[*gamma_g2])?;
        self.points::<G1>(Section::DeltaG1, &[*delta_g1])?;
        self.points::<G2>(Section::DeltaG2, &[*delta_g2])?;
        self.counted::<G1>(Section::Ic, ic)
    }

    fn counted<G: SourceGroup>(
        &mut self,
        section: Section,
        points: &[G::Affine],
    ) -> Result<(), ParamsError> {
        let got = points.len();
        let count = u32::try_from(got).map_err(|_| ParamsError::TooManyPoints { section, got })?;
        self.out
            .write_all(&count.to_be_bytes())
            .map_err(|source| ParamsError::Write { section, source })?;
        self.points::<G>(section, points)
    }

    fn points<G: SourceGroup>(
        &mut self,
        section: Section,
        points: &[G::Affine],
    ) -> Result<(), ParamsError> {
        for points in points.chunks(POINTS_PER_WRITE) {
            let encoded: Vec<Vec<u8>> =
                points.par_chunks(POINTS_PER_JOB).map(encode::<G>).collect();
            encoded
                .iter()
                .try_for_each(|bytes| self.out.write_all(bytes))
                .map_err(|source| ParamsError::Write { section, source })?;
        }
        Ok(())
    }
}

fn encode<G: SourceGroup>(points: &[G::Affine]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(points.len() * G::UNCOMPRESSED_BYTES);
    for point in points {
        G::encode_uncompressed(point, &mut bytes);
    }
    bytes
}

/// A stream that keeps nothing of what is written but its digest.
#[derive(Default)]
pub(crate) struct HashOnly {
    hash: Sha256,
}

impl HashOnly {
    pub(crate) fn finish(self) -> Digest {
        Digest(self.hash.finalize().into())
    }
}

impl Write for HashOnly {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
