use cuzk_groth16::Blinding;
use cuzk_params::Parameters;
use cuzk_phase::{Phase, Timeline};
use cuzk_synth::{Circuit, DirectOptions, Evaluations, direct};
use rand_core::OsRng;

use crate::{Error, Proved, Prover, machine::Machine};

impl Prover {
    /// Proves one circuit and keeps nothing of it.
    ///
    /// One direct pass takes the place of the shape pass, the matrices and the witness pass.
    /// For more proofs of one shape, [`Prover::compile`] is the cheaper way: after it a proof
    /// runs the witness pass alone, which builds no linear combination.
    ///
    /// # Errors
    /// [`Error::Synthesis`]; [`Error::Prove`] where the key belongs to another circuit or the
    /// witness does not satisfy every constraint.
    pub fn prove_once<C: Circuit>(
        &self,
        circuit: C,
        parameters: &Parameters,
    ) -> Result<Proved, Error> {
        let blinding = Blinding::random(OsRng);
        self.reported(|timeline| self.prove_once_timed(circuit, parameters, &blinding, timeline))
    }

    /// As [`Prover::prove_once`], with a given blinding, into a given timeline.
    ///
    /// # Errors
    /// As [`Prover::prove_once`].
    pub fn prove_once_timed<C: Circuit>(
        &self,
        circuit: C,
        parameters: &Parameters,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proved, Error> {
        let options = DirectOptions::default();
        let evaluations = timeline.measure(Phase::Synthesize, || direct(circuit, &options))?;
        let public_inputs = evaluations.witness.public_inputs();
        let machine = timeline.measure(Phase::Open, || self.machine(evaluations.a.len()));
        let mut evaluations = Some(evaluations);
        let prove = |machine: &dyn Machine, evaluations: &mut Option<Evaluations>| {
            self.name_machine(machine, timeline);
            self.install(|| machine.prove_once(evaluations, parameters, blinding, timeline))
        };
        let mut proof = prove(&*machine, &mut evaluations);
        if let Err(error) = &proof
            && evaluations.is_some()
            && let Some(other) = self.instead_of(&*machine, error)
        {
            proof = prove(&*other, &mut evaluations);
        }
        Ok(Proved {
            proof: proof?,
            public_inputs,
        })
    }
}
