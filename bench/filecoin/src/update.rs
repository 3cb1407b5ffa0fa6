//! Proofs that data was put into an empty sector of 2 KiB.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use blstrs::Scalar as Fr;
use filecoin_hashers::{Domain, HashFunction, Hasher};
use generic_array::typenum::{U0, U8, Unsigned};
use merkletree::{merkle::get_merkle_tree_len, store::StoreConfig};
use rand::SeedableRng;
use rand_xorshift::XorShiftRng;
use storage_proofs_core::{
    TEST_SEED,
    compound_proof::CompoundProof,
    merkle::{LCTree, create_lc_tree, split_config_and_replica},
    proof::ProofScheme,
    util::default_rows_to_discard,
};
use storage_proofs_update::{
    EmptySectorUpdate, EmptySectorUpdateCircuit, EmptySectorUpdateCompound, PrivateInputs,
    PublicInputs, SetupParams,
    constants::{
        TreeD, TreeDArity, TreeDDomain, TreeRBaseTree, TreeRDomain, TreeRHasher, hs,
        partition_count,
    },
    phi, rho,
};

use crate::statement::{Size, Statement};

type TreeR = LCTree<TreeRHasher, U8, U0, U0>;
type Compound = EmptySectorUpdateCompound<TreeR>;

/// Nodes of a sector of 2 KiB.
const NODES: usize = 64;
const NODE_BYTES: usize = 32;

/// A replica on disk with its tree.
struct Replica {
    config: StoreConfig,
    path: PathBuf,
    root: TreeRDomain,
}

impl Replica {
    fn write(directory: &Path, name: &str, labels: &[TreeRDomain]) -> Result<Self> {
        let path = directory.join(format!("replica-{name}"));
        let bytes: Vec<u8> = labels.iter().flat_map(Domain::into_bytes).collect();
        fs::write(&path, &bytes)?;
        let arity = U8::to_usize();
        let config = StoreConfig {
            path: directory.to_owned(),
            id: format!("tree-r-{name}"),
            size: Some(get_merkle_tree_len(NODES, arity)?),
            rows_to_discard: default_rows_to_discard(NODES, arity),
        };
        let (configs, replica) = split_config_and_replica(config.clone(), path.clone(), NODES, 1)?;
        TreeRBaseTree::from_byte_slice_with_config(&bytes, configs[0].clone())?;
        let len = get_merkle_tree_len(NODES, arity)?;
        let root = create_lc_tree::<TreeR>(len, &configs, &replica)?.root();
        Ok(Self { config, path, root })
    }
}

/// The first partition of the update of a random sector by random data.
pub(crate) fn update() -> Result<Statement<EmptySectorUpdateCircuit<TreeR>>> {
    let mut rng = XorShiftRng::from_seed(TEST_SEED);
    let directory = tempfile::tempdir()?;
    // Which bits of a node's index decide its factor: the choice that production makes.
    let h = hs(NODES)[2];
    let comm_c = TreeRDomain::random(&mut rng);
    let comm_r = |root: &TreeRDomain| <TreeRHasher as Hasher>::Function::hash2(&comm_c, root);

    let old_labels: Vec<TreeRDomain> = (0..NODES).map(|_| Domain::random(&mut rng)).collect();
    let old = Replica::write(directory.path(), "old", &old_labels)?;
    let comm_r_old = comm_r(&old.root);

    let data: Vec<TreeDDomain> = (0..NODES).map(|_| Domain::random(&mut rng)).collect();
    let data_config = StoreConfig {
        path: directory.path().to_owned(),
        id: "tree-d".to_owned(),
        size: Some(get_merkle_tree_len(NODES, TreeDArity::to_usize())?),
        rows_to_discard: 0,
    };
    let data_tree =
        TreeD::try_from_iter_with_config(data.iter().copied().map(Ok), data_config.clone())?;
    let comm_d_new = data_tree.root();

    let phi = phi(&comm_d_new, &comm_r_old);
    let shift = NODES.trailing_zeros() as usize - h;
    let new_labels: Vec<TreeRDomain> = old_labels
        .iter()
        .zip(&data)
        .enumerate()
        .map(|(node, (&old, &data))| {
            let factor = rho(&phi, (node >> shift) as u32);
            (Fr::from(old) + Fr::from(data) * factor).into()
        })
        .collect();
    let new = Replica::write(directory.path(), "new", &new_labels)?;

    let parameters = EmptySectorUpdate::<TreeR>::setup(&SetupParams {
        sector_bytes: (NODES * NODE_BYTES) as u64,
    })?;
    let public = PublicInputs {
        k: 0,
        comm_r_old,
        comm_d_new,
        comm_r_new: comm_r(&new.root),
        h,
    };
    let private = PrivateInputs {
        comm_c,
        tree_r_old_config: old.config,
        old_replica_path: old.path,
        tree_d_new_config: data_config,
        tree_r_new_config: new.config,
        replica_path: new.path,
    };
    let proofs = EmptySectorUpdate::<TreeR>::prove_all_partitions(
        &parameters,
        &public,
        &private,
        partition_count(NODES),
    )?;
    let public_inputs = Compound::generate_public_inputs(&public, &parameters, Some(0))?;
    let of_blank = parameters.clone();
    Ok(Statement {
        size: Size {
            constraints: 1_705_039,
            inputs: 5,
            aux: 1_703_569,
        },
        blank: Box::new(move || Ok(Compound::blank_circuit(&of_blank))),
        circuit: Box::new(move || Compound::circuit(&public, (), &proofs[0], &parameters, Some(0))),
        public_inputs,
    })
}
