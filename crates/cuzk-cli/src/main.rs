#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ab;
mod args;
mod bench;
mod circuit_file;
mod demo;
mod doctor;
mod failure;
mod inspect;
mod new_file;
mod output;
mod pictures;
mod proof_file;
mod prove;
mod provenance;
mod records;
mod run;
mod scalar_text;
mod setup;
mod verify;
mod waiting;

use std::process::ExitCode;

use args::{Args, Bench, Command, Records};
use clap::Parser;
use output::Output;

fn main() -> ExitCode {
    let mut args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return args::usage(&error),
    };
    run::init_tracing(args.common.verbose);
    let mut output = Output::new(&args.common);
    match run::tuning(&args.common) {
        Ok(tuning) => args.common.tuning = tuning,
        Err(failure) => return output.fail(&failure),
    }
    let outcome = match &args.command {
        Command::Demo(command) => demo::run(command, &args.common, &mut output),
        Command::Setup(command) => setup::run(command, &args.common, &mut output),
        Command::Prove(command) => prove::run(command, &args.common, &mut output),
        Command::Verify(command) => verify::run(command, &args.common, &mut output),
        Command::Inspect(command) => inspect::run(command, &args.common, &mut output),
        Command::Bench(Bench::Prove(command)) => bench::prove(command, &args.common, &mut output),
        Command::Bench(Bench::Pipeline(command)) => {
            bench::pipeline::run(command, &args.common, &mut output)
        }
        Command::Ab(command) => ab::run(command, &args.common, &mut output),
        Command::Records(Records::Compare(command)) => records::compare(command, &mut output),
        Command::Doctor(command) => doctor::run(command, &args.common, &mut output),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output.fail(&failure),
    }
}
