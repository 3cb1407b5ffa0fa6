//! Parameter files.

use crate::{Layout, Loaded, Parameters, ParamsError, ReadOptions, Section, source::Source};
use std::{
    fs::{self, File},
    io::{Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// An open parameter file whose counts agree with its length.
///
/// The file is read, not mapped: the bytes that are checked are the bytes that are used, and a
/// file that is cut while it is read gives [`ParamsError::Truncated`], where a mapping would
/// end the process with a signal.
#[derive(Debug)]
pub struct ParameterFile {
    path: PathBuf,
    file: File,
    layout: Layout,
}

impl ParameterFile {
    /// Opens a file and looks at its layout, a few bytes only.
    ///
    /// # Errors
    /// [`ParamsError::Open`] if there is no such file, [`ParamsError::NotAFile`] for a folder,
    /// a pipe or a device, and those of [`Layout::scan`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ParamsError> {
        let path = path.as_ref().to_owned();
        // Before it is opened, which would wait for a pipe's other end.
        if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(ParamsError::NotAFile { path });
        }
        let opened = File::open(&path).and_then(|file| {
            let length = file.metadata()?.len();
            Ok((file, length))
        });
        match opened {
            Ok((mut file, length)) => {
                let layout = Layout::scan(&mut file, length)?;
                Ok(Self { path, file, layout })
            }
            Err(source) => Err(ParamsError::Open { path, source }),
        }
    }

    /// The path it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its sections lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Reads, checks and decodes the parameters, in the current `rayon` pool.
    ///
    /// # Errors
    /// [`ParamsError`] naming section, index and offset; also if the file has changed since it
    /// was opened.
    pub fn read(&mut self, options: &ReadOptions) -> Result<Loaded, ParamsError> {
        self.file
            .seek(SeekFrom::Start(0))
            .map_err(|source| ParamsError::Read {
                section: Section::AlphaG1,
                offset: 0,
                source,
            })?;
        Parameters::read_laid_out(Source::Reader(&mut self.file), &self.layout, options)
    }
}
