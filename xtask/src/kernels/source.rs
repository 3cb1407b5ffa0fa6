//! The CUDA sources: each `.cu` with the headers that it includes, and their digest.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

/// A `.cu` file and everything of ours that it includes, by path below `cuda-kernels/`.
pub(crate) struct Source {
    /// The file name without suffix.
    pub(crate) name: String,
    texts: BTreeMap<String, String>,
}

/// Every `.cu` of `cuda-kernels/src`, in the order of their names.
pub(crate) fn all(root: &Path) -> anyhow::Result<Vec<Source>> {
    let directory = root.join("cuda-kernels");
    let mut names = super::ptx::stems(&directory.join("src"), "cu")?;
    names.sort();
    names
        .into_iter()
        .map(|name| Source::read(&directory, name))
        .collect()
}

impl Source {
    fn read(directory: &Path, name: String) -> anyhow::Result<Self> {
        let mut texts = BTreeMap::new();
        let mut to_read = vec![format!("src/{name}.cu")];
        while let Some(path) = to_read.pop() {
            if texts.contains_key(&path) {
                continue;
            }
            let text = std::fs::read_to_string(directory.join(&path))
                .with_context(|| format!("reading cuda-kernels/{path}"))?;
            to_read.extend(includes(&text).map(|header| format!("include/{header}")));
            texts.insert(path, text);
        }
        Ok(Self { name, texts })
    }

    /// Of the flags, then of every text after its path; each with its length before it.
    pub(crate) fn digest(&self, flags: &[String]) -> String {
        let mut hasher = Sha256::new();
        let mut add = |text: &str| {
            hasher.update(
                u64::try_from(text.len())
                    .expect("a length fits")
                    .to_le_bytes(),
            );
            hasher.update(text);
        };
        add(super::toolkit::RELEASE);
        add(super::PTX_VERSION);
        flags.iter().for_each(|flag| add(flag));
        for (path, text) in &self.texts {
            add(path);
            add(text);
        }
        hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// What `#include "…"` names; system headers, in angle brackets, belong to the compiler.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        rest.strip_prefix("include")?
            .trim_start()
            .strip_prefix('"')?
            .split('"')
            .next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(texts: &[(&str, &str)]) -> Source {
        let texts = texts
            .iter()
            .map(|(path, text)| (path.to_string(), text.to_string()));
        Source {
            name: "k".into(),
            texts: texts.collect(),
        }
    }

    #[test]
    fn the_digest_follows_texts_paths_and_flags() {
        let flags = ["-O3".to_owned()];
        let base = source(&[("src/k.cu", "a"), ("include/h", "b")]).digest(&flags);
        assert_eq!(
            base,
            source(&[("src/k.cu", "a"), ("include/h", "b")]).digest(&flags)
        );
        assert_ne!(
            base,
            source(&[("src/k.cu", "a"), ("include/h", "c")]).digest(&flags)
        );
        assert_ne!(
            base,
            source(&[("src/k.cu", "a"), ("include/i", "b")]).digest(&flags)
        );
        assert_ne!(
            base,
            source(&[("src/k.cu", "ab"), ("include/h", "")]).digest(&flags)
        );
        assert_ne!(
            base,
            source(&[("src/k.cu", "a"), ("include/h", "b")]).digest(&[])
        );
    }

    #[test]
    fn includes_are_found_and_system_headers_left() {
        let text =
            "#include \"cuzk/a.cuh\"\n  # include \"cuzk/b.cuh\" // why\n#include <cstdint>\n";
        assert_eq!(
            includes(text).collect::<Vec<_>>(),
            ["cuzk/a.cuh", "cuzk/b.cuh"]
        );
    }

    #[test]
    fn the_headers_of_a_kernel_file_are_part_of_it() -> anyhow::Result<()> {
        let sources = all(&crate::repository::root())?;
        let testing = sources
            .iter()
            .find(|s| s.name == "testing_fr")
            .context("testing_fr.cu is there")?;
        assert!(testing.texts.contains_key("include/cuzk/arith/carry.cuh"));
        assert!(
            testing
                .texts
                .contains_key("include/cuzk/field/constants.cuh")
        );
        Ok(())
    }
}
