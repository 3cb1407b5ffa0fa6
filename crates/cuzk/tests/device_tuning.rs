//! Every switch of the CUDA backend changes what is launched, and none changes the proof.
#![cfg(feature = "cuda")]

#[path = "shared/host_device.rs"]
#[expect(
    dead_code,
    reason = "a device that computes wrongly is for other tests"
)]
mod host_device;
#[path = "shared/squares.rs"]
mod squares;

use std::collections::BTreeSet;

use cuzk::{
    Backend, Blinding, Circuit, ConstraintSystem, Fr, Parameters, Proof, Prover, SynthesisError,
    Timeline, Tuning,
};
use cuzk_mock_driver::{Launch, Session};
use host_device::{begin, run};
use squares::Squares;

const CIRCUIT: Squares = Squares { start: 5, n: 60 };

struct Run {
    /// While the key is prepared.
    preparing: Vec<Launch>,
    /// While a proof is made.
    proving: Vec<Launch>,
}

fn count(launches: &[Launch], symbol: &str) -> usize {
    let named = launches.iter().filter(|launch| launch.symbol == symbol);
    named.count()
}

fn prove(
    session: &Session,
    circuit: impl Circuit + Copy,
    parameters: &Parameters,
    settings: &[&str],
) -> (Proof, Run) {
    let mut tuning = Tuning::new();
    for pair in settings {
        tuning.set_pair(pair).expect(pair);
    }
    let builder = Prover::builder().backend(Backend::Cuda).tuning(tuning);
    let prover = builder.build().expect("the device passes its trial");
    let opened = session.launches().len();
    let compiled = prover.compile(circuit, parameters).expect("the key");
    let prepared = session.launches().len();
    let blinding = Blinding::fixed(Fr::from(11), Fr::from(12));
    let proved = compiled
        .prove_timed(circuit, &blinding, &Timeline::start())
        .expect("a proof");
    let launches = session.launches();
    let run = Run {
        preparing: launches[opened..prepared].to_vec(),
        proving: launches[prepared..].to_vec(),
    };
    (proved.proof, run)
}

/// One run at the defaults and one with settings, of the same proof.
fn compare(settings: &[&str]) -> [Run; 2] {
    compare_with(CIRCUIT, settings)
}

fn compare_with(circuit: impl Circuit + Copy, settings: &[&str]) -> [Run; 2] {
    let session = begin(run);
    let cpu = Prover::builder().backend(Backend::Cpu).build();
    let cpu = cpu.expect("the processor");
    let shape = cpu.shape(circuit).expect("sound");
    let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
    let (expected, default) = prove(&session, circuit, &parameters, &[]);
    let (proof, changed) = prove(&session, circuit, &parameters, settings);
    assert_eq!(proof, expected, "{settings:?}");
    assert_eq!(session.leaks(), Default::default());
    [default, changed]
}

#[test]
fn a_method_is_that_of_every_sum_of_buckets() {
    for (setting, xyzz) in [("msm-method=affine", 0), ("msm-method=xyzz", 4)] {
        let [_, changed] = compare(&[setting]);
        let sums = count(&changed.proving, "cuzk_msm_accumulate_g1");
        assert_eq!(sums, xyzz, "{setting}");
        let sums = count(&changed.proving, "cuzk_msm_accumulate_g2");
        assert_eq!(sums, xyzz / 4, "{setting}");
    }
}

#[test]
fn a_quotient_of_four_transforms_is_derived_for_once_and_launches_no_others() {
    let [seven, four] = compare(&["quotient=four"]);
    let transforms = |run: &Run| {
        let of = |symbol| count(&run.proving, symbol);
        (of("cuzk_ntt_frequency_fr"), of("cuzk_ntt_time_fr"))
    };
    // There: three or two; back on the coset: as many; and once more to the coefficients.
    assert_eq!(transforms(&seven), (4, 3));
    assert_eq!(transforms(&four), (2, 2));
    let products = |run: &Run| count(&run.proving, "cuzk_spmv_multiply_fr");
    assert_eq!((products(&seven), products(&four)), (3, 2));
    let stages = |run: &Run| count(&run.preparing, "cuzk_fold_stage_g1");
    assert_eq!((stages(&seven), stages(&four)), (0, 2 * 6));
}

/// The blocks of the last step of each sum in a group: one for each window.
fn windows(launches: &[Launch], symbol: &str) -> Vec<u32> {
    let last = launches.iter().filter(|launch| launch.symbol == symbol);
    last.map(|launch| launch.grid[0]).collect()
}

#[test]
fn window_bits_are_those_of_a_query() {
    let g1 = |run: &Run| windows(&run.proving, "cuzk_msm_finish_g1");
    let g2 = |run: &Run| windows(&run.proving, "cuzk_msm_finish_g2");
    let [_, all] = compare(&["window-bits=8"]);
    let eight = g1(&all)[0];
    assert_eq!(g1(&all), [eight; 4]);
    for (query, place) in [("h", 0), ("l", 1), ("a", 2), ("b-g1", 3)] {
        let [_, one] = compare(&["window-bits=8", &format!("window-bits-{query}=4")]);
        let others: Vec<u32> = g1(&one)
            .into_iter()
            .enumerate()
            .filter_map(|(i, windows)| (i != place).then_some(windows))
            .collect();
        assert_eq!(others, [eight; 3], "{query}");
        assert!(g1(&one)[place] > eight, "{query}");
        assert_eq!(g2(&one), g2(&all));
    }
    let [_, one] = compare(&["window-bits=8", "window-bits-b-g2=4"]);
    assert_eq!(g1(&one), g1(&all));
    assert!(g2(&one)[0] > g2(&all)[0]);
}

#[test]
fn multiples_are_made_once_of_the_queries_that_do_not_change() {
    let made = |run: &Run| count(&run.preparing, "cuzk_msm_multiples_g1");
    let [default, changed] = compare(&["precompute=2", "window-bits=8"]);
    assert_eq!((made(&default), made(&changed)), (0, 1));
    assert_eq!(count(&changed.proving, "cuzk_msm_multiples_g1"), 0);
    let [_, both] = compare(&["precompute=2", "window-bits=8", "ones=pippenger"]);
    assert_eq!(made(&both), 2);
    let [_, auto] = compare(&["precompute=auto", "window-bits=8"]);
    assert!(made(&auto) >= 1);
}

/// So many bits that are one, each constrained to be a bit; the last is public.
#[derive(Clone, Copy)]
struct Ones(usize);

impl Circuit for Ones {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut last = CS::one();
        for _ in 0..self.0 {
            let bit = cs.alloc(|| "bit", || Ok(Fr::from(1)))?;
            cs.enforce(|| "b·b = b", |lc| lc + bit, |lc| lc + bit, |lc| lc + bit);
            last = bit;
        }
        let input = cs.alloc_input(|| "input", || Ok(Fr::from(1)))?;
        cs.enforce(
            || "last",
            |lc| lc + last,
            |lc| lc + CS::one(),
            |lc| lc + input,
        );
        Ok(())
    }
}

#[test]
fn ones_by_pippenger_split_no_witness() {
    let [trees, pippenger] = compare_with(Ones(60), &["ones=pippenger"]);
    // Three selections are split, or the values of four queries' variables are listed.
    let splits = |run: &Run| count(&run.proving, "cuzk_msm_split_write");
    assert_eq!((splits(&trees), splits(&pippenger)), (3, 4));
}

#[test]
fn sums_over_a_witness_go_beside_each_other_and_beside_the_quotient() {
    let streams = |run: &Run, symbol: &str| {
        let named = run.proving.iter().filter(|launch| launch.symbol == symbol);
        let streams: BTreeSet<usize> = named.map(|launch| launch.stream).collect();
        streams.len()
    };
    let is_first = |run: &Run| {
        let place = |symbol: &str| {
            run.proving
                .iter()
                .position(|launch| launch.symbol == symbol)
        };
        place("cuzk_msm_split_write") < place("cuzk_ntt_frequency_fr")
    };
    let [default, together] = compare_with(Ones(60), &["witness-sums=together"]);
    let [_, in_turn] = compare_with(Ones(60), &["witness-sums=in-turn"]);
    for (run, sums_of_ones, first) in [
        (&default, 3, true),
        (&together, 3, false),
        (&in_turn, 1, false),
    ] {
        assert_eq!(streams(run, "cuzk_msm_affine_collect_g1"), sums_of_ones);
        assert_eq!(is_first(run), first);
    }
}

#[test]
fn streams_share_the_buckets_of_large_sums() {
    // Narrow windows, so that there are enough entries; each part of the buckets is counted.
    let settings = ["msm-method=affine", "window-bits=8", "window-bits-h=2"];
    let circuit = Squares { start: 5, n: 600 };
    let parts = |settings: &[&str]| {
        let [_, changed] = compare_with(circuit, settings);
        count(&changed.proving, "cuzk_msm_affine_count")
    };
    let one = parts(&[&settings[..], &["streams=1"]].concat());
    assert_eq!(parts(&settings), one + 1);
}
