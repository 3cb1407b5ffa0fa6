//! The text of the repository, held in memory so that a check can be shown a small false one.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

/// Suffixes of the files that some check reads.
const TEXT: [&str; 5] = [".rs", ".toml", ".md", ".cu", ".cuh"];

/// The root of the checkout, known from where this crate stands in it.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Paths relative to the root, with `/` between their parts, and the text of each file.
#[derive(Debug, Default)]
pub(crate) struct Repository {
    files: BTreeMap<String, String>,
}

impl Repository {
    /// Reads every text file below `root`, but nothing hidden and nothing that a build made.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut repository = Self::default();
        repository.read_directory(root, "")?;
        Ok(repository)
    }

    fn read_directory(&mut self, directory: &Path, prefix: &str) -> anyhow::Result<()> {
        let entries =
            fs::read_dir(directory).with_context(|| format!("listing {}", directory.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() && !name.starts_with('.') && name != "target" {
                self.read_directory(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() && TEXT.iter().any(|suffix| name.ends_with(suffix)) {
                let text = fs::read_to_string(entry.path())
                    .with_context(|| format!("reading {}", entry.path().display()))?;
                self.files.insert(path, text);
            }
        }
        Ok(())
    }

    /// The text of one file, if it is there.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Every file below `prefix` whose name ends in `suffix`, in the order of their paths.
    pub(crate) fn files<'a>(
        &'a self,
        prefix: &'a str,
        suffix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .filter(move |(path, _)| path.starts_with(prefix) && path.ends_with(suffix))
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// A repository of these files alone.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| (path.to_string(), text.to_string()));
        Self {
            files: files.collect(),
        }
    }
}

/// The number of the first line of `text` that contains `needle`, from 1; 1 if none does.
pub(crate) fn line_of(text: &str, needle: &str) -> usize {
    text.lines()
        .position(|line| line.contains(needle))
        .map_or(1, |index| index + 1)
}
