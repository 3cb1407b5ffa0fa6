use bls12_381::Scalar;
use cuzk_curve::Fr;
use ff::{Field, PrimeField};
use group::GroupEncoding;
use rand_core::RngCore;
use sapling_crypto::circuit::{Spend, SpendParameters};
use sapling_crypto::prover::SpendProver;
use sapling_crypto::value::{ValueCommitTrapdoor, ValueCommitment};
use sapling_crypto::{MerklePath, NOTE_COMMITMENT_TREE_DEPTH, Node, Note, Rseed};

use crate::statement::{Owner, bytes, canonical, coordinates, rng};
use crate::{Circuit, Instance, Statement};

const DEPTH: usize = NOTE_COMMITMENT_TREE_DEPTH as usize;

pub(crate) fn blank() -> Spend {
    Spend {
        value_commitment_opening: None,
        proof_generation_key: None,
        payment_address: None,
        commitment_randomness: None,
        ar: None,
        auth_path: vec![None; DEPTH],
        anchor: None,
    }
}

/// Public inputs: the coordinates of the randomized key and of the value commitment, the
/// anchor, and the nullifier in two parts.
pub(crate) fn statement(seed: u64) -> Statement {
    let mut rng = rng(seed);
    let owner = Owner::random(&mut rng);
    let rseed = Rseed::AfterZip212(bytes(&mut rng));
    let note = Note::from_parts(owner.address, owner.value, rseed);
    let trapdoor = ValueCommitTrapdoor::random(&mut rng);
    let randomizer = jubjub::Fr::random(&mut rng);
    let siblings = (0..DEPTH).map(|_| Node::from_scalar(Scalar::random(&mut rng)));
    let siblings = siblings.collect();
    let position = rng.next_u64() >> (64 - DEPTH);
    let path = MerklePath::from_parts(siblings, position.into())
        .expect("a path as long as the tree is deep");
    let anchor = path.root(Node::from_cmu(&note.cmu())).to_bytes();
    let viewing_key = owner.key.to_viewing_key();

    let mut public_inputs = Vec::with_capacity(7);
    let randomized: [u8; 32] = viewing_key.rk(randomizer).into();
    let randomized = jubjub::ExtendedPoint::from_bytes(&randomized);
    public_inputs.extend(coordinates(
        randomized.expect("the encoding of a key is that of a point"),
    ));
    let commitment = ValueCommitment::derive(owner.value, trapdoor.clone());
    public_inputs.extend(coordinates(*commitment.as_inner()));
    public_inputs.push(canonical(anchor));
    public_inputs.extend(split(note.nf(&viewing_key.nk, position).0));

    let circuit = <SpendParameters as SpendProver>::prepare_circuit(
        owner.key,
        owner.diversifier,
        rseed,
        owner.value,
        randomizer,
        trapdoor,
        Scalar::from_repr(anchor).expect("the root is a scalar"),
        path,
    );
    let circuit = circuit.expect("the address was made with the diversifier");
    Statement {
        circuit: Circuit::Spend,
        instance: Instance::Spend(Box::new(circuit)),
        public_inputs,
    }
}

/// 256 bits, the lowest of each byte first, as one input of 254 bits and one of two.
fn split(mut bytes: [u8; 32]) -> [Fr; 2] {
    let rest = bytes[31] >> 6;
    bytes[31] &= 0x3f;
    [canonical(bytes), Fr::from(u64::from(rest))]
}
