//! What it costs to measure: a span, one with a device that is asked for its memory, and a
//! report of a proof's spans.

use std::{hint::black_box, sync::Arc};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use cuzk_phase::{Phase, Timeline};

/// A proof of one circuit opens 26.
const SPANS: usize = 26;

fn open_and_close(timeline: &Timeline) {
    for _ in 0..SPANS {
        drop(black_box(timeline.span(Phase::Ntt).of_proof(0)));
    }
}

fn spans(c: &mut Criterion) {
    let mut group = c.benchmark_group("measure");
    let size = BatchSize::SmallInput;
    group.bench_function("26 spans", |b| {
        b.iter_batched_ref(Timeline::start, |t| open_and_close(t), size);
    });
    group.bench_function("26 spans of a device", |b| {
        let timeline = || {
            let timeline = Timeline::start();
            timeline.ask_device_memory("a device", Arc::new(|| 1));
            timeline
        };
        b.iter_batched_ref(timeline, |t| open_and_close(t), size);
    });
    group.bench_function("report of 26 spans", |b| {
        let timeline = Timeline::start();
        open_and_close(&timeline);
        b.iter(|| black_box(timeline.snapshot()));
    });
    group.finish();
}

criterion_group!(benches, spans);
criterion_main!(benches);
