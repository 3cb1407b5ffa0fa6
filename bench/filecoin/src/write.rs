//! Matrices and witnesses as files.

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_r1cs::{PackedWitness, Shape};

use crate::CircuitName;
use crate::measure::{checked_shape, checked_witness};
use crate::statement::Statement;

/// Writes `NAME.shape` and `NAME.witness`, and reads them back.
pub(crate) fn write<C>(name: CircuitName, statement: &Statement<C>, directory: &Path) -> Result<()>
where
    C: Circuit<Fr>,
{
    fs::create_dir_all(directory)?;
    let shape = checked_shape(statement)?;
    let bytes = shape.to_bytes();
    ensure!(
        Shape::from_bytes(&bytes)? == shape,
        "the shape came back as another"
    );
    let path = directory.join(format!("{name}.shape"));
    fs::write(&path, &bytes)?;
    println!("{}: {} bytes", path.display(), bytes.len());

    let witness = checked_witness(statement)?;
    let bytes = witness.to_bytes();
    ensure!(
        PackedWitness::from_bytes(&bytes)? == witness,
        "the witness came back as another"
    );
    let path = directory.join(format!("{name}.witness"));
    fs::write(&path, &bytes)?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}
