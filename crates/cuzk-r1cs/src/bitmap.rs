/// A bit per item, in 64-bit words, lowest bit first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// `len` bits, all clear.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Bits from their words, as many as `len` needs, the bits after `len` clear.
    pub(crate) fn from_words(words: Vec<u64>, len: usize) -> Self {
        Self { words, len }
    }

    /// Appends a bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        let shift = self.len % 64;
        if shift == 0 {
            self.words.push(0);
        }
        if let Some(last) = self.words.last_mut() {
            *last |= u64::from(bit) << shift;
        }
        self.len += 1;
    }

    /// Appends all bits of another map.
    pub fn extend(&mut self, other: &Self) {
        let shift = self.len % 64;
        if shift == 0 {
            self.words.extend_from_slice(&other.words);
        } else {
            for &word in &other.words {
                if let Some(last) = self.words.last_mut() {
                    *last |= word << shift;
                }
                self.words.push(word >> (64 - shift));
            }
        }
        self.len += other.len;
        self.words.truncate(self.len.div_ceil(64));
    }

    /// Appends clear bits until there are `len`; a longer map stays as it is.
    #[inline]
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.words.resize(len.div_ceil(64), 0);
            self.len = len;
        }
    }

    /// Sets bit `index`; out of range it does nothing.
    #[inline]
    pub fn set(&mut self, index: usize) {
        if index < self.len {
            self.words[index / 64] |= 1 << (index % 64);
        }
    }

    /// Bit `index`; clear out of range.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> bool {
        index < self.len && self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// The number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no bit at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bits are set.
    #[must_use]
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// How many bits are set in the first `end`.
    #[must_use]
    pub fn count_ones_below(&self, end: usize) -> usize {
        let end = end.min(self.len);
        let whole: usize = self.words[..end / 64]
            .iter()
            .map(|w| w.count_ones() as usize)
            .sum();
        match end % 64 {
            0 => whole,
            rest => whole + (self.words[end / 64] & ((1 << rest) - 1)).count_ones() as usize,
        }
    }

    /// The indices of the set bits, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }

    /// The words, lowest bit first; bits from `len` on are clear.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut map = Self::default();
        bits.into_iter().for_each(|bit| map.push(bit));
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_in_order_across_word_ends() {
        let bits: Vec<bool> = (0..200).map(|i| i % 3 == 0 || i == 127).collect();
        let map: Bitmap = bits.iter().copied().collect();
        assert_eq!(map.len(), 200);
        let ones: Vec<usize> = (0..200).filter(|&i| bits[i]).collect();
        assert_eq!(map.ones().collect::<Vec<_>>(), ones);
        assert_eq!(map.count_ones(), ones.len());
        for end in [0, 1, 63, 64, 65, 127, 128, 199, 200, 500] {
            let below = ones.iter().filter(|&&i| i < end).count();
            assert_eq!(map.count_ones_below(end), below, "below {end}");
        }
    }

    #[test]
    fn extending_is_pushing_every_bit() {
        for first in [0, 1, 63, 64, 65, 130] {
            for second in [0, 1, 62, 63, 64, 129] {
                let bits = |n: usize, seed: usize| (0..n).map(move |i| (i * 7 + seed) % 5 < 2);
                let mut joined: Bitmap = bits(first, 1).collect();
                joined.extend(&bits(second, 3).collect());
                let pushed: Bitmap = bits(first, 1).chain(bits(second, 3)).collect();
                assert_eq!(joined, pushed, "{first} and {second} bits");
            }
        }
    }

    #[test]
    fn growing_appends_clear_bits_and_never_shortens() {
        let mut map: Bitmap = [true, true, true].into_iter().collect();
        map.grow(2);
        assert_eq!(map.len(), 3);
        map.grow(130);
        assert_eq!((map.len(), map.count_ones()), (130, 3));
        map.push(true);
        assert_eq!(map.ones().last(), Some(130));
    }

    #[test]
    fn out_of_range_reads_clear_and_writes_nothing() {
        let mut map = Bitmap::zeros(65);
        map.set(64);
        map.set(65);
        assert!(map.get(64));
        assert!(!map.get(65));
        assert_eq!(map.count_ones(), 1);
    }
}
