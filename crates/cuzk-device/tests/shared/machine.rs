//! The suite of the device arithmetic, run by one-operation kernels.

use cuzk_device::{Device, DeviceSlice, KernelParams, Module, Stream};
use cuzk_kernel_host::{Machine, Operands};

/// `cuzk::testing::MapParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MapParams {
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) out: u64,
    pub(crate) n: u64,
}

// SAFETY: four numbers of 64 bits, as in `cuzk::testing::MapParams`.
unsafe impl KernelParams for MapParams {}

#[derive(Debug)]
pub(crate) struct DeviceMachine {
    /// Held, so that no operation loads them again.
    _modules: Vec<Module>,
    stream: Stream,
}

impl DeviceMachine {
    pub(crate) fn new(device: &Device) -> Self {
        let sources = cuzk_kernels::modules().iter();
        let sources: Vec<_> = sources.filter(|source| source.is_for_tests()).collect();
        Self {
            _modules: device.load_all(&sources).expect("the modules load"),
            stream: device.new_stream().expect("a stream"),
        }
    }
}

impl Machine for DeviceMachine {
    fn run(&self, operation: &str, out: &mut [u8], operands: Operands<'_>) {
        let symbol = format!("cuzk_testing_{operation}");
        let device = self.stream.device();
        let kernel = device.kernel::<MapParams>(&symbol).expect("it is there");
        let a = self.stream.upload(operands.a).expect("memory");
        let b = self.stream.upload(operands.b).expect("memory");
        let mut result = self.stream.alloc_zeroed::<u8>(out.len()).expect("memory");
        let address = |slice: DeviceSlice<'_, u8>| slice.address();
        let params = MapParams {
            a: address(a.as_slice()),
            b: address(b.as_slice()),
            out: result.as_mut_slice().address(),
            n: operands.n as u64,
        };
        let blocks = kernel.blocks_for(operands.n).expect("a small grid");
        // SAFETY: the kernel reads `n` elements of `a` and `b` and writes as many of `out`, whose
        // sizes are those of the operation's types.
        unsafe { kernel.launch(&self.stream, blocks, &params) }.expect("the launch");
        let values = result.download().expect("the kernel runs");
        out.copy_from_slice(&values);
    }
}
