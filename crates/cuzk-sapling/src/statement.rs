use bls12_381::Scalar;
use cuzk_curve::Fr;
use ff::PrimeField;
use group::Curve;
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};
use sapling_crypto::keys::ExpandedSpendingKey;
use sapling_crypto::value::NoteValue;
use sapling_crypto::{Diversifier, PaymentAddress, ProofGenerationKey};

use crate::{Circuit, Instance};

/// A valid statement: a circuit with values, and the public inputs it must come to.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Which circuit.
    pub circuit: Circuit,
    /// The circuit with all values.
    pub instance: Instance,
    /// The public inputs without the constant one, computed apart from the circuit.
    pub public_inputs: Vec<Fr>,
}

/// Somebody with a note: keys, address and value.
pub(crate) struct Owner {
    pub(crate) key: ProofGenerationKey,
    pub(crate) diversifier: Diversifier,
    pub(crate) address: PaymentAddress,
    pub(crate) value: NoteValue,
}

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub(crate) fn bytes<const N: usize>(rng: &mut impl RngCore) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill_bytes(&mut bytes);
    bytes
}

impl Owner {
    pub(crate) fn random(rng: &mut impl RngCore) -> Self {
        let secret: [u8; 32] = bytes(rng);
        let key = ExpandedSpendingKey::from_spending_key(&secret).proof_generation_key();
        let viewing_key = key.to_viewing_key();
        // About every second diversifier names a point.
        let (diversifier, address) = loop {
            let diversifier = Diversifier(bytes(rng));
            if let Some(address) = viewing_key.to_payment_address(diversifier) {
                break (diversifier, address);
            }
        };
        // Values are below 2^51 units: all the money there will be.
        let value = NoteValue::from_raw(rng.next_u64() >> 13);
        Self {
            key,
            diversifier,
            address,
            value,
        }
    }
}

/// The two coordinates of a point as public inputs.
pub(crate) fn coordinates(point: impl Into<jubjub::ExtendedPoint>) -> [Fr; 2] {
    let point = point.into().to_affine();
    [scalar(point.get_u()), scalar(point.get_v())]
}

pub(crate) fn scalar(value: Scalar) -> Fr {
    canonical(value.to_repr())
}

/// A scalar from canonical bytes.
pub(crate) fn canonical(bytes: [u8; 32]) -> Fr {
    Fr::from_repr_vartime(bytes).expect("the bytes of a scalar of the same field")
}
