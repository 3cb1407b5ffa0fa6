//! Properties of buffers.

use cuzk_hostmem::{AllocError, HostAllocator, HostMemory, LockError, PageLocker};
use proptest::prelude::*;
use std::{
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicIsize, Ordering},
    },
};

/// Refuses every call whose bit in `refuse` is set.
#[derive(Debug)]
struct Moody {
    refuse: u64,
    calls: AtomicIsize,
    held: AtomicIsize,
}

impl PageLocker for Moody {
    unsafe fn lock(&self, _: NonNull<u8>, _: usize) -> Result<(), LockError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.refuse >> (call % 64) & 1 == 1 {
            return Err(LockError::lock("moody"));
        }
        self.held.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    unsafe fn unlock(&self, _: NonNull<u8>) -> Result<(), LockError> {
        self.held.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_strategy_holds_the_same_elements_and_balances_its_locks(
        contents in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..40_000), 0..4),
        refuse in any::<u64>(),
    ) {
        let moody = Arc::new(Moody { refuse, calls: 0.into(), held: 0.into() });
        let locker: Arc<dyn PageLocker> = Arc::clone(&moody) as _;
        for &strategy in HostMemory::ALL {
            let allocator = HostAllocator::new(strategy, Some(Arc::clone(&locker)));
            let mut buffers = Vec::new();
            for values in &contents {
                let buffer = allocator.filled(values.len(), |slice: &mut [u32]| {
                    slice.copy_from_slice(values);
                    Ok::<(), AllocError>(())
                });
                buffers.push(buffer.expect("small"));
            }
            let locked = buffers.iter().filter(|buffer| buffer.locked()).count();
            prop_assert_eq!(moody.held.load(Ordering::Relaxed), locked as isize);
            for (values, buffer) in contents.iter().zip(buffers) {
                prop_assert_eq!(&*buffer, &**values);
                prop_assert_eq!(&buffer.into_vec().expect("small"), values);
            }
            prop_assert_eq!(moody.held.load(Ordering::Relaxed), 0);
        }
    }
}
