//! Host memory by every strategy: the same proofs, and errors that leave nothing behind.

use cuzk_backend::{Backend, Evaluate};
use cuzk_cuda::{Cuda, CudaError};
use cuzk_curve::{Domain, Fr};
use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_groth16::{ProvingKey, prove};
use cuzk_hostmem::{CopyOptions, HostMemory};
use cuzk_mock_driver::Session;
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::{CsrBuilder, PackedWitness, WitnessBuilder};
use cuzk_testkit::MimcChain;

use crate::proofs::{Case, blinding};

/// Opens a device on which every copy of 64 KiB goes by the strategy.
fn open(host_memory: HostMemory) -> Result<Cuda, CudaError> {
    let options = DeviceOptions {
        host_memory,
        copies: CopyOptions {
            staging_threads: 2,
            chunk_bytes: 64 << 10,
            least_bytes: 64 << 10,
        },
        ..DeviceOptions::default()
    };
    Cuda::on(&Device::open(&DeviceSelector::default(), &options)?)
}

fn calls(session: &Session, name: &str) -> usize {
    session.calls().iter().filter(|call| *call == name).count()
}

/// 320 KiB of full values.
fn witness() -> PackedWitness {
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::from(1));
    (1..10_240).for_each(|i| builder.push_aux(-Fr::from(i)));
    builder.finish().expect("the first input is one")
}

#[test]
fn every_strategy_gives_the_same_proof_and_tells_its_phases() {
    let case = Case::of(&MimcChain::new(4, 4080));
    let mut expected = None;
    for &strategy in HostMemory::ALL {
        let session = crate::begin();
        let cuda = open(strategy).expect("the stand-in");
        let key: ProvingKey<Cuda> = case.key(&cuda);
        let before = calls(&session, "cuMemHostRegister_v2");
        let timeline = Timeline::start();
        let proof = prove(&cuda, &key, &case.witness, &blinding(3), &timeline);
        let proof = proof.expect("a proof");
        assert_eq!(*expected.get_or_insert(proof), proof, "{strategy}");
        let report = timeline.finish();
        let upload = report.phase(Phase::Upload).expect("a phase");
        assert_eq!(upload.bytes, case.witness.bytes() as u64);
        assert!(upload.device.is_some());
        let pinned = [Phase::Pin, Phase::Unpin].map(|phase| report.phase(phase).is_some());
        let registered = calls(&session, "cuMemHostRegister_v2") - before;
        match strategy {
            HostMemory::Registered => assert_eq!((pinned, registered), ([true; 2], 1)),
            HostMemory::Pageable => assert_eq!((pinned, registered + before), ([false; 2], 0)),
            // The ring is registered once, with the key.
            HostMemory::Staged => assert_eq!((pinned, registered, before), ([false; 2], 0, 1)),
            _ => {}
        }
        drop((cuda, key));
        assert_eq!(session.leaks(), Default::default(), "{strategy}");
    }
}

/// Brings a witness there and looks at it by a product with the identity.
fn round_trip(cuda: &Cuda, witness: &PackedWitness) -> Result<Vec<Fr>, CudaError> {
    let n = witness.len();
    let mut rows = CsrBuilder::new();
    for column in (0..n).step_by(1000) {
        let row = &mut vec![(column, Fr::from(1))];
        rows.push_row(row).expect("columns fit");
    }
    let matrix = cuda.prepare_matrix(&rows.finish(n).expect("in range"))?;
    let uploaded = cuda.upload_witness(witness)?;
    let domain = Domain::new(4).expect("small");
    cuda.download(cuda.evaluate(&matrix, &uploaded, &domain)?.vector())
}

/// What [`round_trip`] gives.
fn sample(witness: &PackedWitness) -> Vec<Fr> {
    let mut values: Vec<Fr> = witness.unpack().into_iter().step_by(1000).collect();
    values.resize(16, Fr::from(0));
    values
}

#[test]
fn a_registration_that_fails_falls_back_and_later_ones_do_not() {
    let witness = witness();
    for strategy in [HostMemory::Registered, HostMemory::Staged] {
        let session = crate::begin();
        let cuda = open(strategy).expect("the stand-in");
        session.fail("cuMemHostRegister_v2", 0, 2);
        for _ in 0..3 {
            let values = round_trip(&cuda, &witness).expect("another way");
            assert_eq!(values, sample(&witness), "{strategy}");
        }
        // A ring that was refused is not asked for again; pages are.
        let asked = calls(&session, "cuMemHostRegister_v2");
        assert_eq!(asked, if strategy == HostMemory::Staged { 1 } else { 3 });
        drop(cuda);
        assert_eq!(session.leaks(), Default::default(), "{strategy}");
    }
}

#[test]
fn whichever_call_of_an_upload_fails_the_error_says_so_and_nothing_leaks() {
    let witness = witness();
    for &strategy in HostMemory::ALL {
        let session = crate::begin();
        let cuda = open(strategy).expect("the stand-in");
        let mut kept = false;
        let mut run = |k: Option<usize>| {
            let before = session.calls().len();
            if let Some(k) = k {
                session.fail_any(u32::try_from(k).expect("few"), 2);
            }
            let outcome = round_trip(&cuda, &witness);
            session.mend();
            let calls = session.calls();
            if let Some(failed) = k.and_then(|k| calls.get(before + k)) {
                // Threads of a ring come to their calls in another order every time.
                kept |= closes(failed);
            }
            match outcome {
                Ok(values) => assert_eq!(values, sample(&witness), "{strategy}, call {k:?}"),
                Err(error) => assert!(k.is_some(), "{strategy}: {error}"),
            }
            calls[before..].to_vec()
        };
        run(None);
        let all = run(None);
        for k in (0..all.len()).filter(|k| !closes(&all[*k])) {
            run(Some(k));
            run(None);
        }
        drop(cuda);
        if !kept {
            assert_eq!(session.leaks(), Default::default(), "{strategy}");
        }
    }
}

/// Whether a call gives something back: where it fails, that is kept.
fn closes(call: &str) -> bool {
    let words = ["Destroy", "Free", "Unregister", "SetCurrent"];
    words.iter().any(|word| call.contains(word))
}
