//! Sums read no byte beyond the points they are given: a page that may not be touched lies
//! right behind the last.
#![cfg(target_os = "linux")]

use cuzk_curve::{G1, G2, SourceGroup};
use cuzk_lanes::{LaneGroup, LanePoints, Lanes, PointSource, PointSums, SignedIndex};
use group::{Curve, prime::PrimeCurveAffine};

const PAGE: usize = 4096;

/// `count` copies of `point`, the last of which ends where a forbidden page begins. The
/// mapping stays until the process ends.
fn guarded<G: SourceGroup>(point: &G::Limbs, count: usize) -> &'static [G::Limbs] {
    let bytes = size_of_val(point) * count;
    let used = bytes.next_multiple_of(PAGE);
    // SAFETY: an anonymous mapping of its own whose last page is closed; the points lie in
    // the pages before it and are written before they are read.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let mapping = libc::mmap(std::ptr::null_mut(), used + PAGE, access, flags, -1, 0);
        assert_ne!(mapping, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(mapping.add(used), PAGE, libc::PROT_NONE), 0);
        let first: *mut G::Limbs = mapping.add(used - bytes).cast();
        for i in 0..count {
            first.add(i).write(*point);
        }
        std::slice::from_raw_parts(first, count)
    }
}

fn sums_stay_within<G: LaneGroup>() {
    let generator = [G::Affine::generator()];
    let point = G::as_limbs(&generator)[0];
    for count in [1, 2, 3, 16, 43] {
        let points = guarded::<G>(&point, count);
        let entries: Vec<_> = (0..count as u32)
            .map(|index| SignedIndex::new(index, false))
            .collect();
        for lanes in [Lanes::Detect, Lanes::Portable] {
            let mut laid = LanePoints::<G>::identities(lanes.resolve(), count).expect("memory");
            for part in &mut laid.parts_mut(count) {
                part.fill(|i| &points[i]);
            }
            let expected = generator[0] * cuzk_curve::Fr::from(count as u64);
            let mut sums = PointSums::<G>::new(lanes.resolve());
            for source in [PointSource::Stored(points), PointSource::Laid(&laid)] {
                let mut out = [G::Limbs::default()];
                sums.sum_segments_from(source, &entries, &[count as u32], &mut out);
                let sum = G::from_limbs(&out).expect("reduced")[0];
                assert_eq!(sum, expected.to_affine());
            }
        }
    }
}

#[test]
fn sums_read_no_byte_behind_the_points() {
    sums_stay_within::<G1>();
    sums_stay_within::<G2>();
}
