#![doc = include_str!("../README.md")]

mod cost;
mod record;

pub use cost::{
    Cost, confine, measured, median, minimum, peak_rss_bytes, reset_peak_rss, rss_bytes,
};
pub use record::{Provenance, write_record};
