//! Alternatives timed by turns: what disturbs one of them disturbs all.
//!
//! The passes run on one thread, so the time that counts is that thread's on a processor: it
//! stays meaningful on a machine that has other things to do.

use rustix::time::{ClockId, clock_gettime};

/// The processor times of one alternative in milliseconds.
pub(crate) struct Times {
    pub(crate) name: String,
    pub(crate) min_ms: f64,
    pub(crate) median_ms: f64,
}

/// A name and what to run.
pub(crate) type Alternative<'a> = (String, Box<dyn FnMut() + 'a>);

fn thread_time_ms() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Runs every alternative once in each round; the first round is not counted.
pub(crate) fn by_turns(rounds: usize, mut alternatives: Vec<Alternative<'_>>) -> Vec<Times> {
    let mut times = vec![Vec::with_capacity(rounds); alternatives.len()];
    for round in 0..=rounds {
        for ((_, run), times) in alternatives.iter_mut().zip(&mut times) {
            let start = thread_time_ms();
            run();
            let elapsed = thread_time_ms() - start;
            if round > 0 {
                times.push(elapsed);
            }
        }
    }
    let names = alternatives.into_iter().map(|alternative| alternative.0);
    let summary = names.zip(times).map(|(name, mut times)| {
        times.sort_by(f64::total_cmp);
        Times {
            name,
            min_ms: times[0],
            median_ms: times[times.len() / 2],
        }
    });
    summary.collect()
}
