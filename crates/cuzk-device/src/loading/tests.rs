//! Against the stand-in for the driver, whose compiler waits for contexts to be made.

use std::time::Duration;

use cuzk_mock_driver::{MockDevice, Session, session};

use crate::{Device, DeviceError, DeviceOptions, DeviceSelector, Module};

const AT_ONCE: Duration = Duration::ZERO;
const NEVER: Duration = Duration::MAX;

fn one() -> (Session, Device) {
    let session = session(vec![MockDevice::default()]);
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    (session, device.expect("the stand-in has a device"))
}

/// The smaller files, which the stand-in reads soon.
fn sources() -> Vec<&'static cuzk_kernels::Module> {
    let sources = cuzk_kernels::modules().iter();
    let small: Vec<_> = sources
        .filter(|source| source.ptx.len() < 300_000)
        .collect();
    assert!(small.len() > 4, "{} files", small.len());
    small
}

fn calls(session: &Session, function: &str) -> usize {
    let calls = session.calls();
    calls.iter().filter(|call| *call == function).count()
}

fn names(modules: &[Module]) -> Vec<&'static str> {
    modules.iter().map(Module::name).collect()
}

#[test]
fn what_is_not_in_the_cache_is_compiled_once_with_help_and_the_rest_without() {
    let (session, device) = one();
    let sources = sources();
    session.hold_compiler("cuCtxCreate_v2", 1);
    let loaded = device.load_all_after(AT_ONCE, &sources).expect("all load");
    let expected: Vec<_> = sources.iter().map(|source| source.name).collect();
    assert_eq!(names(&loaded), expected);
    assert_eq!(session.compilations(), sources.len());
    let made = calls(&session, "cuCtxCreate_v2");
    assert!(made >= 1);
    assert_eq!(calls(&session, "cuCtxDestroy_v2"), made);
    assert_eq!(session.leaks().modules, sources.len());
    drop(loaded);

    // A compiler would wait for a second context, which is not made.
    session.hold_compiler("cuCtxCreate_v2", made + 1);
    let again = device.load_all_after(NEVER, &sources).expect("all load");
    assert_eq!(names(&again), expected);
    assert_eq!(session.compilations(), sources.len());
    assert_eq!(calls(&session, "cuCtxCreate_v2"), made);
    drop((again, device));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn without_a_cache_everything_is_loaded_too() {
    let (session, device) = one();
    session.disable_cache();
    session.hold_compiler("cuCtxCreate_v2", 1);
    let sources = sources();
    let loaded = device.load_all_after(AT_ONCE, &sources).expect("all load");
    assert_eq!(loaded.len(), sources.len());
    assert!(session.compilations() >= sources.len());
    drop((loaded, device));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_context_that_cannot_be_made_is_no_error() {
    let (session, device) = one();
    session.hold_compiler("cuCtxCreate_v2", 1);
    for _ in 0..super::HELPERS {
        session.fail("cuCtxCreate_v2", 0, 2);
    }
    let sources = sources();
    let loaded = device.load_all_after(AT_ONCE, &sources).expect("all load");
    assert_eq!(loaded.len(), sources.len());
    assert_eq!(session.compilations(), sources.len());
    assert_eq!(calls(&session, "cuCtxDestroy_v2"), 0);
    drop((loaded, device));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn whichever_call_fails_everything_is_loaded_or_the_error_is_typed_and_nothing_leaks() {
    let sources = &sources()[..5];
    let count = {
        let (session, device) = one();
        session.hold_compiler("cuCtxCreate_v2", 1);
        device.load_all_after(AT_ONCE, sources).expect("all load");
        session.calls().len()
    };
    for k in 0..count {
        let (session, device) = one();
        let before = session.calls().len();
        session.hold_compiler("cuCtxCreate_v2", 1);
        session.fail_any(u32::try_from(k).expect("small"), 2);
        match device.load_all_after(AT_ONCE, sources) {
            Ok(loaded) => assert_eq!(loaded.len(), sources.len()),
            Err(error) => assert_eq!(error.code().map(|code| code.raw), Some(2), "{error}"),
        }
        // One that is not released when it should be stays, and is told to the log.
        let failed = session.calls().get(before + k).cloned().unwrap_or_default();
        let closing = ["cuCtxDestroy_v2", "cuModuleUnload", "cuCtxSetCurrent"];
        session.mend();
        let again = device.load_all_after(AT_ONCE, sources).expect("all load");
        drop((again, device));
        if !closing.contains(&failed.as_str()) {
            assert_eq!(session.leaks(), Default::default(), "after {failed} at {k}");
        }
    }
}

#[test]
fn a_file_that_does_not_compile_is_told() {
    let (session, device) = one();
    let sources = sources();
    for _ in 0..sources.len() {
        session.fail("cuModuleLoadDataEx", 0, 218);
    }
    let error = device
        .load_all_after(AT_ONCE, &sources)
        .expect_err("none loads");
    assert!(matches!(error, DeviceError::Compile { .. }), "{error}");
    session.mend();
    drop(device);
    assert_eq!(session.leaks(), Default::default());
}
