//! Two hundred proofs hold no more than three.

use cuzk_cuda::Cuda;
use cuzk_groth16::prove;
use cuzk_phase::Timeline;

use crate::{
    counting::live_bytes,
    proofs::{Case, blinding},
};

/// What a leak of every proof would have summed up to is more than this: threads keep some bytes
/// of their own now and then.
const HOST_SLACK_BYTES: usize = 16 << 10;

/// Proofs one by one, then in batches of four, with what each leaves on device and host, which is
/// what the third left; `forget` drops what the test itself has piled up.
pub(crate) fn two_hundred_proofs_hold_no_more_than_three(
    cuda: &Cuda,
    case: &Case,
    forget: &dyn Fn(),
) {
    let device = cuda.cuda_device();
    let key = case.key(cuda);
    let expected = case.proofs(cuda, 1);
    let held = || {
        forget();
        let memory = device.memory().expect("a device");
        (memory.used_bytes, memory.peak_bytes, live_bytes())
    };
    let check = |third: (usize, usize, usize), what: &str, i: usize| {
        let now = held();
        assert_eq!((now.0, now.1), (third.0, third.1), "{what} {i}: device");
        let most = third.2 + HOST_SLACK_BYTES;
        assert!(now.2 <= most, "{what} {i}: {} of {most} bytes", now.2);
    };
    let mut third = None;
    for i in 0..200 {
        let timeline = Timeline::start();
        let proof = prove(cuda, &key, &case.witness, &blinding(0), &timeline);
        assert_eq!(proof.expect("a proof"), expected[0], "proof {i}");
        drop(timeline);
        match third {
            None if i == 2 => third = Some(held()),
            None => (),
            Some(third) => check(third, "proof", i),
        }
    }
    drop(key);
    let mut third = None;
    for i in 0..10 {
        // With the key: the same memory is taken and given back.
        drop(case.batch(cuda, 4));
        match third {
            None if i == 2 => third = Some(held()),
            None => (),
            Some(third) => check(third, "batch", i),
        }
    }
}
