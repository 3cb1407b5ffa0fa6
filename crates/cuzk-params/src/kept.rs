//! Queries that were derived from parameters, kept in files of a folder.

use crate::{Digest, KeptError, Query};
use cuzk_curve::{G1, G1Limbs};
use cuzk_hostmem::HostAllocator;
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// The first bytes of a file; the digit is the version of the format.
const MAGIC: &[u8; 16] = b"cuzk queries v1\n";
/// Bytes before the points: the magic, the digest, and the number of points of both queries.
const HEADER_BYTES: usize = 64;
/// Points that are read or written at once.
const POINTS_PER_PIECE: usize = 1 << 14;

/// A folder of files with two queries each, named by the digest of what they were derived from.
///
/// A file is whole or not there. What it holds is not believed because it is there: its points are
/// in range, and whether they are the right ones the caller checks.
///
/// # Format
/// Decision 0024, in `docs/decisions` of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptQueries {
    folder: PathBuf,
}

impl KeptQueries {
    /// Queries kept in a folder, which need not be there.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The digest that names queries: SHA-256 of `of`, for example the bytes of a shape, and of the
    /// points that they were derived from.
    #[must_use]
    pub fn digest(of: &[u8], from: [&Query<G1>; 2]) -> Digest {
        let hash = |bytes: &[u8]| Sha256::digest(bytes);
        let points = |query: &Query<G1>| hash(bytemuck::cast_slice(&query.memory()[..]));
        let (of, (first, second)) = rayon::join(
            || hash(of),
            || rayon::join(|| points(from[0]), || points(from[1])),
        );
        let all = Sha256::new().chain_update(MAGIC);
        let all = [of, first, second].iter().fold(all, Sha256::chain_update);
        Digest(all.finalize().into())
    }

    /// The file of a digest.
    #[must_use]
    pub fn path(&self, digest: &Digest) -> PathBuf {
        self.folder.join(format!("{digest}.queries"))
    }

    /// The two queries of a digest; nothing where they are not kept.
    ///
    /// # Errors
    /// [`KeptError`] for a file that cannot be read, is none of ours, or is not whole.
    pub fn read(
        &self,
        digest: &Digest,
        memory: &HostAllocator,
    ) -> Result<Option<[Query<G1>; 2]>, KeptError> {
        let path = self.path(digest);
        let failed = |source| KeptError::Read {
            path: path.clone(),
            source,
        };
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let length = file.metadata().map_err(failed)?.len();
        let mut reader = BufReader::new(file);
        let mut header = [0; HEADER_BYTES];
        if length < HEADER_BYTES as u64 {
            return Err(KeptError::Length {
                path: path.clone(),
                expected: HEADER_BYTES as u64,
                got: length,
            });
        }
        reader.read_exact(&mut header).map_err(failed)?;
        let lens =
            lengths(&header, digest).ok_or_else(|| KeptError::Foreign { path: path.clone() })?;
        let points = lens[0].saturating_add(lens[1]);
        let bytes = points.saturating_mul(size_of::<G1Limbs>() as u64);
        let expected = bytes.saturating_add(HEADER_BYTES as u64);
        if length != expected {
            return Err(KeptError::Length {
                path: path.clone(),
                expected,
                got: length,
            });
        }
        let mut query = |len: u64| read_query(&path, &mut reader, len, memory);
        Ok(Some([query(lens[0])?, query(lens[1])?]))
    }

    /// Keeps two queries for a digest, in place of what was kept.
    ///
    /// # Errors
    /// [`KeptError::Write`]; there is no file of ours then but the one that was.
    pub fn write(&self, digest: &Digest, queries: [&Query<G1>; 2]) -> Result<(), KeptError> {
        static PARTS: AtomicU64 = AtomicU64::new(0);
        let path = self.path(digest);
        let number = PARTS.fetch_add(1, Ordering::Relaxed);
        let part = self
            .folder
            .join(format!("{digest}.{}-{number}.part", std::process::id()));
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| write_file(&part, digest, queries))
            .and_then(|()| fs::rename(&part, &path));
        written.map_err(|source| {
            // What is left of it helps nobody; the first error is the one to tell.
            let _ = fs::remove_file(&part);
            KeptError::Write { path, source }
        })
    }
}

/// The lengths of both queries, if the header is of our format and of this digest.
fn lengths(header: &[u8; HEADER_BYTES], digest: &Digest) -> Option<[u64; 2]> {
    let (magic, rest) = header.split_first_chunk::<16>()?;
    let (of, rest) = rest.split_first_chunk::<32>()?;
    let (first, rest) = rest.split_first_chunk::<8>()?;
    let (second, _) = rest.split_first_chunk::<8>()?;
    let ours = magic == MAGIC && *of == digest.0;
    ours.then(|| [first, second].map(|len| u64::from_le_bytes(*len)))
}

fn read_query(
    path: &Path,
    reader: &mut impl Read,
    len: u64,
    memory: &HostAllocator,
) -> Result<Query<G1>, KeptError> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let limbs = memory.filled(len, |slots: &mut [G1Limbs]| {
        for (piece, slots) in slots.chunks_mut(POINTS_PER_PIECE).enumerate() {
            reader
                .read_exact(bytemuck::cast_slice_mut(slots))
                .map_err(|source| KeptError::Read {
                    path: path.to_owned(),
                    source,
                })?;
            if let Some(at) = slots.iter().position(|limbs| !limbs.is_reduced()) {
                return Err(KeptError::Point {
                    path: path.to_owned(),
                    index: piece * POINTS_PER_PIECE + at,
                });
            }
        }
        Ok(())
    })?;
    Ok(Query::from_reduced(limbs))
}

fn write_file(part: &Path, digest: &Digest, queries: [&Query<G1>; 2]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(part)?;
    let mut out = BufWriter::new(file);
    out.write_all(MAGIC)?;
    out.write_all(&digest.0)?;
    for query in queries {
        out.write_all(&(query.len() as u64).to_le_bytes())?;
    }
    for query in queries {
        for piece in query.memory().chunks(POINTS_PER_PIECE) {
            out.write_all(bytemuck::cast_slice(piece))?;
        }
    }
    out.into_inner()?.sync_all()
}
