//! Every allocation and every launch of a key's preparation and a proof fails in turn, with all of
//! the key on the device and with some of its queries streamed: the right proof or an error that
//! says what failed, and nothing left behind. The next proof is right, which is looked at after
//! every failure of a key on the device and every eighth of a streamed one.

use cuzk_cpu::Cpu;
use cuzk_cuda::Cuda;
use cuzk_groth16::{Proof, ProveError, ProvingKey, prove};
use cuzk_mock_driver::Session;
use cuzk_phase::Timeline;
use cuzk_testkit::RandomSystem;

use crate::{
    budgets::{least, shape, within},
    is_short,
    proofs::{Case, blinding},
};

/// What of the key is on the device.
#[derive(Clone, Copy)]
enum Plan {
    Resident,
    Streamed,
}

impl Plan {
    /// As few constraints as will do: a proof takes about a tenth of a second.
    fn open(self) -> (Case, Cuda) {
        let of = |rows, bits_percent| {
            let system = RandomSystem::new(5, rows).with_bits_percent(bits_percent);
            Case::of(&system.program())
        };
        let streamed = |cuda: &Cuda, case: &Case| {
            let plan = cuda.memory_plan(&shape(case)).expect("the budget suffices");
            let streamed = plan.queries.iter().filter(|query| !query.resident);
            streamed.count()
        };
        match self {
            Self::Resident => {
                // Every kind of value.
                let (case, cuda) = (of(4, 50), within(None));
                assert_eq!(streamed(&cuda, &case), 0);
                (case, cuda)
            }
            Self::Streamed => {
                // Queries that are less than what a proof needs beside them stay.
                let small = [16, 20, 24, 28, 32, 40, 48, 64].into_iter().map(|rows| {
                    let case = of(rows, 100);
                    let cuda = within(Some(least(&case)));
                    (case, cuda)
                });
                let mut small = small.filter(|(case, cuda)| streamed(cuda, case) > 0);
                small.next().expect("a few rows are streamed in part")
            }
        }
    }
}

/// How a call fails.
#[derive(Clone, Copy)]
struct Fault {
    function: &'static str,
    code: i32,
    /// So many times, one after the other.
    times: u32,
}

const NO_LAUNCH: Fault = Fault {
    function: "cuLaunchKernel",
    code: 719,
    times: 1,
};

/// Asked again after the device gave back what it kept.
const NO_MEMORY_ONCE: Fault = Fault {
    function: "cuMemAllocFromPoolAsync",
    code: 2,
    times: 1,
};

const NO_MEMORY: Fault = Fault {
    times: 2,
    ..NO_MEMORY_ONCE
};

/// What is run again and again.
struct Runs<'a> {
    session: &'a Session,
    cuda: &'a Cuda,
    expected: Proof,
    /// After every so many failures a whole run is made, which takes most of the time.
    next_every: u32,
}

impl Runs<'_> {
    /// How many calls of the function there are in this.
    fn calls(&self, function: &str, run: impl FnOnce()) -> u32 {
        self.session.forget();
        run();
        let calls = self.session.calls();
        let calls = calls.iter().filter(|call| *call == function);
        u32::try_from(calls.count()).expect("few")
    }

    fn used(&self) -> usize {
        let memory = self.cuda.cuda_device().memory();
        memory.expect("the stand-in").used_bytes
    }

    /// Lets each of the first calls fail in turn; gives how many of the runs had a proof after all.
    fn every_call(
        &self,
        fault: Fault,
        calls: u32,
        run: &dyn Fn() -> Result<Proof, ProveError>,
    ) -> u32 {
        assert_eq!(run().expect("nothing fails"), self.expected);
        let held = self.used();
        let mut proved = 0;
        for k in 0..calls {
            let what = format!("{} {k}", fault.function);
            self.session.forget();
            (0..fault.times).for_each(|_| self.session.fail(fault.function, k, fault.code));
            let outcome = run();
            self.session.mend();
            match outcome {
                Ok(proof) => {
                    proved += 1;
                    assert_eq!(proof, self.expected, "after {what}");
                }
                Err(error) => {
                    let is_backend = matches!(error, ProveError::Backend { .. });
                    assert!(is_backend, "{what}: {error:?}");
                    let is_memory = fault.function == NO_MEMORY.function;
                    assert_eq!(is_short(&error), is_memory, "{what}: {error:?}");
                }
            }
            assert!(self.used() <= held, "{} after {what}", self.used());
            if k % self.next_every != 0 {
                continue;
            }
            let next = run().expect("nothing fails now");
            assert_eq!(next, self.expected, "the next after {what}");
            assert_eq!(self.used(), held, "the next after {what}");
        }
        proved
    }
}

fn no_failure_is_left_behind(plan: Plan) {
    let session = crate::begin();
    {
        let (case, cuda) = plan.open();
        let runs = Runs {
            session: &session,
            cuda: &cuda,
            expected: case.proofs(&Cpu::default(), 1).pop().expect("one"),
            next_every: match plan {
                Plan::Resident => 1,
                Plan::Streamed => 8,
            },
        };
        let prepare = || ProvingKey::prepare(&cuda, case.shape.clone(), &case.parameters);
        let proof = |key: &ProvingKey<Cuda>| {
            let timeline = Timeline::start();
            prove(&cuda, key, &case.witness, &blinding(0), &timeline)
        };
        let whole = || proof(&prepare()?);
        // Tables of transforms are made once, and stay if they do.
        drop(whole());
        let calls = |fault: Fault| runs.calls(fault.function, || drop(prepare()));
        let no_launch = calls(NO_LAUNCH);
        assert_eq!(runs.every_call(NO_LAUNCH, no_launch, &whole), 0);
        let allocations = calls(NO_MEMORY);
        assert!(allocations > 10, "{allocations}");
        if matches!(plan, Plan::Resident) {
            let proved = runs.every_call(NO_MEMORY_ONCE, allocations, &whole);
            assert_eq!(proved, allocations);
        }
        // A smaller plan, or an error where there is none.
        let proved = runs.every_call(NO_MEMORY, allocations, &whole);
        match plan {
            Plan::Resident => assert!(proved > 0, "{proved} of {allocations}"),
            Plan::Streamed => assert_eq!(proved, 0, "of {allocations}"),
        }

        let key = prepare().expect("nothing fails");
        let again = || proof(&key);
        let calls = |fault: Fault| runs.calls(fault.function, || drop(again()));
        let launches = calls(NO_LAUNCH);
        assert!(launches > 100, "{launches}");
        // Only kernels of what nobody waits for could fail unseen, and there are none.
        assert_eq!(runs.every_call(NO_LAUNCH, launches, &again), 0);
        let allocations = calls(NO_MEMORY);
        assert!(allocations > 80, "{allocations}");
        // A smaller sum, or an error.
        let proved = runs.every_call(NO_MEMORY, allocations, &again);
        assert!(
            proved > 0 && proved < allocations,
            "{proved} of {allocations}"
        );
    }
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn whichever_call_fails_a_key_on_the_device_gives_the_proof_or_an_error() {
    no_failure_is_left_behind(Plan::Resident);
}

#[test]
fn whichever_call_fails_a_streamed_key_gives_the_proof_or_an_error() {
    no_failure_is_left_behind(Plan::Streamed);
}
