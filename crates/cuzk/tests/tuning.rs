//! Every switch changes the path that a proof takes, and none changes the proof.

#[path = "shared/spans.rs"]
mod spans;
#[path = "shared/squares.rs"]
mod squares;

use cuzk::{
    Backend, Blinding, Check, Fr, Parameters, Phase, Proof, Prover, ReadOptions, Report, Timeline,
    Tuning,
    layers::{hostmem::LockOutcome, lanes::Lanes},
};
use spans::{Span, recorded};
use squares::Squares;

const CIRCUIT: Squares = Squares { start: 5, n: 300 };

/// What a proof left behind.
struct Run {
    proof: Proof,
    report: Report,
    spans: Vec<Span>,
    /// While the key was prepared.
    queries_derived: usize,
}

/// How often queries were derived.
fn derived(spans: &[Span]) -> usize {
    spans
        .iter()
        .filter(|span| span.name == "derive_queries")
        .count()
}

impl Run {
    fn ran(&self, name: &str) -> bool {
        self.spans.iter().any(|span| span.name == name)
    }

    fn fields(&self, span: &str, field: &str) -> Vec<u64> {
        let spans = self.spans.iter().filter(|found| found.name == span);
        spans.filter_map(|found| found.number(field)).collect()
    }
}

fn prover(settings: &[&str]) -> Prover {
    let mut tuning = Tuning::new();
    for pair in settings {
        tuning.set_pair(pair).expect(pair);
    }
    let builder = Prover::builder().backend(Backend::Cpu).tuning(tuning);
    builder.build().expect("the processor")
}

/// The same parameters for every run; recorded, so that no other test sees the spans.
fn parameters() -> Parameters {
    let made = recorded(|| {
        let prover = prover(&[]);
        let shape = prover.shape(CIRCUIT).expect("sound");
        prover.setup(&shape, |_| ()).expect("parameters")
    });
    made.0
}

fn prove(parameters: &Parameters, settings: &[&str]) -> Run {
    let prover = prover(settings);
    let (compiled, preparing) = recorded(|| prover.compile(CIRCUIT, parameters));
    let compiled = compiled.expect("they belong together");
    let blinding = Blinding::fixed(Fr::from(3), Fr::from(4));
    let timeline = Timeline::start();
    let (proved, spans) = recorded(|| compiled.prove_timed(CIRCUIT, &blinding, &timeline));
    Run {
        proof: proved.expect("satisfied").proof,
        report: timeline.finish(),
        spans,
        queries_derived: derived(&preparing),
    }
}

/// One run at the defaults and one with settings, of the same proof.
fn compare(settings: &[&str]) -> [Run; 2] {
    let parameters = parameters();
    let runs = [prove(&parameters, &[]), prove(&parameters, settings)];
    assert_eq!(runs[0].proof, runs[1].proof, "{settings:?}");
    runs
}

#[test]
fn lanes_change_the_arithmetic_that_the_report_names() {
    let [default, portable] = compare(&["lanes=portable"]);
    let named = |run: &Run, lanes: Lanes| run.report.device.ends_with(lanes.resolve().name());
    assert!(named(&default, Lanes::Detect), "{}", default.report.device);
    assert!(named(&portable, Lanes::Portable));
    // On a processor without eight lanes both are the portable twin.
    assert_eq!(
        default.report.device == portable.report.device,
        Lanes::Detect.resolve() == Lanes::Portable.resolve()
    );
}

#[test]
fn window_bits_are_those_of_every_sum() {
    let [default, narrow] = compare(&["window-bits=4"]);
    let widths = |run: &Run| run.fields("bucket_accumulate", "window_bits");
    assert!(!widths(&default).is_empty());
    assert!(!widths(&default).contains(&4), "{:?}", widths(&default));
    assert_eq!(widths(&narrow), vec![4; widths(&default).len()]);
}

#[test]
fn window_bits_of_a_query_are_those_of_its_sum_alone() {
    for query in ["h", "l", "a", "b-g1", "b-g2"] {
        let setting = format!("window-bits-{query}=4");
        let [_, narrow] = compare(&["window-bits=5", &setting]);
        let mut widths = narrow.fields("bucket_accumulate", "window_bits");
        widths.sort_unstable();
        assert_eq!(widths, [4, 5, 5, 5, 5], "{query}");
    }
}

#[test]
fn ones_by_pippenger_are_points_of_the_other_sums() {
    let [trees, pippenger] = compare(&["ones=pippenger"]);
    let points = |run: &Run| run.fields("bucket_accumulate", "n").iter().sum::<u64>();
    // Of this circuit the constant one alone is one, and it is in A and in both B queries.
    assert_eq!(points(&pippenger), points(&trees) + 3);
}

#[test]
fn b_g2_in_parallel_is_a_task_beside_the_other_sums() {
    let [after, beside] = compare(&["parallel-b-g2=on"]);
    assert!(!after.ran("beside"));
    assert!(beside.ran("beside"));
    for threads in ["threads=1", "threads=2"] {
        let [_, own_pool] = compare(&[threads, "parallel-b-g2=on", "ones=pippenger"]);
        assert!(own_pool.ran("beside"));
    }
}

#[test]
fn inline_terms_are_those_of_the_combinations_of_a_direct_pass() {
    let [_, inline] = compare(&["synthesis=direct"]);
    let [_, heap] = compare(&["synthesis=direct", "inline-terms=off"]);
    assert_eq!(inline.fields("direct_pass", "inline_terms"), [2]);
    assert_eq!(heap.fields("direct_pass", "inline_terms"), [0]);
}

#[test]
fn a_batch_size_is_how_many_circuits_are_synthesized_together() {
    let parameters = parameters();
    for (setting, together) in [
        ("batch-size=auto", 1),
        ("batch-size=2", 3),
        ("batch-size=1", 5),
    ] {
        for synthesis in ["synthesis=compiled", "synthesis=direct"] {
            let prover = prover(&[setting, synthesis]);
            let (compiled, _) = recorded(|| prover.compile(CIRCUIT, &parameters));
            let compiled = compiled.expect("they fit");
            let timeline = Timeline::start();
            // Recorded, so that no other test sees its spans.
            let prove = || compiled.prove_batch_timed(vec![CIRCUIT; 5], &timeline);
            let (results, _) = recorded(prove);
            let results = results.expect("the backend goes on");
            assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 5);
            let report = timeline.finish();
            let calls = report.phase(Phase::Synthesize).expect("it ran").calls;
            assert_eq!(calls, together, "{setting} {synthesis}");
        }
    }
}

#[test]
fn synthesis_changes_the_pass_and_what_is_uploaded() {
    let [compiled, direct] = compare(&["synthesis=direct"]);
    assert!(compiled.ran("witness_pass") && !compiled.ran("direct_pass"));
    assert!(direct.ran("direct_pass") && !direct.ran("witness_pass"));
    let uploaded = |run: &Run| {
        let row = run.report.phase(Phase::Upload).expect("it ran");
        (row.calls, row.bytes)
    };
    let (calls, bytes) = uploaded(&compiled);
    let rows = prover(&[]).shape(CIRCUIT).expect("sound").num_rows() as u64;
    assert_eq!(uploaded(&direct), (calls + 3, bytes + 3 * 32 * rows));
}

#[test]
fn a_quotient_of_four_transforms_uploads_no_c_and_gives_the_same_proof() {
    let [seven, four] = compare(&["quotient=four"]);
    assert_eq!((seven.queries_derived, four.queries_derived), (0, 1));
    // A direct pass on such a key uploads a and b alone.
    let [direct, folded] = compare(&["synthesis=direct"]).map(|run| run.report);
    let [_, both] = compare(&["synthesis=direct", "quotient=four"]);
    let calls = |report: &Report| report.phase(Phase::Upload).expect("it ran").calls;
    assert_eq!(calls(&folded), calls(&direct) + 3);
    assert_eq!(calls(&both.report), calls(&direct) + 2);
}

#[test]
fn derived_queries_are_kept_and_what_is_damaged_is_derived_again() {
    let parameters = parameters();
    let folder = tempfile::tempdir().expect("a folder");
    let prepare = || {
        let tuning = Tuning::new().with_quotient(cuzk::Quotient::Four);
        let builder = Prover::builder().backend(Backend::Cpu).tuning(tuning);
        let prover = builder.cache(folder.path().join("kept")).build();
        let prover = prover.expect("the processor");
        let (compiled, spans) = recorded(|| prover.compile(CIRCUIT, &parameters));
        let blinding = Blinding::fixed(Fr::from(3), Fr::from(4));
        let compiled = compiled.expect("they belong together");
        let prove = || compiled.prove_timed(CIRCUIT, &blinding, &Timeline::start());
        // Recorded, so that no other test sees its spans.
        let (proved, _) = recorded(prove);
        (derived(&spans), proved.expect("satisfied").proof)
    };
    let expected = prove(&parameters, &[]).proof;
    assert_eq!(prepare(), (1, expected));
    assert_eq!(prepare(), (0, expected));
    let files: Vec<_> = std::fs::read_dir(folder.path().join("kept"))
        .expect("the folder")
        .map(|entry| entry.expect("readable").path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let bytes = std::fs::read(&files[0]).expect("the file");
    // Another header, another length, and a point that is another.
    let mut header = bytes.clone();
    header[3] ^= 1;
    let mut point = bytes.clone();
    point.copy_within(64..160, 160);
    for damaged in [header, bytes[..bytes.len() - 1].to_vec(), point] {
        std::fs::write(&files[0], damaged).expect("the file");
        assert_eq!(prepare(), (1, expected));
        assert!(std::fs::read(&files[0]).expect("the file") == bytes);
    }
}

#[test]
fn capacity_hints_reserve_the_rows_of_a_direct_pass() {
    let [compiled, hinted] = compare(&["synthesis=direct", "capacity-hints=on"]);
    let [_, grown] = compare(&["synthesis=direct"]);
    let reserved = |run: &Run| run.fields("direct_pass", "reserved");
    let rows = prover(&[]).shape(CIRCUIT).expect("sound").num_rows() as u64;
    assert_eq!(reserved(&compiled), []);
    assert_eq!(reserved(&grown), [0]);
    assert_eq!(reserved(&hinted), [rows]);
}

#[test]
fn threads_are_those_of_a_pool_of_its_own() {
    let [_, one] = compare(&["threads=1"]);
    let [_, three] = compare(&["threads=3"]);
    assert!(one.report.device.starts_with("1 threads"));
    assert!(three.report.device.starts_with("3 threads"));
}

#[test]
fn host_memory_without_a_device_is_asked_for_and_pageable() {
    let mut bytes = Vec::new();
    parameters().write(&mut bytes).expect("memory");
    let options = ReadOptions {
        check: Check::OnCurve,
        ..ReadOptions::default()
    };
    let outcome = |settings: &[&str]| {
        let prover = prover(settings);
        let loaded = prover
            .load_bytes(&bytes, &options, &Timeline::start())
            .expect("sound");
        let proof = prove(&loaded.parameters, settings).proof;
        (loaded.parameters, proof)
    };
    let (pageable, expected) = outcome(&[]);
    let (registered, proof) = outcome(&["host-memory=registered"]);
    assert_eq!(proof, expected);
    let outcome = |parameters: &Parameters| match parameters.h.memory().outcome() {
        LockOutcome::NotAsked => "not asked",
        LockOutcome::NoLocker => "no device",
        _ => "else",
    };
    assert_eq!(outcome(&pageable), "not asked");
    assert_eq!(outcome(&registered), "no device");
}

#[test]
fn a_batch_by_direct_passes_proves_and_fails_one_by_one() {
    let parameters = parameters();
    let prover = prover(&["synthesis=direct", "capacity-hints=on"]);
    let (compiled, _) = recorded(|| prover.compile(CIRCUIT, &parameters));
    let compiled = compiled.expect("they fit");
    let other = Squares { start: 5, n: 299 };
    let batch = vec![CIRCUIT, other, CIRCUIT];
    let (results, spans) = recorded(|| compiled.prove_batch(batch).expect("the backend goes on"));
    assert!(results[0].is_ok() && results[1].is_err() && results[2].is_ok());
    let passes = spans.iter().filter(|span| span.name == "direct_pass");
    assert_eq!(passes.count(), 3);
}
