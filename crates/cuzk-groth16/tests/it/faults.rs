//! A backend that fails, or lies, at the k-th thing it is asked for: every k gives an error or
//! the right proof, and the proof after it is right again.

use std::sync::atomic::{AtomicUsize, Ordering};

use cuzk_backend::{
    Backend, Evals, Evaluate, Msm, Ntt, Pending, Poly, ShapeError, SharedBases, Transform,
    WitnessMsm, WitnessSplit,
};
use cuzk_cpu::Naive;
use cuzk_curve::{Domain, Fr, SourceGroup};
use cuzk_groth16::{Blinding, Proof, ProveError, ProvingKey, prove, prove_batch};
use cuzk_phase::Timeline;
use cuzk_r1cs::{Bitmap, CsrMatrix, PackedWitness};
use ff::Field;
use group::Group;

use crate::case::{Case, blinding};

#[derive(Debug, thiserror::Error)]
enum FaultyError {
    #[error("request {0} was made to fail")]
    Injected(usize),
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// The request itself fails.
    Request,
    /// The request succeeds and its result fails when it is waited for.
    Result,
    /// The result is wrong, and nobody says so.
    Silent,
}

struct Faulty {
    asked: AtomicUsize,
    at: AtomicUsize,
    fault: Fault,
}

impl Faulty {
    fn new(fault: Fault) -> Self {
        Self {
            asked: AtomicUsize::new(0),
            at: AtomicUsize::new(usize::MAX),
            fault,
        }
    }

    /// Makes the `k`-th request from now fail.
    fn fail_at(&self, k: usize) {
        self.asked.store(0, Ordering::Relaxed);
        self.at.store(k, Ordering::Relaxed);
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Counts a request; the number of the one that is to go wrong.
    fn hit(&self) -> Option<usize> {
        let request = self.asked.fetch_add(1, Ordering::Relaxed);
        (request == self.at.load(Ordering::Relaxed)).then_some(request)
    }

    fn ask<T>(&self, work: impl FnOnce(bool) -> Result<T, ShapeError>) -> Result<T, FaultyError> {
        match self.hit() {
            Some(request) if self.fault != Fault::Silent => Err(FaultyError::Injected(request)),
            hit => Ok(work(hit.is_some())?),
        }
    }

    fn sum<P: Group>(
        &self,
        work: impl FnOnce() -> Result<Pending<P, ShapeError>, ShapeError>,
    ) -> Result<Pending<P, FaultyError>, FaultyError> {
        let point = |pending: Pending<P, ShapeError>| pending.wait();
        match (self.hit(), self.fault) {
            (Some(request), Fault::Request) => Err(FaultyError::Injected(request)),
            (Some(request), Fault::Result) => Ok(Pending::running(move || {
                Err(FaultyError::Injected(request))
            })),
            (Some(_), Fault::Silent) => Ok(Pending::ready(point(work()?)? + P::generator())),
            (None, _) => Ok(Pending::ready(point(work()?)?)),
        }
    }
}

fn spoiled(mut values: Vec<Fr>, spoil: bool) -> Vec<Fr> {
    if spoil && let Some(value) = values.first_mut() {
        *value += Fr::ONE;
    }
    values
}

impl Backend for Faulty {
    type Vector = Vec<Fr>;
    type Error = FaultyError;

    fn name(&self) -> &'static str {
        "faulty"
    }

    fn device(&self) -> String {
        "none".into()
    }

    fn upload(&self, host: &[Fr]) -> Result<Vec<Fr>, FaultyError> {
        self.ask(|spoil| Ok(spoiled(Naive.upload(host)?, spoil)))
    }

    fn download(&self, vector: &Vec<Fr>) -> Result<Vec<Fr>, FaultyError> {
        Ok(Naive.download(vector)?)
    }

    fn len(&self, vector: &Vec<Fr>) -> usize {
        vector.len()
    }

    fn truncate(&self, vector: Vec<Fr>, len: usize) -> Result<Vec<Fr>, FaultyError> {
        self.ask(|spoil| Ok(spoiled(Naive.truncate(vector, len)?, spoil)))
    }
}

impl Ntt for Faulty {
    fn transform(
        &self,
        transform: Transform,
        domain: &Domain,
        vector: Vec<Fr>,
    ) -> Result<Vec<Fr>, FaultyError> {
        self.ask(|spoil| Ok(spoiled(Naive.transform(transform, domain, vector)?, spoil)))
    }

    fn multiply(&self, a: Vec<Fr>, b: &Vec<Fr>) -> Result<Vec<Fr>, FaultyError> {
        self.ask(|spoil| Ok(spoiled(Naive.multiply(a, b)?, spoil)))
    }

    fn multiply_subtract_scale(
        &self,
        a: Vec<Fr>,
        b: &Vec<Fr>,
        c: &Vec<Fr>,
        factor: Fr,
    ) -> Result<Vec<Fr>, FaultyError> {
        self.ask(|spoil| {
            let product = Naive.multiply_subtract_scale(a, b, c, factor)?;
            Ok(spoiled(product, spoil))
        })
    }
}

impl Evaluate for Faulty {
    type Matrix = <Naive as Evaluate>::Matrix;
    type Witness = <Naive as Evaluate>::Witness;

    fn prepare_matrix(&self, matrix: &CsrMatrix) -> Result<Self::Matrix, FaultyError> {
        self.ask(|_| Naive.prepare_matrix(matrix))
    }

    fn upload_witness(&self, witness: &PackedWitness) -> Result<Self::Witness, FaultyError> {
        self.ask(|_| Naive.upload_witness(witness))
    }

    fn evaluate(
        &self,
        matrix: &Self::Matrix,
        witness: &Self::Witness,
        domain: &Domain,
    ) -> Result<Poly<Vec<Fr>, Evals>, FaultyError> {
        self.ask(|spoil| {
            let values = Naive.evaluate(matrix, witness, domain)?.into_vector();
            Poly::new(&Naive, domain, spoiled(values, spoil))
        })
    }
}

impl<G: SourceGroup> Msm<G> for Faulty {
    type Bases = <Naive as Msm<G>>::Bases;

    fn prepare(&self, points: SharedBases<G>) -> Result<Self::Bases, FaultyError> {
        self.ask(|_| Msm::<G>::prepare(&Naive, points))
    }

    fn msm(
        &self,
        bases: &Self::Bases,
        scalars: &Vec<Fr>,
    ) -> Result<Pending<G::Projective, FaultyError>, FaultyError> {
        self.sum(|| Msm::<G>::msm(&Naive, bases, scalars))
    }
}

impl WitnessSplit for Faulty {
    type Selection = <Naive as WitnessSplit>::Selection;
    type Split = <Naive as WitnessSplit>::Split;

    fn prepare_selection(&self, selection: &Bitmap) -> Result<Self::Selection, FaultyError> {
        self.ask(|_| Naive.prepare_selection(selection))
    }

    fn split(
        &self,
        witness: &Self::Witness,
        selection: &Self::Selection,
    ) -> Result<Self::Split, FaultyError> {
        self.ask(|_| Naive.split(witness, selection))
    }
}

impl<G: SourceGroup> WitnessMsm<G> for Faulty {
    fn sum_ones(
        &self,
        bases: &Self::Bases,
        split: &Self::Split,
    ) -> Result<Pending<G::Projective, FaultyError>, FaultyError> {
        self.sum(|| WitnessMsm::<G>::sum_ones(&Naive, bases, split))
    }

    fn msm_rest(
        &self,
        bases: &Self::Bases,
        split: &Self::Split,
    ) -> Result<Pending<G::Projective, FaultyError>, FaultyError> {
        self.sum(|| WitnessMsm::<G>::msm_rest(&Naive, bases, split))
    }
}

fn attempt(backend: &Faulty, key: &ProvingKey<Faulty>, case: &Case) -> Result<Proof, ProveError> {
    prove(backend, key, &case.witness, &blinding(), &Timeline::start())
}

#[test]
fn a_request_that_fails_gives_an_error_of_its_phase_and_the_next_proof_is_right() {
    let case = Case::random(1, 6);
    let expected = case.prove(&Naive).expect("a proof");
    for (fault, folded) in [
        (Fault::Request, false),
        (Fault::Result, false),
        (Fault::Request, true),
    ] {
        let backend = Faulty::new(fault);
        let key = match folded {
            false => case.key(&backend),
            true => case.folded_key(&backend),
        };
        backend.fail_at(usize::MAX);
        assert_eq!(
            attempt(&backend, &key, &case).expect("no fault yet"),
            expected
        );
        let requests = backend.asked();
        assert!(requests >= 20, "{requests}");
        let mut phases = Vec::new();
        for k in 0..requests {
            backend.fail_at(k);
            match attempt(&backend, &key, &case) {
                Err(ProveError::Backend { phase, source }) => {
                    assert_eq!(source.to_string(), format!("request {k} was made to fail"));
                    phases.push(phase);
                }
                other => panic!("request {k}: {other:?}"),
            }
            backend.fail_at(usize::MAX);
            assert_eq!(attempt(&backend, &key, &case).expect("no fault"), expected);
        }
        phases.sort_unstable();
        phases.dedup();
        assert_eq!(phases.len(), 10, "{phases:?}");
    }
}

#[test]
fn a_result_that_is_silently_wrong_never_becomes_a_proof() {
    let case = Case::random(2, 6);
    let expected = case.prove(&Naive).expect("a proof");
    let backend = Faulty::new(Fault::Silent);
    // Evaluations, transforms, product, truncation, and the nine sums; in the folded form two
    // evaluations and four transforms, and nothing is truncated.
    for (key, at_least) in [(case.key(&backend), 18), (case.folded_key(&backend), 16)] {
        backend.fail_at(usize::MAX);
        assert_eq!(
            attempt(&backend, &key, &case).expect("no fault yet"),
            expected
        );
        let requests = backend.asked();
        let mut refused = 0;
        for k in 0..requests {
            backend.fail_at(k);
            match attempt(&backend, &key, &case) {
                // Requests whose results cannot be spoiled here.
                Ok(proof) => assert_eq!(proof, expected, "request {k}"),
                Err(ProveError::ProofRefused) => refused += 1,
                Err(other) => panic!("request {k}: {other}"),
            }
        }
        assert!(refused >= at_least, "{refused} of {requests}");
    }
}

#[test]
fn a_fault_while_a_key_is_prepared_is_an_error() {
    let case = Case::random(3, 4);
    let backend = Faulty::new(Fault::Request);
    case.key(&backend);
    let requests = backend.asked();
    assert_eq!(requests, 11);
    for k in 0..requests {
        backend.fail_at(k);
        let key = ProvingKey::prepare(&backend, case.shape.clone(), &case.parameters);
        assert!(
            matches!(key, Err(ProveError::Backend { .. })),
            "request {k}"
        );
    }
}

#[test]
fn a_fault_in_one_proof_of_a_batch_leaves_the_others_right() {
    // Of a proof whose request fails beside another proof, the requests are made once more.
    let (mut alone, mut again) = (0, 0);
    let case = Case::random(4, 4);
    let backend = Faulty::new(Fault::Result);
    let key = case.key(&backend);
    let witnesses = vec![case.witness.clone(); 3];
    let blindings: Vec<Blinding> = (1..4)
        .map(|i| Blinding::fixed(Fr::from(i), Fr::ONE))
        .collect();
    let batch = || {
        prove_batch(&backend, &key, &witnesses, &blindings, &Timeline::start())
            .expect("as many blindings as witnesses")
    };
    backend.fail_at(usize::MAX);
    let expected: Vec<Proof> = batch()
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("no fault");
    let requests = backend.asked();
    for k in (0..requests).step_by(5) {
        backend.fail_at(k);
        let proofs = batch();
        let failed = proofs.iter().filter(|proof| proof.is_err()).count();
        match failed {
            0 => again += 1,
            1 => alone += 1,
            _ => panic!("{failed} of three failed after request {k}"),
        }
        // Beside the first proof there is no other.
        assert!(k > 0 || proofs[0].is_err(), "request {k}");
        for (proof, expected) in proofs.into_iter().zip(&expected) {
            if let Ok(proof) = proof {
                assert_eq!(proof, *expected, "request {k}");
            }
        }
    }
    assert!(alone > 2 && again > 2, "{alone} failed, {again} did not");
}
