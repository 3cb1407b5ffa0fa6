use cuzk_backend::ShapeError;
use cuzk_curve::Fr;
use cuzk_r1cs::{Bitmap, PackedWitness};
use ff::Field;
use rayon::prelude::*;

use crate::{CpuError, backend::zeros};

/// A witness as the CPU uses it: the class of every variable in two bits, and the values that
/// are neither zero nor one side by side.
///
/// Where most values are bits, a sparse product reads this form from the cache, and writing
/// out 32 bytes a variable would take longer than the product.
#[derive(Debug, Clone)]
pub struct CpuWitness {
    low: Bitmap,
    high: Bitmap,
    rest: Vec<Fr>,
    /// For each word of `high`, how many of its bits are set in the words before.
    rest_before: Vec<u64>,
}

/// One value by what a sparse product does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Bit(bool),
    Rest(&'a Fr),
}

/// Words of a bitmap that one task takes.
const WORDS_PER_TASK: usize = 1 << 8;

impl CpuWitness {
    /// Spreads a packed witness.
    ///
    /// # Errors
    /// [`CpuError::OutOfMemory`] where its values do not fit.
    pub fn new(packed: &PackedWitness) -> Result<Self, CpuError> {
        let (low, high) = (packed.low().clone(), packed.high().clone());
        let rest_before = ones_before(high.words().iter().copied());
        let full_words = low.words().iter().zip(high.words()).map(|(l, h)| l & h);
        let full_before = ones_before(full_words);
        let mut rest = zeros(
            "the values of a witness",
            packed.small().len() + packed.full().len(),
        )?;
        let mut places = rest.as_mut_slice();
        let mut tasks = Vec::new();
        for first in (0..high.words().len()).step_by(WORDS_PER_TASK) {
            let words = first..(first + WORDS_PER_TASK).min(high.words().len());
            let count: u32 = high.words()[words.clone()]
                .iter()
                .map(|w| w.count_ones())
                .sum();
            let (mine, others) = std::mem::take(&mut places).split_at_mut(count as usize);
            places = others;
            tasks.push((words, mine));
        }
        tasks.into_par_iter().for_each(|(words, mine)| {
            let full_first = full_before[words.start] as usize;
            let small_first = rest_before[words.start] as usize - full_first;
            let mut full = packed.full()[full_first..].iter();
            let mut small = packed.small()[small_first..].iter();
            let mut mine = mine.iter_mut();
            for word in words {
                for bit in bits(high.words()[word]) {
                    let value = match low.words()[word] >> bit & 1 {
                        1 => full.next().copied(),
                        _ => small.next().map(|&value| Fr::from(value)),
                    };
                    if let (Some(place), Some(value)) = (mine.next(), value) {
                        *place = value;
                    }
                }
            }
        });
        Ok(Self {
            low,
            high,
            rest,
            rest_before,
        })
    }

    /// The number of variables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there is no variable at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// The value of a variable.
    ///
    /// # Panics
    /// Where there is no such variable.
    #[inline]
    pub(crate) fn value(&self, variable: usize) -> Value<'_> {
        let (word, bit) = (variable / 64, variable % 64);
        let high = self.high.words()[word];
        if high >> bit & 1 == 0 {
            return Value::Bit(self.low.words()[word] >> bit & 1 == 1);
        }
        let before = self.rest_before[word] as usize;
        let before = before + (high & ((1 << bit) - 1)).count_ones() as usize;
        Value::Rest(&self.rest[before])
    }

    /// The variables of a selection by class.
    ///
    /// # Errors
    /// [`ShapeError`] where the selection has not one bit per variable, or selects more than
    /// 2^32 − 1.
    pub(crate) fn split(&self, selection: &Bitmap) -> Result<CpuSplit, ShapeError> {
        ShapeError::check(
            "bits of the selection for the witness",
            self.len(),
            selection.len(),
        )?;
        let selected_before = ones_before(selection.words().iter().copied());
        let selected = selection.count_ones();
        if selected > u32::MAX as usize {
            return Err(ShapeError {
                what: "selected variables, at most",
                expected: u32::MAX as usize,
                got: selected,
            });
        }
        let tasks = selection.words().par_chunks(WORDS_PER_TASK).enumerate();
        let parts: Vec<CpuSplit> = tasks
            .map(|(task, words)| {
                let first = task * WORDS_PER_TASK;
                let mut part = CpuSplit::default();
                for (word, &chosen) in (first..).zip(words) {
                    self.split_word(word, chosen, selected_before[word] as u32, &mut part);
                }
                part
            })
            .collect();
        Ok(CpuSplit {
            selected,
            ones: joined(parts.iter().map(|part| &part.ones[..])),
            rest: joined(parts.iter().map(|part| &part.rest[..])),
            scalars: joined(parts.iter().map(|part| &part.scalars[..])),
        })
    }

    fn split_word(&self, word: usize, chosen: u64, before: u32, part: &mut CpuSplit) {
        let (low, high) = (self.low.words()[word], self.high.words()[word]);
        let index = |bit: u32| before + (chosen & ((1 << bit) - 1)).count_ones();
        part.ones.extend(bits(chosen & low & !high).map(index));
        for bit in bits(chosen & high) {
            let at = self.rest_before[word] + u64::from((high & ((1 << bit) - 1)).count_ones());
            part.rest.push(index(bit));
            part.scalars.push(self.rest[at as usize]);
        }
    }
}

/// The selected variables of a witness, by class; indices count selected variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CpuSplit {
    /// How many variables are selected.
    pub selected: usize,
    /// Those that are one, ascending.
    pub ones: Vec<u32>,
    /// Those that are neither zero nor one, ascending.
    pub rest: Vec<u32>,
    /// The values of the rest.
    pub scalars: Vec<Fr>,
}

impl CpuSplit {
    /// The same variables, all of them in the rest with their values.
    pub(crate) fn joined(&self) -> Result<Self, CpuError> {
        let mut scalars = zeros("the values of a query's variables", self.selected)?;
        for &index in &self.ones {
            scalars[index as usize] = Fr::ONE;
        }
        for (&index, &scalar) in self.rest.iter().zip(&self.scalars) {
            scalars[index as usize] = scalar;
        }
        Ok(Self {
            selected: self.selected,
            ones: Vec::new(),
            // As many as 32 bits count: a selection has no more.
            rest: (0..self.selected as u32).collect(),
            scalars,
        })
    }
}

fn joined<'a, T: Copy + 'a>(parts: impl Iterator<Item = &'a [T]> + Clone) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.clone().map(<[T]>::len).sum());
    parts.for_each(|part| all.extend_from_slice(part));
    all
}

/// For each word, how many bits are set in the words before it.
fn ones_before(words: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut sum = 0;
    words
        .map(|word| {
            let before = sum;
            sum += u64::from(word.count_ones());
            before
        })
        .collect()
}

/// The set bits of a word, from the lowest.
fn bits(word: u64) -> impl Iterator<Item = u32> {
    let mut left = word;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let bit = left.trailing_zeros();
            left &= left - 1;
            bit
        })
    })
}
