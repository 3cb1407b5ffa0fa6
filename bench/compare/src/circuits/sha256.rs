use sha2::{Digest, Sha256};

use crate::{
    circuits::bits::{Bit, Word},
    scalar::Scalar,
    system::{Circuit, System, Terms},
};

/// A chain of SHA-256: each digest is hashed in turn, one padded block a link.
///
/// Nearly every variable is a bit, as in the circuits that prove storage.
#[derive(Debug, Clone)]
pub(crate) struct Sha256Chain {
    links: usize,
    message: [u8; 32],
}

impl Sha256Chain {
    /// A chain of `links` hashes over a message that `seed` decides.
    pub(crate) fn new(links: usize, seed: u64) -> Self {
        Self {
            links,
            message: Sha256::digest(seed.to_le_bytes()).into(),
        }
    }
}

/// `floor(frac(root)·2^32)` of the first 64 primes' cube roots [FIPS 180-4 §4.2.2].
const ROUND_CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The first 32 bits of the fractional parts of the first eight primes' square roots.
const INITIAL_STATE: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

impl Circuit for Sha256Chain {
    fn synthesize<S: System>(&self, system: &mut S) -> Result<(), S::Error> {
        let mut state = Vec::with_capacity(8);
        for bytes in self.message.chunks_exact(4) {
            let value = u32::from_be_bytes(std::array::from_fn(|i| bytes[i]));
            state.push(Word::alloc(system, value)?);
        }
        for _ in 0..self.links {
            state = compress(system, &padded_block(&state))?;
        }
        for half in state.chunks_exact(4) {
            expose(system, half)?;
        }
        Ok(())
    }

    fn public_inputs<F: Scalar>(&self) -> Vec<F> {
        let mut digest = self.message;
        for _ in 0..self.links {
            digest = Sha256::digest(digest).into();
        }
        let half = |range: std::ops::Range<usize>| {
            let mut bytes = [0; 32];
            for (to, from) in bytes.iter_mut().zip(digest[range].iter().rev()) {
                *to = *from;
            }
            F::from_le_bytes(bytes)
        };
        vec![half(0..16), half(16..32)]
    }
}

/// The one block of a 32-byte message.
fn padded_block<V: Copy>(message: &[Word<V>]) -> Vec<Word<V>> {
    let mut block = message.to_vec();
    block.push(Word::constant(0x8000_0000));
    block.resize(15, Word::constant(0));
    block.push(Word::constant(256));
    block
}

/// The compression function on the initial state.
fn compress<S: System>(
    system: &mut S,
    block: &[Word<S::Variable>],
) -> Result<Vec<Word<S::Variable>>, S::Error> {
    let mut schedule = block.to_vec();
    for t in 16..64 {
        let (w2, w7, w15, w16) = (
            schedule[t - 2],
            schedule[t - 7],
            schedule[t - 15],
            schedule[t - 16],
        );
        let low = Word::xor3(system, &w15.rotated(7), &w15.rotated(18), &w15.shifted(3))?;
        let high = Word::xor3(system, &w2.rotated(17), &w2.rotated(19), &w2.shifted(10))?;
        schedule.push(Word::sum(system, &[high, w7, low, w16])?);
    }
    let initial = INITIAL_STATE.map(Word::constant);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = initial;
    for (w, k) in schedule.iter().zip(ROUND_CONSTANTS) {
        let sigma_e = Word::xor3(system, &e.rotated(6), &e.rotated(11), &e.rotated(25))?;
        let choice = Word::choice(system, &e, &f, &g)?;
        let sigma_a = Word::xor3(system, &a.rotated(2), &a.rotated(13), &a.rotated(22))?;
        let majority = Word::majority(system, &a, &b, &c)?;
        let k = Word::constant(k);
        let next_e = Word::sum(system, &[d, h, sigma_e, choice, k, *w])?;
        let next_a = Word::sum(system, &[h, sigma_e, choice, k, *w, sigma_a, majority])?;
        (h, g, f, e) = (g, f, e, next_e);
        (d, c, b, a) = (c, b, a, next_a);
    }
    let last = [a, b, c, d, e, f, g, h];
    initial
        .iter()
        .zip(last)
        .map(|(&before, after)| Word::sum(system, &[before, after]))
        .collect()
}

/// Makes four words one public input, most significant word first.
fn expose<S: System>(system: &mut S, words: &[Word<S::Variable>]) -> Result<(), S::Error> {
    let bits: Vec<Bit<S::Variable>> = words.iter().rev().flat_map(Word::bits).copied().collect();
    let mut bytes = [0; 32];
    for (i, bit) in bits.iter().enumerate() {
        bytes[i / 8] |= u8::from(bit.value()) << (i % 8);
    }
    let input = system.alloc_input(|| S::Scalar::from_le_bytes(bytes))?;
    system.enforce(
        |terms| Bit::weighted_sum::<S>(terms, bits.chunks(bits.len())),
        |terms| terms.plus(S::Scalar::ONE, S::one()),
        |terms| terms.plus(S::Scalar::ONE, input),
    )
}
