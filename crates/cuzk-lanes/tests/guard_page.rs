//! Tiles read and write no byte beyond the slices they are given: a page that may not be
//! touched lies right behind, and one right before.
#![cfg(target_os = "linux")]

use cuzk_curve::Fr;
use cuzk_lanes::{ColumnTile, FrTile, LANES, Lanes, Reduction};

/// `len` zero scalars that end where a forbidden page begins, or begin where one ends.
struct Guarded {
    mapping: *mut libc::c_void,
    bytes: usize,
    first: *mut Fr,
    len: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    fn new(len: usize, guard_behind: bool) -> Self {
        let used = (len * size_of::<Fr>()).next_multiple_of(PAGE);
        let bytes = used + 2 * PAGE;
        // SAFETY: an anonymous mapping of its own; the middle pages are made accessible and
        // the slice lies within them.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let mapping = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(mapping, libc::MAP_FAILED);
            let middle = mapping.add(PAGE);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(middle, used, access), 0);
            let slack = if guard_behind {
                used - len * size_of::<Fr>()
            } else {
                0
            };
            Self {
                mapping,
                bytes,
                first: middle.add(slack).cast(),
                len,
            }
        }
    }

    fn scalars(&mut self) -> &mut [Fr] {
        // SAFETY: the memory is mapped, zero is a scalar, and `&mut self` makes it unique.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.mapping, self.bytes) };
    }
}

#[test]
fn tiles_stay_within_their_slices() {
    for lanes in [Lanes::Detect, Lanes::Portable] {
        for log_rows in 0..=5 {
            for guard_behind in [false, true] {
                let mut memory = Guarded::new(LANES << log_rows, guard_behind);
                let mut tile = FrTile::new(lanes.resolve(), log_rows);
                tile.load_rows(memory.scalars());
                tile.store_rows(memory.scalars(), Reduction::Exact);
                for mut columns in ColumnTile::split(memory.scalars(), LANES) {
                    tile.load_columns(&columns);
                    tile.store_columns(&mut columns, Reduction::Relaxed);
                }
                assert!(memory.scalars().iter().all(|x| *x == Fr::from(0)));
            }
        }
    }
}
