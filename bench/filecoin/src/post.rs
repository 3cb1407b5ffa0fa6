//! Proofs of spacetime over sectors of 2 KiB.

use anyhow::Result;
use filecoin_hashers::{Domain, HashFunction, Hasher, poseidon::PoseidonHasher};
use generic_array::typenum::{U0, U8};
use rand::SeedableRng;
use rand_xorshift::XorShiftRng;
use storage_proofs_core::{
    TEST_SEED,
    api_version::ApiVersion,
    compound_proof::CompoundProof,
    merkle::{LCTree, generate_tree},
    proof::ProofScheme,
};
use storage_proofs_post::fallback::{
    FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound, PrivateInputs, PrivateSector,
    PublicInputs, PublicParams, PublicSector,
};

use crate::statement::{Size, Statement};

type Tree = LCTree<PoseidonHasher, U8, U0, U0>;
type TreeDomain = <PoseidonHasher as Hasher>::Domain;
type Compound = FallbackPoStCompound<Tree>;

/// Leaves of a sector of 2 KiB.
const LEAVES: usize = 64;
const LEAF_BYTES: usize = 32;

/// One sector, 66 challenges: the proof of the one who found a block.
pub(crate) fn winning() -> Result<Statement<FallbackPoStCircuit<Tree>>> {
    let size = Size {
        constraints: 70_405,
        inputs: 68,
        aux: 71_264,
    };
    statement(size, 1, 66)
}

/// Two sectors, 10 challenges each: the daily proof.
pub(crate) fn window() -> Result<Statement<FallbackPoStCircuit<Tree>>> {
    let size = Size {
        constraints: 21_866,
        inputs: 23,
        aux: 22_128,
    };
    statement(size, 2, 10)
}

fn statement(
    size: Size,
    sectors: usize,
    challenges: usize,
) -> Result<Statement<FallbackPoStCircuit<Tree>>> {
    let rng = &mut XorShiftRng::from_seed(TEST_SEED);
    let parameters = PublicParams {
        sector_size: (LEAVES * LEAF_BYTES) as u64,
        challenge_count: challenges,
        sector_count: sectors,
        api_version: ApiVersion::V1_1_0,
    };
    let randomness = TreeDomain::random(rng);
    let prover_id = TreeDomain::random(rng);
    let directory = tempfile::tempdir()?;
    let trees: Vec<_> = (0..sectors)
        .map(|_| generate_tree::<Tree, _>(rng, LEAVES, Some(directory.path().to_owned())).1)
        .collect();
    let mut public_sectors = Vec::new();
    let mut private_sectors = Vec::new();
    for (id, tree) in trees.iter().enumerate() {
        let comm_c = TreeDomain::random(rng);
        let comm_r_last = tree.root();
        private_sectors.push(PrivateSector {
            tree,
            comm_c,
            comm_r_last,
        });
        public_sectors.push(PublicSector {
            id: (id as u64).into(),
            comm_r: <PoseidonHasher as Hasher>::Function::hash2(&comm_c, &comm_r_last),
        });
    }
    let public = PublicInputs {
        randomness,
        prover_id,
        sectors: public_sectors,
        k: None,
    };
    let private = PrivateInputs::<Tree> {
        sectors: &private_sectors,
    };
    let proofs = FallbackPoSt::<Tree>::prove_all_partitions(&parameters, &public, &private, 1)?;
    let circuit = Compound::circuit(
        &public,
        Default::default(),
        &proofs[0],
        &parameters,
        Some(0),
    )?;
    let public_inputs = Compound::generate_public_inputs(&public, &parameters, Some(0))?;
    Ok(Statement {
        size,
        blank: Box::new(move || Ok(Compound::blank_circuit(&parameters))),
        circuit: Box::new(move || Ok(circuit.clone())),
        public_inputs,
    })
}
