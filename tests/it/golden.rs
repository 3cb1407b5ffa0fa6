//! Committed bytes of version 1: a change of any of them breaks somebody's files or proofs.

use std::sync::Arc;

use cuzk_cpu::Cpu;
use cuzk_curve::Fr;
use cuzk_groth16::{Blinding, ProvingKey, Trapdoor, prove, with_trapdoor};
use cuzk_phase::Timeline;
use cuzk_testkit::MimcChain;

const PARAMETERS_DIGEST_V1: &str =
    "d0d3101c1d50ff4f39d71f6089341b3c2ca72807c5d321637a2dd109efe5aa18";
const PROOF_V1: &str = "\
    aa23137608f569894f937404a87298317e222491bbf1d9f1ae0cdf80147be497\
    840e99435a728f847a610c3851389f489432f364aff77cea66411061ce397dbb\
    da54a5ff0030c54f6f50edbe0af338ac589ec933ef56d73049508b4c089fd640\
    19755ae35f66d5700e24a34fd6b7bee60d0b687ee807e48aa6681b01b00dcb08\
    c13d595254e6d8888bea19ddc0ee52ad89a2053994722158051753a512bf30f3\
    c9afddb2570e0a65572fd68679aff9d2ef3a50a1f5e693b596ef76d78e89314d";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn parameters_and_proof_of_version_1_keep_their_bytes() {
    let circuit = MimcChain::new(1, 300);
    let shape = Arc::new(cuzk_synth::shape(&circuit).expect("sound"));
    let [alpha, beta, gamma, delta, tau, r, s] = [11, 12, 13, 14, 15, 16, 17].map(Fr::from);
    let trapdoor = Trapdoor::new(alpha, beta, gamma, delta, tau).expect("nothing is zero");
    let parameters = with_trapdoor(
        &Cpu::default(),
        &shape,
        &trapdoor,
        &Timeline::start(),
        |_| {},
    )
    .expect("sound");
    let digest = parameters.digest().expect("few points").to_string();

    let backend = Cpu::default();
    let key = ProvingKey::prepare(&backend, shape, &parameters).expect("fits");
    let witness = cuzk_synth::witness(&circuit).expect("values are known");
    let blinding = Blinding::fixed(r, s);
    let proof = prove(&backend, &key, &witness, &blinding, &Timeline::start()).expect("satisfied");
    let made = (digest, hex(&proof.to_bytes()));
    assert_eq!(made, (PARAMETERS_DIGEST_V1.into(), PROOF_V1.into()));
}
