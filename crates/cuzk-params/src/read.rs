//! Reading, hashing and decoding, piece by piece.

mod decode;
mod pieces;

use crate::{
    Check, Digest, Layout, Loaded, Parameters, ParamsError, Query, ReadOptions, Section,
    SectionLayout, Trailing, VerifyingKey, layout::HEAD_BYTES, source::Source, subgroup,
};
use cuzk_curve::{G1, G2, PointCheck, PointError, SourceGroup};
use cuzk_hostmem::{AllocError, HostBuf};
use pieces::too_large;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

/// Walks through a file from its start, section by section.
pub(crate) struct Reader<'s, 'o> {
    source: Source<'s>,
    hash: Sha256,
    offset: u64,
    options: &'o ReadOptions,
    /// What the counts must be; unknown for a stream.
    layout: Option<&'o Layout>,
}

/// Reads everything.
pub(crate) fn parameters(mut reader: Reader<'_, '_>) -> Result<Loaded, ParamsError> {
    reader.require_digest()?;
    let (vk, ic) = reader.verifying_key()?;
    let (h, h_layout) = reader.query::<G1>(Section::H)?;
    let (l, l_layout) = reader.query::<G1>(Section::L)?;
    let (a, a_layout) = reader.query::<G1>(Section::A)?;
    let (b_g1, b_g1_layout) = reader.query::<G1>(Section::BG1)?;
    let (b_g2, b_g2_layout) = reader.query::<G2>(Section::BG2)?;
    let sections = [ic, h_layout, l_layout, a_layout, b_g1_layout, b_g2_layout];
    let layout = Layout::of(
        sections,
        reader.layout.and_then(|layout| layout.trailing_bytes),
    )?;
    reader.end(Section::BG2)?;
    let digest = reader.digest()?;
    let parameters = Parameters {
        vk,
        h,
        l,
        a,
        b_g1,
        b_g2,
    };
    if reader.options.check == Check::Subgroup {
        check_subgroups(&parameters, &layout)?;
    }
    Ok(Loaded {
        parameters,
        layout,
        digest,
    })
}

fn check_subgroups(parameters: &Parameters, layout: &Layout) -> Result<(), ParamsError> {
    let Parameters {
        vk: _,
        h,
        l,
        a,
        b_g1,
        b_g2,
    } = parameters;
    let [_, h_layout, l_layout, a_layout, b_g1_layout, b_g2_layout] = &layout.sections;
    let g1 = [
        (h, h_layout),
        (l, l_layout),
        (a, a_layout),
        (b_g1, b_g1_layout),
    ];
    let in_g1 = || {
        g1.into_par_iter()
            .try_for_each(|(query, at)| in_subgroup(query, at))
    };
    let (in_g1, in_g2) = rayon::join(in_g1, || in_subgroup(b_g2, b_g2_layout));
    in_g1.and(in_g2)
}

fn in_subgroup<G: SourceGroup>(query: &Query<G>, at: &SectionLayout) -> Result<(), ParamsError> {
    match subgroup::first_outside::<G>(query.points()) {
        None => Ok(()),
        Some(index) => Err(point_error(at, index, PointError::NotInSubgroup)),
    }
}

fn point_error(at: &SectionLayout, index: usize, source: PointError) -> ParamsError {
    let offset = at.points_offset() + index as u64 * at.section.point_bytes() as u64;
    ParamsError::Point {
        section: at.section,
        index,
        offset,
        source,
    }
}

impl<'s, 'o> Reader<'s, 'o> {
    /// Of bytes whose layout was checked against their length.
    pub(crate) fn of_layout(
        source: Source<'s>,
        layout: &'o Layout,
        options: &'o ReadOptions,
    ) -> Result<Self, ParamsError> {
        match (options.trailing, layout.trailing_bytes) {
            (Trailing::Refuse, Some(bytes)) if bytes > 0 => Err(ParamsError::Trailing {
                offset: layout.parameter_bytes,
                bytes: Some(bytes),
            }),
            _ => Ok(Self {
                layout: Some(layout),
                ..Self::of_stream(source, options)
            }),
        }
    }

    /// Of bytes of unknown length.
    pub(crate) fn of_stream(source: Source<'s>, options: &'o ReadOptions) -> Self {
        Self {
            source,
            hash: Sha256::new(),
            offset: 0,
            options,
            layout: None,
        }
    }

    /// Whether there is a digest, where checks are to rest on it.
    fn require_digest(&self) -> Result<(), ParamsError> {
        match (self.options.check, self.options.digest) {
            (Check::Digest, None) => Err(ParamsError::DigestMissing),
            _ => Ok(()),
        }
    }

    /// The digest of all that was read, which must be the caller's if there is one.
    fn digest(&self) -> Result<Digest, ParamsError> {
        let got = Digest(self.hash.clone().finalize().into());
        match self.options.digest {
            Some(expected) if expected != got => Err(ParamsError::DigestMismatch { expected, got }),
            _ => Ok(got),
        }
    }

    /// Reads the key head and `ic`.
    pub(crate) fn verifying_key(&mut self) -> Result<(VerifyingKey, SectionLayout), ParamsError> {
        let alpha_g1 = self.head_point::<G1>(Section::AlphaG1)?;
        let beta_g1 = self.head_point::<G1>(Section::BetaG1)?;
        let beta_g2 = self.head_point::<G2>(Section::BetaG2)?;
        let gamma_g2 = self.head_point::<G2>(Section::GammaG2)?;
        let delta_g1 = self.head_point::<G1>(Section::DeltaG1)?;
        let delta_g2 = self.head_point::<G2>(Section::DeltaG2)?;
        debug_assert_eq!(self.offset, HEAD_BYTES);
        let layout = self.count(Section::Ic)?;
        let limbs = self.growing::<G1>(&layout, self.key_check())?;
        let ic = G1::from_limbs_unchecked(&limbs).to_vec();
        Ok((
            VerifyingKey {
                alpha_g1,
                beta_g1,
                beta_g2,
                gamma_g2,
                delta_g1,
                delta_g2,
                ic,
            },
            layout,
        ))
    }

    /// Reads a query into the caller's kind of memory.
    fn query<G: SourceGroup>(
        &mut self,
        section: Section,
    ) -> Result<(Query<G>, SectionLayout), ParamsError> {
        let at = self.count(section)?;
        let (options, check) = (self.options, self.query_check());
        let memory = &options.memory;
        let out_of_memory = |source| ParamsError::Memory { section, source };
        let limbs = if self.layout.is_some() {
            let count = usize::try_from(at.count).map_err(|_| too_large(&at))?;
            let filled: Result<HostBuf<G::Limbs>, Fault> = memory.filled(count, |slots| {
                self.points::<G>(&at, 0, slots, check)
                    .map_err(|error| Fault::Params(Box::new(error)))
            });
            filled.map_err(|fault| match fault {
                Fault::Params(error) => *error,
                Fault::Memory(source) => out_of_memory(source),
            })?
        } else {
            let values = self.growing::<G>(&at, check)?;
            memory.from_vec(values).map_err(out_of_memory)?
        };
        Ok((Query::from_reduced(limbs), at))
    }

    /// The end of the parameters, behind `last`; nothing may follow unless that is allowed.
    pub(crate) fn end(&mut self, last: Section) -> Result<(), ParamsError> {
        // What follows a file is known from its length.
        if self.layout.is_some() || self.options.trailing == Trailing::Allow {
            return Ok(());
        }
        let offset = self.offset;
        let rest = match &self.source {
            Source::Bytes(rest) => Some(rest.len() as u64),
            Source::Reader(_) => None,
        };
        let next = self.source.next(1, None);
        match next
            .map_err(|source| ParamsError::Read {
                section: last,
                offset,
                source,
            })?
            .len()
        {
            0 => Ok(()),
            _ => Err(ParamsError::Trailing {
                offset,
                bytes: rest,
            }),
        }
    }

    /// The verifying key is small and decides what verifies, so it is always checked in full.
    fn key_check(&self) -> PointCheck {
        match self.options.check {
            Check::Digest => PointCheck::Encoding,
            Check::OnCurve | Check::Subgroup => PointCheck::Subgroup,
        }
    }

    /// Subgroups of queries are checked later, in batches.
    fn query_check(&self) -> PointCheck {
        match self.options.check {
            Check::Digest => PointCheck::Encoding,
            Check::OnCurve | Check::Subgroup => PointCheck::OnCurve,
        }
    }
}

/// An error while a buffer is filled: its memory, or its contents.
enum Fault {
    Memory(AllocError),
    Params(Box<ParamsError>),
}

impl From<AllocError> for Fault {
    fn from(error: AllocError) -> Self {
        Self::Memory(error)
    }
}
