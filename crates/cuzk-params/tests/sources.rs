//! The same parameters from a file, a stream, a mapping, and with each kind of host memory.

#[path = "common/sample.rs"]
mod sample;

use cuzk_hostmem::{HostAllocator, HostMemory, LockError, LockOutcome, PageLocker};
use cuzk_params::{ParameterFile, Parameters, ParamsError, ReadOptions, Section};
use std::{
    fs::OpenOptions,
    io::{self, Read, Seek, SeekFrom, Write},
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicIsize, AtomicUsize, Ordering},
    },
};

fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("temporary file");
    file.write_all(bytes)
        .and_then(|()| file.flush())
        .expect("temporary file");
    file
}

/// A reader of at most `step` bytes a call, which is interrupted now and then and may fail.
struct Trickle<'a> {
    bytes: &'a [u8],
    step: usize,
    calls: usize,
    fail_at: Option<usize>,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.fail_at.is_some_and(|at| self.calls > at) {
            return Err(io::Error::other("cable pulled"));
        }
        let n = self.step.min(buffer.len());
        self.bytes.read(&mut buffer[..n])
    }
}

#[test]
fn file_stream_and_mapping_give_the_same() {
    let bytes = sample::bytes();
    let options = ReadOptions::default();
    let expected = Parameters::from_bytes(&bytes, &options).expect("well-formed");
    let file = file_of(&bytes);
    let mut open = ParameterFile::open(file.path()).expect("well-formed");
    assert_eq!(open.path(), file.path());
    assert_eq!(open.layout(), &expected.layout);
    for _ in 0..2 {
        let loaded = open.read(&options).expect("well-formed");
        assert_eq!(loaded.parameters, expected.parameters);
        assert_eq!(loaded.digest, expected.digest);
    }
    // SAFETY: nobody else writes the temporary file.
    let mapping = unsafe { memmap2::Mmap::map(file.as_file()) }.expect("mapping");
    let loaded = Parameters::from_bytes(&mapping, &options).expect("well-formed");
    assert_eq!(loaded.parameters, expected.parameters);
    for step in [1, 7, 95, 4096] {
        let trickle = Trickle {
            bytes: &bytes,
            step,
            calls: 0,
            fail_at: None,
        };
        let loaded = Parameters::from_reader(trickle, &options).expect("well-formed");
        assert_eq!(loaded.parameters, expected.parameters);
        assert_eq!(loaded.digest, expected.digest);
        assert_eq!(loaded.layout.sections, expected.layout.sections);
    }
}

#[test]
fn a_reader_that_fails_is_an_error_at_any_call() {
    let bytes = sample::bytes();
    for fail_at in (0..bytes.len() / 64).step_by(3) {
        let trickle = Trickle {
            bytes: &bytes,
            step: 64,
            calls: 0,
            fail_at: Some(fail_at),
        };
        let error = Parameters::from_reader(trickle, &ReadOptions::default()).expect_err("fails");
        assert!(
            matches!(error, ParamsError::Read { .. }),
            "{fail_at}: {error:?}"
        );
    }
}

#[test]
fn a_file_that_is_cut_after_it_was_opened_is_an_error() {
    let bytes = sample::bytes();
    for length in [0, 100, 864, 900, 2000, bytes.len() - 1] {
        let file = file_of(&bytes);
        let mut open = ParameterFile::open(file.path()).expect("well-formed");
        file.as_file().set_len(length as u64).expect("cut");
        let error = open.read(&ReadOptions::default()).expect_err("cut");
        assert!(
            matches!(error, ParamsError::Truncated { .. }),
            "{length}: {error:?}"
        );
    }
}

#[test]
fn parameters_outlive_their_file() {
    let bytes = sample::bytes();
    let file = file_of(&bytes);
    let loaded = ParameterFile::open(file.path())
        .and_then(|mut open| open.read(&ReadOptions::default()))
        .expect("well-formed");
    file.as_file().set_len(0).expect("cut");
    drop(file);
    assert_eq!(loaded.parameters, sample::parameters());
}

#[test]
fn a_count_that_changes_after_opening_is_an_error() {
    let bytes = sample::bytes();
    let file = file_of(&bytes);
    let mut open = ParameterFile::open(file.path()).expect("well-formed");
    let at = open.layout().section(Section::H).expect("counted").offset;
    let mut writer = OpenOptions::new()
        .write(true)
        .open(file.path())
        .expect("open");
    writer.seek(SeekFrom::Start(at)).expect("seek");
    writer.write_all(&6u32.to_be_bytes()).expect("write");
    let error = open.read(&ReadOptions::default()).expect_err("changed");
    assert!(
        matches!(
            error,
            ParamsError::Count { section: Section::H, expected: 7, got: 6, offset } if offset == at
        ),
        "{error:?}"
    );
}

#[test]
fn parameters_are_read_inside_of_any_pool() {
    let bytes = sample::bytes();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("pool");
        let loaded = pool.install(|| {
            rayon::join(
                || (),
                || Parameters::from_reader(&bytes[..], &ReadOptions::default()),
            )
            .1
        });
        assert_eq!(
            loaded.expect("well-formed").parameters,
            sample::parameters()
        );
    }
}

/// Counts what is registered; refuses the call of index `refuse`.
#[derive(Debug)]
struct Counting {
    held: AtomicIsize,
    calls: AtomicUsize,
    refuse: usize,
}

impl PageLocker for Counting {
    unsafe fn lock(&self, _: NonNull<u8>, _: usize) -> Result<(), LockError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.refuse {
            return Err(LockError::lock("refused"));
        }
        self.held.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    unsafe fn unlock(&self, _: NonNull<u8>) -> Result<(), LockError> {
        self.held.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }
}

fn registering(refuse: usize) -> (Arc<Counting>, ReadOptions) {
    let counting = Arc::new(Counting {
        held: 0.into(),
        calls: 0.into(),
        refuse,
    });
    let locker: Arc<dyn PageLocker> = Arc::clone(&counting) as _;
    let memory = HostAllocator::new(HostMemory::Registered, Some(locker));
    (
        counting,
        ReadOptions {
            memory,
            ..ReadOptions::default()
        },
    )
}

#[test]
fn the_five_queries_are_registered_and_released() {
    let bytes = sample::bytes();
    let file = file_of(&bytes);
    let (counting, options) = registering(usize::MAX);
    let loads: [&dyn Fn() -> Result<_, ParamsError>; 3] = [
        &|| Parameters::from_bytes(&bytes, &options),
        &|| Parameters::from_reader(&bytes[..], &options),
        &|| ParameterFile::open(file.path())?.read(&options),
    ];
    for load in loads {
        let loaded = load().expect("well-formed");
        assert_eq!(counting.held.load(Ordering::Relaxed), 5);
        assert!(loaded.parameters.h.memory().locked());
        let shared = loaded.parameters.clone();
        assert_eq!(
            counting.held.load(Ordering::Relaxed),
            5,
            "a clone is another handle"
        );
        drop(loaded);
        assert_eq!(shared, sample::parameters());
        assert_eq!(counting.held.load(Ordering::Relaxed), 5);
        drop(shared);
        assert_eq!(counting.held.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_refused_registration_leaves_that_query_pageable() {
    let bytes = sample::bytes();
    for refuse in 0..5 {
        let (counting, options) = registering(refuse);
        let loaded = Parameters::from_bytes(&bytes, &options).expect("well-formed");
        assert_eq!(loaded.parameters, sample::parameters());
        assert_eq!(counting.held.load(Ordering::Relaxed), 4);
        let h = loaded.parameters.h.memory();
        assert_eq!(matches!(h.outcome(), LockOutcome::Refused(_)), refuse == 0);
        drop(loaded);
        assert_eq!(counting.held.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_damaged_file_leaves_nothing_registered() {
    let mut bytes = sample::bytes();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let (counting, options) = registering(usize::MAX);
    assert!(Parameters::from_bytes(&bytes, &options).is_err());
    assert_eq!(counting.held.load(Ordering::Relaxed), 0);
}
