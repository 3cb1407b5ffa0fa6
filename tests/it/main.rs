//! End-to-end tests, one file per subject.

mod foreign;
mod golden;
mod peers;
mod sapling;
mod zcash;
