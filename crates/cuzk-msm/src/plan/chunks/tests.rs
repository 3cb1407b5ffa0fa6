use super::*;

#[test]
fn every_cut_covers_the_bases_once_and_in_order_without_an_empty_chunk() {
    for n in [0, 1, 2, 3, 7, 100, 1 << 20, (1 << 31) - 1] {
        for chunks in Chunks::fed(n).chain((0..5).map(|log| Chunks::equal(n, log))) {
            let mut end = 0;
            for chunk in chunks.ranges() {
                assert_eq!(chunk.start, end, "{chunks:?}");
                assert!(chunk.end > chunk.start, "{chunks:?}");
                end = chunk.end;
            }
            assert_eq!(end, n, "{chunks:?}");
            let largest = chunks.ranges().map(|chunk| chunk.len()).max();
            assert_eq!(chunks.largest(), largest.unwrap_or(0));
        }
    }
}

#[test]
fn a_place_holds_every_chunk_that_takes_it() {
    assert_eq!(Chunks::of(&[1, 5, 3, 2]).places(), [3, 5]);
    assert_eq!(Chunks::of(&[4]).places(), [4, 0]);
    assert_eq!(Chunks::of(&[]).places(), [0, 0]);
}

#[test]
fn the_end_is_that_of_copies_and_sums_in_turn() {
    let of = |lens: &[usize], places, copy: f64, sum: f64| {
        let each = |rate: f64| move |len: usize| rate * len as f64;
        let sum = |_: usize, len: usize| each(sum)(len);
        Chunks::of(lens).finish_ms(places, each(copy), sum)
    };
    // The first copy is waited for, the others are not.
    assert_eq!(of(&[1, 2, 4], false, 1.0, 3.0), 1.0 + 21.0);
    // The last sum comes after all copies.
    assert_eq!(of(&[4, 2, 1], false, 3.0, 1.0), 21.0 + 1.0);
    // The third copy begins when the first chunk is summed, at 11, and ends at 21; the fourth when
    // the second is, at 21.
    assert_eq!(of(&[1, 1, 10, 1], true, 1.0, 10.0), 1.0 + 130.0);
    assert_eq!(
        of(&[10, 1, 10, 1], true, 1.0, 1.0),
        10.0 + 10.0 + 10.0 + 10.0 + 1.0
    );
    assert_eq!(of(&[], true, 1.0, 1.0), 0.0);
}

#[test]
fn every_strategy_has_its_link() {
    use HostMemory::{Auto, Pageable, Registered, Staged};
    let links = [Pageable, Staged, Auto, Registered].map(HostLink::of);
    let expected = [
        HostLink::Pageable,
        HostLink::Staged,
        HostLink::Staged,
        HostLink::Registered,
    ];
    assert_eq!(links, expected);
}

#[test]
fn faster_memory_is_named_so() {
    let links = [HostLink::Pageable, HostLink::Staged, HostLink::Registered];
    let rates = links.map(HostLink::bytes_per_second);
    assert!(rates[0] < rates[1] && rates[1] < rates[2]);
}
