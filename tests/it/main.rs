//! End-to-end tests, one file per subject.

mod zcash;
