//! Budgets of every small size, memory from proof to proof, and odd orders of dropping.

use cuzk_backend::{
    Backend, Evaluate, Msm, Ntt, Pending, Poly, SharedBases, Transform, WitnessMsm, WitnessSplit,
};
use cuzk_cpu::Cpu;
use cuzk_cuda::Cuda;
use cuzk_curve::{Domain, Fr, G1, G1Affine, G2, G2Affine};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_groth16::{Proof, ProveError, ProvingKey, prove, prove_batch};
use cuzk_phase::Timeline;
use cuzk_r1cs::{Bitmap, WitnessBuilder};
use cuzk_testkit::RandomSystem;
use group::prime::PrimeCurveAffine;

use crate::{
    is_short,
    proofs::{Case, blinding},
};

fn within(budget_bytes: usize) -> Cuda {
    let options = DeviceOptions {
        budget_bytes: Some(budget_bytes),
        ..DeviceOptions::default()
    };
    Cuda::open(&DeviceSelector::default(), &options).expect("opening holds no memory")
}

fn used_and_peak(cuda: &Cuda) -> (usize, usize) {
    let memory = cuda.cuda_device().memory().expect("the stand-in");
    (memory.used_bytes, memory.peak_bytes)
}

fn case() -> Case {
    Case::of(&RandomSystem::new(5, 7).with_bits_percent(50).program())
}

fn proof(cuda: &Cuda, key: &ProvingKey<Cuda>, case: &Case) -> Result<Proof, ProveError> {
    prove(cuda, key, &case.witness, &blinding(0), &Timeline::start())
}

/// Key and proof.
fn whole(cuda: &Cuda, case: &Case) -> Result<Proof, ProveError> {
    let key = ProvingKey::prepare(cuda, case.shape.clone(), &case.parameters)?;
    proof(cuda, &key, case)
}

#[test]
fn every_budget_gives_the_proof_or_says_that_memory_is_short() {
    let session = crate::begin();
    let case = case();
    let expected = case.proofs(&Cpu::default(), 1).pop().expect("one");
    let enough = {
        let cuda = crate::open();
        assert_eq!(whole(&cuda, &case).expect("no budget"), expected);
        used_and_peak(&cuda).1
    };
    let (mut short, mut proved) = (0, 0);
    let step = enough / 16;
    for budget_bytes in (0..enough).step_by(step).chain([enough - 1, enough]) {
        let cuda = within(budget_bytes);
        // A second time, because a failure may leave something behind.
        for _ in 0..2 {
            match whole(&cuda, &case) {
                Ok(proof) => {
                    proved += 1;
                    assert_eq!(proof, expected, "{budget_bytes} bytes");
                }
                Err(error) => {
                    short += 1;
                    assert!(is_short(&error), "{budget_bytes} bytes: {error:?}");
                    assert!(budget_bytes < enough, "{error:?}");
                }
            }
            assert!(used_and_peak(&cuda).1 <= budget_bytes);
        }
    }
    assert!(short > 10 && proved > 10, "{short} short, {proved} proved");
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_sum_is_planned_for_the_budget() {
    const N: usize = 2000;
    let _session = crate::begin();
    let points = SharedBases::<G1>::from(vec![G1Affine::generator(); N]);
    let scalars: Vec<Fr> = (1..=N as u64).map(|i| -Fr::from(i)).collect();
    let expected = G1Affine::generator() * -Fr::from(N as u64 * (N as u64 + 1) / 2);
    let peak = |cuda: &Cuda| {
        let bases = Msm::<G1>::prepare(cuda, points.clone()).expect("memory for bases");
        let scalars = cuda.upload(&scalars).expect("memory for scalars");
        let sum = Msm::<G1>::msm(cuda, &bases, &scalars).expect("memory for the sum");
        assert_eq!(sum.wait().expect("the kernels run"), expected);
        used_and_peak(cuda).1
    };
    let unlimited = peak(&crate::open());
    let less = unlimited / 10 * 7;
    assert!(peak(&within(less)) <= less, "of {unlimited}");
}

#[test]
fn memory_that_was_short_is_asked_for_again_after_some_proofs() {
    let session = crate::begin();
    {
        let case = case();
        let cuda = crate::open();
        let key = case.key(&cuda);
        let launches = || {
            session.forget();
            proof(&cuda, &key, &case).expect("memory");
            session.launches().len()
        };
        launches();
        let planned = launches();
        // The sum that is tried with less has more chunks.
        let is_less = |k: &u32| {
            (0..2).for_each(|_| session.fail("cuMemAllocFromPoolAsync", *k, 2));
            let is_proved = proof(&cuda, &key, &case).is_ok();
            session.mend();
            is_proved && launches() > planned
        };
        (0..100).find(is_less).expect("a sum that is tried again");
        let next: Vec<usize> = (0..20).map(|_| launches()).collect();
        assert!(next[0] > planned, "{next:?} of {planned}");
        assert_eq!(next.last(), Some(&planned), "{next:?}");
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_batch_needs_no_more_than_what_one_proof_needs() {
    let session = crate::begin();
    {
        let case = case();
        let expected = case.proofs(&Cpu::default(), 4);
        let enough = {
            let cuda = crate::open();
            whole(&cuda, &case).expect("no budget");
            used_and_peak(&cuda).1
        };
        let cuda = within(enough);
        let key = case.key(&cuda);
        let blindings: Vec<_> = (0..4).map(blinding).collect();
        let witnesses = vec![case.witness.clone(); 4];
        let proofs = prove_batch(&cuda, &key, &witnesses, &blindings, &Timeline::start());
        let proofs: Result<Vec<_>, _> = proofs.expect("a batch").into_iter().collect();
        assert_eq!(proofs.expect("each alone fits"), expected);
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn memory_that_is_short_in_a_batch_fails_the_proof_that_met_it_alone() {
    let session = crate::begin();
    {
        let case = case();
        let expected = case.proofs(&Cpu::default(), 3);
        let cuda = crate::open();
        let key = case.key(&cuda);
        let blindings: Vec<_> = (0..3).map(blinding).collect();
        let witnesses = vec![case.witness.clone(); 3];
        let batch = || prove_batch(&cuda, &key, &witnesses, &blindings, &Timeline::start());
        let before = session.calls().len();
        drop(batch());
        let calls = session.calls()[before..].to_vec();
        let allocations = calls
            .iter()
            .filter(|call| *call == "cuMemAllocFromPoolAsync");
        let allocations = u32::try_from(allocations.count()).expect("few");
        for k in (0..allocations).step_by(allocations as usize / 4) {
            session.fail("cuMemAllocFromPoolAsync", k, 2);
            session.fail("cuMemAllocFromPoolAsync", k, 2);
            let outcomes = batch().expect("the batch goes on");
            session.mend();
            assert_eq!(outcomes.len(), expected.len());
            let mut failed = 0;
            for (outcome, expected) in outcomes.iter().zip(&expected) {
                match outcome {
                    Ok(proof) => assert_eq!(proof, expected),
                    Err(error) => {
                        failed += 1;
                        assert!(is_short(error), "{error:?}");
                    }
                }
            }
            // What failed beside another proof is tried again alone; the first has no other.
            assert!(failed <= 1, "{failed} of three after allocation {k}");
        }
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn whatever_goes_first_the_sums_are_right_and_nothing_stays() {
    type Sums = (
        Vec<Pending<cuzk_curve::G1Projective, cuzk_cuda::CudaError>>,
        Vec<Pending<cuzk_curve::G2Projective, cuzk_cuda::CudaError>>,
    );
    /// Everything is enqueued, and whatever it reads is dropped before anybody waits.
    fn sums(cuda: &Cuda, order: usize) -> Sums {
        let mut builder = WitnessBuilder::new();
        builder.push_input(Fr::from(1));
        // Few of them are neither zero nor one, so that these are listed.
        let values = [0, 1, 5, 1 << 40].into_iter().chain([0; 11]);
        values.for_each(|value| builder.push_aux(Fr::from(value)));
        let witness = builder.finish().expect("the first input is one");
        let witness = cuda.upload_witness(&witness).expect("memory");
        let mut all = Bitmap::zeros(16);
        (0..16).for_each(|i| all.set(i));
        let selection = cuda.prepare_selection(&all).expect("memory");
        let split = cuda.split(&witness, &selection).expect("memory");
        let g1 = Msm::<G1>::prepare(cuda, vec![G1Affine::generator(); 16].into()).expect("memory");
        let g2 = Msm::<G2>::prepare(cuda, vec![G2Affine::generator(); 16].into()).expect("memory");
        let scalars = cuda.upload(&[Fr::from(2); 16]).expect("memory");
        let in_g1 = vec![
            Msm::<G1>::msm(cuda, &g1, &scalars).expect("launches"),
            WitnessMsm::<G1>::sum_ones(cuda, &g1, &split).expect("launches"),
            WitnessMsm::<G1>::msm_rest(cuda, &g1, &split).expect("launches"),
        ];
        let in_g2 = vec![
            Msm::<G2>::msm(cuda, &g2, &scalars).expect("launches"),
            WitnessMsm::<G2>::sum_ones(cuda, &g2, &split).expect("launches"),
            WitnessMsm::<G2>::msm_rest(cuda, &g2, &split).expect("launches"),
        ];
        let mut held: Vec<Box<dyn std::any::Any>> = vec![
            Box::new(witness),
            Box::new(selection),
            Box::new(split),
            Box::new(g1),
            Box::new(g2),
            Box::new(scalars),
        ];
        held.rotate_left(order % 6);
        if order >= 6 {
            held.reverse();
        }
        for thing in held {
            drop(thing);
        }
        (in_g1, in_g2)
    }
    let session = crate::begin();
    let factors = [32, 2, 5 + (1 << 40)].map(Fr::from);
    for order in 0..12 {
        let cuda = crate::open();
        let (mut in_g1, in_g2) = sums(&cuda, order);
        // The backend itself goes before its sums; one of them is never waited for. Kernels that
        // may still run are not unloaded.
        let before = session.calls().len();
        drop(cuda);
        let calls = session.calls()[before..].to_vec();
        let at = |name: &str| calls.iter().position(|call| call == name);
        let (waited, unloaded) = (at("cuStreamSynchronize"), at("cuModuleUnload"));
        assert!(
            waited.expect("waited") < unloaded.expect("unloaded"),
            "{calls:?}"
        );
        let mut factors_in_g1 = factors.to_vec();
        drop(in_g1.remove(order % 3));
        factors_in_g1.remove(order % 3);
        for (sum, factor) in in_g2.into_iter().zip(factors).rev() {
            let expected = G2Affine::generator() * factor;
            assert_eq!(sum.wait().expect("the kernels run"), expected, "{order}");
        }
        for (sum, factor) in in_g1.into_iter().zip(factors_in_g1) {
            let expected = G1Affine::generator() * factor;
            assert_eq!(sum.wait().expect("the kernels run"), expected, "{order}");
        }
        assert_eq!(session.leaks(), Default::default(), "{order}");
    }
}

#[test]
fn a_quotient_makes_the_twiddles_that_it_needs_and_no_more() {
    let _session = crate::begin();
    let cuda = crate::open();
    let domain = Domain::new(6).expect("small");
    let vector = || cuda.upload(&[Fr::from(3); 64]).expect("memory");
    let poly = || Poly::new(&cuda, &domain, vector()).expect("64 values");
    let tables = |work: &dyn Fn()| {
        let before = used_and_peak(&cuda).0;
        work();
        (used_and_peak(&cuda).0 - before) / (64 * 32)
    };
    let quotient = || drop(cuda.quotient(poly(), poly(), poly()).expect("memory"));
    let transform = |which| drop(cuda.transform(which, &domain, vector()).expect("memory"));
    assert_eq!(tables(&quotient), 3);
    assert_eq!(tables(&quotient), 0);
    assert_eq!(tables(&|| transform(Transform::CosetInverse)), 0);
    assert_eq!(tables(&|| transform(Transform::Forward)), 1);
    assert_eq!(tables(&|| transform(Transform::Forward)), 0);
}
