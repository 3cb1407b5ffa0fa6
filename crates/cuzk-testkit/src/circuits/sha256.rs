use cuzk_curve::Fr;
use cuzk_synth::{Circuit, ConstraintSystem, SynthesisError};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::word::{Bit, Word, weigh};

/// The first 32 bits of the fractional parts of the square roots of the first eight primes,
/// `[FIPS 180-4]` §5.3.3.
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// A chain of SHA-256 compressions: nearly every value of the witness is a bit.
///
/// The chain compresses random blocks one after the other without padding. The state at the
/// end is public, as two inputs of 128 bits, words in order, the lowest bit of each first.
#[derive(Debug, Clone)]
pub struct Sha256Chain {
    blocks: Vec<[u32; 16]>,
}

impl Sha256Chain {
    /// A chain of this many compressions.
    #[must_use]
    pub fn new(seed: u64, blocks: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut block = || std::array::from_fn(|_| rng.next_u32());
        Self {
            blocks: (0..blocks).map(|_| block()).collect(),
        }
    }

    /// The hash of a message: its blocks with padding, so that the state is the digest.
    #[must_use]
    pub fn of_message(message: &[u8]) -> Self {
        let mut bytes = message.to_vec();
        bytes.push(0x80);
        while bytes.len() % 64 != 56 {
            bytes.push(0);
        }
        bytes.extend((8 * message.len() as u64).to_be_bytes());
        let word = |bytes: &[u8]| bytes.iter().fold(0, |word, &b| word << 8 | u32::from(b));
        let block = |bytes: &[u8]| std::array::from_fn(|i| word(&bytes[4 * i..4 * i + 4]));
        Self {
            blocks: bytes.chunks(64).map(block).collect(),
        }
    }

    /// The blocks, as big-endian words.
    #[must_use]
    pub fn blocks(&self) -> &[[u32; 16]] {
        &self.blocks
    }

    /// The public inputs that belong to a final state.
    #[must_use]
    pub fn pack(state: &[u32; 8]) -> [Fr; 2] {
        let half = |words: &[u32]| {
            let words = words.iter().rev();
            let shift = Fr::from(1 << 32);
            words.fold(Fr::ZERO, |sum, &word| {
                sum * shift + Fr::from(u64::from(word))
            })
        };
        [half(&state[..4]), half(&state[4..])]
    }
}

impl Circuit for &Sha256Chain {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let constants = round_constants();
        let mut state = INITIAL.map(Word::constant);
        for (number, block) in self.blocks.iter().enumerate() {
            let mut cs = cs.namespace(|| format!("block {number}"));
            let mut message = Vec::with_capacity(64);
            for &word in block {
                message.push(Word::alloc(&mut cs, word)?);
            }
            extend(&mut message, &mut cs)?;
            state = compress(&state, &message, &constants, &mut cs)?;
        }
        let values = Sha256Chain::pack(&state.map(|word| word.value()));
        for (value, words) in values.into_iter().zip(state.chunks(4)) {
            let bits: Vec<Bit> = words.iter().flat_map(|word| word.0).collect();
            let input = cs.alloc_input(|| "state", || Ok(value))?;
            let one = CS::one();
            cs.enforce(
                || "state",
                |lc| weigh(lc, &bits),
                |lc| lc + one,
                |lc| lc + input,
            );
        }
        Ok(())
    }
}

/// The message schedule, `[FIPS 180-4]` §6.2.2 step 1.
fn extend<CS: ConstraintSystem>(
    message: &mut Vec<Word>,
    cs: &mut CS,
) -> Result<(), SynthesisError> {
    for t in 16..64 {
        let mut cs = cs.namespace(|| format!("schedule {t}"));
        let (x, y) = (message[t - 15], message[t - 2]);
        let low = x.rotate_right(7).xor(&x.rotate_right(18), &mut cs)?;
        let low = low.xor(&x.shift_right(3), &mut cs)?;
        let high = y.rotate_right(17).xor(&y.rotate_right(19), &mut cs)?;
        let high = high.xor(&y.shift_right(10), &mut cs)?;
        let words = [message[t - 16], low, message[t - 7], high];
        message.push(Word::sum(&words, &mut cs)?);
    }
    Ok(())
}

/// The compression, `[FIPS 180-4]` §6.2.2 steps 2 to 4.
fn compress<CS: ConstraintSystem>(
    state: &[Word; 8],
    message: &[Word],
    constants: &[u32; 64],
    cs: &mut CS,
) -> Result<[Word; 8], SynthesisError> {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, (word, &constant)) in message.iter().zip(constants).enumerate() {
        let mut cs = cs.namespace(|| format!("round {round}"));
        let high = e.rotate_right(6).xor(&e.rotate_right(11), &mut cs)?;
        let high = high.xor(&e.rotate_right(25), &mut cs)?;
        let choice = e.choose(&f, &g, &mut cs)?;
        let low = a.rotate_right(2).xor(&a.rotate_right(13), &mut cs)?;
        let low = low.xor(&a.rotate_right(22), &mut cs)?;
        let majority = a.majority(&b, &c, &mut cs)?;
        let constant = Word::constant(constant);
        let next_e = Word::sum(&[d, h, high, choice, constant, *word], &mut cs)?;
        let next_a = [h, high, choice, constant, *word, low, majority];
        let next_a = Word::sum(&next_a, &mut cs)?;
        (h, g, f, e) = (g, f, e, next_e);
        (d, c, b, a) = (c, b, a, next_a);
    }
    let mut result = *state;
    for (word, last) in result.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = Word::sum(&[*word, last], cs)?;
    }
    Ok(result)
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes,
/// `[FIPS 180-4]` §4.2.2, computed in integers.
fn round_constants() -> [u32; 64] {
    let mut primes = (2u128..).filter(|n| (2..*n).all(|d| n % d != 0));
    std::array::from_fn(|_| {
        let prime = primes.next().expect("there is always another prime");
        // The cube root of prime · 2^96 is that of the prime, shifted by 32 bits.
        let cube = prime << 96;
        let mut root = 0u128;
        for bit in (0..36).rev() {
            let next = root | 1 << bit;
            if next * next * next <= cube {
                root = next;
            }
        }
        root as u32
    })
}
