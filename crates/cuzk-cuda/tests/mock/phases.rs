//! What a report says of work on a device.

use std::time::Duration;

use cuzk_groth16::prove_batch;
use cuzk_phase::{Phase, Report, Timeline};
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
    let _session = begin();
    let cuda = open();
    let case = Case::of(&MimcChain::new(1, 30));
    let key = case.key(&cuda);
    let witnesses = vec![case.witness.clone(); n];
    let blindings: Vec<_> = (0..n as u64).map(blinding).collect();
    let timeline = Timeline::start();
    let proofs = prove_batch(&cuda, &key, &witnesses, &blindings, &timeline);
    let proofs = proofs.expect("a blinding for each");
    assert!(proofs.iter().all(Result::is_ok), "{proofs:?}");
    timeline.finish()
}

#[test]
fn laps_of_a_batch_stand_in_one_order_inside_the_run() {
    let report = report_of_a_batch(2);
    assert_eq!(report.clocks.len(), 1);
    assert!(report.clocks[0].busy > Duration::ZERO);
    for phase in ON_THE_DEVICE {
        let laps = report.device_spans.iter().filter(|lap| lap.phase == phase);
        let proofs: Vec<usize> = laps.map(|lap| lap.proof).collect();
        assert!(
            proofs.contains(&0) && proofs.contains(&1),
            "{phase}: {proofs:?}"
        );
        assert!(proofs.is_sorted(), "{phase}: {proofs:?}");
    }
    // Events count in floating point: to within a microsecond.
    let slack = Duration::from_micros(5);
    for pair in report.device_spans.windows(2) {
        let end = pair[0].start + pair[0].device;
        assert!(end <= pair[1].start + slack, "{pair:?}: one stream");
    }
    let last = report.device_spans.last().expect("laps");
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
