use crate::order::{Cut, LENGTH_CLASSES};

#[test]
fn the_bounds_hold_for_every_way_to_fill_buckets() {
    for entries in [0, 1, 16, 17, 33, 1000, 100_000, 3_000_000] {
        for buckets in [1, 2, 64, 5000] {
            let cut = Cut::of(entries, buckets, 4);
            assert!(cut.max_len >> cut.class_shift < LENGTH_CLASSES);
            // Buckets of one size each, as many as there are entries for.
            for size in cut.max_len + 1..(4 * cut.max_len).min(entries) {
                let split = (entries / size).min(buckets);
                assert!(split <= cut.max_splits, "{entries}, {buckets}, {size}");
                assert!(split * size.div_ceil(cut.max_len) <= cut.max_parts);
            }
            // One bucket of all.
            if entries > cut.max_len {
                assert!(entries.div_ceil(cut.max_len) <= cut.max_parts);
            }
        }
    }
}

#[test]
fn parts_are_short_beside_a_device_s_share_and_long_lengths_share_classes() {
    assert_eq!(Cut::of(0, 0, 132).max_len, 16);
    assert_eq!(Cut::of(1 << 24, 1 << 19, 132).max_len, 128);
    assert_eq!(Cut::of(1 << 20, 1, 132).max_len, 128);
    let few = Cut::of(1 << 28, 1 << 10, 132);
    assert_eq!((few.max_len, few.class_shift), (1985, 3));
}
