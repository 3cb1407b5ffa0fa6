//! The command line.

use std::{io::Write, path::PathBuf, process::ExitCode};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use cuzk::{Backend, Devices, HostMemory, Lanes, Tuning};

use crate::{
    ab::Ab, bench::pipeline::BenchPipeline, failure::BAD_INPUT, pictures::PictureArgs,
    provenance::RecordArgs,
};

/// A Groth16 prover for BLS12-381.
#[derive(Debug, Parser)]
#[command(name = "cuzk", version, about, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, ClapArgs)]
pub(crate) struct Common {
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Worker threads, the same as --set threads=N; by default one for each processor this
    /// program may use.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Which machine proves: auto, cpu or cuda; auto takes a device for circuits of 2^8 rows and more.
    #[arg(long, global = true, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Which CUDA devices: all, or indices and beginnings of UUIDs, separated by commas.
    #[arg(long, global = true, value_name = "LIST", default_value = "0")]
    pub(crate) device: Devices,
    /// Set a switch, any number of times; cuzk doctor lists them.
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Read switches from a TOML file; what is set on the command line stands above it.
    #[arg(long = "tuning", global = true, value_name = "FILE")]
    pub(crate) tuning_file: Option<PathBuf>,
    /// The same as --set host-memory=STRATEGY: pageable, registered, staged or auto.
    #[arg(long, global = true, value_name = "STRATEGY")]
    pub(crate) host_memory: Option<HostMemory>,
    /// The same as --set memory-budget=BYTES: the most that is held on a CUDA device, such as 8GiB.
    #[arg(long, global = true, value_name = "BYTES")]
    pub(crate) memory_budget: Option<String>,
    /// The same as --set lanes=ARITHMETIC: detect or portable.
    #[arg(long, global = true, value_name = "ARITHMETIC", value_enum)]
    pub(crate) lanes: Option<LanesArg>,
    /// Keep in this folder what is costly to derive from parameters: the queries of
    /// --set quotient=four.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// What the options before say together.
    #[arg(skip)]
    pub(crate) tuning: Tuning,
    /// Say on standard error what is done; twice for every phase.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// [`Lanes`] as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanesArg {
    /// Eight lanes where the processor has them.
    Detect,
    /// One element at a time.
    Portable,
}

impl From<LanesArg> for Lanes {
    fn from(word: LanesArg) -> Self {
        match word {
            LanesArg::Detect => Self::Detect,
            LanesArg::Portable => Self::Portable,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prove a random valid statement of a real circuit with its real parameters.
    Demo(Demo),
    /// Generate parameters for a circuit, for tests or where prover and verifier are one.
    Setup(Setup),
    /// Prove a witness of a circuit, and verify the proof.
    Prove(Prove),
    /// Verify a proof.
    Verify(Verify),
    /// Say what files hold, and check them.
    Inspect(Inspect),
    /// Measure.
    #[command(subcommand)]
    Bench(Bench),
    /// Compare settings of the switches, by proofs in turn.
    Ab(Ab),
    /// Work with results that are kept.
    #[command(subcommand)]
    Records(Records),
    /// Say what this machine has to prove with, try it, and list the switches.
    Doctor(Doctor),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Records {
    /// Compare the settings that two results of ab have in common.
    Compare(CompareRecords),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompareRecords {
    /// The earlier record.
    pub(crate) first: PathBuf,
    /// The later one.
    pub(crate) second: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Time proofs of a synthetic or recorded circuit, with parameters made on the spot.
    Prove(BenchProve),
    /// Time proofs with their witness passes: one by one, as a batch, in a pipeline.
    Pipeline(BenchPipeline),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchProve {
    /// Constraints of the synthetic circuit: a number, or a power as 2^20; of several, one after
    /// the other, with commas between them.
    #[arg(long, default_value = "2^18", value_delimiter = ',')]
    pub(crate) constraints: Vec<Constraints>,
    /// What its witness holds.
    #[arg(long, value_enum, default_value_t = WitnessKind::Bits90)]
    pub(crate) witness: WitnessKind,
    /// Take a recorded circuit: its shape, in the form of cuzk-r1cs.
    #[arg(
        long,
        value_name = "FILE",
        requires = "witness_file",
        conflicts_with = "constraints"
    )]
    pub(crate) shape: Option<PathBuf>,
    /// The witness of the recorded circuit, packed.
    #[arg(
        long,
        value_name = "FILE",
        requires = "shape",
        conflicts_with = "witness"
    )]
    pub(crate) witness_file: Option<PathBuf>,
    /// Proofs that go through together, besides those made one by one.
    #[arg(long, default_value_t = 4, value_parser = batch_size)]
    pub(crate) circuits: usize,
    /// Times that each is measured, after one that is not counted.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) rounds: u16,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
}

/// Constraints of a synthetic circuit, 1 to 2^28 - 2: those and the rows of the inputs fill a
/// domain of 2^28.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Constraints(pub(crate) usize);

impl std::str::FromStr for Constraints {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        const MAX: usize = (1 << 28) - 2;
        let number = match word.strip_prefix("2^") {
            // Two rows are those of the inputs: a power means what just fills a domain.
            Some(exponent) => exponent
                .parse::<u32>()
                .ok()
                .filter(|exponent| (2..=28).contains(exponent))
                .map(|exponent| (1 << exponent) - 2),
            None => word.parse().ok(),
        };
        match number {
            Some(number) if (1..=MAX).contains(&number) => Ok(Self(number)),
            _ => Err(format!("expected 1 to {MAX}, or 2^2 to 2^28, got {word:?}")),
        }
    }
}

pub(crate) fn batch_size(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err(format!("expected 1 to 256 proofs, got {word:?}")),
    }
}

/// What a synthetic witness holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WitnessKind {
    /// Full-size values.
    Uniform,
    /// Bits, nine of ten.
    Bits90,
}

impl WitnessKind {
    /// The word of the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Bits90 => "bits90",
        }
    }

    pub(crate) fn bits_percent(self) -> usize {
        match self {
            Self::Uniform => 0,
            Self::Bits90 => 90,
        }
    }
}

impl std::fmt::Display for WitnessKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Uniform => "uniform values",
            Self::Bits90 => "bits, 90 %",
        })
    }
}

/// A key for which a plan is made.
#[derive(Debug, ClapArgs)]
pub(crate) struct Doctor {
    /// Also plan the device's memory for the key of these parameters.
    #[arg(long, value_name = "FILE", conflicts_with = "constraints")]
    pub(crate) parameters: Option<PathBuf>,
    /// Also plan it for a circuit of so many constraints, a number or a power as 2^22.
    #[arg(long)]
    pub(crate) constraints: Option<Constraints>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Demo {
    /// sapling-output or sapling-spend.
    pub(crate) circuit: cuzk_sapling::Circuit,
    /// The seed of the statement; by default a random one, which is printed.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Read these parameters instead of those that come with the program.
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// What is checked of the parameters' points; by default their digest.
    #[arg(long, value_enum, default_value_t = CheckArg::Digest)]
    pub(crate) check: CheckArg,
    /// Write the proof, with its public inputs, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Setup {
    /// The circuit, in iden3's format over BLS12-381.
    #[arg(long, value_name = "FILE")]
    pub(crate) r1cs: PathBuf,
    /// Where the parameters go; an existing file is left alone unless --force is given.
    #[arg(long, value_name = "FILE")]
    pub(crate) params: PathBuf,
    /// Where the verifying key goes.
    #[arg(long, value_name = "FILE")]
    pub(crate) vk: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Prove {
    /// The circuit, in iden3's format over BLS12-381.
    #[arg(long, value_name = "FILE")]
    pub(crate) r1cs: PathBuf,
    /// The witness, in iden3's format.
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: PathBuf,
    /// The circuit's parameters.
    #[arg(long, value_name = "FILE")]
    pub(crate) params: PathBuf,
    /// What is checked of the parameters' points.
    #[arg(long, value_enum, default_value_t = CheckArg::Curve)]
    pub(crate) check: CheckArg,
    /// The digest that the parameters must have (SHA-256, as inspect prints it).
    #[arg(long, value_name = "HEX")]
    pub(crate) digest: Option<cuzk::Digest>,
    /// Take parameters with bytes after the last section, such as a ceremony's transcript.
    #[arg(long)]
    pub(crate) allow_trailing: bool,
    /// Write the proof, with its public inputs, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// The verifying key, or parameters, which begin with it.
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The proof: JSON as prove writes it, 192 bytes, or their hexadecimal digits.
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: PathBuf,
    /// The public inputs, decimal or 0x…, separated by commas; by default those in the proof's
    /// file.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) inputs: Option<Vec<String>>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Inspect {
    /// Parameters, verifying keys, .r1cs, .wtns or proofs.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What is checked of the points of parameters.
    #[arg(long, value_enum, default_value_t = CheckArg::Curve)]
    pub(crate) check: CheckArg,
}

/// How far points are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckArg {
    /// The digest alone, which must be known.
    Digest,
    /// The curve equation.
    Curve,
    /// The subgroup of prime order.
    Subgroup,
}

impl From<CheckArg> for cuzk::Check {
    fn from(word: CheckArg) -> Self {
        match word {
            CheckArg::Digest => Self::Digest,
            CheckArg::Curve => Self::OnCurve,
            CheckArg::Subgroup => Self::Subgroup,
        }
    }
}

/// Prints help to standard output, a usage error to standard error, and gives the exit code.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render();
    if error.use_stderr() {
        // A closed stream takes the message; the exit code stays.
        let _ = write!(std::io::stderr(), "{text}");
        ExitCode::from(BAD_INPUT)
    } else {
        let _ = write!(std::io::stdout(), "{text}");
        ExitCode::SUCCESS
    }
}
