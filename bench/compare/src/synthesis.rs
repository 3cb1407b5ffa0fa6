use anyhow::Result;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, OptimizationGoal, SynthesisMode,
};
use clap::Args;
use cuzk_measure::measured;
use cuzk_sapling::Statement;
use cuzk_synth::DirectOptions;

use crate::{
    circuits::{CircuitName, Task, recorded},
    contest::{Common, Contender, Encode, Row},
    provers::{OnArk, OnBellman, OnBellperson, OnCuzk},
    stock::{of_bellman, of_bellperson},
    system::Circuit,
};

/// Synthesis of the same circuits: the passes of cuzk against recordings by others.
#[derive(Debug, Clone, Args)]
pub(crate) struct SynthesisContest {
    /// The circuits, as for `prove`.
    #[arg(
        long = "circuit",
        value_delimiter = ',',
        default_value = "sapling-output,sapling-spend,sha256x10,mimcx262000"
    )]
    circuits: Vec<CircuitName>,
    /// Decides statements.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

impl SynthesisContest {
    pub(crate) fn run(&self) -> Result<()> {
        let provenance = self.common.begin()?;
        let mut rows = Vec::new();
        for circuit in &self.circuits {
            let contest = Contest {
                what: circuit.to_string(),
                common: &self.common,
            };
            rows.extend(circuit.with(self.seed, contest)?);
        }
        self.common.end(provenance, "synthesis", &rows)
    }
}

struct Contest<'a> {
    what: String,
    common: &'a Common,
}

impl Task for Contest<'_> {
    type Output = Vec<Row>;

    fn generic<C: Circuit + 'static>(self, circuit: C) -> Result<Vec<Row>> {
        let mut contenders = vec![
            bellman(OnBellman(circuit.clone())),
            bellperson(OnBellperson(circuit.clone())),
            ark(OnArk(circuit.clone())),
        ];
        contenders.extend(own(OnCuzk(circuit)));
        self.common.contest(&self.what, false, contenders)
    }

    fn sapling(self, statement: Statement) -> Result<Vec<Row>> {
        let replay = recorded(&statement.instance)?;
        let mut contenders = vec![
            bellman(statement.instance.clone()),
            // Without the circuit's own arithmetic, which was recorded.
            bellperson(OnBellperson(replay.clone())),
            ark(OnArk(replay)),
        ];
        contenders.extend(own(statement.instance));
        self.common.contest(&self.what, false, contenders)
    }
}

/// The passes make different things, so there is nothing to compare.
fn nothing() -> Encode {
    Box::new(Vec::new)
}

fn bellman<'a>(circuit: impl bellman::Circuit<bls12_381::Scalar> + Clone + 'a) -> Contender<'a> {
    Contender::new("bellman, as its prover does", move || {
        let (recorder, cost) = measured(|| of_bellman::record(circuit.clone()));
        drop(recorder?);
        Ok((cost, nothing()))
    })
}

fn bellperson<'a>(circuit: impl bellperson::Circuit<blstrs::Scalar> + Clone + 'a) -> Contender<'a> {
    Contender::new("bellperson, as its prover does", move || {
        let (recorder, cost) = measured(|| of_bellperson::record(circuit.clone()));
        drop(recorder?);
        Ok((cost, nothing()))
    })
}

fn ark<'a>(circuit: impl ConstraintSynthesizer<ark_bls12_381::Fr> + Clone + 'a) -> Contender<'a> {
    Contender::new("ark, without evaluation", move || {
        let (system, cost) = measured(|| {
            let cs = ConstraintSystem::new_ref();
            cs.set_optimization_goal(OptimizationGoal::Constraints);
            cs.set_mode(SynthesisMode::Prove {
                construct_matrices: true,
                generate_lc_assignments: false,
            });
            circuit.clone().generate_constraints(cs.clone())?;
            cs.finalize();
            Ok::<_, ark_relations::gr1cs::SynthesisError>(cs)
        });
        drop(system?);
        Ok((cost, nothing()))
    })
}

/// The three passes; the last is the one that a proof of a kept shape runs.
fn own<'a>(circuit: impl cuzk_synth::Circuit + Clone + 'a) -> [Contender<'a>; 3] {
    let [of_shape, of_direct, of_witness] = [(); 3].map(|()| circuit.clone());
    [
        Contender::new("cuzk shape pass", move || {
            let (shape, cost) = measured(|| cuzk_synth::shape(of_shape.clone()));
            drop(shape?);
            Ok((cost, nothing()))
        }),
        Contender::new("cuzk direct pass", move || {
            let options = DirectOptions::default();
            let (all, cost) = measured(|| cuzk_synth::direct(of_direct.clone(), &options));
            drop(all?);
            Ok((cost, nothing()))
        }),
        Contender::new("cuzk witness pass", move || {
            let (witness, cost) = measured(|| cuzk_synth::witness(of_witness.clone()));
            drop(witness?);
            Ok((cost, nothing()))
        }),
    ]
}
