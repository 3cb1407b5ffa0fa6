//! Everything that the stand-in holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ptx::Text;

/// A device of the stand-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MockDevice {
    /// The name that it reports.
    pub name: String,
    /// The bytes of its UUID.
    pub uuid: [u8; 16],
    /// Memory in all.
    pub memory_bytes: usize,
    /// Major and minor compute capability.
    pub architecture: (i32, i32),
    /// Whether it has stream-ordered memory pools.
    pub has_pools: bool,
}

impl Default for MockDevice {
    fn default() -> Self {
        Self {
            name: "Mock 9000".to_owned(),
            uuid: *b"mock device uuid",
            memory_bytes: 1 << 30,
            architecture: (9, 0),
            has_pools: true,
        }
    }
}

/// A launch as it reached the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The index of the device.
    pub device: usize,
    /// The stream, by its handle.
    pub stream: usize,
    /// The kernel's symbol.
    pub symbol: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub shared_bytes: u32,
    /// The parameter structure.
    pub params: Vec<u8>,
}

/// What was created and not destroyed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Leaks {
    /// Device allocations.
    pub allocations: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Ranges of host memory still registered.
    pub registrations: usize,
    /// Streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Modules.
    pub modules: usize,
    /// Memory pools.
    pub pools: usize,
    /// Uses of primary contexts, and other contexts.
    pub contexts: usize,
}

/// What a handle stands for. A handle is a number that is never used twice.
#[derive(Debug, Clone)]
pub(crate) enum Object {
    /// The index of its device.
    Stream(usize),
    /// When it was recorded last.
    Event(Option<std::time::Instant>),
    /// Its text, and the context that it is in.
    Module(Text, usize),
    /// Symbol, bytes of its parameter, the most threads of a block.
    Function(String, usize, u32),
    Pool,
    /// A context that is not primary, of the device with this index.
    Context(usize),
}

/// A failure to come: of this function, or of any, after so many more calls, on this device or on
/// any.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) device: Option<usize>,
    pub(crate) function: Option<String>,
    pub(crate) calls_before: u32,
    pub(crate) code: i32,
}

/// When the compiler may begin: after so many calls of a function.
#[derive(Debug, Clone)]
pub(crate) struct Hold {
    pub(crate) function: String,
    pub(crate) calls: usize,
}

pub(crate) type Kernel = fn(&Launch);

/// What fails on a device that is lost.
const WORK: [&str; 9] = [
    "cuCtxSynchronize",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuMemAlloc_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuStreamSynchronize",
];

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) devices: Vec<MockDevice>,
    pub(crate) version: i32,
    pub(crate) initialised: bool,
    pub(crate) objects: BTreeMap<usize, Object>,
    pub(crate) memory: BTreeMap<u64, Box<[u128]>>,
    pub(crate) sizes: BTreeMap<u64, usize>,
    /// The device of each allocation.
    pub(crate) places: BTreeMap<u64, usize>,
    pub(crate) globals: BTreeMap<(usize, String), u64>,
    pub(crate) registered: BTreeMap<usize, usize>,
    pub(crate) context_uses: Vec<usize>,
    pub(crate) failures: Vec<Failure>,
    /// Devices on which no work succeeds any more, with the code that it meets.
    pub(crate) lost: BTreeMap<usize, i32>,
    pub(crate) calls: Vec<String>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) kernels: BTreeMap<String, Kernel>,
    pub(crate) log: String,
    /// The texts whose code is in the cache; `None` where that is off.
    pub(crate) cache: Option<BTreeSet<String>>,
    pub(crate) compilations: usize,
    pub(crate) hold: Option<Hold>,
    pub(crate) next: usize,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Told at every call.
pub(crate) static CALLED: Condvar = Condvar::new();

/// How long a compiler waits for calls that do not come.
const FOREVER: Duration = Duration::from_secs(120);

/// Waits while the session holds the compiler, if this text is not in the cache.
pub(crate) fn wait_for_compiler(text: &str) {
    let held = |state: &mut Option<State>| state.as_ref().is_some_and(|state| state.holds(text));
    let waited = CALLED.wait_timeout_while(lock(), FOREVER, held);
    drop(waited.unwrap_or_else(PoisonError::into_inner));
}

/// The state, which a panic of an earlier test may have left locked.
pub(crate) fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    pub(crate) fn insert(&mut self, object: Object) -> usize {
        // Handles must not look like small numbers, which the driver reserves for itself.
        self.next += 1;
        let handle = 0x1000 + 16 * self.next;
        self.objects.insert(handle, object);
        handle
    }

    pub(crate) fn used_bytes(&self, device: usize) -> usize {
        let places = self.places.iter().filter(|(_, place)| **place == device);
        places.map(|(address, _)| self.sizes[address]).sum()
    }

    fn is_cached(&self, text: &str) -> bool {
        self.cache
            .as_ref()
            .is_some_and(|cache| cache.contains(text))
    }

    fn holds(&self, text: &str) -> bool {
        let is_held = |hold: &Hold| {
            let calls = self.calls.iter().filter(|call| **call == hold.function);
            calls.count() < hold.calls
        };
        !self.is_cached(text) && self.hold.as_ref().is_some_and(is_held)
    }

    /// Compiles the text, or takes what the cache has.
    pub(crate) fn compile(&mut self, text: &str) {
        if !self.is_cached(text) {
            self.compilations += 1;
        }
        if let Some(cache) = &mut self.cache {
            cache.insert(text.to_owned());
        }
    }

    /// The modules in a context.
    pub(crate) fn modules_of(&self, context: usize) -> Vec<usize> {
        let modules = self.objects.iter().filter(
            |(_, object)| matches!(object, Object::Module(_, within) if *within == context),
        );
        modules.map(|(handle, _)| *handle).collect()
    }

    /// Removes a module with its constants.
    pub(crate) fn unload(&mut self, module: usize) {
        let constants: Vec<u64> = self
            .globals
            .iter()
            .filter(|((of, _), _)| *of == module)
            .map(|(_, address)| *address)
            .collect();
        for address in constants {
            self.free(address);
        }
        self.globals.retain(|(of, _), _| *of != module);
        self.objects.remove(&module);
    }

    /// Allocates; `None` where the device is full.
    pub(crate) fn allocate(&mut self, device: usize, bytes: usize) -> Option<u64> {
        let total = self.devices[device].memory_bytes;
        if bytes == 0 || self.used_bytes(device).checked_add(bytes)? > total {
            return None;
        }
        // What a device leaves in fresh memory is anything but zero.
        let words = vec![0xa5a5_a5a5_a5a5_a5a5_a5a5_a5a5_a5a5_a5a5u128; bytes.div_ceil(16)];
        let words = words.into_boxed_slice();
        let address = words.as_ptr() as u64;
        self.memory.insert(address, words);
        self.sizes.insert(address, bytes);
        self.places.insert(address, device);
        Some(address)
    }

    pub(crate) fn free(&mut self, address: u64) -> bool {
        self.sizes.remove(&address);
        self.places.remove(&address);
        self.memory.remove(&address).is_some()
    }

    /// Whether the range lies in one allocation of the device.
    pub(crate) fn contains(&self, device: usize, address: u64, bytes: usize) -> bool {
        let Some((start, size)) = self.sizes.range(..=address).next_back() else {
            return false;
        };
        if self.places[start] != device {
            return false;
        }
        address - start <= *size as u64 && bytes as u64 <= *size as u64 - (address - start)
    }

    /// Notes the call on the thread's device, and gives the code with which it is to fail, if it
    /// is.
    pub(crate) fn enter(&mut self, function: &str, device: Option<usize>) -> Option<i32> {
        self.calls.push(function.to_owned());
        if let Some(code) = device.and_then(|device| self.lost.get(&device))
            && WORK.contains(&function)
        {
            return Some(*code);
        }
        let matching = |failure: &Failure| {
            let function_fits = failure.function.as_deref().is_none_or(|f| f == function);
            function_fits && (failure.device.is_none() || failure.device == device)
        };
        let mut due = None;
        self.failures.retain_mut(|failure| {
            if due.is_some() || !matching(failure) {
                return true;
            }
            if failure.calls_before == 0 {
                due = Some(failure.code);
                return false;
            }
            failure.calls_before -= 1;
            true
        });
        due
    }

    pub(crate) fn leaks(&self) -> Leaks {
        let count = |wanted: fn(&Object) -> bool| {
            self.objects
                .values()
                .filter(|object| wanted(object))
                .count()
        };
        let constants: Vec<u64> = self.globals.values().copied().collect();
        let sizes = self
            .sizes
            .iter()
            .filter(|(address, _)| !constants.contains(address));
        let sizes: Vec<usize> = sizes.map(|(_, bytes)| *bytes).collect();
        Leaks {
            allocations: sizes.len(),
            bytes: sizes.iter().sum(),
            registrations: self.registered.len(),
            streams: count(|object| matches!(object, Object::Stream(_))),
            events: count(|object| matches!(object, Object::Event(_))),
            modules: count(|object| matches!(object, Object::Module(..))),
            pools: count(|object| matches!(object, Object::Pool)),
            contexts: self.context_uses.iter().sum::<usize>()
                + count(|object| matches!(object, Object::Context(_))),
        }
    }
}
