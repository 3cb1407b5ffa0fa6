//! Files that are written: whole or not at all.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::failure::{Failure, chain};

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Keep,
    Replace,
}

/// A file to be: written beside its place, and moved there when it is whole.
///
/// A command that fails leaves what was there before, and nothing where nothing was. It is made
/// before the work begins, so that no work is lost to a missing folder.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// `part` goes to `target`.
    Beside { part: Part, target: PathBuf },
    /// A device or a pipe is written as it is.
    Straight(File),
}

/// A file that goes when this drops, unless it was moved.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    file: File,
}

impl NewFile {
    /// Prepares to write `path`, which must be none of the files in `others`.
    pub(crate) fn create(
        path: &Path,
        existing: Existing,
        others: &[&Path],
    ) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::file("creating", path, &error);
        let target = resolved(path);
        if let Some(other) = others.iter().find(|other| resolved(other) == target) {
            return Err(Failure::bad_input(format!(
                "creating {} failed: {} is the same file",
                path.display(),
                other.display()
            ))
            .with_hint("give each file that is written a place of its own"));
        }
        let place = match fs::metadata(path) {
            Ok(there) if there.is_file() => match existing {
                Existing::Keep => return Err(exists(path)),
                Existing::Replace => Place::beside(target).map_err(failed)?,
            },
            // A folder says so itself.
            Ok(_) => Place::Straight(OpenOptions::new().write(true).open(path).map_err(failed)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Place::beside(target).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            path: path.to_owned(),
            place,
        })
    }

    /// Writes the content, all of it.
    pub(crate) fn fill<E: std::error::Error>(
        &mut self,
        content: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), Failure> {
        let failed = |error: &dyn std::error::Error| Failure::file("writing", &self.path, error);
        let file = match &self.place {
            Place::Beside { part, .. } => &part.file,
            Place::Straight(file) => {
                // What was there goes now and not before; a device has no length to set.
                if file.metadata().is_ok_and(|there| there.is_file()) {
                    file.set_len(0).map_err(|error| failed(&error))?;
                }
                file
            }
        };
        let mut buffered = BufWriter::with_capacity(1 << 20, file);
        let written = content(&mut buffered);
        // The bytes behind an error are nobody's.
        let flushed = buffered.into_inner().map(|_| ());
        written.map_err(|error| failed(&error))?;
        flushed.map_err(|error| failed(error.error()))
    }

    /// Puts the file in its place.
    pub(crate) fn put(self) -> Result<(), Failure> {
        match &self.place {
            // A file that cannot be moved upon, as one that is mounted, may be filled yet.
            Place::Beside { part, target } => fs::rename(&part.path, target)
                .or_else(|_| fs::copy(&part.path, target).map(drop))
                .map_err(|error| Failure::file("writing", &self.path, &error)),
            Place::Straight(_) => Ok(()),
        }
    }
}

impl Place {
    fn beside(target: PathBuf) -> io::Result<Self> {
        let mut name = OsString::from(".");
        name.push(target.file_name().ok_or(io::ErrorKind::InvalidInput)?);
        name.push(format!(".{}.part", std::process::id()));
        let path = target.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        match file {
            Ok(file) => {
                let part = Part { path, file };
                if let Ok(there) = fs::metadata(&target) {
                    part.file.set_permissions(there.permissions())?;
                }
                Ok(Self::Beside { part, target })
            }
            // A file that may be written, in a folder that may not.
            Err(error) => match OpenOptions::new().write(true).open(&target) {
                Ok(file) => Ok(Self::Straight(file)),
                Err(_) => Err(error),
            },
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Gone already where it was moved.
        let _ = fs::remove_file(&self.path);
    }
}

fn exists(path: &Path) -> Failure {
    let error = io::Error::from(io::ErrorKind::AlreadyExists);
    Failure::bad_input(format!(
        "creating {} failed: {}",
        path.display(),
        chain(&error)
    ))
    .with_hint("overwrite it with --force")
}

/// The path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let whole = fs::canonicalize(path);
    whole.unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => {
            let folder = if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            };
            let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
            folder.join(name)
        }
        _ => path.to_owned(),
    })
}
