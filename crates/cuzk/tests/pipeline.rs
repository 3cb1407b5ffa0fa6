//! The pipeline: many circuits at once, room, cancelling, faults and ends; on the processor.

#[path = "shared/gate.rs"]
mod gate;
#[path = "shared/squares.rs"]
mod squares;
#[path = "shared/waiting.rs"]
mod waiting;

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use cuzk::{
    Backend, Blinding, Circuit, Compiled, ConstraintSystem, Error, Fr, Phase, Pipeline,
    PipelineOptions, ProveError, Prover, Synthesis, SynthesisError, Timeline, Tuning,
};
use gate::{Gate, Gated};
use squares::Squares;
use waiting::within_a_minute;

fn prover() -> Prover {
    let prover = Prover::builder().backend(Backend::Cpu).build();
    prover.expect("the processor")
}

fn compiled(prover: &Prover, n: usize) -> Arc<Compiled> {
    let circuit = Squares { start: 2, n };
    let shape = prover.shape(circuit).expect("sound");
    let parameters = prover.setup(&shape, |_| ()).expect("parameters");
    Arc::new(prover.compile(circuit, &parameters).expect("the key"))
}

fn options(synthesis_threads: usize) -> PipelineOptions {
    let threads = NonZeroUsize::new(synthesis_threads).expect("some");
    PipelineOptions::default().with_synthesis_threads(threads)
}

fn pipeline(options: PipelineOptions) -> Pipeline {
    Pipeline::new(options).expect("a few threads")
}

/// Waits until it is so, and fails where that takes a minute.
fn soon(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it never came to be"
        );
        thread::sleep(Duration::from_millis(1));
    }
}

/// Breaks where its witness is asked for.
struct Broken;

impl Circuit for Broken {
    fn synthesize<CS: ConstraintSystem>(self, _: &mut CS) -> Result<(), SynthesisError> {
        panic!("no witness at all")
    }
}

/// Has no witness.
struct Missing;

impl Circuit for Missing {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        cs.alloc(|| "x", || Err(SynthesisError::AssignmentMissing))
            .map(|_| ())
    }
}

#[test]
fn twenty_submitters_get_the_proofs_that_they_would_have_made_themselves() {
    let prover = prover();
    let compiled: Vec<_> = (0..5).map(|n| compiled(&prover, 3 + 7 * n)).collect();
    let pipeline = pipeline(options(3));
    thread::scope(|scope| {
        for i in 0..20u64 {
            let (pipeline, compiled) = (&pipeline, &compiled[i as usize % 5]);
            scope.spawn(move || {
                let n = 3 + 7 * (i as usize % 5);
                let circuit = Squares { start: i, n };
                let blinding = Blinding::fixed(Fr::from(i), Fr::from(100 + i));
                let ticket = pipeline
                    .submit_blinded(compiled, circuit, blinding.clone())
                    .expect("there is room");
                let finished = ticket.wait().expect("satisfied");
                let alone = compiled
                    .prove_timed(circuit, &blinding, &Timeline::start())
                    .expect("satisfied");
                assert_eq!(finished.proved, alone);
                let report = finished.report.clone();
                assert_eq!(report.backend, "cpu");
                for phase in [Phase::Queue, Phase::Synthesize, Phase::Verify] {
                    assert!(report.phase(phase).is_some(), "{phase} is missing");
                }
                let upload = report.phase(Phase::Upload).expect("uploaded");
                assert_eq!(upload.calls, 1, "the phases are those of one proof");
                assert!(finished.queued() <= report.total);
            });
        }
    });
    assert_eq!(pipeline.status().witness_bytes, 0);
    pipeline.finish();
}

#[test]
fn a_circuit_that_is_wrong_missing_or_broken_fails_alone() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let pipeline = pipeline(options(2));
    let submit = |n| pipeline.submit(&compiled, Squares { start: 3, n });
    let first = submit(6).expect("room");
    let broken = pipeline.submit(&compiled, Broken).expect("room");
    let missing = pipeline.submit(&compiled, Missing).expect("room");
    let other = submit(7).expect("room");
    let last = submit(6).expect("room");
    match broken.wait() {
        Err(Error::CircuitPanicked { message }) => assert_eq!(message, "no witness at all"),
        outcome => panic!("{outcome:?}"),
    }
    assert!(matches!(
        missing.wait(),
        Err(Error::Synthesis(SynthesisError::AssignmentMissing))
    ));
    assert!(matches!(
        other.wait(),
        Err(Error::Prove(ProveError::WitnessMismatch {
            expected: 9,
            got: 10,
            ..
        }))
    ));
    for ticket in [first, last] {
        ticket.wait().expect("satisfied");
    }
    assert_eq!(pipeline.status().witness_bytes, 0);
}

#[test]
fn what_has_no_room_waits_in_order_and_never_more_is_taken() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let needed_bytes = compiled.witness_bytes_at_most();
    let budget_bytes = 2 * needed_bytes + 1;
    let pipeline = pipeline(options(2).with_witness_budget_bytes(budget_bytes));
    let gate = Gate::default();
    let gated = |start| Gated::new(&gate, Squares { start, n: 6 });
    let held = [0, 1].map(|start| pipeline.submit(&compiled, gated(start)).expect("room"));
    let refused = pipeline
        .try_submit(&compiled, Squares { start: 9, n: 6 })
        .expect_err("no room");
    assert_eq!(refused.circuit.start, 9);
    match refused.error {
        Error::PipelineFull {
            needed_bytes: needed,
            free_bytes,
            budget_bytes: budget,
        } => assert_eq!(
            (needed, free_bytes, budget),
            (needed_bytes, 1, budget_bytes)
        ),
        error => panic!("{error:?}"),
    }
    thread::scope(|scope| {
        let submit = || {
            let ticket = pipeline.submit(&compiled, Squares { start: 4, n: 6 });
            ticket.expect("in time").wait().expect("satisfied")
        };
        let blocked = [scope.spawn(submit), scope.spawn(submit)];
        soon(|| pipeline.status().blocked == 2);
        assert_eq!(pipeline.status().witness_bytes, 2 * needed_bytes);
        gate.open();
        for thread in blocked {
            thread.join().expect("no panic");
        }
    });
    for ticket in held {
        ticket.wait().expect("satisfied");
    }
    let status = pipeline.status();
    assert_eq!((status.witness_bytes, status.blocked), (0, 0));
    assert_eq!(status.peak_witness_bytes, 2 * needed_bytes);
}

#[test]
fn a_job_that_never_has_room_is_refused_with_both_numbers() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let needed_bytes = compiled.witness_bytes_at_most();
    let pipeline = pipeline(options(1).with_witness_budget_bytes(needed_bytes - 1));
    let circuit = Squares { start: 2, n: 6 };
    let refused = pipeline.submit(&compiled, circuit).expect_err("too large");
    assert_eq!(
        refused.to_string(),
        format!(
            "the circuit's witness may be larger than the pipeline's budget: expected at most {} \
             bytes, got {needed_bytes}",
            needed_bytes - 1
        )
    );
    let refused = pipeline.try_submit(&compiled, circuit);
    let error = refused.expect_err("too large").error;
    assert!(matches!(error, Error::JobTooLarge { .. }), "{error:?}");
    assert_eq!(pipeline.status(), Default::default());
}

#[test]
fn cancelling_frees_what_waits_at_once_and_what_runs_at_its_end() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let needed_bytes = compiled.witness_bytes_at_most();
    let pipeline = pipeline(options(1));
    let gate = Gate::default();
    let dropped = Arc::new(AtomicUsize::new(0));
    let gated = || Gated::new(&gate, Squares { start: 2, n: 6 }).counted(&dropped);
    let submit = || pipeline.submit(&compiled, gated()).expect("room");
    let (running, waiting, quiet) = (submit(), submit(), submit());
    soon(|| pipeline.status().synthesizing == 1);
    assert_eq!(pipeline.status().witness_bytes, 3 * needed_bytes);

    assert!(waiting.cancel());
    assert!(!waiting.cancel(), "it has its outcome");
    assert_eq!(pipeline.status().witness_bytes, 2 * needed_bytes);
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "the circuit is gone");
    drop(quiet);
    assert_eq!(pipeline.status().witness_bytes, needed_bytes);
    assert!(matches!(waiting.wait(), Err(Error::Cancelled)));

    assert!(running.cancel());
    assert_eq!(
        pipeline.status().witness_bytes,
        needed_bytes,
        "its pass runs"
    );
    assert!(matches!(running.wait(), Err(Error::Cancelled)));
    gate.open();
    soon(|| pipeline.status().witness_bytes == 0);
    assert_eq!(pipeline.status().proving, 0);

    let done = submit();
    soon(|| done.is_finished());
    assert!(!done.cancel(), "too late");
    done.wait().expect("a proof");
    assert_eq!(pipeline.status().witness_bytes, 0);
}

#[test]
fn a_dropped_pipeline_closes_what_waits_and_ends_what_runs() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let gate = Gate::default();
    let pipeline = pipeline(options(1));
    let submit = || {
        let circuit = Gated::new(&gate, Squares { start: 2, n: 6 });
        pipeline.submit(&compiled, circuit).expect("room")
    };
    let tickets = [submit(), submit(), submit()];
    soon(|| pipeline.status().synthesizing == 1);
    let opener = thread::spawn({
        let gate = gate.clone();
        move || {
            thread::sleep(Duration::from_millis(50));
            gate.open();
        }
    });
    drop(pipeline);
    opener.join().expect("no panic");
    for ticket in tickets {
        let outcome = ticket.try_wait().expect("everything has ended");
        assert!(matches!(outcome, Err(Error::Closed)), "{outcome:?}");
    }
    assert_eq!(Arc::strong_count(&compiled), 1, "nothing is left behind");
}

#[test]
fn a_finished_pipeline_has_proved_all() {
    let prover = prover();
    let compiled = [compiled(&prover, 6), compiled(&prover, 9)];
    let pipeline = pipeline(options(2));
    let submit = |i: usize| {
        let n = [6, 9][i % 2];
        let ticket = pipeline.submit(&compiled[i % 2], Squares { start: 3, n });
        ticket.expect("room")
    };
    let tickets: Vec<_> = (0..9).map(submit).collect();
    pipeline.finish();
    for ticket in tickets {
        ticket.try_wait().expect("all is done").expect("satisfied");
    }
}

#[test]
fn circuits_take_turns() {
    let prover = prover();
    let (many, one) = (compiled(&prover, 6), compiled(&prover, 7));
    let one_by_one = NonZeroUsize::MIN;
    let pipeline = pipeline(options(1).with_batch(one_by_one));
    let gate = Gate::default();
    let circuit = Gated::new(&gate, Squares { start: 2, n: 6 });
    let mut tickets = vec![pipeline.submit(&many, circuit).expect("room")];
    soon(|| pipeline.status().synthesizing == 1);
    for _ in 0..12 {
        let circuit = Squares { start: 2, n: 6 };
        tickets.push(pipeline.submit(&many, circuit).expect("room"));
    }
    let last = pipeline.submit(&one, Squares { start: 2, n: 7 });
    gate.open();
    last.expect("room").wait().expect("satisfied");
    let done = tickets.iter().filter(|ticket| ticket.is_finished()).count();
    assert!(done < 8, "{done} of 13 went before the one");
    drop(tickets);
    soon(|| pipeline.status().witness_bytes == 0);
}

#[test]
fn a_pool_whose_threads_all_wait_proves_all_the_same() {
    for threads in [1, 2] {
        within_a_minute(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("threads");
            let prover = Prover::builder()
                .backend(Backend::Cpu)
                .threads(threads)
                .build()
                .expect("threads");
            for prover in [prover, self::prover()] {
                let compiled = compiled(&prover, 6);
                // Room for one, so that submitting waits too.
                let budget_bytes = compiled.witness_bytes_at_most();
                let options = options(2).with_witness_budget_bytes(budget_bytes);
                let pipeline = pipeline(options);
                let submit = |start| {
                    let ticket = pipeline.submit(&compiled, Squares { start, n: 6 });
                    ticket.expect("room").wait().expect("satisfied")
                };
                pool.scope(|scope| {
                    for start in 0..6 {
                        scope.spawn(move |_| drop(submit(start)));
                    }
                });
                pool.install(|| pipeline.finish());
            }
        });
    }
}

/// Counts how often it is woken.
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_ticket_is_a_future_that_wakes_its_task_once() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let pipeline = pipeline(options(1));
    let gate = Gate::default();
    let circuit = Gated::new(&gate, Squares { start: 2, n: 6 });
    let mut ticket = Box::pin(pipeline.submit(&compiled, circuit).expect("room"));
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    assert!(ticket.as_mut().poll(&mut context).is_pending());
    assert!(ticket.as_mut().poll(&mut context).is_pending());
    gate.open();
    soon(|| woken.0.load(Ordering::SeqCst) > 0);
    let outcome = ticket.as_mut().poll(&mut context);
    assert!(matches!(outcome, Poll::Ready(Ok(_))), "{outcome:?}");
    let outcome = ticket.as_mut().poll(&mut context);
    assert!(
        matches!(outcome, Poll::Ready(Err(Error::TicketSpent))),
        "{outcome:?}"
    );
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
}

#[test]
fn waiting_with_a_limit_gives_the_ticket_back() {
    let prover = prover();
    let compiled = compiled(&prover, 6);
    let pipeline = pipeline(options(1));
    let gate = Gate::default();
    let circuit = Gated::new(&gate, Squares { start: 2, n: 6 });
    let ticket = pipeline.submit(&compiled, circuit).expect("room");
    let ticket = ticket.try_wait().expect_err("it is held up");
    let ticket = ticket.wait_timeout(Duration::from_millis(20));
    let ticket = ticket.expect_err("it is held up");
    gate.open();
    let outcome = ticket.wait_timeout(Duration::MAX);
    outcome.expect("there is time").expect("satisfied");
}

#[test]
fn a_circuit_may_hold_the_pipeline_itself() {
    within_a_minute(|| {
        let prover = prover();
        let compiled = compiled(&prover, 6);
        let pipeline = Arc::new(pipeline(options(1)));
        let gate = Gate::default();
        let circuit = Gated::new(&gate, Squares { start: 2, n: 6 }).keeping(&pipeline);
        let ticket = pipeline.submit(&compiled, circuit).expect("room");
        let behind = pipeline.submit(&compiled, Squares { start: 2, n: 6 });
        drop(pipeline);
        gate.open();
        for ticket in [ticket, behind.expect("room")] {
            let outcome = ticket.wait();
            assert!(matches!(outcome, Err(Error::Closed)), "{outcome:?}");
        }
    });
}

#[test]
fn a_circuit_of_direct_passes_is_refused_and_given_back() {
    let tuning = Tuning::new().with_synthesis(Synthesis::Direct);
    let direct = Prover::builder().backend(Backend::Cpu).tuning(tuning);
    let direct = compiled(&direct.build().expect("the processor"), 3);
    let pipeline = pipeline(options(1));
    let circuit = Squares { start: 2, n: 3 };
    let refused = pipeline.submit(&direct, circuit).expect_err("another pass");
    assert_eq!(
        refused.to_string(),
        "a pipeline makes witnesses by a pass of their own: expected synthesis=compiled, got \
         synthesis=direct"
    );
    let refused = pipeline.try_submit(&direct, circuit).expect_err("the same");
    assert!(
        matches!(refused.error, Error::PipelinePass),
        "{:?}",
        refused.error
    );
    assert_eq!(refused.circuit.n, 3);
    assert_eq!(pipeline.status().witness_bytes, 0);
    // What is proved without a pipeline is proved as before.
    direct.prove(circuit).expect("a proof");
}
