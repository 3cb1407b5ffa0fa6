use cuzk_curve::{Fr, FrLimbs};
use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_kernel_host::{SORT_KERNELS, msm_digits, run_sort_kernel};
use cuzk_mock_driver::{Launch, MockDevice, Session, session};
use ff::Field as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

use super::shape::MOST_LOG_BINS;
use super::*;

/// Ways in which scalars are not uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Uniform,
    Equal,
    Bits,
    HalfZero,
    Sixteen,
    MinusOne,
    Zero,
    Small,
}

const PATTERNS: [Pattern; 8] = [
    Pattern::Uniform,
    Pattern::Equal,
    Pattern::Bits,
    Pattern::HalfZero,
    Pattern::Sixteen,
    Pattern::MinusOne,
    Pattern::Zero,
    Pattern::Small,
];

impl Pattern {
    fn scalars(self, n: usize) -> Vec<FrLimbs> {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let some: Vec<Fr> = (0..16).map(|_| Fr::random(&mut rng)).collect();
        let scalar = |_| match self {
            Self::Uniform => Fr::random(&mut rng),
            Self::Equal => some[0],
            Self::Bits => Fr::from(u64::from(rng.next_u32() % 2)),
            Self::HalfZero if rng.next_u32() % 2 == 0 => Fr::ZERO,
            Self::HalfZero => Fr::random(&mut rng),
            Self::Sixteen => some[rng.next_u32() as usize % 16],
            Self::MinusOne => -Fr::ONE,
            Self::Zero => Fr::ZERO,
            Self::Small => -Fr::from(u64::from(rng.next_u32())),
        };
        (0..n).map(scalar).map(FrLimbs::from).collect()
    }
}

fn cut(limit: usize, tile: usize) -> SortTuning {
    SortTuning {
        large: LargeParts { limit, tile },
        ..SortTuning::default()
    }
}

/// Every kernel for tiles and for parts.
fn tunings() -> Vec<SortTuning> {
    let usual = SortTuning::default();
    let places = PLACES.map(|(least_places, _)| SortTuning {
        least_places,
        ..usual
    });
    let long = SortTuning {
        long_tiles_from: 0,
        ..usual
    };
    [places.to_vec(), vec![long]].concat()
}

/// A stand-in for the driver whose kernels are the compiled headers.
fn host_device() -> (Session, Device) {
    host_device_of((9, 0))
}

fn host_device_of(architecture: (i32, i32)) -> (Session, Device) {
    fn run(launch: &Launch) {
        let (blocks, threads) = (launch.grid[0], launch.block[0]);
        // SAFETY: the stand-in's device memory is host memory, aligned to 16 bytes, and the code
        // under test answers for the rest.
        unsafe { run_sort_kernel(&launch.symbol, blocks, threads, &launch.params) };
    }
    let session = session(vec![MockDevice {
        architecture,
        ..MockDevice::default()
    }]);
    for symbol in SORT_KERNELS {
        session.define(symbol, run);
    }
    (session, open())
}

fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

/// Sorts, and compares with lists that are filled one digit at a time.
fn check(
    sorter: &DigitSorter,
    device: &Device,
    scalars: &[FrLimbs],
    bits: u32,
    windows: Range<u32>,
) {
    let layout = WindowLayout::new(bits).expect("a width");
    check_layout(sorter, device, scalars, layout, windows);
}

fn check_layout(
    sorter: &DigitSorter,
    device: &Device,
    scalars: &[FrLimbs],
    layout: WindowLayout,
    windows: Range<u32>,
) {
    let stream = device.new_stream().expect("a stream");
    let uploaded = stream.upload(scalars).expect("memory");
    // As for some scalars of more.
    let stride = scalars.len() + 3;
    let sorted = sorter
        .sort(
            &stream,
            uploaded.as_slice(),
            &layout,
            windows.clone(),
            stride,
        )
        .expect("sorted");
    let offsets = sorted.offsets.download().expect("a copy");
    let mut entries = sorted.entries.download().expect("a copy");
    let (len, buckets) = (windows.len(), layout.buckets());
    assert_eq!((sorted.windows, sorted.buckets), (len, buckets));
    assert_eq!(offsets.len(), len * buckets + 1);

    let digits = msm_digits(layout.params(windows.clone()).words(), scalars);
    let (n, tables) = (scalars.len(), layout.tables() as usize);
    let what = format!("{n} scalars, {layout:?}, {windows:?}");
    let mut next = offsets.clone();
    let mut expected = vec![0; offsets[len * buckets] as usize];
    for (window, table) in (0..len).flat_map(|w| (0..tables).map(move |t| (w, t))) {
        for (index, digits) in (table * stride..).zip(digits.chunks(tables * len)) {
            let digit = digits[table * len + window];
            if digit == 0 {
                continue;
            }
            let bucket = window * buckets + (digit & 0x7fff_ffff) as usize - 1;
            let place = next[bucket] as usize;
            assert!(
                place < offsets[bucket + 1] as usize,
                "{what}: bucket {bucket} is short"
            );
            let index = u32::try_from(index).expect("a small index");
            expected[place] = index | (digit & 1 << 31);
            next[bucket] += 1;
        }
    }
    assert_eq!(
        next[..len * buckets],
        offsets[1..],
        "{what}: a bucket is long"
    );
    // In a bucket, entries have any order.
    for (bucket, bounds) in offsets.windows(2).enumerate() {
        let range = bounds[0] as usize..bounds[1] as usize;
        entries[range.clone()].sort_unstable_by_key(|entry| entry & 0x7fff_ffff);
        assert_eq!(
            entries[range.clone()],
            expected[range],
            "{what}: bucket {bucket}"
        );
    }
}

fn all(bits: u32) -> Range<u32> {
    0..WindowLayout::new(bits).expect("a width").windows()
}

#[test]
fn every_pattern_is_sorted_as_one_digit_at_a_time() {
    let (_session, device) = host_device();
    let sorter = DigitSorter::new(&device).expect("loads");
    for pattern in PATTERNS {
        let scalars = pattern.scalars(9000);
        for bits in [2, 5, 9, 13, 15, 16] {
            check(&sorter, &device, &scalars, bits, all(bits));
        }
    }
}

#[test]
fn every_kernel_for_tiles_and_parts_sorts_every_pattern() {
    let (_session, device) = host_device();
    for tuning in tunings() {
        let sorter = DigitSorter::with_tuning(&device, tuning).expect("loads");
        for pattern in PATTERNS {
            check(&sorter, &device, &pattern.scalars(20_011), 13, 3..5);
        }
    }
    // Parts without a place, in the kernel that has the largest.
    let sorter = DigitSorter::new(&device).expect("loads");
    for pattern in [Pattern::Equal, Pattern::Sixteen, Pattern::Bits] {
        check(&sorter, &device, &pattern.scalars(65_537), 14, 0..2);
    }
}

#[test]
fn a_card_with_less_shared_memory_sorts_with_the_kernels_that_it_can_launch() {
    for (architecture, parts) in [((7, 5), 1), ((8, 6), 2), ((8, 0), 3)] {
        let (session, device) = host_device_of(architecture);
        for tuning in tunings() {
            let sorter = DigitSorter::with_tuning(&device, tuning).expect("loads");
            assert_eq!(sorter.sort_part.len(), parts);
            check(
                &sorter,
                &device,
                &Pattern::Uniform.scalars(20_011),
                13,
                3..5,
            );
        }
        let most = device.info().shared_bytes;
        let launched = session.launches();
        assert!(launched.iter().all(|launch| launch.shared_bytes <= most));
    }
}

#[test]
fn large_parts_are_cut_and_sorted_as_others() {
    let (_session, device) = host_device();
    let sorter = DigitSorter::with_tuning(&device, cut(700, 500)).expect("loads");
    for pattern in PATTERNS {
        let scalars = pattern.scalars(9500);
        for bits in [4, 13, 16] {
            check(&sorter, &device, &scalars, bits, all(bits));
        }
    }
}

#[test]
fn every_length_near_a_tile_s_and_a_warp_s_is_sorted() {
    let (_session, device) = host_device();
    let sorter = DigitSorter::new(&device).expect("loads");
    for n in [
        0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 4097, 8191, 8192, 8193, 9973,
    ] {
        check(&sorter, &device, &Pattern::Uniform.scalars(n), 10, all(10));
    }
}

#[test]
fn wide_windows_and_many_parts_are_sorted_in_groups() {
    let (_session, device) = host_device();
    let sorter = DigitSorter::new(&device).expect("loads");
    let scalars = Pattern::Uniform.scalars(5000);
    for (bits, windows) in [
        (17, 14..15),
        (19, 0..3),
        (20, 11..13),
        (22, 2..4),
        (22, 11..12),
    ] {
        check(&sorter, &device, &scalars, bits, windows);
    }
    for n in [65_535, 65_536, 65_537, 1 << 17] {
        check(&sorter, &device, &Pattern::Uniform.scalars(n), 17, 5..7);
    }
}

#[test]
fn tables_share_the_buckets_of_a_window() {
    let (_session, device) = host_device();
    let sorter = DigitSorter::new(&device).expect("loads");
    for (bits, tables, n) in [
        (22, 12, 5000),
        (16, 2, 9000),
        (10, 5, 4097),
        (8, 3, 1),
        (5, 13, 100),
    ] {
        let layout = WindowLayout::with_tables(bits, tables).expect("in range");
        for pattern in [Pattern::Uniform, Pattern::Sixteen, Pattern::MinusOne] {
            let scalars = pattern.scalars(n);
            check_layout(&sorter, &device, &scalars, layout, 0..layout.windows());
            check_layout(
                &sorter,
                &device,
                &scalars,
                layout,
                layout.windows() - 1..layout.windows(),
            );
        }
    }
}

#[test]
fn a_shape_beyond_the_numbers_is_refused() {
    let layout = WindowLayout::new(16).expect("a width");
    let error = SortShape::new(1 << 31, &layout, 1).expect_err("too many bases");
    assert!(
        matches!(
            error,
            MsmError::TooManyBases {
                got: 0x8000_0000,
                ..
            }
        ),
        "{error}"
    );
    let error = SortShape::new(1 << 29, &layout, 8).expect_err("2^32 entries");
    assert_eq!(
        error.to_string(),
        "windows sorted together, at most: expected 7, got 8"
    );
    assert!(SortShape::new(1 << 29, &layout, 7).is_ok());
    let wide = WindowLayout::new(24).expect("a width");
    let error = SortShape::new(10, &wide, 1).expect_err("three passes");
    assert_eq!(error.to_string(), "windows of 24 bits, expected 2 to 23");
}

#[test]
fn windows_beyond_the_layout_and_strides_beyond_the_numbers_are_refused() {
    let (_session, device) = host_device();
    let sorter = DigitSorter::new(&device).expect("loads");
    let stream = device.new_stream().expect("a stream");
    let scalars = stream.upload(&Pattern::Uniform.scalars(5)).expect("memory");
    let sort = |tables, windows, stride| {
        let layout = WindowLayout::with_tables(16, tables).expect("in range");
        let outcome = sorter.sort(&stream, scalars.as_slice(), &layout, windows, stride);
        outcome.expect_err("out of range").to_string()
    };
    assert_eq!(
        sort(1, 10..17, 5),
        "the end of windows to sort, at most: expected 16, got 17"
    );
    assert_eq!(
        sort(2, 0..1, 1 << 31),
        "2147483653 bases in one sum, at most 2147483647 have a number"
    );
}

#[test]
fn every_shape_has_few_enough_bins_in_both_passes() {
    for bits in WindowLayout::MIN_BITS..=SortShape::MOST_WINDOW_BITS {
        let layout = WindowLayout::new(bits).expect("a width");
        for log_n in 0..31 {
            let shape = match SortShape::new(1 << log_n, &layout, 1) {
                Ok(shape) => shape,
                Err(MsmError::TooManyBases { expected, got }) => {
                    assert!(got == 1 << log_n && (1 << 27..got).contains(&expected));
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            assert!(
                shape.log_parts < layout.least_bits(),
                "{layout:?}: {shape:?}"
            );
            assert!(shape.log_parts <= MOST_LOG_BINS && shape.log_lows <= MOST_LOG_BINS);
            let log_buckets = layout.window_bits() - 1;
            assert_eq!(shape.log_parts + shape.log_lows, log_buckets);
            assert!(shape.most_windows() >= 1, "{shape:?}");
        }
    }
}

#[test]
fn whichever_call_fails_the_error_says_so_and_the_device_stays_usable() {
    let scalars = Pattern::Uniform.scalars(100);
    let layout = WindowLayout::new(8).expect("a width");
    let run = |device: &Device| -> Result<Vec<u32>, MsmError> {
        let sorter = DigitSorter::new(device)?;
        let stream = device.new_stream()?;
        let scalars = stream.upload(&scalars)?;
        let sorted = sorter.sort(
            &stream,
            scalars.as_slice(),
            &layout,
            0..layout.windows(),
            scalars.len(),
        )?;
        Ok(sorted.offsets.download()?)
    };
    let (calls, expected) = {
        let (session, device) = host_device();
        let before = session.calls().len();
        let expected = run(&device).expect("nothing fails");
        (session.calls().len() - before, expected)
    };
    assert!(calls > 60, "{calls}");
    for k in 0..calls {
        let (session, device) = host_device();
        let before = session.calls().len();
        session.fail_any(u32::try_from(k).expect("few"), 1);
        let outcome = run(&device);
        let failed = session.calls()[before + k].clone();
        let closing = ["Destroy", "Free", "Unload"]
            .iter()
            .any(|w| failed.contains(w));
        match outcome {
            Ok(offsets) => {
                assert!(
                    closing || failed == "cuCtxSetCurrent",
                    "{failed} at {k} failed unnoticed"
                );
                assert_eq!(offsets, expected);
            }
            Err(MsmError::Device(error)) => assert!(error.code().is_some(), "{error}"),
            Err(error) => panic!("{failed} at {k}: {error}"),
        }
        session.mend();
        assert_eq!(
            run(&device).expect("the device is usable"),
            expected,
            "after {failed}"
        );
    }
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    let sorter = DigitSorter::new(device).expect("loads");
    for pattern in PATTERNS {
        let scalars = pattern.scalars(1025);
        for bits in [3, 13] {
            check(&sorter, device, &scalars, bits, 0..2);
        }
    }
    for tuning in tunings() {
        let sorter = DigitSorter::with_tuning(device, tuning).expect("loads");
        for pattern in [Pattern::Uniform, Pattern::Bits] {
            check(&sorter, device, &pattern.scalars(1025), 13, 0..2);
        }
    }
    let scalars = Pattern::Uniform.scalars(1025);
    for (bits, tables) in [(10, 5), (22, 12)] {
        let layout = WindowLayout::with_tables(bits, tables).expect("in range");
        check_layout(&sorter, device, &scalars, layout, 0..layout.windows());
    }
    let cutting = DigitSorter::with_tuning(device, cut(500, 300)).expect("loads");
    for pattern in [Pattern::Equal, Pattern::Bits] {
        check(&cutting, device, &pattern.scalars(2000), 14, 0..2);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn on_a_device_every_pattern_and_width_is_sorted() {
    let device = open();
    let sorter = DigitSorter::new(&device).expect("loads");
    for pattern in PATTERNS {
        let scalars = pattern.scalars(300_001);
        for bits in [3, 13, 16, 20] {
            check(&sorter, &device, &scalars, bits, all(bits));
        }
    }
    for n in [
        0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 4097, 8191, 8193, 65_535, 65_536, 65_537, 999_983,
    ] {
        check(&sorter, &device, &Pattern::Uniform.scalars(n), 15, all(15));
    }
    for bits in [17, 19, 22] {
        check(
            &sorter,
            &device,
            &Pattern::Uniform.scalars(1 << 20),
            bits,
            4..6,
        );
    }
    for tuning in tunings() {
        let sorter = DigitSorter::with_tuning(&device, tuning).expect("loads");
        for pattern in PATTERNS {
            check(&sorter, &device, &pattern.scalars(100_003), 13, 3..5);
        }
    }
    for (bits, tables) in [(22, 12), (18, 4), (16, 2)] {
        let layout = WindowLayout::with_tables(bits, tables).expect("in range");
        let scalars = Pattern::Uniform.scalars(200_001);
        check_layout(&sorter, &device, &scalars, layout, 0..layout.windows());
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn on_a_device_large_parts_are_cut_and_sorted_as_others() {
    let device = open();
    let sorter = DigitSorter::new(&device).expect("loads");
    let cutting = DigitSorter::with_tuning(&device, cut(5000, 3000)).expect("loads");
    for pattern in [
        Pattern::Equal,
        Pattern::Sixteen,
        Pattern::Bits,
        Pattern::Uniform,
    ] {
        check(&sorter, &device, &pattern.scalars(1 << 21), 18, all(18));
        check(&cutting, &device, &pattern.scalars(300_000), 14, all(14));
    }
}
