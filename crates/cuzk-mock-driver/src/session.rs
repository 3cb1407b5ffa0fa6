use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::functions::MockSymbols;
use crate::state::{Failure, Hold, Kernel, Launch, Leaks, MockDevice, State, lock};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
static INSTALLED: Once = Once::new();

/// The stand-in, reset, for one test at a time.
#[derive(Debug)]
pub struct Session {
    _alone: MutexGuard<'static, ()>,
}

/// Begins a session with these devices; waits for the session before it to end.
///
/// # Panics
/// Where the process uses a real driver already.
#[must_use]
pub fn session(devices: Vec<MockDevice>) -> Session {
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    INSTALLED.call_once(|| {
        // SAFETY: the functions have the driver's signatures and keep its contracts.
        unsafe { cuzk_driver::install(&MockSymbols) }.expect("no driver was used before");
    });
    *lock() = Some(State {
        context_uses: vec![0; devices.len()],
        devices,
        version: 13_000,
        cache: Some(BTreeSet::new()),
        log: "ptxas: the stand-in refuses this text".to_owned(),
        ..State::default()
    });
    Session { _alone: alone }
}

impl Session {
    /// Makes the call of `function` fail with `code` that comes after `calls_before` more.
    pub fn fail(&self, function: &str, calls_before: u32, code: i32) {
        self.add(None, Some(function.to_owned()), calls_before, code);
    }

    /// The same for calls that threads make on one device.
    pub fn fail_on(&self, device: usize, function: &str, calls_before: u32, code: i32) {
        self.add(Some(device), Some(function.to_owned()), calls_before, code);
    }

    /// Makes every piece of work fail with `code` on the device from now on, as after a fault that
    /// a driver does not forget; what is there can still be released.
    pub fn lose(&self, device: usize, code: i32) {
        with(|state| state.lost.insert(device, code));
    }

    /// The same for whatever function is called then.
    pub fn fail_any(&self, calls_before: u32, code: i32) {
        self.add(None, None, calls_before, code);
    }

    fn add(&self, device: Option<usize>, function: Option<String>, calls_before: u32, code: i32) {
        with(|state| {
            state.failures.push(Failure {
                device,
                function,
                calls_before,
                code,
            });
        });
    }

    /// Forgets failures that have not come, and lost devices.
    pub fn mend(&self) {
        with(|state| {
            state.failures.clear();
            state.lost.clear();
        });
    }

    /// Makes the compiler begin only after so many calls of `function` in this session, in other
    /// threads; what is in the cache needs no compiler.
    pub fn hold_compiler(&self, function: &str, calls: usize) {
        let function = function.to_owned();
        with(|state| state.hold = Some(Hold { function, calls }));
    }

    /// Keeps nothing that is compiled.
    pub fn disable_cache(&self) {
        with(|state| state.cache = None);
    }

    /// How often a text was compiled so far.
    #[must_use]
    pub fn compilations(&self) -> usize {
        with(|state| state.compilations)
    }

    /// Says what the kernel does; others do nothing.
    pub fn define(&self, symbol: &str, kernel: fn(&Launch)) {
        with(|state| state.kernels.insert(symbol.to_owned(), kernel as Kernel));
    }

    /// Sets the version that the driver reports, 1000 major + 10 minor of CUDA.
    pub fn set_version(&self, version: i32) {
        with(|state| state.version = version);
    }

    /// The functions called so far, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        with(|state| state.calls.clone())
    }

    /// The launches so far, in order.
    #[must_use]
    pub fn launches(&self) -> Vec<Launch> {
        with(|state| state.launches.clone())
    }

    /// Forgets the calls and launches so far, which otherwise pile up.
    pub fn forget(&self) {
        with(|state| {
            state.calls = Vec::new();
            state.launches = Vec::new();
        });
    }

    /// What was created and not destroyed.
    #[must_use]
    pub fn leaks(&self) -> Leaks {
        with(|state| state.leaks())
    }
}

fn with<T>(act: impl FnOnce(&mut State) -> T) -> T {
    act(lock().as_mut().expect("a session is open"))
}
