//! What a report says of work on a device.

use std::time::Duration;

use cuzk_groth16::prove_batch;
use cuzk_phase::{DeviceSpan, Measure, Phase, Report, Timeline};
use cuzk_testkit::MimcChain;

use crate::proofs::{Case, blinding};
use crate::{begin, open};

/// The device phases of a proof with matrices.
const ON_THE_DEVICE: [Phase; 9] = [
    Phase::Upload,
    Phase::Evaluate,
    Phase::Ntt,
    Phase::MsmH,
    Phase::PrepMsm,
    Phase::BatchAddition,
    Phase::TailMsmL,
    Phase::TailMsmA,
    Phase::MsmBG2,
];

fn report_of_a_batch(n: usize) -> Report {
    measured(n, Measure::Full)
}

fn measured(n: usize, measure: Measure) -> Report {
    let _session = begin();
    let cuda = open();
    let case = Case::of(&MimcChain::new(1, 30));
    let key = case.key(&cuda);
    let witnesses = vec![case.witness.clone(); n];
    let blindings: Vec<_> = (0..n as u64).map(blinding).collect();
    let timeline = Timeline::measuring(measure);
    let proofs = prove_batch(&cuda, &key, &witnesses, &blindings, &timeline);
    let proofs = proofs.expect("a blinding for each");
    assert!(proofs.iter().all(Result::is_ok), "{proofs:?}");
    timeline.finish()
}

/// What a phase enqueued, without its parts.
fn stretches(report: &Report) -> impl Iterator<Item = &DeviceSpan> {
    let spans = report.device_spans.iter();
    spans.filter(|span| span.part.is_none())
}

#[test]
fn laps_of_a_batch_stand_in_one_order_inside_the_run() {
    let report = report_of_a_batch(2);
    assert_eq!(report.clocks.len(), 1);
    assert!(report.clocks[0].busy > Duration::ZERO);
    for phase in ON_THE_DEVICE {
        let laps = stretches(&report).filter(|lap| lap.phase == phase);
        let proofs: Vec<usize> = laps.map(|lap| lap.proof).collect();
        assert!(
            proofs.contains(&0) && proofs.contains(&1),
            "{phase}: {proofs:?}"
        );
        assert!(proofs.is_sorted(), "{phase}: {proofs:?}");
    }
    // Events count in floating point: to within a microsecond.
    let slack = Duration::from_micros(5);
    let laps: Vec<&DeviceSpan> = stretches(&report).collect();
    for pair in laps.windows(2) {
        let end = pair[0].start + pair[0].device;
        assert!(end <= pair[1].start + slack, "{pair:?}: one stream");
    }
    let last = laps.last().expect("laps");
    assert!(last.start + last.device <= report.total + slack);
    assert_eq!(report.proofs.len(), 2);
    assert!(report.proofs.iter().all(|proof| proof.device.is_some()));
}

#[test]
fn a_proof_says_how_much_of_the_device_it_held() {
    let report = report_of_a_batch(1);
    let peak = report.peak_device_bytes.expect("the device was asked");
    assert!(peak > 0);
    for phase in ON_THE_DEVICE {
        let row = report.phase(phase).expect("ran");
        assert!(row.peak_device_bytes.expect("asked") <= peak, "{phase}");
    }
    assert!(report.proofs.is_empty(), "one proof is no batch");
}

#[test]
fn sums_on_a_device_are_reported_in_parts_that_make_them_up() {
    let report = report_of_a_batch(1);
    for phase in [Phase::MsmH, Phase::TailMsmL, Phase::TailMsmA, Phase::MsmBG2] {
        let row = report.phase(phase).expect("ran");
        let own = row.parts.iter().filter(|part| part.beside.is_none());
        for name in ["sort", "accumulate", "reduce"] {
            assert!(own.clone().any(|part| part.name == name), "{phase}: {name}");
        }
        let sum: Duration = own.filter_map(|part| part.device).sum();
        let device = row.device.expect("measured");
        assert!(sum <= device, "{phase}: {sum:?} of {device:?}");
    }
    for part in report
        .device_spans
        .iter()
        .filter(|span| span.part.is_some())
    {
        let holds = |whole: &&DeviceSpan| {
            let slack = Duration::from_micros(5);
            whole.phase == part.phase
                && whole.start <= part.start + slack
                && part.start + part.device <= whole.start + whole.device + slack
        };
        assert!(stretches(&report).any(|whole| holds(&whole)), "{part:?}");
    }
}

#[test]
fn what_is_not_to_be_measured_is_not_asked_of_the_device() {
    let report = measured(1, Measure::Phases);
    assert!(report.phases.iter().all(|row| row.parts.is_empty()));
    assert_eq!(report.device_spans.len(), stretches(&report).count());
    assert!(!report.device_spans.is_empty());
    let report = measured(1, Measure::Off);
    assert!(report.clocks.is_empty() && report.phases.is_empty());
    assert!(!report.device.is_empty());
}
