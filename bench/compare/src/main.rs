//! Proves the same circuits with `bellman`, `bellperson`, `ark-groth16` and `cuzk`, on the
//! same parameters and blinding, and compares proof bytes, time and memory.

mod child;
mod circuits;
mod compare;
mod contest;
mod msm;
mod ntt;
mod provers;
mod read;
mod scalar;
mod setup;
mod stock;
mod synthesis;
mod system;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cuzk-compare", about, version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Whole proofs, side by side.
    Prove(compare::Compare),
    /// Multi-scalar multiplications.
    Msm(msm::MsmContest),
    /// Number-theoretic transforms.
    Ntt(ntt::NttContest),
    /// Synthesis: the passes of cuzk against recordings by other libraries.
    Synthesis(synthesis::SynthesisContest),
    /// Reading parameter files.
    Read(read::ReadContest),
    /// One prover in this process; used by `prove`.
    #[command(hide = true)]
    Child(child::Job),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Prove(compare) => compare.run(),
        Command::Msm(contest) => contest.run(),
        Command::Ntt(contest) => contest.run(),
        Command::Synthesis(contest) => contest.run(),
        Command::Read(contest) => contest.run(),
        Command::Child(job) => {
            println!("{}", serde_json::to_string(&job.run()?)?);
            Ok(())
        }
    }
}
