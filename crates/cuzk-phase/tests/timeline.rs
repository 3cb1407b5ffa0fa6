//! Timelines and their reports, through the public interface.

use cuzk_phase::{DeviceLap, DevicePart, Measure, Phase, Timeline};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

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
    assert!(report.unaccounted_cpu <= report.cpu);
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

/// Some work of a device that began when its clock did, at the start of the run.
fn lap(phase: Phase, start_us: u64, elapsed_us: u64) -> DeviceLap {
    let now = Instant::now();
    DeviceLap {
        phase,
        proof: 0,
        lane: "work",
        parts: Vec::new(),
        asked: now,
        all_asked: now,
        start: Duration::from_micros(start_us),
        elapsed: Duration::from_micros(elapsed_us),
    }
}

#[test]
fn bytes_and_device_time_add_up() {
    let timeline = Timeline::start();
    {
        let span = timeline.span(Phase::Upload);
        span.elements(3);
        span.bytes(100);
        span.bytes(28);
    }
    let clock = timeline.device_clock("a device", Instant::now());
    timeline.add_bytes(Phase::Upload, 1000);
    timeline.add_lap(clock, lap(Phase::Upload, 0, 3000));
    timeline.add_lap(clock, lap(Phase::Upload, 4000, 4000));
    timeline.add_bytes(Phase::Pin, u64::MAX);
    timeline.add_bytes(Phase::Pin, 1);
    let report = timeline.finish();
    let upload = report.phase(Phase::Upload).expect("ran");
    assert_eq!((upload.bytes, upload.calls), (1128, 1));
    assert_eq!(upload.device, Some(Duration::from_millis(7)));
    assert_eq!(upload.gb_per_s, Some(1128.0 / 1e9 / 7e-3));
    let pin = report.phase(Phase::Pin).expect("reported");
    assert_eq!((pin.bytes, pin.calls, pin.device), (u64::MAX, 0, None));
    let clock = &report.clocks[0];
    assert_eq!(clock.name, "a device");
    assert_eq!(clock.device, Duration::from_millis(8));
    assert_eq!(clock.busy, Duration::from_millis(7));
}

#[test]
fn device_work_stands_between_asking_and_knowing() {
    let timeline = Timeline::start();
    thread::sleep(TICK);
    let clock = timeline.device_clock("a device", Instant::now());
    timeline.add_lap(clock, lap(Phase::Ntt, 0, 1));
    timeline.add_lap(clock, lap(Phase::MsmH, 1, 2));
    let report = timeline.finish();
    let [ntt, msm] = &report.device_spans[..] else {
        panic!("two, not {:?}", report.device_spans)
    };
    assert_eq!((ntt.phase, msm.phase), (Phase::Ntt, Phase::MsmH));
    assert!(ntt.start >= TICK && ntt.start <= report.total, "{ntt:?}");
    assert_eq!(msm.start - ntt.start, Duration::from_micros(1));
}

#[test]
fn a_device_that_says_more_than_passed_is_a_finding() {
    let timeline = Timeline::start();
    let started = Instant::now();
    let clock = timeline.device_clock("a device", started);
    assert_eq!(timeline.device_clock("a device", started), clock);
    timeline.add_lap(clock, lap(Phase::Ntt, 0, 60_000_000));
    let report = timeline.finish();
    let finding = report.findings.iter().find(|f| f.what == "a device");
    let finding = finding.expect("a minute did not pass");
    assert_eq!(finding.inner_time, Duration::from_secs(60));
    assert!(finding.outer_time < Duration::from_secs(50));
    assert!(
        report.to_string().contains("finding: a device: "),
        "{report}"
    );
}

#[test]
fn a_clock_of_another_timeline_is_harmless() {
    let other = Timeline::start();
    let _first = other.device_clock("one", Instant::now());
    let second = other.device_clock("two", Instant::now());
    let timeline = Timeline::start();
    timeline.add_lap(second, lap(Phase::Ntt, 0, 1));
    let report = timeline.finish();
    assert!(report.device_spans.is_empty() && report.clocks.is_empty());
}

#[test]
fn time_between_the_callers_timer_and_the_runs_is_a_row_and_a_finding() {
    let timeline = Timeline::start();
    timeline.measure(Phase::MsmH, || thread::sleep(TICK));
    let report = timeline.finish();
    let outer = report.total + TICK;
    let report = report.timed_outside(outer);
    assert_eq!(report.outer, Some(outer));
    let finding = report.findings.last().expect("half of the time");
    assert_eq!(finding.gap(), TICK);
    let text = report.to_string();
    assert!(text.contains("\noutside  "), "{text}");
    assert!(text.contains("5.00 ms between them"), "{text}");
}

#[test]
fn processor_time_stands_beside_wall_time() {
    let timeline = Timeline::start();
    timeline.measure(Phase::Upload, || thread::sleep(20 * TICK));
    timeline.measure(Phase::Evaluate, || {
        let until = Instant::now() + 20 * TICK;
        while Instant::now() < until {
            std::hint::spin_loop();
        }
    });
    let report = timeline.finish();
    let part = |phase| {
        let row = report.phase(phase).expect("ran");
        row.cpu.expect("the system tells").as_secs_f64() / row.host.as_secs_f64()
    };
    // Other tests of this process may work meanwhile, so nothing bounds it from above.
    assert!(part(Phase::Evaluate) > 0.0);
    assert!(report.cpu.expect("the system tells") > Duration::ZERO);
    assert!(report.phase(Phase::Upload).expect("ran").cpu.is_some());
}

#[test]
fn pages_touched_in_a_phase_are_its_faults() {
    let timeline = Timeline::start();
    let pages = timeline.measure(Phase::Synthesize, || {
        std::hint::black_box(vec![1u8; 64 << 20])
    });
    let report = timeline.finish();
    assert_eq!(pages.len(), 64 << 20);
    let faults = report.phase(Phase::Synthesize).expect("ran").minor_faults;
    // With huge pages of 2 MiB.
    assert!(faults.expect("the system tells") >= 32, "{faults:?}");
}

#[test]
fn parts_are_details_of_a_phase() {
    let timeline = Timeline::start();
    {
        let compile = timeline.span(Phase::Compile);
        {
            let _part = compile.part("matrices");
            thread::sleep(TICK);
        }
        let _part = compile.part("bases");
        thread::sleep(TICK);
    }
    let report = timeline.finish();
    let compile = report.phase(Phase::Compile).expect("ran");
    assert_eq!(compile.calls, 1);
    let names: Vec<_> = compile.parts.iter().map(|part| part.name).collect();
    assert_eq!(names, ["matrices", "bases"]);
    let sum: Duration = compile.parts.iter().map(|part| part.host).sum();
    assert!(sum >= 2 * TICK && sum <= compile.host);
    assert!(report.to_string().contains("\n  matrices"), "{report}");
}

#[test]
fn what_the_parts_of_a_phase_leave_is_a_finding() {
    let timeline = Timeline::start();
    {
        let compile = timeline.span(Phase::Compile);
        drop(compile.part("matrices"));
        thread::sleep(4 * TICK);
    }
    let report = timeline.finish();
    let finding = report.findings.iter().find(|f| f.what == "compile");
    assert!(finding.expect("nothing explains it").gap() >= 4 * TICK);
}

#[test]
fn proofs_of_a_batch_have_rows() {
    let timeline = Timeline::start();
    for proof in 0..2 {
        drop(timeline.span(Phase::Ntt).of_proof(proof));
    }
    drop(timeline.span(Phase::Verify).of_proof(0));
    let report = timeline.finish();
    let of: Vec<_> = report.proofs.iter().map(|proof| proof.index).collect();
    assert_eq!(of, [0, 1]);
    assert!(report.proofs[0].start <= report.proofs[1].start);
    let end = |i: usize| report.proofs[i].start + report.proofs[i].elapsed;
    assert!(end(0) >= end(1));
    assert!(report.proofs[0].host <= report.proofs[0].elapsed);
}

#[test]
fn the_device_is_asked_at_the_edges_of_spans() {
    let timeline = Timeline::start();
    let held = Arc::new(AtomicU64::new(0));
    let probe = Arc::clone(&held);
    timeline.ask_device_memory("a device", Arc::new(move || probe.swap(7, Relaxed)));
    {
        let _span = timeline.span(Phase::Ntt);
        held.store(900, Relaxed);
    }
    timeline.measure(Phase::Verify, || ());
    let report = timeline.finish();
    let peak = |phase| report.phase(phase).expect("ran").peak_device_bytes;
    assert_eq!(
        (peak(Phase::Ntt), peak(Phase::Verify)),
        (Some(900), Some(7))
    );
    assert_eq!(report.peak_device_bytes, Some(900));
}

#[test]
fn a_watched_run_has_a_curve_with_its_peaks() {
    let timeline = Timeline::start();
    timeline.watch(Duration::from_millis(1)).expect("a thread");
    let held = timeline.measure(Phase::Compile, || {
        let held = std::hint::black_box(vec![1u8; 32 << 20]);
        thread::sleep(4 * TICK);
        held
    });
    let report = timeline.finish();
    let curve = report.memory.as_ref().expect("it was watched");
    assert!(!curve.samples.is_empty());
    assert!(
        curve
            .samples
            .windows(2)
            .all(|pair| pair[0].at <= pair[1].at)
    );
    let peak = curve.peak_rss.expect("linux tells");
    assert!(peak.rss_bytes >= Some(held.len() as u64), "{peak:?}");
    assert!(report.to_string().contains("watched every "), "{report}");
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
    let clock = timeline.device_clock("a device", Instant::now());
    timeline.add_lap(clock, lap(Phase::Ntt, 0, 1500));
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

/// A stretch of 4 ms with parts on its own lane and one beside it, by the device's clock.
fn lap_in_parts(phase: Phase) -> DeviceLap {
    let part = |name, beside, start_us, elapsed_us| DevicePart {
        name,
        beside,
        start: Duration::from_micros(start_us),
        elapsed: Duration::from_micros(elapsed_us),
    };
    DeviceLap {
        parts: vec![
            part("sort", None, 0, 1000),
            part("accumulate", None, 1000, 2900),
            part("add", Some("second stream"), 1000, 2500),
            part("accumulate", None, 3900, 100),
        ],
        ..lap(phase, 0, 4000)
    }
}

#[test]
fn parts_on_a_device_are_details_and_other_lanes_do_not_count_twice() {
    let timeline = Timeline::start();
    let clock = timeline.device_clock("a device", Instant::now());
    timeline.add_lap(clock, lap_in_parts(Phase::MsmH));
    let report = timeline.finish();
    let row = report.phase(Phase::MsmH).expect("ran");
    let ms = Duration::from_millis;
    assert_eq!(row.device, Some(ms(4)));
    let parts: Vec<_> = row
        .parts
        .iter()
        .map(|part| (part.name, part.beside, part.device, part.calls))
        .collect();
    assert_eq!(
        parts,
        [
            ("sort", None, Some(ms(1)), 1),
            ("accumulate", None, Some(ms(3)), 2),
            (
                "add",
                Some("second stream"),
                Some(Duration::from_micros(2500)),
                1
            ),
        ]
    );
    let clock = &report.clocks[0];
    assert_eq!((clock.device, clock.busy), (ms(4), ms(4)));
    let lanes: Vec<_> = report
        .device_spans
        .iter()
        .map(|span| (span.part, &*span.lane))
        .collect();
    assert_eq!(lanes[0], (None, "work"));
    assert!(
        lanes.contains(&(Some("add"), "work, second stream")),
        "{lanes:?}"
    );
    assert!(
        report.findings.iter().all(|f| f.inner != "in its parts"),
        "{report}"
    );
    let text = report.to_string();
    assert!(text.contains("\n  add (second stream)"), "{text}");
}

#[test]
fn what_the_parts_on_a_device_leave_is_a_finding() {
    let timeline = Timeline::start();
    let clock = timeline.device_clock("a device", Instant::now());
    let mut lap = lap_in_parts(Phase::MsmH);
    // The lane beside explains nothing of the phase's own.
    lap.parts.truncate(3);
    lap.parts.remove(1);
    timeline.add_lap(clock, lap);
    let report = timeline.finish();
    let finding = report.findings.iter().find(|f| f.inner == "in its parts");
    let finding = finding.expect("3 of 4 ms are in no part");
    assert_eq!(finding.gap(), Duration::from_millis(3));
}

#[test]
fn copies_that_began_before_their_stretch_are_busy_time() {
    let timeline = Timeline::start();
    let clock = timeline.device_clock("a device", Instant::now());
    let ms = Duration::from_millis;
    let copy = DevicePart {
        name: "points",
        beside: Some("copies"),
        start: ms(1),
        elapsed: ms(3),
    };
    timeline.add_lap(
        clock,
        DeviceLap {
            parts: vec![copy],
            ..lap(Phase::MsmH, 3000, 4000)
        },
    );
    let report = timeline.finish();
    assert_eq!(
        report.phase(Phase::MsmH).and_then(|row| row.device),
        Some(ms(4))
    );
    let clock = &report.clocks[0];
    assert_eq!((clock.device, clock.busy), (ms(6), ms(6)));
}

#[test]
fn a_timeline_that_measures_nothing_has_its_total_alone() {
    let timeline = Timeline::measuring(Measure::Off);
    timeline.ran_on("cuda", "a device");
    timeline.ask_device_memory("a device", Arc::new(|| panic!("nobody asks")));
    let since = Instant::now();
    {
        let span = timeline.span(Phase::Upload);
        span.bytes(7);
        drop(span.part("a part"));
        timeline.add_bytes(Phase::Upload, 7);
        thread::sleep(TICK);
    }
    timeline.add_since(Phase::Queue, since);
    let report = timeline.finish();
    assert!(report.phases.is_empty() && report.spans.is_empty());
    assert!(report.total >= TICK && report.unaccounted == report.total);
    assert!(report.cpu.is_some());
    assert_eq!((&*report.backend, &*report.device), ("cuda", "a device"));
}

#[test]
fn spans_that_meet_share_a_reading_of_the_counters() {
    let timeline = Timeline::start();
    let mut pages = Vec::new();
    for _ in 0..4 {
        timeline.measure(Phase::Ntt, || pages.push(vec![1u8; 8 << 20]));
    }
    let report = timeline.finish();
    let row = report.phase(Phase::Ntt).expect("ran");
    // Shared or not, none of the pages is lost between two spans: with huge pages 4 in each.
    assert!(row.minor_faults >= Some(16), "{:?}", row.minor_faults);
    assert!(row.minor_faults <= report.minor_faults);
}
