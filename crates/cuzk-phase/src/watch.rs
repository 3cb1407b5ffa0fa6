//! Samples of memory and page faults over a run.

use crate::{
    counters::Counters,
    device::DeviceMemoryProbe,
    memory::rss_bytes,
    timeline::{lock, nanoseconds},
};
use std::{
    fmt, io,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// The most samples that are kept: 40 seconds at 10 ms before the interval doubles.
const MOST_SAMPLES: usize = 4096;
/// A shorter interval would measure the sampler.
const SHORTEST: Duration = Duration::from_millis(1);

/// The devices that are asked for their memory.
#[derive(Default)]
pub(crate) struct Probes(Mutex<Vec<(String, DeviceMemoryProbe)>>);

impl Probes {
    pub(crate) fn add(&self, device: &str, probe: DeviceMemoryProbe) {
        let mut probes = lock(&self.0);
        probes.retain(|(known, _)| known != device);
        probes.push((device.to_owned(), probe));
    }

    /// The sum over the devices; nothing without one.
    pub(crate) fn most_bytes(&self) -> Option<u64> {
        let probes = lock(&self.0);
        let bytes = probes.iter().map(|(_, probe)| probe());
        bytes.reduce(u64::saturating_add)
    }
}

impl fmt::Debug for Probes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = lock(&self.0).iter().map(|(name, _)| name.clone()).collect();
        let names: Vec<String> = names;
        f.debug_tuple("Probes").field(&names).finish()
    }
}

/// One look at the process and its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) at_ns: u64,
    pub(crate) rss_bytes: Option<u64>,
    pub(crate) device_bytes: Option<u64>,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
}

/// What has been sampled, in the order of time.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    pub(crate) interval: Duration,
    pub(crate) list: Vec<Sample>,
}

impl Samples {
    /// Adds a sample; where the list is full, pairs become one of the larger memory and of the
    /// later time.
    fn push(&mut self, sample: Sample) {
        if self.list.len() == MOST_SAMPLES {
            self.interval *= 2;
            self.list = self.list.chunks(2).map(merged).collect();
        }
        self.list.push(sample);
    }
}

fn merged(pair: &[Sample]) -> Sample {
    let first = pair[0];
    pair[1..].iter().fold(first, |first, later| Sample {
        rss_bytes: first.rss_bytes.max(later.rss_bytes),
        device_bytes: first.device_bytes.max(later.device_bytes),
        ..*later
    })
}

/// A running sampler, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    samples: Arc<Mutex<Samples>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(crate) fn start(
        run_start: Instant,
        interval: Duration,
        probes: Arc<Probes>,
    ) -> io::Result<Self> {
        let samples = Arc::new(Mutex::new(Samples {
            interval: interval.max(SHORTEST),
            list: Vec::new(),
        }));
        let (stop, stopped) = channel();
        let sampler = Sampler {
            run_start,
            faults: Counters::now().unwrap_or_default(),
            probes,
            samples: Arc::clone(&samples),
        };
        let thread = std::thread::Builder::new()
            .name("cuzk-watch".to_owned())
            .spawn(move || sampler.run(&stopped))?;
        Ok(Self {
            samples,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    pub(crate) fn samples(&self) -> Samples {
        lock(&self.samples).clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A sampler that failed has left its samples.
            let _ = thread.join();
        }
    }
}

struct Sampler {
    run_start: Instant,
    faults: Counters,
    probes: Arc<Probes>,
    samples: Arc<Mutex<Samples>>,
}

impl Sampler {
    fn run(&self, stopped: &Receiver<()>) {
        loop {
            let sample = self.sample();
            let interval = {
                let mut samples = lock(&self.samples);
                samples.push(sample);
                samples.interval
            };
            if stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    fn sample(&self) -> Sample {
        let faults = Counters::now().unwrap_or_default().since(self.faults);
        Sample {
            at_ns: nanoseconds(self.run_start.elapsed()),
            rss_bytes: rss_bytes(),
            device_bytes: self.probes.most_bytes(),
            minor_faults: faults.minor_faults,
            major_faults: faults.major_faults,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ns: u64) -> Sample {
        Sample {
            at_ns,
            rss_bytes: Some(at_ns % 1000),
            device_bytes: None,
            minor_faults: at_ns,
            major_faults: 0,
        }
    }

    #[test]
    fn a_long_run_keeps_few_samples_and_every_peak() {
        let mut samples = Samples {
            interval: Duration::from_millis(1),
            list: Vec::new(),
        };
        let count = 20 * MOST_SAMPLES as u64;
        (0..count).for_each(|at| samples.push(sample(at)));
        assert!(samples.list.len() <= MOST_SAMPLES);
        assert!(samples.interval >= Duration::from_millis(16));
        let peak = samples.list.iter().filter_map(|s| s.rss_bytes).max();
        assert_eq!(peak, Some(999));
        assert!(samples.list.windows(2).all(|w| w[0].at_ns < w[1].at_ns));
        assert_eq!(samples.list.last().map(|s| s.at_ns), Some(count - 1));
    }
}
