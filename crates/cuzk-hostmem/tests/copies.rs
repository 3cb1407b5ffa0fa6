//! Copies by every strategy, to memory that a test watches.

use cuzk_hostmem::{
    CopyOptions, CopyRates, CopyStep, CopyTarget, HostCopies, HostMemory, LockError, PageLocker,
};
use std::{
    collections::BTreeMap,
    ptr::NonNull,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// Carries out what was enqueued only when it is waited for, as a slow device would, so that a
/// buffer that is used again too early shows.
#[derive(Debug)]
struct LateTarget {
    state: Mutex<Late>,
    calls: AtomicUsize,
    fail_at: Option<usize>,
}

#[derive(Debug)]
struct Late {
    bytes: Vec<u8>,
    enqueued: Vec<(usize, usize, usize)>,
    done: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Refused(usize);

impl LateTarget {
    fn new(len: usize, fail_at: Option<usize>) -> Self {
        Self {
            state: Mutex::new(Late {
                bytes: vec![0xee; len],
                enqueued: Vec::new(),
                done: 0,
            }),
            calls: AtomicUsize::new(0),
            fail_at,
        }
    }

    fn call(&self) -> Result<(), Refused> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.fail_at == Some(call) {
            true => Err(Refused(call)),
            false => Ok(()),
        }
    }

    fn carry_out(&self, until: usize) {
        let mut guard = self.state.lock().expect("no panic inside");
        let state = &mut *guard;
        while state.done < until.min(state.enqueued.len()) {
            let (offset, from, len) = state.enqueued[state.done];
            // SAFETY: whoever enqueued it keeps the bytes until it has waited.
            let from = unsafe { std::slice::from_raw_parts(from as *const u8, len) };
            state.bytes[offset..offset + len].copy_from_slice(from);
            state.done += 1;
        }
    }
}

impl CopyTarget for LateTarget {
    type Error = Refused;
    type Mark = usize;

    unsafe fn copy(&self, offset: usize, from: &[u8]) -> Result<(), Refused> {
        self.call()?;
        let mut state = self.state.lock().expect("no panic inside");
        state
            .enqueued
            .push((offset, from.as_ptr() as usize, from.len()));
        Ok(())
    }

    fn mark(&self) -> Result<usize, Refused> {
        self.call()?;
        Ok(self.state.lock().expect("no panic inside").enqueued.len())
    }

    fn wait(&self, mark: usize) -> Result<(), Refused> {
        self.call()?;
        self.carry_out(mark);
        Ok(())
    }

    fn finish(&self) -> Result<(), Refused> {
        self.carry_out(usize::MAX);
        self.call()
    }
}

/// The table of registered ranges; refuses the calls from `refuse_from` on.
#[derive(Debug)]
struct Locker {
    held: Mutex<BTreeMap<usize, usize>>,
    calls: AtomicUsize,
    refuse_from: usize,
}

impl Locker {
    fn new(refuse_from: usize) -> Arc<Self> {
        Arc::new(Self {
            held: Mutex::default(),
            calls: AtomicUsize::new(0),
            refuse_from,
        })
    }

    fn held(&self) -> usize {
        self.held.lock().expect("no panic inside").len()
    }
}

impl PageLocker for Locker {
    unsafe fn lock(&self, start: NonNull<u8>, bytes: usize) -> Result<(), LockError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.refuse_from {
            return Err(LockError::lock("refused"));
        }
        let from = start.addr().get();
        assert!(from.is_multiple_of(4096) && bytes.is_multiple_of(4096) && bytes > 0);
        let mut held = self.held.lock().expect("no panic inside");
        assert!(
            held.iter()
                .all(|(s, b)| from >= s + b || *s >= from + bytes)
        );
        held.insert(from, bytes);
        Ok(())
    }

    unsafe fn unlock(&self, start: NonNull<u8>) -> Result<(), LockError> {
        let mut held = self.held.lock().expect("no panic inside");
        held.remove(&start.addr().get())
            .map(|_| ())
            .ok_or_else(|| LockError::unlock("not held"))
    }

    fn is_locked(&self, start: NonNull<u8>, bytes: usize) -> bool {
        let held = self.held.lock().expect("no panic inside");
        held.iter()
            .any(|(s, b)| *s <= start.addr().get() && start.addr().get() + bytes <= s + b)
    }
}

const OPTIONS: CopyOptions = CopyOptions {
    staging_threads: 3,
    chunk_bytes: 64 << 10,
    least_bytes: 256 << 10,
};

fn copies(strategy: HostMemory, locker: &Arc<Locker>) -> HostCopies {
    let locker: Arc<dyn PageLocker> = Arc::clone(locker) as _;
    HostCopies::new(strategy, Some(locker), OPTIONS)
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 7919) as u8).collect()
}

/// What came, and the steps on the way.
fn copy(
    copies: &HostCopies,
    from: &[u8],
    to: &LateTarget,
) -> (Result<HostMemory, Refused>, Vec<CopyStep>) {
    let mut steps = Vec::new();
    let outcome = copies.copy(from, to, &mut |step| steps.push(step));
    (outcome.map(|report| report.strategy), steps)
}

#[test]
fn every_strategy_brings_the_same_bytes_whatever_their_number_and_place() {
    let values = bytes(3 << 20);
    for &strategy in HostMemory::ALL {
        let locker = Locker::new(usize::MAX);
        let copies = copies(strategy, &locker);
        for (start, len) in [
            (0, 0),
            (1, 1),
            (0, 255 << 10),
            (3, 256 << 10),
            (8, 1_000_003),
            (5, (3 << 20) - 5),
        ] {
            let from = &values[start..start + len];
            let to = LateTarget::new(len, None);
            let (taken, _) = copy(&copies, from, &to);
            taken.expect("nothing fails");
            assert!(
                to.state.lock().expect("no panic").bytes == from,
                "{strategy} {len}"
            );
        }
        drop(copies);
        assert_eq!(locker.held(), 0, "{strategy}");
    }
}

#[test]
fn the_strategy_asked_for_is_the_one_taken_and_tells_its_steps() {
    use CopyStep::{Copy, Pin, Unpin};
    let values = bytes(1 << 20);
    let expected = [
        (HostMemory::Pageable, vec![Copy]),
        (HostMemory::Registered, vec![Pin, Copy, Unpin]),
        (HostMemory::Staged, vec![Copy]),
    ];
    for (strategy, steps) in expected {
        let copies = copies(strategy, &Locker::new(usize::MAX));
        let to = LateTarget::new(values.len(), None);
        assert_eq!(copy(&copies, &values, &to), (Ok(strategy), steps));
    }
}

#[test]
fn a_refusal_to_register_falls_back_to_a_plain_copy() {
    let values = bytes(1 << 20);
    for strategy in [HostMemory::Registered, HostMemory::Staged] {
        let locker = Locker::new(0);
        let copies = copies(strategy, &locker);
        for _ in 0..2 {
            let to = LateTarget::new(values.len(), None);
            let (taken, steps) = copy(&copies, &values, &to);
            assert_eq!(taken, Ok(HostMemory::Pageable));
            assert_eq!(steps.last(), Some(&CopyStep::Copy));
            assert!(to.state.lock().expect("no panic").bytes == values);
        }
        // A ring that was refused once is not asked for again.
        let asked = locker.calls.load(Ordering::Relaxed);
        assert_eq!(asked, if strategy == HostMemory::Staged { 1 } else { 2 });
    }
}

#[test]
fn whichever_call_fails_the_error_comes_and_nothing_stays_registered_or_unfinished() {
    let values = bytes(1 << 20);
    for &strategy in HostMemory::ALL {
        let locker = Locker::new(usize::MAX);
        let copies = copies(strategy, &locker);
        copies.set_rates(CopyRates::assumed());
        let all = LateTarget::new(values.len(), None);
        copy(&copies, &values, &all).0.expect("nothing fails");
        let after = locker.held();
        for k in 0..all.calls.load(Ordering::Relaxed) {
            let to = LateTarget::new(values.len(), Some(k));
            let (outcome, _) = copy(&copies, &values, &to);
            // Threads of a ring may come to fewer calls than before.
            let reached = to.calls.load(Ordering::Relaxed) > k;
            assert_eq!(outcome.is_err(), reached, "{strategy}, call {k}");
            let state = to.state.lock().expect("no panic");
            assert_eq!(state.done, state.enqueued.len(), "{strategy}, call {k}");
            assert_eq!(locker.held(), after, "{strategy}, call {k}");
        }
        let to = LateTarget::new(values.len(), None);
        copy(&copies, &values, &to)
            .0
            .expect("nothing fails any more");
        assert!(to.state.lock().expect("no panic").bytes == values);
    }
}

#[test]
fn memory_that_is_registered_already_is_copied_as_it_is() {
    let locker = Locker::new(usize::MAX);
    let as_locker: Arc<dyn PageLocker> = Arc::clone(&locker) as _;
    let allocator = cuzk_hostmem::HostAllocator::new(HostMemory::Registered, Some(as_locker));
    let buffer = allocator.zeroed::<u8>(1 << 20).expect("small");
    for &strategy in HostMemory::ALL {
        let to = LateTarget::new(buffer.len(), None);
        let (taken, steps) = copy(&copies(strategy, &locker), &buffer, &to);
        assert_eq!(
            (taken, steps),
            (Ok(HostMemory::Pageable), vec![CopyStep::Copy])
        );
    }
}

#[test]
fn auto_takes_what_its_figures_say_and_reports_what_it_predicted() {
    let values = bytes(1 << 20);
    let mut rates = CopyRates::assumed();
    let run = |rates| {
        let copies = copies(HostMemory::Auto, &Locker::new(usize::MAX));
        copies.set_rates(rates);
        let to = LateTarget::new(values.len(), None);
        copies
            .copy(&values, &to, &mut |_| ())
            .expect("nothing fails");
        copies.last().expect("a large copy")
    };
    assert_eq!(run(rates).strategy, rates.predict(1 << 20, 1).best);
    rates.staged = None;
    rates.registered = None;
    let report = run(rates);
    assert_eq!(report.strategy, HostMemory::Pageable);
    assert_eq!(report.prediction, Some(rates.predict(1 << 20, 1)));
}

#[test]
fn auto_measures_with_the_first_large_copy_and_keeps_the_figures() {
    let values = bytes(65 << 20);
    let copies = copies(HostMemory::Auto, &Locker::new(usize::MAX));
    let small = LateTarget::new(1 << 20, None);
    copies
        .copy(&values[..1 << 20], &small, &mut |_| ())
        .expect("nothing fails");
    assert!(copies.rates().is_none());
    let to = LateTarget::new(values.len(), None);
    copies
        .copy(&values, &to, &mut |_| ())
        .expect("nothing fails");
    assert!(to.state.lock().expect("no panic").bytes == values);
    let rates = *copies.rates().expect("measured");
    assert!(rates.measured && rates.registered.is_some() && rates.staged.is_some());
    copies.set_rates(CopyRates::assumed());
    assert_eq!(copies.rates(), Some(&rates));
}

/// A target whose other threads are slower than the caller, so that this one waits for them.
struct SlowOthers(LateTarget);

impl CopyTarget for SlowOthers {
    type Error = Refused;
    type Mark = usize;

    unsafe fn copy(&self, offset: usize, from: &[u8]) -> Result<(), Refused> {
        if thread::current().name() == Some("cuzk-staging") {
            thread::sleep(Duration::from_millis(20));
        }
        // SAFETY: the caller's.
        unsafe { self.0.copy(offset, from) }
    }

    fn mark(&self) -> Result<usize, Refused> {
        self.0.mark()
    }

    fn wait(&self, mark: usize) -> Result<(), Refused> {
        self.0.wait(mark)
    }

    fn finish(&self) -> Result<(), Refused> {
        self.0.finish()
    }
}

#[test]
fn jobs_of_a_pool_share_a_ring_without_waiting_for_each_other_forever() {
    // A ring that waits by running other jobs of the caller's pool would meet a copy among them,
    // which waits for the ring.
    let (done, all_copied) = mpsc::channel();
    thread::spawn(move || {
        let copies = copies(HostMemory::Staged, &Locker::new(usize::MAX));
        let from = bytes(1 << 20);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        pool.expect("two threads").scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|_| {
                    let to = SlowOthers(LateTarget::new(from.len(), None));
                    let copied = copies.copy(&from, &to, &mut |_| ());
                    copied.expect("no call fails");
                    assert_eq!(to.0.state.lock().expect("no panic inside").bytes, from);
                });
            }
        });
        done.send(()).expect("the test waits");
    });
    let waited = all_copied.recv_timeout(Duration::from_secs(120));
    assert_eq!(waited, Ok(()), "the copies wait for each other");
}
