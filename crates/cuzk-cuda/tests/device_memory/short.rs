//! Proofs that find less memory than they were planned for: a smaller sum or an error that says
//! so, and the next one works.

use std::error::Error;

use cuzk_cpu::Cpu;
use cuzk_cuda::{Cuda, CudaError};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, Stream};
use cuzk_groth16::{Proof, ProveError, ProvingKey, prove};
use cuzk_phase::Timeline;
use cuzk_testkit::MimcChain;

use crate::{
    alone,
    budgets::within,
    proofs::{Case, blinding},
};

/// How much of what a proof needs is left to it, in sixteenths.
const ROOMS: [usize; 10] = [0, 1, 2, 4, 6, 8, 10, 12, 14, 15];

fn proof(cuda: &Cuda, key: &ProvingKey<Cuda>, case: &Case) -> Result<Proof, ProveError> {
    prove(cuda, key, &case.witness, &blinding(0), &Timeline::start())
}

/// Whether an error says at its root that memory was short.
fn is_short(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(cuda) = error.downcast_ref::<CudaError>() {
            return cuda.is_memory();
        }
        cause = error.source();
    }
    false
}

fn used(cuda: &Cuda) -> usize {
    cuda.cuda_device().memory().expect("a device").used_bytes
}

/// Proofs while `take` leaves them so many bytes; what it gives holds the rest.
fn proofs_beside<T>(budget_bytes: Option<usize>, take: impl Fn(&Cuda, usize) -> T) {
    let case = Case::of(&MimcChain::new(1, (1 << 18) - 16));
    let expected = case.proofs(&Cpu::default(), 1).pop().expect("one");
    let cuda = within(budget_bytes);
    let key = case.key(&cuda);
    assert_eq!(proof(&cuda, &key, &case).expect("memory"), expected);
    let held = used(&cuda);
    let needed = cuda.cuda_device().memory().expect("a device").peak_bytes - held;
    let (mut short, mut proved) = (0, 0);
    for room in ROOMS {
        let taken = take(&cuda, needed / 16 * room);
        let outcome = proof(&cuda, &key, &case);
        drop(taken);
        match outcome {
            Ok(proof) => {
                proved += 1;
                assert_eq!(proof, expected, "{room} sixteenths");
            }
            Err(error) => {
                short += 1;
                assert!(is_short(&error), "{room} sixteenths: {error:?}");
            }
        }
        assert_eq!(used(&cuda), held, "{room} sixteenths");
        let next = proof(&cuda, &key, &case).expect("the memory is back");
        assert_eq!(next, expected, "after {room} sixteenths");
    }
    eprintln!("{needed} bytes for a proof; short {short} times, proved {proved} times");
    assert!(short > 0 && proved > 0, "{short} short, {proved} proved");
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_proof_that_meets_the_budget_harms_no_later_one() {
    let _card = alone();
    let budget_bytes = 1 << 30;
    proofs_beside(Some(budget_bytes), |cuda, room_bytes| {
        let stream = cuda.cuda_device().new_stream().expect("a stream");
        let rest = budget_bytes - used(cuda) - room_bytes;
        stream.alloc::<u8>(rest).expect("within the budget")
    });
}

/// Another's memory on the card.
struct Taken {
    buffers: Vec<DeviceBuf<u8>>,
    device: Device,
}

impl Taken {
    /// All but so many bytes, in the sizes in which a device gives memory.
    fn all_but(room_bytes: usize) -> Self {
        const LEAST: usize = 2 << 20;
        let options = DeviceOptions::default();
        let device = Device::open(&DeviceSelector::default(), &options).expect("a device");
        let stream: Stream = device.new_stream().expect("a stream");
        let mut buffers = Vec::new();
        let free = || device.memory().expect("a device").free_bytes;
        let mut step = free();
        while step >= LEAST {
            let bytes = free().saturating_sub(room_bytes).min(step);
            match stream.alloc(bytes.max(1)) {
                Ok(buffer) if bytes >= LEAST => buffers.push(buffer),
                _ => step /= 2,
            }
        }
        Self { buffers, device }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.buffers.clear();
        self.device.trim().expect("the device works");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_proof_on_a_card_that_others_have_filled_harms_no_later_one() {
    let _card = alone();
    proofs_beside(None, |cuda, room_bytes| {
        // What the pool keeps would serve the proof.
        cuda.cuda_device().trim().expect("the device works");
        Taken::all_but(room_bytes)
    });
}
