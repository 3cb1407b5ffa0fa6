//! Timelines and their reports, through the public interface.

use cuzk_phase::{Phase, Timeline};
use std::{thread, time::Duration};

const TICK: Duration = Duration::from_millis(5);

#[test]
fn phases_appear_once_and_in_their_order_with_their_calls() {
    let timeline = Timeline::start();
    timeline.measure(Phase::Verify, || {});
    timeline.measure(Phase::Ntt, || {});
    timeline.measure(Phase::Ntt, || {});
    let report = timeline.finish();
    let rows: Vec<_> = report
        .phases
        .iter()
        .map(|row| (row.phase, row.calls))
        .collect();
    assert_eq!(rows, [(Phase::Ntt, 2), (Phase::Verify, 1)]);
    assert!(report.phase(Phase::Pin).is_none());
}

#[test]
fn a_nested_phase_is_not_counted_twice() {
    let timeline = Timeline::start();
    timeline.measure(Phase::MsmH, || {
        timeline.measure(Phase::BatchAddition, || thread::sleep(TICK));
    });
    let report = timeline.finish();
    let outer = report.phase(Phase::MsmH).expect("ran").host;
    let inner = report.phase(Phase::BatchAddition).expect("ran").host;
    assert!(inner >= TICK && outer >= inner);
    assert_eq!(report.total - report.unaccounted, outer);
}

#[test]
fn phases_of_several_threads_are_united() {
    let timeline = Timeline::start();
    thread::scope(|scope| {
        for phase in [Phase::TailMsmA, Phase::TailMsmL, Phase::TailMsmL] {
            let timeline = &timeline;
            scope.spawn(move || timeline.measure(phase, || thread::sleep(TICK)));
        }
    });
    let report = timeline.finish();
    let l = report.phase(Phase::TailMsmL).expect("ran");
    let a = report.phase(Phase::TailMsmA).expect("ran");
    assert_eq!(l.calls, 2);
    let covered = report.total - report.unaccounted;
    assert!(covered >= l.host.max(a.host) && covered <= l.host + a.host);
}

#[test]
fn time_outside_of_every_phase_is_unaccounted() {
    let timeline = Timeline::start();
    thread::sleep(TICK);
    timeline.measure(Phase::Assemble, || thread::sleep(TICK));
    let report = timeline.finish();
    assert!(report.unaccounted >= TICK);
    let share = 100.0 * report.unaccounted.as_secs_f64() / report.total.as_secs_f64();
    assert!((report.unaccounted_percent - share).abs() < 1e-9);
}

#[test]
fn a_span_is_recorded_when_its_work_panics() {
    let timeline = Timeline::start();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        timeline.measure(Phase::Evaluate, || panic!("on purpose"));
    }));
    assert!(caught.is_err());
    timeline.measure(Phase::Verify, || {});
    let report = timeline.finish();
    assert_eq!(report.phase(Phase::Evaluate).map(|row| row.calls), Some(1));
    assert_eq!(report.phase(Phase::Verify).map(|row| row.calls), Some(1));
}

#[test]
fn bytes_and_device_time_add_up() {
    let timeline = Timeline::start();
    {
        let span = timeline.span(Phase::Upload);
        span.elements(3);
        span.bytes(100);
        span.bytes(28);
        span.device_elapsed(Duration::from_millis(2));
        span.device_elapsed(Duration::from_millis(1));
    }
    timeline.add_bytes(Phase::Upload, 1000);
    timeline.add_device_elapsed(Phase::Upload, Duration::from_millis(4));
    timeline.add_bytes(Phase::Pin, u64::MAX);
    timeline.add_bytes(Phase::Pin, 1);
    let report = timeline.finish();
    let upload = report.phase(Phase::Upload).expect("ran");
    assert_eq!((upload.bytes, upload.calls), (1128, 1));
    assert_eq!(upload.device, Some(Duration::from_millis(7)));
    let pin = report.phase(Phase::Pin).expect("reported");
    assert_eq!((pin.bytes, pin.calls, pin.device), (u64::MAX, 0, None));
}

#[test]
fn a_snapshot_leaves_the_timeline_running() {
    let timeline = Timeline::start();
    timeline.measure(Phase::Synthesize, || {});
    let early = timeline.snapshot();
    timeline.measure(Phase::Verify, || {});
    let late = timeline.finish();
    assert_eq!((early.phases.len(), late.phases.len()), (1, 2));
    assert!(late.total >= early.total);
}

#[test]
fn the_report_says_where_each_phase_ran() {
    let timeline = Timeline::start();
    timeline.ran_on("cuda", "H200");
    timeline.measure(Phase::Ntt, || {});
    timeline.span(Phase::MsmBG2).ran_on("cpu");
    timeline.measure(Phase::MsmBG2, || {});
    let report = timeline.finish();
    assert_eq!((&*report.backend, &*report.device), ("cuda", "H200"));
    assert_eq!(report.phase(Phase::Ntt).expect("ran").backend, "cuda");
    assert_eq!(
        report.phase(Phase::MsmBG2).expect("ran").backend,
        "cpu+cuda"
    );
    assert!(
        report.to_string().contains("msm_b_g2 (cpu+cuda)"),
        "{report}"
    );
}

#[test]
fn json_has_the_agreed_keys() {
    let timeline = Timeline::start();
    timeline.ran_on("cpu", "2 threads");
    timeline.span(Phase::Upload).bytes(64);
    timeline.add_device_elapsed(Phase::Ntt, Duration::from_micros(1500));
    let json = serde_json::to_value(timeline.finish()).expect("serialises");
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("object").keys().cloned().collect()
    };
    for key in [
        "phases",
        "total_ms",
        "unaccounted_percent",
        "peak_rss_bytes",
        "backend",
        "device",
    ] {
        assert!(keys(&json).contains(&key.to_owned()), "{key} in {json}");
    }
    assert_eq!(json["backend"], "cpu");
    assert_eq!(json["device"], "2 threads");
    assert!(json["total_ms"].as_f64().expect("number") > 0.0);
    let phases = json["phases"].as_array().expect("array");
    assert_eq!(phases[0]["name"], "upload");
    assert_eq!(phases[0]["bytes"], 64);
    assert!(phases[0]["device_ms"].is_null() && phases[0]["host_ms"].is_f64());
    assert_eq!(phases[1]["device_ms"], 1.5);
}

#[test]
fn the_table_is_aligned_and_ends_with_the_remainder_and_the_total() {
    let timeline = Timeline::start();
    timeline.measure(Phase::TailMsmBG1, || thread::sleep(TICK));
    let table = timeline.finish().to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert!(
        lines[0].starts_with("phase") && lines[0].contains('%'),
        "{table}"
    );
    assert!(lines[1].starts_with("tail_msm_b_g1"), "{table}");
    assert!(lines[2].starts_with("unaccounted"), "{table}");
    assert!(
        lines[3].starts_with("total") && lines[3].contains("100.0"),
        "{table}"
    );
    let end_of_percent = lines[0].find('%').expect("column") + 1;
    for line in &lines[1..] {
        assert!(
            line.as_bytes()[end_of_percent - 1].is_ascii_digit(),
            "{table}"
        );
        assert_eq!(
            line.as_bytes().get(end_of_percent).copied().unwrap_or(b' '),
            b' ',
            "{table}"
        );
    }
}

#[test]
fn timelines_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Timeline>();
    shared::<cuzk_phase::Report>();
}
