use std::cell::RefCell;

use cuzk_backend::{
    Backend, Evals, Lane, Msm, Pending, Poly, ProverBackend, WitnessMsm, WitnessSplit,
};
use cuzk_curve::{Fr, G1, G1Projective, G2, SourceGroup};
use cuzk_hostmem::CopyStep;
use cuzk_phase::{Phase, SpanGuard, Timeline};
use cuzk_r1cs::PackedWitness;
use ff::Field;

use crate::{
    Blinding, Proof, ProveError, ProvingKey, QueryKey,
    assemble::{Blinded, Sums, assemble},
    laps::{Laps, OpenLap},
    verify::SummedInputs,
};

/// The steps of a proof on one backend with one key; each is one phase or a few.
pub(crate) struct Steps<'a, B: ProverBackend> {
    backend: &'a B,
    key: &'a QueryKey<B>,
    timeline: &'a Timeline,
    /// Its place among the proofs of a call.
    proof: usize,
    /// Times by the machine's clock, known when its work is done.
    laps: RefCell<Laps<B>>,
}

/// The sum over the H query, perhaps still running.
pub(crate) type HSum<B> = Running<G1, B>;

/// A sum that a phase enqueued, perhaps still running.
pub(crate) struct Running<G: SourceGroup, B: Msm<G>> {
    phase: Phase,
    lane: Lane,
    /// Stretches of the machine's work with the one that makes it, the last of them.
    laps: usize,
    pending: Pending<G::Projective, B::Error>,
}

/// The sums over one query: of the points whose variable is one, and of the rest.
struct QuerySum<G: SourceGroup, B: Msm<G>> {
    ones: Running<G, B>,
    rest: Running<G, B>,
}

/// A witness split for the L, A and B queries. What is enqueued after it is dropped comes after
/// the sums over its parts.
pub(crate) type Splits<B> = [<B as WitnessSplit>::Split; 3];

/// The sums over the L, A and B queries, perhaps still running.
pub(crate) struct WitnessSums<B: ProverBackend> {
    l: QuerySum<G1, B>,
    a: QuerySum<G1, B>,
    b_g1: QuerySum<G1, B>,
    b_g2: QuerySum<G2, B>,
}

/// What of a proof and its verification needs no sum.
pub(crate) struct Ahead {
    blinded: Blinded,
    inputs: SummedInputs,
}

/// A vector of values over the domain.
pub(crate) type Values<B> = Poly<<B as cuzk_backend::Backend>::Vector, Evals>;

/// a, b and, for a key whose quotient takes seven transforms, c over the domain.
pub(crate) struct Evaluated<B: Backend> {
    pub(crate) a: Values<B>,
    pub(crate) b: Values<B>,
    pub(crate) c: Option<Values<B>>,
}

impl<'a, B: ProverBackend> Steps<'a, B> {
    pub(crate) fn new(
        backend: &'a B,
        key: &'a QueryKey<B>,
        timeline: &'a Timeline,
        laps: Laps<B>,
    ) -> Self {
        let device = backend.device();
        timeline.ran_on(backend.name(), &device);
        if let Some(probe) = backend.memory_probe() {
            timeline.ask_device_memory(&device, probe);
        }
        Self::resume(backend, key, timeline, laps)
    }

    /// The same steps later, with the times that were still running then.
    pub(crate) fn resume(
        backend: &'a B,
        key: &'a QueryKey<B>,
        timeline: &'a Timeline,
        laps: Laps<B>,
    ) -> Self {
        Self {
            backend,
            key,
            timeline,
            proof: laps.proof(),
            laps: RefCell::new(laps),
        }
    }

    /// What [`Steps::resume`] needs.
    pub(crate) fn into_laps(self) -> Laps<B> {
        self.laps.into_inner()
    }

    fn span(&self, phase: Phase) -> SpanGuard<'a> {
        self.timeline.span(phase).of_proof(self.proof)
    }

    /// Runs the work of one phase, and measures by the machine's clock what it enqueues; its error
    /// names the phase.
    fn phase<T>(
        &self,
        phase: Phase,
        work: impl FnOnce(&SpanGuard<'_>) -> Result<T, B::Error>,
    ) -> Result<T, ProveError> {
        self.phase_on(Lane::Work, phase, work)
    }

    fn phase_on<T>(
        &self,
        lane: Lane,
        phase: Phase,
        work: impl FnOnce(&SpanGuard<'_>) -> Result<T, B::Error>,
    ) -> Result<T, ProveError> {
        let span = self.span(phase);
        let timed = || -> Result<T, B::Error> {
            let lap = self
                .laps
                .borrow()
                .begin(phase, lane, self.backend, self.timeline)?;
            let result = work(&span)?;
            lap.map_or(Ok(()), |lap| self.laps.borrow_mut().end(lap))?;
            Ok(result)
        };
        timed().map_err(ProveError::backend(phase))
    }

    /// Brings the witness to the machine, with a phase for each step that the machine takes.
    pub(crate) fn upload(&self, witness: &PackedWitness) -> Result<B::Witness, ProveError> {
        let mut span: Option<SpanGuard<'_>> = None;
        let mut clocked = ClockedCopies::new(self);
        let uploaded = self.backend.upload_witness_by_steps(witness, &mut |step| {
            clocked.begins(step);
            // One ends before the next begins.
            drop(span.take());
            let next = span.insert(self.span(match step {
                CopyStep::Pin => Phase::Pin,
                CopyStep::Copy => Phase::Upload,
                CopyStep::Unpin => Phase::Unpin,
            }));
            next.elements(witness.len());
        });
        let told = clocked.finish();
        drop(span);
        let bytes = witness.bytes() as u64;
        self.timeline.add_bytes(Phase::Upload, bytes);
        uploaded
            .and_then(|witness| told.map(|()| witness))
            .map_err(ProveError::backend(Phase::Upload))
    }

    /// Pads the values of a direct pass to the domain and uploads them.
    pub(crate) fn upload_evaluations(
        &self,
        evaluations: [Vec<Fr>; 3],
    ) -> Result<Evaluated<B>, ProveError> {
        let domain = self.key.layout.domain;
        let upload = |mut values: Vec<Fr>| {
            self.phase(Phase::Upload, |span| {
                span.elements(values.len());
                span.bytes(32 * values.len() as u64);
                values.resize(domain.n(), Fr::ZERO);
                let vector = self.backend.upload(&values)?;
                Ok(Poly::new(self.backend, &domain, vector)?)
            })
        };
        let [a, b, c] = evaluations;
        let c = (!self.key.is_folded()).then_some(c);
        Ok(Evaluated {
            a: upload(a)?,
            b: upload(b)?,
            c: c.map(upload).transpose()?,
        })
    }

    /// a = A·w, b = B·w, and c = C·w where the key has C.
    pub(crate) fn evaluate(
        &self,
        key: &ProvingKey<B>,
        w: &B::Witness,
    ) -> Result<Evaluated<B>, ProveError> {
        let domain = self.key.layout.domain;
        self.phase(Phase::Evaluate, |span| {
            span.elements(self.key.layout.num_rows);
            let evaluate = |matrix| self.backend.evaluate(matrix, w, &domain);
            Ok(Evaluated {
                a: evaluate(&key.a)?,
                b: evaluate(&key.b)?,
                c: key.c.as_ref().map(evaluate).transpose()?,
            })
        })
    }

    /// The scalars of the H query: the n − 1 coefficients of h = (a·b − c) / Z, or the n values
    /// of a·b on the coset where [`FoldedQueries`](crate::FoldedQueries) stand for the rest.
    pub(crate) fn quotient(&self, values: Evaluated<B>) -> Result<B::Vector, ProveError> {
        let n = self.key.layout.domain.n();
        let Evaluated { a, b, c } = values;
        self.phase(Phase::Ntt, |span| {
            span.elements(n);
            let Some(c) = c else {
                return Ok(self.backend.product_on_coset(a, b)?.into_vector());
            };
            let h = self.backend.quotient(a, b, c)?;
            // The degree of h is at most n − 2: the last coefficient is zero if the witness
            // is right, and the key has no point for it.
            self.backend.truncate(h.into_vector(), n - 1)
        })
    }

    pub(crate) fn sum_h(&self, h: &B::Vector) -> Result<HSum<B>, ProveError> {
        self.running::<G1>(Lane::Work, Phase::MsmH, || {
            Msm::<G1>::msm(self.backend, &self.key.h, h)
        })
    }

    /// Σ w_j·L_j, Σ w_j·A_j and Σ w_j·B_j, the latter in both groups.
    pub(crate) fn sum_witness(
        &self,
        [l_part, a, b]: &Splits<B>,
    ) -> Result<WitnessSums<B>, ProveError> {
        use Phase::{MsmBG2, TailMsmA, TailMsmBG1, TailMsmL};
        let key = self.key;
        let l = self.ones::<G1>(&key.l, l_part)?;
        let a_ones = self.ones::<G1>(&key.a, a)?;
        let b_g1 = self.ones::<G1>(&key.b_g1, b)?;
        let b_g2 = self.ones::<G2>(&key.b_g2, b)?;
        // The longest first: a machine may go on with it while the others are asked for.
        let b_g2 = self.with_rest(b_g2, MsmBG2, &key.b_g2, b)?;
        Ok(WitnessSums {
            l: self.with_rest(l, TailMsmL, &key.l, l_part)?,
            a: self.with_rest(a_ones, TailMsmA, &key.a, a)?,
            b_g1: self.with_rest(b_g1, TailMsmBG1, &key.b_g1, b)?,
            b_g2,
        })
    }

    /// Splits the witness once per selection; the two B queries share theirs.
    pub(crate) fn split(&self, w: &B::Witness) -> Result<Splits<B>, ProveError> {
        self.phase(Phase::PrepMsm, |_| {
            Ok([
                self.backend.split(w, &self.key.l_selection)?,
                self.backend.split(w, &self.key.a_selection)?,
                self.backend.split(w, &self.key.b_selection)?,
            ])
        })
    }

    fn ones<G: SourceGroup>(
        &self,
        bases: &<B as Msm<G>>::Bases,
        split: &<B as WitnessSplit>::Split,
    ) -> Result<Running<G, B>, ProveError>
    where
        B: WitnessMsm<G>,
    {
        let lane = WitnessMsm::<G>::lane(self.backend, bases, split);
        self.running::<G>(lane, Phase::BatchAddition, || {
            WitnessMsm::<G>::sum_ones(self.backend, bases, split)
        })
    }

    fn with_rest<G: SourceGroup>(
        &self,
        ones: Running<G, B>,
        phase: Phase,
        bases: &<B as Msm<G>>::Bases,
        split: &<B as WitnessSplit>::Split,
    ) -> Result<QuerySum<G, B>, ProveError>
    where
        B: WitnessMsm<G>,
    {
        let lane = WitnessMsm::<G>::lane(self.backend, bases, split);
        let rest = self.running::<G>(lane, phase, || {
            WitnessMsm::<G>::msm_rest(self.backend, bases, split)
        })?;
        Ok(QuerySum { ones, rest })
    }

    fn running<G: SourceGroup>(
        &self,
        lane: Lane,
        phase: Phase,
        work: impl FnOnce() -> Result<Pending<G::Projective, B::Error>, B::Error>,
    ) -> Result<Running<G, B>, ProveError>
    where
        B: Msm<G>,
    {
        let pending = self.phase_on(lane, phase, |_| work())?;
        let laps = self.laps.borrow().ended();
        Ok(Running {
            phase,
            lane,
            laps,
            pending,
        })
    }

    /// What a proof and its verification need of the host alone, while the machine works.
    pub(crate) fn ahead(
        &self,
        witness: &PackedWitness,
        blinding: &Blinding,
    ) -> Result<Ahead, ProveError> {
        let key = &self.key.verifying_key;
        let blinded = {
            let _span = self.span(Phase::Assemble);
            Blinded::new(key.key(), blinding)
        };
        let _span = self.span(Phase::Verify);
        let inputs = key.sum_inputs(&witness.public_inputs());
        let inputs = inputs.map_err(|_| ProveError::ProofRefused)?;
        Ok(Ahead { blinded, inputs })
    }

    /// Waits for the sums, each in its own phase, and puts the proof together.
    pub(crate) fn assemble(
        &self,
        ahead: &Ahead,
        h: HSum<B>,
        sums: WitnessSums<B>,
        blinding: &Blinding,
    ) -> Result<Proof, ProveError> {
        let h: G1Projective = self.wait::<G1>(h)?;
        let sums = Sums {
            h,
            l: self.wait_both::<G1>(sums.l)?,
            a: self.wait_both::<G1>(sums.a)?,
            b_g1: self.wait_both::<G1>(sums.b_g1)?,
            b_g2: self.wait_both::<G2>(sums.b_g2)?,
        };
        let _span = self.span(Phase::Assemble);
        let told = self.laps.borrow_mut().tell(self.timeline);
        told.map_err(ProveError::in_phase)?;
        assemble(
            self.key.verifying_key.key(),
            &ahead.blinded,
            &sums,
            blinding,
        )
    }

    fn wait_both<G: SourceGroup>(&self, sum: QuerySum<G, B>) -> Result<G::Projective, ProveError>
    where
        B: Msm<G>,
    {
        Ok(self.wait(sum.ones)? + self.wait(sum.rest)?)
    }

    fn wait<G: SourceGroup>(&self, sum: Running<G, B>) -> Result<G::Projective, ProveError>
    where
        B: Msm<G>,
    {
        let _span = self.span(sum.phase);
        let waited = sum.pending.wait().map_err(ProveError::backend(sum.phase))?;
        // While the machine makes the sums after it: what came before it on its lane is done.
        let mut laps = self.laps.borrow_mut();
        laps.tell_lane(sum.lane, sum.laps, self.timeline)
            .map_err(ProveError::in_phase)?;
        Ok(waited)
    }

    /// Whether the proof verifies for the witness's own public inputs.
    pub(crate) fn verifies(&self, proof: &Proof, ahead: &Ahead) -> bool {
        let _span = self.span(Phase::Verify);
        self.key.verifying_key.accepts(proof, &ahead.inputs)
    }
}

/// The stretches in which a machine copies a witness, by its own clock.
struct ClockedCopies<'s, 'a, B: ProverBackend> {
    steps: &'s Steps<'a, B>,
    open: Option<OpenLap<B>>,
    /// The first that went wrong.
    outcome: Result<(), B::Error>,
}

impl<'s, 'a, B: ProverBackend> ClockedCopies<'s, 'a, B> {
    fn new(steps: &'s Steps<'a, B>) -> Self {
        Self {
            steps,
            open: None,
            outcome: Ok(()),
        }
    }

    fn begins(&mut self, step: CopyStep) {
        self.end();
        if step == CopyStep::Copy && self.outcome.is_ok() {
            let Steps {
                backend, timeline, ..
            } = self.steps;
            let laps = self.steps.laps.borrow();
            match laps.begin(Phase::Upload, Lane::Uploads, *backend, timeline) {
                Ok(open) => self.open = open,
                Err(error) => self.outcome = Err(error),
            }
        }
    }

    fn end(&mut self) {
        if let Some(open) = self.open.take()
            && let Err(error) = self.steps.laps.borrow_mut().end(open)
            && self.outcome.is_ok()
        {
            self.outcome = Err(error);
        }
    }

    fn finish(mut self) -> Result<(), B::Error> {
        self.end();
        self.outcome
    }
}
