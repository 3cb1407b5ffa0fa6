//! A count alone never makes the reader allocate: watched by an allocator of this test.

#[path = "common/sample.rs"]
mod sample;

use cuzk_params::{Parameters, ReadOptions, VerifyingKey};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The system's allocator, which remembers the largest request.
struct Watching;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Two pieces and a little.
const ALLOWED_BYTES: usize = 9 << 20;

#[test]
fn absurd_counts_allocate_little() {
    let bytes = sample::bytes();
    let offsets = {
        let loaded = Parameters::from_bytes(&bytes, &ReadOptions::default()).expect("well-formed");
        loaded
            .layout
            .sections
            .map(|section| section.offset as usize)
    };
    // The pool's threads start once, with whatever they allocate.
    LARGEST.store(0, Ordering::Relaxed);
    for offset in offsets {
        for count in [1 << 20, 1 << 28, u32::MAX] {
            let mut wrong = bytes.clone();
            wrong[offset..offset + 4].copy_from_slice(&count.to_be_bytes());
            assert!(Parameters::from_bytes(&wrong, &ReadOptions::default()).is_err());
            assert!(Parameters::from_reader(&wrong[..], &ReadOptions::default()).is_err());
            assert!(VerifyingKey::read(&wrong[..]).is_err() || offset != offsets[0]);
        }
    }
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(
        largest > 0 && largest <= ALLOWED_BYTES,
        "{largest} bytes at once"
    );
}
