use ff::Field;
use sapling_crypto::circuit::{Output, OutputParameters};
use sapling_crypto::prover::OutputProver;
use sapling_crypto::value::{ValueCommitTrapdoor, ValueCommitment};
use sapling_crypto::{Note, Rseed};

use crate::statement::{Owner, bytes, canonical, coordinates, rng};
use crate::{Circuit, Instance, Statement};

pub(crate) fn blank() -> Output {
    Output {
        value_commitment_opening: None,
        payment_address: None,
        commitment_randomness: None,
        esk: None,
    }
}

/// Public inputs: the coordinates of the value commitment and of the ephemeral key, and the
/// note commitment.
pub(crate) fn statement(seed: u64) -> Statement {
    let mut rng = rng(seed);
    let owner = Owner::random(&mut rng);
    let note = Note::from_parts(
        owner.address,
        owner.value,
        Rseed::AfterZip212(bytes(&mut rng)),
    );
    let trapdoor = ValueCommitTrapdoor::random(&mut rng);
    let esk = note.generate_or_derive_esk(&mut rng);
    let circuit = <OutputParameters as OutputProver>::prepare_circuit(
        &esk,
        owner.address,
        note.rcm(),
        owner.value,
        trapdoor.clone(),
    );
    let base = owner
        .diversifier
        .g_d()
        .expect("the address was made with it");
    let ephemeral_key = base * circuit.esk.unwrap_or(jubjub::Fr::ZERO);
    let commitment = ValueCommitment::derive(owner.value, trapdoor);
    let mut public_inputs = Vec::with_capacity(5);
    public_inputs.extend(coordinates(*commitment.as_inner()));
    public_inputs.extend(coordinates(ephemeral_key));
    public_inputs.push(canonical(note.cmu().to_bytes()));
    Statement {
        circuit: Circuit::Output,
        instance: Instance::Output(Box::new(circuit)),
        public_inputs,
    }
}
