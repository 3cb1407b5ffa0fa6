//! Where the sections of a file lie, found from its counts alone.

use crate::{ParamsError, Section};
use std::io::{Read, Seek, SeekFrom};

/// Bytes of a count, a big-endian `u32`.
pub(crate) const COUNT_BYTES: u64 = 4;

/// Bytes of the six points before the first count.
pub(crate) const HEAD_BYTES: u64 = 864;

/// One counted section of a parameter file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SectionLayout {
    /// Which section.
    pub section: Section,
    /// Where its count is, in bytes from the start.
    pub offset: u64,
    /// How many points it has.
    pub count: u32,
    /// Bytes of its points, without the count.
    pub bytes: u64,
}

impl SectionLayout {
    pub(crate) fn at(section: Section, offset: u64, count: u32) -> Self {
        // A product of 32 bits with at most 192 fits.
        let bytes = u64::from(count) * section.point_bytes() as u64;
        Self {
            section,
            offset,
            count,
            bytes,
        }
    }

    /// Where its points start, in bytes from the start of the file.
    #[must_use]
    pub const fn points_offset(&self) -> u64 {
        self.offset + COUNT_BYTES
    }

    /// Where the section ends, in bytes from the start of the file.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.points_offset() + self.bytes
    }
}

/// The sections of a parameter file and what follows them.
///
/// Made without reading a point: from 864 bytes of key head on, each section is a count and so
/// many points, and each is checked against the length of the file before the next is looked at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Layout {
    /// `ic`, `h`, `l`, `a`, `b_g1`, `b_g2`.
    pub sections: [SectionLayout; 6],
    /// Bytes from the start to the end of the last section.
    pub parameter_bytes: u64,
    /// Bytes after the last section; `None` for a stream, of which the rest is not read.
    pub trailing_bytes: Option<u64>,
}

impl Layout {
    /// The layout of a file of `length` bytes.
    ///
    /// # Errors
    /// [`ParamsError::Truncated`] if a section goes beyond the end, [`ParamsError::Count`] if
    /// the two B queries differ in length, [`ParamsError::Read`].
    pub fn scan<R: Read + Seek>(file: &mut R, length: u64) -> Result<Self, ParamsError> {
        let mut offset = 0;
        for section in Section::HEAD {
            offset = within(section, offset, section.point_bytes() as u64, length)?;
        }
        let mut sections = Vec::with_capacity(Section::COUNTED.len());
        for section in Section::COUNTED {
            within(section, offset, COUNT_BYTES, length)?;
            let mut count = [0; COUNT_BYTES as usize];
            file.seek(SeekFrom::Start(offset))
                .and_then(|_| file.read_exact(&mut count))
                .map_err(|source| ParamsError::Read {
                    section,
                    offset,
                    source,
                })?;
            let layout = SectionLayout::at(section, offset, u32::from_be_bytes(count));
            offset = within(section, layout.points_offset(), layout.bytes, length)?;
            sections.push(layout);
        }
        let sections = <[SectionLayout; 6]>::try_from(sections).expect("one for each section");
        Self::of(sections, Some(length - offset))
    }

    /// A layout from its sections, which must agree with each other.
    pub(crate) fn of(
        sections: [SectionLayout; 6],
        trailing_bytes: Option<u64>,
    ) -> Result<Self, ParamsError> {
        let [.., b_g1, b_g2] = &sections;
        if b_g1.count != b_g2.count {
            return Err(ParamsError::Count {
                section: b_g2.section,
                offset: b_g2.offset,
                expected: b_g1.count.into(),
                got: b_g2.count.into(),
            });
        }
        let parameter_bytes = b_g2.end();
        Ok(Self {
            sections,
            parameter_bytes,
            trailing_bytes,
        })
    }

    /// The section, unless it is a point of the key head.
    #[must_use]
    pub fn section(&self, section: Section) -> Option<&SectionLayout> {
        self.sections
            .iter()
            .find(|layout| layout.section == section)
    }

    /// Bytes of the part that is the verifying key, from the start.
    #[must_use]
    pub fn verifying_key_bytes(&self) -> u64 {
        self.sections[0].end()
    }
}

/// The end of `bytes` bytes from `offset`, which must not be beyond `length`.
fn within(section: Section, offset: u64, bytes: u64, length: u64) -> Result<u64, ParamsError> {
    let got = length.saturating_sub(offset);
    if got < bytes {
        return Err(ParamsError::Truncated {
            section,
            offset,
            expected: bytes,
            got,
        });
    }
    Ok(offset + bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_has_864_bytes() {
        let head: usize = Section::HEAD
            .iter()
            .map(|section| section.point_bytes())
            .sum();
        assert_eq!(head as u64, HEAD_BYTES);
    }

    #[test]
    fn the_largest_count_does_not_overflow() {
        let section = SectionLayout::at(Section::BG2, u64::MAX / 2, u32::MAX);
        assert_eq!(section.bytes, 192 * u64::from(u32::MAX));
        assert!(section.end() > section.offset);
    }
}
