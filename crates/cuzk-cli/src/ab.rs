//! `cuzk ab`: settings of the switches against each other, by proofs in turn.

mod ablation;
mod args;
mod arm;
mod outcome;
pub(crate) mod statistics;
mod text;

use std::time::Instant;

use cuzk::{Blinding, Circuit, Prover, ReadOptions, Trailing};
use cuzk_picture::comparison_page;
use cuzk_record::AbResult;
use rand::rngs::OsRng;

pub(crate) use self::args::Ab;
use self::{
    args::Subject,
    arm::{Arm, Statement, check},
    outcome::outcome,
    statistics::{is_narrow, next_look},
    text::text,
};
use crate::{
    args::{Common, WitnessKind},
    bench::circuit::Chain,
    failure::Failure,
    new_file::{Existing, NewFile},
    output::Output,
    pictures::put,
    provenance::kept,
    run,
    waiting::Waiting,
};

pub(crate) fn run(args: &Ab, common: &Common, output: &mut Output) -> Result<(), Failure> {
    if let Some(fault) = args.fault() {
        return Err(Failure::bad_input(fault));
    }
    let html = args.html.as_deref();
    let html = html.map(|path| NewFile::create(path, Existing::Replace, &[]));
    let html = html.transpose()?;
    let record = args.record.create()?;
    let prover = run::prover(common)?;
    let result = match args.circuit {
        Subject::SaplingOutput => {
            turns(args, common, &sapling(cuzk_sapling::Circuit::Output, args)?)
        }
        Subject::SaplingSpend => turns(args, common, &sapling(cuzk_sapling::Circuit::Spend, args)?),
        Subject::Bits90 => {
            let statement = synthetic(WitnessKind::Bits90, args, &prover)?;
            turns(args, common, &statement)
        }
        Subject::Uniform => {
            let statement = synthetic(WitnessKind::Uniform, args, &prover)?;
            turns(args, common, &statement)
        }
    }?;
    let record = record.map(|record| {
        let what = format!("cuzk ab, proofs in turn: {}", in_words(&result));
        record.write(what, &result.arms[0].device, &result)
    });
    // A result that cannot be kept is printed all the same.
    output.result(
        || serde_json::to_value(&result).unwrap_or_default(),
        || text(&result) + &kept(record.as_ref()),
    )?;
    record.transpose()?;
    html.map_or(Ok(()), |file| {
        let title = format!("{}: settings against each other", result.circuit);
        put(file, &comparison_page(&title, &result))
    })
}

/// The settings of every arm.
fn in_words(result: &AbResult) -> String {
    let settings = result.arms.iter().map(|arm| match arm.settings.as_str() {
        "" => "the defaults",
        settings => settings,
    });
    settings.collect::<Vec<_>>().join("; ")
}

fn sapling(
    circuit: cuzk_sapling::Circuit,
    args: &Ab,
) -> Result<Statement<cuzk_sapling::Instance>, Failure> {
    Ok(Statement {
        name: circuit.name().to_owned(),
        blank: circuit.blank(),
        instance: circuit.statement(args.seed).instance,
        parameters: crate::demo::built_in(circuit)?,
        options: ReadOptions {
            trailing: Trailing::Allow,
            ..ReadOptions::pinned(circuit.parameters_digest())
        },
    })
}

/// A synthetic circuit with parameters made on the spot.
fn synthetic(kind: WitnessKind, args: &Ab, prover: &Prover) -> Result<Statement<Chain>, Failure> {
    let chain = Chain {
        constraints: args.constraints.0,
        bits_percent: kind.bits_percent(),
    };
    let parameters = prover.setup(&prover.shape(chain)?, |_| ())?;
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).map_err(cuzk::Error::from)?;
    Ok(Statement {
        name: kind.to_string(),
        blank: chain,
        instance: chain,
        parameters: bytes,
        options: ReadOptions::pinned(parameters.digest().map_err(cuzk::Error::from)?),
    })
}

fn turns<C: Circuit + Clone + Send>(
    args: &Ab,
    common: &Common,
    statement: &Statement<C>,
) -> Result<AbResult, Failure> {
    let _waiting = Waiting::for_work(common, "proving in turn");
    let mut arms = Vec::new();
    for (name, settings) in args.arms() {
        let mut arm = Arm::prepare(name, &settings, statement, common)?;
        arm.clock = args.clock.into();
        arms.push(arm);
    }
    if let Some(stall) = &args.stall {
        let arm = arms.iter_mut().find(|arm| arm.name == stall.arm);
        let none = || Failure::bad_input(format!("no arm is named {:?}", stall.arm));
        arm.ok_or_else(none)?.stall = Some(stall.clone());
    }
    // Once each that is not counted.
    round(&mut arms, args.circuits, statement, false)?;
    arms.iter_mut().for_each(|arm| arm.reports.clear());
    let started = Instant::now();
    let mut look = next_look(0);
    let narrow = loop {
        let rounds = arms[0].reports.len();
        let ended = started.elapsed() >= args.budget.0;
        if rounds >= look || ended {
            let narrow = all_narrow(&arms, args);
            if narrow || ended {
                break narrow;
            }
            look = next_look(rounds);
        }
        round(&mut arms, args.circuits, statement, rounds % 2 == 1)?;
    };
    let elapsed = started.elapsed();
    Ok(outcome(&statement.name, args, &arms, narrow, elapsed))
}

/// A run of every arm, in order or backwards.
fn round<C: Circuit + Clone + Send>(
    arms: &mut [Arm],
    circuits: usize,
    statement: &Statement<C>,
    backwards: bool,
) -> Result<(), Failure> {
    let blinding = Blinding::random(OsRng);
    let mut order: Vec<usize> = (0..arms.len()).collect();
    if backwards {
        order.reverse();
    }
    let mut proofs = vec![Vec::new(); arms.len()];
    for i in order {
        let instances = vec![statement.instance.clone(); circuits];
        let (proved, report) = arms[i].run(instances, &blinding)?;
        proofs[i] = proved;
        arms[i].reports.push(report);
    }
    // The proofs of a batch have blindings of their own.
    let expected = match &proofs[0][..] {
        [one] => Some(one.proof),
        _ => None,
    };
    for (arm, proofs) in arms.iter().zip(&proofs) {
        check(arms[0].compiled(), proofs, expected.as_ref(), &arm.name)?;
    }
    Ok(())
}

/// Whether the interval of every ratio of whole runs is as narrow as asked.
fn all_narrow(arms: &[Arm], args: &Ab) -> bool {
    let a = arms[0].totals();
    let mut others = arms[1..].iter();
    others.all(|arm| is_narrow(&a, &arm.totals(), args.width.0, args.seed))
}
