//! One device under many threads, several backends, and operands of the wrong one.

use cuzk_backend::{Backend, Evaluate, Msm, Ntt, Poly, Transform, WitnessMsm, WitnessSplit};
use cuzk_cuda::{Cuda, CudaError};
use cuzk_curve::{Domain, Fr, G1, G1Affine, G2, G2Affine};
use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_groth16::{ProveError, prove};
use cuzk_mock_driver::MockDevice;
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::{Bitmap, CsrBuilder, WitnessBuilder};
use cuzk_testkit::RandomSystem;
use group::prime::PrimeCurveAffine;

use crate::proofs::{Case, blinding, concurrent_proofs_have_the_bytes_of_the_cpu};

fn two_devices() -> Vec<MockDevice> {
    let other = MockDevice {
        uuid: *b"another of these",
        ..MockDevice::default()
    };
    vec![MockDevice::default(), other]
}

fn open(index: u32) -> Device {
    let index = DeviceSelector::Index(index);
    Device::open(&index, &DeviceOptions::default()).expect("the stand-in")
}

#[test]
fn twenty_threads_prove_twenty_circuits_on_one_backend() {
    crate::with_cuda(|cuda| concurrent_proofs_have_the_bytes_of_the_cpu(&[cuda], 20));
}

#[test]
fn backends_on_one_device_and_on_two_prove_side_by_side() {
    let session = crate::begin_with(two_devices());
    {
        let (first, second) = (open(0), open(1));
        let cudas = [&first, &first, &second].map(|device| Cuda::on(device).expect("kernels"));
        drop((first, second));
        let [a, b, c] = &cudas;
        concurrent_proofs_have_the_bytes_of_the_cpu(&[a, b, c], 6);
    }
    assert_eq!(session.leaks(), Default::default());
}

/// What a backend makes, of everything one.
struct Made {
    vector: <Cuda as Backend>::Vector,
    matrix: <Cuda as Evaluate>::Matrix,
    witness: <Cuda as Evaluate>::Witness,
    selection: <Cuda as WitnessSplit>::Selection,
    split: <Cuda as WitnessSplit>::Split,
    g1: <Cuda as Msm<G1>>::Bases,
    g2: <Cuda as Msm<G2>>::Bases,
}

const N: usize = 4;

fn make(cuda: &Cuda) -> Made {
    let mut rows = CsrBuilder::new();
    rows.push_row(&mut vec![(0, Fr::from(7))])
        .expect("in range");
    let matrix = rows.finish(N).expect("in range");
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::from(1));
    (2..5).for_each(|value| builder.push_aux(Fr::from(value)));
    let witness = builder.finish().expect("the first input is one");
    let witness = cuda.upload_witness(&witness).expect("memory");
    let mut all = Bitmap::zeros(N);
    (0..N).for_each(|i| all.set(i));
    let selection = cuda.prepare_selection(&all).expect("memory");
    Made {
        vector: vector(cuda),
        matrix: cuda.prepare_matrix(&matrix).expect("memory"),
        split: cuda.split(&witness, &selection).expect("memory"),
        witness,
        selection,
        g1: Msm::<G1>::prepare(cuda, vec![G1Affine::generator(); N].into()).expect("memory"),
        g2: Msm::<G2>::prepare(cuda, vec![G2Affine::generator(); N].into()).expect("memory"),
    }
}

fn vector(cuda: &Cuda) -> <Cuda as Backend>::Vector {
    cuda.upload(&[Fr::from(3); N]).expect("memory")
}

fn refused<T>(outcome: Result<T, CudaError>, place: &str, what: &str, on: [&str; 2]) {
    match outcome {
        Err(CudaError::OtherBackend {
            what: named,
            expected,
            got,
        }) => assert_eq!((named, [&*expected, &*got]), (what, on), "{place}"),
        Err(error) => panic!("{place}: {error}"),
        Ok(_) => panic!("{place} takes {what} of another backend"),
    }
}

/// Hands every operand of every method over to a backend that did not make it.
fn cross(cuda: &Cuda, other: &Cuda) {
    let (own, foreign) = (make(cuda), make(other));
    let on = [cuda, other].map(|cuda| cuda.cuda_device().info().uuid.clone());
    let no = |outcome: Result<(), CudaError>, place: &str, what: &str| {
        refused(outcome, place, what, [&on[0], &on[1]]);
    };
    let domain = Domain::new(2).expect("small");
    let poly = |of| Poly::new(cuda, &domain, vector(of)).expect("four values");

    let what = "vectors";
    no(cuda.download(&foreign.vector).map(drop), "download", what);
    no(cuda.truncate(vector(other), 1).map(drop), "truncate", what);
    let forward = cuda.transform(Transform::Forward, &domain, vector(other));
    no(forward.map(drop), "transform", what);
    for wrong in 0..3 {
        let [a, b, c] = [0, 1, 2].map(|i| if i == wrong { other } else { cuda });
        let product = cuda.multiply_subtract_scale(vector(a), &vector(b), &vector(c), Fr::from(2));
        no(product.map(drop), "multiply_subtract_scale", what);
        let quotient = cuda.quotient(poly(a), poly(b), poly(c));
        no(quotient.map(drop), "quotient", what);
    }
    let evaluated = cuda.evaluate(&foreign.matrix, &own.witness, &domain);
    no(evaluated.map(drop), "evaluate", "matrices");
    let evaluated = cuda.evaluate(&own.matrix, &foreign.witness, &domain);
    no(evaluated.map(drop), "evaluate", "witnesses");
    let split = cuda.split(&foreign.witness, &own.selection);
    no(split.map(drop), "split", "witnesses");
    let split = cuda.split(&own.witness, &foreign.selection);
    no(split.map(drop), "split", "selections");

    no(
        Msm::<G1>::msm(cuda, &foreign.g1, &own.vector).map(drop),
        "msm",
        "bases",
    );
    no(
        Msm::<G2>::msm(cuda, &foreign.g2, &own.vector).map(drop),
        "msm",
        "bases",
    );
    no(
        Msm::<G1>::msm(cuda, &own.g1, &foreign.vector).map(drop),
        "msm",
        "scalars",
    );
    no(
        Msm::<G2>::msm(cuda, &own.g2, &foreign.vector).map(drop),
        "msm",
        "scalars",
    );
    for (g1, g2, split, what) in [
        (&foreign.g1, &foreign.g2, &own.split, "bases"),
        (&own.g1, &own.g2, &foreign.split, "split witnesses"),
    ] {
        no(
            WitnessMsm::<G1>::sum_ones(cuda, g1, split).map(drop),
            "sum_ones",
            what,
        );
        no(
            WitnessMsm::<G2>::sum_ones(cuda, g2, split).map(drop),
            "sum_ones",
            what,
        );
        no(
            WitnessMsm::<G1>::msm_rest(cuda, g1, split).map(drop),
            "msm_rest",
            what,
        );
        no(
            WitnessMsm::<G2>::msm_rest(cuda, g2, split).map(drop),
            "msm_rest",
            what,
        );
    }
    // What was refused harms nobody: both still take their own.
    for (cuda, made) in [(cuda, &own), (other, &foreign)] {
        let sum = Msm::<G1>::msm(cuda, &made.g1, &made.vector).expect("its own");
        let expected = G1Affine::generator() * Fr::from(3 * N as u64);
        assert_eq!(sum.wait().expect("the kernels run"), expected);
    }
}

#[test]
fn operands_of_another_device_are_refused_by_every_method() {
    let session = crate::begin_with(two_devices());
    {
        let cudas = [0, 1].map(|index| Cuda::on(&open(index)).expect("kernels"));
        cross(&cudas[0], &cudas[1]);
        cross(&cudas[1], &cudas[0]);
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn operands_of_another_backend_on_the_same_device_are_refused() {
    let session = crate::begin();
    {
        let device = open(0);
        let cudas = [(); 2].map(|()| Cuda::on(&device).expect("kernels"));
        cross(&cudas[0], &cudas[1]);
        let again = Cuda::on(&open(0)).expect("kernels");
        cross(&cudas[0], &again);
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_key_of_another_device_is_an_error_that_names_the_phase() {
    let _session = crate::begin_with(two_devices());
    let cudas = [0, 1].map(|index| Cuda::on(&open(index)).expect("kernels"));
    let case = Case::of(&RandomSystem::new(1, 9).program());
    let key = case.key(&cudas[0]);
    let timeline = Timeline::start();
    let error = prove(&cudas[1], &key, &case.witness, &blinding(0), &timeline);
    match error.expect_err("the selections are elsewhere") {
        ProveError::Backend { phase, source } => {
            assert_eq!(phase, Phase::PrepMsm);
            let source = source.downcast::<CudaError>().expect("the backend's own");
            assert!(
                matches!(*source, CudaError::OtherBackend { .. }),
                "{source}"
            );
        }
        error => panic!("{error}"),
    }
    let proof = prove(&cudas[0], &key, &case.witness, &blinding(0), &timeline);
    proof.expect("where the key belongs");
}
