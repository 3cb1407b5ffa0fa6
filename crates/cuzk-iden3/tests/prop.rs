//! Damaged files: an answer, and no panic.

use cuzk_iden3::{R1csFile, WitnessFile};
use proptest::prelude::*;

const R1CS: &[u8] = include_bytes!("data/bounded_product.r1cs");
const WTNS: &[u8] = include_bytes!("data/bounded_product.wtns");

fn damage(bytes: &[u8], changes: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (index, value) in changes {
        let at = index.index(bytes.len());
        bytes[at] = *value;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A few bytes changed anywhere, the counts among them.
    #[test]
    fn changed_bytes_give_a_circuit_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        if let Ok(circuit) = R1csFile::from_bytes(&damage(R1CS, &changes)) {
            prop_assert_eq!(circuit.shape.num_variables(), circuit.header.wires as usize);
        }
        if let Ok(witness) = WitnessFile::from_bytes(&damage(WTNS, &changes)) {
            prop_assert!(witness.values.len() <= WTNS.len() / 32);
        }
    }

    /// Bytes that are nothing, with and without the right beginning.
    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(R1csFile::from_bytes(&bytes).is_err());
        let headed = [&b"r1cs\x01\0\0\0"[..], &bytes].concat();
        prop_assert!(R1csFile::from_bytes(&headed).is_err());
        let headed = [&b"wtns\x02\0\0\0"[..], &bytes].concat();
        prop_assert!(WitnessFile::from_bytes(&headed).is_err());
    }
}
