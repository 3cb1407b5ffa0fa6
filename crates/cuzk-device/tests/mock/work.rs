//! Devices, streams, modules and launches.

use std::sync::Arc;
use std::time::Duration;

use cuzk_curve::G1;
use cuzk_device::{
    Device, DeviceError, DeviceOptions, DeviceSelector, KernelParams, Marks, PartBeside, Timing,
    devices, driver_version,
};
use cuzk_kernel_host::{Host, Machine as _, Operands, check_curves};
use cuzk_mock_driver::{Launch, MockDevice, session};

use crate::machine::{DeviceMachine, MapParams};
use crate::one;

fn two() -> Vec<MockDevice> {
    let other = MockDevice {
        name: "Mock 7500".to_owned(),
        uuid: [0x1a; 16],
        architecture: (7, 5),
        ..MockDevice::default()
    };
    vec![MockDevice::default(), other]
}

#[test]
fn devices_are_listed_and_opened_by_index_and_by_the_beginning_of_a_uuid() {
    let _session = session(two());
    let all = devices().expect("two devices");
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].uuid, "GPU-1a1a1a1a-1a1a-1a1a-1a1a-1a1a1a1a1a1a");
    assert_eq!((all[0].multiprocessors, all[0].architecture), (4, (9, 0)));
    assert_eq!(driver_version().expect("a version").to_string(), "13.0");

    let options = DeviceOptions::default();
    for text in ["1", "GPU-1a1a1a1a-1a", "MIG-1a", all[1].uuid.as_str()] {
        let selector: DeviceSelector = text.parse().expect("a selector");
        let device = Device::open(&selector, &options).expect("one device fits");
        assert_eq!(device.info().name, "Mock 7500", "{text}");
    }
}

#[test]
fn a_device_that_is_not_there_is_refused_with_those_that_are() {
    let mut same = two();
    same[0].uuid = same[1].uuid;
    let _session = session(same);
    for (text, found) in [("7", 0), ("GPU-ff", 0), ("GPU-1a", 2)] {
        let selector: DeviceSelector = text.parse().expect("a selector");
        let error = Device::open(&selector, &DeviceOptions::default()).expect_err("no one device");
        let DeviceError::UnknownDevice {
            found: got, known, ..
        } = &error
        else {
            panic!("{text}: {error}");
        };
        assert_eq!((*got, known.len()), (found, 2), "{text}");
        assert!(
            error.to_string().contains("1: Mock 7500 (GPU-1a1a1a1a"),
            "{error}"
        );
    }
}

#[test]
fn a_driver_without_devices_and_a_card_too_old_are_told_apart() {
    {
        let _session = session(vec![]);
        assert!(matches!(devices(), Err(DeviceError::NoDevice)));
    }
    let old = MockDevice {
        architecture: (7, 0),
        ..MockDevice::default()
    };
    let _session = session(vec![old]);
    let error = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    let error = error.expect_err("the card is too old").to_string();
    assert!(
        error.contains("has compute capability 7.0, expected at least 7.5"),
        "{error}"
    );
}

#[test]
fn everything_opened_is_closed() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let event = device.new_event(Timing::Enabled).expect("an event");
    stream.record(&event).expect("recorded");
    stream.wait_for(&event).expect("waits");
    let again = stream.clone();
    let buffer = again.alloc_zeroed::<u32>(100).expect("memory");
    let machine = DeviceMachine::new(&device);
    let leaks = session.leaks();
    let sources = cuzk_kernels::modules().iter();
    let modules = sources.filter(|source| source.is_for_tests()).count();
    assert_eq!(
        (leaks.streams, leaks.events, leaks.modules),
        (2, 1, modules)
    );
    assert_eq!(
        (leaks.allocations, leaks.bytes, leaks.contexts),
        (1, 400, 1)
    );
    drop((device, stream, event, again, machine, buffer));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_clone_is_the_same_stream_and_another_is_not() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let other = device.new_stream().expect("a stream");
    assert!(stream.is(&stream.clone()));
    assert!(!stream.is(&other));
}

#[test]
fn events_are_reused_and_measure_only_when_recorded() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let (start, end) = (
        device.new_event(Timing::Enabled),
        device.new_event(Timing::Enabled),
    );
    let (start, end) = (start.expect("an event"), end.expect("an event"));
    for _ in 0..3 {
        stream.record(&start).expect("recorded");
        assert!(start.is_reached().expect("an answer"));
    }
    let error = end
        .elapsed_since(&start)
        .expect_err("the end was not recorded");
    assert!(
        error
            .to_string()
            .starts_with("measuring between events failed"),
        "{error}"
    );
    stream.record(&end).expect("recorded");
    let elapsed = || end.elapsed_since(&start).expect("measured");
    let before = elapsed();
    stream.record(&end).expect("recorded");
    assert!(elapsed() > before, "{before:?}");
}

/// Runs an operation's kernel as the compiled headers do it.
fn run_on_host(launch: &Launch, sizes: [usize; 3]) {
    let word = |i: usize| {
        let bytes = launch.params[8 * i..8 * i + 8]
            .try_into()
            .expect("eight bytes");
        usize::from_le_bytes(bytes)
    };
    let n = word(3);
    assert!(launch.grid[0] * launch.block[0] >= u32::try_from(n).expect("a small n"));
    let [a, b, out] = [0, 1, 2].map(|i| {
        let address = if sizes[i] == 0 {
            std::ptr::dangling_mut()
        } else {
            word(i) as *mut u8
        };
        // SAFETY: the stand-in's device memory is host memory, of the sizes that the suite
        // uploads.
        unsafe { std::slice::from_raw_parts_mut(address, n * sizes[i]) }
    });
    let operation = launch.symbol.trim_start_matches("cuzk_testing_");
    Host.run(operation, out, Operands { n, a, b });
}

#[test]
fn kernels_get_their_parameters_and_the_suite_passes_through_launches() {
    let (session, device) = one();
    session.define("cuzk_testing_add_mixed_g1", |l| {
        run_on_host(l, [192, 96, 192]);
    });
    session.define("cuzk_testing_add_g1", |l| run_on_host(l, [192, 192, 192]));
    session.define("cuzk_testing_double_g1", |l| run_on_host(l, [192, 0, 192]));
    session.define("cuzk_testing_to_affine_g1", |l| {
        run_on_host(l, [192, 0, 96]);
    });
    session.define("cuzk_testing_to_jacobian_g1", |l| {
        run_on_host(l, [192, 0, 144]);
    });
    check_curves::<G1>(&DeviceMachine::new(&device), 300);
    let launches = session.launches();
    assert_eq!(launches.len(), 5);
    assert_eq!(
        (launches[0].block, launches[0].params.len()),
        ([128, 1, 1], 32)
    );
}

#[test]
fn a_kernel_is_found_by_symbol_and_by_the_size_of_its_parameters() {
    #[derive(Debug, Clone, Copy)]
    #[repr(C)]
    struct Short {
        _n: u64,
    }
    // SAFETY: never launched.
    unsafe impl KernelParams for Short {}

    let (_session, device) = one();
    let source = cuzk_kernels::module("testing_fr").expect("compiled in");
    let module = device.load(source).expect("loads");
    let error = module
        .kernel::<MapParams>("cuzk_none")
        .expect_err("no such kernel");
    assert_eq!(
        error.to_string(),
        "the kernels `testing_fr` have no `cuzk_none`"
    );
    let error = module
        .kernel::<Short>("cuzk_testing_add_fr")
        .expect_err("another size");
    assert_eq!(
        error.to_string(),
        "the kernels `testing_fr` have 32 as cuzk_testing_add_fr, expected 8 bytes"
    );
    let kernel = module
        .kernel::<MapParams>("cuzk_testing_add_fr")
        .expect("it is there");
    assert_eq!(
        (kernel.blocks_for(0).ok(), kernel.blocks_for(129).ok()),
        (Some(1), Some(2))
    );
    assert!(matches!(
        kernel.blocks_for(usize::MAX),
        Err(DeviceError::Length { .. })
    ));
    assert_eq!(kernel.registers().expect("an answer"), 64);
    assert_eq!(
        module
            .resident_blocks("cuzk_testing_add_fr")
            .expect("an answer"),
        3
    );
}

#[test]
fn a_file_of_kernels_in_use_is_loaded_once() {
    let (session, device) = one();
    let source = cuzk_kernels::module("testing_fr").expect("compiled in");
    let loads = || {
        let calls = session.calls();
        calls
            .iter()
            .filter(|call| call.starts_with("cuModuleLoad"))
            .count()
    };
    let first = device.load(source).expect("the module loads");
    let second = device.load(source).expect("it is there");
    assert_eq!(loads(), 1);
    drop(first);
    let third = second.device().load(source).expect("it is still there");
    assert_eq!(loads(), 1);
    drop((second, third));
    let fourth = device.load(source).expect("the module loads again");
    assert_eq!(loads(), 2);
    drop((fourth, device));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn all_files_of_kernels_load_at_once_and_the_first_failure_is_told() {
    let (session, device) = one();
    let sources: Vec<_> = cuzk_kernels::modules().iter().collect();
    let loaded = device.load_all(&sources).expect("every module loads");
    assert_eq!(loaded.len(), sources.len());
    drop(loaded);
    session.fail("cuModuleLoadDataEx", 3, 2);
    let error = device.load_all(&sources).expect_err("one of them fails");
    assert!(matches!(error, DeviceError::Compile { .. }), "{error}");
    drop(device);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn parts_are_told_to_whoever_watches_and_to_nobody_else() {
    let (_session, device) = one();
    let marks = Marks::new(&device);
    let [stream, other] = [(); 2].map(|()| device.new_stream().expect("a stream"));
    // Nobody watches.
    stream.end_part("before").expect("nothing to do");
    let watch = stream.watch(&marks, true).expect("a mark");
    stream.end_part("first").expect("a mark");
    let beside = stream.part_beside(&other, "other", "second");
    beside.and_then(PartBeside::end).expect("marks");
    other.end_part("of another stream").expect("nothing to do");
    let watched = watch.stop().expect("a mark");
    watched.wait().expect("done");
    let parts: Vec<_> = watched.parts.iter().map(|p| (p.name, p.beside)).collect();
    assert_eq!(parts, [("first", None), ("second", Some("other"))]);
    assert!(watched.end.elapsed_since(&watched.start).is_ok());
    // A watch that does not ask for parts leaves them to nobody, and one that is dropped too.
    drop(stream.watch(&marks, true).expect("a mark"));
    let watch = stream.watch(&marks, false).expect("a mark");
    stream.end_part("unasked").expect("nothing to do");
    assert!(watch.stop().expect("a mark").parts.is_empty());
}

#[test]
fn marks_are_made_once_and_used_again() {
    let (session, device) = one();
    let (marks, stream) = (Marks::new(&device), device.new_stream().expect("a stream"));
    let made = || {
        let calls = session.calls();
        calls.iter().filter(|call| *call == "cuEventCreate").count()
    };
    for _ in 0..3 {
        let [a, b] = [(); 2].map(|()| marks.new_mark(&stream).expect("a mark"));
        b.wait().expect("reached");
        b.elapsed_since(&a).expect("both are reached");
    }
    assert_eq!(made(), 2);
}

#[test]
fn a_stream_that_was_given_nothing_is_marked_once() {
    let (_session, device) = one();
    let (marks, stream) = (Marks::new(&device), device.new_stream().expect("a stream"));
    let mark = || marks.mark(&stream).expect("a mark");
    let (first, again) = (mark(), mark());
    assert!(Arc::ptr_eq(&first, &again));
    let _zeros = stream.alloc_zeroed::<u32>(3).expect("memory");
    let third = mark();
    assert!(!Arc::ptr_eq(&first, &third));
    // Another stream has marks of its own.
    let other = device.new_stream().expect("a stream");
    assert!(!Arc::ptr_eq(&third, &marks.mark(&other).expect("a mark")));
    // A stretch ends with its last part, and one after a pause begins anew.
    let watch = stream.watch(&marks, true).expect("a mark");
    let _zeros = stream.alloc_zeroed::<u32>(3).expect("memory");
    stream.end_part("zeros").expect("a mark");
    let watched = watch.stop().expect("a mark");
    assert!(Arc::ptr_eq(&watched.parts[0].end, &watched.end));
    watched.wait().expect("done");
    std::thread::sleep(Duration::from_millis(1));
    let next = stream.watch(&marks, true).expect("a mark");
    let next = next.stop().expect("a mark");
    assert!(!Arc::ptr_eq(&next.start, &watched.end));
}
