//! For tests: what the sort gives, made on the host, and the sums that follow from it.

use std::collections::HashMap;
use std::ops::Range;

use bytemuck::Zeroable as _;
use cuzk_curve::{Fr, SourceGroup};
use cuzk_device::{Device, DeviceOptions, DeviceSelector, Stream};
use cuzk_kernel_host::{BUCKET_KERNELS, CurveCases, represents, run_bucket_kernel};
use cuzk_mock_driver::{Launch, MockDevice, Session, session};
use ff::Field as _;
use group::prime::PrimeCurveAffine as _;
use group::{Curve as _, Group as _};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

use crate::group::DeviceGroup;
use crate::sorted::SortedDigits;

/// A group whose sums the tests can compare.
pub(crate) trait TestGroup: DeviceGroup + CurveCases {}
impl<G: DeviceGroup + CurveCases> TestGroup for G {}

/// The digits of some windows, on the host.
#[derive(Debug, Clone)]
pub(crate) struct HostDigits {
    pub(crate) entries: Vec<u32>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) windows: usize,
    pub(crate) buckets: usize,
}

impl HostDigits {
    /// From the digit of every index in every window, at most `buckets` in size.
    pub(crate) fn new(windows: &[Vec<i64>], buckets: usize) -> Self {
        let mut lists = vec![Vec::new(); windows.len() * buckets];
        for (window, digits) in windows.iter().enumerate() {
            for (index, digit) in (0u32..).zip(digits) {
                let size = usize::try_from(digit.unsigned_abs()).expect("a digit");
                if size > 0 {
                    let negative = u32::from(*digit < 0) << 31;
                    lists[window * buckets + size - 1].push(index | negative);
                }
            }
        }
        let mut offsets = vec![0];
        let mut end = 0;
        offsets.extend(lists.iter().map(|list| {
            end += u32::try_from(list.len()).expect("few entries");
            end
        }));
        Self {
            entries: lists.concat(),
            offsets,
            windows: windows.len(),
            buckets,
        }
    }

    /// With the distribution that `draw` gives.
    pub(crate) fn drawn(
        windows: usize,
        buckets: usize,
        n: usize,
        mut draw: impl FnMut() -> i64,
    ) -> Self {
        let digits: Vec<Vec<i64>> = (0..windows)
            .map(|_| (0..n).map(|_| draw()).collect())
            .collect();
        Self::new(&digits, buckets)
    }

    /// Those of the indices of a range, counted from its start.
    pub(crate) fn part(&self, range: &Range<usize>) -> Self {
        let mut part = Self {
            entries: Vec::new(),
            offsets: vec![0],
            ..*self
        };
        for bounds in self.offsets.windows(2) {
            for entry in &self.entries[bounds[0] as usize..bounds[1] as usize] {
                let index = (entry & 0x7fff_ffff) as usize;
                if range.contains(&index) {
                    let start = u32::try_from(range.start).expect("few indices");
                    part.entries.push(entry - start);
                }
            }
            let end = u32::try_from(part.entries.len()).expect("few entries");
            part.offsets.push(end);
        }
        part
    }

    pub(crate) fn upload(&self, stream: &Stream) -> SortedDigits {
        SortedDigits {
            entries: stream.upload(&self.entries).expect("memory"),
            offsets: stream.upload(&self.offsets).expect("memory"),
            windows: self.windows,
            buckets: self.buckets,
            longest: self.entries.len(),
        }
    }

    /// The multiple of every bucket's sum where the point of index i is `multiples[i]` times one.
    pub(crate) fn sums(&self, multiples: &[Fr]) -> Vec<Fr> {
        let bounds = self.offsets.windows(2);
        bounds
            .map(|bounds| {
                let entries = &self.entries[bounds[0] as usize..bounds[1] as usize];
                entries.iter().fold(Fr::ZERO, |sum, entry| {
                    let multiple = multiples[(entry & 0x7fff_ffff) as usize];
                    if entry >> 31 == 1 {
                        sum - multiple
                    } else {
                        sum + multiple
                    }
                })
            })
            .collect()
    }
}

/// Ranges that make up `0 .. n`: all at once, and some; an empty one is last, and among seven of few.
pub(crate) fn cuts(n: usize) -> [Vec<Range<usize>>; 4] {
    [1, 2, 3, 7].map(|chunks| {
        let at = |chunk: usize| n * chunk / chunks;
        let all = (0..chunks).map(|chunk| at(chunk)..at(chunk + 1));
        let last = (chunks > 1).then_some(n..n);
        all.chain(last).collect()
    })
}

/// The multiple of every window's point.
pub(crate) fn window_sums(sums: &[Fr], buckets: usize) -> Vec<Fr> {
    let of = |sums: &[Fr]| {
        let (mut run, mut total) = (Fr::ZERO, Fr::ZERO);
        for sum in sums.iter().rev() {
            run += sum;
            total += run;
        }
        total
    };
    sums.chunks(buckets).map(of).collect()
}

/// These multiples of the generator; each that comes more than once is made once.
pub(crate) fn points<G: SourceGroup>(multiples: &[Fr]) -> Vec<G::Limbs> {
    let mut places = HashMap::new();
    let mut distinct = Vec::new();
    let place_of = |multiple: &Fr| {
        *places.entry(multiple.to_bytes_le()).or_insert_with(|| {
            distinct.push(G::Projective::generator() * *multiple);
            distinct.len() - 1
        })
    };
    let places: Vec<usize> = multiples.iter().map(place_of).collect();
    let mut affine = vec![G::Affine::identity(); distinct.len()];
    G::Projective::batch_normalize(&distinct, &mut affine);
    let limbs = G::as_limbs(&affine);
    places.into_iter().map(|place| limbs[place]).collect()
}

/// The same points over random coordinates.
pub(crate) fn scaled<G: TestGroup>(points: &[G::Limbs], rng: &mut ChaCha8Rng) -> Vec<Xyzz<G>> {
    let mut next = || {
        let low = cuzk_curve::Fp::from_limbs_unchecked(cuzk_curve::FpLimbs([
            rng.next_u64() | 1,
            rng.next_u64(),
            0,
            0,
            0,
            0,
        ]));
        low * low
    };
    let scaled = points.iter().map(|point| {
        let z = G::random(&mut next);
        let (square, cube) = (z * z, z * z * z);
        if *point == G::Limbs::zeroed() {
            return G::xyzz([z, square, G::zero(), G::zero()]);
        }
        let [x, y] = G::coordinates(point);
        G::xyzz([x * square, y * cube, square, cube])
    });
    scaled.map(bytemuck::cast).collect()
}

pub(crate) type Xyzz<G> = <G as DeviceGroup>::Xyzz;

/// Compares every point with its multiple of the generator.
pub(crate) fn assert_multiples<G: TestGroup>(what: &str, got: &[Xyzz<G>], multiples: &[Fr]) {
    assert_eq!(got.len(), multiples.len(), "{what}");
    for (i, (got, expected)) in got.iter().zip(points::<G>(multiples)).enumerate() {
        let xyzz: <G as CurveCases>::Xyzz = bytemuck::cast(*got);
        assert!(represents::<G>(&xyzz, &expected), "{what}: point {i}");
    }
}

/// 0, small numbers and their opposites, so that sums meet equal and opposite points and the
/// identity, and some large ones.
pub(crate) fn few_multiples(n: usize, rng: &mut ChaCha8Rng) -> Vec<Fr> {
    let large: Vec<Fr> = (0..64).map(|_| Fr::from(rng.next_u64())).collect();
    let multiple = |rng: &mut ChaCha8Rng| {
        let small = Fr::from(u64::from(rng.next_u32() % 4));
        match rng.next_u32() % 4 {
            0 => small,
            1 => -small,
            _ => large[rng.next_u32() as usize % large.len()],
        }
    };
    (0..n).map(|_| multiple(rng)).collect()
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A stand-in for the driver whose kernels are the compiled headers.
pub(crate) fn host_device() -> (Session, Device) {
    fn run(launch: &Launch) {
        let (blocks, threads) = (launch.grid[0], launch.block[0]);
        // SAFETY: the stand-in's device memory is host memory, aligned to 16 bytes, and the code
        // under test answers for the rest.
        unsafe { run_bucket_kernel(&launch.symbol, blocks, threads, &launch.params) };
    }
    let session = session(vec![MockDevice::default()]);
    for symbol in BUCKET_KERNELS {
        session.define(symbol, run);
    }
    (session, open())
}

pub(crate) fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

/// Lets every call of a run fail in turn: each gives an error and leaves nothing behind.
pub(crate) fn fail_every_call<T>(
    run: impl Fn() -> Result<T, cuzk_device::DeviceError>,
    check: impl Fn(T),
) {
    const CODES: [i32; 3] = [1, 719, 999];
    let count = {
        let (session, device) = host_device();
        drop(device);
        let before = session.calls().len();
        check(run().expect("nothing fails"));
        session.calls().len() - before
    };
    for k in 0..count {
        let (session, device) = host_device();
        drop(device);
        let before = session.calls().len();
        let code = CODES[k % CODES.len()];
        session.fail_any(u32::try_from(k).expect("few calls"), code);
        let outcome = run();
        let failed = session.calls()[before + k].clone();
        let closing = ["Destroy", "Free", "Release", "Unload"]
            .iter()
            .any(|word| failed.contains(word));
        let entering = failed == "cuCtxSetCurrent";
        match outcome {
            // A destructor logs what it meets, and the allocator asks a second time.
            Ok(value) => {
                let twice = failed.contains("Alloc");
                assert!(
                    closing || entering || twice,
                    "{failed} at {k} failed unnoticed"
                );
                check(value);
            }
            Err(error) => {
                assert!(
                    error.code().is_none_or(|got| got.raw == code),
                    "{failed}: {error}"
                );
            }
        }
        if !closing && !entering {
            assert_eq!(session.leaks(), Default::default(), "after {failed} at {k}");
        }
        session.mend();
        check(run().expect("the device is usable"));
    }
}
