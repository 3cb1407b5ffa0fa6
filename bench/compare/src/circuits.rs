mod bits;
mod mimc;
mod replay;
mod sha256;

use std::{fmt, str::FromStr};

use anyhow::{Error, Result, bail};
use cuzk_sapling::{Instance, Statement};

pub(crate) use self::{mimc::MimcChain, replay::Replay, sha256::Sha256Chain};
use crate::system::Circuit;

/// A circuit by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CircuitName {
    Sapling(cuzk_sapling::Circuit),
    /// A chain of so many SHA-256 hashes; ten need a domain of 2^18.
    Sha256 {
        links: usize,
    },
    /// A MiMC chain of so many constraints.
    Mimc {
        constraints: usize,
    },
}

impl FromStr for CircuitName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        if let Ok(circuit) = name.parse() {
            return Ok(Self::Sapling(circuit));
        }
        Ok(match name.split_once('x') {
            Some(("sha256", links)) => Self::Sha256 {
                links: links.parse()?,
            },
            Some(("mimc", constraints)) => Self::Mimc {
                constraints: constraints.parse()?,
            },
            _ => bail!(
                "no circuit is called {name}; there are sapling-spend, sapling-output, \
                     sha256x<links> (sha256x10) and mimcx<constraints> (mimcx262000)"
            ),
        })
    }
}

impl fmt::Display for CircuitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sapling(circuit) => f.write_str(circuit.name()),
            Self::Sha256 { links } => write!(f, "sha256x{links}"),
            Self::Mimc { constraints } => write!(f, "mimcx{constraints}"),
        }
    }
}

/// Work that is done with a circuit, whichever it is.
pub(crate) trait Task {
    type Output;

    /// With a circuit of this program's own, which every prover synthesizes.
    fn generic<C: Circuit + 'static>(self, circuit: C) -> Result<Self::Output>;

    /// With a circuit of Sapling's, which is written for `bellman`.
    fn sapling(self, statement: Statement) -> Result<Self::Output>;
}

/// Sapling's circuit as provers take it whose trait it is not written for.
pub(crate) fn recorded(instance: &Instance) -> Result<Replay> {
    let shape = cuzk_synth::shape(instance.clone())?;
    Ok(Replay::new(shape, cuzk_synth::witness(instance.clone())?))
}

impl CircuitName {
    /// Does `task` with this circuit; `seed` decides the statement.
    pub(crate) fn with<T: Task>(self, seed: u64, task: T) -> Result<T::Output> {
        match self {
            Self::Sapling(circuit) => task.sapling(circuit.statement(seed)),
            Self::Sha256 { links } => task.generic(Sha256Chain::new(links, seed)),
            Self::Mimc { constraints } => task.generic(MimcChain::new(constraints, seed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provers::OnCuzk;

    fn holds(circuit: impl Circuit, constraints: usize) {
        let counts = cuzk_synth::check(OnCuzk(circuit.clone())).expect("all constraints hold");
        assert_eq!(counts.constraints, constraints);
        let witness = cuzk_synth::witness(OnCuzk(circuit.clone())).expect("a witness");
        assert_eq!(
            witness.public_inputs(),
            circuit.public_inputs::<blstrs::Scalar>()
        );
    }

    /// The public inputs are computed with the `sha2` crate.
    #[test]
    fn the_sha256_circuit_computes_sha256() {
        holds(Sha256Chain::new(1, 7), 25_726);
        holds(Sha256Chain::new(2, 8), 51_194);
    }

    #[test]
    fn the_mimc_circuit_computes_its_chain() {
        holds(MimcChain::new(700, 7), 700);
    }

    #[test]
    fn a_replay_has_the_matrices_and_the_witness_of_what_was_recorded() {
        let circuit = Sha256Chain::new(1, 7);
        let shape = cuzk_synth::shape(OnCuzk(circuit.clone())).expect("a shape");
        let witness = cuzk_synth::witness(OnCuzk(circuit)).expect("a witness");
        let replay = Replay::new(shape.clone(), witness.clone());
        let replayed = cuzk_synth::shape(OnCuzk(replay.clone())).expect("a shape");
        assert!(replayed == shape);
        let replayed = cuzk_synth::witness(OnCuzk(replay)).expect("a witness");
        assert!(replayed == witness);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "sapling-spend",
            "sapling-output",
            "sha256x10",
            "mimcx262000",
        ] {
            let circuit: CircuitName = name.parse().expect("a circuit's name");
            assert_eq!(circuit.to_string(), name);
        }
        assert!("sha256".parse::<CircuitName>().is_err());
        assert!("mimcxyz".parse::<CircuitName>().is_err());
    }
}
