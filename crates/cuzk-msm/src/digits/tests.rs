use cuzk_curve::{Fr, FrLimbs};
use cuzk_kernel_host::msm_digits;
use ff::{Field as _, PrimeField as _};
use proptest::prelude::*;

use super::*;

fn power_of_two(exponent: u32) -> Fr {
    Fr::from(2).pow_vartime([u64::from(exponent)])
}

/// Scalars where a carry, a sign or a window's end is likely to be wrong.
fn edges() -> Vec<Fr> {
    let half = (-Fr::ONE) * Fr::from(2).invert().expect("two is not zero");
    let mut scalars = vec![Fr::ZERO, Fr::ONE, Fr::from(2), -Fr::ONE, -Fr::from(2)];
    scalars.extend([half - Fr::ONE, half, half + Fr::ONE, half + Fr::from(2)]);
    for exponent in 1..255 {
        let power = power_of_two(exponent);
        scalars.extend([power, power - Fr::ONE, power + Fr::ONE, -power]);
        scalars.extend([-power - Fr::ONE, half - power, half + power]);
    }
    // 0x80…80, 0x7f…f and the like, of every length and phase.
    for byte in [0x80u64, 0x7f, 0xff, 0xaa, 0x55, 0x01] {
        let mut value = Fr::ZERO;
        for _ in 0..31 {
            value = value * Fr::from(256) + Fr::from(byte);
            scalars.extend([value, -value]);
        }
    }
    scalars
}

/// The digits are in range, and their sum is the scalar.
fn check(layout: WindowLayout, scalars: &[Fr]) {
    let windows = layout.windows();
    let each = (layout.tables() * windows) as usize;
    let params = layout.params(0..windows);
    let digits = msm_digits(params.words(), FrLimbs::view(scalars));
    for (scalar, digits) in scalars.iter().zip(digits.chunks(each)) {
        let mut sum = Fr::ZERO;
        for (number, digit) in (0..).zip(digits) {
            let (table, window) = (number / windows, number % windows);
            let place = table * layout.table_bits() + layout.place(window);
            let magnitude = digit & 0x7fff_ffff;
            let value = Fr::from(u64::from(magnitude)) * power_of_two(place);
            assert!(magnitude <= 1 << (layout.width(window) - 1), "{scalar:?}");
            assert_ne!(*digit, 1 << 31, "minus zero");
            sum += if digit >> 31 == 1 { -value } else { value };
        }
        assert_eq!(sum, *scalar, "{layout:?}: {digits:x?}");
    }
}

/// Of every width; some are the same.
fn layouts() -> impl Iterator<Item = WindowLayout> {
    (WindowLayout::MIN_BITS..=WindowLayout::MAX_BITS)
        .map(|bits| WindowLayout::new(bits).expect("in range"))
}

/// Layouts with several tables, those among them that go beyond bit 255 by most.
fn tabled() -> impl Iterator<Item = WindowLayout> {
    let tables = [2, 3, 4, 5, 6, 8, 11, 12, 13, 16, 23, 32, 60, 64];
    tables.into_iter().flat_map(|tables| {
        [2, 3, 5, 8, 11, 16, 20, 22, 26]
            .map(|bits| WindowLayout::with_tables(bits, tables).expect("in range"))
    })
}

#[test]
fn digits_of_edge_scalars_sum_to_them_for_any_number_of_tables() {
    let scalars: Vec<Fr> = edges().into_iter().step_by(3).collect();
    tabled().for_each(|layout| check(layout, &scalars));
}

#[test]
fn no_table_is_beyond_the_scalar_and_too_many_are_refused() {
    for layout in tabled() {
        assert!((layout.tables() - 1) * layout.table_bits() < 255);
        assert!(layout.tables() * layout.table_bits() >= 255);
        let width = layout.width(layout.windows() - 1);
        assert_eq!(
            layout.place(layout.windows() - 1) + width,
            layout.table_bits()
        );
    }
    for tables in [0, 65] {
        let error = WindowLayout::with_tables(16, tables).expect_err("outside");
        assert_eq!(
            error.to_string(),
            format!("{tables} tables of multiples, expected 1 to 64")
        );
    }
}

#[test]
fn windows_are_balanced_and_cover_255_bits_without_one_too_many() {
    for layout in layouts() {
        let windows = layout.windows();
        let widths: Vec<u32> = (0..windows).map(|w| layout.width(w)).collect();
        assert_eq!(widths.iter().sum::<u32>(), 255);
        assert_eq!(widths[0], layout.window_bits());
        assert!(widths.iter().all(|w| layout.window_bits() - w <= 1));
        assert!((1..windows).all(|fewer| fewer * layout.window_bits() < 255));
        let wider = WindowLayout::new(layout.window_bits() + 1);
        assert!(wider.is_err() || wider.expect("in range").windows() <= windows);
        for window in 1..windows {
            let before = layout.place(window - 1) + layout.width(window - 1);
            assert_eq!(layout.place(window), before);
        }
        assert_eq!(layout.least_bits(), *widths.iter().min().expect("some"));
    }
}

#[test]
fn a_width_that_saves_no_window_is_not_used() {
    let layout = |bits| WindowLayout::new(bits).expect("in range");
    assert_eq!(layout(23), layout(22));
    assert_eq!((layout(23).windows(), layout(23).window_bits()), (12, 22));
    assert_eq!((layout(20).windows(), layout(20).wide_windows()), (13, 8));
}

#[test]
fn widths_outside_the_range_are_refused() {
    for bits in [0, 1, 27, u32::MAX] {
        let error = WindowLayout::new(bits).expect_err("outside");
        let text = format!("windows of {bits} bits, expected 2 to 26");
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn digits_of_edge_scalars_sum_to_them_for_every_width() {
    let scalars = edges();
    layouts().for_each(|layout| check(layout, &scalars));
}

#[test]
fn a_group_of_windows_has_the_digits_that_all_have() {
    let scalars: Vec<Fr> = edges().into_iter().step_by(7).collect();
    let limbs = FrLimbs::view(&scalars);
    for layout in layouts() {
        let windows = layout.windows();
        let all = msm_digits(layout.params(0..windows).words(), limbs);
        for group in [0..1, 1..windows, windows / 2..windows / 2 + 2] {
            let some = msm_digits(layout.params(group.clone()).words(), limbs);
            let expected = all.chunks(windows as usize).flat_map(|digits| {
                let group = group.start as usize..group.end as usize;
                digits[group].iter().copied()
            });
            assert!(some.into_iter().eq(expected), "{layout:?}, {group:?}");
        }
    }
}

#[test]
fn the_last_window_s_range_is_used_to_nine_tenths() {
    let half = (-Fr::ONE) * Fr::from(2).invert().expect("two is not zero");
    for layout in layouts().filter(|layout| layout.window_bits() >= 6) {
        let windows = layout.windows();
        let params = layout.params(windows - 1..windows);
        let digit = msm_digits(params.words(), FrLimbs::view(&[half]))[0];
        let most = 1u32 << (layout.width(windows - 1) - 1);
        assert!(
            digit <= most && digit * 10 >= most * 9,
            "{layout:?}: {digit}"
        );
    }
}

proptest! {
    #[test]
    fn digits_of_any_scalar_sum_to_it_for_every_width(
        bytes in prop::collection::vec(any::<[u64; 4]>(), 1..8),
    ) {
        let scalars: Vec<Fr> = bytes
            .into_iter()
            .map(|words| words.iter().fold(Fr::ZERO, |sum, word| {
                sum * power_of_two(64) + Fr::from(*word)
            }))
            .collect();
        prop_assert!(Fr::NUM_BITS == WindowLayout::SCALAR_BITS);
        layouts().for_each(|layout| check(layout, &scalars));
    }
}
