use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use cuzk_measure::measured;
use cuzk_params::{Check, ParameterFile, ReadOptions, Trailing};

use crate::{
    circuits::CircuitName,
    contest::{Common, Contender, Encode},
    setup,
};

/// Reading parameter files, from the page cache.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadContest {
    /// The circuits, as for `prove`.
    #[arg(
        long = "circuit",
        value_delimiter = ',',
        default_value = "sapling-output,sapling-spend"
    )]
    circuits: Vec<CircuitName>,
    /// Also with every point checked to lie in its subgroup; the others need half a minute
    /// for Sapling's spend parameters.
    #[arg(long)]
    checked: bool,
    /// Where parameter files are kept.
    #[arg(long, default_value = setup::DIRECTORY)]
    params_dir: PathBuf,
    #[command(flatten)]
    common: Common,
}

impl ReadContest {
    pub(crate) fn run(&self) -> Result<()> {
        let provenance = self.common.begin()?;
        let mut rows = Vec::new();
        for &circuit in &self.circuits {
            let path = setup::parameters(&self.params_dir, circuit)?;
            let digest = ParameterFile::open(&path)?.read(&ceremony())?.digest;
            let pinned = ReadOptions {
                check: Check::Digest,
                digest: Some(digest),
                ..ceremony()
            };
            let contenders = vec![
                bellman("bellman, nothing checked", &path, false),
                bellperson("bellperson, nothing checked", &path, false),
                own("cuzk, on the curve", &path, ceremony()),
                own("cuzk, pinned digest", &path, pinned),
            ];
            let what = format!("read {circuit}");
            rows.extend(self.common.contest(&what, false, contenders)?);
            if self.checked {
                let in_subgroup = ReadOptions {
                    check: Check::Subgroup,
                    ..ceremony()
                };
                let contenders = vec![
                    bellman("bellman, subgroup", &path, true),
                    bellperson("bellperson, subgroup", &path, true),
                    own("cuzk, subgroup", &path, in_subgroup),
                ];
                let what = format!("read {circuit} checked");
                rows.extend(self.common.contest(&what, false, contenders)?);
            }
        }
        self.common.end(provenance, "read", &rows)
    }
}

/// Ceremony files carry their transcript after the parameters.
fn ceremony() -> ReadOptions {
    ReadOptions {
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    }
}

fn nothing() -> Encode {
    Box::new(Vec::new)
}

fn bellman<'a>(name: &'static str, path: &'a Path, checked: bool) -> Contender<'a> {
    use bellman::groth16::Parameters;
    Contender::new(name, move || {
        let (parameters, cost) = measured(|| {
            let bytes = std::fs::read(path)?;
            Parameters::<bls12_381::Bls12>::read(&bytes[..], checked)
        });
        drop(parameters?);
        Ok((cost, nothing()))
    })
}

fn bellperson<'a>(name: &'static str, path: &'a Path, checked: bool) -> Contender<'a> {
    use bellperson::groth16::Parameters;
    Contender::new(name, move || {
        let (parameters, cost) = measured(|| {
            let bytes = std::fs::read(path)?;
            Parameters::<blstrs::Bls12>::read(&bytes[..], checked)
        });
        drop(parameters?);
        Ok((cost, nothing()))
    })
}

fn own<'a>(name: &'static str, path: &'a Path, options: ReadOptions) -> Contender<'a> {
    Contender::new(name, move || {
        let (loaded, cost) = measured(|| ParameterFile::open(path)?.read(&options));
        drop(loaded?);
        Ok((cost, nothing()))
    })
}
