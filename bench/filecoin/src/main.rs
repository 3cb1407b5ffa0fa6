//! Runs the circuits of `storage-proofs`, unchanged, through cuzk: their sizes against known
//! ones, the witness pass against the direct pass, and the proofs against `bellperson`'s.
//!
//! The published parameters of these circuits are not used: parameters are made here, once,
//! good for measurements and for nothing else.

mod measure;
mod porep;
mod post;
mod statement;
mod update;
mod write;

use std::{fmt, path::PathBuf};

use clap::{Parser, Subcommand, ValueEnum};

/// The circuits, over sectors of 2 KiB with the numbers of challenges of production.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CircuitName {
    Window,
    Winning,
    Update,
    Porep,
}

impl fmt::Display for CircuitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Window => "window-2kib",
            Self::Winning => "winning-2kib",
            Self::Update => "update-2kib",
            Self::Porep => "porep-2kib",
        })
    }
}

#[derive(Debug, Parser)]
#[command(name = "cuzk-bench-filecoin", about, version)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The circuits.
    #[arg(long = "circuit", required = true)]
    circuits: Vec<CircuitName>,
    #[command(flatten)]
    options: measure::Options,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the matrices and a witness of circuits as files, for `cuzk-bench-spmv`.
    Write {
        /// The circuits.
        #[arg(long = "circuit", required = true)]
        circuits: Vec<CircuitName>,
        /// Where the files go, two for each circuit.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/shapes"))]
        directory: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(Command::Write {
        circuits,
        directory,
    }) = arguments.command
    {
        for name in circuits {
            match name {
                CircuitName::Window => write::write(name, &post::window()?, &directory)?,
                CircuitName::Winning => write::write(name, &post::winning()?, &directory)?,
                CircuitName::Update => write::write(name, &update::update()?, &directory)?,
                CircuitName::Porep => write::write(name, &porep::porep()?, &directory)?,
            }
        }
        return Ok(());
    }
    let options = arguments.options;
    for name in arguments.circuits {
        match name {
            CircuitName::Window => options.run(name, &post::window()?)?,
            CircuitName::Winning => options.run(name, &post::winning()?)?,
            CircuitName::Update => options.run(name, &update::update()?)?,
            CircuitName::Porep => options.run(name, &porep::porep()?)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{
        measure::{checked_shape, checked_witness},
        post,
    };

    /// The circuit builds parts by `ConstraintSystem::new` where the system is extensible; a
    /// system whose parts begin with a constant one of their own makes an input too many for
    /// each.
    #[test]
    fn a_circuit_that_builds_parts_has_no_surplus_inputs() {
        let statement = post::window().expect("a statement");
        let shape = checked_shape(&statement).expect("the known size");
        assert_eq!(shape.num_inputs(), 23);
        let witness = checked_witness(&statement).expect("a witness that satisfies all");
        assert_eq!(witness.num_inputs(), 23);
    }
}
