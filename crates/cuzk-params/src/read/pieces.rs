//! Counts and points, piece by piece, from a source.

use super::{
    Reader,
    decode::{decode, decode_point},
    point_error,
};
use crate::{ParamsError, Section, SectionLayout, layout::COUNT_BYTES, source::Piece};
use bytemuck::Zeroable;
use cuzk_curve::{PointCheck, SourceGroup};
use cuzk_hostmem::AllocError;
use sha2::Digest as _;
use std::io;

/// Bytes that are read at once: while one piece is hashed and decoded, the next is read.
const PIECE_BYTES: usize = 4 << 20;

impl<'s> Reader<'s, '_> {
    pub(super) fn head_point<G: SourceGroup>(
        &mut self,
        section: Section,
    ) -> Result<G::Affine, ParamsError> {
        let offset = self.offset;
        let piece = self.exactly(section, section.point_bytes())?;
        decode_point::<G>(section, &piece, self.key_check()).map_err(|source| ParamsError::Point {
            section,
            index: 0,
            offset,
            source,
        })
    }

    /// Reads a count, which must be that of the layout if there is one.
    pub(super) fn count(&mut self, section: Section) -> Result<SectionLayout, ParamsError> {
        let offset = self.offset;
        let piece = self.exactly(section, COUNT_BYTES as usize)?;
        let count = u32::from_be_bytes(piece[..].try_into().expect("four bytes were read"));
        let at = SectionLayout::at(section, offset, count);
        match self.layout.and_then(|layout| layout.section(section)) {
            Some(expected) if *expected != at => Err(ParamsError::Count {
                section,
                offset,
                expected: expected.count.into(),
                got: count.into(),
            }),
            _ => Ok(at),
        }
    }

    /// Reads and hashes a few bytes.
    pub(super) fn exactly(
        &mut self,
        section: Section,
        bytes: usize,
    ) -> Result<Piece<'s>, ParamsError> {
        let offset = self.offset;
        let piece = self.source.next(bytes, None);
        let piece = piece.map_err(|source| ParamsError::Read {
            section,
            offset,
            source,
        })?;
        if piece.len() < bytes {
            let (expected, got) = (bytes as u64, piece.len() as u64);
            return Err(ParamsError::Truncated {
                section,
                offset,
                expected,
                got,
            });
        }
        self.hash.update(&piece[..]);
        self.offset += bytes as u64;
        Ok(piece)
    }

    /// Reads the points of a section into memory that at most doubles beyond what has come,
    /// so that a count alone never makes it large.
    pub(super) fn growing<G: SourceGroup>(
        &mut self,
        at: &SectionLayout,
        check: PointCheck,
    ) -> Result<Vec<G::Limbs>, ParamsError> {
        let count = usize::try_from(at.count).map_err(|_| too_large(at))?;
        let mut values: Vec<G::Limbs> = Vec::new();
        while values.len() < count {
            let done = values.len();
            let more = (count - done).min(done.max(PIECE_BYTES / G::UNCOMPRESSED_BYTES));
            values.try_reserve_exact(more).map_err(|_| too_large(at))?;
            values.resize(done + more, G::Limbs::zeroed());
            self.points::<G>(at, done, &mut values[done..], check)?;
        }
        Ok(values)
    }

    /// Reads the points from index `first` on into `slots`: while one piece is hashed and
    /// decoded, the next one is read.
    pub(super) fn points<G: SourceGroup>(
        &mut self,
        at: &SectionLayout,
        first: usize,
        slots: &mut [G::Limbs],
        check: PointCheck,
    ) -> Result<(), ParamsError> {
        let per_piece = PIECE_BYTES / G::UNCOMPRESSED_BYTES;
        let mut to_request = slots.len();
        let mut request = || {
            let points = to_request.min(per_piece);
            to_request -= points;
            points * G::UNCOMPRESSED_BYTES
        };
        let Self {
            source,
            hash,
            offset,
            ..
        } = self;
        let mut arriving = source.next(request(), None);
        let mut spare = None;
        for (slots, start) in slots
            .chunks_mut(per_piece)
            .zip((first..).step_by(per_piece))
        {
            let piece = arriving.map_err(|source| read_error(at, *offset, source))?;
            let expected = slots.len() * G::UNCOMPRESSED_BYTES;
            if piece.len() < expected {
                return Err(cut(at, *offset, piece.len()));
            }
            let next_bytes = request();
            let used = spare.take();
            let (next, ((), decoded)) = rayon::join(
                || source.next(next_bytes, used),
                || {
                    rayon::join(
                        || hash.update(&piece[..]),
                        || decode::<G>(at.section, &piece, slots, check),
                    )
                },
            );
            decoded.map_err(|(index, error)| point_error(at, start + index, error))?;
            *offset += expected as u64;
            spare = Some(piece);
            arriving = next;
        }
        Ok(())
    }
}

pub(super) fn too_large(at: &SectionLayout) -> ParamsError {
    let bytes = usize::try_from(at.bytes).unwrap_or(usize::MAX);
    ParamsError::Memory {
        section: at.section,
        source: AllocError::Refused { bytes },
    }
}

fn read_error(at: &SectionLayout, offset: u64, source: io::Error) -> ParamsError {
    ParamsError::Read {
        section: at.section,
        offset,
        source,
    }
}

/// The section ends `got` bytes behind `offset`, which is within its points.
fn cut(at: &SectionLayout, offset: u64, got: usize) -> ParamsError {
    ParamsError::Truncated {
        section: at.section,
        offset: at.points_offset(),
        expected: at.bytes,
        got: offset - at.points_offset() + got as u64,
    }
}
