//! The container that both formats share.

use crate::{Iden3Error, cursor::Cursor};

/// The sections of a file, in the order in which they stand.
#[derive(Debug)]
pub(crate) struct Sections<'a>(Vec<(u32, Cursor<'a>)>);

/// Bytes of a section's type and length.
const SECTION_HEAD_BYTES: u64 = 12;

impl<'a> Sections<'a> {
    /// Splits a file whose first bytes are `magic` and which has version `version`.
    pub(crate) fn split(
        bytes: &'a [u8],
        magic: &'static str,
        version: u32,
    ) -> Result<Self, Iden3Error> {
        if !bytes.starts_with(magic.as_bytes()) {
            return Err(Iden3Error::Magic {
                expected: magic,
                got: bytes[..bytes.len().min(4)].to_vec(),
            });
        }
        let mut cursor = Cursor::new(bytes, 0);
        cursor.take("magic", 4)?;
        let got = cursor.u32("version")?;
        if got != version {
            return Err(Iden3Error::Version {
                file: magic,
                expected: version,
                got,
            });
        }
        let count = cursor.u32("number of sections")?;
        let heads = SECTION_HEAD_BYTES * u64::from(count);
        if heads > cursor.remaining() {
            return Err(Iden3Error::Truncated {
                what: "list of sections",
                offset: cursor.offset(),
                expected: heads,
                got: cursor.remaining(),
            });
        }
        let mut sections = Vec::new();
        for _ in 0..count {
            let section = cursor.u32("section type")?;
            let len = cursor.u64("section length")?;
            let offset = cursor.offset();
            sections.push((section, Cursor::new(cursor.take("section", len)?, offset)));
        }
        cursor.end("the last section")?;
        Ok(Self(sections))
    }

    /// The section of a type that must be there once.
    pub(crate) fn one(&self, section: u32, name: &'static str) -> Result<Cursor<'a>, Iden3Error> {
        let mut found = self.all(section);
        match (found.next(), found.count()) {
            (Some(cursor), 0) => Ok(cursor.clone()),
            (first, more) => Err(Iden3Error::Section {
                section,
                name,
                got: usize::from(first.is_some()) + more,
            }),
        }
    }

    /// Every section of a type.
    pub(crate) fn all(&self, section: u32) -> impl Iterator<Item = &Cursor<'a>> {
        let of_type = move |(got, _): &&(u32, Cursor<'a>)| *got == section;
        self.0.iter().filter(of_type).map(|(_, cursor)| cursor)
    }
}
