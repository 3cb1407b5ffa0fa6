//! A sign of life on a terminal for whatever takes over a second.

use std::{
    io::{IsTerminal, stderr},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Common;

/// Nothing is drawn before this.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line that appears after a second and goes when this drops.
pub(crate) struct Waiting {
    bar: ProgressBar,
    stop: Option<std::sync::mpsc::Sender<()>>,
    ticker: Option<std::thread::JoinHandle<()>>,
}

impl Waiting {
    /// Waiting for work of unknown length.
    pub(crate) fn for_work(common: &Common, what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self::start(common, bar, "{spinner} {msg} {elapsed}", what)
    }

    /// Waiting for so many steps.
    pub(crate) fn for_steps(common: &Common, what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        Self::start(common, bar, "{msg} {wide_bar} {pos}/{len} {eta}", what)
    }

    fn start(common: &Common, bar: ProgressBar, template: &str, what: &str) -> Self {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        if common.json || !stderr().is_terminal() {
            return Self {
                bar,
                stop: None,
                ticker: None,
            };
        }
        let (stop, stopped) = std::sync::mpsc::channel();
        let drawn = bar.clone();
        let ticker = std::thread::spawn(move || {
            let ended = |wait| {
                stopped.recv_timeout(wait) != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            };
            if ended(PATIENCE) {
                return;
            }
            drawn.set_draw_target(ProgressDrawTarget::stderr());
            while !ended(Duration::from_millis(100)) {
                drawn.tick();
            }
            drawn.finish_and_clear();
        });
        Self {
            bar,
            stop: Some(stop),
            ticker: Some(ticker),
        }
    }

    /// Sets how far the steps are.
    pub(crate) fn at(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(ticker) = self.ticker.take() {
            // The line is for show: a ticker that failed changes no result.
            let _ = ticker.join();
        }
    }
}
