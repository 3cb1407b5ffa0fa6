//! Failures: every call of a whole run fails in turn, and each gives an error and no leak.

use cuzk_device::{Device, DeviceError, DeviceOptions, DeviceSelector, Timing, devices};
use cuzk_mock_driver::{MockDevice, session};

use crate::machine::MapParams;
use crate::one;

/// Opens a device, copies, launches, measures, and closes everything.
fn whole_run() -> Result<Vec<u64>, DeviceError> {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    let module = device.load(cuzk_kernels::module("testing_fr").expect("compiled in"))?;
    let stream = device.new_stream()?;
    let other = device.new_stream()?;
    let start = device.new_event(Timing::Enabled)?;
    let end = device.new_event(Timing::Enabled)?;
    stream.record(&start)?;
    let a = stream.upload(&[1u64, 2, 3, 4])?;
    let mut out = stream.alloc_zeroed::<u64>(4)?;
    let kernel = module.kernel::<MapParams>("cuzk_testing_neg_fr")?;
    let params = MapParams {
        a: a.as_slice().address(),
        b: 0,
        out: out.as_mut_slice().address(),
        n: 1,
    };
    // SAFETY: one element of 32 bytes is read and one is written.
    unsafe { kernel.launch(&stream, kernel.blocks_for(1)?, &params) }?;
    out.as_mut_slice().copy_from_device(&stream, a.as_slice())?;
    stream.record(&end)?;
    end.synchronize()?;
    end.elapsed_since(&start)?;
    out.move_to(&other)?;
    device.memory()?;
    out.download()
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    const CODES: [i32; 5] = [1, 719, 999, 226, 100];
    let count = {
        let session = session(vec![MockDevice::default()]);
        assert_eq!(whole_run().expect("nothing fails"), [1, 2, 3, 4]);
        session.calls().len()
    };
    assert!(count > 60, "{count} calls");
    for k in 0..count {
        let session = session(vec![MockDevice::default()]);
        let code = CODES[k % CODES.len()];
        session.fail_any(u32::try_from(k).expect("small"), code);
        let outcome = whole_run();
        let calls = session.calls();
        let failed = &calls[k];
        let closing = ["Destroy", "Free", "Release", "Unload"]
            .iter()
            .any(|w| failed.contains(w));
        let entering = failed == "cuCtxSetCurrent";
        match outcome {
            // A failure in a destructor is logged; whether one follows depends on the place.
            Ok(values) => {
                assert!(closing || entering, "{failed} at {k} failed unnoticed");
                assert_eq!(values, [1, 2, 3, 4]);
            }
            Err(error) => {
                if let Some(got) = error.code() {
                    assert_eq!(got.raw, code, "{failed}: {error}");
                }
                assert!(!error.to_string().is_empty());
            }
        }
        if !closing && !entering {
            assert_eq!(session.leaks(), Default::default(), "after {failed} at {k}");
        }
        session.mend();
        let again = whole_run();
        assert!(again.is_ok(), "after {failed} at {k}: {again:?}");
    }
}

#[test]
fn a_launch_that_fails_is_described() {
    let (session, device) = one();
    let module = device.load(cuzk_kernels::module("testing_fr").expect("compiled in"));
    let module = module.expect("loads");
    let stream = device.new_stream().expect("a stream");
    let kernel = module
        .kernel::<MapParams>("cuzk_testing_neg_fr")
        .expect("it is there");
    session.fail("cuLaunchKernel", 0, 701);
    let params = MapParams {
        a: 0,
        b: 0,
        out: 0,
        n: 0,
    };
    // SAFETY: nothing is read or written.
    let error = unsafe { kernel.launch(&stream, 3, &params) }.expect_err("it fails");
    let text = error.to_string();
    let expected = "launching cuzk_testing_neg_fr on 3 blocks of 128 threads with 0 bytes of \
                    shared memory failed";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("code 701)"), "{text}");
    // SAFETY: nothing is read or written.
    unsafe { kernel.launch(&stream, 3, &params) }.expect("later launches work");
}

#[test]
fn a_module_that_does_not_compile_brings_the_log() {
    let (session, device) = one();
    let source = cuzk_kernels::module("testing_fr").expect("compiled in");
    session.fail("cuModuleLoadDataEx", 0, 218);
    let error = device.load(source).expect_err("it fails");
    assert!(
        matches!(&error, DeviceError::Compile { module: "testing_fr", code, .. } if code.raw == 218)
    );

    session.fail("cuModuleLoadDataEx", 0, 222);
    let error = device.load(source).expect_err("it fails").to_string();
    assert_eq!(
        error,
        "driver for CUDA 13.0 is too old: the kernels need NVIDIA driver 450 or later"
    );
}

#[test]
fn a_code_without_a_name_is_shown_by_its_number() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    session.fail("cuStreamSynchronize", 0, 912);
    let error = stream.synchronize().expect_err("it fails");
    assert_eq!(error.code().map(|code| code.raw), Some(912));
    assert!(error.to_string().contains("code 912"), "{error}");
    assert!(!error.code().expect("a code").is_device_lost());
}

#[test]
fn a_fault_of_a_kernel_is_told_from_a_refusal() {
    let (session, device) = one();
    let stream = device.new_stream().expect("a stream");
    for (code, lost) in [
        (700, true),
        (719, true),
        (716, true),
        (1, false),
        (2, false),
        (600, false),
    ] {
        session.fail("cuStreamSynchronize", 0, code);
        let error = stream.synchronize().expect_err("it fails");
        assert_eq!(
            error.code().expect("a code").is_device_lost(),
            lost,
            "{code}"
        );
    }
}

#[test]
fn threads_without_a_context_get_one() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let buffer = stream.upload(&[5u32; 10]).expect("memory");
    let values = std::thread::spawn(move || buffer.download())
        .join()
        .expect("no panic");
    assert_eq!(values.expect("a copy"), [5; 10]);
}

#[test]
fn a_child_that_was_forked_is_refused_and_drops_quietly() {
    let (_session, device) = one();
    let stream = device.new_stream().expect("a stream");
    let buffer = stream.upload(&[1u32]).expect("memory");
    // SAFETY: the child makes no other threads and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "the process can be split");
    if child == 0 {
        let refused = matches!(stream.synchronize(), Err(DeviceError::Forked { .. }))
            && matches!(devices(), Err(DeviceError::Forked { .. }))
            && matches!(buffer.download(), Err(DeviceError::Forked { .. }));
        drop((buffer, stream, device));
        // SAFETY: the child ends here.
        unsafe { libc::_exit(if refused { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: the child exists, and the place for its status is there.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((waited, status), (child, 0));
    assert_eq!(buffer.download().expect("the parent goes on"), [1]);
}
