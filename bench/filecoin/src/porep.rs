//! Proofs of replication of a sector of 2 KiB.

use anyhow::{Context, Result};
use blstrs::Scalar as Fr;
use ff::Field;
use filecoin_hashers::{poseidon::PoseidonHasher, sha256::Sha256Hasher};
use fr32::fr_into_bytes;
use generic_array::typenum::{U0, U8};
use rand::{Rng, SeedableRng};
use rand_xorshift::XorShiftRng;
use storage_proofs_core::{
    TEST_SEED, api_version::ApiVersion, compound_proof::CompoundProof, drgraph::BASE_DEGREE,
    merkle::LCTree, proof::ProofScheme, test_helper::setup_replica,
};
use storage_proofs_porep::stacked::{
    Challenges, EXP_DEGREE, PrivateInputs, PublicInputs, SetupParams, StackedCircuit,
    StackedCompound, StackedDrg, TemporaryAuxCache,
};

use crate::statement::{Size, Statement};

type Tree = LCTree<PoseidonHasher, U8, U0, U0>;
type Drg<'a> = StackedDrg<'a, Tree, Sha256Hasher>;
type Compound = StackedCompound<Tree, Sha256Hasher>;

/// Nodes of a sector of 2 KiB.
const NODES: usize = 64;

/// Two layers, two challenges.
pub(crate) fn porep() -> Result<Statement<StackedCircuit<Tree, Sha256Hasher>>> {
    let mut rng = XorShiftRng::from_seed(TEST_SEED);
    let replica_id = Fr::random(&mut rng);
    let data: Vec<u8> = (0..NODES)
        .flat_map(|_| fr_into_bytes(&Fr::random(&mut rng)))
        .collect();
    let directory = tempfile::tempdir()?;
    let cache = directory.path().to_owned();
    let replica = cache.join("replica");
    let mut mapped = setup_replica(&data, &replica);
    let parameters = Drg::setup(&SetupParams {
        nodes: NODES,
        degree: BASE_DEGREE,
        expansion_degree: EXP_DEGREE,
        porep_id: [44; 32],
        challenges: Challenges::new_interactive(2),
        num_layers: 2,
        api_version: ApiVersion::V1_1_0,
        api_features: vec![],
    })?;
    let (labels, _) = Drg::replicate_phase1(&parameters, &replica_id.into(), &cache)?;
    let (tau, (persistent, temporary)) = Drg::replicate_phase2(
        &parameters,
        labels,
        mapped.as_mut().into(),
        None,
        cache,
        replica.clone(),
    )?;
    let public = PublicInputs {
        replica_id: replica_id.into(),
        seed: Some(rng.r#gen()),
        tau: Some(tau),
        k: None,
    };
    let private = PrivateInputs::<Tree, Sha256Hasher> {
        p_aux: persistent,
        t_aux: TemporaryAuxCache::new(&temporary, replica, false)
            .context("reading back the sector's temporary data")?,
    };
    let proofs = Drg::prove_all_partitions(&parameters, &public, &private, 1)?;
    let circuit = Compound::circuit(&public, (), &proofs[0], &parameters, None)?;
    let public_inputs = <Compound as CompoundProof<'_, Drg<'_>, _>>::generate_public_inputs(
        &public,
        &parameters,
        None,
    )?;
    let blank = <Compound as CompoundProof<'_, Drg<'_>, _>>::blank_circuit(&parameters);
    Ok(Statement {
        size: Size {
            constraints: 2_687_921,
            inputs: 40,
            aux: 2_685_673,
        },
        blank: Box::new(move || Ok(blank.clone())),
        circuit: Box::new(move || Ok(circuit.clone())),
        public_inputs,
    })
}
