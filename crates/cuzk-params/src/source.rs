//! Bytes in pieces, from memory or from a reader.

use std::{
    io::{self, Read},
    ops::Deref,
};

/// Where bytes come from.
pub(crate) enum Source<'a> {
    /// From memory; pieces are parts of it.
    Bytes(&'a [u8]),
    /// From a reader; pieces are copies, and each is read once.
    Reader(&'a mut (dyn Read + Send)),
}

/// A piece of a [`Source`].
pub(crate) enum Piece<'a> {
    Part(&'a [u8]),
    Copy(Vec<u8>),
}

impl Deref for Piece<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Part(bytes) => bytes,
            Self::Copy(bytes) => bytes,
        }
    }
}

impl<'a> Source<'a> {
    /// The next `bytes` bytes, or fewer at the end. `spare` gives its memory if it has any.
    pub(crate) fn next(&mut self, bytes: usize, spare: Option<Piece<'a>>) -> io::Result<Piece<'a>> {
        match self {
            Self::Bytes(rest) => {
                let (part, after) = rest.split_at(bytes.min(rest.len()));
                *rest = after;
                Ok(Piece::Part(part))
            }
            Self::Reader(reader) => {
                let mut copy = match spare {
                    Some(Piece::Copy(used)) => used,
                    _ => Vec::new(),
                };
                copy.clear();
                copy.try_reserve(bytes)?;
                reader.by_ref().take(bytes as u64).read_to_end(&mut copy)?;
                Ok(Piece::Copy(copy))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_give_the_same_pieces() {
        let bytes: Vec<u8> = (0..100).collect();
        let mut reader = &bytes[..];
        let mut sources = [Source::Bytes(&bytes), Source::Reader(&mut reader)];
        for source in &mut sources {
            let first = source.next(60, None).expect("in memory");
            assert_eq!(*first, bytes[..60]);
            let second = source.next(60, Some(first)).expect("in memory");
            assert_eq!(*second, bytes[60..]);
            assert!(source.next(60, Some(second)).expect("in memory").is_empty());
        }
    }
}
