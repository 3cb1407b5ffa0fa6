//! Sorted digits for measuring and for tests of many, made on the host.

use cuzk_curve::Fr;
use ff::Field as _;

/// Windows of lists of indices below 2^log_n. Windows wider than others come first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListShape {
    pub(crate) log_n: u32,
    pub(crate) windows: usize,
    /// Windows whose digits fill all lists; the others fill half.
    pub(crate) full: usize,
    /// Lists of a window.
    pub(crate) log_lists: u32,
    /// All in one list instead.
    pub(crate) one_list: bool,
}

/// Their entries and bounds.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(crate) entries: Vec<u32>,
    pub(crate) offsets: Vec<u32>,
}

impl ListShape {
    /// Exponent of the indices, and windows.
    pub(crate) fn name(self) -> String {
        let skew = if self.one_list { "one list " } else { "" };
        format!("{skew}{}x{}", self.log_n, self.windows)
    }

    pub(crate) fn n(self) -> usize {
        1 << self.log_n
    }

    /// One window, whose lists ascend.
    fn window(self, log_used: u32) -> Lists {
        let list = |i: u32| match self.one_list {
            true => (1 << self.log_lists) - 1,
            false => (mixed(i) >> (64 - log_used)) as usize,
        };
        let n = 1u32 << self.log_n;
        let mut ends = vec![0u32; (1 << self.log_lists) + 1];
        (0..n).for_each(|i| ends[list(i) + 1] += 1);
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let offsets = ends.clone();
        let mut entries = vec![0; self.n()];
        for i in 0..n {
            let negative = (mixed(i) as u32 & 1) << 31;
            let end = &mut ends[list(i)];
            entries[*end as usize] = i | negative;
            *end += 1;
        }
        Lists { entries, offsets }
    }

    /// All windows: of the two widths, the indices of each changed by an exclusive or.
    pub(crate) fn lists(self) -> Lists {
        let wide = self.window(self.log_lists);
        let narrow = self.window(self.log_lists - 1);
        let (mut entries, mut offsets) = (Vec::new(), vec![0]);
        entries.reserve_exact(self.windows * self.n());
        for window in 0..self.windows {
            let of = if window < self.full { &wide } else { &narrow };
            let mask = (mixed(window as u32) >> (64 - self.log_n)) as u32;
            let start = entries.len() as u32;
            entries.extend(of.entries.iter().map(|entry| entry ^ mask));
            offsets.extend(of.offsets[1..].iter().map(|offset| start + offset));
        }
        Lists { entries, offsets }
    }
}

impl Lists {
    /// What list i adds up to where index j stands for j + 1.
    pub(crate) fn sum(&self, i: usize) -> i64 {
        let entries = &self.entries[self.offsets[i] as usize..self.offsets[i + 1] as usize];
        let signed = entries.iter().map(|entry| {
            let multiple = i64::from(entry & 0x7fff_ffff) + 1;
            if entry >> 31 == 1 {
                -multiple
            } else {
                multiple
            }
        });
        signed.sum()
    }
}

/// As an element of the field.
pub(crate) fn scalar(value: i128) -> Fr {
    let size = value.unsigned_abs();
    let high = Fr::from((size >> 64) as u64) * Fr::from(1 << 32) * Fr::from(1 << 32);
    let size = high + Fr::from(size as u64);
    if value < 0 { Fr::ZERO - size } else { size }
}

/// 64 bits without structure.
pub(crate) fn mixed(i: u32) -> u64 {
    let x = (u64::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
