//! Locking and unlocking, watched by a locker that counts and fails on demand.

use cuzk_hostmem::{
    AllocError, HostAllocator, HostBuf, HostMemory, LockError, LockOutcome, PageLocker,
};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::NonNull,
    sync::{Arc, Mutex},
};

/// Keeps the table of registered ranges as a device would, and refuses the calls it is told to.
#[derive(Debug, Default)]
struct CountingLocker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    held: BTreeMap<usize, usize>,
    calls: usize,
    fail_lock_call: Option<usize>,
    fail_unlock: bool,
    faults: Vec<String>,
}

impl CountingLocker {
    fn failing_at(call: usize) -> Arc<Self> {
        let state = State {
            fail_lock_call: Some(call),
            ..State::default()
        };
        Arc::new(Self {
            state: Mutex::new(state),
        })
    }

    /// Nothing is registered any more, and no call was out of order.
    fn assert_clean(&self) {
        let state = self.state.lock().expect("no panic inside");
        assert!(state.faults.is_empty(), "{:?}", state.faults);
        assert!(state.held.is_empty(), "{:?}", state.held);
    }

    fn held(&self) -> usize {
        self.state.lock().expect("no panic inside").held.len()
    }
}

impl PageLocker for CountingLocker {
    unsafe fn lock(&self, start: NonNull<u8>, bytes: usize) -> Result<(), LockError> {
        let mut state = self.state.lock().expect("no panic inside");
        let (call, from) = (state.calls, start.addr().get());
        state.calls += 1;
        if state.fail_lock_call == Some(call) {
            return Err(LockError::lock(format!("refused call {call}")));
        }
        let overlaps = state
            .held
            .iter()
            .any(|(&s, &b)| from < s + b && s < from + bytes);
        if overlaps || bytes == 0 || !from.is_multiple_of(4096) || !bytes.is_multiple_of(4096) {
            state
                .faults
                .push(format!("lock of {bytes} bytes at {from:#x}"));
        }
        state.held.insert(from, bytes);
        Ok(())
    }

    unsafe fn unlock(&self, start: NonNull<u8>) -> Result<(), LockError> {
        let mut state = self.state.lock().expect("no panic inside");
        if state.held.remove(&start.addr().get()).is_none() {
            state
                .faults
                .push(format!("unlock of {start:?}, which is not held"));
        }
        if state.fail_unlock {
            return Err(LockError::unlock("device is gone"));
        }
        Ok(())
    }
}

fn registered(locker: &Arc<CountingLocker>) -> HostAllocator {
    let locker: Arc<dyn PageLocker> = Arc::clone(locker) as _;
    HostAllocator::new(HostMemory::Registered, Some(locker))
}

fn numbers(allocator: &HostAllocator, len: u64) -> HostBuf<u64> {
    allocator
        .filled(len as usize, |slice: &mut [u64]| {
            slice.iter_mut().zip(0..).for_each(|(x, i)| *x = i);
            Ok::<(), AllocError>(())
        })
        .expect("small")
}

#[test]
fn drop_unlocks_what_was_locked() {
    let locker = Arc::new(CountingLocker::default());
    let buffer = numbers(&registered(&locker), 1000);
    assert!(buffer.locked() && matches!(buffer.outcome(), LockOutcome::Locked));
    assert_eq!(locker.held(), 1);
    assert_eq!(buffer[999], 999);
    drop(buffer);
    locker.assert_clean();
}

#[test]
fn a_moved_buffer_unlocks_once_at_the_same_address() {
    let locker = Arc::new(CountingLocker::default());
    let buffers: Vec<_> = (1..20)
        .map(|len| numbers(&registered(&locker), 100 * len))
        .collect();
    assert_eq!(locker.held(), 19);
    let boxed: Box<[HostBuf<u64>]> = buffers.into_boxed_slice();
    std::thread::spawn(move || drop(boxed))
        .join()
        .expect("no panic");
    locker.assert_clean();
}

#[test]
fn into_vec_unlocks_and_keeps_the_elements() {
    let locker = Arc::new(CountingLocker::default());
    let values = numbers(&registered(&locker), 5000)
        .into_vec()
        .expect("small");
    locker.assert_clean();
    assert!(values.into_iter().eq(0..5000));
}

#[test]
fn a_panic_while_filling_leaves_nothing_locked() {
    let locker = Arc::new(CountingLocker::default());
    let allocator = registered(&locker);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        allocator.filled(100, |_: &mut [u64]| -> Result<(), AllocError> {
            panic!("on purpose")
        })
    }));
    assert!(caught.is_err());
    locker.assert_clean();
    assert!(numbers(&allocator, 10).locked());
    locker.assert_clean();
}

#[test]
fn a_panic_while_a_buffer_is_held_unlocks_it() {
    let locker = Arc::new(CountingLocker::default());
    let allocator = registered(&locker);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _held = numbers(&allocator, 10);
        panic!("on purpose");
    }));
    assert!(caught.is_err());
    locker.assert_clean();
}

#[test]
fn an_error_of_the_filler_is_returned_and_nothing_is_locked() {
    #[derive(Debug, PartialEq)]
    struct Bad;
    impl From<AllocError> for Bad {
        fn from(_: AllocError) -> Self {
            unreachable!("small")
        }
    }
    let locker = Arc::new(CountingLocker::default());
    let result = registered(&locker).filled(10, |_: &mut [u8]| Err(Bad));
    assert_eq!(result.err(), Some(Bad));
    assert_eq!(locker.state.lock().expect("no panic inside").calls, 0);
}

#[test]
fn pages_are_locked_only_after_they_are_filled() {
    let locker = Arc::new(CountingLocker::default());
    let seen = Arc::clone(&locker);
    let buffer = registered(&locker).filled(10, |_: &mut [u8]| {
        assert_eq!(seen.held(), 0);
        Ok::<(), AllocError>(())
    });
    assert!(buffer.expect("small").locked());
}

#[test]
fn a_refusal_at_any_call_falls_back_for_that_buffer_only() {
    const BUFFERS: usize = 6;
    for refused in 0..BUFFERS {
        let locker = CountingLocker::failing_at(refused);
        let allocator = registered(&locker);
        let buffers: Vec<_> = (0..BUFFERS).map(|_| numbers(&allocator, 3000)).collect();
        for (i, buffer) in buffers.iter().enumerate() {
            assert_eq!(buffer.locked(), i != refused, "call {i}, refused {refused}");
            assert_eq!(
                matches!(buffer.outcome(), LockOutcome::Refused(_)),
                i == refused
            );
            assert!(buffer.iter().copied().eq(0..3000));
        }
        drop(buffers);
        locker.assert_clean();
    }
}

#[test]
fn a_refused_unlock_neither_panics_nor_repeats() {
    let locker = Arc::new(CountingLocker::default());
    locker.state.lock().expect("no panic inside").fail_unlock = true;
    let allocator = registered(&locker);
    drop(numbers(&allocator, 10));
    assert_eq!(numbers(&allocator, 3).into_vec(), Ok(vec![0, 1, 2]));
    locker.assert_clean();
}

#[test]
fn pageable_memory_never_reaches_the_locker() {
    let locker = Arc::new(CountingLocker::default());
    let as_locker: Arc<dyn PageLocker> = Arc::clone(&locker) as _;
    let allocator = HostAllocator::new(HostMemory::Pageable, Some(as_locker));
    let buffer = numbers(&allocator, 10);
    assert!(!buffer.locked() && matches!(buffer.outcome(), LockOutcome::NotAsked));
    assert_eq!(locker.state.lock().expect("no panic inside").calls, 0);
}

#[test]
fn without_a_locker_registered_buffers_say_that_they_are_pageable() {
    let allocator = HostAllocator::new(HostMemory::Registered, None);
    let buffer = numbers(&allocator, 10);
    assert!(!buffer.locked() && matches!(buffer.outcome(), LockOutcome::NoLocker));
}

#[test]
fn empty_buffers_are_not_locked() {
    let locker = Arc::new(CountingLocker::default());
    let buffer = numbers(&registered(&locker), 0);
    assert!(buffer.is_empty() && matches!(buffer.outcome(), LockOutcome::NotAsked));
    assert_eq!(locker.state.lock().expect("no panic inside").calls, 0);
}

#[test]
fn memory_that_cannot_be_had_is_a_typed_error_with_every_strategy() {
    let locker = Arc::new(CountingLocker::default());
    for allocator in [HostAllocator::pageable(), registered(&locker)] {
        let refused = allocator.zeroed::<u64>(1 << 57).expect_err("2^60 bytes");
        assert!(matches!(refused, AllocError::Refused { bytes } if bytes >= 1 << 60));
        let too_large = allocator.zeroed::<u64>(usize::MAX).expect_err("overflow");
        assert!(matches!(
            too_large,
            AllocError::TooLarge {
                elements: usize::MAX,
                ..
            }
        ));
        assert!(allocator.zeroed::<u64>(8).is_ok());
    }
    locker.assert_clean();
}

#[test]
fn buffers_from_vectors_keep_their_elements() {
    let locker = Arc::new(CountingLocker::default());
    let values: Vec<u64> = (0..777).collect();
    let address = values.as_ptr();
    let pageable = HostAllocator::pageable()
        .from_vec(values.clone())
        .expect("small");
    assert_eq!(*pageable, *values);
    let same = HostAllocator::pageable().from_vec(values).expect("small");
    assert_eq!(same.as_ptr(), address);
    let locked = registered(&locker)
        .from_vec(same.into_vec().expect("moved"))
        .expect("small");
    assert!(locked.locked());
    assert_eq!(*locked, *pageable);
    drop(locked);
    locker.assert_clean();
}

#[cfg(target_os = "linux")]
#[test]
fn zeroed_pages_are_not_touched_before_use() {
    let resident = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/statm").expect("linux");
        status
            .split(' ')
            .nth(1)
            .and_then(|pages| pages.parse().ok())
            .expect("number")
    };
    let locker = Arc::new(CountingLocker::default());
    for allocator in [HostAllocator::pageable(), registered(&locker)] {
        let before = resident();
        let buffer = allocator
            .zeroed::<u64>(1 << 27)
            .expect("1 GiB of address space");
        let grown = resident().saturating_sub(before);
        assert!(grown < 65_536, "{grown} pages became resident");
        assert_eq!(buffer[1 << 26], 0);
    }
}

#[test]
fn debug_output_does_not_print_the_contents() {
    let text = format!("{:?}", numbers(&HostAllocator::pageable(), 1 << 16));
    assert!(text.contains("65536") && text.len() < 200, "{text}");
}

#[test]
fn buffers_and_allocators_cross_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<HostBuf<u64>>();
    shared::<HostAllocator>();
}
