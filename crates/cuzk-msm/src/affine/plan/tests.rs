use super::*;

/// Pairs of a list in a round, by halving.
fn pairs_by_halving(count: usize, round: u32) -> usize {
    let left = (0..round).fold(count, |left, _| left.div_ceil(2));
    left / 2
}

/// What a block of the device computes, `cuzk::msm::affine::RoundShape`.
fn shape_on_device(shape: &Shape, pairs: usize) -> (usize, usize) {
    let chain = pairs.div_ceil(shape.wanted_tiles * THREADS);
    let chain = chain.clamp(MIN_CHAIN, shape.max_chain);
    let tiles = pairs.div_ceil(chain * THREADS);
    let products = tiles * THREADS;
    let inverter_chain = products.div_ceil(shape.wanted_inverters);
    let inverter_chain = inverter_chain.clamp(1, shape.max_inverter_chain);
    (tiles, products.div_ceil(inverter_chain))
}

#[test]
fn no_list_has_more_pairs_than_the_bound_and_some_have_as_many() {
    for round in 0..12 {
        let mut reached = false;
        for count in 0..10_000 {
            let pairs = pairs_by_halving(count, round);
            let bound = most_pairs(count, round);
            assert!(pairs <= bound, "{count} entries, round {round}");
            reached |= count > 0 && pairs == bound && pairs > 0;
        }
        assert!(reached, "round {round}");
        // Many lists of the worst length.
        let worst = (1usize << round) + 1;
        let together = 1000 * pairs_by_halving(worst, round);
        assert_eq!(together, most_pairs(1000 * worst, round));
    }
}

#[test]
fn rounds_are_as_many_as_halvings() {
    for longest in 0..5000usize {
        let mut left = longest;
        let mut rounds = 0;
        while left > 1 {
            left = left.div_ceil(2);
            rounds += 1;
        }
        assert_eq!(rounds_for(longest), rounds, "{longest}");
    }
    assert_eq!(rounds_for(1 << 31), 31);
}

#[test]
fn grids_hold_every_smaller_number_of_pairs() {
    for (multiprocessors, tuning) in [
        (4, AffineTuning::default()),
        (132, AffineTuning::default()),
        (
            1,
            AffineTuning {
                max_chain: 1,
                tiles: 1,
                max_inverter_chain: 3,
                inverters: 1,
                few_pairs: 0,
                two_parts_from: 0,
            },
        ),
    ] {
        let shape = Shape::new(&tuning, multiprocessors);
        let bounds = [0, 1, 511, 512, 513, 5000, 100_000, 13_000_000, 30_000_001];
        for bound in bounds {
            let (tiles, inverters) = (shape.tiles(bound), shape.inverters(shape.tiles(bound)));
            for pairs in (0..=bound).step_by(1 + bound / 3000).chain([bound]) {
                let (needed, needed_inverters) = shape_on_device(&shape, pairs);
                assert!(needed <= tiles, "{pairs} of {bound}: {needed} over {tiles}");
                assert!(needed_inverters <= inverters, "{pairs} of {bound}");
            }
        }
    }
}

#[test]
fn arrays_do_not_overlap_and_fill_the_buffer() {
    for sizes in [
        [0, 0, 0],
        [1, 1, 1],
        [70_000, 5000, 70_000],
        [100_001, 3, 9],
    ] {
        let tuning = AffineTuning::default();
        let plan = TreePlan::new(&tuning, Shape::new(&tuning, 7), 48, sizes);
        let layout = &plan.layout;
        let mut arrays = vec![
            (layout.outputs, 96 * plan.points),
            (layout.prefixes, 48 * plan.pair_capacity()),
            (layout.pairs, 8 * plan.pair_capacity()),
        ];
        for (buckets, part) in plan.parts.iter().zip(&layout.parts) {
            let chunks = buckets.len().div_ceil(CHUNK);
            arrays.extend([
                (part.chunk_bases, 4 * chunks * (plan.rounds as usize + 1)),
                (part.totals, 256),
                (part.starts[0], 4 * (buckets.len() + 1)),
                (part.starts[1], 4 * (buckets.len() + 1)),
                (part.tiles, 4 * plan.most_pairs(0).div_ceil(PAIR_TILE)),
                (part.carries, 4 * buckets.len()),
                (part.products, 48 * plan.product_capacity()),
                (part.chains, 48 * plan.product_capacity()),
            ]);
        }
        arrays.sort_unstable();
        for pair in arrays.windows(2) {
            assert!(16 * pair[0].0 + pair[0].1 <= 16 * pair[1].0, "{sizes:?}");
        }
        let (start, bytes) = arrays[arrays.len() - 1];
        let end = 16 * start + bytes;
        assert!(
            end <= plan.bytes() && plan.bytes() < end + ALIGNMENT,
            "{sizes:?}"
        );
        assert_eq!(plan.parts.iter().map(Range::len).sum::<usize>(), sizes[1]);
    }
}

#[test]
fn two_parts_of_any_sizes_fit_beside_each_other() {
    let tuning = AffineTuning::default();
    let shape = Shape::new(&tuning, 1);
    for all in 0..200 {
        let capacity = TreePlan::new(&tuning, shape, 48, [all, 2, all]).pair_capacity();
        for first in 0..=all {
            // The second part begins at half the first one's entries, rounded up.
            let second = first.div_ceil(2);
            assert!(first / 2 <= second && second + (all - first) / 2 <= capacity);
        }
    }
}

#[test]
fn the_estimate_for_any_card_is_no_less_than_the_scratch_and_close_for_much() {
    let tuning = AffineTuning::default();
    for multiprocessors in [4, 46, 132, 170] {
        let shape = Shape::new(&tuning, multiprocessors);
        for (point, log, lists) in [96, 192]
            .into_iter()
            .flat_map(|point| (0..31).map(move |log| (point, log)))
            .flat_map(|(point, log)| [1, 1 << 10, 1 << 15, 1 << 22].map(|l| (point, log, l)))
        {
            let entries = (13usize << log) / 8;
            let plan = TreePlan::new(&tuning, shape, point / 2, [entries, lists, 1 << 24]);
            let (bytes, estimate) = (plan.bytes(), most_scratch_bytes(point, entries, lists));
            let what = format!("{entries} entries of {point} bytes in {lists} lists");
            assert!(bytes <= estimate, "{what}: {bytes} of {estimate}");
            if entries > 1 << 25 && entries > 8 * lists {
                assert!(
                    estimate < bytes + bytes / 20,
                    "{what}: {bytes} of {estimate}"
                );
            }
        }
    }
}
