//! End-to-end tests live in `it/`; this library holds nothing.

#![forbid(unsafe_code)]
