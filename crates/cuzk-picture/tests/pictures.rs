//! Pages and traces of a run with threads, a device and memory.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use cuzk_phase::{DeviceLap, DevicePart, Phase, Report, Timeline};
use cuzk_picture::{comparison_page, run_page, trace};
use cuzk_record::{
    AbResult, Ablation, ArmResult, Compared, Comparison, Effect, Interval, PhaseRow, StoppedBy,
    Verdict,
};
use roxmltree::{Document, ParsingOptions};
use serde_json::Value;

const TICK: Duration = Duration::from_millis(2);
const HOSTILE: &str = "<script>alert('\"&')</script>\u{1}";

/// A run with everything in it.
fn report() -> Report {
    let timeline = Timeline::start();
    timeline.ran_on("cuda", HOSTILE);
    timeline.watch(Duration::from_millis(1)).expect("a thread");
    timeline.ask_device_memory(HOSTILE, Arc::new(|| 1 << 30));
    let clock = timeline.device_clock(HOSTILE, Instant::now());
    let part = |name, beside, proof: usize| DevicePart {
        name,
        beside,
        start: TICK * proof as u32,
        elapsed: TICK / 4,
    };
    for (proof, phase) in [(0, Phase::Upload), (1, Phase::MsmH)] {
        let span = timeline.span(phase).of_proof(proof);
        span.bytes(1 << 20);
        let asked = Instant::now();
        let _part = span.part("sort");
        thread::sleep(TICK);
        timeline.add_lap(
            clock,
            DeviceLap {
                phase,
                proof,
                lane: "work",
                parts: vec![
                    part("sort", None, proof),
                    part("add", Some("beside"), proof),
                ],
                asked,
                all_asked: asked,
                start: TICK * proof as u32,
                elapsed: TICK / 2,
            },
        );
    }
    let queued = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| timeline.measure(Phase::Synthesize, || thread::sleep(TICK)));
        timeline.measure(Phase::Verify, || thread::sleep(TICK));
    });
    // Overlaps what its thread did meanwhile, and neither holds the other.
    timeline.add_since(Phase::Queue, queued + TICK / 2);
    thread::sleep(TICK);
    timeline.finish().timed_outside(Duration::from_secs(60))
}

fn result() -> AbResult {
    let interval = |value: f64| Interval {
        low: value - 1.0,
        value,
        high: value + 1.0,
    };
    let compared = |a: f64, b: f64| Compared {
        a_median_ms: a,
        b_median_ms: b,
        ratio: (a > 0.0).then(|| interval(b / a)),
        difference_ms: interval(b - a),
        verdict: Verdict::Worse,
    };
    let rows = || {
        let row = |(name, a, b): &(&str, f64, f64)| PhaseRow {
            name: (*name).to_owned(),
            share: Some(0.5),
            found: compared(*a, *b),
        };
        let rows = [
            ("ntt", 30.0, 42.0),
            ("queue", 0.0, 0.0),
            (HOSTILE, 5.0, 4.0),
        ];
        rows.iter().map(row).collect()
    };
    let arm = |name: &str| ArmResult {
        name: name.to_owned(),
        settings: HOSTILE.to_owned(),
        device: "cpu, 2 threads".to_owned(),
        tuning: Default::default(),
        prepare_ms: 10.0,
        runs_ms: vec![100.0; 8],
    };
    let effect = |value| Effect {
        settings: "lanes=portable".to_owned(),
        difference_ms: interval(value),
        verdict: Verdict::Better,
        mostly: Some("ntt".to_owned()),
    };
    AbResult {
        circuit: "sapling-output".to_owned(),
        constraints: 7827,
        circuits: 1,
        clock: cuzk_record::Clock::Wall,
        seed: 1,
        rounds: 8,
        seconds: 1.5,
        width_asked: 0.02,
        stopped_by: StoppedBy::Width,
        arms: vec![arm("a"), arm("b")],
        comparisons: vec![Comparison {
            name: "b".to_owned(),
            total: compared(100.0, 112.0),
            phases: rows(),
            device_phases: rows(),
        }],
        ablation: Some(Ablation {
            alone: vec![effect(12.0), effect(-3.0)],
            together: effect(9.0),
            interaction_ms: interval(0.5),
            interaction: Verdict::NoDifference,
        }),
        warnings: vec![HOSTILE.to_owned()],
        verified: true,
    }
}

/// Parses a page as strictly as XML is, and looks for what a page that stands alone has not.
fn check(page: &str) {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(page, options).expect("well-formed");
    let names = || document.descendants().filter(|node| node.is_element());
    for node in names() {
        let name = node.tag_name().name();
        assert!(
            !matches!(
                name,
                "script" | "img" | "link" | "iframe" | "object" | "image" | "use"
            ),
            "{name}"
        );
        for attribute in node.attributes() {
            assert!(!matches!(attribute.name(), "src" | "href"), "{attribute:?}");
            assert!(!attribute.name().starts_with("on"), "{attribute:?}");
        }
    }
    for word in ["http://", "https://", "url(", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
    let viewport = names().find(|node| node.attribute("name") == Some("viewport"));
    assert!(viewport.is_some(), "a phone would show it as a desktop's");
    assert!(page.contains("prefers-color-scheme:dark"));
    sizes_are_legible(page);
    for drawing in names().filter(|node| node.tag_name().name() == "svg") {
        assert!(drawing.attribute("aria-label").is_some());
        for bar in drawing.descendants().filter(|n| n.has_tag_name("rect")) {
            let number = |name| -> f64 { bar.attribute(name).expect(name).parse().expect(name) };
            let (x, width) = (number("x"), number("width"));
            assert!(
                x >= 0.0 && width >= 0.0 && x + width <= 1000.1,
                "{x} {width}"
            );
        }
    }
}

/// No text is smaller than 12 pixels.
fn sizes_are_legible(page: &str) {
    let sizes = page.split("font-size:").skip(1);
    let font = page.split("font:").skip(1);
    let sizes: Vec<u32> = sizes
        .chain(font)
        .map(|rest| {
            let digits = rest.split("px").next().expect("a unit");
            digits.parse().expect("pixels")
        })
        .collect();
    assert!(
        sizes.len() > 3 && sizes.iter().all(|size| *size >= 12),
        "{sizes:?}"
    );
}

#[test]
fn the_page_of_a_run_stands_alone_and_shows_every_lane() {
    let report = report();
    let page = run_page(HOSTILE, &[("one proof", &report), ("a batch", &report)]);
    check(&page);
    for text in [
        "host, thread ",
        "host, in no phase",
        "&lt;/script&gt;\u{fffd}: work",
        "&lt;/script&gt;\u{fffd}: work, beside",
        "msm_h, add, proof 1: ",
        "memory resident: most ",
        "memory on devices: most 1.0 GiB",
        "page faults: ",
        "outside of the run",
        "upload, sort, proof 0: ",
    ] {
        assert!(page.contains(text), "{text} is missing");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn a_run_without_anything_has_a_page_and_a_trace() {
    let report = Timeline::start().finish();
    check(&run_page("", &[("", &report)]));
    assert!(trace(&report).contains("traceEvents"));
}

#[test]
fn the_page_of_a_comparison_stands_alone_and_shows_intervals() {
    let page = comparison_page("b against a", &result());
    check(&page);
    assert!(page.contains("ntt: 30.00 and 42.00 ms, 1.400 times (0.400 to 2.400): worse"));
    assert!(page.matches("class=\"range\"").count() >= 7);
    assert!(page.contains("what does not add up: +0.50 ms: no difference"));
}

fn number(event: &Value, key: &str) -> f64 {
    event[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {event}"))
}

#[test]
fn a_trace_has_tracks_on_which_events_nest() {
    let report = report();
    let trace: Value = serde_json::from_str(&trace(&report)).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let spans: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(spans.len(), report.spans.len() + report.device_spans.len());
    for event in &spans {
        assert!(
            number(event, "ts") >= 0.0 && number(event, "dur") >= 0.0,
            "{event}"
        );
        let end = number(event, "ts") + number(event, "dur");
        // A device's end is known to the host's clock within the uncertainty.
        let total = report.total.as_nanos() as f64 / 1e3;
        assert!(end <= total + 50.0, "{event} of {total}");
    }
    // A nanosecond is lost where numbers are parts of a microsecond.
    let slack = 0.002;
    for (i, one) in spans.iter().enumerate() {
        for other in &spans[i + 1..] {
            if one["pid"] != other["pid"] || one["tid"] != other["tid"] {
                continue;
            }
            let ends = |event: &Value| {
                let start = number(event, "ts");
                (start, start + number(event, "dur"))
            };
            let ((a, b), (c, d)) = (ends(one), ends(other));
            let apart = b <= c + slack || d <= a + slack;
            let holds = (a <= c + slack && d <= b + slack) || (c <= a + slack && b <= d + slack);
            assert!(apart || holds, "{one} and {other}");
        }
    }
}

#[test]
fn a_trace_names_its_tracks_and_counts_memory() {
    let report = report();
    let trace: Value = serde_json::from_str(&trace(&report)).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let named = |what: &str, process: &Value, track: Option<&Value>| {
        events.iter().any(|event| {
            event["name"] == what
                && event["pid"] == *process
                && track.is_none_or(|track| event["tid"] == *track)
        })
    };
    for event in events.iter().filter(|event| event["ph"] == "X") {
        assert!(named("process_name", &event["pid"], None), "{event}");
        assert!(
            named("thread_name", &event["pid"], Some(&event["tid"])),
            "{event}"
        );
    }
    let counters = events.iter().filter(|event| event["ph"] == "C");
    let names: Vec<&str> = counters
        .filter_map(|event| event["name"].as_str())
        .collect();
    for name in ["resident memory", "device memory", "page faults"] {
        assert!(names.contains(&name), "{name} is missing from {names:?}");
    }
    let on_device = events
        .iter()
        .find(|event| event["pid"] == 2 && event["ph"] == "X");
    assert!(on_device.is_some(), "host and device are apart");
}
