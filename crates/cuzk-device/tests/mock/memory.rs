//! Buffers, copies, the budget, and registration of host memory.

use std::ptr::NonNull;
use std::sync::Arc;

use cuzk_device::{Device, DeviceError, DeviceOptions, DeviceSelector, PageRegistrar};
use cuzk_hostmem::{HostAllocator, HostMemory, LockOutcome, PageLocker};
use cuzk_mock_driver::{MockDevice, session};

use crate::one;

#[test]
fn values_come_back_as_they_went() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    for n in [0, 1, 2, 1000] {
        let values: Vec<u64> = (0..n).collect();
        let buffer = stream.upload(&values).expect("memory");
        assert_eq!((buffer.len() as u64, buffer.is_empty()), (n, n == 0));
        assert_eq!(buffer.download().expect("a copy"), values);
        let zeros = stream.alloc_zeroed::<u64>(values.len()).expect("memory");
        assert!(zeros.download().expect("a copy").iter().all(|v| *v == 0));
    }
}

#[test]
fn parts_are_copied_and_their_ends_are_checked() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let mut buffer = stream.upload(&[1u32, 2, 3, 4, 5]).expect("memory");
    let other = stream.upload(&[8u32, 9]).expect("memory");
    buffer
        .as_mut_slice()
        .part(3..5)
        .expect("inside")
        .copy_from_device(&stream, other.as_slice())
        .expect("a copy");
    buffer
        .as_mut_slice()
        .part(0..1)
        .expect("inside")
        .copy_from_host(&stream, &[7])
        .expect("a copy");
    let mut middle = [0u32; 3];
    buffer
        .as_slice()
        .part(1..4)
        .expect("inside")
        .copy_to_host(&stream, &mut middle)
        .expect("a copy");
    assert_eq!(middle, [2, 3, 8]);
    assert_eq!(buffer.download().expect("a copy"), [7, 2, 3, 8, 9]);

    assert!(
        buffer
            .as_slice()
            .part(5..5)
            .expect("the end is inside")
            .is_empty()
    );
    #[expect(
        clippy::reversed_empty_ranges,
        reason = "that it is refused is the test"
    )]
    for range in [0..6, 6..6, 3..2] {
        let error = buffer.as_slice().part(range).expect_err("outside");
        assert!(
            matches!(error, DeviceError::Length { expected: 5, .. }),
            "{error}"
        );
    }
    let error = buffer
        .as_mut_slice()
        .copy_from_host(&stream, &[1])
        .expect_err("too short");
    assert_eq!(error.to_string(), "values on the host: expected 5, got 1");
}

#[test]
fn a_budget_is_kept_and_what_is_freed_is_there_again() {
    let session = session(vec![MockDevice::default()]);
    let options = DeviceOptions {
        budget_bytes: Some(1000),
        ..DeviceOptions::default()
    };
    let device = Device::open(&DeviceSelector::default(), &options).expect("a device");
    let stream = device.new_stream().expect("a stream");
    let first = stream.alloc::<u8>(600).expect("within the budget");
    let error = stream.alloc::<u8>(401).expect_err("over the budget");
    assert_eq!(
        error.to_string(),
        "device memory: 401 bytes asked for, 600 of the budget of 1000 are in use"
    );
    drop(first);
    let all = stream.alloc::<u8>(1000).expect("the first is freed");
    let memory = device.memory().expect("an answer");
    assert_eq!((memory.used_bytes, memory.peak_bytes), (1000, 1000));
    // Who plans by what there is plans within the budget.
    assert_eq!(memory.total_bytes, 1000);
    drop(all);
    assert_eq!(session.leaks().bytes, 0);
}

#[test]
fn a_full_device_is_asked_twice_and_refuses_with_numbers() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let held = stream.alloc::<u8>(1 << 29).expect("half of the memory");
    let error = stream
        .alloc::<u8>((1 << 29) + 1)
        .expect_err("more than the rest");
    let DeviceError::OutOfMemory {
        asked_bytes,
        free_bytes,
        total_bytes,
        used_bytes,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((asked_bytes, free_bytes), ((1 << 29) + 1, 1 << 29));
    assert_eq!((total_bytes, used_bytes), (1 << 30, 1 << 29));
    let calls = session.calls();
    let asked = calls
        .iter()
        .filter(|name| *name == "cuMemAllocFromPoolAsync")
        .count();
    assert_eq!(
        asked, 3,
        "once for what is held and twice for what is refused"
    );
    assert!(calls.iter().any(|name| name == "cuMemPoolTrimTo"));

    // One refusal that ends when the pool gives back what it keeps is no error.
    session.fail("cuMemAllocFromPoolAsync", 0, 2);
    let more = stream.alloc::<u8>(100).expect("the second answer counts");
    assert_eq!(
        device.memory().expect("an answer").used_bytes,
        (1 << 29) + 100
    );
    drop((held, more));
    assert_eq!(device.memory().expect("an answer").used_bytes, 0);
}

#[test]
fn a_device_without_pools_serves_too() {
    let plain = MockDevice {
        has_pools: false,
        ..MockDevice::default()
    };
    let session = session(vec![plain]);
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    let device = device.expect("a device");
    let stream = device.new_stream().expect("a stream");
    let buffer = stream.upload(&[1u8, 2, 3]).expect("memory");
    assert_eq!(buffer.download().expect("a copy"), [1, 2, 3]);
    drop((buffer, stream, device));
    assert_eq!(session.leaks(), Default::default());
    assert!(session.calls().iter().all(|name| !name.contains("Pool")));
}

#[test]
fn elements_beyond_any_memory_are_refused_before_the_driver_is_asked() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8 + 1] {
        let error = stream.alloc::<u64>(len).expect_err("too many");
        assert!(matches!(error, DeviceError::Length { .. }), "{error}");
    }
    assert!(session.calls().iter().all(|name| !name.contains("Alloc")));
}

#[test]
fn memory_moves_between_streams_in_order() {
    let (session, device) = one();
    let (first, second) = (
        device.new_stream().expect("one"),
        device.new_stream().expect("two"),
    );
    let mut buffer = first.upload(&[1u32]).expect("memory");
    buffer.move_to(&second).expect("moved");
    let calls = session.calls();
    let tail: Vec<&str> = calls
        .iter()
        .map(String::as_str)
        .filter(|n| n.contains("Event"))
        .collect();
    assert_eq!(
        tail,
        [
            "cuEventCreate",
            "cuEventRecord",
            "cuStreamWaitEvent",
            "cuEventDestroy_v2"
        ]
    );
    assert_eq!(buffer.download().expect("a copy"), [1]);
}

#[test]
fn host_buffers_are_registered_and_released() {
    let (session, device) = one();
    let registrar = Arc::new(PageRegistrar::new(&device));
    let allocator = HostAllocator::new(HostMemory::Registered, Some(registrar));
    let buffer = allocator.zeroed::<u64>(1000).expect("memory");
    assert!(matches!(buffer.outcome(), LockOutcome::Locked));
    assert_eq!(session.leaks().registrations, 1);
    drop(buffer);
    assert_eq!(session.leaks().registrations, 0);

    session.fail("cuMemHostRegister_v2", 0, 2);
    let buffer = allocator
        .zeroed::<u64>(1000)
        .expect("pageable memory instead");
    assert!(matches!(buffer.outcome(), LockOutcome::Refused(_)));
    let again = allocator.zeroed::<u64>(1000).expect("memory");
    assert!(
        matches!(again.outcome(), LockOutcome::Locked),
        "a refusal leaves nothing behind"
    );
}

#[test]
fn a_truncated_buffer_gives_all_its_memory_back() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let mut buffer = stream.upload(&[1u32, 2, 3, 4, 5]).expect("memory");
    buffer.truncate(9);
    assert_eq!(buffer.len(), 5);
    buffer.truncate(2);
    assert_eq!(buffer.as_slice().len(), 2);
    assert_eq!(buffer.download().expect("a copy"), [1, 2]);
    assert_eq!(device.memory().expect("known").used_bytes, 20);
    buffer.truncate(0);
    assert!(buffer.is_empty());
    drop(buffer);
    assert_eq!(device.memory().expect("known").used_bytes, 0);
    drop((stream, device));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn words_are_filled_where_they_are_meant() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let mut buffer = stream.alloc_zeroed::<u32>(5).expect("memory");
    let mut all = buffer.as_mut_slice();
    let mut middle = all.part(1..4).expect("within");
    middle.fill(&stream, 0x0102_0304).expect("filled");
    all.part(5..5)
        .expect("none")
        .fill(&stream, 7)
        .expect("nothing to do");
    let word = 0x0102_0304;
    assert_eq!(buffer.download().expect("a copy"), [0, word, word, word, 0]);
}

#[test]
fn uploads_and_results_have_streams_of_their_own() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let uploads = stream.uploads().expect("a stream").clone();
    assert!(!uploads.is(&stream) && stream.uploads().expect("made").is(&uploads));
    let mut buffer = uploads.upload(&[7u32, 8]).expect("memory");
    buffer.move_to(&stream).expect("moved");
    assert!(buffer.stream().is(&stream));
    let result = buffer.into_result().expect("an event");
    assert_eq!(session.leaks().streams, 3);
    let before = session.calls().len();
    assert_eq!(result.download().expect("a copy"), [7, 8]);
    let calls = session.calls();
    let calls: Vec<&str> = calls[before..].iter().map(String::as_str).collect();
    let read = [
        "cuStreamWaitEvent",
        "cuMemcpyDtoHAsync_v2",
        "cuStreamSynchronize",
    ];
    let others: Vec<&str> = calls
        .into_iter()
        .filter(|call| *call != "cuCtxSetCurrent")
        .collect();
    assert_eq!(others, read);
    drop((result, uploads, stream, device));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn registered_memory_is_known_to_the_device_until_it_is_released() {
    let (session, device) = one();
    let registrar = PageRegistrar::new(&device);
    let is_locked =
        |values: &[u64]| registrar.is_locked(NonNull::from(values).cast(), size_of_val(values));
    let allocator = HostAllocator::new(HostMemory::Registered, Some(Arc::new(registrar.clone())));
    let buffer = allocator.zeroed::<u64>(10_000).expect("memory");
    assert!(is_locked(&buffer) && is_locked(&buffer[100..200]));
    assert!(!is_locked(&[1, 2, 3]));
    session.fail("cuMemHostRegister_v2", 0, 2);
    let refused = allocator
        .zeroed::<u64>(10_000)
        .expect("pageable memory instead");
    assert!(!is_locked(&refused) && is_locked(&buffer));
    let values = buffer.into_vec().expect("memory");
    assert!(!is_locked(&values));
}
